// A partition of rows by the labels that are open: each row goes to the open label that is worth most to it.
//
// A row under a label keeps what the label is worth, so a table keeps Σ size * worth, and the labels decide everything:
// given some of them, `read` gives each row to the label worth most, and makes labels with fewer than k rows take rows
// that others can spare, or closes them. Simulated annealing then opens, closes, raises and lowers labels (Metropolis
// et al. 1953). Rows are bits, so that reading a state is a few words a label: made for k from about 30 on, where
// labels are few. The twin of `read` is in tests/kernels/twins/partition.py.
#pragma once

#include "annealing.hpp"

namespace paravent {

// Temperatures are in what k rows lose on average at the start.
struct CoverProblem {
    int64_t rows = 0, k = 1;
    std::vector<RowTree> axes;  // climb: what a row keeps at a node
    int64_t most = 0;           // what the rows keep at their leaves
    Cooling cooling;
    int chains = 1, threads = 1;  // each chain begins with a seed of its own
    uint64_t seed = 0;
    Watch watch;
    const int32_t* labels = nullptr;  // the start: nodes, label by label; the roots are always open
    int64_t n_labels = 0;
    PARAVENT_FIELDS(rows, k, axes, most, cooling.proposals, cooling.hot, cooling.cold, chains, threads, seed, watch,
                    labels, n_labels)
};

// The label of each row, as a number of `labels` (nodes, label by label); `worth` is what the rows keep.
struct CoverResult {
    std::vector<int32_t> of_row, labels;
    int64_t worth = 0;
    PARAVENT_FIELDS(of_row, labels, worth)
};

namespace v2 { CoverResult cover_search(const CoverProblem& problem); }
namespace v3 { CoverResult cover_search(const CoverProblem& problem); }

}  // namespace paravent

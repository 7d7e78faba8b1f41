// What searches by simulated annealing share (Metropolis et al. 1953): losses that are accepted, and which rows are
// where.
#pragma once

#include "team.hpp"
#include "tree.hpp"

namespace paravent {

// The class of each row, and its place among the rows of that class.
struct RowPlaces {
    std::vector<int32_t> of, at;

    explicit RowPlaces(int64_t rows) : of(rows, -1), at(rows, -1) {}
    void put(int32_t row, int32_t c, std::vector<int32_t>& rows) {
        of[row] = c;
        at[row] = static_cast<int32_t>(rows.size());
        rows.push_back(row);
    }
    void take(int32_t row, std::vector<int32_t>& rows) {
        at[rows.back()] = at[row];
        drop(rows, at[row]);
    }
};

// The class of each row after a search, what it costs and what the start did: as the labels cost, which classes may not
// fill.
struct Rearranged {
    std::vector<int32_t> of_row;
    int64_t cost = 0, start_cost = 0;
    PARAVENT_FIELDS(of_row, cost, start_cost)
};

// Losses are accepted up to the temperature times an exponential draw: quantiles of it, drawn with 12 random bits.
inline const auto quantiles = tabulated<4096>([](double i) { return -std::log((i + 0.5) / 4096); });

}  // namespace paravent

// Full-domain generalization: how many rows lie in too small classes, for many combinations of levels at once.
#pragma once

#include "keys.hpp"
#include "team.hpp"

namespace paravent {

// One column: codes[l][v] is the code of leaf v on level l, below sizes[l]; cost[l][v] what its cell costs there;
// covers[l][v] how many values its label covers there (none given: areas are not asked for).
struct Ladder {
    const int32_t* leaf = nullptr;  // of each tuple
    std::vector<std::vector<int32_t>> codes;
    std::vector<int32_t> sizes;
    std::vector<std::vector<int64_t>> cost;
    std::vector<std::vector<double>> covers;
    PARAVENT_FIELDS(leaf, codes, sizes, cost, covers)
};

// Tuples on the levels of their columns, each standing for `weight` rows, and nodes of the lattice (levels by column).
struct LatticeTuples {
    int64_t tuples = 0;
    const int32_t* weight = nullptr;
    std::vector<Ladder> columns;
    const int32_t* nodes = nullptr;
    int64_t n_nodes = 0, k = 1;
    int threads = 1;

    const int32_t* levels(int64_t node) const { return nodes + node * count_of(columns); }
    // What the cells of a tuple cost.
    int64_t cost(const int32_t* levels, int64_t t) const {
        int64_t sum = 0;
        for (size_t j = 0; j < columns.size(); ++j) sum += columns[j].cost[levels[j]][columns[j].leaf[t]];
        return sum;
    }
};

struct Lattice : LatticeTuples {
    int64_t limit = 0;                                // outliers past the limit are not counted to the end
    bool costs = true, sizes = false, areas = false;  // what is summed up beside rows
    PARAVENT_FIELDS(tuples, weight, columns, nodes, n_nodes, k, threads, limit, costs, sizes, areas)
};

// For each node: the rows in classes below k (more than the limit: at least that many), and, by column, what the cells
// of those rows cost. Where asked for: of all classes and of those with k rows, their number and the sum of their
// squared sizes (`sizes`, nodes x 2 x 2) and of s log s (`logs`, nodes x 2), and the sum over the rows of the latter of
// how many combinations of values their labels cover (past the limit: anything).
struct Outliers {
    std::vector<int64_t> rows, cost, sizes;
    std::vector<double> logs, area;
    PARAVENT_FIELDS(rows, cost, sizes, logs, area)
};

// One number a tuple, equal where all cells on the levels of a node are. Where the columns so far leave no room for the
// next one, they are numbered anew.
class NodeKeys {
    const LatticeTuples& p_;
    KeyNumbers numbers_;

 public:
    std::vector<uint64_t> key;

    explicit NodeKeys(const LatticeTuples& tuples) : p_(tuples), key(tuples.tuples) {}

    // All keys are below the number that is returned.
    uint64_t make(const int32_t* levels) {
        uint64_t space = 1;
        std::fill(key.begin(), key.end(), 0);
        for (size_t j = 0; j < p_.columns.size(); ++j) {
            const Ladder& column = p_.columns[j];
            const uint64_t size = static_cast<uint64_t>(column.sizes[levels[j]]);
            if (size == 1) continue;
            if (space > (UINT64_MAX >> 1) / size) space = renew();
            const int32_t* codes = column.codes[levels[j]].data();
            for (int64_t i = 0; i < p_.tuples; ++i)
                key[i] = key[i] * size + static_cast<uint64_t>(codes[column.leaf[i]]);
            space *= size;
        }
        return space;
    }
    uint64_t renew() {
        numbers_.clear(p_.tuples);
        for (uint64_t& one : key) one = static_cast<uint64_t>(numbers_.number(one));
        return static_cast<uint64_t>(numbers_.size());
    }
};

class LatticeWorker {
    const Lattice& p_;
    NodeKeys keys_;
    std::vector<int64_t> count_;

    double area(const int32_t* levels, int64_t i) const {
        double product = 1;
        for (size_t j = 0; j < p_.columns.size(); ++j)
            product *= p_.columns[j].covers[levels[j]][p_.columns[j].leaf[i]];
        return product;
    }

 public:
    explicit LatticeWorker(const Lattice& problem) : p_(problem), keys_(problem) {}

    void evaluate(const int32_t* levels, int64_t i_node, Outliers& out) {
        int64_t& rows = out.rows[i_node];
        int64_t* cost = &out.cost[i_node * count_of(p_.columns)];
        uint64_t space = keys_.make(levels);
        if (space > 4096 + 4 * static_cast<uint64_t>(p_.tuples)) space = keys_.renew();
        const std::vector<uint64_t>& key = keys_.key;
        count_.assign(space, 0);
        for (int64_t i = 0; i < p_.tuples; ++i) count_[key[i]] += p_.weight[i];
        for (size_t at = 0; p_.sizes && at < count_.size(); ++at) {
            const int64_t size = count_[at];
            for (int64_t kind = 2 * i_node; size > 0 && kind < 2 * i_node + (size >= p_.k ? 2 : 1); ++kind) {
                ++out.sizes[2 * kind];
                out.sizes[2 * kind + 1] += size * size;
                out.logs[kind] += static_cast<double>(size) * std::log(static_cast<double>(size));
            }
        }
        rows = 0;
        for (int64_t i = 0; i < p_.tuples; ++i) {
            const int64_t w = p_.weight[i];
            if (count_[key[i]] >= p_.k) {
                if (p_.areas) out.area[i_node] += static_cast<double>(w) * area(levels, i);
                continue;
            }
            rows += w;
            if (rows > p_.limit) return;
            for (size_t j = 0; p_.costs && j < p_.columns.size(); ++j)
                cost[j] += w * p_.columns[j].cost[levels[j]][p_.columns[j].leaf[i]];
        }
    }
};

inline Outliers outliers(const Lattice& problem) {
    const int64_t count = problem.n_nodes;
    Outliers out;
    out.rows.assign(count, 0);
    out.cost.assign(count * problem.columns.size(), 0);
    out.sizes.assign(problem.sizes ? 4 * count : 0, 0);
    out.logs.assign(problem.sizes ? 2 * count : 0, 0);
    out.area.assign(problem.areas ? count : 0, 0);
    std::vector<LatticeWorker> workers(std::max(1, problem.threads), LatticeWorker(problem));
    in_turn(count, problem.threads,
            [&](int64_t i, int thread) { workers[thread].evaluate(problem.levels(i), i, out); });
    return out;
}

}  // namespace paravent

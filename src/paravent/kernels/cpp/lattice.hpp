// Full-domain generalization: how many rows lie in too small classes, for many combinations of levels at once.
#pragma once

#include "demands.hpp"
#include "keys.hpp"
#include "team.hpp"

namespace paravent {

// One column: codes[l][v] is the code of leaf v on level l, below sizes[l]; cost[l][v] what its cell costs there;
// covers[l][v] how many values its label covers there (none given: areas are not asked for).
struct ColumnLevels {
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
    std::vector<ColumnLevels> columns;
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
    Demands demands;                                  // on the classes with k rows
    std::vector<int64_t> table;                       // of each value of the demands' columns
    bool again = false;  // without classes that fail, the others are held against another table
    PARAVENT_FIELDS(tuples, weight, columns, nodes, n_nodes, k, threads, limit, costs, sizes, areas, demands, table,
                    again)
};

// For each node: the outliers, rows in classes below k or such as break a demand beyond doubt (more than the limit: at
// least that many), and, by column, what the cells of those rows cost. Where asked for: of all classes and of those
// that are left, their number and the sum of their squared sizes (`sizes`, nodes x 2 x 2) and of s log s (`logs`,
// nodes x 2), and the sum over the rows of the latter of how many combinations of values their labels cover (past the
// limit: anything).
struct Outliers {
    std::vector<int64_t> rows, cost, sizes;
    std::vector<double> logs, area;
    PARAVENT_FIELDS(rows, cost, sizes, logs, area)
};

// One number a tuple, equal where all cells on the levels of a node are. Where the columns so far leave no room for the
// next one, they are numbered anew.
class NodeKeys {
    const LatticeTuples& p_;
    Numbers<uint64_t> numbers_;

    uint64_t renew() {
        numbers_.clear(p_.tuples);
        for (uint64_t& one : key) one = static_cast<uint64_t>(numbers_.number(one));
        return static_cast<uint64_t>(numbers_.size());
    }

 public:
    std::vector<uint64_t> key;

    explicit NodeKeys(const LatticeTuples& tuples) : p_(tuples), key(tuples.tuples) {}

    // All keys are below the number that is returned: so many tables of that size are not much larger than the tuples.
    uint64_t make(const int32_t* levels, uint64_t tables) {
        uint64_t space = 1;
        std::fill(key.begin(), key.end(), 0);
        for (size_t j = 0; j < p_.columns.size(); ++j) {
            const ColumnLevels& column = p_.columns[j];
            const uint64_t size = static_cast<uint64_t>(column.sizes[levels[j]]);
            if (size == 1) continue;
            if (space > (UINT64_MAX >> 1) / size) space = renew();
            const int32_t* codes = column.codes[levels[j]].data();
            for (int64_t i = 0; i < p_.tuples; ++i)
                key[i] = key[i] * size + static_cast<uint64_t>(codes[column.leaf[i]]);
            space *= size;
        }
        return tables * space > 4096 + 4 * static_cast<uint64_t>(p_.tuples) ? renew() : space;
    }
};

class LatticeWorker {
    const Lattice& p_;
    NodeKeys keys_;
    std::vector<int64_t> count_, place_, live_, table_, left_;
    std::vector<int32_t> values_, gone_;
    std::vector<double> shares_;

    double area(const int32_t* levels, int64_t i) const {
        double product = 1;
        for (size_t j = 0; j < p_.columns.size(); ++j)
            product *= p_.columns[j].covers[levels[j]][p_.columns[j].leaf[i]];
        return product;
    }

    void sum_up(int64_t i_node, int64_t kind, int64_t least, Outliers& out) const {
        for (const int64_t size : count_) {
            if (size < least) continue;
            ++out.sizes[4 * i_node + 2 * kind];
            out.sizes[4 * i_node + 2 * kind + 1] += size * size;
            out.logs[2 * i_node + kind] += static_cast<double>(size) * std::log(static_cast<double>(size));
        }
    }

    // Classes that break a demand are counted as if they had no rows, round by round; what is in doubt ends it. Where
    // their counts would not fit beside the tuples, nothing is asked.
    void judge(int64_t rows) {
        const Demands& demands = p_.demands;
        const int64_t width = demands.width();
        place_.assign(count_.size(), -1);
        live_.clear();
        for (size_t c = 0; c < count_.size(); ++c) {
            if (count_[c] < p_.k) continue;
            place_[c] = width * count_of(live_);
            live_.push_back(static_cast<int64_t>(c));
        }
        if (width * count_of(live_) > 4096 + 16 * p_.tuples) return;
        values_.assign(width * live_.size(), 0);
        left_ = p_.table;
        for (int64_t i = 0; i < p_.tuples; ++i) {
            const int64_t at = place_[keys_.key[i]];
            if (at < 0) demands.count(left_.data(), i, -p_.weight[i]);
            else demands.count(values_.data() + at, i, p_.weight[i]);
        }
        table_ = p_.table;
        bool again = true;
        while (again && rows <= p_.limit) {
            shares_.clear();
            for (size_t c = 0; c < demands.columns.size(); ++c) {
                const auto from = table_.begin() + demands.offset(c), to = table_.begin() + demands.offset(c + 1);
                const int64_t whole = std::accumulate(from, to, int64_t{0});
                for (auto n = from; n != to; ++n) shares_.push_back(ratio(*n, whole));
            }
            bool doubt = false;
            again = p_.again && left_ != table_;
            for (size_t i = live_.size(); i-- > 0;) {
                const int32_t* counts = values_.data() + place_[live_[i]];
                double room = 1;
                for (const Demand& d : demands.list)
                    if (room > -Demands::safe)
                        room = std::min(
                            room, demands.room(d, counts, count_[live_[i]], shares_.data() + demands.offset(d.column)));
                doubt |= std::abs(room) < Demands::safe;
                if (room > -Demands::safe) continue;
                rows += count_[live_[i]];
                count_[live_[i]] = 0;
                for (int64_t v = 0; v < width; ++v) left_[v] -= counts[v];
                again = p_.again;
                drop(live_, i);
            }
            again &= !doubt;
            table_ = left_;
        }
    }

 public:
    explicit LatticeWorker(const Lattice& problem) : p_(problem), keys_(problem) {}

    void evaluate(const int32_t* levels, int64_t i_node, Outliers& out) {
        int64_t& rows = out.rows[i_node];
        int64_t* cost = &out.cost[i_node * count_of(p_.columns)];
        const std::vector<uint64_t>& key = keys_.key;
        count_.assign(keys_.make(levels, 1), 0);
        for (int64_t i = 0; i < p_.tuples; ++i) count_[key[i]] += p_.weight[i];
        if (p_.sizes) sum_up(i_node, 0, 1, out);
        if (!p_.demands.list.empty()) {
            for (const int64_t size : count_) rows += size < p_.k ? size : 0;
            if (rows <= p_.limit) judge(rows);
        }
        if (p_.sizes) sum_up(i_node, 1, std::max<int64_t>(p_.k, 1), out);
        rows = 0;
        gone_.clear();
        for (int64_t i = 0; i < p_.tuples; ++i) {
            const int64_t w = p_.weight[i];
            if (count_[key[i]] >= p_.k) {
                if (p_.areas) out.area[i_node] += static_cast<double>(w) * area(levels, i);
                continue;
            }
            rows += w;
            if (rows > p_.limit) return;
            if (p_.costs) gone_.push_back(static_cast<int32_t>(i));
        }
        for (size_t j = 0; j < p_.columns.size(); ++j) {
            const int64_t* each = p_.columns[j].cost[levels[j]].data();
            const int32_t* leaf = p_.columns[j].leaf;
            for (const int32_t i : gone_) cost[j] += p_.weight[i] * each[leaf[i]];
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
    const int64_t threads = std::clamp<int64_t>(problem.threads, 1, std::max<int64_t>(count, 1));
    std::vector<LatticeWorker> workers(threads, LatticeWorker(problem));
    in_turn(count, problem.threads,
            [&](int64_t i, int thread) { workers[thread].evaluate(problem.levels(i), i, out); });
    return out;
}

}  // namespace paravent

// A class of weighted tuples with its minimal groups (closed hierarchical patterns), and its best halves.
//
// Plain versions: methods/partition/groups.py and two_parts.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <queue>
#include <vector>

#include "tree.hpp"

namespace paravent {

// The trees of a table with the children of every node, from left to right.
struct Grove {
    std::vector<Slope> slopes;
    std::vector<std::vector<int32_t>> child, child_start;

    explicit Grove(std::vector<Slope> trees) : slopes(std::move(trees)) {
        for (const Slope& s : slopes) {
            const size_t n = s.parent.size();
            std::vector<int32_t> order, start(n + 1, 0);
            for (size_t v = 0; v + 1 < n; ++v) order.push_back(static_cast<int32_t>(v));
            std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
                return s.parent[a] != s.parent[b] ? s.parent[a] < s.parent[b] : s.first[a] < s.first[b];
            });
            for (int32_t v : order) ++start[s.parent[v] + 1];
            for (size_t v = 0; v < n; ++v) start[v + 1] += start[v];
            child.push_back(std::move(order));
            child_start.push_back(std::move(start));
        }
    }
};

struct SplitLimits {
    int64_t k = 1, most = 1, lookups = 1, nodes = 0, visits = 0, searched = 0, deep = 1;
};

// Tuples, ascending, and how many rows of each.
struct Part {
    std::vector<int32_t> tuple;
    std::vector<int64_t> rows;
};

// A partition of a class, and what its rows keep.
struct PartSplit {
    std::vector<std::vector<int64_t>> taken;  // part x tuple of the class
    int64_t worth = 0;
};

struct MinimalGroup {
    int64_t rows = 0;
    int64_t serial = 0;
    int axis = 0;
    std::vector<int32_t> label, members;
};

class SplitClass {
    struct Fewer {  // the group with most rows on top, of equals the one found first
        bool operator()(const MinimalGroup* a, const MinimalGroup* b) const {
            return a->rows != b->rows ? a->rows < b->rows : a->serial > b->serial;
        }
    };

    const Grove& grove_;
    const SplitLimits& limits_;
    const int d_;
    std::vector<int32_t> leaf_;  // tuple x axis
    std::vector<std::unique_ptr<MinimalGroup>> kept_;

    int32_t over(int j, int32_t low, int32_t high) const {
        const Slope& s = grove_.slopes[j];
        int32_t node = low;
        while (s.last[node] < high) node = s.parent[node];
        return node;
    }

    int64_t worth(const int32_t* label) const {
        int64_t sum = 0;
        for (int j = 0; j < d_; ++j) sum += grove_.slopes[j].climb[label[j]];
        return sum;
    }

    // The lowest node over some tuples on axis j.
    int32_t meet(const std::vector<int32_t>& members, int j) const {
        int32_t low = std::numeric_limits<int32_t>::max(), high = -1;
        for (int32_t i : members) {
            const int32_t v = leaf_[static_cast<size_t>(i) * d_ + j];
            low = std::min(low, v);
            high = std::max(high, v);
        }
        return over(j, low, high);
    }

    bool covers(const std::vector<int32_t>& label, const int32_t* below) const {
        for (int j = 0; j < d_; ++j) {
            const Slope& s = grove_.slopes[j];
            if (s.first[label[j]] > s.first[below[j]] || s.last[below[j]] > s.last[label[j]]) return false;
        }
        return true;
    }

 public:
    const std::vector<int64_t>& rows;
    int64_t n = 0, total = 0;
    std::vector<MinimalGroup*> groups;  // those with most rows first; the first one is everything
    std::vector<int64_t> worths;
    bool complete = true;

    SplitClass(const Grove& grove, const SplitLimits& limits, const int32_t* leaves, const Part& part)
        : grove_(grove), limits_(limits), d_(static_cast<int>(grove.slopes.size())), rows(part.rows) {
        n = static_cast<int64_t>(part.tuple.size());
        leaf_.resize(n * d_);
        for (int64_t i = 0; i < n; ++i) {
            std::copy_n(leaves + static_cast<size_t>(part.tuple[i]) * d_, d_, leaf_.begin() + i * d_);
            total += rows[i];
        }
    }

    // What the rows keep under the lowest label over all of them.
    int64_t whole() const {
        int64_t sum = 0;
        for (int j = 0; j < d_; ++j) {
            int32_t low = std::numeric_limits<int32_t>::max(), high = -1;
            for (int64_t i = 0; i < n; ++i) {
                low = std::min(low, leaf_[i * d_ + j]);
                high = std::max(high, leaf_[i * d_ + j]);
            }
            sum += grove_.slopes[j].climb[over(j, low, high)];
        }
        return sum * total;
    }

    // The minimal groups of at least k rows.
    void list_groups() {
        groups.clear();
        kept_.clear();
        worths.clear();
        std::priority_queue<MinimalGroup*, std::vector<MinimalGroup*>, Fewer> queue;
        auto first = std::make_unique<MinimalGroup>();
        first->rows = total;
        for (int64_t i = 0; i < n; ++i) first->members.push_back(static_cast<int32_t>(i));
        for (int j = 0; j < d_; ++j) first->label.push_back(meet(first->members, j));
        queue.push(first.get());
        kept_.push_back(std::move(first));
        int64_t serial = 0, looked = 0;
        std::vector<std::vector<int32_t>> inside;
        std::vector<int64_t> size;
        while (!queue.empty() && static_cast<int64_t>(groups.size()) < limits_.most &&
               (looked < limits_.lookups || groups.empty())) {
            MinimalGroup* g = queue.top();
            queue.pop();
            groups.push_back(g);
            looked += static_cast<int64_t>(g->members.size()) * d_;
            for (int j = g->axis; j < d_; ++j) {
                const Slope& s = grove_.slopes[j];
                const int32_t begin = grove_.child_start[j][g->label[j]], end = grove_.child_start[j][g->label[j] + 1];
                const int32_t width = end - begin;
                if (width == 0) continue;
                inside.resize(std::max<size_t>(inside.size(), width));
                size.assign(width, 0);
                for (int32_t x = 0; x < width; ++x) inside[x].clear();
                const int32_t* children = &grove_.child[j][begin];
                for (int32_t i : g->members) {
                    const int32_t v = leaf_[static_cast<size_t>(i) * d_ + j];
                    // children stand from left to right and cover every leaf of their parent
                    const int32_t x = static_cast<int32_t>(
                        std::upper_bound(children, children + width, v,
                                         [&](int32_t leaf, int32_t node) { return leaf < s.first[node]; }) -
                        children - 1);
                    inside[x].push_back(i);
                    size[x] += rows[i];
                }
                for (int32_t x = 0; x < width; ++x) {
                    if (size[x] < limits_.k || inside[x].empty()) continue;
                    bool moved = false;
                    for (int i = 0; i < j && !moved; ++i) moved = meet(inside[x], i) != g->label[i];
                    if (moved) continue;
                    auto fresh = std::make_unique<MinimalGroup>();
                    fresh->rows = size[x];
                    fresh->serial = ++serial;
                    fresh->axis = j;
                    fresh->label = g->label;
                    for (int i = j; i < d_; ++i) fresh->label[i] = meet(inside[x], i);
                    fresh->members = inside[x];
                    queue.push(fresh.get());
                    kept_.push_back(std::move(fresh));
                }
            }
        }
        complete = queue.empty();
        for (const MinimalGroup* g : groups) worths.push_back(worth(g->label.data()));
    }

    // The best two parts, where there are any.
    bool halves(PartSplit& out) const {
        const int64_t k = limits_.k;
        std::vector<int32_t> by_worth(groups.size());
        for (size_t g = 0; g < by_worth.size(); ++g) by_worth[g] = static_cast<int32_t>(g);
        std::stable_sort(by_worth.begin(), by_worth.end(), [&](int32_t a, int32_t b) { return worths[a] > worths[b]; });
        int64_t best = 0, best_given = 0;
        int32_t best_a = -1, best_other = -1;
        std::vector<int32_t> low(d_), high(d_), label(d_);
        for (size_t a = 1; a < groups.size(); ++a) {
            const MinimalGroup& g = *groups[a];
            std::fill(low.begin(), low.end(), std::numeric_limits<int32_t>::max());
            std::fill(high.begin(), high.end(), -1);
            size_t at = 0;
            for (int64_t i = 0; i < n; ++i) {
                if (at < g.members.size() && g.members[at] == i) {
                    ++at;
                    continue;
                }
                const int32_t* mine = &leaf_[static_cast<size_t>(i) * d_];
                for (int j = 0; j < d_; ++j) {
                    low[j] = std::min(low[j], mine[j]);
                    high[j] = std::max(high[j], mine[j]);
                }
            }
            for (int j = 0; j < d_; ++j) label[j] = over(j, low[j], high[j]);
            const int64_t left = total - g.rows;
            int64_t given = 0, other_worth;
            int32_t other = -1;
            if (left >= k) {
                other_worth = worth(label.data());
            } else {
                given = k - left;
                for (int32_t b : by_worth)
                    if (covers(groups[b]->label, label.data())) {
                        other = b;
                        break;
                    }
                other_worth = worths[other];  // the whole class covers everything
            }
            const int64_t kept = worths[a] * (g.rows - given) + other_worth * (left + given);
            if (best_a < 0 || kept > best) {
                best = kept;
                best_a = static_cast<int32_t>(a);
                best_other = other;
                best_given = given;
            }
        }
        if (best_a < 0) return false;
        out.taken.assign(2, std::vector<int64_t>(n, 0));
        for (int32_t i : groups[best_a]->members) out.taken[0][i] = rows[i];
        for (int64_t i = 0; i < n; ++i) out.taken[1][i] = rows[i] - out.taken[0][i];
        if (best_given > 0) {
            std::vector<int32_t> both;
            const auto &x = groups[best_a]->members, &y = groups[best_other]->members;
            std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
            for (int32_t i : both) {
                const int64_t moved = std::min(best_given, out.taken[0][i]);
                out.taken[0][i] -= moved;
                out.taken[1][i] += moved;
                best_given -= moved;
            }
        }
        out.worth = best;
        return true;
    }
};

}  // namespace paravent

// A class of weighted tuples with its minimal groups (closed hierarchical patterns), and its best halves.
//
// Plain versions: methods/partition/groups.py and two_parts.py.
#pragma once

#include <iterator>

#include "tree.hpp"

namespace paravent {

// The trees of a table with the children of their nodes.
struct Grove {
    std::vector<Slope> trees;
    std::vector<Children> children;

    explicit Grove(std::vector<Slope> given) : trees(std::move(given)), children(trees.begin(), trees.end()) {}
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
    int axis = 0;
    std::vector<int32_t> label, members;
};

class SplitClass {
    const Grove& grove_;
    const SplitLimits& limits_;
    const int d_ = static_cast<int>(grove_.trees.size());
    std::vector<int32_t> leaf_;  // axis x tuple
    std::deque<MinimalGroup> kept_;

    // The lowest node over some tuples on axis j.
    int32_t meet(const std::vector<int32_t>& members, int j) const {
        Span span;
        for (int32_t i : members) span.add(leaf_[j * n + i]);
        return grove_.trees[j].lowest(span.low, span.high);
    }
    std::vector<int32_t> label(const std::vector<int32_t>& members) const {
        std::vector<int32_t> nodes(d_);
        for (int j = 0; j < d_; ++j) nodes[j] = meet(members, j);
        return nodes;
    }
    int64_t worth(const std::vector<int32_t>& label) const {
        int64_t sum = 0;
        for (int j = 0; j < d_; ++j) sum += grove_.trees[j].climb[label[j]];
        return sum;
    }
    bool covers(const std::vector<int32_t>& label, const std::vector<int32_t>& below) const {
        for (int j = 0; j < d_; ++j) {
            const Tree& t = grove_.trees[j];
            if (t.first[label[j]] > t.first[below[j]] || t.last[below[j]] > t.last[label[j]]) return false;
        }
        return true;
    }

 public:
    const std::vector<int64_t>& rows;
    const int64_t n = count_of(rows), total = std::accumulate(rows.begin(), rows.end(), int64_t{0});
    std::vector<MinimalGroup*> groups;  // those with most rows first; the first one is everything
    std::vector<int64_t> worths;
    std::vector<int32_t> by_worth;  // groups, those worth most first
    bool complete = true;

    SplitClass(const Grove& grove, const SplitLimits& limits, const int32_t* leaves, const Part& part)
        : grove_(grove), limits_(limits), rows(part.rows) {
        for (int j = 0; j < d_; ++j)
            for (int32_t t : part.tuple) leaf_.push_back(leaves[static_cast<size_t>(t) * d_ + j]);
    }

    // What the rows keep under the lowest label over all of them.
    int64_t whole() const { return worth(label(numbers_below(n))) * total; }

    // The minimal groups of at least k rows.
    void list_groups() {
        // The group with most rows on top, of equals the one found first.
        std::priority_queue<std::tuple<int64_t, int64_t, MinimalGroup*>> queue;
        const auto offer = [&](MinimalGroup group) {
            MinimalGroup& kept = kept_.emplace_back(std::move(group));
            queue.emplace(kept.rows, -count_of(kept_), &kept);
        };
        const std::vector<int32_t> all = numbers_below(n);
        offer({total, 0, label(all), all});
        int64_t looked = 0;
        std::vector<std::vector<int32_t>> inside;
        std::vector<int64_t> size;
        while (!queue.empty() && count_of(groups) < limits_.most && (looked < limits_.lookups || groups.empty())) {
            MinimalGroup* g = std::get<2>(queue.top());
            queue.pop();
            groups.push_back(g);
            looked += count_of(g->members) * d_;
            for (int j = g->axis; j < d_; ++j) {
                const Tree& tree = grove_.trees[j];
                const Children& children = grove_.children[j];
                const size_t width = children.end(g->label[j]) - children.begin(g->label[j]);
                inside.resize(std::max(inside.size(), width));
                size.assign(width, 0);
                for (size_t x = 0; x < width; ++x) inside[x].clear();
                for (size_t m = 0; m < (width ? g->members.size() : 0); ++m) {
                    const int32_t i = g->members[m];
                    const int32_t x = children.place[tree.towards(g->label[j], leaf_[j * n + i])];
                    inside[x].push_back(i);
                    size[x] += rows[i];
                }
                for (size_t x = 0; x < width; ++x) {
                    if (size[x] < limits_.k || inside[x].empty()) continue;
                    bool moved = false;
                    for (int i = 0; i < j && !moved; ++i) moved = meet(inside[x], i) != g->label[i];
                    if (moved) continue;
                    std::vector<int32_t> nodes = g->label;
                    for (int i = j; i < d_; ++i) nodes[i] = meet(inside[x], i);
                    offer({size[x], j, std::move(nodes), inside[x]});
                }
            }
        }
        complete = queue.empty();
        for (const MinimalGroup* g : groups) worths.push_back(worth(g->label));
        by_worth = numbers_below(count_of(groups));
        std::stable_sort(by_worth.begin(), by_worth.end(), [&](int32_t a, int32_t b) { return worths[a] > worths[b]; });
    }

    // The best two parts, where there are any: a group, and the other rows with so many of the group's as they lack.
    bool halves(PartSplit& out) const {
        struct {
            int32_t group = -1, other = -1;
            int64_t worth = 0, given = 0;
        } best;
        std::vector<int32_t> nodes(d_), both;
        std::vector<uint8_t> inside(n);
        for (size_t a = 1; a < groups.size(); ++a) {
            const MinimalGroup& g = *groups[a];
            std::fill(inside.begin(), inside.end(), 0);
            for (int32_t i : g.members) inside[i] = 1;
            for (int j = 0; j < d_; ++j) {
                Span span;
                for (int64_t i = 0; i < n; ++i)
                    if (!inside[i]) span.add(leaf_[j * n + i]);
                nodes[j] = grove_.trees[j].lowest(span.low, span.high);
            }
            const int64_t left = total - g.rows, given = std::max<int64_t>(limits_.k - left, 0);
            int32_t other = -1;
            if (given)  // the whole class covers everything
                other = *std::find_if(by_worth.begin(), by_worth.end(),
                                      [&](int32_t b) { return covers(groups[b]->label, nodes); });
            const int64_t kept = worths[a] * (g.rows - given) + (given ? worths[other] : worth(nodes)) * (left + given);
            if (best.group < 0 || kept > best.worth) best = {static_cast<int32_t>(a), other, kept, given};
        }
        if (best.group < 0) return false;
        out.worth = best.worth;
        out.taken.assign(2, std::vector<int64_t>(n, 0));
        const std::vector<int32_t>& mine = groups[best.group]->members;
        for (int32_t i : mine) out.taken[0][i] = rows[i];
        for (int64_t i = 0; i < n; ++i) out.taken[1][i] = rows[i] - out.taken[0][i];
        if (best.given == 0) return true;
        const std::vector<int32_t>& theirs = groups[best.other]->members;
        std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(), std::back_inserter(both));
        for (int32_t i : both) {
            const int64_t moved = std::min(best.given, out.taken[0][i]);
            out.taken[0][i] -= moved;
            out.taken[1][i] += moved;
            best.given -= moved;
        }
        return true;
    }
};

}  // namespace paravent

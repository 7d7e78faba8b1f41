// A class of weighted tuples with its minimal groups (closed hierarchical patterns), and its best halves.
//
// Plain versions: methods/partition/groups.py and two_parts.py.
#pragma once

#include <iterator>

#include "tree.hpp"

namespace paravent {

struct Splitting {
    int64_t classes = 0;
    const int32_t* leaves = nullptr;  // tuples x axes
    const int64_t* start = nullptr;   // class c is entries start[c] to start[c + 1]
    const int32_t* tuple = nullptr;
    const int64_t* rows = nullptr;
    std::vector<TreeCosts> trees;
    int64_t k = 1, most = 1, lookups = 1, nodes = 0, visits = 0, searched = 0, deep = 1;
    double seconds = 0;  // no limit where 0
    int threads = 1;
    Watch watch;
    PARAVENT_FIELDS(classes, leaves, start, tuple, rows, trees, k, most, lookups, nodes, visits, searched, deep,
                    seconds, threads, watch)
};

// Tuples, ascending, and how many rows of each.
struct Part {
    std::vector<int32_t> tuple;
    std::vector<int64_t> rows;
    PARAVENT_FIELDS(tuple, rows)
};

// A partition of a class, what its rows keep (-1: there is none), and whether it is proved to be the best.
struct Split {
    std::vector<Part> parts;
    int64_t worth = -1;
    bool sure = false;
};

struct MinimalGroup {
    int64_t rows = 0;
    int axis = 0;
    std::vector<int32_t> label, members;
    int64_t worth = 0;  // what a row keeps under the label
};

class SplitClass {
    const Splitting& p_;
    const std::vector<Children>& children_;
    const Part& part_;
    const int d_ = static_cast<int>(p_.trees.size());
    std::vector<int32_t> leaf_;  // axis x tuple
    std::deque<MinimalGroup> kept_;

    // The lowest node over some tuples on axis j.
    int32_t meet(const std::vector<int32_t>& members, int j) const {
        Span span;
        for (int32_t i : members) span.add(leaf_[j * n + i]);
        return p_.trees[j].over(span.low, span.high);
    }
    std::vector<int32_t> label(const std::vector<int32_t>& members) const {
        std::vector<int32_t> nodes(d_);
        for (int j = 0; j < d_; ++j) nodes[j] = meet(members, j);
        return nodes;
    }
    int64_t worth(const std::vector<int32_t>& label) const {
        int64_t sum = 0;
        for (int j = 0; j < d_; ++j) sum += p_.trees[j].climb[label[j]];
        return sum;
    }
    bool covers(const std::vector<int32_t>& label, const std::vector<int32_t>& below) const {
        for (int j = 0; j < d_; ++j) {
            const Tree& t = p_.trees[j];
            if (t.first[label[j]] > t.first[below[j]] || t.last[below[j]] > t.last[label[j]]) return false;
        }
        return true;
    }

 public:
    const std::vector<int64_t>& rows;
    const int64_t n = count_of(rows), total = std::accumulate(rows.begin(), rows.end(), int64_t{0});
    std::vector<MinimalGroup*> groups, by_worth;  // with most rows first, the first one is everything; worth most first
    bool complete = true;

    SplitClass(const Splitting& problem, const std::vector<Children>& children, const Part& part)
        : p_(problem), children_(children), part_(part), rows(part.rows) {
        for (int j = 0; j < d_; ++j)
            for (int32_t t : part.tuple) leaf_.push_back(p_.leaves[static_cast<size_t>(t) * d_ + j]);
    }

    // What the rows keep under the lowest label over all of them.
    int64_t whole() const { return worth(label(numbers_below(n))) * total; }

    // The parts that take so many rows of each tuple.
    std::vector<Part> parts(const std::vector<std::vector<int64_t>>& taken) const {
        std::vector<Part> found(taken.size());
        for (size_t a = 0; a < taken.size(); ++a)
            for (int64_t i = 0; i < n; ++i) {
                if (taken[a][i] == 0) continue;
                found[a].tuple.push_back(part_.tuple[i]);
                found[a].rows.push_back(taken[a][i]);
            }
        return found;
    }

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
        std::vector<int32_t> nodes(d_);
        while (!queue.empty() && count_of(groups) < p_.most && (looked < p_.lookups || groups.empty())) {
            MinimalGroup* g = std::get<2>(queue.top());
            queue.pop();
            groups.push_back(g);
            looked += count_of(g->members) * d_;
            for (int j = g->axis; j < d_; ++j) {
                const size_t width = children_[j].end(g->label[j]) - children_[j].begin(g->label[j]);
                if (width == 0) continue;
                inside.resize(std::max(inside.size(), width));
                size.assign(width, 0);
                for (size_t x = 0; x < width; ++x) inside[x].clear();
                children_[j].under(p_.trees[j], g->label[j], [&](auto child) {
                    for (int32_t i : g->members) {
                        const int32_t x = child(leaf_[j * n + i]);
                        inside[x].push_back(i);
                        size[x] += rows[i];
                    }
                });
                for (size_t x = 0; x < width; ++x) {
                    if (size[x] < p_.k || inside[x].empty()) continue;
                    int i = 0;
                    for (; i < d_; ++i) {
                        nodes[i] = meet(inside[x], i);
                        if (i < j && nodes[i] != g->label[i]) break;
                    }
                    if (i == d_) offer({size[x], j, nodes, inside[x]});
                }
            }
        }
        complete = queue.empty();
        for (MinimalGroup* g : groups) g->worth = worth(g->label);
        by_worth = groups;
        std::stable_sort(by_worth.begin(), by_worth.end(), [](auto* a, auto* b) { return a->worth > b->worth; });
    }

    // The best two parts, where there are any: a group, and the other rows with so many of the group's as they lack.
    Split halves() const {
        Split best;
        const MinimalGroup *mine = nullptr, *theirs = nullptr;
        int64_t lacks = 0;
        const std::vector<int32_t> all = numbers_below(n);
        std::vector<int32_t> rest;
        for (size_t a = 1; a < groups.size(); ++a) {
            const MinimalGroup &g = *groups[a], *other = nullptr;
            rest.clear();
            std::set_difference(all.begin(), all.end(), g.members.begin(), g.members.end(), std::back_inserter(rest));
            const std::vector<int32_t> nodes = label(rest);
            const int64_t left = total - g.rows, given = std::max<int64_t>(p_.k - left, 0);
            if (given)  // the whole class covers everything
                other = *std::find_if(by_worth.begin(), by_worth.end(),
                                      [&](const MinimalGroup* o) { return covers(o->label, nodes); });
            const int64_t kept = g.worth * (g.rows - given) + (given ? other->worth : worth(nodes)) * (left + given);
            if (kept > best.worth) best.worth = kept, mine = &g, theirs = other, lacks = given;
        }
        if (mine == nullptr) return best;
        std::vector<std::vector<int64_t>> taken(2, std::vector<int64_t>(n, 0));
        for (int32_t i : mine->members) taken[0][i] = rows[i];
        for (int64_t i = 0; i < n; ++i) taken[1][i] = rows[i] - taken[0][i];
        for (size_t at = 0; lacks > 0; ++at) {
            const int32_t i = theirs->members[at];
            const int64_t moved = std::min(lacks, taken[0][i]);
            taken[0][i] -= moved;
            taken[1][i] += moved;
            lacks -= moved;
        }
        best.parts = parts(taken);
        return best;
    }
};

}  // namespace paravent

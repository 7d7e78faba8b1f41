// Labels of local recoding: for every tuple the cheapest generalizations of it that k rows share.
#pragma once

#include "demands.hpp"
#include "lattice.hpp"

namespace paravent {

// Rows are the tuples' copies, one tuple after the other. `nodes` (levels by column) come in the order in which they
// are tried; the last one is the top of the lattice.
struct LocalProblem : LatticeTuples {
    int64_t coarse = 0;  // from this node on, a quarter of the labels that a tuple chooses from is kept for them
    int most = 400;      // labels a tuple may choose from, at most 448
    Cooling cooling;     // temperatures are in what a row of the start costs
    uint64_t seed = 0;
    Demands demands;                  // none: k alone decides
    const int32_t* given = nullptr;   // a partition to begin with: the class of each row, numbered from 0
    std::vector<int64_t> given_cost;  // what a row of each costs
    std::vector<int64_t> rows_of;     // the first row of each tuple, and at last how many rows there are
    std::vector<int32_t> tuple_of;    // the tuple of each row
    int shift = 0;                    // costs are shifted right by this, so that those of a row are below 2^30
    Watch watch;
    PARAVENT_FIELDS(tuples, weight, columns, nodes, n_nodes, k, threads, coarse, most, cooling.proposals, cooling.hot,
                    cooling.cold, seed, demands, given, given_cost, rows_of, tuple_of, shift, watch)
};

// Label l covers the tuples member[start[l]..start[l + 1]), ascending; it is choice place[...] of each. The choices of
// tuple t, choice[first[t]..first[t + 1]), ascend by cost, then by label. The top is everybody's last choice.
struct Labels {
    std::vector<int64_t> start, first;
    std::vector<int32_t> member, choice, cost;
    std::vector<uint16_t> place;
    std::vector<int32_t> given;  // the label of each given class; empty: they cannot be begun with
    int32_t top = 0;

    explicit Labels(const LocalProblem& problem) : p(problem), tuples(problem.tuples) {
        for (int64_t t = 0; t < tuples; ++t) print_.push_back(mixed(~static_cast<uint64_t>(t)));
        taken_.assign(tuples, 0);
        found_.assign(tuples * stride_, -1);
        gather();
        top = static_cast<int32_t>(cost.size()) - 1;
        add_given();
        settle();
    }

 private:
    const LocalProblem& p;
    const int64_t tuples;
    static constexpr int64_t more_ = 8;  // classes given in which a tuple has rows
    const int64_t stride_ = p.most + more_;
    std::vector<int32_t> taken_, found_;  // found_: up to stride_ labels a tuple
    std::vector<uint64_t> print_;         // of each tuple
    KeyNumbers known_;                    // sets of tuples that have a label

    struct Group {
        uint64_t print = 0;
        int32_t people = 0, example = 0;
    };
    struct Batch {  // one node: the label of each tuple (-1: below k), numbered from 0; their costs and members' prints
        NodeKeys keys;
        std::vector<int32_t> of_tuple, cost, number;
        std::vector<uint64_t> print;
        KeyNumbers numbers;
        std::vector<Group> groups;
        std::vector<int32_t> counts;
    };

    // body(i) for i from 0 to n - 1, each thread a stretch of them.
    template <class Body> void each(int64_t n, Body body) const {
        const int64_t stretches = std::clamp<int64_t>(p.threads, 1, std::max<int64_t>(n, 1));
        in_turn(stretches, p.threads, [&](int64_t s, int) {
            for (int64_t i = n * s / stretches; i < n * (s + 1) / stretches; ++i) body(i);
        });
    }

    void judge(int64_t at, Batch& b) const {
        b.of_tuple.resize(tuples);
        b.numbers.clear(tuples, b.keys.make(p.levels(at)));
        b.groups.clear();
        b.cost.clear();
        b.print.clear();
        const int32_t* levels = p.levels(at);
        for (int64_t t = 0; t < tuples; ++t) {
            const int32_t number = b.of_tuple[t] = b.numbers.number(b.keys.key[t]);
            if (number == static_cast<int32_t>(b.groups.size())) b.groups.push_back({0, 0, static_cast<int32_t>(t)});
            b.groups[number].people += p.weight[t];
            b.groups[number].print += print_[t];
        }
        if (p.demands.width() && at + 1 < p.n_nodes) refuse(b);
        for (Group& group : b.groups) {
            if (group.people < p.k) {
                group.people = -1;
                continue;
            }
            group.people = static_cast<int32_t>(b.cost.size());  // from here on: its number
            b.cost.push_back(static_cast<int32_t>(p.cost(levels, group.example) >> p.shift));
            b.print.push_back(group.print);
        }
        for (int64_t t = 0; t < tuples; ++t) b.of_tuple[t] = b.groups[b.of_tuple[t]].people;
    }

    // A label is of use when all rows under it satisfy the demands. (Some demands could hold for a part of the rows.)
    void refuse(Batch& b) const {
        const int64_t width = p.demands.width();
        int64_t large = 0;
        std::vector<int64_t> place;
        for (const Group& group : b.groups) place.push_back(group.people < p.k ? -1 : width * large++);
        b.counts.assign(width * large, 0);
        for (int64_t t = 0; t < tuples; ++t) {
            const int64_t to = place[b.of_tuple[t]];
            if (to < 0) continue;
            for (int64_t row = p.rows_of[t]; row < p.rows_of[t + 1]; ++row) p.demands.count(&b.counts[to], row);
        }
        for (size_t g = 0; g < b.groups.size(); ++g)
            if (place[g] >= 0 && !p.demands.hold(&b.counts[place[g]], b.groups[g].people)) b.groups[g].people = -1;
    }

    // Of labels over the same tuples the first one stays: it comes from the cheaper node.
    void number(Batch& b, bool top) {
        b.number.assign(b.cost.size(), -1);
        for (size_t i = 0; i < b.cost.size(); ++i) {
            const int32_t before = known_.size();
            if (known_.number_or_grow(b.print[i]) < before && !top) continue;
            b.number[i] = static_cast<int32_t>(cost.size());
            cost.push_back(b.cost[i]);
        }
    }

    int32_t limit(int64_t node) const {
        if (node + 1 == p.n_nodes) return p.most;
        return node < p.coarse && p.coarse < p.n_nodes ? p.most - 1 - p.most / 4 : p.most - 1;
    }

    void gather() {
        const int64_t width = 16 * std::max(1, p.threads);
        std::vector<Batch> batches(std::min(width, p.n_nodes), Batch{NodeKeys(p), {}, {}, {}, {}, {}, {}, {}});
        for (int64_t from = 0; from < p.n_nodes;) {
            const int64_t to = std::min(p.n_nodes, from + width);
            const bool last = to == p.n_nodes;
            each(to - from, [&](int64_t i) { judge(from + i, batches[i]); });
            for (int64_t i = 0; i < to - from; ++i) number(batches[i], last && i == to - from - 1);
            each(tuples, [&](int64_t t) {
                for (int64_t i = 0; i < to - from; ++i) {
                    const int32_t mine = batches[i].of_tuple[t];
                    if (mine < 0 || batches[i].number[mine] < 0 || taken_[t] >= limit(from + i)) continue;
                    found_[t * stride_ + taken_[t]++] = batches[i].number[mine];
                }
            });
            from = to;
            while (from + 1 < p.n_nodes &&
                   std::all_of(taken_.begin(), taken_.end(), [&](int32_t n) { return n >= limit(from); }))
                from = from < p.coarse ? std::min(p.coarse, p.n_nodes - 1) : p.n_nodes - 1;
            if (p.watch) p.watch(0.3 * ratio(from, p.n_nodes));
        }
    }

    // A class that is given has a label of its own, for the tuples of its rows alone.
    void add_given() {
        const size_t before = cost.size();
        for (int64_t each : p.given_cost) {
            given.push_back(static_cast<int32_t>(cost.size()));
            cost.push_back(static_cast<int32_t>(each >> p.shift));
        }
        for (int64_t t = 0; t < tuples && !given.empty(); ++t) {
            const int32_t first_of = taken_[t];
            for (int64_t row = p.rows_of[t]; row < p.rows_of[t + 1]; ++row) {
                const int32_t label = given[p.given[row]];
                const auto mine = found_.begin() + t * stride_;
                if (std::find(mine + first_of, mine + taken_[t], label) != mine + taken_[t]) continue;
                if (taken_[t] == stride_) {
                    given.clear();
                    break;
                }
                found_[t * stride_ + taken_[t]++] = label;
            }
        }
        if (!given.empty()) return;
        cost.resize(before);  // some tuple is in too many of them
        for (int64_t t = 0; t < tuples; ++t)
            while (taken_[t] && found_[t * stride_ + taken_[t] - 1] >= static_cast<int32_t>(before)) --taken_[t];
    }

    void settle() {
        std::vector<int32_t> number(cost.size(), -1), people(cost.size(), 0);
        for (int64_t t = 0; t < tuples; ++t)
            for (int32_t i = 0; i < taken_[t]; ++i) people[found_[t * stride_ + i]] += p.weight[t];
        std::vector<int32_t> kept;
        for (size_t l = 0; l < cost.size(); ++l)
            if (people[l] >= p.k) {
                number[l] = static_cast<int32_t>(kept.size());
                kept.push_back(cost[l]);
            }
        cost.swap(kept);
        top = number[top];
        for (int32_t& label : given) label = number[label];
        each(tuples, [&](int64_t t) {
            int32_t* mine = &found_[t * stride_];
            int32_t n = 0;
            for (int32_t i = 0; i < taken_[t]; ++i)
                if (number[mine[i]] >= 0) mine[n++] = number[mine[i]];
            taken_[t] = n;
            std::sort(mine, mine + n,
                      [&](int32_t a, int32_t b) { return cost[a] != cost[b] ? cost[a] < cost[b] : a < b; });
        });
        first.assign(1, 0);
        start.assign(cost.size() + 1, 0);
        for (int64_t t = 0; t < tuples; ++t) {
            first.push_back(first.back() + taken_[t]);
            for (int32_t i = 0; i < taken_[t]; ++i) ++start[found_[t * stride_ + i] + 1];
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        choice.resize(first.back());
        member.resize(first.back());
        place.resize(first.back());
        std::vector<int64_t> at(start.begin(), start.end() - 1);
        for (int64_t t = 0; t < tuples; ++t)
            for (int32_t i = 0; i < taken_[t]; ++i) {
                const int32_t l = found_[t * stride_ + i];
                choice[first[t] + i] = l;
                place[at[l]] = static_cast<uint16_t>(i);
                member[at[l]++] = static_cast<int32_t>(t);
            }
        found_.clear();
        found_.shrink_to_fit();
    }
};

}  // namespace paravent

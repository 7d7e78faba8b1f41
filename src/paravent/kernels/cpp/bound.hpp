// A lower bound on what any partition into classes of at least k rows costs: prices of rows that no label can undercut.
//
// Classes with one label can be joined, so a partition opens labels, each with k rows or more. By linear-programming
// duality, prices u of the rows bound its cost from below by their sum if under no label k rows have prices above k
// times its cost (k or more rows then pay for the label at least what they are priced at). The prices grow together;
// when the k dearest rows under a label reach it, those among them that still grow stop (dual ascent, after Jain and
// Vazirani 2001). Labels are looked at in the order of the cheapest one of each lattice node; where that ends early,
// the rows that still grow stop at the cost from which on nothing was looked at: a bound at any time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

#include "labels.hpp"
#include "lattice.hpp"

namespace paravent {

// `least[i]`, ascending: no label of node i costs less. `end`: no label of a node that is not listed costs less.
struct BoundProblem {
    int64_t tuples = 0;
    const int32_t* weight = nullptr;
    std::vector<Ladder> columns;
    const int32_t* nodes = nullptr;
    const int64_t* least = nullptr;
    int64_t n_nodes = 0, end = 0, k = 1;
    int threads = 1;
    std::function<void(double)> watch;
};

class PriceAscent {
    struct Group {
        int64_t cost;
        std::vector<int32_t> members;
    };
    struct Count {
        uint64_t key;
        int64_t people, tuples;
    };
    struct Finder {  // what one node needs to find its labels
        std::vector<uint64_t> keys;
        std::vector<int32_t> slots, of;
        std::vector<Count> found;
        std::vector<Group> groups;
    };
    struct Event {
        int64_t time;
        int32_t group;
        bool operator<(const Event& other) const {
            return time != other.time ? time > other.time : group > other.group;
        }
    };

    static constexpr int64_t batch = 32;  // nodes whose labels are found side by side

    const BoundProblem& p;
    std::vector<int64_t> price_;  // -1: it still grows
    int64_t growing_;
    std::vector<Group> groups_;
    std::priority_queue<Event> events_;
    std::vector<std::pair<int64_t, int32_t>> stopped_;
    std::vector<std::vector<std::vector<uint64_t>>> part_;

    // When the growing rows of a group must stop; -1: none grows.
    int64_t stop(const Group& group) {
        int64_t grow = 0;
        stopped_.clear();
        for (int32_t t : group.members) {
            if (price_[t] < 0) grow += p.weight[t];
            else stopped_.emplace_back(-price_[t], p.weight[t]);
        }
        if (grow == 0) return -1;
        if (grow >= p.k) return group.cost;
        std::sort(stopped_.begin(), stopped_.end());
        int64_t lacks = p.k - grow, room = p.k * group.cost;
        for (const auto& [negative, rows] : stopped_) {
            const int64_t taken = std::min<int64_t>(lacks, rows);
            room += negative * taken;
            lacks -= taken;
            if (lacks == 0) break;
        }
        return room / grow;  // rounded down: the safe side
    }

    // The labels of a node under which some row still grows and k rows are. Labels are told apart by 64-bit sums; where
    // two were mistaken for one, the lower cost makes the bound lower, never wrong.
    void gather(int64_t at, Finder& f) const {
        const size_t d = p.columns.size();
        const int32_t* levels = p.nodes + at * static_cast<int64_t>(d);
        f.groups.clear();
        f.keys.assign(p.tuples, 0);
        for (size_t j = 0; j < d; ++j) {
            const uint64_t* part = part_[j][levels[j]].data();
            const int32_t* leaf = p.columns[j].leaf;
            for (int64_t t = 0; t < p.tuples; ++t) f.keys[t] += part[leaf[t]];
        }
        size_t slots = 64;
        while (slots < static_cast<size_t>(growing_) * 2) slots *= 2;
        f.slots.assign(slots, -1);
        f.found.clear();
        auto slot_of = [&](uint64_t key) {
            size_t at_slot = (key * 0x9E3779B97F4A7C15ull >> 20) & (slots - 1);
            while (f.slots[at_slot] >= 0 && f.found[f.slots[at_slot]].key != key) at_slot = (at_slot + 1) & (slots - 1);
            return at_slot;
        };
        for (int64_t t = 0; t < p.tuples; ++t) {
            if (price_[t] >= 0) continue;
            const size_t at_slot = slot_of(f.keys[t]);
            if (f.slots[at_slot] < 0) {
                f.slots[at_slot] = static_cast<int32_t>(f.found.size());
                f.found.push_back({f.keys[t], 0, 0});
            }
        }
        f.of.assign(p.tuples, -1);
        for (int64_t t = 0; t < p.tuples; ++t) {
            f.of[t] = f.slots[slot_of(f.keys[t])];
            if (f.of[t] < 0) continue;
            f.found[f.of[t]].people += p.weight[t];
            ++f.found[f.of[t]].tuples;
        }
        std::vector<int32_t> number(f.found.size(), -1);
        for (size_t i = 0; i < f.found.size(); ++i) {
            if (f.found[i].people < p.k) continue;
            number[i] = static_cast<int32_t>(f.groups.size());
            f.groups.push_back({INT64_MAX, {}});
            f.groups.back().members.reserve(f.found[i].tuples);
        }
        for (int64_t t = 0; t < p.tuples; ++t) {
            if (f.of[t] < 0 || number[f.of[t]] < 0) continue;
            Group& group = f.groups[number[f.of[t]]];
            int64_t cost = 0;
            for (size_t j = 0; j < d; ++j) cost += p.columns[j].cost[levels[j]][p.columns[j].leaf[t]];
            group.cost = std::min(group.cost, cost);
            group.members.push_back(static_cast<int32_t>(t));
        }
    }

    // Let prices grow up to `until`.
    void grow(int64_t until) {
        while (!events_.empty() && events_.top().time < until && growing_ > 0) {
            const Event event = events_.top();
            events_.pop();
            Group& group = groups_[event.group];
            const int64_t time = stop(group);
            if (time < 0) {
                std::vector<int32_t>().swap(group.members);
            } else if (time > event.time) {
                events_.push({time, event.group});
            } else {
                for (int32_t t : group.members)
                    if (price_[t] < 0) {
                        price_[t] = time;
                        --growing_;
                    }
                std::vector<int32_t>().swap(group.members);
            }
        }
    }

 public:
    explicit PriceAscent(const BoundProblem& problem)
        : p(problem), price_(problem.tuples, -1), growing_(problem.tuples) {
        for (size_t j = 0; j < p.columns.size(); ++j) {
            part_.emplace_back();
            for (size_t level = 0; level < p.columns[j].codes.size(); ++level) {
                std::vector<uint64_t> part;
                for (int32_t code : p.columns[j].codes[level])
                    part.push_back(mixed((j << 40) + (level << 32) + static_cast<uint64_t>(code)));
                part_.back().push_back(std::move(part));
            }
        }
    }

    std::vector<int64_t> run() {
        std::vector<Finder> finders(std::min<int64_t>(batch, std::max<int64_t>(p.n_nodes, 1)));
        for (int64_t from = 0; from < p.n_nodes && growing_ > 0; from += batch) {
            const int64_t to = std::min(p.n_nodes, from + batch);
            Team().run(to - from, p.threads, [&](int64_t i, int) { gather(from + i, finders[i]); });
            for (int64_t i = from; i < to; ++i)
                for (Group& group : finders[i - from].groups) {
                    events_.push({group.cost, static_cast<int32_t>(groups_.size())});
                    groups_.push_back(std::move(group));
                }
            grow(to < p.n_nodes ? p.least[to] : p.end);
            if (p.watch) p.watch(static_cast<double>(to) / static_cast<double>(p.n_nodes));
        }
        for (int64_t& price : price_)
            if (price < 0) price = p.end;
        return std::move(price_);
    }
};

}  // namespace paravent

// A lower bound on what any partition into classes of at least k rows costs: prices of rows that no label can undercut.
//
// Classes with one label can be joined, so a partition opens labels, each with k rows or more. By linear-programming
// duality, prices u of the rows bound its cost from below by their sum if under no label k rows have prices above k
// times its cost (k or more rows then pay for the label at least what they are priced at). The prices grow together;
// when the k dearest rows under a label reach it, those among them that still grow stop (dual ascent, after Jain and
// Vazirani 2001). Labels are looked at in the order of the cheapest one of each lattice node; where that ends early,
// the rows that still grow stop at the cost from which on nothing was looked at: a bound at any time.
#pragma once

#include "lattice.hpp"

namespace paravent {

// `least[i]`, ascending: no label of node i costs less. `end`: no label of a node that is not listed costs less.
struct BoundProblem : LatticeTuples {
    const int64_t* least = nullptr;
    int64_t end = 0;
    Watch watch;
    PARAVENT_FIELDS(tuples, weight, columns, nodes, n_nodes, k, threads, least, end, watch)
};

class PriceAscent {
    struct Group {
        int64_t cost;
        std::vector<int32_t> members;
    };
    struct Finder {  // what one node needs to find its labels
        NodeKeys keys;
        std::vector<int64_t> people;
        std::vector<int32_t> place;
        std::vector<Group> groups;
    };

    static constexpr int64_t batch = 32;  // nodes whose labels are found side by side

    const BoundProblem& p;
    std::vector<int64_t> price_;  // -1: it still grows
    int64_t growing_;
    std::vector<Group> groups_;
    std::priority_queue<Offer, std::vector<Offer>, std::greater<Offer>> events_;  // when a group may stop, first
    std::vector<std::pair<int64_t, int32_t>> stopped_;

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

    // The labels of a node under which some row still grows and k rows are.
    void gather(int64_t at, Finder& f) const {
        const int32_t* levels = p.levels(at);
        const uint64_t labels = f.keys.make(levels, 2);
        const std::vector<uint64_t>& key = f.keys.key;
        f.people.assign(labels, 0);
        f.place.assign(labels, -1);
        f.groups.clear();
        for (int64_t t = 0; t < p.tuples; ++t) f.people[key[t]] += p.weight[t];
        for (int64_t t = 0; t < p.tuples; ++t) {
            if (price_[t] >= 0 || f.people[key[t]] < p.k || f.place[key[t]] >= 0) continue;
            f.place[key[t]] = static_cast<int32_t>(f.groups.size());
            f.groups.push_back({INT64_MAX, {}});
        }
        for (int64_t t = 0; t < p.tuples; ++t) {
            if (f.place[key[t]] < 0) continue;
            Group& group = f.groups[f.place[key[t]]];
            group.cost = std::min(group.cost, p.cost(levels, t));
            group.members.push_back(static_cast<int32_t>(t));
        }
    }

    // Let prices grow up to `until`.
    void grow(int64_t until) {
        while (!events_.empty() && events_.top().first < until && growing_ > 0) {
            const auto [due, at] = events_.top();
            events_.pop();
            Group& group = groups_[at];
            const int64_t time = stop(group);
            if (time > due) {
                events_.push({time, at});
                continue;
            }
            for (int32_t t : group.members) {
                if (price_[t] >= 0) continue;
                price_[t] = time;
                --growing_;
            }
            std::vector<int32_t>().swap(group.members);
        }
    }

 public:
    explicit PriceAscent(const BoundProblem& problem)
        : p(problem), price_(problem.tuples, -1), growing_(problem.tuples) {}

    std::vector<int64_t> run() {
        std::vector<Finder> finders(std::min(batch, p.n_nodes), Finder{NodeKeys(p), {}, {}, {}});
        for (int64_t from = 0; from < p.n_nodes && growing_ > 0; from += batch) {
            const int64_t to = std::min(p.n_nodes, from + batch);
            in_turn(to - from, p.threads, [&](int64_t i, int) { gather(from + i, finders[i]); });
            for (int64_t i = from; i < to; ++i)
                for (Group& group : finders[i - from].groups) {
                    events_.push({group.cost, static_cast<int32_t>(groups_.size())});
                    groups_.push_back(std::move(group));
                }
            grow(to < p.n_nodes ? p.least[to] : p.end);
            if (p.watch) p.watch(ratio(to, p.n_nodes));
        }
        return std::move(price_);
    }
};

}  // namespace paravent

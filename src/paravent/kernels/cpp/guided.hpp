// Greedy merging: the smallest class that fails joins the class that a rule prefers, by the cost of the merge, the
// diversity or the closeness of what it makes, or its size, until no class fails.
//
// The search is exact. Where cost counts, classes are visited by what they cost at least (classes.hpp), and
// diversity or closeness is only worked out where its bound leaves a chance: a merged class is at most as diverse as if
// its parts shared no value, and at least as far as the difference of its parts, or as the values that it cannot hold.
//
// In the table after a merge, a third class may show what the merged one shows: the three are then one class, and the
// measures of the table are those with the three as one. With stubs, a large class gives only the rows that are missing
// and stays (KACA, Li et al. 2006: stub and trunk).
#pragma once

#include "merging.hpp"

namespace paravent {

class Merger : RatedClasses {
    static constexpr double slack = 1.0 + 1e-6;  // more than products lose to `coarse`
    static constexpr double infinite = std::numeric_limits<double>::infinity();
    static constexpr Offer nothing{endless, std::numeric_limits<int32_t>::max()};
    using Rated = std::pair<double, int32_t>;

    using Members = std::vector<int32_t>;
    std::map<Shape, Members> alike_;
    std::vector<int32_t> at_;  // where each class is there
    std::vector<std::pair<double, const Members*>> groups_;
    std::set<Rated> by_good_;
    std::vector<Rated> worst_;  // where the whole table counts, its three worst classes without the query
    Members ties_;
    std::priority_queue<Offer, std::vector<Offer>, std::greater<Offer>> failing_;

    // 24 digits of a product: products that are equal on paper are equal.
    static double coarse(double x) { return static_cast<double>(static_cast<float>(x)); }

    // A class that was born takes part.
    void enter(int32_t c, bool fails) {
        classes_.insert(c);
        if (fails) failing_.emplace(classes_.size(c), c);
        if (p_.rule == Preference::cost) return;
        Members& alike = alike_[shape(c)];
        at_.resize(c + 1);
        at_[c] = static_cast<int32_t>(alike.size());
        alike.push_back(c);
        by_good_.emplace(good_[c], c);
    }
    void leave(int32_t c) {
        const bool rated = classes_.alive(c) && p_.rule != Preference::cost;
        classes_.remove(c);
        if (!rated) return;
        const auto alike = alike_.find(shape(c));
        at_[alike->second.back()] = at_[c];
        drop(alike->second, at_[c]);
        if (alike->second.empty()) alike_.erase(alike);
        Counts().swap(held_[c]);
        by_good_.erase({good_[c], c});
    }

    // How many rows the partner gives while it stays; 0 where it joins as a whole, as it does where it shows what both
    // would show: the two would be one class again.
    int64_t stub_of(int32_t query, int32_t partner) {
        const int64_t rows = classes_.given(classes_.size(query), classes_.size(partner));
        return rows == classes_.size(partner) || classes_.covers(partner, query) ? 0 : rows;
    }

    // How good a merge is: the merged class or, where the whole table counts, the table after it. A third class may
    // join the two there, and of the worst three classes at most two are not among the others any more.
    int32_t third(int32_t a, int32_t b) { return p_.whole_table ? classes_.meeting(a, b) : -1; }
    double after(int32_t query, int32_t c) {
        const int32_t joins = third(query, c);
        double merged = good(query, c, joins);
        for (const auto& [good, other] : worst_)
            if (other != c && other != joins) merged = std::min(merged, good);
        return merged;
    }

    // The cheapest of some classes, or the first of them.
    Offer among(int32_t query, const std::vector<int32_t>& classes, bool by_cost) {
        Offer best = nothing;
        for (const int32_t c : classes) best = std::min(best, Offer{by_cost ? classes_.cost(query, c) : 0, c});
        return {classes_.cost(query, best.second), best.second};
    }

    // The best of the classes of `groups_`. A group is not looked at where it could not be as good as the best so far.
    Offer best_of_groups(int32_t query, bool by_cost) {
        double best = -infinite;
        ties_.clear();
        std::make_heap(groups_.begin(), groups_.end());
        for (; !groups_.empty() && groups_.front().first >= best; groups_.pop_back()) {
            std::pop_heap(groups_.begin(), groups_.end());
            for (const int32_t c : *groups_.back().second) {
                if (c == query) continue;
                const double here = after(query, c);
                if (here > best) ties_.clear();
                if (here >= best) ties_.push_back(c);
                best = std::max(best, here);
            }
        }
        return among(query, ties_, by_cost);
    }
    // The best of all. Of the table after a merge only the other classes are known before.
    Offer best_of_all(int32_t query, bool by_cost) {
        groups_.clear();
        for (const auto& [shape, members] : alike_)
            groups_.emplace_back(p_.whole_table ? infinite : at_best(query, shape), &members);
        return best_of_groups(query, by_cost);
    }

    // All but the worst class leave that class where it is: it then says how good the table is.
    Offer best_in_table(int32_t query, bool by_cost) {
        const auto [bar, at] = worst_[0];
        if (classes_.covers(at, query)) return best_of_all(query, by_cost);  // it may be the third of many
        const double without = after(query, at);
        if (without > bar) return among(query, {at}, by_cost);
        Offer best = nothing;
        if (without == bar) best = by_cost ? among(query, {at}, true) : Offer{0, at};
        const auto offer = [&, bar = bar, at = at](int32_t c, int64_t cost) {
            if (c == query || c == at || !(Offer{cost, c} < best)) return;
            if (good(query, c) < bar) {
                const int32_t other = third(query, c);  // at least as good: it can only help
                if (other < 0 || good(query, c, other) < bar) return;
            }
            best = {cost, c};
        };
        if (by_cost) classes_.visit(query, best.first, {}, offer);
        else
            for (const auto& [shape, members] : alike_)
                for (const int32_t c : members) offer(c, 0);
        return best != nothing ? among(query, {best.second}, true) : best_of_all(query, by_cost);
    }

    // Least cost first; where several cost the same, the measure decides, if there is one.
    Offer by_cost(int32_t query) {
        int64_t least = endless;
        ties_.clear();
        classes_.visit(query, least, {}, [&](int32_t c, int64_t cost) {
            if (cost < least) ties_.clear();
            least = cost;
            ties_.push_back(c);
        });
        if (ties_.size() == 1 || !(diverse_ || close_)) return {least, *std::min_element(ties_.begin(), ties_.end())};
        const Members tied = ties_;
        groups_.assign(1, {0, &tied});
        return best_of_groups(query, false);
    }

    // What is minimised as a product of cost and a measure.
    double product(int64_t cost, double good) const {
        return close_ ? static_cast<double>(cost) * -good : static_cast<double>(cost) / std::exp(good / grid);
    }
    // No class is looked at that costs too much whatever its measure, and no measure worked out where even the best
    // one would not do. A third class brings values of its own: of the table after a merge only the other classes are
    // known before.
    Offer by_product(int32_t query) {
        // Two classes together are at most as diverse as both of them added up.
        Worth worth;
        if (!close_ && !p_.whole_table)
            worth = {std::exp(good_[query] / grid), std::exp(by_good_.rbegin()->first / grid) * slack};
        double least = close_ ? infinite : 1 / (worth.own + worth.top);
        if (close_)
            for (const auto& [shape, members] : alike_) least = std::min(least, -at_best(query, shape));
        if (p_.whole_table) least = worst_.size() == 3 ? product(1, worst_[2].first) : 0;
        Offer best = nothing;
        double found = infinite;
        int64_t limit = endless;
        classes_.visit(query, limit, worth, [&](int32_t c, int64_t cost) {
            if (!p_.whole_table && product(cost, at_best(query, shape(c))) > found * slack) return;
            const double here = coarse(product(cost, after(query, c)));
            if (here > found || (here == found && !(Offer{cost, c} < best))) return;
            found = here;
            best = {cost, c};
            if (found * slack < least * static_cast<double>(limit)) limit = static_cast<int64_t>(found * slack / least);
        });
        return best;
    }

    Offer partner(int32_t query) {
        worst_.clear();
        for (auto entry = by_good_.begin(); p_.whole_table && entry != by_good_.end() && worst_.size() < 3; ++entry)
            if (entry->second != query) worst_.push_back(*entry);
        if (p_.rule == Preference::cost) return classes_.cheapest(query, [](int32_t) { return true; });
        if (p_.rule == Preference::size_cost) {
            const auto smallest = std::prev(by_good_.end(), by_good_.rbegin()->second == query ? 2 : 1);
            return classes_.cheapest(query, [&](int32_t c) { return good_[c] == smallest->first; });
        }
        if (p_.rule_in({Preference::cost_per_l, Preference::cost_times_t})) return by_product(query);
        const bool then_cost = p_.rule_in({Preference::l_cost, Preference::t_cost});
        if (!then_cost && !p_.rule_in({Preference::l, Preference::t})) return by_cost(query);
        return worst_.size() > 1 ? best_in_table(query, then_cost) : best_of_all(query, then_cost);
    }

    // Join two classes, or a class and so many rows of another: the class that this makes, and whether it fails.
    std::pair<int32_t, bool> join(Merges& out, int32_t a, int32_t b, int64_t cost, int64_t smallest, int64_t taken) {
        out.left.push_back(a);
        out.right.push_back(b);
        out.cost.push_back(cost);
        out.smallest.push_back(smallest);
        out.taken.push_back(taken);
        const int32_t c = classes_.born(a, b, classes_.size(a) + (taken ? taken : classes_.size(b)));
        if (p_.rule != Preference::cost) hold(united(a, b));
        leave(a);
        if (taken) classes_.resize(b, classes_.size(b) - taken);
        else leave(b);
        return {c, classes_.size(c) < p_.k || (p_.judge && !p_.judge(a, b))};
    }

 public:
    explicit Merger(const Merging& problem) : RatedClasses(problem) {
        if (p_.stubs) classes_.stub_k = p_.k;
        for (int64_t c = 0; c < p_.classes; ++c) {
            const int32_t made = classes_.born(p_.nodes + c * count_of(p_.axes), p_.sizes[c]);
            if (p_.rule != Preference::cost) {
                Counts counts;
                for (int64_t i = p_.start[c]; i < p_.start[c + 1]; ++i) counts.emplace_back(p_.value[i], p_.count[i]);
                hold(std::move(counts));
            }
            enter(made, p_.sizes[c] < p_.k || (p_.failing && p_.failing[c]));
        }
    }

    Merges run() {
        Merges out;
        while (true) {
            while (!failing_.empty() && !classes_.alive(failing_.top().second)) failing_.pop();
            if (classes_.alive() < 2 || failing_.empty()) {
                out.smallest.push_back(classes_.smallest());
                return out;
            }
            const int32_t c = failing_.top().second;
            if (p_.watch && out.left.size() % 128 == 0) p_.watch(1.0 - ratio(classes_.alive(), p_.classes));
            const auto [cost, other] = partner(c);
            auto [made, fails] = join(out, c, other, cost, classes_.size(c), stub_of(c, other));
            // A class with the same nodes is the same class (Mauger 2021, §2.3): it joins at no cost, between two
            // tables.
            for (int32_t same = classes_.same(made); same >= 0; same = classes_.same(made))
                std::tie(made, fails) = join(out, same, made, 0, 0, 0);
            enter(made, fails);
        }
    }
};

}  // namespace paravent

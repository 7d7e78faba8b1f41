// Greedy merging by more than cost: the smallest failing class joins the class that a rule prefers, by the cost of the
// merge, the diversity or the closeness of what it makes, or its size, until no class fails.
//
// The search is exact. Where cost counts, classes are visited by what they cost at least (classes.hpp), and
// diversity or closeness is only worked out where its bound leaves a chance: a merged class is at most as diverse as if
// its parts shared no value, and at least as far as the difference of its parts, or as the values that it cannot hold.
//
// In the table after a merge, a third class may show what the merged one shows: the three are then one class, and the
// measures of the table are those with the three as one.
#pragma once

#include "merging.hpp"

namespace paravent {

enum class Preference { cost, cost_l, l_cost, cost_per_l, cost_t, t_cost, cost_times_t, l, t, size_cost };

struct Guided : Merging {
    const int64_t* start = nullptr;  // values of class c: start[c] .. start[c + 1]
    const int32_t* value = nullptr;
    const int64_t* count = nullptr;
    std::vector<int64_t> table;
    const int64_t* xlogx = nullptr;  // x ln x in multiples of 2^-38
    const double* logs = nullptr;
    Preference rule = Preference::cost;
    bool whole_table = false;
    const uint8_t* failing = nullptr;
    Pairwise judge;
    std::vector<double> floor;  // how far a class with so many distinct values is at least
    PARAVENT_FIELDS(classes, nodes, sizes, axes, k, watch, start, value, count, table, xlogx, logs, rule, whole_table,
                    failing, judge, floor)
};

class GuidedMerger : public Merger {
    static constexpr double fine = 274877906944.0, grid = 1073741824.0;  // 2^38, 2^30
    static constexpr double slack = 1.0 + 1e-6;                          // more than products lose to `coarse`
    static constexpr double infinite = std::numeric_limits<double>::infinity();
    static constexpr Offer nothing{endless, std::numeric_limits<int32_t>::max()};
    using Counts = std::vector<std::pair<int32_t, int64_t>>;
    using Rated = std::pair<double, int32_t>;

    const Guided& p_;
    const bool diverse_, close_;  // which measure the rule reads, if it reads one
    const int64_t rows_;
    std::vector<Counts> held_;
    std::vector<int64_t> sum_;  // of x ln x; or the L1 distance to the table, times rows and size
    std::vector<double> good_;  // the measure, of which more is better: diversity, or the negative distance or size
    std::vector<uint8_t> fails_;
    std::vector<int32_t> live_, at_;  // the classes, and their places there
    std::set<Rated> by_good_;
    std::vector<Rated> worst_;  // where the whole table counts, its three worst classes without the query
    std::vector<int32_t> ties_;
    int64_t most_values_ = 0;  // that a class has had

    // 24 digits of a product: products that are equal on paper are equal.
    static double coarse(double x) { return static_cast<double>(static_cast<float>(x)); }

    static bool any_of(const Guided& p, std::initializer_list<Preference> rules) {
        return std::find(rules.begin(), rules.end(), p.rule) != rules.end();
    }

    template <class Use> static void walk(const Counts& a, const Counts& b, Use use) {
        auto x = a.begin(), y = b.begin();
        while (x != a.end() || y != b.end()) {
            const int32_t v = std::min(x == a.end() ? INT32_MAX : x->first, y == b.end() ? INT32_MAX : y->first);
            int64_t count = 0;
            if (x != a.end() && x->first == v) count += x++->second;
            if (y != b.end() && y->first == v) count += y++->second;
            use(v, count);
        }
    }

    Counts united(int32_t a, int32_t b) const {
        Counts both;
        walk(held_[a], held_[b], [&](int32_t v, int64_t count) { both.emplace_back(v, count); });
        return both;
    }

    // The measure of a class of so many rows, given its sum. Entropy lies on a grid: equal ones are equal whatever the
    // size.
    double rated(int64_t sum, int64_t size) const {
        if (close_) return -ratio(sum, rows_ * size);
        return std::rint((p_.logs[size] - static_cast<double>(sum) / (static_cast<double>(size) * fine)) * grid);
    }

    // The sum that the measure is made of, for two histograms of `total` rows as one.
    int64_t summed(const Counts& a, const Counts& b, int64_t total) const {
        int64_t unseen = rows_, sum = 0;
        if (diverse_) walk(a, b, [&](int32_t, int64_t count) { sum += p_.xlogx[count]; });
        if (!close_) return sum;
        walk(a, b, [&](int32_t v, int64_t count) {
            unseen -= p_.table[v];
            sum += std::abs(rows_ * count - total * p_.table[v]);
        });
        return sum + total * unseen;
    }

    // The measure of two classes as one, or of three.
    double good(int32_t a, int32_t b, int32_t c = -1) const {
        const int64_t total = classes_.size(a) + classes_.size(b) + (c < 0 ? 0 : classes_.size(c));
        return rated(c < 0 ? summed(held_[a], held_[b], total) : summed(united(a, b), held_[c], total), total);
    }
    // What it is at best: at least as far as the difference of the parts, or as the values that it cannot hold.
    double at_best(int32_t a, int32_t b) const {
        const int64_t size = classes_.size(a) + classes_.size(b);
        if (!close_) return rated(sum_[a] + sum_[b], size);
        return -std::max(floor_of(a, count_of(held_[b])), ratio(sum_[b] - sum_[a], rows_ * size));
    }
    // Whether it is as good as that without a look at the values: entropy is concave, and L1 convex.
    bool surely(int32_t a, int32_t b, double bar) const {
        const double s = static_cast<double>(classes_.size(a)), t = static_cast<double>(classes_.size(b));
        if (close_) return rated(sum_[a] + sum_[b], classes_.size(a) + classes_.size(b)) >= bar;
        return (s * good_[a] + t * good_[b]) / (s + t) >= bar + 4.0;
    }
    double floor_of(int32_t query, int64_t distinct) const {
        return p_.floor[std::min(p_.floor.size() - 1, held_[query].size() + static_cast<size_t>(distinct))];
    }

    void note_values(int32_t c, Counts counts, bool fails) {
        sum_.push_back(summed(counts, {}, classes_.size(c)));
        good_.push_back(diverse_ || close_ ? rated(sum_.back(), classes_.size(c))
                                           : static_cast<double>(-classes_.size(c)));
        most_values_ = std::max(most_values_, count_of(counts));
        held_.push_back(std::move(counts));
        fails_.push_back(fails);
        at_.push_back(-1);
    }

    int32_t begun(int64_t from) override {
        Counts counts;
        for (int64_t i = p_.start[from]; i < p_.start[from + 1]; ++i) counts.emplace_back(p_.value[i], p_.count[i]);
        const int32_t c = Merger::begun(from);
        note_values(c, std::move(counts), p_.failing[from] || p_.sizes[from] < p_.k);
        return c;
    }

    void enter(int32_t c) override {
        Merger::enter(c);
        at_[c] = static_cast<int32_t>(live_.size());
        live_.push_back(c);
        if (p_.rule != Preference::cost) by_good_.emplace(good_[c], c);
    }

    bool fails(int32_t c) const override { return fails_[c]; }

    int32_t join(int32_t a, int32_t b, int64_t) override {
        Counts both = united(a, b);
        const int32_t c = classes_.born(a, b, classes_.size(a) + classes_.size(b));
        note_values(c, std::move(both), classes_.size(c) < p_.k || (p_.judge && !p_.judge(a, b)));
        for (const int32_t part : {a, b}) {
            classes_.remove(part);
            Counts().swap(held_[part]);
            if (at_[part] < 0) continue;
            at_[live_.back()] = at_[part];
            drop(live_, at_[part]);
            at_[part] = -1;
            by_good_.erase({good_[part], part});
        }
        return c;
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

    // Keep those that are as good as the best so far.
    void note(int32_t c, double here, double& best) {
        if (here > best) ties_.clear();
        if (here >= best) ties_.push_back(c);
        best = std::max(best, here);
    }

    // The best of some classes, every one looked at.
    Offer best_of(int32_t query, const std::vector<int32_t>& classes, bool by_cost) {
        double best = -infinite;
        ties_.clear();
        for (const int32_t c : classes)
            if (c != query) note(c, after(query, c), best);
        return among(query, ties_, by_cost);
    }

    // All but the worst class leave that class where it is: it then says how good the table is.
    Offer best_in_table(int32_t query, bool by_cost) {
        const auto [bar, at] = worst_[0];
        if (classes_.covers(at, query)) return best_of(query, live_, by_cost);  // it may be the third of many
        const double without = after(query, at);
        if (without > bar) return among(query, {at}, by_cost);
        Offer best = nothing;
        if (without == bar) best = by_cost ? among(query, {at}, true) : Offer{0, at};
        const auto offer = [&, bar = bar, at = at](int32_t c, int64_t cost) {
            if (c == query || c == at || !(Offer{cost, c} < best)) return;
            if (!surely(query, c, bar) && good(query, c) < bar) {
                const int32_t other = third(query, c);  // at least as good: it can only help
                if (other < 0 || good(query, c, other) < bar) return;
            }
            best = {cost, c};
        };
        if (by_cost) classes_.visit(query, best.first, offer);
        else
            for (const int32_t c : live_) offer(c, 0);
        return best != nothing ? among(query, {best.second}, true) : best_of(query, live_, by_cost);
    }

    // The measure first: the class that may be best, and those that may then still be as good.
    Offer by_measure(int32_t query, bool by_cost) {
        if (worst_.size() > 1) return best_in_table(query, by_cost);
        Rated first{-infinite, -1};
        for (const int32_t c : live_)
            if (c != query) first = std::max(first, {at_best(query, c), c});
        double best = good(query, first.second);
        ties_.assign(1, first.second);
        for (const int32_t c : live_)
            if (c != query && c != first.second && at_best(query, c) >= best) note(c, good(query, c), best);
        return among(query, ties_, by_cost);
    }

    // Least cost first; where several cost the same, the measure decides, if there is one.
    Offer by_cost(int32_t query) {
        int64_t least = endless;
        ties_.clear();
        classes_.visit(query, least, [&](int32_t c, int64_t cost) {
            if (cost < least) ties_.clear();
            least = cost;
            ties_.push_back(c);
        });
        if (ties_.size() > 1 && (diverse_ || close_)) return best_of(query, std::vector<int32_t>(ties_), false);
        return {least, *std::min_element(ties_.begin(), ties_.end())};
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
        double least = close_ ? floor_of(query, most_values_) : 1 / (worth.own + worth.top);
        if (p_.whole_table) least = worst_.size() == 3 ? product(1, worst_[2].first) : 0;
        Offer best = nothing;
        double found = infinite;
        int64_t limit = endless;
        classes_.visit(
            query, limit,
            [&](int32_t c, int64_t cost) {
                if (!p_.whole_table && product(cost, at_best(query, c)) > found * slack) return;
                const double here = coarse(product(cost, after(query, c)));
                if (here > found || (here == found && !(Offer{cost, c} < best))) return;
                found = here;
                best = {cost, c};
                if (found * slack < least * static_cast<double>(limit))
                    limit = static_cast<int64_t>(found * slack / least);
            },
            worth);
        return best;
    }

    Offer by_size(int32_t query) {
        const auto smallest =
            std::find_if(by_good_.rbegin(), by_good_.rend(), [&](const Rated& one) { return one.second != query; });
        Offer best = nothing;
        classes_.visit(query, best.first, [&](int32_t c, int64_t cost) {
            if (good_[c] == smallest->first) best = std::min(best, Offer{cost, c});
        });
        return best;
    }

    Offer partner(int32_t query) override {
        worst_.clear();
        for (auto entry = by_good_.begin(); p_.whole_table && entry != by_good_.end() && worst_.size() < 3; ++entry)
            if (entry->second != query) worst_.push_back(*entry);
        if (p_.rule == Preference::size_cost) return by_size(query);
        if (any_of(p_, {Preference::cost_per_l, Preference::cost_times_t})) return by_product(query);
        if (any_of(p_, {Preference::l_cost, Preference::t_cost})) return by_measure(query, true);
        return any_of(p_, {Preference::l, Preference::t}) ? by_measure(query, false) : by_cost(query);
    }

 public:
    explicit GuidedMerger(const Guided& problem)
        : Merger(problem),
          p_(problem),
          diverse_(any_of(problem, {Preference::cost_l, Preference::l_cost, Preference::cost_per_l, Preference::l})),
          close_(any_of(problem, {Preference::cost_t, Preference::t_cost, Preference::cost_times_t, Preference::t})),
          rows_(std::accumulate(p_.table.begin(), p_.table.end(), int64_t{0})) {}
};

}  // namespace paravent

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
    static constexpr Offer nothing{endless, std::numeric_limits<int32_t>::max()};
    using Counts = std::vector<std::pair<int32_t, int64_t>>;

    const Guided& p_;
    const bool reads_l_, reads_t_;
    const int64_t rows_;
    std::vector<Counts> held_;
    std::vector<int64_t> spread_, away_;  // sum of x ln x; L1 distance to the table, times rows and size
    std::vector<int64_t> l_;
    std::vector<double> t_;
    std::vector<uint8_t> fails_;
    std::vector<int32_t> live_, at_;  // the classes, and their places there
    std::set<std::pair<int64_t, int32_t>> by_l_;
    std::set<std::pair<double, int32_t>> by_t_;  // by the negative distance
    std::vector<int32_t> ties_;

    // 24 digits of a product: products that are equal on paper are equal.
    static double coarse(double x) { return static_cast<double>(static_cast<float>(x)); }

    static bool any_of(const Guided& p, std::initializer_list<Preference> rules) {
        return std::find(rules.begin(), rules.end(), p.rule) != rules.end();
    }

    template <class Use> static void walk(const Counts& a, const Counts& b, Use use) {
        auto x = a.begin(), y = b.begin();
        while (x != a.end() || y != b.end()) {
            if (y == b.end() || (x != a.end() && x->first < y->first)) {
                use(x->first, x->second);
                ++x;
            } else if (x == a.end() || y->first < x->first) {
                use(y->first, y->second);
                ++y;
            } else {
                use(x->first, x->second + y->second);
                ++x;
                ++y;
            }
        }
    }

    // The entropy of a class of so many rows, on a grid, so that equal ones are equal whatever the size.
    int64_t entropy(int64_t size, int64_t spread) const {
        return std::llrint((p_.logs[size] - static_cast<double>(spread) / (static_cast<double>(size) * fine)) * grid);
    }

    // Only values that both hold add more to the sum of x ln x than the parts have.
    int64_t diversity(int32_t a, int32_t b) const {
        const Counts &few = held_[a].size() < held_[b].size() ? held_[a] : held_[b],
                     &many = &few == &held_[a] ? held_[b] : held_[a];
        int64_t spread = spread_[a] + spread_[b];
        auto from = many.begin();
        for (const auto& [value, count] : few) {
            from =
                std::lower_bound(from, many.end(), value, [](const auto& entry, int32_t v) { return entry.first < v; });
            if (from == many.end()) break;
            if (from->first == value)
                spread += p_.xlogx[count + from->second] - p_.xlogx[count] - p_.xlogx[from->second];
        }
        return entropy(classes_.size(a) + classes_.size(b), spread);
    }

    // The third class of a merge, -1 where there is none: it counts where the table after the merge is looked at.
    int32_t third(int32_t a, int32_t b) { return p_.whole_table ? classes_.meeting(a, b) : -1; }

    Counts united(int32_t a, int32_t b) const {
        Counts both;
        walk(held_[a], held_[b], [&](int32_t v, int64_t count) { both.emplace_back(v, count); });
        return both;
    }

    int64_t diversity(int32_t a, int32_t b, int32_t c) const {
        if (c < 0) return diversity(a, b);
        int64_t spread = 0;
        walk(united(a, b), held_[c], [&](int32_t, int64_t count) { spread += p_.xlogx[count]; });
        return entropy(classes_.size(a) + classes_.size(b) + classes_.size(c), spread);
    }

    // That of two classes, or of three.
    double distance(int32_t a, int32_t b, int32_t c = -1) const {
        const int64_t total = classes_.size(a) + classes_.size(b) + (c < 0 ? 0 : classes_.size(c));
        return share(c < 0 ? away(held_[a], held_[b], total) : away(united(a, b), held_[c], total), total);
    }

    int64_t away(const Counts& a, const Counts& b, int64_t total) const {
        int64_t unseen = rows_, sum = 0;
        walk(a, b, [&](int32_t v, int64_t count) {
            unseen -= p_.table[v];
            sum += std::abs(rows_ * count - total * p_.table[v]);
        });
        return sum + total * unseen;
    }

    double share(int64_t away, int64_t total) const { return ratio(away, rows_ * total); }

    double floor_of(int32_t query, int64_t distinct) const {
        return p_.floor[std::min(p_.floor.size() - 1, held_[query].size() + static_cast<size_t>(distinct))];
    }

    void note_values(int32_t c, Counts counts, bool fails) {
        int64_t spread = 0;
        if (reads_l_)
            for (const auto& [value, count] : counts) spread += p_.xlogx[count];
        spread_.push_back(spread);
        away_.push_back(reads_t_ ? away(counts, {}, classes_.size(c)) : 0);
        l_.push_back(reads_l_ ? entropy(classes_.size(c), spread) : 0);
        t_.push_back(reads_t_ ? share(away_.back(), classes_.size(c)) : 0);
        held_.push_back(std::move(counts));
        fails_.push_back(fails);
        at_.push_back(-1);
    }

    int32_t begun(int64_t from) override {
        Counts counts;
        for (int64_t i = p_.start[from]; i < p_.start[from + 1]; ++i) counts.emplace_back(p_.value[i], p_.count[i]);
        const int32_t c =
            classes_.born(p_.nodes + from * count_of(p_.axes), p_.sizes[from], static_cast<int32_t>(counts.size()));
        note_values(c, std::move(counts), p_.failing[from] || p_.sizes[from] < p_.k);
        return c;
    }

    void enter(int32_t c) override {
        Merger::enter(c);
        at_[c] = static_cast<int32_t>(live_.size());
        live_.push_back(c);
        if (reads_l_) by_l_.emplace(l_[c], c);
        if (reads_t_) by_t_.emplace(-t_[c], c);
    }

    void leave(int32_t c) {
        if (at_[c] < 0) return;
        at_[live_.back()] = at_[c];
        drop(live_, at_[c]);
        at_[c] = -1;
        if (reads_l_) by_l_.erase({l_[c], c});
        if (reads_t_) by_t_.erase({-t_[c], c});
    }

    bool fails(int32_t c) const override { return fails_[c]; }

    int32_t join(int32_t a, int32_t b, int64_t) override {
        Counts both = united(a, b);
        const int32_t c = classes_.born(a, b, classes_.size(a) + classes_.size(b), static_cast<int32_t>(both.size()));
        note_values(c, std::move(both), classes_.size(c) < p_.k || (p_.judge && !p_.judge(a, b)));
        for (const int32_t part : {a, b}) {
            classes_.remove(part);
            leave(part);
            Counts().swap(held_[part]);
        }
        return c;
    }

    // The first three of a sorted set without the query: at most two of them join it.
    template <class Set> static auto others(const Set& sorted, int32_t query) {
        std::vector<typename Set::value_type> found;
        for (const auto& entry : sorted) {
            if (entry.second != query) found.push_back(entry);
            if (found.size() == 3) break;
        }
        return found;
    }

    // The cheapest of some classes, or the first of them.
    Offer among(int32_t query, const std::vector<int32_t>& classes, bool by_cost) {
        Offer best = nothing;
        for (const int32_t c : classes) best = std::min(best, Offer{by_cost ? classes_.cost(query, c) : 0, c});
        return {classes_.cost(query, best.second), best.second};
    }

    // How good the table after a merge is: as good as the merged class and the worst of the others. More is better, so
    // a distance counts as its negative.
    template <class Good> struct Rest {
        std::vector<std::pair<Good, int32_t>> worst;
        Good with(Good merged, int32_t c, int32_t third) const {
            for (const auto& [good, other] : worst)
                if (other != c && other != third) merged = std::min(merged, good);
            return merged;
        }
    };
    using Diverse = Rest<int64_t>;
    using Close = Rest<double>;
    int64_t good(const Diverse&, int32_t a, int32_t b, int32_t c = -1) const { return diversity(a, b, c); }
    double good(const Close&, int32_t a, int32_t b, int32_t c = -1) const { return -distance(a, b, c); }

    // How good the merge with a class is at best (see `good`): at least as far as the difference of the parts, or as
    // the values that it cannot hold.
    int64_t at_best(const Diverse&, int32_t query, int32_t c) const {
        return entropy(classes_.size(query) + classes_.size(c), spread_[query] + spread_[c]);
    }
    double at_best(const Close&, int32_t query, int32_t c) const {
        return -std::max(floor_of(query, count_of(held_[c])),
                         share(away_[c] - away_[query], classes_.size(query) + classes_.size(c)));
    }
    // Whether a merge is as good as that without a look at the values: entropy is concave, and L1 convex.
    bool surely(const Diverse&, int32_t a, int32_t b, int64_t bar) const {
        const double s = static_cast<double>(classes_.size(a)), t = static_cast<double>(classes_.size(b));
        return (s * static_cast<double>(l_[a]) + t * static_cast<double>(l_[b])) / (s + t) >=
               static_cast<double>(bar) + 4.0;
    }
    bool surely(const Close&, int32_t a, int32_t b, double bar) const {
        return -share(away_[a] + away_[b], classes_.size(a) + classes_.size(b)) >= bar;
    }

    // The cheapest (or first) class for which `fits` holds, among all but one.
    template <class Fits> void cheapest(int32_t query, int32_t but, bool by_cost, Offer& best, Fits fits) {
        if (by_cost) {
            classes_.visit(query, best.first, [&](int32_t c, int64_t cost) {
                if (c != but && Offer{cost, c} < best && fits(c)) best = {cost, c};
            });
            return;
        }
        for (const int32_t c : live_)
            if (c != query && c != but && c < best.second && fits(c)) best = {0, c};
    }

    // Keep those that are as good as the best so far.
    template <class Good> void note(int32_t c, Good here, Good& best) {
        if (here > best) ties_.clear();
        if (here >= best) ties_.push_back(c);
        best = std::max(best, here);
    }

    // Every class looked at, where no bound holds: which classes are one after a merge is known by looking.
    template <class Good> Offer best_of_all(int32_t query, const Rest<Good>& rest, bool by_cost) {
        Good best = std::numeric_limits<Good>::lowest();
        ties_.clear();
        for (const int32_t c : live_) {
            if (c == query) continue;
            const int32_t joins = third(query, c);
            note(c, rest.with(good(rest, query, c, joins), c, joins), best);
        }
        return among(query, ties_, by_cost);
    }

    // All but the worst class leave that class where it is: it then says how good the table is.
    template <class Good> Offer best_in_table(int32_t query, const Rest<Good>& rest, bool by_cost) {
        const auto [bar, at] = rest.worst[0];
        if (classes_.covers(at, query)) return best_of_all(query, rest, by_cost);  // it may be the third of many
        const int32_t joins = third(query, at);
        const Good without = rest.with(good(rest, query, at, joins), at, joins);
        if (without > bar) return among(query, {at}, by_cost);
        Offer best = nothing;
        if (without == bar) best = by_cost ? among(query, {at}, true) : Offer{0, at};
        cheapest(query, at, by_cost, best, [&, bar = bar](int32_t c) {
            if (surely(rest, query, c, bar) || good(rest, query, c) >= bar) return true;
            const int32_t other = third(query, c);  // at least as good: it can only help
            return other >= 0 && good(rest, query, c, other) >= bar;
        });
        return best != nothing ? among(query, {best.second}, true) : best_of_all(query, rest, by_cost);
    }

    // The measure first: the class that may be best, and those that may then still be as good.
    template <class Good> Offer by_measure(int32_t query, const Rest<Good>& rest, bool by_cost) {
        if (rest.worst.size() > 1) return best_in_table(query, rest, by_cost);
        std::pair<Good, int32_t> first{std::numeric_limits<Good>::lowest(), -1};
        for (const int32_t c : live_)
            if (c != query) first = std::max(first, {at_best(rest, query, c), c});
        Good best = good(rest, query, first.second);
        ties_.assign(1, first.second);
        for (const int32_t c : live_)
            if (c != query && c != first.second && at_best(rest, query, c) >= best) note(c, good(rest, query, c), best);
        return among(query, ties_, by_cost);
    }

    // Least cost first; where several cost the same, the measure decides, if there is one.
    template <class Good> Offer by_cost(int32_t query, const Rest<Good>& rest) {
        int64_t least = endless;
        ties_.clear();
        classes_.visit(query, least, [&](int32_t c, int64_t cost) {
            if (cost < least) ties_.clear();
            least = cost;
            ties_.push_back(c);
        });
        if (ties_.size() > 1 && (reads_l_ || reads_t_)) {
            const std::vector<int32_t> cheapest = std::move(ties_);
            Good best = std::numeric_limits<Good>::lowest();
            ties_.clear();
            for (const int32_t c : cheapest) {
                const int32_t joins = third(query, c);
                note(c, rest.with(good(rest, query, c, joins), c, joins), best);
            }
        }
        return {least, *std::min_element(ties_.begin(), ties_.end())};
    }

    // What is minimised as a product of cost and a measure: as the measure is, and as good as it can be for a class or
    // for all classes of so many values. A third class brings values of its own: of the table after a merge only the
    // other classes are known before.
    static double product(const Diverse&, int64_t cost, int64_t good) {
        return static_cast<double>(cost) / std::exp(static_cast<double>(good) / grid);
    }
    static double product(const Close&, int64_t cost, double good) { return static_cast<double>(cost) * -good; }
    double least_of(const Diverse&, int64_t cost, int32_t query, int64_t distinct) const {
        return ratio(cost, count_of(held_[query]) + distinct);
    }
    double least_of(const Close&, int64_t cost, int32_t query, int64_t distinct) const {
        return static_cast<double>(cost) * floor_of(query, distinct);
    }
    // Branches and classes are left out where even the best measure would not do.
    template <class Good> Offer by_product(int32_t query, const Rest<Good>& rest) {
        Offer best = nothing;
        double found = std::numeric_limits<double>::infinity();
        int64_t limit = endless;
        const auto beyond = [&](int64_t cost) {
            return rest.worst.size() == 3 ? product(rest, cost, rest.worst[2].first) : 0.0;
        };
        classes_.visit(
            query, limit,
            [&](int32_t c, int64_t cost) {
                if ((p_.whole_table ? beyond(cost) : product(rest, cost, at_best(rest, query, c))) > found * slack)
                    return;
                const int32_t joins = third(query, c);
                const double here = coarse(product(rest, cost, rest.with(good(rest, query, c, joins), c, joins)));
                if (here > found || (here == found && !(Offer{cost, c} < best))) return;
                found = here;
                best = {cost, c};
            },
            [&](int64_t bound, int32_t distinct) {
                return (p_.whole_table ? beyond(bound) : least_of(rest, bound, query, distinct)) <= found * slack;
            });
        return best;
    }

    Offer by_size(int32_t query) {
        ties_.clear();
        int64_t least = endless;
        for (const int32_t c : live_) {
            if (c == query || classes_.size(c) > least) continue;
            if (classes_.size(c) < least) ties_.clear();
            least = classes_.size(c);
            ties_.push_back(c);
        }
        return among(query, ties_, true);
    }

    Offer partner(int32_t query) override {
        Diverse l;
        Close t;
        if (p_.whole_table) l.worst = others(by_l_, query), t.worst = others(by_t_, query);
        switch (p_.rule) {
            case Preference::cost:
            case Preference::cost_l: return by_cost(query, l);
            case Preference::cost_t: return by_cost(query, t);
            case Preference::l_cost: return by_measure(query, l, true);
            case Preference::l: return by_measure(query, l, false);
            case Preference::t_cost: return by_measure(query, t, true);
            case Preference::t: return by_measure(query, t, false);
            case Preference::cost_per_l: return by_product(query, l);
            case Preference::cost_times_t: return by_product(query, t);
            case Preference::size_cost: return by_size(query);
        }
        return nothing;
    }

 public:
    explicit GuidedMerger(const Guided& problem)
        : Merger(problem),
          p_(problem),
          reads_l_(any_of(problem, {Preference::cost_l, Preference::l_cost, Preference::cost_per_l, Preference::l})),
          reads_t_(any_of(problem, {Preference::cost_t, Preference::t_cost, Preference::cost_times_t, Preference::t})),
          rows_(std::accumulate(p_.table.begin(), p_.table.end(), int64_t{0})) {}
};

}  // namespace paravent

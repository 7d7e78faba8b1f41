// What greedy merging is asked, what it gives, and how good the classes are that it makes.
#pragma once

#include "classes.hpp"

namespace paravent {

// What a partner is chosen by: first one thing, then the other, or their product.
enum class Preference { cost, cost_l, l_cost, cost_per_l, cost_t, t_cost, cost_times_t, l, t, size_cost };

struct Merging {
    int64_t classes = 0;
    const int32_t* nodes = nullptr;  // classes x axes
    const int64_t* sizes = nullptr;
    std::vector<Axis> axes;
    int64_t k = 1;
    bool stubs = false;              // by cost: a partner that keeps k rows gives only as many as the query needs
    const int64_t* start = nullptr;  // values of class c: start[c] .. start[c + 1]; not read by cost alone
    const int32_t* value = nullptr;
    const int64_t* count = nullptr;
    std::vector<int64_t> table;
    const int64_t* xlogx = nullptr;  // x ln x in multiples of 2^-38
    const double* logs = nullptr;
    Preference rule = Preference::cost;
    bool whole_table = false;
    const uint8_t* failing = nullptr;  // classes that fail whatever their size; none: they do not
    Pairwise judge;
    std::vector<double> floor;  // how far a class with so many distinct values is at least
    Watch watch;
    PARAVENT_FIELDS(classes, nodes, sizes, axes, k, stubs, start, value, count, table, xlogx, logs, rule, whole_table,
                    failing, judge, floor, watch)

    bool rule_in(std::initializer_list<Preference> rules) const {
        return std::find(rules.begin(), rules.end(), rule) != rules.end();
    }
};

// Merge t joins classes left[t] and right[t] into class (number of classes + t), at cost[t]; smallest[t] is the size of
// the smallest class that fails before it (and, in a last entry, of the smallest of all at the end). With stubs,
// taken[t] > 0 says that so many rows of right[t] were joined and the others remain class right[t].
struct Merges {
    std::vector<int32_t> left, right;
    std::vector<int64_t> cost, smallest, taken;
    PARAVENT_FIELDS(left, right, cost, smallest, taken)
};

// Classes, the sensitive values that they hold, and a measure of these, of which more is better: diversity, or the
// negative distance to the table, or where the rule reads neither the negative size.
class RatedClasses {
 protected:
    static constexpr double fine = 274877906944.0, grid = 1073741824.0;  // 2^38, 2^30
    using Counts = std::vector<std::pair<int32_t, int64_t>>;

    const Merging& p_;
    const bool diverse_ = p_.rule_in({Preference::cost_l, Preference::l_cost, Preference::cost_per_l, Preference::l});
    const bool close_ = p_.rule_in({Preference::cost_t, Preference::t_cost, Preference::cost_times_t, Preference::t});
    const int64_t rows_ = std::accumulate(p_.table.begin(), p_.table.end(), int64_t{0});
    Classes classes_{p_.axes};
    std::vector<Counts> held_;
    std::vector<int64_t> sum_;  // of x ln x; or the L1 distance to the table, times rows and size
    std::vector<double> good_;  // the measure of each class

    explicit RatedClasses(const Merging& problem) : p_(problem) {}

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
    // The size of a class, its sum and how many values it has: classes that share them are as good at best.
    using Shape = std::array<int64_t, 3>;
    Shape shape(int32_t c) const { return {classes_.size(c), sum_[c], count_of(held_[c])}; }
    // The measure of a class and one of a shape at best: at least as far as the difference of the parts, or as the
    // values that they cannot hold.
    double at_best(int32_t c, const Shape& other) const {
        const auto [size, sum, values] = other;
        const int64_t total = classes_.size(c) + size;
        if (!close_) return rated(sum_[c] + sum, total);
        const size_t most = std::min(p_.floor.size() - 1, held_[c].size() + static_cast<size_t>(values));
        return -std::max(p_.floor[most], ratio(std::abs(sum - sum_[c]), rows_ * total));
    }

    // The class that was born last holds these values.
    void hold(Counts counts) {
        const int64_t size = classes_.size(count_of(held_));
        sum_.push_back(summed(counts, {}, size));
        good_.push_back(diverse_ || close_ ? rated(sum_.back(), size) : static_cast<double>(-size));
        held_.push_back(std::move(counts));
    }
};

}  // namespace paravent

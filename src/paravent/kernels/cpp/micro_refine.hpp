// A partition into groups of at least k rows, made better: simulated annealing on the sum of squared distances to the
// mean of each group (SSE). The SSE of a group is its sum of squares minus |sum|^2 / size, so a change of two groups
// costs one pass over the columns.
//
// A proposal takes a row, one of its neighbours in another group, and then: moves the row there where its group can
// spare it; swaps it with a row of that group; empties its group, each row to the group where it costs least; or parts
// a group of 2k rows or more in two. Worse partitions are accepted with the chance exp(-change / temperature); the best
// one is kept. Everything follows from the seed.
#pragma once

#include "annealing.hpp"

namespace paravent {

struct RefineProblem {
    int64_t rows = 0;
    int d = 0;
    const double* points = nullptr;       // rows x d
    const int32_t* neighbours = nullptr;  // rows x width: the nearest rows of each
    int width = 0;
    const int32_t* start = nullptr;  // the group of each row to begin with
    int32_t groups = 0;
    int64_t k = 1;
    int64_t proposals = 0;
    double hot = 0, cold = 0;
    uint64_t seed = 0;
    Watch watch;
    PARAVENT_FIELDS(rows, d, points, neighbours, width, start, groups, k, proposals, hot, cold, seed, watch)
};

class Refiner {
    static constexpr int64_t often = 10, most_parted = 64;

    const RefineProblem& p_;
    const int d_;
    uint64_t state_;
    double temperature_ = 0;
    RowPlaces places_;
    std::vector<std::vector<int32_t>> members_;
    std::vector<double> sums_;
    std::vector<int32_t> free_;

    uint64_t next() { return mixed((state_ += 0x9E3779B97F4A7C15ull) - 0x9E3779B97F4A7C15ull); }
    int64_t below(int64_t n) { return static_cast<int64_t>((next() >> 11) % static_cast<uint64_t>(n)); }
    bool accepted(double change) {
        return change <= 0 || static_cast<double>(next() >> 11) * 0x1p-53 < std::exp(-change / temperature_);
    }

    const double* point(int32_t row) const { return p_.points + static_cast<size_t>(row) * d_; }
    double* sum(int32_t g) { return &sums_[static_cast<size_t>(g) * d_]; }
    int64_t size(int32_t g) const { return count_of(members_[g]); }
    int32_t neighbour(int32_t row, int64_t i) const { return p_.neighbours[static_cast<int64_t>(row) * p_.width + i]; }

    void insert(int32_t row, int32_t g) {
        places_.put(row, g, members_[g]);
        for (int j = 0; j < d_; ++j) sum(g)[j] += point(row)[j];
    }
    void move(int32_t row, int32_t to) {
        const int32_t g = places_.of[row];
        places_.take(row, members_[g]);
        for (int j = 0; j < d_; ++j) sum(g)[j] -= point(row)[j];
        insert(row, to);
    }

    // The squared distance of a row to the mean of a group.
    double apart(int32_t row, int32_t g) {
        const double *x = point(row), *s = sum(g);
        const double n = static_cast<double>(size(g));
        double found = 0;
        for (int j = 0; j < d_; ++j) found += (x[j] - s[j] / n) * (x[j] - s[j] / n);
        return found;
    }
    double joining(int32_t row, int32_t to) {
        const double n = static_cast<double>(size(to));
        return apart(row, to) * n / (n + 1);
    }
    double moving(int32_t row, int32_t from, int32_t to) {
        const double n = static_cast<double>(size(from));
        return joining(row, to) - apart(row, from) * n / (n - 1);
    }

    double swapping(int32_t row, int32_t other) {
        const int32_t a = places_.of[row], b = places_.of[other];
        const double *x = point(row), *y = point(other), *sa = sum(a), *sb = sum(b);
        double in_a = 0, in_b = 0;
        for (int j = 0; j < d_; ++j) {
            const double step = y[j] - x[j];
            in_a += step * (2 * sa[j] + step);
            in_b += step * (step - 2 * sb[j]);
        }
        return -in_a / static_cast<double>(size(a)) - in_b / static_cast<double>(size(b));
    }

    double propose() {
        const int32_t row = static_cast<int32_t>(below(p_.rows));
        const int32_t near = neighbour(row, below(p_.width));
        const int32_t from = places_.of[row], to = places_.of[near];
        if (from == to) return 0;
        const uint64_t kind = below(64);
        if (kind < 3 && below(p_.k) < often) {  // these cost more the larger the groups are
            if (kind == 0 && size(from) < 2 * p_.k) return empty(from);
            if (kind == 1 && size(to) >= 2 * p_.k) return part(to);
            if (kind == 2 && size(from) + size(to) >= 3 * p_.k && size(from) + size(to) <= most_parted)
                return part_both(from, to);
        }
        if (size(from) > p_.k && kind % 2) {
            const double change = moving(row, from, to);
            if (!accepted(change)) return 0;
            move(row, to);
            return change;
        }
        const int32_t other = members_[to][below(size(to))];
        if (other == near && size(to) > 1 && kind % 4 == 0) return 0;
        const double change = swapping(row, other);
        if (!accepted(change)) return 0;
        move(row, to);
        move(other, from);
        return change;
    }

    // Every row of a group to the group of a neighbour where it costs least.
    double empty(int32_t g) {
        const std::vector<int32_t> rows = members_[g];
        std::vector<int32_t> went;
        double change = 0;
        for (int32_t row : rows) {
            int32_t to = -1;
            double least = 0;
            for (int i = 0; i < p_.width; ++i) {
                const int32_t other = places_.of[neighbour(row, i)];
                if (other == g || other == to) continue;
                const double cost = joining(row, other);
                if (to < 0 || cost < least) to = other, least = cost;
            }
            if (to < 0) {  // all its neighbours are in its group
                undo(rows, went, g);
                return 0;
            }
            change += members_[g].size() > 1 ? moving(row, g, to) : least;
            move(row, to);
            went.push_back(to);
        }
        if (accepted(change)) {
            free_.push_back(g);
            return change;
        }
        undo(rows, went, g);
        return 0;
    }

    void undo(const std::vector<int32_t>& rows, const std::vector<int32_t>& went, int32_t g) {
        for (size_t i = 0; i < went.size(); ++i) move(rows[i], g);
    }

    double distance(int32_t a, int32_t b) const {
        double found = 0;
        for (int j = 0; j < d_; ++j) found += (point(a)[j] - point(b)[j]) * (point(a)[j] - point(b)[j]);
        return found;
    }

    double within(int32_t g) {  // SSE up to a constant of its rows
        return size(g) ? -std::inner_product(sum(g), sum(g) + d_, sum(g), 0.0) / static_cast<double>(size(g)) : 0;
    }

    // Rows in the order in which they prefer the one of two far rows to the other.
    std::vector<int32_t> between_ends(const std::vector<int32_t>& rows) {
        const int32_t some = rows[below(count_of(rows))];
        auto farthest = [&](int32_t from) {
            return *std::max_element(rows.begin(), rows.end(),
                                     [&](int32_t a, int32_t b) { return distance(from, a) < distance(from, b); });
        };
        const int32_t one = farthest(some), other = farthest(one);
        std::vector<std::pair<double, int32_t>> order;
        for (int32_t row : rows) order.emplace_back(distance(one, row) - distance(other, row), row);
        std::sort(order.begin(), order.end());
        std::vector<int32_t> found;
        for (const auto& entry : order) found.push_back(entry.second);
        return found;
    }

    // The best place to part ordered rows, both parts of at least k; the cost of it (up to the same constant).
    std::pair<int64_t, double> best_cut(const std::vector<int32_t>& order) {
        std::vector<double> left(d_, 0.0), all(d_, 0.0);
        for (int32_t row : order)
            for (int j = 0; j < d_; ++j) all[j] += point(row)[j];
        const int64_t n = count_of(order);
        std::pair<int64_t, double> best{-1, 0};
        for (int64_t i = 0; i + p_.k < n; ++i) {
            for (int j = 0; j < d_; ++j) left[j] += point(order[i])[j];
            if (i + 1 < p_.k) continue;
            double a = 0, b = 0;
            for (int j = 0; j < d_; ++j) a += left[j] * left[j], b += (all[j] - left[j]) * (all[j] - left[j]);
            const double cost = -a / static_cast<double>(i + 1) - b / static_cast<double>(n - i - 1);
            if (best.first < 0 || cost < best.second) best = {i + 1, cost};
        }
        return best;
    }

    double part(int32_t g) {
        const std::vector<int32_t> order = between_ends(members_[g]);
        const auto [cut, cost] = best_cut(order);
        const double change = cost - within(g);
        if (cut < 0 || !accepted(change)) return 0;
        const int32_t other = unused();
        for (int64_t i = cut; i < count_of(order); ++i) move(order[i], other);
        return change;
    }

    // Two groups made into three.
    double part_both(int32_t a, int32_t b) {
        std::vector<int32_t> rows = members_[a];
        rows.insert(rows.end(), members_[b].begin(), members_[b].end());
        std::vector<int32_t> order = between_ends(rows);
        const int64_t n = count_of(order);
        double least = 0;
        int64_t first = -1, second = -1;
        // Ends are cut off at every place; the middle keeps k rows at least.
        for (int64_t i = p_.k; i + 2 * p_.k <= n; ++i)
            for (int64_t j = i + p_.k; j + p_.k <= n; ++j) {
                const double cost = stretch(order, 0, i) + stretch(order, i, j) + stretch(order, j, n);
                if (first < 0 || cost < least) first = i, second = j, least = cost;
            }
        const double change = least - within(a) - within(b);
        if (first < 0 || !accepted(change)) return 0;
        const int32_t other = unused();
        for (int64_t i = 0; i < n; ++i) move(order[i], i < first ? a : i < second ? b : other);
        return change;
    }

    double stretch(const std::vector<int32_t>& order, int64_t begin, int64_t end) const {
        double found = 0;
        for (int j = 0; j < d_; ++j) {
            double s = 0;
            for (int64_t i = begin; i < end; ++i) s += point(order[i])[j];
            found += s * s;
        }
        return -found / static_cast<double>(end - begin);
    }

    int32_t unused() {
        if (free_.empty()) {
            members_.emplace_back();
            sums_.resize(sums_.size() + d_, 0.0);
            return static_cast<int32_t>(members_.size()) - 1;
        }
        const int32_t g = free_.back();
        free_.pop_back();
        std::fill(sum(g), sum(g) + d_, 0.0);
        return g;
    }

 public:
    explicit Refiner(const RefineProblem& problem)
        : p_(problem),
          d_(problem.d),
          state_(problem.seed * 2 + 0x9E3779B97F4A7C15ull),
          places_(problem.rows),
          members_(problem.groups),
          sums_(static_cast<size_t>(problem.groups) * d_, 0.0) {
        for (int64_t i = 0; i < p_.rows; ++i) insert(static_cast<int32_t>(i), p_.start[i]);
    }

    std::vector<int32_t> run() {
        std::vector<int32_t> best = places_.of;
        double total = 0, least = 0;  // the change since the start
        const double cooling = p_.hot > 0 && p_.cold > 0 ? std::log(p_.cold / p_.hot) : 0;
        for (int64_t t = 0; t < p_.proposals; ++t) {
            if (t % 65536 == 0 && p_.watch) p_.watch(ratio(t, p_.proposals));
            temperature_ = p_.hot * std::exp(cooling * static_cast<double>(t) / static_cast<double>(p_.proposals));
            total += propose();
            if (total < least - 1e-12 && (t * 4 > p_.proposals * 3 || least - total > 0.01 * std::abs(least))) {
                least = total;
                best = places_.of;
            }
        }
        return total < least ? places_.of : best;
    }
};

}  // namespace paravent

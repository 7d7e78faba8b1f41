// Groups of at least k rows with little squared error (SSE): rows in an order cut at best, and a partition made better.
#pragma once

#include "annealing.hpp"

namespace paravent {

// Rows in their order are cut into groups of k to 2k - 1 (see kernels/micro.py): the group of each row, and the squared
// error less the squares of the rows themselves: - sum of |sum|^2 / size.
struct RowCuts {
    std::vector<int32_t> of_row;
    double error = 0;
    PARAVENT_FIELDS(of_row, error)
};

inline RowCuts cut_rows(const double* points, int64_t rows, int64_t d, int64_t k) {
    std::vector<double> sums((rows + 1) * d, 0.0), error(rows + 1, std::numeric_limits<double>::infinity());
    std::vector<int64_t> before(rows + 1, 0);
    for (int64_t i = 0; i < rows * d; ++i) sums[i + d] = sums[i] + points[i];
    error[0] = 0;
    for (int64_t end = k; end <= rows; ++end)
        for (int64_t begin = std::max<int64_t>(0, end - 2 * k + 1); begin <= end - k; ++begin) {
            double squares = 0;
            for (int64_t j = 0; j < d; ++j) {
                const double part = sums[end * d + j] - sums[begin * d + j];
                squares += part * part;
            }
            const double found = error[begin] - squares / static_cast<double>(end - begin);
            if (found < error[end]) error[end] = found, before[end] = begin;
        }
    RowCuts out{std::vector<int32_t>(rows), error[rows]};
    int32_t groups = 0;
    for (int64_t end = rows; end > 0; end = before[end], ++groups)
        std::fill(out.of_row.begin() + before[end], out.of_row.begin() + end, groups);
    for (int32_t& group : out.of_row) group = groups - 1 - group;
    return out;
}

// A partition is made better: simulated annealing on the sum of squared distances to the mean of each group. The SSE of
// a group is its sum of squares minus |sum|^2 / size, so a change of two groups costs one pass over the columns.
//
// A proposal takes a row, one of its neighbours in another group, and then: moves the row there where its group can
// spare it; swaps it with a row of that group; empties its group, each row to the group where it costs least; or cuts a
// group of 2k rows or more, or two groups of 3k together, anew. A change is accepted up to the temperature times an
// exponential draw; the best partition is kept. Everything follows from the seed.
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
    double hot = 0, cold = 0;  // the first and the last temperature
    uint64_t seed = 0;
    Watch watch;
    PARAVENT_FIELDS(rows, d, points, neighbours, width, start, groups, k, proposals, hot, cold, seed, watch)
};

class Refiner {
    static constexpr int64_t often = 10, most_cut = 64;

    const RefineProblem& p_;
    const int d_ = p_.d;
    Random random_{p_.seed};
    double temperature_ = 0;
    RowPlaces places_{p_.rows};
    std::vector<std::vector<int32_t>> members_{static_cast<size_t>(p_.groups)};
    std::vector<double> sums_ = std::vector<double>(members_.size() * d_);
    std::vector<int32_t> free_;

    bool accepted(double change) {
        return change <= 0 || change < temperature_ * quantiles[random_.below(quantiles.size())];
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
        const int32_t row = static_cast<int32_t>(random_.below(p_.rows));
        const int32_t near = neighbour(row, random_.below(p_.width));
        const int32_t from = places_.of[row], to = places_.of[near];
        if (from == to) return 0;
        const uint32_t kind = random_.below(64);
        if (kind < 3 && random_.below(p_.k) < often) {  // these cost more the larger the groups are
            const int64_t both = size(from) + size(to);
            if (kind == 0 && size(from) < 2 * p_.k) return empty(from);
            if (kind == 1 && size(to) >= 2 * p_.k) return cut_anew({to});
            if (kind == 2 && both >= 3 * p_.k && both <= most_cut) return cut_anew({from, to});
        }
        if (size(from) > p_.k && kind % 2) {
            const double change = moving(row, from, to);
            if (!accepted(change)) return 0;
            move(row, to);
            return change;
        }
        const int32_t other = members_[to][random_.below(size(to))];
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
        double change = 0;
        size_t gone = 0;
        for (; gone < rows.size(); ++gone) {
            const int32_t row = rows[gone];
            std::pair<double, int32_t> best{std::numeric_limits<double>::infinity(), -1};
            for (int i = 0; i < p_.width; ++i) {
                const int32_t other = places_.of[neighbour(row, i)];
                if (other != g && other != best.second) best = std::min(best, {joining(row, other), other});
            }
            if (best.second < 0) break;  // all its neighbours are in its group
            change += size(g) > 1 ? moving(row, g, best.second) : best.first;
            move(row, best.second);
        }
        if (gone == rows.size() && accepted(change)) {
            free_.push_back(g);
            return change;
        }
        while (gone > 0) move(rows[--gone], g);
        return 0;
    }

    double distance(int32_t a, int32_t b) const {
        double found = 0;
        for (int j = 0; j < d_; ++j) found += (point(a)[j] - point(b)[j]) * (point(a)[j] - point(b)[j]);
        return found;
    }

    // The rows of some groups, in the order in which they prefer the one of two far rows to the other, cut anew.
    double cut_anew(std::vector<int32_t> groups) {
        std::vector<int32_t> rows;
        double change = 0;
        for (int32_t g : groups) {
            rows.insert(rows.end(), members_[g].begin(), members_[g].end());
            change += std::inner_product(sum(g), sum(g) + d_, sum(g), 0.0) / static_cast<double>(size(g));
        }
        const auto farthest = [&](int32_t from) {
            return *std::max_element(rows.begin(), rows.end(),
                                     [&](int32_t a, int32_t b) { return distance(from, a) < distance(from, b); });
        };
        const int32_t one = farthest(rows[random_.below(rows.size())]), other = farthest(one);
        std::vector<std::pair<double, int32_t>> order;
        for (int32_t row : rows) order.emplace_back(distance(one, row) - distance(other, row), row);
        std::sort(order.begin(), order.end());
        std::vector<double> places;
        for (const auto& [key, row] : order) places.insert(places.end(), point(row), point(row) + d_);
        const RowCuts cuts = cut_rows(places.data(), count_of(rows), d_, p_.k);
        change += cuts.error;
        if (!accepted(change)) return 0;
        while (count_of(groups) <= cuts.of_row.back()) groups.push_back(unused());
        for (size_t i = 0; i < order.size(); ++i) move(order[i].second, groups[cuts.of_row[i]]);
        return change;
    }

    int32_t unused() {
        const int32_t g = unused_of(free_, members_);
        sums_.resize(members_.size() * d_);
        std::fill(sum(g), sum(g) + d_, 0.0);
        return g;
    }

 public:
    explicit Refiner(const RefineProblem& problem) : p_(problem) {
        for (int64_t i = 0; i < p_.rows; ++i) insert(static_cast<int32_t>(i), p_.start[i]);
    }

    std::vector<int32_t> run() {
        std::vector<int32_t> best = places_.of;
        double total = 0, least = 0;  // the change since the start
        const int64_t all = p_.proposals;
        for (int64_t t = 0; t < all; ++t) {
            if (t % 65536 == 0 && p_.watch) p_.watch(ratio(t, all));
            if (t % 64 == 0) temperature_ = p_.hot * std::pow(p_.cold / p_.hot, ratio(t, all));
            total += propose();
            if (total < least - 1e-12 && (t * 4 > all * 3 || least - total > 0.01 * std::abs(least))) {
                least = total;
                best = places_.of;
            }
        }
        return total < least ? places_.of : best;
    }
};

}  // namespace paravent

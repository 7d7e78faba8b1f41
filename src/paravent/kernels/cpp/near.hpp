// Points that cost little together, found without looking at all pairs: orders by random cuts, and neighbours of
// neighbours. Plain version: tests/kernels/twins/regrouping.py.
#pragma once

#include "mondrian.hpp"

namespace paravent {

// Points (codes, point by point) on priced axes.
struct PricedPoints {
    const std::vector<Axis>& axes;
    const int d;
    int64_t n = 0;
    std::vector<int32_t> codes;

    explicit PricedPoints(const std::vector<Axis>& given) : axes(given), d(static_cast<int>(given.size())) {}
    const int32_t* at(int64_t point) const { return &codes[point * d]; }
    int64_t both(int64_t a, int64_t b) const {
        const int32_t *x = at(a), *y = at(b);
        int64_t sum = 0;
        for (int j = 0; j < d; ++j) sum += axes[j].both(x[j], y[j]);
        return sum;
    }
};

// Points in the order of random cuts: a stretch of more than `least` is halved on the axis whose ends cost most
// together, times a draw of 64 … 191; a half keeps its order. `sample` evenly spaced points tell the ends.
class CutOrder {
    static constexpr int64_t least = 4, sample = 64;
    const PricedPoints& p;
    Random& random_;
    std::vector<int64_t> keys_;

    int axis(const int32_t* from, int64_t size) {
        int best = -1;
        int64_t most = -1;
        for (int j = 0; j < p.d; ++j) {
            Span ends;
            const int64_t step = std::max<int64_t>(1, size / sample);
            for (int64_t i = 0; i < size; i += step) ends.add(p.at(from[i])[j]);
            for (int64_t i = 0; i < size && step > 1 && ends.low == ends.high; ++i) ends.add(p.at(from[i])[j]);
            if (ends.low == ends.high) continue;
            const int64_t score = p.axes[j].both(ends.low, ends.high) * (64 + random_.below(128));
            if (score <= most) continue;
            most = score;
            best = j;
        }
        return best;
    }

 public:
    CutOrder(const PricedPoints& points, Random& random) : p(points), random_(random) {}

    std::vector<int32_t> order() {
        std::vector<int32_t> order = numbers_below(p.n);
        std::vector<std::pair<int64_t, int64_t>> open{{0, p.n}};
        while (!open.empty()) {
            const auto [begin, end] = open.back();
            open.pop_back();
            if (end - begin <= least) continue;
            const int j = axis(&order[begin], end - begin);
            if (j < 0) continue;
            const auto key = [&](int32_t point) { return static_cast<int64_t>(p.at(point)[j]) << 32 | point; };
            keys_.clear();
            for (int64_t i = begin; i < end; ++i) keys_.push_back(key(order[i]));
            const int64_t half = (end - begin) / 2;
            std::nth_element(keys_.begin(), keys_.begin() + half, keys_.end());
            const auto from = order.begin();
            std::stable_partition(from + begin, from + end, [&](int32_t point) { return key(point) < keys_[half]; });
            open.emplace_back(begin, begin + half);
            open.emplace_back(begin + half, end);
        }
        return order;
    }
};

// Some neighbours of every point, those that cost least with it first, of equals the lowest number; -1 where there are
// fewer. Candidates stand within `window` of it in one of `orders` orders (the first is that of the numbers), or are
// neighbours of its neighbours, as often as there are `rounds` (Dong, Moses, Li 2011).
class Neighbours {
    static constexpr int64_t window = 4;
    static constexpr int looked = 6;
    const PricedPoints& p;
    std::vector<int32_t> mark_;
    std::vector<std::pair<int64_t, int32_t>> found_;

    void look(int32_t point, int32_t other) {
        if (mark_[other] == point) return;
        mark_[other] = point;
        found_.emplace_back(p.both(point, other), other);
    }
    // Look at the candidates of every point, and keep those that cost least with it.
    template <class Candidates> void improve(Candidates candidates) {
        std::fill(mark_.begin(), mark_.end(), -1);
        for (int32_t point = 0; point < p.n; ++point) {
            found_.clear();
            mark_[point] = point;
            candidates(point);
            work += count_of(found_) * p.d;
            const size_t kept = std::min<size_t>(count, found_.size());
            std::partial_sort(found_.begin(), found_.begin() + kept, found_.end());
            for (size_t i = 0; i < kept; ++i) list[static_cast<size_t>(point) * count + i] = found_[i].second;
        }
    }

 public:
    static constexpr int count = 10;
    std::vector<int32_t> list;
    int64_t work = 0;

    Neighbours(const PricedPoints& points, int orders, int rounds, Random& random)
        : p(points), mark_(points.n, -1), list(points.n * count, -1) {
        std::vector<std::vector<int32_t>> order(orders), place(orders);
        for (int o = 0; o < orders; ++o) {
            order[o] = o ? CutOrder(p, random).order() : numbers_below(p.n);
            place[o].resize(p.n);
            for (int64_t i = 0; i < p.n; ++i) place[o][order[o][i]] = static_cast<int32_t>(i);
        }
        improve([&](int32_t point) {
            for (int o = 0; o < orders; ++o) {
                const int64_t at = place[o][point], end = std::min(p.n, at + window + 1);
                for (int64_t i = std::max<int64_t>(0, at - window); i < end; ++i) look(point, order[o][i]);
            }
        });
        for (int round = 0; round < rounds; ++round)
            improve([&](int32_t point) {
                const int32_t* mine = &list[static_cast<size_t>(point) * count];
                for (int i = 0; i < count && mine[i] >= 0; ++i) look(point, mine[i]);
                for (int i = 0; i < looked && mine[i] >= 0; ++i) {
                    const int32_t* theirs = &list[static_cast<size_t>(mine[i]) * count];
                    for (int h = 0; h < looked && theirs[h] >= 0; ++h) look(point, theirs[h]);
                }
            });
    }
};

}  // namespace paravent

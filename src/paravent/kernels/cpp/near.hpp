// Points that cost little together, found without looking at all pairs. Plain version:
// tests/kernels/twins/regrouping.py.
#pragma once

#include "mondrian.hpp"

namespace paravent {

// Some neighbours of every point, those that cost least with it first, of equals the lowest number; -1 where there are
// fewer. Candidates stand within `window` of it in one of some orders, or are neighbours of its neighbours (Dong,
// Moses, Li 2011).
class Neighbours {
    static constexpr int64_t window = 4;
    static constexpr int looked = 6;
    const std::vector<Axis>& axes_;
    const int32_t* codes_;  // points x axes
    const int64_t d_ = count_of(axes_), n_;
    std::vector<int32_t> mark_;
    std::vector<std::pair<int64_t, int32_t>> found_;

    void look(int32_t point, int32_t other) {
        if (mark_[other] == point) return;
        mark_[other] = point;
        const int32_t *x = codes_ + point * d_, *y = codes_ + other * d_;
        int64_t sum = 0;
        for (int64_t j = 0; j < d_; ++j) sum += axes_[j].both(x[j], y[j]);
        found_.emplace_back(sum, other);
    }
    // Look at the candidates of every point, and keep those that cost least with it.
    template <class Candidates> void improve(Candidates candidates) {
        mark_.assign(n_, -1);
        for (int32_t point = 0; point < n_; ++point) {
            found_.clear();
            mark_[point] = point;
            candidates(point);
            work += count_of(found_) * d_;
            const size_t kept = std::min<size_t>(count, found_.size());
            std::partial_sort(found_.begin(), found_.begin() + kept, found_.end());
            for (size_t i = 0; i < kept; ++i) list[static_cast<size_t>(point) * count + i] = found_[i].second;
        }
    }

 public:
    static constexpr int count = 10;
    std::vector<int32_t> list;
    int64_t work = 0;

    Neighbours(const std::vector<Axis>& axes, const int32_t* codes, const std::vector<std::vector<int32_t>>& orders)
        : axes_(axes), codes_(codes), n_(count_of(orders[0])), list(n_ * count, -1) {
        std::vector<std::vector<int32_t>> place(orders);
        for (size_t o = 0; o < orders.size(); ++o)
            for (int64_t i = 0; i < n_; ++i) place[o][orders[o][i]] = static_cast<int32_t>(i);
        improve([&](int32_t point) {
            for (size_t o = 0; o < orders.size(); ++o) {
                const int64_t at = place[o][point], end = std::min(n_, at + window + 1);
                for (int64_t i = std::max<int64_t>(0, at - window); i < end; ++i) look(point, orders[o][i]);
            }
        });
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

// Partners for swapping: by rank within a window, and by group outside one's own area.
#pragma once

#include "core.hpp"

namespace paravent {

// Weights of places under partial sums (Fenwick 1994).
template <class T> class Sums {
    std::vector<T> sum_;
    size_t step_ = 1;

 public:
    explicit Sums(const std::vector<T>& weights) : sum_(weights.size() + 1, 0) {
        for (size_t i = 1; i < sum_.size(); ++i) {
            sum_[i] += weights[i - 1];
            const size_t above = i + (i & (~i + 1));
            if (above < sum_.size()) sum_[above] += sum_[i];
        }
        while (step_ * 2 < sum_.size()) step_ *= 2;
    }
    // The weight of all places before `end`.
    int64_t before(int64_t end) const {
        int64_t total = 0;
        for (size_t i = static_cast<size_t>(end); i > 0; i &= i - 1) total += sum_[i];
        return total;
    }
    // The place in whose share of the running total `mark` lies.
    int64_t at(int64_t mark) const {
        size_t place = 0;
        for (size_t step = step_; step > 0; step /= 2) {
            if (place + step < sum_.size() && sum_[place + step] <= mark) {
                place += step;
                mark -= sum_[place];
            }
        }
        return static_cast<int64_t>(place);
    }
    void lower(int64_t at, T by) {
        for (size_t i = static_cast<size_t>(at) + 1; i < sum_.size(); i += i & (~i + 1)) sum_[i] -= by;
    }
};

inline int64_t drawn(double draw, int64_t total) {
    return std::min(total - 1, static_cast<int64_t>(draw * static_cast<double>(total)));
}

// Group g is ranks start[g] to start[g + 1]. From the lowest rank on, who has no partner yet gets one of those without
// among the next window[g] ranks. Who finds none joins a pair as a third, where all three stay within the window.
// Gives the rank whose value each rank receives; its own, where it is left alone.
inline std::vector<int64_t> rank_partners(const int64_t* start, const int64_t* window, int64_t groups,
                                          const double* draw) {
    std::vector<int64_t> own(start[groups]);
    std::iota(own.begin(), own.end(), 0);
    for (int64_t g = 0; g < groups; ++g) {
        const int64_t begin = start[g], end = start[g + 1], reach = window[g];
        Sums<int32_t> free(std::vector<int32_t>(end - begin, 1));  // and the ranks behind i that were nobody's partner
        int64_t behind = 0, found = std::min(end - begin, reach);  // free ranks from i on, within reach of it
        for (int64_t i = begin; i < end; ++i) {
            found += i + reach < end;
            if (own[i] != i) continue;
            ++behind;
            if (--found > 0) {
                const int64_t partner = begin + free.at(behind + drawn(draw[i], found--));
                free.lower(partner - begin, 1);
                std::swap(own[i], own[partner]);
                continue;
            }
            for (int64_t away = 1; away <= reach && own[i] == i; ++away) {
                for (const int64_t j : {i - away, i + away}) {
                    if (j < begin || j >= end || own[j] == j || std::abs(own[j] - i) > reach) continue;
                    std::swap(own[i], own[j]);
                    break;
                }
            }
        }
    }
    return own;
}

// Places are sorted by group, then by area; the group of a place is the places group_start to group_end, its area
// area_start to area_end. Each seeker that has no partner yet gets one of its group from another area, drawn by weight,
// until `most` pairs are made; −1: none. A place without weight is nobody's partner.
struct AreaSwap {
    const int64_t *group_start = nullptr, *group_end = nullptr, *area_start = nullptr, *area_end = nullptr;
    std::vector<int64_t> weight;
    const int64_t* seekers = nullptr;
    const double* draw = nullptr;  // one a seeker
    int64_t count = 0, most = 0;
    PARAVENT_FIELDS(group_start, group_end, area_start, area_end, weight, seekers, draw, count, most)
};

inline std::vector<int64_t> area_partners(const AreaSwap& p) {
    std::vector<int64_t> partner(p.weight.size(), -1);
    Sums<int64_t> free(p.weight);
    for (int64_t s = 0, pairs = 0; s < p.count && pairs < p.most; ++s) {
        const int64_t i = p.seekers[s];
        if (partner[i] >= 0) continue;
        const int64_t begin = free.before(p.group_start[i]), low = free.before(p.area_start[i]);
        const int64_t high = free.before(p.area_end[i]), end = free.before(p.group_end[i]);
        const int64_t others = (low - begin) + (end - high);
        if (others == 0) continue;
        int64_t mark = begin + drawn(p.draw[s], others);
        if (mark >= low) mark += high - low;
        const int64_t found = free.at(mark);
        partner[i] = found;
        partner[found] = i;
        free.lower(i, p.weight[i]);
        free.lower(found, p.weight[found]);
        ++pairs;
    }
    return partner;
}

}  // namespace paravent

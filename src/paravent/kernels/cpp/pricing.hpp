// What the label of a group of points costs, axis by axis, and how that changes when points join.
#pragma once

#include "mondrian.hpp"

namespace paravent {

// The axes on which a mismatch costs most come first.
inline std::vector<int> by_step(const std::vector<Axis>& axes) {
    std::vector<int> order = numbers_below(count_of(axes));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return axes[a].step > axes[b].step; });
    return order;
}

// The label of a group on one axis in a word: the node of a tree, or the lowest and the highest code of a span. That of
// a set is how many codes it has, and a bit for each that there may be.
inline int64_t label_words(const Axis& axis) { return axis.style == Style::set ? 1 + (axis.size + 63) / 64 : 1; }
inline void begin_label(const Axis& axis, uint64_t* word, int32_t code) {
    const uint64_t x = static_cast<uint32_t>(code);
    *word = axis.style == Style::tree ? x : axis.style == Style::span ? x | x << 32 : 1;
    if (axis.style == Style::set) word[1 + x / 64] = uint64_t{1} << (x % 64);
}
inline int32_t low_end(uint64_t word) { return static_cast<int32_t>(word & 0xFFFFFFFFu); }
inline int32_t high_end(uint64_t word) { return static_cast<int32_t>(word >> 32); }
inline uint64_t span_over(uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(std::min(low_end(a), low_end(b))) |
           static_cast<uint64_t>(std::max(high_end(a), high_end(b))) << 32;
}
// What the label costs when a code joins; `grow` makes it so.
template <bool grow> PARAVENT_INLINE int64_t joined(const Axis& axis, uint64_t* word, int32_t x) {
    if (axis.style == Style::tree) {
        const int32_t node = axis.over(static_cast<int32_t>(*word), x);
        if (grow) *word = static_cast<uint64_t>(node);
        return axis.node_cost[node];
    }
    if (axis.style == Style::span) {
        const uint64_t code = static_cast<uint32_t>(x), both = span_over(*word, code | code << 32);
        if (grow) *word = both;
        return axis.span(low_end(both), high_end(both));
    }
    uint64_t& bits = word[1 + x / 64];
    const uint64_t bit = uint64_t{1} << (x % 64), distinct = *word + !(bits & bit);
    if (grow) {
        bits |= bit;
        *word = distinct;
    }
    return axis.unit * static_cast<int64_t>(distinct - 1);
}

}  // namespace paravent

// What the label of a group of points costs, axis by axis, and how that changes when points join.
#pragma once

#include "mondrian.hpp"

namespace paravent {

// The axes on which a mismatch costs most come first.
inline std::vector<int> by_step(const std::vector<Axis>& axes) {
    std::vector<int> order(axes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return axes[a].step > axes[b].step; });
    return order;
}

// The label of a group on one axis in a word: the node of a tree, or the lowest and the highest code of a span. That of
// a set is as many words as its codes need bits.
inline void begin_label(const Axis& axis, uint64_t* word, int32_t code) {
    const uint64_t x = static_cast<uint32_t>(code);
    if (axis.style == Style::tree) *word = x;
    else if (axis.style == Style::span) *word = x | x << 32;
    else word[x / 64] = uint64_t{1} << (x % 64);
}
inline int32_t low_end(uint64_t word) { return static_cast<int32_t>(word & 0xFFFFFFFFu); }
inline int32_t high_end(uint64_t word) { return static_cast<int32_t>(word >> 32); }
inline uint64_t span_over(uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(std::min(low_end(a), low_end(b))) |
           static_cast<uint64_t>(std::max(high_end(a), high_end(b))) << 32;
}
inline int64_t count_bits(const uint64_t* word, int64_t words) {
    int64_t found = 0;
    for (int64_t w = 0; w < words; ++w) found += __builtin_popcountll(word[w]);
    return found;
}
// What the label costs when a code joins; `grow` makes it so.
template <bool grow> PARAVENT_INLINE int64_t joined(const Axis& axis, uint64_t* word, int64_t words, int32_t x) {
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
    const uint64_t bit = uint64_t{1} << (x % 64);
    const int64_t distinct = count_bits(word, words) - (word[x / 64] & bit ? 1 : 0);
    if (grow) word[x / 64] |= bit;
    return axis.unit * distinct;
}

}  // namespace paravent

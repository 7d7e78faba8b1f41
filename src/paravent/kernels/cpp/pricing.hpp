// What the label of a group of points costs, axis by axis, and how that changes when points join.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mondrian.hpp"

namespace paravent {

// An Axis whose spans cost no more than `cap`: values without a place on the line lie far beyond its end.
struct PricedAxis : Axis {
    int64_t cap = 0;

    int64_t span(int32_t low, int32_t high) const { return std::min(ruler[high] - ruler[low], cap); }

    // The lowest node over two nodes; of two nodes over the same leaves the parent has the higher number.
    int32_t common(int32_t a, int32_t b) const {
        const int32_t low = std::min(first[a], first[b]), high = std::max(last[a], last[b]);
        int32_t node = std::max(a, b);
        while (first[node] > low || last[node] < high) node = parent[node];
        return node;
    }
};

// The label of one group on one axis: a node, a span or a set.
class Label {
    int32_t node_ = -1, low_ = -1, high_ = -1, distinct_ = 0;
    std::vector<uint8_t> present_;

 public:
    void clear(const PricedAxis& axis) {
        node_ = low_ = high_ = -1;
        distinct_ = 0;
        if (axis.style == Style::set) present_.assign(axis.size, 0);
    }

    // Whether the label grew.
    bool add(const PricedAxis& axis, int32_t v) {
        if (axis.style == Style::set) {
            if (present_[v]) return false;
            present_[v] = 1;
            ++distinct_;
            return true;
        }
        if (low_ < 0) {
            low_ = high_ = node_ = v;
            return true;
        }
        if (axis.style == Style::tree) {
            const int32_t before = node_;
            node_ = axis.common(node_, v);
            return node_ != before;
        }
        if (v >= low_ && v <= high_) return false;
        low_ = std::min(low_, v);
        high_ = std::max(high_, v);
        return true;
    }

    int64_t cost(const PricedAxis& axis) const {
        if (axis.style == Style::set) return axis.unit * std::max(distinct_ - 1, 0);
        if (axis.style == Style::tree) return axis.node_cost[node_];
        return axis.span(low_, high_);
    }

    // The cost of the label when each code joins it. The group is not empty.
    void fill(const PricedAxis& axis, int64_t* table) const {
        if (axis.style == Style::set) {
            for (int32_t v = 0; v < axis.size; ++v) table[v] = axis.unit * (distinct_ - present_[v]);
        } else if (axis.style == Style::span) {
            for (int32_t v = 0; v < axis.size; ++v) table[v] = axis.span(std::min(low_, v), std::max(high_, v));
        } else {
            int32_t node = node_;
            std::fill(table + axis.first[node], table + axis.last[node] + 1, axis.node_cost[node]);
            for (int32_t up = axis.parent[node]; up >= 0; node = up, up = axis.parent[node]) {
                std::fill(table + axis.first[up], table + axis.first[node], axis.node_cost[up]);
                std::fill(table + axis.last[node] + 1, table + axis.last[up] + 1, axis.node_cost[up]);
            }
        }
    }
};

}  // namespace paravent

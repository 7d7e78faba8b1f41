// What the label of a group of points costs, axis by axis, and how that changes when points join.
#pragma once

#include "mondrian.hpp"

namespace paravent {

// The least that a second value adds to the label of one.
inline int64_t least_step(const Axis& axis) {
    if (axis.style == Style::set) return axis.unit;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int32_t v = 0; v < axis.size; ++v) {
        if (axis.style == Style::tree && axis.parent[v] >= 0)
            least = std::min(least, axis.node_cost[axis.parent[v]] - axis.node_cost[v]);
        if (axis.style == Style::span && v > 0) least = std::min(least, axis.span(v - 1, v));
    }
    return least;
}

// The axes on which a mismatch costs most come first.
inline std::vector<int> by_least_step(const std::vector<Axis>& axes) {
    std::vector<std::pair<int64_t, int>> steps;
    for (size_t j = 0; j < axes.size(); ++j) steps.emplace_back(-least_step(axes[j]), static_cast<int>(j));
    std::sort(steps.begin(), steps.end());
    std::vector<int> order;
    for (const auto& step : steps) order.push_back(step.second);
    return order;
}

// The label of one group on one axis: a node, a span or a set.
class Label {
    int32_t node_ = -1, low_ = -1, high_ = -1, distinct_ = 0;
    std::vector<uint8_t> present_;

 public:
    void clear(const Axis& axis) {
        node_ = low_ = high_ = -1;
        distinct_ = 0;
        if (axis.style == Style::set) present_.assign(axis.size, 0);
    }

    // Whether the label grew.
    bool add(const Axis& axis, int32_t v) {
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

    int64_t cost(const Axis& axis) const {
        if (axis.style == Style::set) return axis.unit * std::max(distinct_ - 1, 0);
        if (axis.style == Style::tree) return axis.node_cost[node_];
        return axis.span(low_, high_);
    }

    // The cost of the label when each code joins it. The group is not empty.
    void fill(const Axis& axis, int64_t* table) const {
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

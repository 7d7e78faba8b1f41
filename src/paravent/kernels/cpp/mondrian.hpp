// Mondrian: cut a set of integer points again and again, as long as both sides stay allowed.
//
// Costs are whole numbers, and the scores of a target are sums taken in the order of the rows, of the places and of the
// classes, told apart by 12 digits: two builds, two thread counts and the NumPy twin (tests/kernels/twins/cutting.py)
// decide every tie alike.
#pragma once

#include "annealing.hpp"

namespace paravent {

// The code of each row on a column.
struct Sensitive {
    const int32_t* codes = nullptr;
    int32_t size = 0;
    PARAVENT_FIELDS(codes, size)
};

// What a caller says about the rows of each group: one truth value a group.
using Guard = std::function<std::vector<uint8_t>(const Groups&)>;

enum class Style : int32_t { span = 0, tree = 1, set = 2 };
enum class Rule : int32_t { least_cost = 0, median = 1, entropy = 2, deviation = 3 };

// One dimension. Codes run from 0 to size - 1. The cost of a group of points on this axis is
//   span: ruler[high] - ruler[low]        tree: node_cost of the lowest node that covers [low, high]
//   set:  (distinct codes - 1) * unit     (the span where the axis has more than `widest_set` codes)
// Clusters take no span for more than `cap`: values without a place on the line lie far beyond its end.
struct Axis : Tree {  // leaves are nodes 0 … size - 1
    int32_t size = 0;
    Style style = Style::span;
    std::vector<int64_t> ruler;
    int64_t unit = 0, cap = 0, step = 0;  // step: the least that a second value adds to the cost of one
    std::vector<int64_t> node_cost;
    PARAVENT_FIELDS(style, size, ruler, unit, cap, step, parent, first, last, node_cost)

    int64_t span(int32_t low, int32_t high) const { return std::min(ruler[high] - ruler[low], cap); }
    // What two codes cost together.
    int64_t both(int32_t a, int32_t b) const {
        if (style == Style::tree) return node_cost[over(a, b)];
        if (a == b) return 0;
        return style == Style::set ? unit : span(std::min(a, b), std::max(a, b));
    }
};

struct Problem {
    int64_t rows = 0;
    const int32_t* codes = nullptr;    // rows x axes, row by row
    const int32_t* weights = nullptr;  // how many people a row stands for; none: one each
    std::vector<Axis> axes;
    int64_t k = 1;
    Rule rule = Rule::least_cost;
    Sensitive target;                 // its classes, for cuts by entropy
    const double* numbers = nullptr;  // n log n for 0 … rows, for cuts by entropy; of each row, for those by deviation
    bool relaxed = false;
    int64_t sample = 0;  // least cost: larger groups choose their cut by that many evenly spaced rows; 0: never
    int threads = 1;
    Guard guard;  // empty: k alone decides
    Watch watch;
    PARAVENT_FIELDS(rows, codes, weights, axes, k, rule, target, numbers, relaxed, sample, threads, guard, watch)
};

// Class c begins at order[starts[c]] and ends where the next one begins. Its box is low/high[c * axes + axis]. `tree`
// has (begin, mid, end, axis) of every cut of order[begin … end) at mid, and `score` what each leaves of the target.
// Each thread gives those that it made, in no order.
struct Made {
    std::vector<int64_t> starts;
    std::vector<int32_t> low, high;
    std::vector<int64_t> tree;
    std::vector<double> score;
    PARAVENT_FIELDS(starts, low, high, tree, score)
};
struct Partition {
    std::vector<int32_t> order;
    std::vector<Made> made;
    PARAVENT_FIELDS(order, made)
};

constexpr int32_t widest_set = 1024;

Partition mondrian(const Problem& problem);

}  // namespace paravent

// Mondrian: cut a set of integer points again and again, as long as both sides stay allowed.
//
// Everything here is exact integer arithmetic, so that two builds, two thread counts and the NumPy twin
// (kernels/reference.py) decide every tie alike.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "tree.hpp"

namespace paravent {

enum class Style : int32_t { span = 0, tree = 1, set = 2 };
enum class Rule : int32_t { least_cost = 0, median = 1 };

// One dimension. Codes run from 0 to size - 1. The cost of a group of points on this axis is
//   span: ruler[high] - ruler[low]        tree: node_cost of the lowest node that covers [low, high]
//   set:  (distinct codes - 1) * unit     (the span where the axis has more than `widest_set` codes)
struct Axis : Tree {  // nodes; leaves are nodes 0 … size - 1
    int32_t size = 0;
    Style style = Style::span;
    std::vector<int64_t> ruler;
    int64_t unit = 0;
    std::vector<int64_t> node_cost;
};

struct Sensitive {
    const int32_t* codes = nullptr;
    int32_t size = 0;
};

// Sparse histograms of many groups: the pairs of group g are value/count[start[g] … start[g + 1]).
struct Histograms {
    std::vector<int64_t> start{0};
    std::vector<int32_t> value;
    std::vector<int64_t> count;

    void add(int32_t v, int64_t rows) {
        value.push_back(v);
        count.push_back(rows);
    }
};

// Judges groups: sizes and one Histograms a sensitive column in, one truth value a group out.
using Guard = std::function<std::vector<uint8_t>(const std::vector<int64_t>&, const std::vector<Histograms>&)>;
// Called now and then from the calling thread with the share of rows done; throws to stop.
using Watch = std::function<void(double)>;

struct Problem {
    int64_t rows = 0;
    const int32_t* codes = nullptr;    // rows x axes, row by row
    const int32_t* weights = nullptr;  // how many people a row stands for; none: one each
    std::vector<Axis> axes;
    int64_t k = 1;
    Rule rule = Rule::least_cost;
    bool relaxed = false;
    int64_t sample = 0;  // groups larger than this choose their cut by that many evenly spaced rows; 0: never
    int threads = 1;
    bool record = false;  // whether the cuts are told one by one
    std::vector<Sensitive> sensitive;
    Guard guard;  // empty: k alone decides
    Watch watch;
};

// Class c is order[starts[c] … starts[c + 1]). Its box is low/high[c * axes + axis]. cuts[axis] counts cuts. Where
// asked for, `tree` has (begin, mid, end, axis) of every cut of order[begin … end) at mid: a group before its parts,
// left first.
struct Partition {
    std::vector<int32_t> order;
    std::vector<int64_t> starts;
    std::vector<int32_t> low, high;
    std::vector<int64_t> cuts, tree;
};

constexpr int32_t widest_set = 1024;

namespace v2 { Partition mondrian(const Problem& problem); }
namespace v3 { Partition mondrian(const Problem& problem); }

}  // namespace paravent

// Generalization trees as arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace paravent {

// Node v covers the leaves first[v] … last[v]. Children come before their parents; the root, the last, has parent -1.
struct Tree {
    std::vector<int32_t> parent, first, last;

    // The lowest node over two nodes; of two nodes over the same leaves the parent has the higher number.
    int32_t common(int32_t a, int32_t b) const {
        const int32_t low = std::min(first[a], first[b]), high = std::max(last[a], last[b]);
        int32_t node = std::max(a, b);
        while (first[node] > low || last[node] < high) node = parent[node];
        return node;
    }
};

// climb[v] is the cost of generalizing v to the root; meeting w costs v climb[v] - climb[lowest common node].
struct Slope : Tree {
    std::vector<int64_t> climb;
};

}  // namespace paravent

// Generalization trees as arrays.
#pragma once

#include "core.hpp"

namespace paravent {

// Node v covers the leaves first[v] … last[v]. Children come before their parents; the root, the last, has parent -1.
struct Tree {
    std::vector<int32_t> parent, first, last;

    int32_t root() const { return static_cast<int32_t>(parent.size()) - 1; }
    bool covers(int32_t node, int32_t leaf) const { return first[node] <= leaf && leaf <= last[node]; }
    // The lowest node over two nodes; of two nodes over the same leaves the parent has the higher number.
    int32_t common(int32_t a, int32_t b) const {
        const int32_t low = std::min(first[a], first[b]), high = std::max(last[a], last[b]);
        int32_t node = std::max(a, b);
        while (first[node] > low || last[node] < high) node = parent[node];
        return node;
    }
    // The lowest node over a node and a leaf; of two leaves the lowest one over all between them.
    int32_t over(int32_t node, int32_t leaf) const {
        while (!covers(node, leaf)) node = parent[node];
        return node;
    }
    // The child of `above` (not a leaf) that leads to a leaf.
    int32_t towards(int32_t above, int32_t leaf) const {
        int32_t node = leaf;
        while (parent[node] != above) node = parent[node];
        return node;
    }
};

// The children of every node of a tree, from left to right: node[start[v]] … node[start[v + 1] - 1]. Node v has the
// place place[v] among its siblings.
struct Children {
    static constexpr int64_t most = 1 << 22;
    std::vector<int32_t> start, node, place, depth, table;  // table: depth x leaf, unless it would be large

    explicit Children(const Tree& tree)
        : start(tree.parent.size() + 1, 0), place(tree.parent.size(), 0), depth(tree.parent.size(), 0) {
        for (int32_t v = 0; v < tree.root(); ++v) {
            ++start[tree.parent[v] + 1];
            node.push_back(v);
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::sort(node.begin(), node.end(), [&](int32_t a, int32_t b) {
            return tree.parent[a] != tree.parent[b] ? tree.parent[a] < tree.parent[b] : tree.first[a] < tree.first[b];
        });
        for (int32_t i = 0; i < tree.root(); ++i) place[node[i]] = i - start[tree.parent[node[i]]];
        if (node.empty()) return;
        for (int32_t v = tree.root() - 1; v >= 0; --v) depth[v] = depth[tree.parent[v]] + 1;
        const int64_t size = tree.last[tree.root()] + 1, deepest = *std::max_element(depth.begin(), depth.end());
        if (deepest * size > most) return;
        table.resize(deepest * size);
        for (int32_t v = 0; v < tree.root(); ++v)
            std::fill_n(&table[(depth[v] - 1) * size + tree.first[v]], tree.last[v] - tree.first[v] + 1, place[v]);
    }
    // Calls use(child), where child(leaf) is the place of the child of v that is over a leaf.
    template <class Use> void under(const Tree& tree, int32_t v, Use use) const {
        if (table.empty()) return use([&](int32_t leaf) { return place[tree.towards(v, leaf)]; });
        const int32_t* row = &table[static_cast<int64_t>(depth[v]) * (tree.last[tree.root()] + 1)];
        use([row](int32_t leaf) { return row[leaf]; });
    }
    const int32_t* begin(int32_t v) const { return node.data() + start[v]; }
    const int32_t* end(int32_t v) const { return node.data() + start[v + 1]; }
};

// climb[v] is the cost of generalizing v to the root, and so what a row keeps at v; meeting w costs v climb[v] -
// climb[lowest common node].
struct TreeCosts : Tree {
    std::vector<int64_t> climb;
    PARAVENT_FIELDS(parent, first, last, climb)
};

// The ends of some leaves.
struct Span {
    int32_t low = INT32_MAX, high = -1;
    void add(int32_t leaf) {
        low = std::min(low, leaf);
        high = std::max(high, leaf);
    }
};

}  // namespace paravent

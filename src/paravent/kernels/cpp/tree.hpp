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
    // The lowest node over the leaves from `low` to `high`.
    int32_t lowest(int32_t low, int32_t high) const {
        int32_t node = low;
        while (last[node] < high) node = parent[node];
        return node;
    }
    // The lowest node over a node and a leaf.
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

// The children of every node of a tree, from left to right: node[start[v]] … node[start[v + 1] - 1].
struct Children {
    std::vector<int32_t> start, node;

    explicit Children(const Tree& tree) : start(tree.parent.size() + 1, 0) {
        for (int32_t v = 0; v < tree.root(); ++v) {
            ++start[tree.parent[v] + 1];
            node.push_back(v);
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::sort(node.begin(), node.end(), [&](int32_t a, int32_t b) {
            return tree.parent[a] != tree.parent[b] ? tree.parent[a] < tree.parent[b] : tree.first[a] < tree.first[b];
        });
    }
    const int32_t* begin(int32_t v) const { return node.data() + start[v]; }
    const int32_t* end(int32_t v) const { return node.data() + start[v + 1]; }
};

// From a node of a tree to the child over a leaf, told by its place among the children: by a table for each depth, or,
// where that would be large, by looking among the children's ends.
class Descent {
    static constexpr int64_t most = 1 << 22;
    std::vector<int32_t> start_, end_, depth_, table_;
    int64_t size_ = 0;

 public:
    Descent() = default;
    Descent(const Tree& tree, const Children& children)
        : start_(children.start), depth_(tree.parent.size(), 0), size_(tree.last[tree.root()] + 1) {
        int32_t deepest = 0;
        for (int32_t v = tree.root() - 1; v >= 0; --v)
            deepest = std::max(deepest, depth_[v] = depth_[tree.parent[v]] + 1);
        for (int32_t v : children.node) end_.push_back(tree.last[v]);
        if (deepest * size_ > most) return;
        table_.resize(deepest * size_);
        for (int32_t v = 0; v <= tree.root(); ++v)
            for (const int32_t* child = children.begin(v); child != children.end(v); ++child)
                std::fill_n(&table_[depth_[v] * size_ + tree.first[*child]], tree.last[*child] - tree.first[*child] + 1,
                            static_cast<int32_t>(child - children.begin(v)));
    }

    // Calls use(child), where child(leaf) is the place among the children of `node`.
    template <class Use> void from(int32_t node, Use use) const {
        if (!table_.empty()) {
            const int32_t* table = &table_[depth_[node] * size_];
            return use([table](int32_t leaf) { return table[leaf]; });
        }
        const int32_t *begin = end_.data() + start_[node], *end = end_.data() + start_[node + 1];
        use([begin, end](int32_t leaf) { return static_cast<int32_t>(std::lower_bound(begin, end, leaf) - begin); });
    }
};

// climb[v] is the cost of generalizing v to the root, and so what a row keeps at v; meeting w costs v climb[v] -
// climb[lowest common node].
struct Slope : Tree {
    std::vector<int64_t> climb;
    PARAVENT_FIELDS(parent, first, last, climb)
};

// A tree with the leaf of each row.
struct RowTree : Slope {
    const int32_t* leaf = nullptr;
    PARAVENT_FIELDS(leaf, parent, first, last, climb)
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

// Labels that come and go, for exact searches that look at few of them.
//
// Labels are told apart axis after axis, the axes on which a mismatch costs most first: a branch holds the labels with
// the same cells on the axes so far. A branch whose bound exceeds what is still of interest is never entered.
#pragma once

#include "core.hpp"

namespace paravent {

class LabelIndex {
    static constexpr size_t leaf_size = 32;
    static constexpr int refresh = 8;  // so many visits until the bounds of an inner branch are looked up again

    struct Branch {
        int32_t parent = -1, depth = 0, visits = 0;
        bool inner = false;
        int64_t least = endless;     // at most the smallest size below
        std::vector<int32_t> cells;  // inner: one a child, on the axis of this depth; else all further ones of a label
        std::vector<int32_t> below;  // inner: branches; else labels
        std::vector<int64_t> size;   // of the labels
    };
    struct Place {
        int32_t branch = -1, at = 0;
    };
    struct Step {
        int64_t bound, a, b;
        int32_t branch;
    };

    std::vector<int> axes_;  // in the order in which they tell labels apart
    std::vector<Branch> branches_{1};
    std::vector<int32_t> unused_;
    std::vector<Place> place_;
    std::vector<Step> steps_;

    size_t width(const Branch& b) const { return axes_.size() - static_cast<size_t>(b.depth); }

    void put(int32_t at, int32_t label, const int32_t* cells, int64_t size) {
        Branch& b = branches_[at];
        place_[label] = {at, static_cast<int32_t>(b.below.size())};
        b.below.push_back(label);
        b.size.push_back(size);
        b.cells.insert(b.cells.end(), cells, cells + width(b));
        b.least = std::min(b.least, size);
        if (b.below.size() > leaf_size && width(b) > 0) split(at);
    }

    void split(int32_t at) {
        const Branch old = std::move(branches_[at]);
        branches_[at] = {old.parent, old.depth, 0, true, old.least, {}, {}, {}};
        const size_t w = width(branches_[at]);
        for (size_t i = 0; i < old.below.size(); ++i) {
            const int32_t* cells = &old.cells[i * w];
            put(child(at, cells[0]), old.below[i], cells + 1, old.size[i]);
        }
    }

    int32_t found(int32_t at, int32_t cell) const {
        const Branch& b = branches_[at];
        const auto here = std::find(b.cells.begin(), b.cells.end(), cell);
        return here == b.cells.end() ? -1 : b.below[here - b.cells.begin()];
    }

    int32_t child(int32_t at, int32_t cell) {
        if (const int32_t known = found(at, cell); known >= 0) return known;
        const int32_t made = unused_of(unused_, branches_);
        branches_[made] = {at, branches_[at].depth + 1, 0, false, endless, {}, {}, {}};
        branches_[at].cells.push_back(cell);
        branches_[at].below.push_back(made);
        return made;
    }

    // An empty branch leaves its parent.
    void prune(int32_t at) {
        const int32_t parent = branches_[at].parent;
        if (parent < 0) return;
        unused_.push_back(at);
        Branch& b = branches_[parent];
        const auto here = std::find(b.below.begin(), b.below.end(), at) - b.below.begin();
        drop(b.below, here);
        drop(b.cells, here);
        if (b.below.empty()) prune(parent);
    }

    void renew(Branch& b) {
        b.least = endless;
        for (size_t i = 0; i < b.below.size(); ++i)
            b.least = std::min(b.least, b.inner ? branches_[b.below[i]].least : b.size[i]);
    }

    template <class Cost, class Use>
    void look(int32_t at, int64_t a, int64_t b, const Cost& cost, int64_t& limit, Use& use) {
        Branch& here = branches_[at];
        if (!here.inner) {
            const size_t w = width(here);
            const int32_t* cell = here.cells.data();
            for (size_t i = 0; i < here.below.size(); ++i, cell += w) {
                int64_t x = a, y = b;
                for (size_t j = 0; j < w; ++j) cost.add(axes_[here.depth + j], cell[j], x, y);
                use(here.below[i], here.size[i], x, y);
            }
            renew(here);
            return;
        }
        if (++here.visits % refresh == 0) renew(here);
        const size_t from = steps_.size();
        size_t first = from;
        for (size_t i = 0; i < here.below.size(); ++i) {
            int64_t x = a, y = b;
            cost.add(axes_[here.depth], here.cells[i], x, y);
            if (cost.bound(x, y, 1) > limit) continue;
            const int64_t bound = cost.bound(x, y, branches_[here.below[i]].least);
            if (bound > limit) continue;
            if (first < steps_.size() && bound < steps_[first].bound) first = steps_.size();
            steps_.push_back({bound, x, y, here.below[i]});
        }
        const size_t to = steps_.size();
        if (to > from) std::swap(steps_[from], steps_[first]);  // the best first, so that the limit falls at once
        for (size_t i = from; i < to; ++i) {
            const Step step = steps_[i];
            if (step.bound <= limit) look(step.branch, step.a, step.b, cost, limit, use);
        }
        steps_.resize(from);
    }

 public:
    explicit LabelIndex(std::vector<int> axes) : axes_(std::move(axes)) {}

    bool holds(int32_t label) const { return static_cast<size_t>(label) < place_.size() && place_[label].branch >= 0; }

    // `cells` has one entry an axis, in their own order.
    void insert(int32_t label, const int32_t* cells, int64_t size) {
        if (static_cast<size_t>(label) >= place_.size()) place_.resize(label + 1);
        std::vector<int32_t> ordered;
        for (int j : axes_) ordered.push_back(cells[j]);
        int32_t at = 0;
        while (branches_[at].inner) {
            branches_[at].least = std::min(branches_[at].least, size);
            at = child(at, ordered[branches_[at].depth]);
        }
        put(at, label, ordered.data() + branches_[at].depth, size);
    }

    void remove(int32_t label) {
        const auto [branch, at] = place_[label];
        Branch& b = branches_[branch];
        const size_t w = width(b), end = b.below.size() - 1;
        place_[b.below[end]].at = at;
        drop(b.below, at);
        drop(b.size, at);
        std::copy_n(b.cells.begin() + end * w, w, b.cells.begin() + at * w);
        b.cells.resize(end * w);
        place_[label].branch = -1;
        if (b.below.empty()) prune(branch);
    }

    void resize(int32_t label, int64_t size) {
        const Place place = place_[label];
        branches_[place.branch].size[place.at] = size;
        for (int32_t at = place.branch; at >= 0; at = branches_[at].parent)
            branches_[at].least = std::min(branches_[at].least, size);
    }

    // A label with these cells, or -1.
    int32_t find(const int32_t* cells) const {
        int32_t at = 0;
        while (at >= 0 && branches_[at].inner) at = found(at, cells[axes_[branches_[at].depth]]);
        if (at < 0) return -1;
        const Branch& b = branches_[at];
        const size_t w = width(b);
        for (size_t i = 0; i < b.below.size(); ++i) {
            size_t j = 0;
            while (j < w && b.cells[i * w + j] == cells[axes_[b.depth + j]]) ++j;
            if (j == w) return b.below[i];
        }
        return -1;
    }

    // use(label, size, a, b) for every label that may cost `limit` or less, which `use` may lower meanwhile.
    // cost.add(axis, cell, a, b) adds to a and b what an axis adds, never less than 0; cost.bound(a, b, least) is what
    // labels with so much at least, and of that size at least, cost at least.
    template <class Cost, class Use> void visit(const Cost& cost, int64_t& limit, Use use) {
        look(0, 0, 0, cost, limit, use);
    }
};

}  // namespace paravent

// Classes that are merged: their nodes and sizes, and who costs least to join.
//
// The search is exact and far cheaper than a scan of all classes: classes stand in groups that share their nodes on a
// few telling axes, and a group whose lower bound exceeds what is still of interest is never opened.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace paravent {

// One tree. climb[v] is the cost of generalizing v to the root; meeting w costs v climb[v] - climb[lowest common node].
struct Slope {
    std::vector<int32_t> parent, first, last;
    std::vector<int64_t> climb;
};

class ClassIndex {
    static constexpr int widest_matrix = 2048;
    struct Group {
        std::vector<int32_t> key;      // nodes on the grouping axes
        std::vector<int32_t> members;  // class numbers
        std::vector<int32_t> nodes;    // members x other axes
        std::vector<int64_t> size, total;
        std::vector<int32_t> mark;
        int64_t smallest = std::numeric_limits<int64_t>::max();
        int32_t highest_mark = 0;
    };
    struct Place {
        int32_t group = -1, at = -1;
    };

    const std::vector<Slope>& axes_;
    const int d_;
    std::vector<std::vector<int64_t>> matrix_;  // meeting cost of (query node, other node), for small trees
    std::vector<std::vector<int64_t>> row_;     // the query's row, for large ones
    std::vector<int32_t> grouping_, others_;
    std::vector<Group> groups_;
    std::unordered_map<std::string, int32_t> group_of_;
    std::unordered_map<std::string, int32_t> class_of_;
    std::vector<int32_t> nodes_;  // of every class ever
    std::vector<int64_t> size_, total_;
    std::vector<int32_t> mark_;
    std::vector<Place> place_;
    int64_t alive_ = 0;
    std::vector<const int64_t*> rows_, inner_;  // of the last query
    std::vector<std::pair<int64_t, int32_t>> order_;
    std::vector<int64_t> shared_;
    std::vector<int32_t> met_;

    static std::string text(const int32_t* values, size_t n) {
        return std::string(reinterpret_cast<const char*>(values), n * sizeof(int32_t));
    }

    // The axes on which a mismatch costs most, as long as the groups stay few enough to be looked at every time.
    void choose_grouping(int64_t classes) {
        std::vector<std::pair<int64_t, int32_t>> by_step;
        for (int j = 0; j < d_; ++j) {
            const Slope& s = axes_[j];
            int64_t least = std::numeric_limits<int64_t>::max();
            for (int64_t c = 0; c < classes; ++c) {
                const int32_t v = nodes_[c * d_ + j];
                if (s.parent[v] >= 0) least = std::min(least, s.climb[v] - s.climb[s.parent[v]]);
            }
            by_step.emplace_back(-least, j);
        }
        std::sort(by_step.begin(), by_step.end());
        const double limit = 4.0 * std::max(1.0, std::sqrt(static_cast<double>(classes)));
        for (const auto& [step, j] : by_step) {
            (void)step;
            std::vector<int32_t> tried = grouping_;
            tried.push_back(j);
            std::unordered_map<std::string, int32_t> seen;
            std::vector<int32_t> key(tried.size());
            for (int64_t c = 0; c < classes && static_cast<double>(seen.size()) <= limit; ++c) {
                for (size_t g = 0; g < tried.size(); ++g) key[g] = nodes_[c * d_ + tried[g]];
                seen.emplace(text(key.data(), key.size()), 0);
            }
            if (static_cast<double>(seen.size()) <= limit) grouping_ = tried;
        }
        for (int j = 0; j < d_; ++j)
            if (std::find(grouping_.begin(), grouping_.end(), j) == grouping_.end()) others_.push_back(j);
    }

    void fill_row(int j, int32_t node, int64_t* row) const {
        const Slope& s = axes_[j];
        for (size_t v = 0; v < s.climb.size(); ++v)
            row[v] = s.climb[node] - s.climb[common(s, node, static_cast<int32_t>(v))];
    }

 public:
    // How many rows a class of size t gives to a query of size s: all, or with stubs what is missing, where k remain.
    int64_t stub_k = 0;  // 0: no stubs
    int64_t given(int64_t s, int64_t t) const { return stub_k && t >= 2 * stub_k - s ? stub_k - s : t; }

    // `marks` are numbers of the caller's, one a class (or none): a visitor learns the highest one of a group.
    ClassIndex(const std::vector<Slope>& axes, const int32_t* nodes, const int64_t* sizes, int64_t classes,
               const std::vector<int32_t>& marks = {})
        : axes_(axes), d_(static_cast<int>(axes.size())), matrix_(d_), row_(d_), rows_(d_) {
        nodes_.assign(nodes, nodes + classes * d_);
        nodes_.reserve(2 * classes * d_);
        for (int j = 0; j < d_; ++j) {
            const size_t n = axes_[j].climb.size();
            if (n > widest_matrix) {
                row_[j].resize(n);
                continue;
            }
            matrix_[j].resize(n * n);
            for (size_t v = 0; v < n; ++v) fill_row(j, static_cast<int32_t>(v), &matrix_[j][v * n]);
        }
        choose_grouping(classes);
        for (int64_t c = 0; c < classes; ++c) {
            added(sizes[c], marks.empty() ? 0 : marks[c]);
            insert(static_cast<int32_t>(c));
        }
    }

    static int32_t common(const Slope& s, int32_t a, int32_t b) {
        const int32_t high = std::max(s.last[a], s.last[b]), low = std::min(s.first[a], s.first[b]);
        int32_t node = std::max(a, b);  // of two nodes over the same leaves the parent has the higher number
        while (s.first[node] > low || s.last[node] < high) node = s.parent[node];
        return node;
    }

    const int32_t* nodes(int32_t c) const { return &nodes_[static_cast<size_t>(c) * d_]; }
    int64_t size(int32_t c) const { return size_[c]; }
    bool alive(int32_t c) const { return place_[c].group >= 0; }
    int64_t alive() const { return alive_; }

    // A class that is not there yet, with the lowest nodes over two others.
    int32_t born(int32_t a, int32_t b, int64_t size, int32_t mark = 0) {
        for (int j = 0; j < d_; ++j) nodes_.push_back(common(axes_[j], nodes(a)[j], nodes(b)[j]));
        return added(size, mark);
    }

    // Whether a class shows what it would show with another one.
    bool covers(int32_t c, int32_t other) const {
        for (int j = 0; j < d_; ++j)
            if (common(axes_[j], nodes(c)[j], nodes(other)[j]) != nodes(c)[j]) return false;
        return true;
    }

    // The class that is there and shows the nodes of c, or -1.
    int32_t same(int32_t c) const {
        const auto found = class_of_.find(text(nodes(c), d_));
        return found == class_of_.end() ? -1 : found->second;
    }

    // The class that is there and shows what two others would show together, but for these two, or -1.
    int32_t meeting(int32_t a, int32_t b) {
        met_.clear();
        for (int j = 0; j < d_; ++j) met_.push_back(common(axes_[j], nodes(a)[j], nodes(b)[j]));
        const auto found = class_of_.find(text(met_.data(), met_.size()));
        return found == class_of_.end() || found->second == a || found->second == b ? -1 : found->second;
    }

    void insert(int32_t c) {
        std::vector<int32_t> key;
        for (int32_t j : grouping_) key.push_back(nodes(c)[j]);
        const auto [found, is_new] =
            group_of_.emplace(text(key.data(), key.size()), static_cast<int32_t>(groups_.size()));
        if (is_new) {
            groups_.emplace_back();
            groups_.back().key = key;
        }
        Group& g = groups_[found->second];
        place_[c] = {found->second, static_cast<int32_t>(g.members.size())};
        g.members.push_back(c);
        for (int32_t j : others_) g.nodes.push_back(nodes(c)[j]);
        g.size.push_back(size_[c]);
        g.total.push_back(total_[c]);
        g.mark.push_back(mark_[c]);
        g.highest_mark = std::max(g.highest_mark, mark_[c]);
        g.smallest = std::min(g.smallest, size_[c]);
        class_of_[text(nodes(c), d_)] = c;
        ++alive_;
    }

    void remove(int32_t c) {
        if (!alive(c)) return;
        Group& g = groups_[place_[c].group];
        const int32_t at = place_[c].at, end = static_cast<int32_t>(g.members.size()) - 1;
        const size_t w = others_.size();
        if (at != end) {
            g.members[at] = g.members[end];
            std::copy_n(g.nodes.begin() + end * w, w, g.nodes.begin() + at * w);
            g.size[at] = g.size[end];
            g.total[at] = g.total[end];
            g.mark[at] = g.mark[end];
            place_[g.members[at]].at = at;
        }
        g.members.pop_back();
        g.nodes.resize(end * w);
        g.size.pop_back();
        g.total.pop_back();
        g.mark.pop_back();
        if (g.members.empty()) {
            g.smallest = std::numeric_limits<int64_t>::max();
            g.highest_mark = 0;
        }
        place_[c] = {};
        const auto known = class_of_.find(text(nodes(c), d_));
        if (known != class_of_.end() && known->second == c) class_of_.erase(known);
        --alive_;
    }

    void shrink(int32_t c, int64_t rows) {
        Group& g = groups_[place_[c].group];
        size_[c] -= rows;
        g.size[place_[c].at] = size_[c];
        g.smallest = std::min(g.smallest, size_[c]);
    }

    // Make ready to ask what it costs a query to be joined by others.
    void look_from(int32_t query) {
        for (int j = 0; j < d_; ++j) {
            const int32_t v = nodes(query)[j];
            if (matrix_[j].empty()) fill_row(j, v, row_[j].data());
            rows_[j] =
                matrix_[j].empty() ? row_[j].data() : &matrix_[j][static_cast<size_t>(v) * axes_[j].climb.size()];
        }
    }

    // With s, t the sizes, A what it costs one row of the query to meet a class and T, Q the climbs of class and query:
    // cost = s A + t (A + T - Q), because A + T - Q is what it costs one row of the class.
    int64_t cost(int32_t query, int32_t c) const {
        const int64_t s = size_[query], t = given(s, size_[c]);
        int64_t a = 0;
        for (int j = 0; j < d_; ++j) a += rows_[j][nodes(c)[j]];
        return (s + t) * a + t * (total_[c] - total_[query]);
    }

    // Show every class but the query that costs no more than `limit` to join; `use` may lower the limit meanwhile. A
    // group is left out where `open`, told what it costs at least and its highest mark, says so.
    template <class Use, class Open> void visit(int32_t query, int64_t& limit, Use use, Open open) {
        const int64_t s = size_[query], q = total_[query];
        look_from(query);
        inner_.clear();
        for (int32_t j : others_) inner_.push_back(rows_[j]);
        // Lower bound of a group: its shared axes alone. A class of it pays at least what it needs on those axes.
        order_.clear();
        shared_.resize(groups_.size());
        for (size_t g = 0; g < groups_.size(); ++g) {
            const Group& group = groups_[g];
            if (group.members.empty()) continue;
            int64_t a = 0, b = 0;
            for (size_t x = 0; x < grouping_.size(); ++x) {
                const int32_t j = grouping_[x], v = group.key[x];
                a += rows_[j][v];
                b += rows_[j][v] + axes_[j].climb[v] - axes_[j].climb[nodes(query)[j]];
            }
            shared_[g] = a;
            const int64_t least = stub_k ? std::min(group.smallest, stub_k - s) : group.smallest;
            const int64_t bound = s * a + least * b;
            if (bound <= limit) order_.emplace_back(bound, static_cast<int32_t>(g));
        }
        std::make_heap(order_.begin(), order_.end(), std::greater<>());
        const size_t w = others_.size();
        while (!order_.empty()) {
            std::pop_heap(order_.begin(), order_.end(), std::greater<>());
            const auto [bound, at] = order_.back();
            order_.pop_back();
            if (bound > limit) break;
            Group& g = groups_[at];
            if (!open(bound, g.highest_mark)) continue;
            int32_t highest = 0;
            for (size_t i = 0; i < g.members.size(); ++i) {
                int64_t a = shared_[at];
                for (size_t x = 0; x < w; ++x) a += inner_[x][g.nodes[i * w + x]];
                const int64_t t = given(s, g.size[i]);
                const int64_t cost = (s + t) * a + t * (g.total[i] - q);
                highest = std::max(highest, g.mark[i]);
                if (cost <= limit && g.members[i] != query) use(g.members[i], cost);
            }
            g.highest_mark = highest;
        }
    }

    template <class Use> void visit(int32_t query, int64_t& limit, Use use) {
        visit(query, limit, use, [](int64_t, int32_t) { return true; });
    }

 private:
    // A class whose nodes stand at the end of nodes_ already.
    int32_t added(int64_t size, int32_t mark) {
        const int32_t c = static_cast<int32_t>(size_.size());
        int64_t total = 0;
        for (int j = 0; j < d_; ++j) total += axes_[j].climb[nodes(c)[j]];
        size_.push_back(size);
        total_.push_back(total);
        mark_.push_back(mark);
        place_.emplace_back();
        return c;
    }
};

}  // namespace paravent

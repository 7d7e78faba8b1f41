// Greedy merging: the smallest class joins the class that costs least to join, until all are large enough.
//
// The partner search is exact and far cheaper than a scan of all classes: classes stand in groups that share their
// nodes on a few telling axes, and a group whose lower bound exceeds the best cost so far is never opened.
//
// With stubs, a large class gives only the rows that are missing and stays (KACA, Li et al. 2006: stub and trunk).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

namespace paravent {

// One tree. climb[v] is the cost of generalizing v to the root; meeting w costs v climb[v] - climb[lowest common node].
struct Slope {
    std::vector<int32_t> parent, first, last;
    std::vector<int64_t> climb;
};

struct Merging {
    int64_t classes = 0;
    const int32_t* nodes = nullptr;  // classes x axes
    const int64_t* sizes = nullptr;
    std::vector<Slope> axes;
    int64_t k = 1;
    bool stubs = false;     // a partner that keeps k rows gives only as many as the query needs
    bool in_order = false;  // the class that came first is the next query, not the smallest
    std::function<void(double)> watch;
};

// Merge t joins classes left[t] and right[t] into class (number of classes + t), at cost[t]; smallest[t] is the size of
// the smallest class before it (and, in a last entry, at the end). With stubs, taken[t] > 0 says that so many rows of
// right[t] were joined and the others remain class right[t].
struct Merges {
    std::vector<int32_t> left, right;
    std::vector<int64_t> cost, smallest, taken;
};

class Merger {
    static constexpr int widest_matrix = 2048;
    struct Group {
        std::vector<int32_t> key;      // nodes on the grouping axes
        std::vector<int32_t> members;  // class numbers
        std::vector<int32_t> nodes;    // members x other axes
        std::vector<int64_t> size, total;
        int64_t smallest = std::numeric_limits<int64_t>::max(), least_total = std::numeric_limits<int64_t>::max();
    };
    struct Place {
        int32_t group, at;
    };

    const Merging& p_;
    const int d_;
    std::vector<std::vector<int64_t>> matrix_;  // meeting cost of (query node, other node), for small trees
    std::vector<std::vector<int64_t>> row_;     // the query's row, for large ones
    std::vector<int32_t> grouping_, others_;
    std::vector<Group> groups_;
    std::unordered_map<std::string, int32_t> group_of_;
    std::unordered_map<std::string, int32_t> class_of_;
    std::vector<int32_t> nodes_;  // of every class ever
    std::vector<int64_t> size_;
    std::vector<Place> place_;
    std::vector<uint8_t> alive_;

    static int32_t common(const Slope& s, int32_t a, int32_t b) {
        const int32_t high = std::max(s.last[a], s.last[b]), low = std::min(s.first[a], s.first[b]);
        int32_t node = std::max(a, b);  // of two nodes over the same leaves the parent has the higher number
        while (s.first[node] > low || s.last[node] < high) node = s.parent[node];
        return node;
    }

    static std::string text(const int32_t* values, size_t n) {
        return std::string(reinterpret_cast<const char*>(values), n * sizeof(int32_t));
    }

    const int32_t* nodes(int32_t c) const { return &nodes_[static_cast<size_t>(c) * d_]; }

    int64_t total(int32_t c) const {
        int64_t sum = 0;
        for (int j = 0; j < d_; ++j) sum += p_.axes[j].climb[nodes(c)[j]];
        return sum;
    }

    // The axes on which a mismatch costs most, as long as the groups stay few enough to be looked at every time.
    void choose_grouping() {
        std::vector<std::pair<int64_t, int32_t>> by_step;
        for (int j = 0; j < d_; ++j) {
            const Slope& s = p_.axes[j];
            int64_t least = std::numeric_limits<int64_t>::max();
            for (int64_t c = 0; c < p_.classes; ++c) {
                const int32_t v = p_.nodes[c * d_ + j];
                if (s.parent[v] >= 0) least = std::min(least, s.climb[v] - s.climb[s.parent[v]]);
            }
            by_step.emplace_back(-least, j);
        }
        std::sort(by_step.begin(), by_step.end());
        const double limit = 4.0 * std::max(1.0, std::sqrt(static_cast<double>(p_.classes)));
        for (const auto& [step, j] : by_step) {
            (void)step;
            std::vector<int32_t> tried = grouping_;
            tried.push_back(j);
            std::unordered_map<std::string, int32_t> seen;
            std::vector<int32_t> key(tried.size());
            for (int64_t c = 0; c < p_.classes && seen.size() <= limit; ++c) {
                for (size_t g = 0; g < tried.size(); ++g) key[g] = p_.nodes[c * d_ + tried[g]];
                seen.emplace(text(key.data(), key.size()), 0);
            }
            if (seen.size() <= limit) grouping_ = tried;
        }
        for (int j = 0; j < d_; ++j)
            if (std::find(grouping_.begin(), grouping_.end(), j) == grouping_.end()) others_.push_back(j);
    }

    void fill_row(int j, int32_t node, int64_t* row) const {
        const Slope& s = p_.axes[j];
        for (size_t v = 0; v < s.climb.size(); ++v) row[v] = s.climb[node] - s.climb[common(s, node, static_cast<int32_t>(v))];
    }

    void insert(int32_t c) {
        std::vector<int32_t> key;
        for (int32_t j : grouping_) key.push_back(nodes(c)[j]);
        const auto [found, is_new] = group_of_.emplace(text(key.data(), key.size()), static_cast<int32_t>(groups_.size()));
        if (is_new) {
            groups_.emplace_back();
            groups_.back().key = key;
        }
        Group& g = groups_[found->second];
        place_[c] = {found->second, static_cast<int32_t>(g.members.size())};
        g.members.push_back(c);
        for (int32_t j : others_) g.nodes.push_back(nodes(c)[j]);
        g.size.push_back(size_[c]);
        g.total.push_back(total(c));
        g.smallest = std::min(g.smallest, size_[c]);
        g.least_total = std::min(g.least_total, g.total.back());
        alive_[c] = 1;
        class_of_[text(nodes(c), d_)] = c;
    }

    void remove(int32_t c) {
        Group& g = groups_[place_[c].group];
        const int32_t at = place_[c].at, end = static_cast<int32_t>(g.members.size()) - 1;
        const size_t w = others_.size();
        if (at != end) {
            g.members[at] = g.members[end];
            std::copy_n(g.nodes.begin() + end * w, w, g.nodes.begin() + at * w);
            g.size[at] = g.size[end];
            g.total[at] = g.total[end];
            place_[g.members[at]].at = at;
        }
        g.members.pop_back();
        g.nodes.resize(end * w);
        g.size.pop_back();
        g.total.pop_back();
        if (g.members.empty()) g.smallest = g.least_total = std::numeric_limits<int64_t>::max();
        alive_[c] = 0;
        const auto known = class_of_.find(text(nodes(c), d_));
        if (known != class_of_.end() && known->second == c) class_of_.erase(known);
    }

    struct Best {
        int64_t cost = std::numeric_limits<int64_t>::max();
        int32_t partner = -1;
    };

    // How many rows a class of size t gives to a query of size s: all, or with stubs what is missing, where k remain.
    int64_t given(int64_t s, int64_t t) const { return p_.stubs && t >= 2 * p_.k - s ? p_.k - s : t; }

    // With s, t the sizes, A what it costs one row of the query to meet a class and T, Q the climbs of class and query:
    // cost = s A + t (A + T - Q), because A + T - Q is what it costs one row of the class.
    void scan(const Group& g, int64_t shared, int32_t query, int64_t s, int64_t q, const std::vector<const int64_t*>& rows,
              Best& best) const {
        const size_t w = others_.size();
        for (size_t i = 0; i < g.members.size(); ++i) {
            int64_t a = shared;
            for (size_t x = 0; x < w; ++x) a += rows[x][g.nodes[i * w + x]];
            const int64_t t = given(s, g.size[i]);
            const int64_t cost = (s + t) * a + t * (g.total[i] - q);
            if (cost < best.cost || (cost == best.cost && g.members[i] < best.partner))
                if (g.members[i] != query) best = {cost, g.members[i]};
        }
    }

    Best partner(int32_t query) {
        const int64_t s = size_[query], q = total(query);
        std::vector<const int64_t*> rows(d_);
        for (int j = 0; j < d_; ++j) {
            const int32_t v = nodes(query)[j];
            if (!matrix_[j].empty()) {
                rows[j] = &matrix_[j][static_cast<size_t>(v) * p_.axes[j].climb.size()];
            } else {
                fill_row(j, v, row_[j].data());
                rows[j] = row_[j].data();
            }
        }
        std::vector<const int64_t*> inner;
        for (int32_t j : others_) inner.push_back(rows[j]);
        // Lower bound of a group: its shared axes alone. A class of it pays at least what it needs on those axes.
        std::vector<std::pair<int64_t, int32_t>> order;
        std::vector<int64_t> shared(groups_.size());
        for (size_t g = 0; g < groups_.size(); ++g) {
            const Group& group = groups_[g];
            if (group.members.empty()) continue;
            int64_t a = 0, b = 0;
            for (size_t x = 0; x < grouping_.size(); ++x) {
                const int32_t j = grouping_[x], v = group.key[x];
                a += rows[j][v];
                b += rows[j][v] + p_.axes[j].climb[v] - p_.axes[j].climb[nodes(query)[j]];
            }
            shared[g] = a;
            const int64_t least = p_.stubs ? std::min(group.smallest, p_.k - s) : group.smallest;
            order.emplace_back(s * a + least * b, static_cast<int32_t>(g));
        }
        std::make_heap(order.begin(), order.end(), std::greater<>());
        Best best;
        while (!order.empty()) {
            std::pop_heap(order.begin(), order.end(), std::greater<>());
            const auto [bound, g] = order.back();
            order.pop_back();
            if (bound > best.cost) break;
            scan(groups_[g], shared[g], query, s, q, inner, best);
        }
        return best;
    }

   public:
    explicit Merger(const Merging& problem) : p_(problem), d_(static_cast<int>(problem.axes.size())), matrix_(d_), row_(d_) {
        const int64_t c = p_.classes;
        nodes_.assign(p_.nodes, p_.nodes + c * d_);
        nodes_.reserve(2 * c * d_);
        size_.assign(p_.sizes, p_.sizes + c);
        place_.resize(c);
        alive_.assign(c, 0);
        for (int j = 0; j < d_; ++j) {
            const size_t n = p_.axes[j].climb.size();
            if (n > widest_matrix) {
                row_[j].resize(n);
                continue;
            }
            matrix_[j].resize(n * n);
            for (size_t v = 0; v < n; ++v) fill_row(j, static_cast<int32_t>(v), &matrix_[j][v * n]);
        }
        choose_grouping();
        for (int64_t i = 0; i < c; ++i) insert(static_cast<int32_t>(i));
    }

    // Join two classes, or a class and so many rows of another, into a new one with the lowest nodes that cover both.
    int32_t join(int32_t a, int32_t b, int64_t taken) {
        const int32_t c = static_cast<int32_t>(size_.size());
        for (int j = 0; j < d_; ++j) nodes_.push_back(common(p_.axes[j], nodes(a)[j], nodes(b)[j]));
        size_.push_back(size_[a] + (taken ? taken : size_[b]));
        place_.emplace_back();
        alive_.push_back(0);
        remove(a);
        if (taken)
            shrink(b, taken);
        else
            remove(b);
        return c;
    }

    void shrink(int32_t c, int64_t taken) {
        Group& g = groups_[place_[c].group];
        size_[c] -= taken;
        g.size[place_[c].at] = size_[c];
        g.smallest = std::min(g.smallest, size_[c]);
    }

    Merges run() {
        Merges out;
        using Entry = std::pair<int64_t, int32_t>;
        std::vector<Entry> start;
        const auto entry = [&](int32_t c) { return Entry{p_.in_order && size_[c] < p_.k ? 0 : size_[c], c}; };
        for (int64_t c = 0; c < p_.classes; ++c) start.push_back(entry(static_cast<int32_t>(c)));
        std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> heap(std::greater<Entry>(), std::move(start));
        int64_t left = p_.classes;
        while (true) {
            while (!heap.empty() && (!alive_[heap.top().second] || entry(heap.top().second) != heap.top())) heap.pop();
            const auto [size, c] = heap.empty() ? Entry{0, -1} : heap.top();
            out.smallest.push_back(size);
            if (left < 2 || size >= p_.k) return out;
            if (p_.watch && out.left.size() % 1024 == 0) p_.watch(1.0 - static_cast<double>(left) / p_.classes);
            const Best best = partner(c);
            const int64_t taken = stub_of(c, best.partner);
            int32_t merged = join(c, best.partner, taken);
            out.left.push_back(c);
            out.right.push_back(best.partner);
            out.cost.push_back(best.cost);
            if (p_.stubs) out.taken.push_back(taken);
            if (taken)
                heap.push(entry(best.partner));
            else
                --left;
            // A class with the same nodes is the same class (Mauger 2021, §2.3): it joins at no cost.
            for (auto same = class_of_.find(text(nodes(merged), d_)); same != class_of_.end();
                 same = class_of_.find(text(nodes(merged), d_))) {
                out.smallest.push_back(0);  // not a table of its own: the classes are the same already
                out.left.push_back(same->second);
                out.right.push_back(merged);
                out.cost.push_back(0);
                if (p_.stubs) out.taken.push_back(0);
                merged = join_same(same->second, merged);
                --left;
            }
            insert(merged);
            heap.push(entry(merged));
        }
    }

   private:
    // How many rows the partner gives while it stays; 0 where it joins as a whole, as it does where it shows what both
    // would show: the two would be one class again.
    int64_t stub_of(int32_t query, int32_t partner) const {
        const int64_t rows = given(size_[query], size_[partner]);
        if (rows == size_[partner]) return 0;
        for (int j = 0; j < d_; ++j)
            if (common(p_.axes[j], nodes(query)[j], nodes(partner)[j]) != nodes(partner)[j]) return rows;
        return 0;
    }

    int32_t join_same(int32_t existing, int32_t fresh) {
        const int32_t c = static_cast<int32_t>(size_.size());
        for (int j = 0; j < d_; ++j) nodes_.push_back(nodes(fresh)[j]);
        size_.push_back(size_[existing] + size_[fresh]);
        place_.emplace_back();
        alive_.push_back(0);
        remove(existing);
        return c;
    }
};

}  // namespace paravent

// Greedy merging by more than cost: the smallest failing class joins the class that a rule prefers, by the cost of the
// merge, the diversity or the closeness of what it makes, or its size, until no class fails.
//
// Every candidate is looked at: diversity and closeness have no bound that a group of classes could share. Where cost
// comes first, the other measure is only worked out for candidates of the least cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "merging.hpp"

namespace paravent {

enum class Preference { cost, cost_l, l_cost, cost_per_l, cost_t, t_cost, cost_times_t, l, t, size_cost };

struct Guided {
    int64_t classes = 0;
    const int32_t* nodes = nullptr;  // classes x axes
    const int64_t* sizes = nullptr;
    std::vector<Slope> axes;
    const int64_t* start = nullptr;  // values of class c: start[c] .. start[c + 1]
    const int32_t* value = nullptr;
    const int64_t* count = nullptr;
    std::vector<int64_t> table;
    const int64_t* xlogx = nullptr;  // x ln x in multiples of 2^-38
    const double* logs = nullptr;
    Preference rule = Preference::cost;
    bool whole_table = false;
    int64_t k = 1;
    const uint8_t* failing = nullptr;
    std::function<bool(int32_t, int32_t)> judge;
    std::function<void(double)> watch;
};

class GuidedMerger {
    static constexpr double fine = 274877906944.0, grid = 1073741824.0;  // 2^38, 2^30
    static constexpr int widest_matrix = 2048;
    using Counts = std::vector<std::pair<int32_t, int64_t>>;

    const Guided& p_;
    const int d_;
    const bool reads_l_, reads_t_;
    int64_t rows_ = 0;
    std::vector<std::vector<int64_t>> matrix_, row_;
    std::vector<int32_t> nodes_;  // of every class ever
    std::vector<int64_t> size_, total_;
    std::vector<Counts> held_;
    std::vector<int64_t> l_;
    std::vector<double> t_;
    std::vector<uint8_t> fails_;
    std::vector<int32_t> alive_, place_;
    std::unordered_map<std::string, int32_t> class_of_;
    std::set<std::pair<int64_t, int32_t>> by_l_;
    std::set<std::pair<double, int32_t>> by_t_;  // by the negative distance

    static int32_t common(const Slope& s, int32_t a, int32_t b) {
        const int32_t high = std::max(s.last[a], s.last[b]), low = std::min(s.first[a], s.first[b]);
        int32_t node = std::max(a, b);
        while (s.first[node] > low || s.last[node] < high) node = s.parent[node];
        return node;
    }

    // 24 digits of a product: products that are equal on paper are equal.
    static double coarse(double x) { return static_cast<double>(static_cast<float>(x)); }

    const int32_t* nodes(int32_t c) const { return &nodes_[static_cast<size_t>(c) * d_]; }

    std::string text(int32_t c) const {
        return std::string(reinterpret_cast<const char*>(nodes(c)), static_cast<size_t>(d_) * sizeof(int32_t));
    }

    template <class Use>
    static void walk(const Counts& a, const Counts& b, Use use) {
        auto x = a.begin(), y = b.begin();
        while (x != a.end() || y != b.end()) {
            if (y == b.end() || (x != a.end() && x->first < y->first)) {
                use(x->first, x->second);
                ++x;
            } else if (x == a.end() || y->first < x->first) {
                use(y->first, y->second);
                ++y;
            } else {
                use(x->first, x->second + y->second);
                ++x;
                ++y;
            }
        }
    }

    int64_t diversity(const Counts& a, const Counts& b) const {
        int64_t total = 0, spread = 0;
        walk(a, b, [&](int32_t, int64_t count) {
            total += count;
            spread += p_.xlogx[count];
        });
        return std::llrint((p_.logs[total] - static_cast<double>(spread) / (static_cast<double>(total) * fine)) * grid);
    }

    double distance(const Counts& a, const Counts& b, int64_t total) const {
        int64_t unseen = rows_, away = 0;
        walk(a, b, [&](int32_t v, int64_t count) {
            unseen -= p_.table[v];
            away += std::abs(rows_ * count - total * p_.table[v]);
        });
        away += total * unseen;
        return static_cast<double>(away) / static_cast<double>(rows_ * total);
    }

    void fill_row(int j, int32_t node, int64_t* row) const {
        const Slope& s = p_.axes[j];
        for (size_t v = 0; v < s.climb.size(); ++v) row[v] = s.climb[node] - s.climb[common(s, node, static_cast<int32_t>(v))];
    }

    // A new class: its nodes stand at the end of nodes_ already.
    int32_t born(int64_t size, Counts counts) {
        const int32_t c = static_cast<int32_t>(size_.size());
        size_.push_back(size);
        int64_t total = 0;
        for (int j = 0; j < d_; ++j) total += p_.axes[j].climb[nodes(c)[j]];
        total_.push_back(total);
        held_.push_back(std::move(counts));
        l_.push_back(reads_l_ ? diversity(held_[c], {}) : 0);
        t_.push_back(reads_t_ ? distance(held_[c], {}, size) : 0);
        fails_.push_back(0);
        place_.push_back(-1);
        return c;
    }

    void insert(int32_t c) {
        place_[c] = static_cast<int32_t>(alive_.size());
        alive_.push_back(c);
        class_of_[text(c)] = c;
        if (p_.whole_table && reads_l_) by_l_.emplace(l_[c], c);
        if (p_.whole_table && reads_t_) by_t_.emplace(-t_[c], c);
    }

    void remove(int32_t c) {
        if (place_[c] < 0) return;
        alive_[place_[c]] = alive_.back();
        place_[alive_.back()] = place_[c];
        alive_.pop_back();
        place_[c] = -1;
        class_of_.erase(text(c));
        if (p_.whole_table && reads_l_) by_l_.erase({l_[c], c});
        if (p_.whole_table && reads_t_) by_t_.erase({-t_[c], c});
    }

    int32_t join(int32_t a, int32_t b) {
        for (int j = 0; j < d_; ++j) nodes_.push_back(common(p_.axes[j], nodes(a)[j], nodes(b)[j]));
        Counts both;
        walk(held_[a], held_[b], [&](int32_t v, int64_t count) { both.emplace_back(v, count); });
        const int32_t c = born(size_[a] + size_[b], std::move(both));
        remove(a);
        remove(b);
        Counts().swap(held_[a]);
        Counts().swap(held_[b]);
        fails_[c] = size_[c] < p_.k || (p_.judge && !p_.judge(a, b));
        return c;
    }

    struct Key {
        double first = std::numeric_limits<double>::infinity();
        int64_t whole = std::numeric_limits<int64_t>::max();  // whole numbers are compared as such
        double then = std::numeric_limits<double>::infinity();
        int64_t then_whole = std::numeric_limits<int64_t>::max();
        int32_t c = std::numeric_limits<int32_t>::max();
        bool operator<(const Key& o) const {
            if (first != o.first) return first < o.first;
            if (whole != o.whole) return whole < o.whole;
            if (then != o.then) return then < o.then;
            if (then_whole != o.then_whole) return then_whole < o.then_whole;
            return c < o.c;
        }
    };

    template <class Set>
    static auto others(const Set& sorted, int32_t query) {
        std::vector<typename Set::value_type> found;
        for (const auto& entry : sorted) {
            if (entry.second != query) found.push_back(entry);
            if (found.size() == 2) break;
        }
        return found;
    }

    int32_t partner(int32_t query, int64_t& price) {
        const int64_t s = size_[query], q = total_[query];
        std::vector<const int64_t*> rows(d_);
        for (int j = 0; j < d_; ++j) {
            const int32_t v = nodes(query)[j];
            if (matrix_[j].empty()) fill_row(j, v, row_[j].data());
            rows[j] = matrix_[j].empty() ? row_[j].data() : &matrix_[j][static_cast<size_t>(v) * p_.axes[j].climb.size()];
        }
        const auto low = others(by_l_, query);
        const auto far = others(by_t_, query);
        Key best;
        for (const int32_t c : alive_) {
            if (c == query) continue;
            int64_t a = 0;
            for (int j = 0; j < d_; ++j) a += rows[j][nodes(c)[j]];
            const int64_t cost = (s + size_[c]) * a + size_[c] * (total_[c] - q);
            const bool cost_first = p_.rule == Preference::cost || p_.rule == Preference::cost_l || p_.rule == Preference::cost_t;
            if (cost_first && cost > best.whole) continue;
            int64_t l = 0;
            double t = 0;
            if (reads_l_) {
                l = diversity(held_[query], held_[c]);
                for (const auto& [value, other] : low)
                    if (other != c) l = std::min(l, value);
            }
            if (reads_t_) {
                t = distance(held_[query], held_[c], s + size_[c]);
                for (const auto& [value, other] : far)
                    if (other != c) t = std::max(t, -value);
            }
            Key key;
            key.c = c;
            key.first = key.then = 0;
            key.whole = key.then_whole = 0;
            switch (p_.rule) {
                case Preference::cost: key.whole = cost; break;
                case Preference::cost_l: key.whole = cost; key.then_whole = -l; break;
                case Preference::l_cost: key.whole = -l; key.then_whole = cost; break;
                case Preference::cost_per_l: key.first = coarse(static_cast<double>(cost) / std::exp(static_cast<double>(l) / grid)); key.whole = cost; break;
                case Preference::cost_t: key.whole = cost; key.then = t; break;
                case Preference::t_cost: key.first = t; key.whole = cost; break;
                case Preference::cost_times_t: key.first = coarse(static_cast<double>(cost) * t); key.whole = cost; break;
                case Preference::l: key.whole = -l; break;
                case Preference::t: key.first = t; break;
                case Preference::size_cost: key.whole = s + size_[c]; key.then_whole = cost; break;
            }
            if (key < best) {
                best = key;
                price = cost;
            }
        }
        return best.c;
    }

   public:
    explicit GuidedMerger(const Guided& problem)
        : p_(problem),
          d_(static_cast<int>(problem.axes.size())),
          reads_l_(problem.rule == Preference::cost_l || problem.rule == Preference::l_cost || problem.rule == Preference::cost_per_l || problem.rule == Preference::l),
          reads_t_(problem.rule == Preference::cost_t || problem.rule == Preference::t_cost || problem.rule == Preference::cost_times_t || problem.rule == Preference::t),
          matrix_(d_),
          row_(d_) {
        for (const int64_t count : p_.table) rows_ += count;
        for (int j = 0; j < d_; ++j) {
            const size_t n = p_.axes[j].climb.size();
            if (n > widest_matrix) {
                row_[j].resize(n);
                continue;
            }
            matrix_[j].resize(n * n);
            for (size_t v = 0; v < n; ++v) fill_row(j, static_cast<int32_t>(v), &matrix_[j][v * n]);
        }
        nodes_.assign(p_.nodes, p_.nodes + p_.classes * d_);
        for (int64_t c = 0; c < p_.classes; ++c) {
            Counts counts;
            for (int64_t i = p_.start[c]; i < p_.start[c + 1]; ++i) counts.emplace_back(p_.value[i], p_.count[i]);
            born(p_.sizes[c], std::move(counts));
            fails_[c] = p_.failing[c] || size_[c] < p_.k;
            insert(static_cast<int32_t>(c));
        }
    }

    Merges run() {
        Merges out;
        using Entry = std::pair<int64_t, int32_t>;
        using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>>;
        Heap failing, every;
        for (int32_t c : alive_) {
            every.emplace(size_[c], c);
            if (fails_[c]) failing.emplace(size_[c], c);
        }
        const auto top = [&](Heap& heap) {
            while (!heap.empty() && place_[heap.top().second] < 0) heap.pop();
            return heap.empty() ? Entry{0, -1} : heap.top();
        };
        while (true) {
            out.smallest.push_back(top(every).first);
            const int32_t c = top(failing).second;
            if (alive_.size() < 2 || c < 0) return out;
            if (p_.watch && out.left.size() % 64 == 0) p_.watch(1.0 - static_cast<double>(alive_.size()) / p_.classes);
            int64_t price = 0;
            const int32_t with = partner(c, price);
            out.left.push_back(c);
            out.right.push_back(with);
            out.cost.push_back(price);
            int32_t made = join(c, with);
            for (auto same = class_of_.find(text(made)); same != class_of_.end(); same = class_of_.find(text(made))) {
                const int32_t existing = same->second;
                out.smallest.push_back(0);
                out.left.push_back(existing);
                out.right.push_back(made);
                out.cost.push_back(0);
                made = join(existing, made);
            }
            insert(made);
            every.emplace(size_[made], made);
            if (fails_[made]) failing.emplace(size_[made], made);
        }
    }
};

}  // namespace paravent

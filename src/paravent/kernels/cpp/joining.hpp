// Many groups at once: which one costs least to join, for a row or for a group.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "clustering.hpp"

namespace paravent {

// Groups of rows: group g has the rows row[start[g] … start[g + 1]), each named by its unit.
struct Members {
    int64_t groups = 0;
    const int64_t* start = nullptr;
    const int32_t* row = nullptr;
};

// The labels of many groups, column by column, and what they would cost together with one more row or group.
class Groups {
    static constexpr int32_t widest_matrix = 1024;
    static constexpr int64_t block = 512;

    struct Column {
        std::vector<int32_t> low, high;  // span; of a tree, `low` is the node
        std::vector<uint64_t> bits;      // set
        std::vector<int64_t> matrix;     // tree: the cost of the lowest node over (a, b)
        std::vector<int64_t> row;        // the same for one a, where the matrix would be too large
        int64_t words = 0;
    };

    const Points& p_;
    const int d_;
    std::vector<Column> column_;
    std::vector<int32_t> id_;
    std::vector<int64_t> size_, label_;
    std::vector<int32_t> slot_;  // of an id, -1: gone

    int64_t cost_at(int j, int64_t slot) const {
        const PricedAxis& axis = p_.axes[j];
        const Column& c = column_[j];
        if (axis.style == Style::tree) return axis.node_cost[c.low[slot]];
        if (axis.style == Style::span) return axis.span(c.low[slot], c.high[slot]);
        return axis.unit * (distinct(&c.bits[slot * c.words], c.words) - 1);
    }

    static int64_t distinct(const uint64_t* bits, int64_t words) {
        int64_t n = 0;
        for (int64_t w = 0; w < words; ++w) n += __builtin_popcountll(bits[w]);
        return n;
    }

    void fill_row(int j, int32_t node, int64_t* row) const {
        const PricedAxis& axis = p_.axes[j];
        for (size_t v = 0; v < axis.parent.size(); ++v)
            row[v] = axis.node_cost[axis.common(node, static_cast<int32_t>(v))];
    }

    const int64_t* row_of(int j, int32_t node) {
        Column& c = column_[j];
        if (!c.matrix.empty()) return &c.matrix[static_cast<size_t>(node) * p_.axes[j].parent.size()];
        c.row.resize(p_.axes[j].parent.size());
        fill_row(j, node, c.row.data());
        return c.row.data();
    }

    void relabel(int64_t slot) {
        label_[slot] = 0;
        for (int j = 0; j < d_; ++j) label_[slot] += cost_at(j, slot);
    }

 public:
    // One label to be met with all: a row's, or a group's.
    struct Query {
        std::vector<int32_t> low, high;
        std::vector<std::vector<uint64_t>> bits;
        std::vector<const int64_t*> row;
    };

    explicit Groups(const Points& points) : p_(points), d_(static_cast<int>(points.axes.size())), column_(d_) {
        for (int j = 0; j < d_; ++j) {
            const PricedAxis& axis = p_.axes[j];
            const size_t nodes = axis.parent.size();
            if (axis.style == Style::set) column_[j].words = (axis.size + 63) / 64;
            if (axis.style != Style::tree || nodes > widest_matrix) continue;
            column_[j].matrix.resize(nodes * nodes);
            for (size_t v = 0; v < nodes; ++v) fill_row(j, static_cast<int32_t>(v), &column_[j].matrix[v * nodes]);
        }
    }

    int64_t count() const { return static_cast<int64_t>(id_.size()); }
    int32_t id(int64_t slot) const { return id_[slot]; }
    int64_t size(int64_t slot) const { return size_[slot]; }
    int64_t label(int64_t slot) const { return label_[slot]; }
    int64_t slot(int32_t id) const { return slot_[id]; }
    bool alive(int32_t id) const { return slot_[id] >= 0; }

    // A new group of some rows; it has the next number.
    int32_t open(const int32_t* rows, int64_t n) {
        const int32_t id = static_cast<int32_t>(slot_.size());
        slot_.push_back(static_cast<int32_t>(id_.size()));
        id_.push_back(id);
        size_.push_back(0);
        label_.push_back(0);
        for (Column& c : column_) {
            c.low.push_back(-1);
            c.high.push_back(-1);
            c.bits.resize(c.bits.size() + c.words, 0);
        }
        set(count() - 1, rows, n);
        return id;
    }

    // The group has these rows from now on.
    void set(int64_t slot, const int32_t* rows, int64_t n) {
        for (Column& c : column_) {
            c.low[slot] = c.high[slot] = -1;
            std::fill_n(c.bits.begin() + slot * c.words, c.words, 0);
        }
        for (int64_t i = 0; i < n; ++i) widen(slot, rows[i]);
        size_[slot] = n;
        if (n > 0) relabel(slot);
    }

    void add(int64_t slot, int32_t unit) {
        widen(slot, unit);
        ++size_[slot];
        relabel(slot);
    }

    void close(int32_t id) {
        const int64_t slot = slot_[id], end = count() - 1;
        for (Column& c : column_) {
            c.low[slot] = c.low[end];
            c.high[slot] = c.high[end];
            std::copy_n(c.bits.begin() + end * c.words, c.words, c.bits.begin() + slot * c.words);
            c.low.pop_back();
            c.high.pop_back();
            c.bits.resize(end * c.words);
        }
        id_[slot] = id_[end];
        size_[slot] = size_[end];
        label_[slot] = label_[end];
        slot_[id_[slot]] = static_cast<int32_t>(slot);
        id_.pop_back();
        size_.pop_back();
        label_.pop_back();
        slot_[id] = -1;
    }

    // Two groups become one; it has the next number.
    int32_t merge(int32_t a, int32_t b) {
        const int32_t id = open(nullptr, 0);
        const int64_t to = count() - 1, x = slot_[a], y = slot_[b];
        for (int j = 0; j < d_; ++j) {
            const PricedAxis& axis = p_.axes[j];
            Column& c = column_[j];
            if (axis.style == Style::tree) {
                c.low[to] = axis.common(c.low[x], c.low[y]);
            } else if (axis.style == Style::span) {
                c.low[to] = std::min(c.low[x], c.low[y]);
                c.high[to] = std::max(c.high[x], c.high[y]);
            }
            for (int64_t w = 0; w < c.words; ++w)
                c.bits[to * c.words + w] = c.bits[x * c.words + w] | c.bits[y * c.words + w];
        }
        size_[to] = size_[x] + size_[y];
        relabel(to);
        close(a);
        close(b);
        return id;
    }

    Query query_row(int32_t unit) {
        Query q{std::vector<int32_t>(d_), std::vector<int32_t>(d_), std::vector<std::vector<uint64_t>>(d_),
                std::vector<const int64_t*>(d_)};
        for (int j = 0; j < d_; ++j) {
            const int32_t v = p_.codes[static_cast<int64_t>(unit) * d_ + j];
            q.low[j] = q.high[j] = v;
            if (p_.axes[j].style == Style::tree) q.row[j] = row_of(j, v);
            if (p_.axes[j].style == Style::set) {
                q.bits[j].assign(column_[j].words, 0);
                q.bits[j][v / 64] |= uint64_t{1} << (v % 64);
            }
        }
        return q;
    }

    Query query_group(int64_t slot) {
        Query q{std::vector<int32_t>(d_), std::vector<int32_t>(d_), std::vector<std::vector<uint64_t>>(d_),
                std::vector<const int64_t*>(d_)};
        for (int j = 0; j < d_; ++j) {
            const Column& c = column_[j];
            q.low[j] = c.low[slot];
            q.high[j] = c.high[slot];
            if (p_.axes[j].style == Style::tree) q.row[j] = row_of(j, c.low[slot]);
            if (p_.axes[j].style == Style::set)
                q.bits[j].assign(c.bits.begin() + slot * c.words, c.bits.begin() + (slot + 1) * c.words);
        }
        return q;
    }

    // visit(slot, cost of the label over the query and the group) for every group.
    template <class Visit> void meet(const Query& q, Visit visit) const {
        int64_t together[block];
        for (int64_t begin = 0; begin < count(); begin += block) {
            const int64_t n = std::min(block, count() - begin);
            std::fill_n(together, n, 0);
            for (int j = 0; j < d_; ++j) {
                const PricedAxis& axis = p_.axes[j];
                const Column& c = column_[j];
                const int32_t *low = &c.low[begin], *high = &c.high[begin];
                if (axis.style == Style::tree) {
                    const int64_t* row = q.row[j];
                    for (int64_t i = 0; i < n; ++i) together[i] += row[low[i]];
                } else if (axis.style == Style::span) {
                    for (int64_t i = 0; i < n; ++i)
                        together[i] += axis.span(std::min(low[i], q.low[j]), std::max(high[i], q.high[j]));
                } else {
                    for (int64_t i = 0; i < n; ++i) {
                        const uint64_t* bits = &c.bits[(begin + i) * c.words];
                        int64_t n_distinct = 0;
                        for (int64_t w = 0; w < c.words; ++w)
                            n_distinct += __builtin_popcountll(bits[w] | q.bits[j][w]);
                        together[i] += axis.unit * (n_distinct - 1);
                    }
                }
            }
            for (int64_t i = 0; i < n; ++i) visit(begin + i, together[i]);
        }
    }

 private:
    void widen(int64_t slot, int32_t unit) {
        for (int j = 0; j < d_; ++j) {
            const PricedAxis& axis = p_.axes[j];
            Column& c = column_[j];
            const int32_t v = p_.codes[static_cast<int64_t>(unit) * d_ + j];
            if (axis.style == Style::set) {
                c.bits[slot * c.words + v / 64] |= uint64_t{1} << (v % 64);
            } else if (c.low[slot] < 0) {
                c.low[slot] = c.high[slot] = v;
            } else if (axis.style == Style::tree) {
                c.low[slot] = axis.common(c.low[slot], v);
            } else {
                c.low[slot] = std::min(c.low[slot], v);
                c.high[slot] = std::max(c.high[slot], v);
            }
        }
    }
};

// Rows that join groups one after the other, each the one that it adds least to.
struct Joining : Points {
    Members members;
    std::vector<int32_t> rows;  // units, in the order in which they join
    int64_t below = 0;          // > 0: groups of fewer rows come first, as long as there are any
    int64_t spare = 0;          // so many rows may be left out, each where joining would cost more than `dear`
    int64_t dear = 0;
    int64_t tries = 0;                            // so many groups are asked whether they hold with the row in it
    std::function<bool(int32_t, int32_t)> judge;  // group and unit; empty: every group takes it
    std::function<void(double)> watch;
};

inline std::vector<int32_t> join_rows(const Joining& p) {
    Groups groups(p);
    int64_t small = 0;
    for (int64_t g = 0; g < p.members.groups; ++g) {
        groups.open(p.members.row + p.members.start[g], p.members.start[g + 1] - p.members.start[g]);
        small += groups.size(g) < p.below;
    }
    std::vector<int32_t> found;
    std::vector<std::pair<int64_t, int64_t>> offers;
    int64_t spare = p.spare;
    for (size_t r = 0; r < p.rows.size(); ++r) {
        if (p.watch && r % 256 == 0) p.watch(static_cast<double>(r) / static_cast<double>(p.rows.size()));
        const Groups::Query q = groups.query_row(p.rows[r]);
        int64_t best = std::numeric_limits<int64_t>::max(), at = -1;
        offers.clear();
        groups.meet(q, [&](int64_t slot, int64_t label) {
            if (small > 0 && groups.size(slot) >= p.below) return;
            const int64_t more = (groups.size(slot) + 1) * label - groups.size(slot) * groups.label(slot);
            if (p.judge) offers.emplace_back(more, slot);
            if (more < best) best = more, at = slot;
        });
        if (spare > 0 && best > p.dear) {
            --spare;
            found.push_back(-1);
            continue;
        }
        if (p.judge) {
            const size_t asked = std::min(offers.size(), static_cast<size_t>(p.tries));
            std::partial_sort(offers.begin(), offers.begin() + asked, offers.end());
            for (size_t o = 0; o < asked; ++o)
                if (p.judge(static_cast<int32_t>(offers[o].second), p.rows[r])) {
                    at = offers[o].second;
                    break;
                }
        }
        groups.add(at, p.rows[r]);
        if (p.below > 0 && groups.size(at) == p.below) --small;
        found.push_back(static_cast<int32_t>(at));
    }
    return found;
}

// Groups with more than k rows give up rows until they have k: each time the one whose leaving saves most, of equals
// the last. Returns the places of those rows in `members`, group by group.
inline std::vector<int64_t> shed_rows(const Points& p, const Members& members, int64_t k) {
    const int d = static_cast<int>(p.axes.size());
    std::vector<int64_t> out;
    for (int64_t g = 0; g < members.groups; ++g) {
        std::vector<int64_t> here;
        for (int64_t i = members.start[g]; i < members.start[g + 1]; ++i) here.push_back(i);
        std::vector<int64_t> without;
        while (static_cast<int64_t>(here.size()) > k) {
            const int64_t n = static_cast<int64_t>(here.size());
            without.assign(n, 0);
            for (int j = 0; j < d; ++j) {
                const PricedAxis& axis = p.axes[j];
                auto code = [&](int64_t i) { return p.codes[static_cast<int64_t>(members.row[here[i]]) * d + j]; };
                if (axis.style == Style::set) {
                    std::vector<int64_t> times(axis.size, 0);
                    int64_t distinct = 0;
                    for (int64_t i = 0; i < n; ++i) distinct += times[code(i)]++ == 0;
                    for (int64_t i = 0; i < n; ++i) without[i] += axis.unit * (distinct - (times[code(i)] == 1) - 1);
                    continue;
                }
                // The two lowest and the two highest codes say what is left when any one goes.
                int32_t low = axis.size, low2 = axis.size, high = -1, high2 = -1;
                for (int64_t i = 0; i < n; ++i) {
                    const int32_t v = code(i);
                    if (v < low) low2 = low, low = v;
                    else low2 = std::min(low2, v);
                    if (v > high) high2 = high, high = v;
                    else high2 = std::max(high2, v);
                }
                for (int64_t i = 0; i < n; ++i) {
                    const int32_t v = code(i), a = v == low ? low2 : low, b = v == high ? high2 : high;
                    without[i] += axis.style == Style::tree ? axis.node_cost[axis.common(a, b)] : axis.span(a, b);
                }
            }
            int64_t least = std::numeric_limits<int64_t>::max(), at = -1;
            for (int64_t i = 0; i < n; ++i) {
                const int64_t stays = (n - 1) * without[i] + (p.base ? p.base[members.row[here[i]]] : 0);
                if (stays <= least) least = stays, at = i;
            }
            out.push_back(here[at]);
            here.erase(here.begin() + at);
        }
    }
    return out;
}

// Groups that do not hold join the group that costs least to join, one after the other.
struct Absorbing : Points {
    Members members;
    std::vector<int32_t> waiting;  // the groups that do not hold, in the order in which they are looked at
    int64_t k = 1;
    bool divide = false;  // of a group large enough, only as many rows as are missing are taken
    int64_t spare = 0;    // so many rows may be left out, where joining costs more than `dear` a row
    int64_t dear = 0;
    std::function<bool(int32_t, int32_t)> judge;  // whether the group made of two holds; empty: k rows do
    std::function<void(double)> watch;
};

// Rows by group, in the order of their groups' numbers; group -1 is left out. A group made of two has the next number.
inline Grown absorb(const Absorbing& p) {
    Groups groups(p);
    std::vector<std::vector<int32_t>> rows;
    for (int64_t g = 0; g < p.members.groups; ++g) {
        rows.emplace_back(p.members.row + p.members.start[g], p.members.row + p.members.start[g + 1]);
        groups.open(rows.back().data(), static_cast<int64_t>(rows.back().size()));
    }
    std::deque<int32_t> waiting(p.waiting.begin(), p.waiting.end());
    std::vector<int32_t> left_out;
    int64_t spare = p.spare;
    for (int64_t step = 0; !waiting.empty() && groups.count() > 1; ++step) {
        if (p.watch && step % 256 == 0)
            p.watch(1.0 - static_cast<double>(waiting.size()) / static_cast<double>(p.waiting.size()));
        const int32_t c = waiting.front();
        waiting.pop_front();
        if (!groups.alive(c)) continue;
        const int64_t at = groups.slot(c), s = groups.size(at), label = groups.label(at);
        const int64_t missing = p.k - s;
        int64_t best = std::numeric_limits<int64_t>::max();
        int32_t partner = -1;
        const Groups::Query q = groups.query_group(at);
        groups.meet(q, [&](int64_t slot, int64_t together) {
            const int64_t size = groups.size(slot);
            const int64_t t = p.divide && missing > 0 && size - missing >= p.k ? missing : size;
            const int64_t cost = (s + t) * together - s * label - t * groups.label(slot);
            if (cost < best || (cost == best && groups.id(slot) < partner))
                if (slot != at) best = cost, partner = groups.id(slot);
        });
        if (s <= spare && best > s * (p.dear - label)) {
            spare -= s;
            left_out.insert(left_out.end(), rows[c].begin(), rows[c].end());
            groups.close(c);
            rows[c].clear();
            continue;
        }
        const int64_t other = groups.slot(partner);
        if (p.divide && missing > 0 && groups.size(other) - missing >= p.k) {
            for (int64_t m = 0; m < missing; ++m) {
                std::vector<int32_t>& from = rows[partner];
                int64_t least = std::numeric_limits<int64_t>::max();
                size_t taken = 0;
                std::vector<Label> have(p.axes.size());
                for (size_t j = 0; j < p.axes.size(); ++j) {
                    have[j].clear(p.axes[j]);
                    for (int32_t unit : rows[c])
                        have[j].add(p.axes[j], p.codes[static_cast<int64_t>(unit) * p.axes.size() + j]);
                }
                const int64_t size = static_cast<int64_t>(rows[c].size());
                for (size_t i = 0; i < from.size(); ++i) {
                    if (i > 0 && from[i] == from[i - 1]) continue;
                    int64_t cost = 0;
                    for (size_t j = 0; j < p.axes.size(); ++j) {
                        Label with = have[j];
                        with.add(p.axes[j], p.codes[static_cast<int64_t>(from[i]) * p.axes.size() + j]);
                        cost += with.cost(p.axes[j]);
                    }
                    cost = (size + 1) * cost - (p.base ? p.base[from[i]] : 0);
                    if (cost < least) least = cost, taken = i;
                }
                rows[c].push_back(from[taken]);
                from.erase(from.begin() + static_cast<int64_t>(taken));
            }
            groups.set(other, rows[partner].data(), static_cast<int64_t>(rows[partner].size()));
            groups.set(at, rows[c].data(), static_cast<int64_t>(rows[c].size()));
            continue;
        }
        std::vector<int32_t> both = std::move(rows[partner]);
        both.insert(both.end(), rows[c].begin(), rows[c].end());
        rows[partner].clear();
        rows[c].clear();
        rows.push_back(std::move(both));
        const int32_t made = groups.merge(partner, c);
        const bool holds = p.judge ? p.judge(c, partner) : groups.size(groups.slot(made)) >= p.k;
        if (!holds) waiting.push_back(made);
    }
    Grown out;
    int32_t number = 0;
    for (const std::vector<int32_t>& group : rows) {
        if (group.empty()) continue;
        out.unit.insert(out.unit.end(), group.begin(), group.end());
        out.cluster.insert(out.cluster.end(), group.size(), number++);
    }
    out.unit.insert(out.unit.end(), left_out.begin(), left_out.end());
    out.cluster.insert(out.cluster.end(), left_out.size(), -1);
    return out;
}

}  // namespace paravent

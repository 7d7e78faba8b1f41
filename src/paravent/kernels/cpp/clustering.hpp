// Clusters grown one after the other: a seed, then the point of least cost, again and again.
//
// The clusters are those of the naive algorithm, which looks at all points every time. Here points stand in groups that
// share their codes on a few telling axes, and a group whose bound is worse than the best point so far is not opened.
// The other axes are joined into a few tables of their combinations, so that a point costs two or three look-ups; a
// table is made anew only where the label of the cluster grew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pricing.hpp"

namespace paravent {

// Points with equal codes, `counts` of each. A group of c rows whose label costs L costs c L less the `base` of each.
struct Points {
    int64_t units = 0;
    const int32_t* codes = nullptr;  // units x axes
    const int64_t* counts = nullptr;
    const int64_t* base = nullptr;  // none: zeros
    std::vector<PricedAxis> axes;
};

struct Growing : Points {
    int64_t k = 1;
    bool centred = false;        // up to k rows, the nearest to the seed joins, not the one that adds least
    std::vector<int32_t> seeds;  // units in the order in which they become seeds; none: the farthest one does
    int32_t start = 0;           // whatever is farthest from it is the first seed
    // Asked about a cluster of k rows or more, which grows until it holds; empty: k alone decides. A cluster that does
    // not hold takes rows of kinds that are rarer in it than in the table, while there are any.
    std::function<bool(const std::vector<int32_t>&)> judge;
    const int32_t* kind = nullptr;    // of each unit
    std::vector<int64_t> kind_table;  // rows of each kind in the table
    std::function<void(double)> watch;
};

// Row i is one of unit[i] and joined cluster[i]; in the order of joining. Rows that are not named are left over.
struct Grown {
    std::vector<int32_t> unit, cluster;
};

class Grower {
    static constexpr int64_t widest_table = 2048;
    static constexpr int64_t points_a_group = 16, fewest_groups = 8;
    static constexpr int64_t most = std::numeric_limits<int64_t>::max();

    // Some axes as one: a code for each combination of theirs, and what a point with that code would make the label
    // cost.
    struct Joined {
        std::vector<int> axes;
        std::vector<int64_t> table;
        std::vector<uint32_t> codes;  // by place
        bool stale = true;
    };
    // Points at the places begin … end, all with the codes `key` on the telling axes.
    struct Group {
        int64_t begin, end;
        int64_t base;  // the highest of its points
    };
    struct Found {
        int64_t price, at;
    };

    const Growing& p_;
    const int d_;
    std::vector<int> telling_, others_;
    std::vector<Group> groups_;
    std::vector<int32_t> key_;  // groups x telling axes
    std::vector<int64_t> bound_;
    std::vector<Joined> joined_;
    std::vector<int32_t> unit_, kind_;  // by place
    std::vector<int64_t> left_, base_;
    std::vector<int64_t> place_;     // of a unit, -1: used up
    std::vector<int32_t> group_of_;  // of a unit
    int64_t rows_ = 0, table_rows_ = 0;
    std::vector<Label> label_;
    std::vector<std::vector<int64_t>> table_;  // by axis
    std::vector<int64_t> kinds_here_;
    bool choosy_ = false;  // only kinds that are rarer here than in the table may join
    int64_t size_ = 0, rest_ = 0;

    int32_t code(int64_t unit, int j) const { return p_.codes[unit * d_ + j]; }

    // The least that a second value adds to the label of one.
    int64_t least_step(int j) const {
        const PricedAxis& axis = p_.axes[j];
        if (axis.style == Style::set) return axis.unit;
        int64_t least = most;
        for (int32_t v = 0; v < axis.size; ++v) {
            if (axis.style == Style::tree && axis.parent[v] >= 0)
                least = std::min(least, axis.node_cost[axis.parent[v]] - axis.node_cost[v]);
            if (axis.style == Style::span && v > 0) least = std::min(least, axis.span(v - 1, v));
        }
        return least;
    }

    // The axes on which a mismatch costs most, as long as groups do not become too small.
    void choose_telling() {
        std::vector<std::pair<int64_t, int>> by_step;
        for (int j = 0; j < d_; ++j) by_step.emplace_back(-least_step(j), j);
        std::sort(by_step.begin(), by_step.end());
        const size_t limit = static_cast<size_t>(std::max<int64_t>(fewest_groups, p_.units / points_a_group));
        std::vector<uint64_t> id(p_.units, 0);
        for (const auto& [step, j] : by_step) {
            (void)step;
            std::unordered_map<uint64_t, uint64_t> seen;
            std::vector<uint64_t> tried(p_.units);
            for (int64_t i = 0; i < p_.units && seen.size() <= limit; ++i)
                tried[i] =
                    seen.emplace(id[i] * static_cast<uint64_t>(p_.axes[j].size) + static_cast<uint64_t>(code(i, j)),
                                 seen.size())
                        .first->second;
            if (seen.size() <= limit) {
                id = std::move(tried);
                telling_.push_back(j);
            }
        }
        for (int j = 0; j < d_; ++j)
            if (std::find(telling_.begin(), telling_.end(), j) == telling_.end()) others_.push_back(j);
        std::vector<int64_t> order(p_.units);
        for (int64_t i = 0; i < p_.units; ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return id[a] < id[b]; });
        for (int64_t at = 0; at < p_.units; ++at) {
            const int64_t unit = order[at];
            if (at == 0 || id[unit] != id[order[at - 1]]) {
                groups_.push_back({at, at, 0});
                for (int j : telling_) key_.push_back(code(unit, j));
            }
            Group& group = groups_.back();
            group.end = at + 1;
            if (p_.base) group.base = std::max(group.base, p_.base[unit]);
            unit_.push_back(static_cast<int32_t>(unit));
            left_.push_back(p_.counts[unit]);
            if (p_.base) base_.push_back(p_.base[unit]);
            if (p_.kind) kind_.push_back(p_.kind[unit]);
            place_[unit] = at;
            group_of_[unit] = static_cast<int32_t>(groups_.size()) - 1;
        }
        bound_.resize(groups_.size());
    }

    void join_others() {
        std::vector<int> by_size = others_;
        std::stable_sort(by_size.begin(), by_size.end(),
                         [&](int a, int b) { return p_.axes[a].size > p_.axes[b].size; });
        std::vector<int64_t> width;
        for (int j : by_size) {
            const int64_t size = p_.axes[j].size;
            size_t at = 0;
            while (at < width.size() && width[at] * size > widest_table) ++at;
            if (at == width.size()) {
                width.push_back(1);
                joined_.emplace_back();
            }
            width[at] *= size;
            joined_[at].axes.push_back(j);
        }
        for (size_t b = 0; b < joined_.size(); ++b) {
            joined_[b].table.resize(width[b]);
            joined_[b].codes.resize(p_.units);
            for (int64_t at = 0; at < p_.units; ++at) {
                uint32_t joint = 0;
                for (int j : joined_[b].axes)
                    joint = joint * static_cast<uint32_t>(p_.axes[j].size) + static_cast<uint32_t>(code(unit_[at], j));
                joined_[b].codes[at] = joint;
            }
        }
    }

    void refresh() {
        for (Joined& b : joined_) {
            if (!b.stale) continue;
            b.stale = false;
            int64_t filled = 1;
            b.table[0] = 0;
            for (int j : b.axes) {  // from the back, so that no entry is overwritten before it is read
                const int64_t size = p_.axes[j].size;
                const int64_t* one = table_[j].data();
                for (int64_t i = filled - 1; i >= 0; --i) {
                    const int64_t before = b.table[i];
                    for (int64_t v = size - 1; v >= 0; --v) b.table[i * size + v] = before + one[v];
                }
                filled *= size;
            }
        }
    }

    // A cluster of no rows yet with the label of one point.
    void begin(int32_t unit) {
        for (int j = 0; j < d_; ++j) label_[j].clear(p_.axes[j]);
        cover(unit);
        size_ = 0;
        choosy_ = false;
        if (!kind_.empty()) std::fill(kinds_here_.begin(), kinds_here_.end(), 0);
    }

    void cover(int32_t unit) {
        for (int j : telling_)
            if (label_[j].add(p_.axes[j], code(unit, j))) label_[j].fill(p_.axes[j], table_[j].data());
        for (Joined& b : joined_)
            for (int j : b.axes)
                if (label_[j].add(p_.axes[j], code(unit, j))) {
                    label_[j].fill(p_.axes[j], table_[j].data());
                    b.stale = true;
                }
    }

    bool may_join(int64_t at) const {
        if (!choosy_) return true;
        const int32_t kind = kind_[at];
        return kinds_here_[kind] * table_rows_ < size_ * p_.kind_table[kind];
    }

    int64_t shared(size_t group) const {
        int64_t cost = 0;
        const int32_t* key = key_.data() + group * telling_.size();
        for (size_t x = 0; x < telling_.size(); ++x) cost += table_[telling_[x]][key[x]];
        return cost;
    }

    // What a cluster of c rows would cost with the point in it, less a constant; `cost` is that of the telling axes.
    int64_t price(int64_t at, int64_t cost, int64_t c) const {
        for (const Joined& b : joined_) cost += b.table[b.codes[at]];
        return base_.empty() ? cost : cost * (c + 1) - base_[at];
    }

    // visit(place, price) for every point of a group.
    template <class Visit> void open(size_t g, int64_t cost, int64_t c, Visit visit) const {
        const Group& group = groups_[g];
        if (joined_.size() == 2 && base_.empty()) {  // the common case, without an inner loop
            const int64_t *x = joined_[0].table.data(), *y = joined_[1].table.data();
            const uint32_t *a = joined_[0].codes.data(), *b = joined_[1].codes.data();
            for (int64_t at = group.begin; at < group.end; ++at) visit(at, cost + x[a[at]] + y[b[at]]);
            return;
        }
        for (int64_t at = group.begin; at < group.end; ++at) visit(at, price(at, cost, c));
    }

    // The least that points of every group can cost: what the telling axes say, and the label as it is on the others.
    void bound_below(int64_t c) {
        refresh();
        int64_t rest = 0;
        for (int j : others_) rest += label_[j].cost(p_.axes[j]);
        for (size_t g = 0; g < groups_.size(); ++g) {
            const int64_t cost = shared(g) + rest;
            bound_[g] = groups_[g].begin == groups_[g].end ? most
                        : base_.empty()                    ? cost
                                                           : cost * (c + 1) - groups_[g].base;
        }
        rest_ = rest;
    }

    int64_t shared_of(size_t g, int64_t c) const {
        return base_.empty() ? bound_[g] - rest_ : (bound_[g] + groups_[g].base) / (c + 1) - rest_;
    }

    int64_t cheapest(int64_t c) {
        bound_below(c);
        Found best{most, -1};
        auto look = [&](size_t g) {
            open(g, shared_of(g, c), c, [&](int64_t at, int64_t cost) {
                if (cost < best.price || (cost == best.price && unit_[at] < unit_[best.at]))
                    if (may_join(at)) best = {cost, at};
            });
        };
        const size_t first = static_cast<size_t>(std::min_element(bound_.begin(), bound_.end()) - bound_.begin());
        look(first);
        for (size_t g = 0; g < groups_.size(); ++g)
            if (g != first && bound_[g] <= best.price && bound_[g] != most) look(g);
        return best.at;
    }

    int64_t farthest() {
        refresh();
        int64_t rest = 0, least_base = 0;
        for (int j : others_) rest += *std::max_element(table_[j].begin(), table_[j].end());
        if (!base_.empty()) least_base = *std::min_element(p_.base, p_.base + p_.units);
        size_t first = 0;
        for (size_t g = 0; g < groups_.size(); ++g) {
            bound_[g] = groups_[g].begin == groups_[g].end ? -1 : shared(g);
            if (bound_[g] > bound_[first]) first = g;
        }
        Found best{-most, -1};
        auto look = [&](size_t g) {
            open(g, bound_[g], 1, [&](int64_t at, int64_t cost) {
                if (cost > best.price || (cost == best.price && unit_[at] < unit_[best.at])) best = {cost, at};
            });
        };
        look(first);
        for (size_t g = 0; g < groups_.size(); ++g) {
            if (g == first || bound_[g] < 0) continue;
            const int64_t above = bound_[g] + rest;
            if ((base_.empty() ? above : 2 * above - least_base) >= best.price) look(g);
        }
        return best.at;
    }

    void take(int64_t at, int32_t cluster, Grown& out) {
        const int32_t unit = unit_[at];
        out.unit.push_back(unit);
        out.cluster.push_back(cluster);
        --rows_;
        ++size_;
        if (!kind_.empty()) ++kinds_here_[kind_[at]];
        if (--left_[at] > 0) return;
        place_[unit] = -1;
        const int64_t last = --groups_[group_of_[unit]].end;
        if (last == at) return;
        unit_[at] = unit_[last];
        left_[at] = left_[last];
        if (!base_.empty()) base_[at] = base_[last];
        if (!kind_.empty()) kind_[at] = kind_[last];
        for (Joined& b : joined_) b.codes[at] = b.codes[last];
        place_[unit_[at]] = at;
    }

    // A cluster that has k rows and does not hold becomes choosy, while rows are left that it may choose.
    bool enough(const Grown& out, size_t begun) {
        if (size_ < p_.k) return false;
        if (!p_.judge || p_.judge({out.unit.begin() + static_cast<int64_t>(begun), out.unit.end()})) return true;
        choosy_ = !kind_.empty();
        return false;
    }

    void grow(int32_t cluster, Grown& out, size_t begun) {
        while (!enough(out, begun) && rows_ > 0) {
            int64_t at = cheapest(size_);
            if (at < 0) {
                choosy_ = false;
                at = cheapest(size_);
            }
            const int32_t unit = unit_[at];
            take(at, cluster, out);
            cover(unit);
        }
    }

    // The nearest to the seed join until there are k rows; of equals the one that adds least, then the lowest.
    void gather(int32_t cluster, Grown& out) {
        std::vector<std::pair<int64_t, int32_t>> offers = nearest(p_.k - size_);  // distance from the seed, unit
        std::sort(offers.begin(), offers.end());
        size_t from = 0;
        while (size_ < p_.k) {
            while (place_[offers[from].second] < 0) ++from;
            Found best{most, -1};
            refresh();
            for (size_t o = from; o < offers.size() && offers[o].first == offers[from].first; ++o) {
                const int64_t at = place_[offers[o].second];
                if (at < 0) continue;
                const int64_t more = price(at, shared(static_cast<size_t>(group_of_[unit_[at]])), size_);
                if (more < best.price) best = {more, at};
            }
            const int32_t unit = unit_[best.at];
            take(best.at, cluster, out);
            cover(unit);
        }
    }

    // The points nearest to the label, so many of them at least and all that are as near as the last of these.
    std::vector<std::pair<int64_t, int32_t>> nearest(int64_t wanted) {
        std::vector<std::pair<int64_t, int32_t>> found;
        if (wanted <= 0) return found;
        bound_below(1);
        std::vector<int64_t> heap;  // the smallest distances so far, the largest of them first
        int64_t limit = most;
        auto look = [&](size_t g) {
            open(g, shared_of(g, 1), 1, [&](int64_t at, int64_t cost) {
                if (cost > limit) return;
                found.emplace_back(cost, unit_[at]);
                heap.push_back(cost);
                std::push_heap(heap.begin(), heap.end());
                if (static_cast<int64_t>(heap.size()) > wanted) {
                    std::pop_heap(heap.begin(), heap.end());
                    heap.pop_back();
                }
                if (static_cast<int64_t>(heap.size()) == wanted) limit = heap.front();
            });
        };
        const size_t first = static_cast<size_t>(std::min_element(bound_.begin(), bound_.end()) - bound_.begin());
        if (bound_[first] != most) look(first);
        for (size_t g = 0; g < groups_.size(); ++g)
            if (g != first && bound_[g] <= limit && bound_[g] != most) look(g);
        found.erase(std::remove_if(found.begin(), found.end(), [&](const auto& offer) { return offer.first > limit; }),
                    found.end());
        return found;
    }

 public:
    explicit Grower(const Growing& problem)
        : p_(problem),
          d_(static_cast<int>(problem.axes.size())),
          place_(problem.units),
          group_of_(problem.units),
          label_(d_),
          table_(d_),
          kinds_here_(problem.kind_table.size()) {
        for (int64_t i = 0; i < p_.units; ++i) rows_ += p_.counts[i];
        for (int64_t rows : p_.kind_table) table_rows_ += rows;
        for (int j = 0; j < d_; ++j) table_[j].resize(p_.axes[j].size);
        choose_telling();
        join_others();
    }

    Grown run() {
        Grown out;
        const int64_t all = rows_;
        size_t turn = 0;
        int32_t from = p_.start;
        for (int32_t cluster = 0; rows_ >= p_.k && rows_ > 0; ++cluster) {
            if (p_.watch && cluster % 64 == 0) p_.watch(1.0 - static_cast<double>(rows_) / static_cast<double>(all));
            int64_t seed;
            if (p_.seeds.empty()) {
                begin(from);
                seed = farthest();
            } else {
                while (place_[p_.seeds[turn]] < 0) ++turn;
                seed = place_[p_.seeds[turn]];
            }
            const size_t begun = out.unit.size();
            begin(unit_[seed]);
            take(seed, cluster, out);
            if (p_.centred) gather(cluster, out);
            grow(cluster, out, begun);
            if (rows_ == 0 && !enough(out, begun)) {  // nothing is left that could make it hold: its rows are left over
                out.unit.resize(begun);
                out.cluster.resize(begun);
                break;
            }
            from = out.unit.back();
        }
        return out;
    }
};

}  // namespace paravent

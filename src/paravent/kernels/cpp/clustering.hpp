// Clusters grown one after the other: a seed, then the point of least cost, again and again.
//
// Every step looks at all points that are left, so the clusters are those of the naive algorithm. A step is cheap
// because what a point would cost is a sum of table entries: axes are joined into a few tables of their combinations,
// and a table is made anew only where the label of the cluster grew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
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
    bool centred = false;             // the nearest to the seed joins, not the one that adds least to the cluster
    std::vector<int32_t> seeds;       // units in the order in which they become seeds; none: the farthest one does
    int32_t start = 0;                // whatever is farthest from it is the first seed
    std::function<bool(const std::vector<int32_t>&)> judge;  // of a cluster of k rows or more; empty: k alone decides
    std::function<void(double)> watch;
};

// Row i is one of unit[i] and joined cluster[i]; in the order of joining. Rows that are not named are left over.
struct Grown {
    std::vector<int32_t> unit, cluster;
};

class Grower {
    static constexpr int64_t widest_table = 2048;
    static constexpr int64_t none = std::numeric_limits<int64_t>::max();

    // Some axes as one: a code for each combination of theirs, and what a point with that code would make the label cost.
    struct Joined {
        std::vector<int> axes;
        std::vector<int64_t> table;
        std::vector<uint32_t> codes;  // of the points that are left
        bool stale = true;
    };

    const Growing& p_;
    const int d_;
    std::vector<Joined> joined_;
    std::vector<int32_t> unit_;  // the points that are left, ascending; some may be used up
    std::vector<int64_t> left_;
    std::vector<int64_t> base_;
    std::vector<int64_t> place_;  // of a unit among them, -1: gone
    int64_t rows_ = 0, used_up_ = 0;
    std::vector<Label> label_;
    std::vector<std::vector<int64_t>> table_;  // by axis

    void join_axes() {
        std::vector<int> by_size(d_);
        for (int j = 0; j < d_; ++j) by_size[j] = j;
        std::stable_sort(by_size.begin(), by_size.end(), [&](int a, int b) { return p_.axes[a].size > p_.axes[b].size; });
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
            for (int64_t i = 0; i < p_.units; ++i) {
                uint32_t code = 0;
                for (int j : joined_[b].axes) code = code * static_cast<uint32_t>(p_.axes[j].size) + static_cast<uint32_t>(p_.codes[i * d_ + j]);
                joined_[b].codes[i] = code;
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

    void begin(int32_t unit) {
        for (int j = 0; j < d_; ++j) label_[j].clear(p_.axes[j]);
        cover(unit);
    }

    void cover(int32_t unit) {
        for (Joined& b : joined_)
            for (int j : b.axes)
                if (label_[j].add(p_.axes[j], p_.codes[static_cast<int64_t>(unit) * d_ + j])) {
                    label_[j].fill(p_.axes[j], table_[j].data());
                    b.stale = true;
                }
    }

    int64_t price(int64_t i, int64_t c) const {
        int64_t label = 0;
        for (const Joined& b : joined_) label += b.table[b.codes[i]];
        return base_.empty() ? label : label * (c + 1) - base_[i];
    }

    // visit(i, price): what a cluster of c rows would cost with point i in it, less a constant.
    template <class Visit>
    void scan(int64_t c, Visit visit) {
        refresh();
        const int64_t n = static_cast<int64_t>(unit_.size());
        if (joined_.size() == 3 && base_.empty()) {  // the common case, without an inner loop
            const int64_t *x = joined_[0].table.data(), *y = joined_[1].table.data(), *z = joined_[2].table.data();
            const uint32_t *a = joined_[0].codes.data(), *b = joined_[1].codes.data(), *e = joined_[2].codes.data();
            for (int64_t i = 0; i < n; ++i) visit(i, x[a[i]] + y[b[i]] + z[e[i]]);
            return;
        }
        for (int64_t i = 0; i < n; ++i) visit(i, price(i, c));
    }

    int64_t cheapest(int64_t c) {
        int64_t best = none, at = -1;
        scan(c, [&](int64_t i, int64_t price) {
            if (price < best && left_[i] > 0) best = price, at = i;
        });
        return at;
    }

    int64_t farthest() {
        int64_t most = std::numeric_limits<int64_t>::min(), at = -1;
        scan(1, [&](int64_t i, int64_t price) {
            if (price > most && left_[i] > 0) most = price, at = i;
        });
        return at;
    }

    void take(int64_t at, int32_t cluster, Grown& out) {
        out.unit.push_back(unit_[at]);
        out.cluster.push_back(cluster);
        --rows_;
        if (--left_[at] == 0) ++used_up_;
    }

    // Drop the points that are used up; the others keep their order.
    void tidy() {
        if (used_up_ * 16 < static_cast<int64_t>(unit_.size())) return;
        int64_t kept = 0;
        for (int64_t i = 0; i < static_cast<int64_t>(unit_.size()); ++i) {
            if (left_[i] == 0) {
                place_[unit_[i]] = -1;
                continue;
            }
            unit_[kept] = unit_[i];
            left_[kept] = left_[i];
            if (!base_.empty()) base_[kept] = base_[i];
            for (Joined& b : joined_) b.codes[kept] = b.codes[i];
            place_[unit_[kept]] = kept;
            ++kept;
        }
        unit_.resize(kept);
        left_.resize(kept);
        if (!base_.empty()) base_.resize(kept);
        for (Joined& b : joined_) b.codes.resize(kept);
        used_up_ = 0;
    }

    bool enough(const Grown& out, size_t begun) const {
        const size_t size = out.unit.size() - begun;
        if (static_cast<int64_t>(size) < p_.k) return false;
        return !p_.judge || p_.judge({out.unit.begin() + begun, out.unit.end()});
    }

    void grow(int32_t cluster, Grown& out, size_t begun) {
        while (!enough(out, begun) && rows_ > 0) {
            const int64_t at = cheapest(static_cast<int64_t>(out.unit.size() - begun));
            take(at, cluster, out);
            cover(unit_[at]);
        }
    }

    // The nearest to the seed join; of equals the one that adds least to the cluster, then the lowest.
    void gather(int32_t cluster, Grown& out, size_t begun) {
        using Offer = std::pair<int64_t, int64_t>;  // distance from the seed, place
        std::vector<Offer> all;
        all.reserve(unit_.size());
        scan(1, [&](int64_t i, int64_t price) {
            if (left_[i] > 0) all.emplace_back(price, i);
        });
        auto sorted = all.begin(), next = all.begin();
        while (!enough(out, begun) && rows_ > 0) {
            if (next == sorted) {  // sort some more of them, up to the end of a run of equals
                const int64_t done = sorted - all.begin();
                const auto upto = std::min(all.end(), sorted + std::max<int64_t>(p_.k, done));
                if (upto != all.end()) {
                    std::nth_element(sorted, upto, all.end());
                    const int64_t price = upto->first;
                    sorted = std::partition(upto, all.end(), [&](const Offer& o) { return o.first <= price; });
                } else {
                    sorted = all.end();
                }
                std::sort(next, sorted);
            }
            auto equals = next;
            while (equals != sorted && equals->first == next->first) ++equals;
            while (next != equals && !enough(out, begun)) {
                const int64_t c = static_cast<int64_t>(out.unit.size() - begun);
                int64_t best = none;
                auto taken = next;
                refresh();
                for (auto o = next; o != equals; ++o) {
                    const int64_t more = price(o->second, c);
                    if (more < best) best = more, taken = o;
                }
                const int64_t at = taken->second;
                take(at, cluster, out);
                cover(unit_[at]);
                if (left_[at] == 0) {
                    std::move_backward(next, taken, taken + 1);
                    ++next;
                }
            }
        }
    }

   public:
    explicit Grower(const Growing& problem) : p_(problem), d_(static_cast<int>(problem.axes.size())), label_(d_), table_(d_) {
        unit_.resize(p_.units);
        place_.resize(p_.units);
        for (int64_t i = 0; i < p_.units; ++i) unit_[i] = static_cast<int32_t>(i), place_[i] = i;
        left_.assign(p_.counts, p_.counts + p_.units);
        if (p_.base) base_.assign(p_.base, p_.base + p_.units);
        for (int64_t count : left_) rows_ += count;
        for (int j = 0; j < d_; ++j) table_[j].resize(p_.axes[j].size);
        join_axes();
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
                while (turn < p_.seeds.size() && (place_[p_.seeds[turn]] < 0 || left_[place_[p_.seeds[turn]]] == 0)) ++turn;
                if (turn == p_.seeds.size()) break;
                seed = place_[p_.seeds[turn]];
            }
            const size_t begun = out.unit.size();
            begin(unit_[seed]);
            take(seed, cluster, out);
            p_.centred ? gather(cluster, out, begun) : grow(cluster, out, begun);
            if (rows_ == 0 && !enough(out, begun)) {  // nothing is left that could make it hold: its rows are left over
                out.unit.resize(begun);
                out.cluster.resize(begun);
                break;
            }
            from = out.unit.back();
            tidy();
        }
        return out;
    }
};

}  // namespace paravent

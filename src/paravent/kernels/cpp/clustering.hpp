// Clusters grown one after the other: a seed, then the point of least cost, again and again.
//
// The clusters are those of the naive algorithm, which looks at all points every time.
#pragma once

#include "classes.hpp"

namespace paravent {

// Points with equal codes, `counts` of each. A group of c rows whose label costs L costs c L less the `base` of each.
struct Points {
    int64_t units = 0;
    const int32_t* codes = nullptr;  // units x axes
    const int64_t* counts = nullptr;
    const int64_t* base = nullptr;  // 0 at least; none: zeros
    std::vector<Axis> axes;
    PARAVENT_FIELDS(units, codes, counts, base, axes)

    const int32_t* point(int64_t unit) const { return codes + unit * count_of(axes); }
    int64_t base_of(int64_t unit) const { return base ? base[unit] : 0; }
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
    Watch watch;
    PARAVENT_FIELDS(units, codes, counts, base, axes, k, centred, seeds, start, judge, kind, kind_table, watch)
};

// Rows are named by their units, in the order of joining. Rows that are not named are left over.
class Grower {
    using Table = std::vector<std::vector<int64_t>>;

    // A point costs what it adds on every axis.
    struct Added {
        const Table& table;
        void add(int j, int32_t code, int64_t& a, int64_t&) const { a += table[j][code]; }
        int64_t bound(int64_t a, int64_t, int64_t) const { return a; }
    };

    const Growing& p_;
    const int d_ = static_cast<int>(p_.axes.size());
    LabelIndex index_{by_step(p_.axes)};                          // of the units that have rows left
    std::vector<int64_t> left_{p_.counts, p_.counts + p_.units};  // rows of each unit
    int64_t rows_ = std::accumulate(left_.begin(), left_.end(), int64_t{0});
    const int64_t table_rows_ = std::accumulate(p_.kind_table.begin(), p_.kind_table.end(), int64_t{0});
    const int64_t highest_base_ = p_.base && p_.units ? *std::max_element(p_.base, p_.base + p_.units) : 0;
    LabelSpace space_{p_.axes};
    std::vector<int32_t> label_ = std::vector<int32_t>(d_);  // of the cluster, by number; -1: none yet
    Table table_ = Table(d_);                                // what each code adds to the cost of the label
    std::vector<int64_t> kinds_here_ = std::vector<int64_t>(p_.kind_table.size());
    bool choosy_ = false;  // only kinds that are rarer here than in the table may join
    int64_t size_ = 0;
    Groups out_;

    // A cluster of no rows yet with the label of one point.
    void begin(int32_t unit) {
        std::fill(label_.begin(), label_.end(), -1);
        cover(unit);
        size_ = 0;
        choosy_ = false;
        std::fill(kinds_here_.begin(), kinds_here_.end(), 0);
    }

    void cover(int32_t unit) {
        for (int j = 0; j < d_; ++j) {
            const int32_t code = p_.point(unit)[j], before = label_[j];
            label_[j] = before < 0 ? code : space_.unite(j, before, code);
            if (label_[j] != before) space_.fill_added(j, label_[j], table_[j]);
        }
    }

    bool may_join(int32_t unit) const {
        if (!choosy_) return true;
        const int32_t kind = p_.kind[unit];
        return kinds_here_[kind] * table_rows_ < size_ * p_.kind_table[kind];
    }

    // What a cluster of c rows would cost with the point in it, less a constant.
    int64_t price(int32_t unit, int64_t added, int64_t c) const { return added * (c + 1) - p_.base_of(unit); }

    // The unit that adds least to the cluster, or -1 where none may join.
    int32_t cheapest() {
        Offer best{endless, -1};
        int64_t limit = endless;
        index_.visit(Added{table_}, limit, [&](int32_t unit, int64_t, int64_t added, int64_t) {
            const Offer offer{price(unit, added, size_), unit};
            if (!(offer < best) || !may_join(unit)) return;
            best = offer;
            limit = (best.first + highest_base_) / (size_ + 1);
        });
        return best.second;
    }

    // The unit that adds most to a cluster of one row: `table_` says from now on how much less than the most a code
    // adds.
    int32_t farthest() {
        for (std::vector<int64_t>& added : table_) {
            const int64_t highest = *std::max_element(added.begin(), added.end());
            for (int64_t& one : added) one = highest - one;
        }
        Offer best{endless, -1};
        int64_t limit = endless;
        index_.visit(Added{table_}, limit, [&](int32_t unit, int64_t, int64_t missing, int64_t) {
            best = std::min(best, Offer{2 * missing + p_.base_of(unit), unit});
            limit = best.first / 2;
        });
        return best.second;
    }

    void take(int32_t unit) {
        out_.rows.push_back(unit);
        --rows_;
        ++size_;
        if (p_.kind) ++kinds_here_[p_.kind[unit]];
        if (--left_[unit] == 0) index_.remove(unit);
        cover(unit);
    }

    // A cluster that has k rows and does not hold becomes choosy, while rows are left that it may choose.
    bool enough() {
        if (size_ < p_.k) return false;
        if (!p_.judge || p_.judge({out_.rows.begin() + out_.start.back(), out_.rows.end()})) return true;
        choosy_ = p_.kind;
        return false;
    }

    void grow() {
        while (!enough() && rows_ > 0) {
            int32_t unit = cheapest();
            if (unit < 0) choosy_ = false, unit = cheapest();
            take(unit);
        }
    }

    // The nearest to the seed join until there are k rows; of equals the one that adds least, then the lowest.
    void gather() {
        if (size_ >= p_.k) return;
        std::vector<Offer> offers;  // of all that may be among these
        Smallest<int64_t> nearest{static_cast<size_t>(p_.k - size_), {}};
        int64_t limit = endless;
        index_.visit(Added{table_}, limit, [&](int32_t unit, int64_t, int64_t added, int64_t) {
            const int64_t distance = price(unit, added, 1);
            if (nearest.full() && distance > nearest.heap.front()) return;
            offers.emplace_back(distance, unit);
            nearest.offer(distance);
            if (nearest.full()) limit = (nearest.heap.front() + highest_base_) / 2;
        });
        std::sort(offers.begin(), offers.end());
        for (size_t from = 0; size_ < p_.k;) {
            while (!left_[offers[from].second]) ++from;
            Offer best{endless, -1};
            for (size_t o = from; o < offers.size() && offers[o].first == offers[from].first; ++o) {
                const int32_t unit = offers[o].second;
                if (!left_[unit]) continue;
                int64_t added = 0;
                for (int j = 0; j < d_; ++j) added += table_[j][p_.point(unit)[j]];
                best = std::min(best, Offer{price(unit, added, size_), unit});
            }
            take(best.second);
        }
    }

 public:
    explicit Grower(const Growing& problem) : p_(problem) {
        for (int j = 0; j < d_; ++j) table_[j].resize(p_.axes[j].size);
        for (int32_t unit = 0; unit < static_cast<int32_t>(p_.units); ++unit) index_.insert(unit, p_.point(unit), 1);
    }

    Groups run() {
        const int64_t all = rows_;
        size_t turn = 0;
        int32_t from = p_.start;
        while (rows_ >= p_.k && rows_ > 0) {
            if (p_.watch && out_.start.size() % 64 == 1) p_.watch(1.0 - ratio(rows_, all));
            if (p_.seeds.empty()) begin(from);
            else
                while (!left_[p_.seeds[turn]]) ++turn;
            const int32_t seed = p_.seeds.empty() ? farthest() : p_.seeds[turn];
            begin(seed);
            take(seed);
            if (p_.centred) gather();
            grow();
            if (rows_ == 0 && !enough()) {  // nothing is left that could make it hold: its rows are left over
                out_.rows.resize(out_.start.back());
                break;
            }
            out_.end();
            from = out_.rows.back();
        }
        return std::move(out_);
    }
};

}  // namespace paravent

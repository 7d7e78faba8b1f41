// The rows that Mondrian cuts, in their current order, and what groups of them cost.
#pragma once

#include "mondrian.hpp"
#include "team.hpp"

namespace paravent {

// Rows begin … end of the current order, which stand for `weight` people.
struct Segment {
    int64_t begin = 0, end = 0, weight = 0;
    int64_t rows() const { return end - begin; }
};

// Left: the rows whose code on `axis` lies in [from, to]; of the rows with code `to` only the first `take` (all: -1).
struct Cut {
    int64_t cost;
    int32_t axis, from, to;
    int64_t take = -1;
    bool lopsided = false;  // taken only when nothing else is: a large group that sheds crumbs would cost n^2
    double score = 0;       // what it leaves of a target
    bool operator<(const Cut& o) const {  // the tie-break: axis, then from, then to, then whole before split
        return std::tie(lopsided, cost, axis, from, to, take) <
               std::tie(o.lopsided, o.cost, o.axis, o.from, o.to, o.take);
    }
};

// A row is `lanes` codes (W of them, where that is not 0); those past the last axis are zero throughout.
template <class Lane, int W> class Rows {
    int words_ = 0;                 // 64-bit words of code sets
    std::vector<int32_t> word_of_;  // first word of each set axis, -1 for others
    std::vector<Lane> row_, spare_row_;
    std::vector<int32_t> weight_, spare_id_, spare_weight_;

    int lanes() const { return W ? W : (d + 7) / 8 * 8; }

    // The ends of two boxes together. Eight lanes at once, said outright: compilers did not find it.
    PARAVENT_INLINE void span(Lane* low, Lane* high, const Lane* low_a, const Lane* high_a, const Lane* low_b,
                              const Lane* high_b) const {
        typedef Lane Eight __attribute__((vector_size(8 * sizeof(Lane)), aligned(sizeof(Lane)), may_alias));
        const auto eight = [](const Lane* from) -> const Eight& { return *reinterpret_cast<const Eight*>(from); };
        for (int l = 0; l < lanes(); l += 8) {
            const Eight &a = eight(low_a + l), &b = eight(low_b + l), &x = eight(high_a + l), &y = eight(high_b + l);
            const Eight least = a < b ? a : b, most = x > y ? x : y;
            std::memcpy(low + l, &least, sizeof least);
            std::memcpy(high + l, &most, sizeof most);
        }
    }

 public:
    // What the cost of a group depends on: the lowest and highest code on every axis, and the codes met on set axes.
    struct Summaries {
        std::vector<Lane> low, high;
        std::vector<uint64_t> bits;
    };

    // The rows that choose the cut of a group: all, or `sample` evenly spaced ones.
    struct View {
        const Lane* base;
        const int32_t *weights, *ids;
        int64_t used;
        int w;
        bool whole;
        int64_t people;  // the weight of the rows used
        const Lane* row(int64_t i) const { return base + i * w; }
        int64_t weight(int64_t i) const { return weights[i]; }
    };

    const Problem& p;
    const int d = static_cast<int>(p.axes.size());
    std::vector<int32_t> id = numbers_below(p.rows);
    std::vector<Children> children{p.axes.begin(), p.axes.end()};

    explicit Rows(const Problem& problem) : p(problem) {
        for (const Axis& axis : p.axes) {
            const bool as_set = axis.style == Style::set && axis.size <= widest_set;
            word_of_.push_back(as_set ? words_ : -1);
            if (as_set) words_ += (axis.size + 63) / 64;
        }
        row_.assign(p.rows * lanes(), 0);
        spare_row_.resize(row_.size());
        spare_id_ = spare_weight_ = id;
        weight_.assign(p.rows, 1);
        if (p.weights) weight_.assign(p.weights, p.weights + p.rows);
        for (int64_t i = 0; i < p.rows; ++i) std::copy_n(p.codes + i * d, d, row_.begin() + i * lanes());
    }

    // ---- summaries ----
    void room(Summaries& s, int64_t n) const {
        if (count_of(s.low) >= n * lanes()) return;
        s.low.resize(n * lanes());
        s.high.resize(n * lanes());
        s.bits.resize(n * words_);
    }
    // Room for so many that nothing was added to.
    void clear(Summaries& s, int64_t n) const {
        room(s, n);
        std::fill_n(s.low.begin(), n * lanes(), std::numeric_limits<Lane>::max());
        std::fill_n(s.high.begin(), n * lanes(), std::numeric_limits<Lane>::min());
        std::fill_n(s.bits.begin(), n * words_, 0);
    }
    PARAVENT_INLINE void widen(Summaries& s, int64_t at, const Lane* row) const {
        Lane *low = &s.low[at * lanes()], *high = &s.high[at * lanes()];
        span(low, high, low, high, row, row);
    }
    PARAVENT_INLINE void add(Summaries& s, int64_t at, const Lane* row) const {
        widen(s, at, row);
        for (int j = 0; words_ && j < d; ++j)
            if (word_of_[j] >= 0) s.bits[at * words_ + word_of_[j] + (row[j] >> 6)] |= uint64_t{1} << (row[j] & 63);
    }
    // into[at] := a[x] joined with b[y]
    void join(Summaries& into, int64_t at, const Summaries& a, int64_t x, const Summaries& b, int64_t y) const {
        const int64_t w = lanes(), u = x * w, v = y * w;
        span(&into.low[at * w], &into.high[at * w], &a.low[u], &a.high[u], &b.low[v], &b.high[v]);
        for (int q = 0; q < words_; ++q) into.bits[at * words_ + q] = a.bits[x * words_ + q] | b.bits[y * words_ + q];
    }

    // What a part of a group costs on the axes that part the group; or something above `most`.
    int64_t cost(const Summaries& s, int64_t at, const std::vector<int32_t>& active, int64_t most) const {
        int64_t total = 0;
        for (int32_t j : active) {
            if (total > most) break;
            const Axis& axis = p.axes[j];
            const int32_t low = s.low[at * lanes() + j], high = s.high[at * lanes() + j];
            if (low == high) continue;
            if (word_of_[j] >= 0) {
                const uint64_t* bits = &s.bits[at * words_ + word_of_[j]];
                int distinct = 0;
                for (int q = 0; q < (axis.size + 63) / 64; ++q) distinct += __builtin_popcountll(bits[q]);
                total += (distinct - 1) * axis.unit;
            } else if (axis.style == Style::tree) total += axis.node_cost[axis.over(low, high)];
            else total += axis.ruler[high] - axis.ruler[low];
        }
        return total;
    }

    // ---- segments ----
    Segment all() const { return {0, p.rows, std::accumulate(weight_.begin(), weight_.end(), int64_t{0})}; }

    View view(Segment s) const {
        return {&row_[s.begin * lanes()], &weight_[s.begin], &id[s.begin], s.rows(), lanes(), true, s.weight};
    }
    View sample(Segment s) {
        const int w = lanes();
        int64_t people = 0;
        for (int64_t i = 0; i < p.sample; ++i) {
            const int64_t from = s.begin + i * s.rows() / p.sample, to = s.begin + i;
            std::copy_n(&row_[from * w], w, &spare_row_[to * w]);
            people += spare_weight_[to] = weight_[from];
        }
        return {&spare_row_[s.begin * w], &spare_weight_[s.begin], nullptr, p.sample, w, false, people};
    }

    // Calls body(i, whether it goes left) for every row i.
    template <class Body> void sides(Segment s, const Cut& cut, Body body) const {
        int64_t taken = 0;
        for (int64_t i = s.begin; i < s.end; ++i) {
            const int32_t code = row_[i * lanes() + cut.axis];
            const bool inside = code >= cut.from && code <= cut.to;
            body(i, inside && (cut.take < 0 || code != cut.to || taken++ < cut.take));
        }
    }

    bool leaves_k(Segment s, const Cut& cut) const {
        int64_t people = 0;
        sides(s, cut, [&](int64_t i, bool left) { people += left ? weight_[i] : 0; });
        return people >= p.k && s.weight - people >= p.k;
    }

    // Stable: both sides keep the order of their rows.
    std::pair<Segment, Segment> split(Segment s, const Cut& cut) {
        const int w = lanes();
        int64_t mid = s.begin, moved = 0, people = 0;
        sides(s, cut, [&](int64_t i, bool left) {
            const int64_t to = left ? mid++ : s.begin + moved++;
            people += left ? weight_[i] : 0;
            if (left && to == i) return;
            std::memcpy((left ? row_ : spare_row_).data() + to * w, &row_[i * w], w * sizeof(Lane));
            (left ? id : spare_id_)[to] = id[i];
            (left ? weight_ : spare_weight_)[to] = weight_[i];
        });
        std::copy_n(spare_row_.begin() + s.begin * w, moved * w, row_.begin() + mid * w);
        std::copy_n(spare_id_.begin() + s.begin, moved, id.begin() + mid);
        std::copy_n(spare_weight_.begin() + s.begin, moved, weight_.begin() + mid);
        return {Segment{s.begin, mid, people}, Segment{mid, s.end, s.weight - people}};
    }
};

}  // namespace paravent

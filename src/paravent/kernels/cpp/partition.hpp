// A partition of rows made better by small exchanges: rows move, swap places and go round; classes join, split, divide
// their rows anew, and dissolve.
//
// A class keeps size * (what its lowest common label is worth), in whole numbers: every change is carried out, the
// classes it touched are labelled anew from their rows, and it is undone where it lost too much, a class fell below k,
// or the guard refused a class. So the books are exact by construction. Partners are drawn from groups of rows that
// agree on some ancestors. The twin is tests/kernels/twins/partition.py: every draw and every tie is the same there.
#pragma once

#include "annealing.hpp"
#include "guard.hpp"

namespace paravent {

// `order`, `first`, `last` (one stretch of `rows` entries a grouping): the rows that agree with row r in grouping g are
// order[g * rows + first[g * rows + r] … g * rows + last[g * rows + r]).
// Temperatures are in what a row of the start loses; hot = 0 accepts no loss.
struct PartitionProblem : RowSearch {
    const int32_t* start = nullptr;  // the class of each row
    int32_t n_classes = 0;
    const int32_t *order = nullptr, *first = nullptr, *last = nullptr;
    int32_t groupings = 0;
    std::vector<Sensitive> sensitive;
    Guard guard;  // empty: k alone decides
};

struct PartitionResult {
    std::vector<int32_t> of_row;
    int64_t worth = 0, start_worth = 0;
};

class PartitionSearch {
    struct Class {
        std::vector<int32_t> rows, nodes;
        int64_t worth = 0;
        bool touched = false;
    };
    struct Before {
        int32_t c;
        std::vector<int32_t> nodes;
        int64_t worth;
    };

    const PartitionProblem& p;
    const size_t d;
    std::vector<Class> classes_;
    RowPlaces places_;
    std::vector<int32_t> spare_;
    std::vector<std::pair<int32_t, int32_t>> log_;  // row, the class it came from
    std::vector<Before> touched_;
    std::vector<int32_t> pool_, side_, rest_, nodes_, scratch_;
    std::vector<int32_t> best_;
    int64_t worth_ = 0, best_worth_ = 0, start_worth_ = 0, kept_ = 0;  // kept_: what the touched classes kept before
    Random random_;

    int64_t size(int32_t c) const { return static_cast<int64_t>(classes_[c].rows.size()); }

    // The lowest label over some rows; what it is worth.
    int64_t label(const std::vector<int32_t>& rows, std::vector<int32_t>& nodes) const {
        int64_t worth = 0;
        nodes.resize(d);
        for (size_t j = 0; j < d; ++j) {
            const RowTree& axis = p.axes[j];
            Span span;
            for (int32_t row : rows) span.add(axis.leaf[row]);
            nodes[j] = axis.lowest(span.low, span.high);
            worth += axis.climb[nodes[j]];
        }
        return worth;
    }
    // What the label over a class and one more row is worth.
    int64_t with(const Class& c, int32_t row) const {
        int64_t worth = 0;
        for (size_t j = 0; j < d; ++j) {
            const RowTree& axis = p.axes[j];
            worth += axis.climb[axis.over(c.nodes[j], axis.leaf[row])];
        }
        return worth;
    }

    void touch(int32_t c) {
        if (classes_[c].touched) return;
        classes_[c].touched = true;
        touched_.push_back({c, classes_[c].nodes, classes_[c].worth});
        kept_ += classes_[c].worth * size(c);
    }
    void shift(int32_t row, int32_t to) {
        places_.take(row, classes_[places_.of[row]].rows);
        places_.put(row, to, classes_[to].rows);
    }
    void move(int32_t row, int32_t to) {
        touch(places_.of[row]);
        touch(to);
        log_.emplace_back(row, places_.of[row]);
        shift(row, to);
    }
    int32_t empty_class() {
        if (spare_.empty()) {
            classes_.emplace_back();
            spare_.push_back(static_cast<int32_t>(classes_.size()) - 1);
        }
        return spare_.back();
    }

    bool allowed() {
        if (!p.guard) return true;
        std::vector<int64_t> sizes;
        std::vector<Histograms> found(p.sensitive.size());
        for (const Before& b : touched_) {
            if (!size(b.c)) continue;
            sizes.push_back(size(b.c));
            for (size_t s = 0; s < found.size(); ++s) found[s].add(p.sensitive[s], classes_[b.c].rows);
        }
        const std::vector<uint8_t> held = p.guard(sizes, found);
        return std::all_of(held.begin(), held.end(), [](uint8_t x) { return x; });
    }

    // Label what was touched anew; undo it all where it may not stay.
    void judge(int64_t limit) {
        int64_t loss = kept_;
        bool sound = true;
        for (const Before& b : touched_) sound = sound && (size(b.c) == 0 || size(b.c) >= p.k);
        for (const Before& b : touched_) {
            Class& c = classes_[b.c];
            if (!sound || c.rows.empty()) continue;
            c.worth = label(c.rows, c.nodes);
            loss -= c.worth * size(b.c);
        }
        if (sound && loss <= limit && (log_.empty() || allowed())) {
            worth_ -= loss;
            for (const Before& b : touched_)
                if (size(b.c) && !spare_.empty() && spare_.back() == b.c) spare_.pop_back();
            for (const Before& b : touched_)
                if (!size(b.c) && (spare_.empty() || spare_.back() != b.c)) spare_.push_back(b.c);
        } else {
            for (auto step = log_.rbegin(); step != log_.rend(); ++step) shift(step->first, step->second);
            for (Before& b : touched_) {
                classes_[b.c].nodes.swap(b.nodes);
                classes_[b.c].worth = b.worth;
            }
        }
        for (const Before& b : touched_) classes_[b.c].touched = false;
        touched_.clear();
        log_.clear();
        kept_ = 0;
    }

    // A row of another class that agrees with this one in some grouping; -1: the draw was none.
    int32_t partner(int32_t row, int32_t but) {
        const int64_t g = static_cast<int64_t>(random_.below(p.groupings)) * p.rows;
        const int32_t from = p.first[g + row], to = p.last[g + row];
        const int32_t other = p.order[g + from + random_.below(to - from)];
        return places_.of[other] == but ? -1 : other;
    }

    // The rows of a class, or of two, go apart: those under a node on the way to the drawn row, and the others. All
    // nodes of all axes are tried, from the leaf up; of equals the first one counts.
    void divide(int32_t row, int32_t c, int32_t other, int64_t limit) {
        pool_ = classes_[c].rows;
        if (other >= 0) pool_.insert(pool_.end(), classes_[other].rows.begin(), classes_[other].rows.end());
        const int64_t whole = static_cast<int64_t>(pool_.size());
        if (whole < 2 * p.k) return;
        label(pool_, nodes_);
        int64_t best = -1;
        size_t best_axis = 0;
        int32_t best_node = -1;
        for (size_t j = 0; j < d; ++j) {
            const RowTree& axis = p.axes[j];
            for (int32_t node = axis.leaf[row]; node != nodes_[j]; node = axis.parent[node]) {
                side_.clear();
                rest_.clear();
                for (int32_t r : pool_) (axis.covers(node, axis.leaf[r]) ? side_ : rest_).push_back(r);
                const int64_t here = static_cast<int64_t>(side_.size()), there = whole - here;
                if (here < p.k || there < p.k) continue;
                const int64_t worth = here * label(side_, scratch_) + there * label(rest_, scratch_);
                if (worth <= best) continue;
                best = worth;
                best_axis = j;
                best_node = node;
            }
        }
        if (best_node < 0) return;
        const int32_t to = other >= 0 ? other : empty_class();
        const RowTree& axis = p.axes[best_axis];
        touch(c);
        touch(to);
        for (int32_t r : pool_) {
            const bool under = axis.covers(best_node, axis.leaf[r]);
            const int32_t aim = under ? c : to;
            if (places_.of[r] != aim) move(r, aim);
        }
        judge(limit);
    }

    // Every row of a class goes to the class of one of four partners: where the two keep most.
    void dissolve(int32_t c, int64_t limit) {
        pool_ = classes_[c].rows;
        for (int32_t row : pool_) {
            int32_t to = -1;
            int64_t best = 0;
            for (int tries = 0; tries < 4; ++tries) {
                const int32_t other = partner(row, c);
                if (other < 0) continue;
                const Class& aim = classes_[places_.of[other]];
                const int64_t rows = static_cast<int64_t>(aim.rows.size());
                const int64_t gain = (rows + 1) * with(aim, row) - rows * aim.worth;
                if (to < 0 || gain > best) {
                    to = places_.of[other];
                    best = gain;
                }
            }
            if (to < 0) break;
            move(row, to);
        }
        judge(limit);  // where rows are left over, the class is too small now and all is undone
    }

    void propose(int64_t limit) {
        const int32_t row = static_cast<int32_t>(random_.below(p.rows)), c = places_.of[row];
        const uint32_t kind = random_.below(16);
        const int32_t other = partner(row, c);
        if (other < 0) {
            divide(row, c, -1, limit);
            return;
        }
        const int32_t to = places_.of[other];
        if (kind < 6) {
            if (size(c) <= p.k) return;
            move(row, to);
        } else if (kind < 9) {
            move(row, to);
            move(other, c);
        } else if (kind < 11) {  // a third class gives a row in its place
            const int32_t third = partner(row, c);
            if (third < 0 || places_.of[third] == to || size(places_.of[third]) <= p.k) return;
            move(row, to);
            move(third, c);
        } else if (kind < 12) {
            pool_ = classes_[c].rows;
            for (int32_t r : pool_) move(r, to);
        } else if (kind < 14) {
            divide(row, c, to, limit);
            return;
        } else {
            if (size(c) > 4 * p.k) return;
            dissolve(c, limit);
            return;
        }
        judge(limit);
    }

    void keep() {
        if (worth_ <= best_worth_) return;
        best_worth_ = worth_;
        best_ = places_.of;
    }

 public:
    PartitionSearch(const PartitionProblem& problem, uint64_t seed)
        : p(problem), d(problem.axes.size()), classes_(problem.n_classes), places_(problem.rows), random_(seed) {
        for (int32_t row = 0; row < p.rows; ++row) places_.put(row, p.start[row], classes_[p.start[row]].rows);
        for (Class& c : classes_) {
            c.worth = label(c.rows, c.nodes);
            worth_ += c.worth * static_cast<int64_t>(c.rows.size());
        }
        start_worth_ = best_worth_ = worth_;
        best_ = places_.of;
    }

    // The last sixth of the proposals accepts no loss. What was best at the end or at one of 64 looks is kept.
    void run(const std::function<bool(double)>& go_on) {
        const double unit = p.mean_loss(worth_);
        const int64_t n = p.cooling.proposals, cooled = n - n / 6, look = std::max<int64_t>(1, n / 64);
        double heat = 0;
        for (int64_t i = 0; i < n; ++i) {
            if ((i & 255) == 0) {
                heat = i < cooled && p.cooling.hot > 0 ? p.cooling.heat(unit, i) : 0.0;
                if (!go_on(p.cooling.done(i))) return;
            }
            propose(static_cast<int64_t>(heat * quantiles()[random_.below(4096)]));
            if (i % look == 0) keep();
        }
        keep();
    }
    int64_t worth() const { return best_worth_; }
    PartitionResult answer() { return {std::move(best_), best_worth_, start_worth_}; }
};

inline PartitionResult improve_partition(const PartitionProblem& p) {
    return best_chain<PartitionSearch>(p, p).answer();
}

}  // namespace paravent

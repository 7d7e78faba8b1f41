// A partition of rows made better by small exchanges: rows move, swap places and go round; classes join, split, divide
// their rows anew, and dissolve.
//
// A class keeps size * (what its lowest common label is worth), in whole numbers: every change is carried out, the
// classes it touched are labelled anew from their rows, and it is undone where it lost too much, a class fell below k,
// or the guard refused a class. So the books are exact by construction. Partners are drawn from groups of rows that
// agree on some ancestors. The twin is kernels/partition_twin.py: every draw and every tie is the same there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "cover.hpp"
#include "labels.hpp"
#include "mondrian.hpp"

namespace paravent {

// `order`, `first`, `last` (one stretch of `rows` entries a grouping): the rows that agree with row r in grouping g are
// order[g * rows + first[g * rows + r] … g * rows + last[g * rows + r]).
struct PartitionProblem {
    int64_t rows = 0;
    std::vector<CoverAxis> axes;
    const int32_t* start = nullptr;  // the class of each row
    int32_t n_classes = 0;
    const int32_t *order = nullptr, *first = nullptr, *last = nullptr;
    int32_t groupings = 0;
    int64_t k = 1, proposals = 0;
    double hot = 0.1, cold = 0.01;  // temperatures, in what a row of the start loses
    int chains = 1, threads = 1;
    uint64_t seed = 0;
    std::vector<Sensitive> sensitive;
    Guard guard;  // empty: k alone decides
    std::function<void(double)> watch;
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
    std::vector<int32_t> class_, at_, spare_;
    std::vector<std::pair<int32_t, int32_t>> log_;  // row, the class it came from
    std::vector<Before> touched_;
    std::vector<int32_t> pool_, side_, rest_, nodes_, scratch_;
    std::vector<double> quantile_;
    std::vector<int32_t> best_;
    int64_t worth_ = 0, best_worth_ = 0, kept_ = 0;  // kept_: what the touched classes kept before
    uint64_t random_;

    uint32_t draw() {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        return static_cast<uint32_t>(random_ >> 16);
    }
    uint32_t below(uint64_t n) { return static_cast<uint32_t>(draw() * n >> 32); }

    int64_t size(int32_t c) const { return static_cast<int64_t>(classes_[c].rows.size()); }

    // The lowest label over some rows; what it is worth.
    int64_t label(const std::vector<int32_t>& rows, std::vector<int32_t>& nodes) const {
        int64_t worth = 0;
        nodes.resize(d);
        for (size_t j = 0; j < d; ++j) {
            const CoverAxis& axis = p.axes[j];
            int32_t low = INT32_MAX, high = -1;
            for (int32_t row : rows) {
                low = std::min(low, axis.leaf[row]);
                high = std::max(high, axis.leaf[row]);
            }
            int32_t node = low;
            while (axis.last[node] < high) node = axis.parent[node];
            nodes[j] = node;
            worth += axis.climb[node];
        }
        return worth;
    }
    // What the label over a class and one more row is worth.
    int64_t with(const Class& c, int32_t row) const {
        int64_t worth = 0;
        for (size_t j = 0; j < d; ++j) {
            const CoverAxis& axis = p.axes[j];
            const int32_t leaf = axis.leaf[row];
            int32_t node = c.nodes[j];
            while (leaf < axis.first[node] || leaf > axis.last[node]) node = axis.parent[node];
            worth += axis.climb[node];
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
        std::vector<int32_t>& rows = classes_[class_[row]].rows;
        const int32_t at = at_[row];
        rows[at] = rows.back();
        at_[rows[at]] = at;
        rows.pop_back();
        class_[row] = to;
        at_[row] = static_cast<int32_t>(classes_[to].rows.size());
        classes_[to].rows.push_back(row);
    }
    void move(int32_t row, int32_t to) {
        touch(class_[row]);
        touch(to);
        log_.emplace_back(row, class_[row]);
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
        for (const Before& b : touched_)
            if (size(b.c)) sizes.push_back(size(b.c));
        for (size_t s = 0; s < p.sensitive.size(); ++s)
            for (const Before& b : touched_) {
                if (!size(b.c)) continue;
                side_.clear();
                for (int32_t row : classes_[b.c].rows) side_.push_back(p.sensitive[s].codes[row]);
                std::sort(side_.begin(), side_.end());
                for (size_t i = 0, to; i < side_.size(); i = to) {
                    for (to = i; to < side_.size() && side_[to] == side_[i]; ++to) {}
                    found[s].add(side_[i], static_cast<int64_t>(to - i));
                }
                found[s].start.push_back(static_cast<int64_t>(found[s].value.size()));
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
        const int64_t g = static_cast<int64_t>(below(p.groupings)) * p.rows;
        const int32_t from = p.first[g + row], to = p.last[g + row];
        const int32_t other = p.order[g + from + below(to - from)];
        return class_[other] == but ? -1 : other;
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
            const CoverAxis& axis = p.axes[j];
            for (int32_t node = axis.leaf[row]; node != nodes_[j]; node = axis.parent[node]) {
                side_.clear();
                rest_.clear();
                for (int32_t r : pool_)
                    (axis.leaf[r] >= axis.first[node] && axis.leaf[r] <= axis.last[node] ? side_ : rest_).push_back(r);
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
        const CoverAxis& axis = p.axes[best_axis];
        touch(c);
        touch(to);
        for (int32_t r : pool_) {
            const bool under = axis.leaf[r] >= axis.first[best_node] && axis.leaf[r] <= axis.last[best_node];
            const int32_t aim = under ? c : to;
            if (class_[r] != aim) move(r, aim);
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
                const Class& aim = classes_[class_[other]];
                const int64_t rows = static_cast<int64_t>(aim.rows.size());
                const int64_t gain = (rows + 1) * with(aim, row) - rows * aim.worth;
                if (to < 0 || gain > best) {
                    to = class_[other];
                    best = gain;
                }
            }
            if (to < 0) break;
            move(row, to);
        }
        judge(limit);  // where rows are left over, the class is too small now and all is undone
    }

    void propose(int64_t limit) {
        const int32_t row = static_cast<int32_t>(below(p.rows)), c = class_[row];
        const uint32_t kind = below(16);
        const int32_t other = partner(row, c);
        if (other < 0) {
            divide(row, c, -1, limit);
            return;
        }
        const int32_t to = class_[other];
        if (kind < 6) {
            if (size(c) <= p.k) return;
            move(row, to);
        } else if (kind < 9) {
            move(row, to);
            move(other, c);
        } else if (kind < 11) {  // a third class gives a row in its place
            const int32_t third = partner(row, c);
            if (third < 0 || class_[third] == to || size(class_[third]) <= p.k) return;
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
        best_ = class_;
    }

 public:
    PartitionSearch(const PartitionProblem& problem, uint64_t seed)
        : p(problem),
          d(problem.axes.size()),
          classes_(problem.n_classes),
          class_(p.start, p.start + p.rows),
          at_(p.rows),
          random_(mixed(seed) | 1) {
        for (int32_t row = 0; row < static_cast<int32_t>(p.rows); ++row) {
            at_[row] = static_cast<int32_t>(classes_[class_[row]].rows.size());
            classes_[class_[row]].rows.push_back(row);
        }
        for (Class& c : classes_) {
            c.worth = label(c.rows, c.nodes);
            worth_ += c.worth * static_cast<int64_t>(c.rows.size());
        }
        best_worth_ = worth_;
        best_ = class_;
        for (int i = 0; i < 4096; ++i) quantile_.push_back(-std::log((i + 0.5) / 4096));
    }

    // The last sixth of the proposals accepts no loss. What was best at the end or at one of 64 looks is kept.
    void run(const std::function<bool(double)>& go_on) {
        int64_t most = 0;
        for (const CoverAxis& axis : p.axes)
            for (int64_t row = 0; row < p.rows; ++row) most += axis.climb[axis.leaf[row]];
        const double unit = static_cast<double>(most - worth_) / static_cast<double>(p.rows);
        const int64_t cooled = p.proposals - p.proposals / 6, look = std::max<int64_t>(1, p.proposals / 64);
        double heat = 0;
        for (int64_t i = 0; i < p.proposals; ++i) {
            if ((i & 255) == 0) {
                const double done = static_cast<double>(i) / static_cast<double>(p.proposals);
                heat = i < cooled && p.hot > 0 ? unit * p.hot * std::pow(p.cold / p.hot, done) : 0.0;
                if (!go_on(done)) return;
            }
            propose(static_cast<int64_t>(heat * quantile_[below(4096)]));
            if (i % look == 0) keep();
        }
        keep();
    }
    int64_t worth() const { return best_worth_; }
    const std::vector<int32_t>& answer() const { return best_; }
};

// The best of several chains; of equals the first. They do not depend on how many threads there are.
inline PartitionResult improve_partition(const PartitionProblem& p) {
    std::vector<PartitionSearch> chains;
    chains.reserve(p.chains);
    for (int c = 0; c < p.chains; ++c) chains.emplace_back(p, p.seed + 1000003ull * c);
    PartitionResult out;
    out.start_worth = chains[0].worth();
    std::atomic<int> at{0};
    std::atomic<bool> stop{false};
    auto work = [&](bool watches) {
        for (int c = at++; c < p.chains; c = at++)
            chains[c].run([&](double done) {
                if (watches && p.watch) p.watch((c + done) / p.chains);
                return !stop.load(std::memory_order_relaxed);
            });
    };
    std::vector<std::thread> pool;
    for (int w = 1; w < std::min(p.threads, p.chains); ++w) pool.emplace_back(work, false);
    std::exception_ptr raised;
    try {
        work(true);
    } catch (...) {
        raised = std::current_exception();
        stop = true;
    }
    for (std::thread& thread : pool) thread.join();
    if (raised) std::rethrow_exception(raised);
    size_t best = 0;
    for (size_t c = 1; c < chains.size(); ++c)
        if (chains[c].worth() > chains[best].worth()) best = c;
    out.worth = chains[best].worth();
    out.of_row = chains[best].answer();
    return out;
}

}  // namespace paravent

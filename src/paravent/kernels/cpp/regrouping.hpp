// Classes made anew in small neighbourhoods, again and again: the search of local recoding.
//
// A few classes that lie near one another are put together, and their rows are clustered anew: a class begins with some
// piece and takes the piece that leaves its label cheapest until it holds (k-member, Byun et al. 2007); what is left
// over joins where it adds least. Where that costs less, it stays (a large neighbourhood search, Shaw 1998). A
// neighbourhood is a few dozen rows, so a sweep over the table takes time in proportion to its rows. After the first
// sweeps a little loss is accepted at first (Metropolis et al. 1953), less and less of it as the work goes on that was
// planned. What is done depends on that, not on where the search is stopped: with more work of the same plan it goes on
// from where it was, and the best state is kept.
// Plain version: tests/kernels/twins/regrouping.py.
#pragma once

#include "demands.hpp"
#include "pricing.hpp"

namespace paravent {

// A piece is some rows that are alike in all columns and stay together.
struct RegroupProblem {
    int64_t rows = 0, k = 1;
    std::vector<Axis> axes;
    int64_t pieces = 0;
    const int32_t *codes = nullptr, *weight = nullptr, *start = nullptr;  // pieces x axes; of each its rows, its class
    int32_t n_classes = 0;
    std::vector<std::vector<int32_t>> orders, places;  // in which what stands side by side is near; where each stands
    Demands demands;                                   // with the sensitive values of pieces
    Guard guard;
    int64_t work = 0;     // axes of pieces held against labels; sets and large trees count twice
    int64_t planned = 0;  // the work that the heat is spread over
    uint64_t seed = 0;
    Watch watch;
    PARAVENT_FIELDS(rows, k, axes, pieces, codes, weight, start, n_classes, orders, places, demands, guard, work,
                    planned, seed, watch)
};

class Regrouping {
    static constexpr int64_t plain = 2;          // sweeps without heat
    static constexpr double hot = 0.2;           // the first heat, in what a row of the start costs
    static constexpr int64_t window = 8;         // so far apart near pieces stand in one of the orders
    static constexpr uint32_t kept = 10;         // so many of them are the neighbours
    static constexpr int64_t small = 1 << 17;    // a table of so many costs stays near the processor
    static constexpr int64_t a_question = 8192;  // the work that asking a guard is; it is not asked for nothing
    struct Class {
        std::vector<int32_t> pieces;
        int64_t cost = 0, size = 0;
    };
    struct Part : Class {
        std::vector<uint64_t> label;
        std::vector<int32_t> counts;
    };

    const RegroupProblem& p;
    const int d_ = static_cast<int>(p.axes.size());
    std::vector<Class> classes_;
    std::vector<int32_t> of_{p.start, p.start + p.pieces}, spare_;
    std::vector<int32_t> chosen_, open_;  // a neighbourhood: its classes, and the pieces that are in no part
    std::vector<Part> parts_;
    std::vector<int64_t> offset_{0};          // where the label of each axis begins
    std::vector<std::vector<int64_t>> over_;  // [axis][node, leaf]: what the lowest node over both costs
    std::vector<const int64_t*> prices_;      // [axis]: that of a part's node by leaf; null: there is no table
    std::vector<int64_t> asked_{0};           // the work that so many axes are
    int64_t cost_ = 0, done_ = 0;
    const int64_t most_pieces_ = std::max<int64_t>(96, 4 * p.k);
    Random random_{p.seed};

    const int32_t* codes(int32_t piece) const { return p.codes + static_cast<int64_t>(piece) * d_; }

    void prepare() {
        for (const Axis& axis : p.axes) {
            std::vector<int64_t>& costs = over_.emplace_back();
            if (axis.style == Style::tree && count_of(axis.parent) * axis.size <= small)
                for (int32_t node = 0; node <= axis.root(); ++node)
                    for (int32_t leaf = 0; leaf < axis.size; ++leaf)
                        costs.push_back(axis.node_cost[axis.over(node, leaf)]);
            asked_.push_back(asked_.back() + (axis.style == Style::tree && costs.empty() ? 2 : 1));
            offset_.push_back(offset_.back() + label_words(axis));
        }
        prices_.assign(d_, nullptr);
    }

    // The pieces near each one that cost least with it, of equals the lowest number; -1 where there are fewer.
    std::vector<int32_t> neighbours() {
        std::vector<int32_t> near(p.pieces * kept, -1), seen(p.pieces, -1);
        std::vector<Offer> found;
        for (int32_t x = 0; x < p.pieces; ++x) {
            found.clear();
            seen[x] = x;
            for (size_t o = 0; o < p.orders.size(); ++o) {
                const int64_t at = p.places[o][x], end = std::min(p.pieces, at + window + 1);
                for (int64_t i = std::max<int64_t>(0, at - window); i < end; ++i) {
                    const int32_t y = p.orders[o][i];
                    if (std::exchange(seen[y], x) == x) continue;
                    int64_t cost = 0;
                    for (int j = 0; j < d_; ++j) cost += p.axes[j].both(codes(x)[j], codes(y)[j]);
                    found.emplace_back(cost, y);
                }
            }
            done_ += count_of(found) * d_;
            const size_t best = std::min<size_t>(kept, found.size());
            std::partial_sort(found.begin(), found.begin() + best, found.end());
            for (size_t i = 0; i < best; ++i) near[static_cast<size_t>(x) * kept + i] = found[i].second;
        }
        return near;
    }

    // ---- parts ----
    void look_up(const Part& part) {
        for (int j = 0; j < d_; ++j)
            if (!over_[j].empty()) prices_[j] = &over_[j][part.label[offset_[j]] * p.axes[j].size];
    }
    // What the label costs in all when a piece joins, or more than `enough` where that is passed. Where it does not
    // grow, the part is the one that was looked up.
    template <bool grow> int64_t with(Part& part, int32_t piece, int64_t enough = INT64_MAX) {
        const int32_t* x = codes(piece);
        int64_t sum = 0;
        int j = 0;
        while (j < d_ && sum <= enough) {
            const int64_t* prices = grow ? nullptr : prices_[j];
            sum += prices ? prices[x[j]] : joined<grow>(p.axes[j], &part.label[offset_[j]], x[j]);
            ++j;
        }
        done_ += asked_[j];
        return sum;
    }
    void take(Part& part, int32_t piece) {
        part.cost = with<true>(part, piece);
        part.pieces.push_back(piece);
        part.size += p.weight[piece];
        p.demands.count(part.counts.data(), piece, p.weight[piece]);
    }
    void take_open(Part& part, size_t at) {
        take(part, open_[at]);
        drop(open_, at);
    }
    Part begun(int32_t piece) const {
        Part part;
        part.counts.assign(p.demands.width(), 0);
        part.label.assign(offset_.back(), 0);
        for (int j = 0; j < d_; ++j) begin_label(p.axes[j], &part.label[offset_[j]], codes(piece)[j]);
        return part;
    }
    bool holds(const Part& part) const { return part.size >= p.k && p.demands.hold(part.counts.data(), part.size); }
    int64_t spent() const {
        int64_t sum = 0;
        for (const Part& part : parts_) sum += part.cost * part.size;
        return sum;
    }

    // ---- a neighbourhood clustered anew ----
    // The open piece that leaves a part cheapest joins it; of equals the heaviest, then the first.
    void grow(Part& part) {
        size_t best = 0;
        int64_t least = std::numeric_limits<int64_t>::max();
        look_up(part);
        for (size_t at = 0; at < open_.size(); ++at) {
            const int64_t cost = with<false>(part, open_[at], least);
            if (cost > least) continue;
            const int32_t mine = p.weight[open_[at]], theirs = p.weight[open_[best]];
            if (cost == least && (mine != theirs ? mine < theirs : open_[at] > open_[best])) continue;
            least = cost;
            best = at;
        }
        take_open(part, best);
    }
    // The part that a piece adds least to, of those that hold with it, else of all; of equals the first.
    void join_some(int32_t piece) {
        Part* best = nullptr;
        int64_t least = 0;
        bool sound = false;
        for (Part& part : parts_) {
            look_up(part);
            const int64_t size = part.size + p.weight[piece],
                          more = with<false>(part, piece) * size - part.cost * part.size;
            if (best && more >= least && sound) continue;
            p.demands.count(part.counts.data(), piece, p.weight[piece]);
            const bool stays = p.demands.hold(part.counts.data(), size);
            p.demands.count(part.counts.data(), piece, -p.weight[piece]);
            if (best && (stays == sound ? more >= least : sound)) continue;
            best = &part;
            least = more;
            sound = stays;
        }
        take(*best, piece);
    }

    // Cluster so many open rows anew, beginning with a piece. False: it would cost more than `most`, or not hold.
    bool cluster(size_t at, int64_t rows, int64_t most) {
        parts_.clear();
        for (int64_t before = 0; rows >= p.k && !open_.empty(); at = open_.empty() ? 0 : random_.below(open_.size())) {
            Part& part = parts_.emplace_back(begun(open_[at]));
            take_open(part, at);
            while (!holds(part) && !open_.empty()) {
                grow(part);
                if (before + part.cost * part.size > most) return false;
            }
            if (!holds(part)) {  // the demands ask for more than was left: its pieces are left over
                open_.insert(open_.end(), part.pieces.begin(), part.pieces.end());
                parts_.pop_back();
                break;
            }
            before += part.cost * part.size;
            rows -= part.size;
        }
        if (parts_.empty()) return false;
        for (int32_t piece : open_) join_some(piece);
        const auto sound = [&](const Part& part) { return holds(part); };
        return spent() <= most && std::all_of(parts_.begin(), parts_.end(), sound) && allowed();
    }
    bool allowed() {
        if (!p.guard) return true;
        Groups found;
        for (const Part& part : parts_) {
            for (int32_t piece : part.pieces) found.rows.insert(found.rows.end(), p.weight[piece], piece);
            found.end();
        }
        done_ += a_question;
        const std::vector<uint8_t> held = p.guard(found);
        return std::all_of(held.begin(), held.end(), [](uint8_t x) { return x; });
    }

    // The classes of a piece and of some of its neighbours, clustered anew.
    void visit(int32_t x, const std::vector<int32_t>& near, int64_t limit) {
        chosen_.clear();
        open_.clear();
        int64_t rows = 0, cost = 0;
        const auto choose = [&](int32_t c) {
            const Class& mine = classes_[c];
            if (count_of(open_) + count_of(mine.pieces) > most_pieces_) return;
            chosen_.push_back(c);
            open_.insert(open_.end(), mine.pieces.begin(), mine.pieces.end());
            rows += mine.size;
            cost += mine.cost * mine.size;
        };
        choose(of_[x]);
        if (chosen_.empty()) return;
        const uint32_t wanted = 2 + random_.below(3);
        for (uint32_t tries = 0; tries < 2 * wanted && chosen_.size() < wanted; ++tries) {
            const int32_t other = near[static_cast<size_t>(x) * kept + random_.below(kept)];
            if (other >= 0 && std::find(chosen_.begin(), chosen_.end(), of_[other]) == chosen_.end())
                choose(of_[other]);
        }
        if (rows < 2 * p.k) return;
        const auto at = std::find(open_.begin(), open_.end(), x) - open_.begin();
        if (!cluster(at, rows, cost + (p.guard && limit == 0 ? -1 : limit))) return;
        for (int32_t c : chosen_) {
            classes_[c] = {};
            spare_.push_back(c);
        }
        cost_ += spent() - cost;
        for (Part& part : parts_) {
            const int32_t c = unused_of(spare_, classes_);
            for (int32_t piece : part.pieces) of_[piece] = c;
            classes_[c] = std::move(part);
        }
    }

    // How hot it is: after the first sweeps the heat falls to nothing at two thirds of the work that is planned.
    double heat(int64_t begun) const {
        if (begun < 0 || p.planned <= begun) return 0;
        return hot * std::max(0.0, 1 - 1.5 * ratio(done_ - begun, p.planned - begun));
    }

 public:
    explicit Regrouping(const RegroupProblem& problem) : p(problem) {
        prepare();
        std::vector<Part> parts(p.n_classes);
        for (int32_t x = 0; x < p.pieces; ++x) {
            Part& part = parts[of_[x]];
            if (part.pieces.empty()) part = begun(x);
            take(part, x);
        }
        for (Part& part : parts) {
            cost_ += part.cost * part.size;
            classes_.push_back(std::move(part));
        }
    }

    // The class of each piece.
    Rearranged run() {
        const std::vector<int32_t> near = neighbours();
        int64_t begun = -1;  // the work done when it became hot
        Rearranged out{of_, cost_, cost_};
        for (int64_t sweep = 0; done_ < p.work && out.cost > 0; ++sweep) {
            if (sweep == plain) begun = done_;
            const int64_t before = done_;
            double warm = 0;
            for (int32_t x = 0; x < p.pieces && done_ < p.work; ++x) {
                if ((x & 1023) == 0) {
                    warm = ratio(out.start_cost, p.rows) * heat(begun);
                    if (p.watch) p.watch(ratio(done_, p.work));
                }
                if (classes_[of_[x]].cost == 0) continue;
                visit(x, near, warm == 0 ? 0 : static_cast<int64_t>(warm * quantiles[random_.below(4096)]));
            }
            // A sweep that is cut off while hot may yet lose what it won.
            if ((done_ < p.work || warm == 0) && cost_ < out.cost) {
                out.cost = cost_;
                out.of_row = of_;
            }
            if (done_ == before) break;  // nothing is near anything
        }
        return out;
    }
};

}  // namespace paravent

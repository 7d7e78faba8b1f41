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
#include "near.hpp"
#include "pricing.hpp"

namespace paravent {

// Rows that are alike in all columns and in their class stand beside one another. Pieces of them stay together.
struct RegroupProblem {
    int64_t rows = 0, k = 1;
    std::vector<Axis> axes;
    const int32_t* codes = nullptr;  // rows x axes
    int64_t pieces = 0;
    const int32_t *piece_row = nullptr, *piece_weight = nullptr;  // the first row of each, and how many it has
    const int32_t* start = nullptr;                               // the class of each row
    int32_t n_classes = 0;
    Demands demands;
    std::vector<Sensitive> judged;  // what the guard asks for
    Guard guard;
    int64_t work = 0;     // axes of pieces held against labels; sets and large trees count twice
    int64_t planned = 0;  // the work that the heat is spread over
    uint64_t seed = 0;
    Watch watch;
    PARAVENT_FIELDS(rows, k, axes, codes, pieces, piece_row, piece_weight, start, n_classes, demands, judged, guard,
                    work, planned, seed, watch)
};

class Regrouping {
    static constexpr int64_t plain = 2;  // sweeps without heat
    static constexpr double hot = 0.2;   // the first heat, in what a row of the start costs
    static constexpr int64_t many = 300'000;
    static constexpr int64_t small = 1 << 17;    // a table of so many costs stays near the processor
    static constexpr int64_t a_question = 8192;  // the work that asking a guard is; it is not asked for nothing
    struct Piece {
        int32_t row, weight;  // its first row; how many rows it has
    };
    struct Class {
        std::vector<int32_t> pieces;
        int64_t cost = 0, size = 0;
    };
    struct Part {
        int64_t cost = 0, size = 0;
        std::vector<uint64_t> label;
        std::vector<int32_t> counts;
    };

    const RegroupProblem& p;
    PricedPoints points_{p.axes};
    std::vector<Piece> pieces_;
    std::vector<Class> classes_;
    std::vector<int32_t> of_, spare_, best_;
    std::vector<int32_t> chosen_, pool_, open_, part_of_, local_;  // a neighbourhood
    std::vector<Part> parts_;
    std::vector<int64_t> offset_;
    std::vector<std::vector<int64_t>> over_;  // [axis][node, leaf]: what the lowest node over both costs
    std::vector<const int64_t*> prices_;      // [axis]: that of a part's node by leaf; null: there is no table
    std::vector<int64_t> asked_;              // the work that so many axes are
    int64_t words_ = 1, cost_ = 0, best_cost_ = 0, start_cost_ = 0, done_ = 0;
    const int64_t most_pieces_ = std::max<int64_t>(96, 4 * p.k);
    Random random_{p.seed};

    bool demanding() const { return p.demands.width() > 0; }

    void fill_points() {
        points_.n = count_of(pieces_);
        points_.codes.clear();
        for (const Piece& piece : pieces_)
            points_.codes.insert(points_.codes.end(), p.codes + static_cast<int64_t>(piece.row) * points_.d,
                                 p.codes + static_cast<int64_t>(piece.row + 1) * points_.d);
    }

    void fill_over() {
        asked_.push_back(0);
        for (const Axis& axis : p.axes) {
            std::vector<int64_t>& costs = over_.emplace_back();
            if (axis.style == Style::tree && count_of(axis.parent) * axis.size <= small)
                for (int32_t node = 0; node <= axis.root(); ++node)
                    for (int32_t leaf = 0; leaf < axis.size; ++leaf)
                        costs.push_back(axis.node_cost[axis.over(node, leaf)]);
            asked_.push_back(asked_.back() + (costs.empty() && axis.style != Style::span ? 2 : 1));
        }
        prices_.assign(p.axes.size(), nullptr);
    }

    // ---- labels of parts: a node, the ends of a span, or the bits of a set, of each axis ----
    void begin_pool() {
        words_ = (count_of(pool_) + 63) / 64;
        offset_.assign(1, 0);
        local_.resize(pool_.size() * points_.d);
        for (int j = 0; j < points_.d; ++j) {
            const bool set = p.axes[j].style == Style::set;
            offset_.push_back(offset_.back() + (set ? words_ : 1));
            for (size_t i = 0; i < pool_.size(); ++i) {
                const int32_t code = points_.at(pool_[i])[j];
                int32_t& mine = local_[i * points_.d + j];
                mine = code;
                if (!set) continue;
                mine = static_cast<int32_t>(i);  // the first piece of the pool with this code stands for it
                for (size_t h = 0; h < i && mine == static_cast<int32_t>(i); ++h)
                    if (points_.at(pool_[h])[j] == code) mine = static_cast<int32_t>(h);
            }
        }
    }
    void begin_label(Part& part, int32_t piece) {
        part.label.assign(offset_.back(), 0);
        const int32_t* x = &local_[static_cast<size_t>(piece) * points_.d];
        for (int j = 0; j < points_.d; ++j) paravent::begin_label(p.axes[j], &part.label[offset_[j]], x[j]);
    }
    void look_up(const Part& part) {
        for (int j = 0; j < points_.d; ++j)
            if (!over_[j].empty()) prices_[j] = &over_[j][part.label[offset_[j]] * p.axes[j].size];
    }
    // What the label costs in all when a piece joins, or more than `enough` where that is passed. Where it does not
    // grow, the part is the one that was looked up.
    template <bool grow> int64_t with(Part& part, int32_t piece, int64_t enough = INT64_MAX) {
        const int32_t* x = &local_[static_cast<size_t>(piece) * points_.d];
        int64_t sum = 0;
        int j = 0;
        while (j < points_.d && sum <= enough) {
            const int64_t* prices = grow ? nullptr : prices_[j];
            sum += prices ? prices[x[j]] : joined<grow>(p.axes[j], &part.label[offset_[j]], words_, x[j]);
            ++j;
        }
        done_ += asked_[j];
        return sum;
    }

    // ---- a neighbourhood clustered anew ----
    const Piece& piece(int32_t i) const { return pieces_[pool_[i]]; }
    void put(Part& part, int32_t at, int32_t i) {
        part.size += piece(i).weight;
        part_of_[i] = at;
        if (demanding()) p.demands.count(part.counts, piece(i).row, piece(i).weight);
    }
    bool holds(const Part& part) const {
        return part.size >= p.k && (!demanding() || p.demands.hold(part.counts.data(), part.size));
    }
    void begin_part(size_t at) {
        Part& part = parts_.emplace_back();
        part.counts.assign(p.demands.width(), 0);
        begin_label(part, open_[at]);
        part.cost = with<true>(part, open_[at]);
        put(part, static_cast<int32_t>(parts_.size()) - 1, open_[at]);
        drop(open_, at);
    }
    // The open piece that leaves a part cheapest joins it; of equals the heaviest, then the first of the pool.
    void grow(Part& part) {
        size_t best = 0;
        int64_t least = std::numeric_limits<int64_t>::max();
        look_up(part);
        for (size_t at = 0; at < open_.size(); ++at) {
            const int64_t cost = with<false>(part, open_[at], least);
            if (cost > least) continue;
            const int32_t mine = piece(open_[at]).weight, theirs = piece(open_[best]).weight;
            if (cost == least && (mine != theirs ? mine < theirs : open_[at] > open_[best])) continue;
            least = cost;
            best = at;
        }
        part.cost = with<true>(part, open_[best]);
        put(part, static_cast<int32_t>(parts_.size()) - 1, open_[best]);
        drop(open_, best);
    }
    // The part that a piece adds least to, of those that hold with it, else of all; of equals the first.
    void join_some(int32_t i) {
        int32_t best = -1;
        int64_t least = 0;
        bool sound = false;
        for (size_t at = 0; at < parts_.size(); ++at) {
            Part& part = parts_[at];
            look_up(part);
            const int64_t more = with<false>(part, i) * (part.size + piece(i).weight) - part.cost * part.size;
            if (best >= 0 && more >= least && (sound || !demanding())) continue;
            bool stays = true;
            if (demanding()) {
                p.demands.count(part.counts, piece(i).row, piece(i).weight);
                stays = p.demands.hold(part.counts.data(), part.size + piece(i).weight);
                p.demands.count(part.counts, piece(i).row, -piece(i).weight);
            }
            if (best >= 0 && (stays == sound ? more >= least : sound)) continue;
            best = static_cast<int32_t>(at);
            least = more;
            sound = stays;
        }
        parts_[best].cost = with<true>(parts_[best], i);
        put(parts_[best], best, i);
    }

    // Cluster the pool anew, beginning with one of its pieces. False: it would cost more than `most`, or not hold.
    bool cluster(int32_t seed, int64_t most) {
        begin_pool();
        parts_.clear();
        part_of_.assign(pool_.size(), -1);
        open_ = numbers_below(count_of(pool_));
        int64_t rest = 0, spent = 0;
        for (int32_t x : pool_) rest += pieces_[x].weight;
        for (size_t at = static_cast<size_t>(seed); rest >= p.k && !open_.empty();
             at = open_.empty() ? 0 : random_.below(open_.size())) {
            begin_part(at);
            Part& part = parts_.back();
            while (!holds(part) && !open_.empty()) {
                grow(part);
                if (spent + part.cost * part.size > most) return false;
            }
            if (!holds(part)) {  // the demands ask for more than was left: its pieces are left over
                for (size_t i = 0; i < pool_.size(); ++i)
                    if (part_of_[i] == static_cast<int32_t>(parts_.size()) - 1)
                        open_.push_back(static_cast<int32_t>(i));
                parts_.pop_back();
                break;
            }
            spent += part.cost * part.size;
            rest -= part.size;
        }
        if (parts_.empty()) return false;
        for (int32_t i : open_) join_some(i);
        spent = 0;
        for (const Part& part : parts_) {
            spent += part.cost * part.size;
            if (!holds(part)) return false;
        }
        return spent <= most && allowed();
    }
    bool allowed() {
        if (!p.guard) return true;
        std::vector<int64_t> sizes;
        std::vector<Histograms> found(p.judged.size());
        std::vector<int32_t> rows;
        for (size_t at = 0; at < parts_.size(); ++at) {
            rows.clear();
            for (size_t i = 0; i < pool_.size(); ++i)
                for (int32_t r = 0; part_of_[i] == static_cast<int32_t>(at) && r < piece(i).weight; ++r)
                    rows.push_back(piece(i).row + r);
            sizes.push_back(parts_[at].size);
            for (size_t s = 0; s < found.size(); ++s) found[s].add(p.judged[s], rows);
        }
        done_ += a_question;
        const std::vector<uint8_t> held = p.guard(sizes, found);
        return std::all_of(held.begin(), held.end(), [](uint8_t x) { return x; });
    }
    void settle() {
        for (int32_t c : chosen_) {
            classes_[c] = {};
            spare_.push_back(c);
        }
        for (size_t at = 0; at < parts_.size(); ++at) {
            const int32_t c = unused_of(spare_, classes_);
            classes_[c].cost = parts_[at].cost;
            classes_[c].size = parts_[at].size;
            for (size_t i = 0; i < pool_.size(); ++i) {
                if (part_of_[i] != static_cast<int32_t>(at)) continue;
                classes_[c].pieces.push_back(pool_[i]);
                of_[pool_[i]] = c;
            }
        }
    }

    // The classes of a piece and of some of its neighbours, clustered anew.
    void visit(int32_t x, const std::vector<int32_t>& near, int64_t limit) {
        chosen_.assign(1, of_[x]);
        pool_ = classes_[of_[x]].pieces;
        if (count_of(pool_) > most_pieces_) return;
        int64_t size = classes_[of_[x]].size, cost = classes_[of_[x]].cost * size;
        const uint32_t wanted = 2 + random_.below(3);
        for (uint32_t tries = 0; tries < 2 * wanted && chosen_.size() < wanted; ++tries) {
            const int32_t other = near[static_cast<size_t>(x) * Neighbours::count + random_.below(Neighbours::count)];
            if (other < 0) continue;
            const int32_t c = of_[other];
            if (std::find(chosen_.begin(), chosen_.end(), c) != chosen_.end()) continue;
            if (static_cast<int64_t>(pool_.size() + classes_[c].pieces.size()) > most_pieces_) continue;
            chosen_.push_back(c);
            pool_.insert(pool_.end(), classes_[c].pieces.begin(), classes_[c].pieces.end());
            size += classes_[c].size;
            cost += classes_[c].cost * classes_[c].size;
        }
        if (size < 2 * p.k) return;
        const auto at = std::find(pool_.begin(), pool_.end(), x) - pool_.begin();
        if (!cluster(static_cast<int32_t>(at), cost + (p.guard && limit == 0 ? -1 : limit))) return;
        settle();
        for (const Part& part : parts_) cost_ += part.cost * part.size;
        cost_ -= cost;
    }

    // How hot it is: after the first sweeps the heat falls to nothing at two thirds of the work that is planned.
    double heat(int64_t begun) const {
        if (begun < 0 || p.planned <= begun) return 0;
        return hot * std::max(0.0, 1 - 1.5 * ratio(done_ - begun, p.planned - begun));
    }

    void keep() {
        if (cost_ >= best_cost_) return;
        best_cost_ = cost_;
        best_ = of_;
    }

 public:
    explicit Regrouping(const RegroupProblem& problem) : p(problem) {
        fill_over();
        for (int64_t i = 0; i < p.pieces; ++i) pieces_.push_back({p.piece_row[i], p.piece_weight[i]});
        fill_points();
        const std::vector<int32_t> order = CutOrder(points_, random_).order();
        std::vector<Piece> sorted;
        for (int32_t x : order) sorted.push_back(pieces_[x]);
        pieces_.swap(sorted);
        fill_points();
        classes_.resize(p.n_classes);
        for (int32_t x = 0; x < points_.n; ++x) {
            of_.push_back(p.start[pieces_[x].row]);
            classes_[of_[x]].pieces.push_back(x);
            classes_[of_[x]].size += pieces_[x].weight;
        }
        for (Class& c : classes_) {
            pool_ = c.pieces;
            if (pool_.empty()) continue;
            begin_pool();
            Part whole;
            begin_label(whole, 0);
            for (size_t i = 0; i < pool_.size(); ++i) c.cost = with<true>(whole, static_cast<int32_t>(i));
            cost_ += c.cost * c.size;
        }
        best_ = of_;
        best_cost_ = start_cost_ = cost_;
    }

    Rearranged run() {
        const int orders = points_.n > many ? 2 : 4;
        const Neighbours near(points_, orders, 1, random_);
        done_ += near.work;
        const double unit = ratio(start_cost_, std::max<int64_t>(1, p.rows));
        int64_t begun = -1;  // the work done when it became hot
        for (int64_t sweep = 0; done_ < p.work && best_cost_ > 0; ++sweep) {
            if (sweep == plain) begun = done_;
            const int64_t before = done_;
            double warm = 0;
            for (int32_t x = 0; x < points_.n && done_ < p.work; ++x) {
                if ((x & 1023) == 0) {
                    warm = unit * heat(begun);
                    if (p.watch) p.watch(ratio(done_, p.work));
                }
                if (classes_[of_[x]].cost == 0) continue;
                visit(x, near.list, warm == 0 ? 0 : static_cast<int64_t>(warm * quantiles()[random_.below(4096)]));
            }
            if (done_ < p.work || warm == 0) keep();  // a sweep that is cut off while hot may yet lose what it won
            if (done_ == before) break;               // nothing is near anything
        }
        Rearranged out{std::vector<int32_t>(p.rows), best_cost_, start_cost_};
        for (int32_t x = 0; x < points_.n; ++x)
            std::fill_n(out.of_row.begin() + pieces_[x].row, pieces_[x].weight, best_[x]);
        return out;
    }
};

}  // namespace paravent

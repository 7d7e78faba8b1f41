// Classes by the labels that are open: a search that opens, closes, raises and lowers labels while rows move.
//
// What a row costs depends on its label alone (facility location with a lower bound of k rows a facility). A row whose
// class can spare it goes to any open label over it; a class closes when its rows find other open labels; a label opens
// with the rows that it is cheaper for, beside the class it was made from or in its place, and takes classes over,
// whole or in part, where it lacks rows. A new label is an open one, moved up or down a few trees. Demands on sensitive
// values are asked of every class that a move has changed; the move is undone where one fails. Worse states are
// accepted with probability exp(-cost / temperature) (Metropolis et al. 1953). Plain version:
// tests/kernels/twins/opening.py.
#pragma once

#include "demands.hpp"

namespace paravent {

// Rows are the tuples' copies, one tuple after the other. Until `work` is done the temperature falls from `hot` to
// `cold`, both in what a row of the start costs.
struct OpeningProblem {
    int64_t tuples = 0, k = 1;
    std::vector<Axis> axes;          // trees
    const int32_t* codes = nullptr;  // tuples x axes
    std::vector<int64_t> rows_of;    // the first row of each tuple, and at last how many rows there are
    std::vector<int32_t> tuple_of;   // the tuple of each row
    const int32_t* start = nullptr;  // the class of each row
    int64_t n_classes = 0;
    int64_t work = 0;
    double hot = 0, cold = 0;
    uint64_t seed = 0;
    Demands demands;  // none: k alone decides
    Watch watch;
    PARAVENT_FIELDS(tuples, k, axes, codes, rows_of, tuple_of, start, n_classes, work, hot, cold, seed, demands, watch)
};

class Opening {
    using Words = std::vector<uint64_t>;
    struct Label {
        std::vector<int32_t> nodes, under;  // `under`: the tuples that it covers, ascending
        int64_t cost = 0;
    };
    struct Class : Label {
        std::vector<int32_t> rows, counts;
    };
    struct Source {  // what a class gives to a label: `take` of its rows, and at a price a row `more`, if need be
        int32_t c;
        int64_t take = 0, more = 0, price = 0;
        bool closes = false;  // all that it has there, when `more` is 0
    };

    const OpeningProblem& p;
    const int64_t k = p.k, words_ = (p.tuples + 63) / 64;
    const bool demanding = p.demands.width() > 0;
    std::vector<std::vector<Words>> bits_;  // [axis][node]: the tuples under it, and behind them which words are not 0
    RowPlaces places_{count_of(p.tuple_of)};
    std::vector<Class> classes_;
    std::vector<int32_t> spare_;  // free classes
    // Of each tuple: the open labels over it, the cheapest first.
    std::vector<std::vector<Offer>> offers_{static_cast<size_t>(p.tuples)};
    Label fresh_;
    std::vector<uint32_t> looked_ = std::vector<uint32_t>(p.tuples);  // at which look a tuple was under it last
    uint32_t look_ = 0;
    std::vector<const uint64_t*> asked_;
    std::vector<int32_t> mark_, here_, touched_, closed_;
    std::vector<Source> sources_;
    std::vector<std::pair<int32_t, int32_t>> log_;  // row, the class it came from
    int32_t round_ = 0;
    int64_t done_ = 0, change_ = 0;  // what the moves of the log add to the cost
    Random random_{p.seed};

    int32_t leaf(int32_t t, size_t j) const { return p.codes[static_cast<size_t>(t) * p.axes.size() + j]; }
    int32_t tuple(int32_t row) const { return p.tuple_of[row]; }
    int64_t size(int32_t c) const { return count_of(classes_[c].rows); }
    bool holds(int32_t c) const { return size(c) >= k && p.demands.hold(classes_[c].counts.data(), size(c)); }
    void put(int32_t row, int32_t c) {
        places_.put(row, c, classes_[c].rows);
        if (demanding) p.demands.count(classes_[c].counts.data(), row, 1);
    }
    void move(int32_t row, int32_t to) {
        Class& c = classes_[places_.of[row]];
        if (demanding) p.demands.count(c.counts.data(), row, -1);
        places_.take(row, c.rows);
        put(row, to);
        done_ += 4;
    }
    void begin_log() {
        log_.clear();
        change_ = 0;
    }
    void go(int32_t row, int32_t to) {
        change_ += classes_[to].cost - classes_[places_.of[row]].cost;
        log_.emplace_back(row, places_.of[row]);
        move(row, to);
    }
    // Whether the classes that the moves of the log have touched are as demanded; empty ones are.
    bool all_hold() {
        if (!demanding) return true;
        ++round_;
        for (const auto& [row, from] : log_)
            for (int32_t c : {from, places_.of[row]}) {
                if (mark_[c] == round_) continue;
                mark_[c] = round_;
                if (size(c) && !holds(c)) return false;
            }
        return true;
    }
    void undo() {
        for (auto step = log_.rbegin(); step != log_.rend(); ++step) move(step->first, step->second);
    }
    // Move a row, unless its class or the other one would not be as demanded.
    bool try_move(int32_t row, int32_t to) {
        begin_log();
        go(row, to);
        if (all_hold()) return true;
        undo();
        return false;
    }
    // The labels of some classes close, and their rows go to the cheapest open ones. Where that cannot be, or the moves
    // of the log cost more in all than the limit, none of them is made.
    bool settle(int64_t limit) {
        for (int32_t c : closed_) show(c, false);
        bool sound = true;
        for (int32_t c : closed_)
            while (sound && size(c)) {
                const int32_t row = classes_[c].rows.back(), other = cheapest(row, c);
                sound = other >= 0 && change_ <= limit;
                if (sound) go(row, other);
            }
        sound = sound && change_ <= limit && all_hold();
        if (!sound) undo();
        for (int32_t c : closed_) sound ? spare_.push_back(c) : show(c, true);
        return sound;
    }

    // ---- labels ----
    void fill_bits() {
        for (size_t j = 0; j < p.axes.size(); ++j) {
            const Axis& axis = p.axes[j];
            std::vector<Words> under(axis.parent.size(), Words(words_ + (words_ + 63) / 64, 0));
            for (int32_t t = 0; t < p.tuples; ++t) set(under[leaf(t, j)].data(), t);
            for (int32_t v = 0; v < axis.root(); ++v)
                for (int64_t w = 0; w < words_; ++w) under[axis.parent[v]][w] |= under[v][w];
            for (Words& mine : under)
                for (int64_t w = 0; w < words_; ++w)
                    if (mine[w]) set(mine.data() + words_, w);
            bits_.push_back(std::move(under));
        }
    }
    static void set(uint64_t* words, int64_t bit) { words[bit >> 6] |= uint64_t{1} << (bit & 63); }
    // The bits of one word that all nodes of the fresh label have.
    uint64_t common(int64_t word) const {
        uint64_t all = ~uint64_t{0};
        for (const uint64_t* mine : asked_) all &= mine[word];
        return all;
    }
    // Whether k rows lie under the nodes of the fresh label; it is told which.
    bool look() {
        asked_.clear();
        for (size_t j = 0; j < p.axes.size(); ++j)
            if (fresh_.nodes[j] != p.axes[j].root() || j == 0) asked_.push_back(bits_[j][fresh_.nodes[j]].data());
        ++look_;
        fresh_.under.clear();
        int64_t rows = 0, words = 0;
        for (int64_t s = words_; s < count_of(bits_[0][0]); ++s)
            for (uint64_t some = common(s); some; some &= some - 1) {
                const int64_t w = (s - words_) * 64 + __builtin_ctzll(some);
                ++words;
                for (uint64_t x = common(w); x; x &= x - 1) {
                    const int64_t t = w * 64 + __builtin_ctzll(x);
                    fresh_.under.push_back(static_cast<int32_t>(t));
                    looked_[t] = look_;
                    rows += p.rows_of[t + 1] - p.rows_of[t];
                }
            }
        done_ += words + count_of(fresh_.under) / 2;
        return rows >= k;
    }
    int64_t priced(const std::vector<int32_t>& nodes) const {
        int64_t sum = 0;
        for (size_t j = 0; j < nodes.size(); ++j) sum += p.axes[j].node_cost[nodes[j]];
        return sum;
    }
    // The fresh label, as low as some rows allow.
    template <class Rows> void tighten(const Rows& rows) {
        fresh_.nodes.resize(p.axes.size());
        for (size_t j = 0; j < p.axes.size(); ++j) {
            Span ends;
            for (const auto& row : rows) ends.add(leaf(tuple(row), j));
            fresh_.nodes[j] = p.axes[j].over(ends.low, ends.high);
        }
        fresh_.cost = priced(fresh_.nodes);
    }
    void show(int32_t c, bool open) {
        const Offer mine{classes_[c].cost, c};
        done_ += 4 * count_of(classes_[c].under);
        for (int32_t t : classes_[c].under) {
            std::vector<Offer>& all = offers_[t];
            const auto at = std::lower_bound(all.begin(), all.end(), mine);
            if (open) all.insert(at, mine);
            else all.erase(at);
        }
    }
    // The fresh label opens as a class without rows.
    int32_t begin() {
        const int32_t c = unused_of(spare_, classes_);
        classes_[c].counts.resize(p.demands.width());
        mark_.resize(classes_.size());
        here_.resize(classes_.size());
        static_cast<Label&>(classes_[c]) = fresh_;
        show(c, true);
        return c;
    }
    // The cheapest open label of a row but one; -1: there is none.
    int32_t cheapest(int32_t row, int32_t but) const {
        for (const Offer& offer : offers_[tuple(row)])
            if (offer.second != but) return offer.second;
        return -1;
    }
    template <class Use> PARAVENT_INLINE void rows_under(const Label& label, Use use) const {
        for (int32_t t : label.under)
            for (int64_t row = p.rows_of[t]; row < p.rows_of[t + 1]; ++row) use(static_cast<int32_t>(row));
    }

    // ---- moves; `limit` is the most that a move may add to the cost ----
    void leave(int32_t row, int64_t limit) {
        const std::vector<Offer>& all = offers_[tuple(row)];
        const Offer& to = all[random_.below(all.size())];
        const int32_t c = places_.of[row];
        if (to.second != c && to.first - classes_[c].cost <= limit) try_move(row, to.second);
    }

    void close(int32_t c, int64_t limit) {
        int64_t change = 0;
        ++look_;  // no row goes to a fresh label
        if (!dissolved(c, 0, limit, change)) return;
        begin_log();
        closed_.assign(1, c);
        settle(endless);
    }

    // The label of class c, moved on a few axes towards a row or away from it.
    void moved(int32_t c, int32_t row) {
        fresh_.nodes = classes_[c].nodes;
        for (uint32_t steps = 1 + random_.below(3); steps > 0; --steps) {
            const size_t j = random_.below(p.axes.size());
            int32_t& node = fresh_.nodes[j];
            const int32_t below = leaf(tuple(row), j);
            if (random_.draw() & 1) {
                if (node != below) node = p.axes[j].towards(node, below);
            } else if (node != p.axes[j].root()) {
                node = p.axes[j].parent[node];
            }
        }
        fresh_.cost = priced(fresh_.nodes);
    }

    // What it would cost to dissolve class c when its rows under the fresh label go there. False: more than the limit.
    bool dissolved(int32_t c, int64_t there, int64_t limit, int64_t& change) {
        change = (fresh_.cost - classes_[c].cost) * there;
        if (there == size(c)) return change <= limit;
        for (int32_t row : classes_[c].rows) {
            if (looked_[tuple(row)] == look_) continue;
            const int32_t other = cheapest(row, c);
            done_ += 2;
            if (other < 0) return false;
            change += classes_[other].cost - classes_[c].cost;
            if (change > limit) return false;
        }
        return true;
    }

    // Open the fresh label, in the place of a class or (-1) beside all.
    void open(int32_t replaced, int64_t limit) {
        ++round_;
        touched_.clear();
        rows_under(fresh_, [&](int32_t row) {
            const int32_t c = places_.of[row];
            if (mark_[c] != round_) {
                mark_[c] = round_;
                here_[c] = 0;
                touched_.push_back(c);
            }
            ++here_[c];
            ++done_;
        });
        int64_t change = 0, have = 0;
        sources_.clear();
        for (int32_t c : touched_) {
            const int64_t there = here_[c], gain = classes_[c].cost - fresh_.cost, free = std::min(there, size(c) - k);
            if (gain <= 0 && c != replaced) {  // such classes only help to reach k
                if (free > 0 || there == size(c)) sources_.push_back({c, 0, free > 0 ? free : there, -gain, free == 0});
                continue;
            }
            int64_t whole = 0, part = -gain * free;
            const bool closes = c == replaced ? dissolved(c, there, endless, whole)
                                              : there > free && dissolved(c, there, limit + part, whole);
            if (c == replaced && !closes) return;
            const bool now = c == replaced || (closes && whole < part);
            const int64_t take = now ? there : free, more = closes && !now ? there - free : 0;
            if (take + more > 0) sources_.push_back({c, take, more, more > 0 ? (whole - part) / more : 0, closes});
            have += take;
            change += now ? whole : part;
        }
        if (have < k)
            std::stable_sort(sources_.begin(), sources_.end(),
                             [](const Source& a, const Source& b) { return a.price < b.price; });
        for (Source& s : sources_) {
            if (have >= k || change > limit) break;
            const int64_t more = s.closes ? s.more : std::min(s.more, k - have);
            s.take += more;
            s.more = 0;
            have += more;
            change += s.price * more;
        }
        if (have >= k && change <= limit) carry_out(limit);
    }

    // Open a label with the chosen rows. Dissolved classes may have counted on each other: if so it is undone.
    void carry_out(int64_t limit) {
        closed_.clear();
        for (int32_t c : touched_) here_[c] = 0;
        for (const Source& s : sources_) {
            here_[s.c] = static_cast<int32_t>(s.take);
            if (s.closes && s.more == 0) closed_.push_back(s.c);
        }
        std::vector<int32_t> taken;
        rows_under(fresh_, [&](int32_t row) {
            if (here_[places_.of[row]] > 0 && here_[places_.of[row]]--) taken.push_back(row);
        });
        tighten(taken);
        look();
        const int32_t to = begin();
        begin_log();
        for (int32_t row : taken) go(row, to);
        if (settle(limit)) return;
        show(to, false);
        spare_.push_back(to);
    }

    // Every row whose class can spare it goes to its cheapest open label, until none gains.
    void quench() {
        for (bool any = true; any;) {
            any = false;
            for (int32_t row = 0; row < count_of(p.tuple_of); ++row) {
                const int32_t c = places_.of[row], other = offers_[tuple(row)].front().second;
                if (size(c) > k && classes_[other].cost < classes_[c].cost) any |= try_move(row, other);
            }
        }
    }

    int64_t total() const {
        int64_t sum = 0;
        for (const Class& c : classes_) sum += c.cost * count_of(c.rows);
        return sum;
    }

    void anneal(double unit) {
        double heat = 0;
        for (int64_t i = 0; done_ < p.work; ++i) {
            const double done = ratio(done_, p.work);
            if ((i & 255) == 0) heat = unit * p.hot * std::pow(p.cold / p.hot, done);
            if (p.watch && (i & 0xFFFF) == 0) p.watch(done);
            const int32_t row = static_cast<int32_t>(random_.below(p.tuple_of.size()));
            const int32_t c = places_.of[row];
            done_ += 32;
            if (classes_[c].cost == 0) continue;
            const uint32_t dice = random_.draw();
            const int64_t limit = static_cast<int64_t>(heat * quantiles[dice & 4095]);
            if ((dice >> 12) % 16 < 5) {
                moved(c, row);
                const bool replaces = (dice >> 16) % 16 < 3;
                if ((replaces || fresh_.cost < classes_[c].cost) && look()) open(replaces ? c : -1, limit);
            } else if (size(c) > k && !(demanding && (dice >> 20) % 4 == 0 && size(c) <= 4 * k)) {
                leave(row, limit);  // what is demanded can keep rows in a class larger than k: such ones close too
            } else {
                close(c, limit);
            }
        }
    }

 public:
    explicit Opening(const OpeningProblem& problem) : p(problem) {
        fill_bits();
        std::vector<std::vector<int32_t>> rows(p.n_classes);
        for (int32_t row = 0; row < count_of(p.tuple_of); ++row) rows[p.start[row]].push_back(row);
        std::map<std::vector<int32_t>, int32_t> known;  // classes with one label are one
        for (const std::vector<int32_t>& mine : rows) {
            tighten(mine);
            const auto [at, is_new] = known.emplace(fresh_.nodes, count_of(classes_));
            if (is_new) {
                look();
                begin();
            }
            for (int32_t row : mine) put(row, at->second);
        }
    }

    // The state after the search, or the start where the search found nothing better.
    Rearranged run() {
        Rearranged out{places_.of, 0, total()};
        anneal(ratio(out.start_cost, count_of(p.tuple_of)));
        quench();
        out.cost = std::min(total(), out.start_cost);
        if (out.cost < out.start_cost) out.of_row = places_.of;
        return out;
    }
};

}  // namespace paravent

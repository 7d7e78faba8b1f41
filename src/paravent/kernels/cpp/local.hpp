// Local recoding: which rows share which label, by a cover that takes cheap labels first and simulated annealing on it.
//
// What a row costs depends on its label alone. So the search opens and closes labels (facility location with a lower
// bound of k rows a facility): a row whose class can spare it goes to any open label that covers it; a class closes
// when its rows find other open labels; a label opens with the rows it is cheaper for, and takes classes over, whole or
// in part, where it lacks rows. Demands on sensitive values are asked of every class that a move has changed; the move
// is undone where one fails. Worse states are accepted with probability exp(-cost / temperature) (Metropolis et al.
// 1953).
#pragma once

#include "annealing.hpp"
#include "labels.hpp"

namespace paravent {

struct LocalResult {
    std::vector<int32_t> label_of_row;
    int64_t cost = 0, start_cost = 0;  // as the labels cost, before a class takes its lowest common ancestors
    PARAVENT_FIELDS(label_of_row, cost, start_cost)
};

class LocalSearch {
    static constexpr int words = 7;
    static constexpr int32_t widest = 512;  // labels of more tuples are opened by the cover alone
    struct Class {
        int32_t label = -1, cost = 0;
        std::vector<int32_t> rows, counts;
    };
    struct Source {  // what class c can give to a label: `take` of its rows there, or all of them and be dissolved
        int64_t price;
        int32_t c, there, take;
        bool dissolves, waits;
    };

    const LocalProblem& p;
    const Labels labels;
    const int64_t k;
    const bool demanding;
    const std::vector<int32_t>& tuple_;  // of each row
    RowPlaces places_;
    std::vector<uint64_t> open_;  // bits: which choices of a tuple are open
    std::vector<Class> classes_;
    std::vector<int32_t> spare_, slot_;  // free classes; class of each label
    std::vector<int32_t> mark_, here_, touched_, closed_;
    std::vector<Source> sources_;
    std::vector<std::pair<int32_t, int32_t>> log_;  // row, the class it came from
    int32_t round_ = 0;
    Random random_;

    int64_t size(int32_t c) const { return count_of(classes_[c].rows); }
    void put(int32_t row, int32_t c) {
        places_.put(row, c, classes_[c].rows);
        if (demanding) p.demands.count(classes_[c].counts, row, 1);
    }
    void take(int32_t row) {
        Class& c = classes_[places_.of[row]];
        if (demanding) p.demands.count(c.counts, row, -1);
        places_.take(row, c.rows);
    }
    bool holds(int32_t c) const { return size(c) >= k && p.demands.hold(classes_[c].counts.data(), size(c)); }
    void move(int32_t row, int32_t c) {
        take(row);
        put(row, c);
    }
    // Move a row, unless its class or the other one would not be as demanded.
    bool try_move(int32_t row, int32_t to) {
        const int32_t from = places_.of[row];
        move(row, to);
        if (!demanding || (holds(from) && holds(to))) return true;
        move(row, from);
        return false;
    }
    void show(int32_t label, bool open) {
        for (int64_t i = labels.start[label]; i < labels.start[label + 1]; ++i) {
            uint64_t& word = open_[static_cast<int64_t>(labels.member[i]) * words + (labels.place[i] >> 6)];
            const uint64_t bit = uint64_t{1} << (labels.place[i] & 63);
            word = open ? word | bit : word & ~bit;
        }
    }
    int32_t begin(int32_t label) {
        int32_t c = static_cast<int32_t>(classes_.size());
        if (spare_.empty()) {
            classes_.emplace_back();
            classes_.back().counts.assign(p.demands.width(), 0);
            mark_.push_back(0);
            here_.push_back(0);
        } else {
            c = spare_.back();
            spare_.pop_back();
        }
        classes_[c].label = label;
        classes_[c].cost = labels.cost[label];
        slot_[label] = c;
        show(label, true);
        return c;
    }
    void end(int32_t c) {
        slot_[classes_[c].label] = -1;
        classes_[c].label = -1;
        spare_.push_back(c);
    }

    // The cheapest open label of a tuple for which `fits` holds; -1: there is none.
    template <class Fits> PARAVENT_INLINE int32_t first_open(int32_t t, Fits fits) const {
        for (int w = 0; w < words; ++w)
            for (uint64_t x = open_[static_cast<int64_t>(t) * words + w]; x; x &= x - 1) {
                const int32_t label = labels.choice[labels.first[t] + w * 64 + __builtin_ctzll(x)];
                if (fits(label)) return label;
            }
        return -1;
    }
    int32_t cheapest(int32_t t, int32_t but) const {
        return first_open(t, [but](int32_t label) { return label != but; });
    }
    // An open label of a tuple: the first one from a random choice on.
    int32_t some_open(int32_t t) {
        const uint32_t from = random_.below(labels.first[t + 1] - labels.first[t]);
        for (int i = 0; i <= words; ++i) {
            const int w = (static_cast<int>(from >> 6) + i) % words;
            uint64_t x = open_[static_cast<int64_t>(t) * words + w];
            if (i == 0) x &= ~uint64_t{0} << (from & 63);
            if (x) return labels.choice[labels.first[t] + w * 64 + __builtin_ctzll(x)];
        }
        return -1;
    }
    bool covers(int32_t label, int32_t t) const {
        return std::binary_search(labels.member.begin() + labels.start[label],
                                  labels.member.begin() + labels.start[label + 1], t);
    }

    template <class Use> PARAVENT_INLINE void rows_under(int32_t label, Use use) const {
        for (int64_t i = labels.start[label]; i < labels.start[label + 1]; ++i)
            for (int64_t row = p.rows_of[labels.member[i]]; row < p.rows_of[labels.member[i] + 1]; ++row)
                use(static_cast<int32_t>(row));
    }

    // ---- the start: labels by cost, each opened if k rows without a class are under it and are as demanded ----
    void cover() {
        std::vector<int32_t> order = numbers_below(count_of(labels.cost)), free, counts;
        std::stable_sort(order.begin(), order.end(),
                         [&](int32_t a, int32_t b) { return labels.cost[a] < labels.cost[b]; });
        for (int32_t label : order) {
            int64_t people = 0;
            rows_under(label, [&](int32_t row) { people += places_.of[row] < 0; });
            if (people < k) continue;
            free.clear();
            rows_under(label, [&](int32_t row) {
                if (places_.of[row] < 0) free.push_back(row);
            });
            counts.assign(p.demands.width(), 0);
            for (int32_t row : free) p.demands.count(counts, row, 1);
            if (!p.demands.hold(counts.data(), count_of(free))) continue;
            const int32_t c = begin(label);
            for (int32_t row : free) put(row, c);
        }
        // Others go to the cheapest open label that stays as demanded, else to the top.
        free.clear();
        for (int32_t row = 0; row < static_cast<int32_t>(tuple_.size()); ++row)
            if (places_.of[row] < 0 && !join_cheapest(row)) free.push_back(row);
        if (free.empty()) return;
        const int32_t top = slot_[labels.top] >= 0 ? slot_[labels.top] : begin(labels.top);
        for (int32_t row : free) put(row, top);
        while (!holds(top) && (take_row_over(top) || take_class_over(top))) {}
    }
    bool join_cheapest(int32_t row) {
        return first_open(tuple_[row], [&](int32_t label) {
                   put(row, slot_[label]);
                   if (!demanding || holds(slot_[label])) return true;
                   take(row);
                   return false;
               }) >= 0;
    }

    // A row of the dearest class that can spare one, where k alone decides.
    bool take_row_over(int32_t to) {
        int32_t giver = -1;
        for (int32_t c = 0; !demanding && c < static_cast<int32_t>(classes_.size()); ++c)
            if (c != to && size(c) > k && (giver < 0 || classes_[c].cost > classes_[giver].cost)) giver = c;
        if (giver >= 0) move(classes_[giver].rows.back(), to);
        return giver >= 0;
    }
    // The class that loses least by it goes whole to another one. False: everybody is there.
    bool take_class_over(int32_t to) {
        int32_t giver = -1;
        auto loss = [&](int32_t c) { return (classes_[to].cost - static_cast<int64_t>(classes_[c].cost)) * size(c); };
        for (int32_t c = 0; c < static_cast<int32_t>(classes_.size()); ++c)
            if (c != to && classes_[c].label >= 0 && (giver < 0 || loss(c) < loss(giver))) giver = c;
        if (giver < 0) return false;
        while (size(giver)) move(classes_[giver].rows.back(), to);
        show(classes_[giver].label, false);
        end(giver);
        return true;
    }

    // The partition given, where it costs less than the cover: its classes are labels of their own.
    void begin_as_given() {
        int64_t cost = 0;
        for (size_t row = 0; row < tuple_.size(); ++row) cost += labels.cost[labels.given[p.given[row]]];
        if (cost >= total()) return;
        for (int32_t c = 0; c < static_cast<int32_t>(classes_.size()); ++c) {
            if (classes_[c].label < 0) continue;
            while (size(c)) take(classes_[c].rows.back());
            show(classes_[c].label, false);
            end(c);
        }
        for (int32_t label : labels.given) begin(label);
        for (size_t row = 0; row < tuple_.size(); ++row)
            put(static_cast<int32_t>(row), slot_[labels.given[p.given[row]]]);
    }

    // ---- moves; `limit` is the most that a move may add to the cost ----
    void leave(int32_t row, int64_t limit) {
        const int32_t c = places_.of[row], label = some_open(tuple_[row]);
        if (label == classes_[c].label || labels.cost[label] - classes_[c].cost > limit) return;
        try_move(row, slot_[label]);
    }

    void close(int32_t c, int64_t limit) {
        const int32_t label = classes_[c].label;
        int64_t change = 0;
        for (int32_t row : classes_[c].rows) {
            const int32_t other = cheapest(tuple_[row], label);
            if (other < 0) return;
            change += labels.cost[other] - classes_[c].cost;
            if (change > limit) return;
        }
        show(label, false);
        log_.clear();
        while (size(c)) {
            const int32_t row = classes_[c].rows.back();
            log_.emplace_back(row, c);
            move(row, slot_[cheapest(tuple_[row], -1)]);
        }
        if (demanding && !all_hold()) {
            undo();
            show(label, true);
            return;
        }
        end(c);
    }

    // Whether the classes that the moves of the log have touched are as demanded; empty ones are.
    bool all_hold() {
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

    // A closed label of a row that is cheaper than its own; -1: the draw was none.
    int32_t some_closed(int32_t row) {
        const int32_t t = tuple_[row], cost = classes_[places_.of[row]].cost;
        const auto from = labels.choice.begin() + labels.first[t], to = labels.choice.begin() + labels.first[t + 1];
        const auto dear =
            std::lower_bound(from, to, cost, [&](int32_t label, int32_t c) { return labels.cost[label] < c; });
        if (dear == from) return -1;
        const int32_t label = from[random_.below(dear - from)];
        return slot_[label] >= 0 || labels.start[label + 1] - labels.start[label] > widest ? -1 : label;
    }

    // What it would cost to dissolve class c when its rows under `label` go there; past the limit: -1 as the answer.
    bool dissolved(int32_t c, int32_t label, int32_t there, int64_t limit, int64_t& change) const {
        change = (labels.cost[label] - static_cast<int64_t>(classes_[c].cost)) * there;
        if (there == size(c)) return change <= limit;
        for (int32_t row : classes_[c].rows) {
            if (covers(label, tuple_[row])) continue;
            const int32_t other = cheapest(tuple_[row], classes_[c].label);
            if (other < 0) return false;
            change += labels.cost[other] - classes_[c].cost;
            if (change > limit) return false;
        }
        return true;
    }

    void open(int32_t label, int64_t limit) {
        const int64_t cost = labels.cost[label];
        ++round_;
        touched_.clear();
        rows_under(label, [&](int32_t row) {
            const int32_t c = places_.of[row];
            if (mark_[c] != round_) {
                mark_[c] = round_;
                here_[c] = 0;
                touched_.push_back(c);
            }
            ++here_[c];
        });
        int64_t change = 0, have = 0;
        sources_.clear();
        for (int32_t c : touched_) {
            const int32_t there = here_[c];
            const int64_t gain = classes_[c].cost - cost;
            const int32_t free = static_cast<int32_t>(std::min<int64_t>(there, size(c) - k));
            int64_t whole = 0;
            if (gain <= 0) {  // such classes only help to reach k
                if (free > 0) sources_.push_back({-gain, c, there, 0, false, true});
                else if (there == size(c)) sources_.push_back({-gain, c, there, 0, true, true});
                continue;
            }
            if (there > free && dissolved(c, label, there, limit - gain * free, whole)) {
                if (whole < -gain * free) {
                    have += there;
                    change += whole;
                    sources_.push_back({0, c, there, there, true, false});
                    continue;
                }
                sources_.push_back({(whole + gain * free) / (there - free), c, there, free, true, true});
            } else if (free > 0) {
                sources_.push_back({0, c, there, free, false, false});
            }
            have += free;
            change -= gain * free;
        }
        if (have < k) {
            std::stable_sort(sources_.begin(), sources_.end(),
                             [](const Source& a, const Source& b) { return a.price < b.price; });
            for (Source& s : sources_) {
                if (have >= k || change > limit) break;
                if (!s.waits) continue;
                const int64_t more =
                    s.dissolves ? s.there - s.take : std::min<int64_t>({s.there, size(s.c) - k, k - have});
                s.take += static_cast<int32_t>(more);
                s.waits = false;
                have += more;
                change += s.price * more;
            }
        }
        if (have < k || change > limit) return;
        carry_out(label, limit);
    }

    // Open a label with the chosen rows. Dissolved classes may have counted on each other: if so it is undone.
    void carry_out(int32_t label, int64_t limit) {
        const int64_t cost = labels.cost[label];
        int64_t change = 0;
        log_.clear();
        closed_.clear();
        for (int32_t c : touched_) here_[c] = 0;
        for (const Source& s : sources_) {
            here_[s.c] = s.take;
            if (s.dissolves && !s.waits) closed_.push_back(s.c);
        }
        const int32_t to = begin(label);
        here_[to] = 0;
        rows_under(label, [&](int32_t row) {
            const int32_t c = places_.of[row];
            if (here_[c] == 0) return;
            --here_[c];
            change += cost - classes_[c].cost;
            log_.emplace_back(row, c);
            move(row, to);
        });
        for (int32_t c : closed_) show(classes_[c].label, false);
        bool sound = true;
        for (size_t i = 0; sound && i < closed_.size(); ++i) {
            const int32_t c = closed_[i];
            while (sound && size(c)) {
                const int32_t row = classes_[c].rows.back(), other = cheapest(tuple_[row], -1);
                if (other >= 0) change += labels.cost[other] - classes_[c].cost;
                sound = other >= 0 && change <= limit;
                if (!sound) break;
                log_.emplace_back(row, c);
                move(row, slot_[other]);
            }
        }
        sound = sound && change <= limit && (!demanding || all_hold());
        if (sound) {
            for (int32_t c : closed_) end(c);
            return;
        }
        for (int32_t c : closed_) show(classes_[c].label, true);
        undo();
        show(label, false);
        end(to);
    }

    // Every row whose class can spare it goes to its cheapest open label, until none gains.
    void quench() {
        for (bool moved = true; moved;) {
            moved = false;
            for (int32_t row = 0; row < static_cast<int32_t>(tuple_.size()); ++row) {
                const int32_t c = places_.of[row];
                if (size(c) <= k || classes_[c].cost == 0) continue;
                const int32_t label = cheapest(tuple_[row], -1);
                if (labels.cost[label] >= classes_[c].cost) continue;
                moved |= try_move(row, slot_[label]);
            }
        }
    }

    int64_t total() const {
        int64_t sum = 0;
        for (const Class& c : classes_) sum += static_cast<int64_t>(c.cost) * count_of(c.rows);
        return sum;
    }

    void anneal(int64_t cost) {
        const int64_t rows = count_of(tuple_);
        const double unit = ratio(cost, rows);
        double heat = 0;
        for (int64_t i = 0; i < p.cooling.proposals; ++i) {
            if ((i & 1023) == 0) heat = p.cooling.heat(unit, i);
            if (p.watch && (i & 0x3FFFF) == 0) p.watch(0.3 + 0.7 * p.cooling.done(i));
            const int32_t row = static_cast<int32_t>(random_.below(rows));
            const int32_t c = places_.of[row];
            if (classes_[c].cost == 0) continue;
            const uint32_t dice = random_.draw();
            const int64_t limit = static_cast<int64_t>(heat * quantiles()[dice & 4095]);
            if ((dice >> 12) % 5 == 0) {
                const int32_t label = some_closed(row);
                if (label >= 0) open(label, limit);
            } else if (size(c) > k && !(demanding && (dice >> 16) % 4 == 0 && size(c) <= 4 * k)) {
                leave(row, limit);  // what is demanded can keep rows in a class larger than k: such ones close too
            } else {
                close(c, limit);
            }
        }
    }

    std::vector<int32_t> answer() const {
        std::vector<int32_t> out;
        out.reserve(places_.of.size());
        for (int32_t c : places_.of) out.push_back(classes_[c].label);
        return out;
    }

 public:
    explicit LocalSearch(const LocalProblem& problem)
        : p(problem),
          labels(problem),
          k(problem.k),
          demanding(problem.demands.width() > 0),
          tuple_(problem.tuple_of),
          places_(count_of(problem.tuple_of)),
          random_(problem.seed) {
        open_.assign(p.tuples * words, 0);
        slot_.assign(labels.cost.size(), -1);
    }

    // The state after the search, or after the cover where the search found nothing better.
    LocalResult run() {
        LocalResult out;
        cover();
        if (!labels.given.empty()) begin_as_given();
        out.start_cost = total();
        std::vector<int32_t> start = answer();
        if (p.cooling.proposals > 0) {
            anneal(out.start_cost);
            quench();
        }
        const int64_t found = total();
        out.cost = std::min(found, out.start_cost) << p.shift;
        out.label_of_row = found < out.start_cost ? answer() : std::move(start);
        out.start_cost <<= p.shift;
        return out;
    }
};

}  // namespace paravent

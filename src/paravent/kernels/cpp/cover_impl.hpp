// The hot loops of cover.hpp, compiled once for each instruction set (PARAVENT_ISA).
#pragma once

#include "cover.hpp"

namespace paravent::PARAVENT_ISA {

namespace {

using Words = std::vector<uint64_t>;

// What all chains share: the rows under each node, as bits.
struct Ground {
    const CoverProblem& p;
    const size_t d;
    const int64_t words;
    std::vector<std::vector<Words>> under;  // [axis][node]

    explicit Ground(const CoverProblem& problem) : p(problem), d(problem.axes.size()), words((problem.rows + 63) / 64) {
        for (const RowTree& axis : p.axes) {
            std::vector<Words> bits(axis.parent.size(), Words(words, 0));
            for (int64_t row = 0; row < p.rows; ++row) bits[axis.leaf[row]][row >> 6] |= uint64_t{1} << (row & 63);
            for (int32_t v = 0; v < axis.root(); ++v)  // parents have higher numbers
                for (int64_t w = 0; w < words; ++w) bits[axis.parent[v]][w] |= bits[v][w];
            under.push_back(std::move(bits));
        }
    }
    const Words& all() const { return under[0].back(); }
};

struct Label {
    std::vector<int32_t> nodes;
    int64_t worth = 0;
    int64_t from = 0, to = 0;  // words that are not 0
    Words bits;
};

struct Part {  // the rows that a label got; words outside its range are not to be read
    int64_t size = 0, from = 0, to = 0;
    Words bits;

    bool has(int64_t row) const {
        const int64_t w = row >> 6;
        return size && w >= from && w < to && (bits[w] >> (row & 63) & 1);
    }
};

class Chain {
    const Ground& g;
    const CoverProblem& p;
    const int64_t words;
    std::vector<Label> pool_;
    std::vector<int32_t> spare_;
    std::vector<int32_t> state_, next_, kept_, closed_;  // labels by falling worth; the last one is the top
    std::vector<Part> parts_, tried_;                    // of state_, of next_
    Words rest_;
    std::vector<std::pair<int32_t, int64_t>> givers_;
    std::vector<int32_t> best_;  // nodes
    int64_t best_worth_ = -1;
    Random random_;

    // A label with its rows; -1: fewer than k rows are under it.
    int32_t made(const std::vector<int32_t>& nodes) {
        int32_t at = static_cast<int32_t>(pool_.size());
        if (spare_.empty()) {
            pool_.emplace_back();
        } else {
            at = spare_.back();
            spare_.pop_back();
        }
        Label& label = pool_[at];
        label.nodes = nodes;
        label.worth = 0;
        label.bits = g.all();
        uint64_t* bits = label.bits.data();
        for (size_t j = 0; j < g.d; ++j) {
            label.worth += p.axes[j].climb[nodes[j]];
            if (nodes[j] == p.axes[j].root()) continue;
            const uint64_t* mine = g.under[j][nodes[j]].data();
            for (int64_t w = 0; w < words; ++w) bits[w] &= mine[w];
        }
        int64_t rows = 0;
        for (int64_t w = 0; w < words; ++w) rows += __builtin_popcountll(bits[w]);
        label.from = 0;
        label.to = words;
        while (label.from < label.to && !bits[label.from]) ++label.from;
        while (label.to > label.from && !bits[label.to - 1]) --label.to;
        if (rows >= p.k) return at;
        spare_.push_back(at);
        return -1;
    }

    // Move the first `count` rows that `from` has under a label to `to`.
    void hand_over(Part& from, Part& to, const Label& under, int64_t count) {
        from.size -= count;
        to.size += count;
        for (int64_t w = std::max(from.from, under.from); count > 0; ++w) {
            uint64_t x = from.bits[w] & under.bits[w], taken = 0;
            for (; x && count > 0; x &= x - 1, --count) taken |= x & -x;
            from.bits[w] ^= taken;
            to.bits[w] |= taken;
        }
    }
    // What part i can spare under a label.
    int64_t spared(const Part& part, const Label& label) const {
        if (part.size <= p.k) return 0;
        int64_t shared = 0;
        for (int64_t w = std::max(part.from, label.from), end = std::min(part.to, label.to); w < end; ++w)
            shared += __builtin_popcountll(part.bits[w] & label.bits[w]);
        return std::min(shared, part.size - p.k);
    }

    // Give the rows to `labels` (by falling worth, the last one the top). Parts of closed labels have size 0.
    int64_t read(const std::vector<int32_t>& labels, std::vector<Part>& parts) {
        const int32_t m = static_cast<int32_t>(labels.size());
        while (static_cast<int32_t>(parts.size()) < m) parts.push_back({0, 0, 0, Words(words, 0)});
        rest_ = g.all();
        int64_t left = p.rows;
        for (int32_t i = 0; i < m; ++i) {
            const Label& label = pool_[labels[i]];
            Part& part = parts[i];
            const uint64_t* mine = label.bits.data();
            uint64_t *rest = rest_.data(), *got = part.bits.data();
            part.size = 0;
            part.from = label.from;
            part.to = label.to;
            int64_t size = 0;
            for (int64_t w = label.from; w < label.to; ++w) {
                got[w] = rest[w] & mine[w];
                size += __builtin_popcountll(got[w]);
            }
            if (size == 0) continue;
            if (size < p.k) {
                int64_t lacks = p.k - size;
                givers_.clear();
                for (int32_t c = i - 1; c >= 0 && lacks > 0; --c) {
                    const int64_t more = std::min(spared(parts[c], label), lacks);
                    if (more) givers_.emplace_back(c, more);
                    lacks -= more;
                }
                if (lacks > 0 && i < m - 1) continue;  // it stays closed
                part.size = size;
                for (int64_t w = label.from; w < label.to; ++w) rest[w] &= ~got[w];
                for (const auto& [c, more] : givers_) hand_over(parts[c], part, label, more);
                for (int32_t c = i - 1; c >= 0 && lacks > 0; --c) {  // the top takes whole classes at last
                    lacks -= parts[c].size;
                    hand_over(parts[c], part, label, parts[c].size);
                }
            } else {
                part.size = size;
                for (int64_t w = label.from; w < label.to; ++w) rest[w] &= ~got[w];
            }
            left -= size;
            if (left == 0) {
                for (int32_t c = i + 1; c < m; ++c) parts[c].size = 0;
                break;
            }
        }
        int64_t worth = 0;
        for (int32_t i = 0; i < m; ++i) worth += parts[i].size * pool_[labels[i]].worth;
        return worth;
    }

    void insert(std::vector<int32_t>& labels, int32_t label) const {
        const auto at = std::upper_bound(labels.begin(), labels.end() - 1, label,
                                         [&](int32_t a, int32_t b) { return pool_[a].worth > pool_[b].worth; });
        labels.insert(at, label);
    }
    bool is_open(const std::vector<int32_t>& labels, const std::vector<int32_t>& nodes) const {
        return std::any_of(labels.begin(), labels.end(), [&](int32_t l) { return pool_[l].nodes == nodes; });
    }

    // The lowest label over the rows of a part.
    std::vector<int32_t> closure(const Part& part, std::vector<int32_t> nodes) const {
        int64_t at = part.from;
        while (!part.bits[at]) ++at;
        const int64_t row = at * 64 + __builtin_ctzll(part.bits[at]);
        for (size_t j = 0; j < g.d; ++j) {
            const int32_t leaf = p.axes[j].leaf[row];
            while (nodes[j] != leaf) {
                const int32_t child = p.axes[j].towards(nodes[j], leaf);
                const Words& bits = g.under[j][child];
                bool inside = true;
                for (int64_t w = part.from; inside && w < part.to; ++w) inside = !(part.bits[w] & ~bits[w]);
                if (!inside) break;
                nodes[j] = child;
            }
        }
        return nodes;
    }

    // Keep the open labels of a state, each as low as its rows allow; the top last, open or not.
    void settle(bool tight) {
        kept_.clear();
        for (size_t i = 0; i + 1 < state_.size(); ++i)
            if (!parts_[i].size) spare_.push_back(state_[i]);
        const int32_t top = state_.back();
        bool changed = false;
        std::vector<int32_t> lower;
        for (size_t i = 0; i < state_.size(); ++i) {
            if (!parts_[i].size) continue;
            const bool is_top = i + 1 == state_.size();
            std::vector<int32_t> nodes = tight ? closure(parts_[i], pool_[state_[i]].nodes) : pool_[state_[i]].nodes;
            if (nodes != pool_[state_[i]].nodes) {
                changed = true;
                lower.push_back(made(nodes));
                if (!is_top) spare_.push_back(state_[i]);
            } else if (!is_top) {
                kept_.push_back(state_[i]);
            }
        }
        const bool fewer = kept_.size() + 1 != state_.size();
        state_ = kept_;
        state_.push_back(top);
        for (int32_t label : lower) {
            if (is_open(state_, pool_[label].nodes)) spare_.push_back(label);
            else insert(state_, label);
        }
        if (changed || fewer) read(state_, parts_);
    }

    int32_t owner(int64_t row) const {
        for (size_t i = 0; i < state_.size(); ++i)
            if (parts_[i].has(row)) return static_cast<int32_t>(i);
        return static_cast<int32_t>(state_.size()) - 1;
    }

    void raise(std::vector<int32_t>& nodes) {
        const size_t j = random_.below(g.d);
        const int32_t up = p.axes[j].parent[nodes[j]];
        if (up >= 0) nodes[j] = up;
    }
    void lower(std::vector<int32_t>& nodes, int64_t row) {
        const size_t j = random_.below(g.d);
        if (nodes[j] != p.axes[j].leaf[row]) nodes[j] = p.axes[j].towards(nodes[j], p.axes[j].leaf[row]);
    }

    // One change: a row and its label are drawn; the label, moved on some axes towards the row or away from it, opens
    // in its place or beside it; or it closes.
    void propose(double heat, int64_t& worth) {
        const int64_t row = random_.below(p.rows);
        const int32_t i = owner(row);
        const bool is_top = i + 1 == static_cast<int32_t>(state_.size());
        const uint32_t kind = random_.below(100);
        next_ = state_;
        int32_t fresh = -1;
        closed_.clear();
        if (kind < 10) {
            if (is_top) return;
            close(i);
        } else {
            std::vector<int32_t> nodes = pool_[state_[i]].nodes;
            const uint32_t steps = 1 + random_.below(3);
            for (uint32_t s = 0; s < steps; ++s) {
                if (random_.draw() & 1) lower(nodes, row);
                else raise(nodes);
            }
            if (is_open(state_, nodes)) return;
            fresh = made(nodes);
            if (fresh < 0) return;
            if (kind < 50 && !is_top) close(i);
            if (kind >= 85 && !is_top && state_.size() > 2) {  // another one closes too
                close(static_cast<int32_t>(random_.below(next_.size() - 1)));
            }
            insert(next_, fresh);
        }
        const int64_t found = read(next_, tried_);
        const double chance = -std::log((random_.below(1 << 20) + 0.5) / (1 << 20));
        if (static_cast<double>(worth - found) <= heat * chance) {
            spare_.insert(spare_.end(), closed_.begin(), closed_.end());
            state_.swap(next_);
            parts_.swap(tried_);
            settle(false);
            if (fresh >= 0) tighten(fresh);
            worth = total();
            if (worth > best_worth_) keep(worth);
        } else if (fresh >= 0) {
            spare_.push_back(fresh);
        }
    }
    void close(int32_t at) {
        closed_.push_back(next_[at]);
        next_.erase(next_.begin() + at);
    }
    void tighten(int32_t label) {
        const auto at = std::find(state_.begin(), state_.end() - 1, label);
        if (at == state_.end() - 1) return;
        const size_t i = at - state_.begin();
        const std::vector<int32_t> nodes = closure(parts_[i], pool_[label].nodes);
        if (nodes == pool_[label].nodes) return;
        state_.erase(at);
        spare_.push_back(label);
        if (!is_open(state_, nodes)) insert(state_, made(nodes));
        read(state_, parts_);
        settle(false);
    }
    int64_t total() const {
        int64_t worth = 0;
        for (size_t i = 0; i < state_.size(); ++i) worth += parts_[i].size * pool_[state_[i]].worth;
        return worth;
    }
    void keep(int64_t worth) {
        best_worth_ = worth;
        best_.clear();
        for (size_t i = 0; i + 1 < state_.size(); ++i)
            best_.insert(best_.end(), pool_[state_[i]].nodes.begin(), pool_[state_[i]].nodes.end());
    }
    void begin(const int32_t* labels, int64_t count) {
        state_.clear();
        std::vector<int32_t> roots;
        for (const RowTree& axis : p.axes) roots.push_back(axis.root());
        state_.push_back(made(roots));
        for (int64_t i = 0; i < count; ++i) {
            const std::vector<int32_t> nodes(labels + i * g.d, labels + (i + 1) * g.d);
            if (is_open(state_, nodes)) continue;
            const int32_t label = made(nodes);
            if (label >= 0) insert(state_, label);
        }
        read(state_, parts_);
        settle(false);
    }

    void restore() {
        const std::vector<int32_t> best = best_;
        begin(best.data(), static_cast<int64_t>(best.size() / g.d));
    }
    // Lower the labels as far as their rows allow, again and again: rows may go elsewhere then.
    void descend() {
        do {
            if (total() > best_worth_) keep(total());
            settle(true);
        } while (total() > best_worth_);
        restore();
    }

 public:
    Chain(const Ground& ground, uint64_t seed) : g(ground), p(ground.p), words(ground.words), random_(seed) {}

    // Until it is done, or `go_on(share done)` says no.
    void run(const std::function<bool(double)>& go_on) {
        begin(p.labels, p.n_labels);
        descend();
        int64_t worth = total();
        const double unit = ratio(p.most - worth, p.rows) * static_cast<double>(p.k);
        for (int64_t i = 0; i < p.cooling.proposals; ++i) {
            if ((i & 255) == 0 && !go_on(p.cooling.done(i))) return;
            propose(p.cooling.heat(unit, i), worth);
            if ((i & 2047) == 2047) {
                settle(true);
                worth = total();
                if (worth > best_worth_) keep(worth);
            }
        }
        restore();
        descend();
    }
    int64_t worth() const { return best_worth_; }
    CoverResult answer() {
        restore();
        CoverResult out;
        out.of_row.assign(p.rows, 0);
        out.worth = total();
        int32_t number = 0;
        for (size_t i = 0; i < state_.size(); ++i) {
            if (!parts_[i].size) continue;
            out.labels.insert(out.labels.end(), pool_[state_[i]].nodes.begin(), pool_[state_[i]].nodes.end());
            for (int64_t w = parts_[i].from; w < parts_[i].to; ++w)
                for (uint64_t x = parts_[i].bits[w]; x; x &= x - 1) out.of_row[w * 64 + __builtin_ctzll(x)] = number;
            ++number;
        }
        return out;
    }
};

}  // namespace

// The best of some chains, of equals the first: it does not depend on how many threads there are.
CoverResult cover_search(const CoverProblem& p) {
    const Ground ground(p);
    std::vector<Chain> chains;
    Crew<int> crew;
    for (int c = 0; c < p.chains; ++c) {
        chains.emplace_back(ground, p.seed + 1000003ull * c);
        crew.push(p.chains - 1 - c);  // the last one is the first one done
    }
    crew.run(std::clamp(p.threads, 1, p.chains), [&](int c, int thread) {
        chains[c].run([&](double done) {
            if (thread == 0 && p.watch) p.watch((c + done) / p.chains);
            return !crew.stopped();
        });
    });
    const auto less = [](const Chain& a, const Chain& b) { return a.worth() < b.worth(); };
    return std::max_element(chains.begin(), chains.end(), less)->answer();
}

}  // namespace paravent::PARAVENT_ISA

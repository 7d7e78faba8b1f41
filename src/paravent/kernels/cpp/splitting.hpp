// Classes split into parts of at least k rows: minimal groups, best halves, and branch and bound over groups.
//
// The plain version is methods/partition (groups, two_parts, exact, repartition): the same steps in the same order, so
// the same bytes. Classes are independent: threads take them one by one, and the result does not depend on how many.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "merging.hpp"

namespace paravent {

struct Splitting {
    int64_t classes = 0;
    int axes = 0;
    const int32_t* leaves = nullptr;  // tuples x axes
    const int64_t* start = nullptr;   // class c is entries start[c] to start[c + 1]
    const int32_t* tuple = nullptr;
    const int64_t* rows = nullptr;
    std::vector<Slope> slopes;
    int64_t k = 1, most = 1, lookups = 1, nodes = 0, visits = 0, searched = 0;
    double seconds = 0;  // no limit where 0
    int threads = 1;
    std::function<void(double)> watch;
};

// The parts of class c are part_start[c] to part_start[c + 1]; part p holds entries start[p] to start[p + 1].
// outcome[c]: 2 where the partition is proved to be the best, 1 where it is not, 0 where there was no time.
struct Splits {
    std::vector<int64_t> part_start, start, rows;
    std::vector<int32_t> tuple;
    std::vector<uint8_t> outcome;
};

// One class at a time; holds the room that it needs.
class Splitter {
    struct Part {
        std::vector<int32_t> tuple;
        std::vector<int64_t> rows;
    };
    struct Group {
        int64_t rows = 0;
        int64_t serial = 0;
        int axis = 0;
        std::vector<int32_t> label, members;
    };
    struct Fewer {  // the group with most rows on top, of equals the one found first
        bool operator()(const Group* a, const Group* b) const {
            return a->rows != b->rows ? a->rows < b->rows : a->serial > b->serial;
        }
    };
    enum Status : uint8_t { free_, open_, closed_ };
    struct Split {
        std::vector<std::vector<int64_t>> taken;  // part x tuple of the class
        int64_t worth = 0;
    };

    const Splitting& p_;
    const int d_;
    std::vector<std::vector<int32_t>> child_, child_start_;  // children of each node, from left to right

    // The class at hand.
    const Part* class_ = nullptr;
    int64_t n_ = 0, total_ = 0;
    std::vector<int32_t> leaf_;  // tuple x axis
    std::vector<Group*> groups_;
    std::vector<std::unique_ptr<Group>> kept_;
    std::vector<int64_t> worth_;
    bool complete_ = true;

    int32_t over(int j, int32_t low, int32_t high) const {
        const Slope& s = p_.slopes[j];
        int32_t node = low;
        while (s.last[node] < high) node = s.parent[node];
        return node;
    }

    int64_t worth(const int32_t* label) const {
        int64_t sum = 0;
        for (int j = 0; j < d_; ++j) sum += p_.slopes[j].climb[label[j]];
        return sum;
    }

    // The lowest node over some tuples on axis j.
    int32_t meet(const std::vector<int32_t>& members, int j) const {
        int32_t low = std::numeric_limits<int32_t>::max(), high = -1;
        for (int32_t i : members) {
            const int32_t v = leaf_[static_cast<size_t>(i) * d_ + j];
            low = std::min(low, v);
            high = std::max(high, v);
        }
        return over(j, low, high);
    }

    void list_groups() {
        groups_.clear();
        kept_.clear();
        worth_.clear();
        std::priority_queue<Group*, std::vector<Group*>, Fewer> queue;
        auto first = std::make_unique<Group>();
        first->rows = total_;
        for (int64_t i = 0; i < n_; ++i) first->members.push_back(static_cast<int32_t>(i));
        for (int j = 0; j < d_; ++j) first->label.push_back(meet(first->members, j));
        queue.push(first.get());
        kept_.push_back(std::move(first));
        int64_t serial = 0, looked = 0;
        std::vector<std::vector<int32_t>> inside;
        std::vector<int64_t> size;
        while (!queue.empty() && static_cast<int64_t>(groups_.size()) < p_.most && (looked < p_.lookups || groups_.empty())) {
            Group* g = queue.top();
            queue.pop();
            groups_.push_back(g);
            looked += static_cast<int64_t>(g->members.size()) * d_;
            for (int j = g->axis; j < d_; ++j) {
                const Slope& s = p_.slopes[j];
                const int32_t begin = child_start_[j][g->label[j]], end = child_start_[j][g->label[j] + 1];
                const int32_t width = end - begin;
                if (width == 0) continue;
                inside.resize(std::max<size_t>(inside.size(), width));
                size.assign(width, 0);
                for (int32_t x = 0; x < width; ++x) inside[x].clear();
                const int32_t* children = &child_[j][begin];
                for (int32_t i : g->members) {
                    const int32_t v = leaf_[static_cast<size_t>(i) * d_ + j];
                    // children stand from left to right and cover every leaf of their parent
                    const int32_t x = static_cast<int32_t>(
                        std::upper_bound(children, children + width, v, [&](int32_t leaf, int32_t node) { return leaf < s.first[node]; }) -
                        children - 1);
                    inside[x].push_back(i);
                    size[x] += class_->rows[i];
                }
                for (int32_t x = 0; x < width; ++x) {
                    if (size[x] < p_.k || inside[x].empty()) continue;
                    bool moved = false;
                    for (int i = 0; i < j && !moved; ++i) moved = meet(inside[x], i) != g->label[i];
                    if (moved) continue;
                    auto fresh = std::make_unique<Group>();
                    fresh->rows = size[x];
                    fresh->serial = ++serial;
                    fresh->axis = j;
                    fresh->label = g->label;
                    for (int i = j; i < d_; ++i) fresh->label[i] = meet(inside[x], i);
                    fresh->members = inside[x];
                    queue.push(fresh.get());
                    kept_.push_back(std::move(fresh));
                }
            }
        }
        complete_ = queue.empty();
        for (const Group* g : groups_) worth_.push_back(worth(g->label.data()));
    }

    Split whole() const { return {{class_->rows}, worth_[0] * total_}; }

    bool covers(const std::vector<int32_t>& label, const int32_t* below) const {
        for (int j = 0; j < d_; ++j) {
            const Slope& s = p_.slopes[j];
            if (s.first[label[j]] > s.first[below[j]] || s.last[below[j]] > s.last[label[j]]) return false;
        }
        return true;
    }

    bool halves(Split& out) const {
        const int64_t k = p_.k;
        std::vector<int32_t> by_worth(groups_.size());
        for (size_t g = 0; g < by_worth.size(); ++g) by_worth[g] = static_cast<int32_t>(g);
        std::stable_sort(by_worth.begin(), by_worth.end(), [&](int32_t a, int32_t b) { return worth_[a] > worth_[b]; });
        int64_t best = 0, best_given = 0;
        int32_t best_a = -1, best_other = -1;
        std::vector<int32_t> low(d_), high(d_), label(d_);
        for (size_t a = 1; a < groups_.size(); ++a) {
            const Group& g = *groups_[a];
            std::fill(low.begin(), low.end(), std::numeric_limits<int32_t>::max());
            std::fill(high.begin(), high.end(), -1);
            size_t at = 0;
            for (int64_t i = 0; i < n_; ++i) {
                if (at < g.members.size() && g.members[at] == i) {
                    ++at;
                    continue;
                }
                const int32_t* mine = &leaf_[static_cast<size_t>(i) * d_];
                for (int j = 0; j < d_; ++j) {
                    low[j] = std::min(low[j], mine[j]);
                    high[j] = std::max(high[j], mine[j]);
                }
            }
            for (int j = 0; j < d_; ++j) label[j] = over(j, low[j], high[j]);
            const int64_t left = total_ - g.rows;
            int64_t given = 0, other_worth;
            int32_t other = -1;
            if (left >= k) {
                other_worth = worth(label.data());
            } else {
                given = k - left;
                for (int32_t b : by_worth)
                    if (covers(groups_[b]->label, label.data())) {
                        other = b;
                        break;
                    }
                other_worth = worth_[other];  // the whole class covers everything
            }
            const int64_t kept = worth_[a] * (g.rows - given) + other_worth * (left + given);
            if (best_a < 0 || kept > best) {
                best = kept;
                best_a = static_cast<int32_t>(a);
                best_other = other;
                best_given = given;
            }
        }
        if (best_a < 0) return false;
        out.taken.assign(2, std::vector<int64_t>(n_, 0));
        for (int32_t i : groups_[best_a]->members) out.taken[0][i] = class_->rows[i];
        for (int64_t i = 0; i < n_; ++i) out.taken[1][i] = class_->rows[i] - out.taken[0][i];
        if (best_given > 0) {
            std::vector<int32_t> both;
            const auto &x = groups_[best_a]->members, &y = groups_[best_other]->members;
            std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
            for (int32_t i : both) {
                const int64_t moved = std::min(best_given, out.taken[0][i]);
                out.taken[0][i] -= moved;
                out.taken[1][i] += moved;
                best_given -= moved;
            }
        }
        out.worth = best;
        return true;
    }

    // Branch and bound over which groups are open; groups by worth, those worth most first.
    class Search {
        const Splitter& s_;
        const int64_t n_, k_;
        const size_t g_, words_;
        std::vector<int64_t> worth_;
        std::vector<const std::vector<int32_t>*> members_;
        std::vector<uint64_t> inside_;  // tuple x groups, as bits
        std::vector<int32_t> home_;
        std::vector<int64_t> count_;
        int64_t most_ = 0;

        bool in(size_t g, int64_t i) const { return inside_[i * words_ + g / 64] >> (g % 64) & 1; }

        bool find_homes(const std::vector<uint64_t>& allowed) {
            for (int64_t i = 0; i < n_; ++i) {
                int32_t found = -1;
                for (size_t w = 0; w < words_ && found < 0; ++w) {
                    const uint64_t bits = inside_[i * words_ + w] & allowed[w];
                    if (bits) found = static_cast<int32_t>(w * 64 + __builtin_ctzll(bits));
                }
                if (found < 0) return false;
                home_[i] = found;
            }
            return true;
        }

        bool bound(const std::vector<uint8_t>& status) {
            std::vector<uint64_t> allowed(words_, 0);
            int64_t opened = 0;
            for (size_t g = 0; g < g_; ++g) {
                if (status[g] != closed_) allowed[g / 64] |= uint64_t{1} << (g % 64);
                opened += status[g] == open_;
            }
            if (!find_homes(allowed) || opened * k_ > s_.total_) return false;
            std::fill(count_.begin(), count_.end(), 0);
            most_ = 0;
            for (int64_t i = 0; i < n_; ++i) {
                count_[home_[i]] += s_.class_->rows[i];
                most_ += worth_[home_[i]] * s_.class_->rows[i];
            }
            std::vector<int32_t> others;
            for (size_t g = 0; g < g_; ++g) {
                if (status[g] != open_ || count_[g] >= k_) continue;
                int64_t missing = k_ - count_[g];
                others.clear();
                for (int32_t i : *members_[g])
                    if (home_[i] != static_cast<int32_t>(g)) others.push_back(i);
                std::sort(others.begin(), others.end(), [&](int32_t a, int32_t b) { return home_[a] > home_[b]; });
                for (int32_t i : others) {
                    const int64_t moved = std::min(missing, s_.class_->rows[i]);
                    most_ -= moved * (worth_[home_[i]] - worth_[g]);
                    missing -= moved;
                    if (!missing) break;
                }
                if (missing) return false;
            }
            return true;
        }

        bool fetch(std::vector<std::vector<int64_t>>& taken, std::vector<int64_t>& held, const std::vector<size_t>& opened, size_t into,
                   int64_t missing) const {
            const size_t o = opened.size();
            std::vector<int32_t> to(o, -1), by(o, -1);
            std::vector<uint8_t> known(o, 0);
            std::vector<size_t> reached{into};
            known[into] = 1;
            for (size_t at = 0; at < reached.size(); ++at) {
                const size_t g = reached[at];
                for (size_t h = 0; h < o; ++h) {
                    if (known[h]) continue;
                    for (int64_t i = 0; i < n_; ++i)
                        if (taken[h][i] > 0 && in(opened[g], i)) {
                            known[h] = 1;
                            to[h] = static_cast<int32_t>(g);
                            by[h] = static_cast<int32_t>(i);
                            reached.push_back(h);
                            break;
                        }
                }
            }
            size_t giver = o;
            for (size_t h : reached)
                if (held[h] > k_ && (giver == o || h > giver)) giver = h;
            if (giver == o) return false;
            int64_t amount = std::min(missing, held[giver] - k_);
            for (size_t h = giver; h != into; h = to[h]) amount = std::min(amount, taken[h][by[h]]);
            for (size_t h = giver; h != into; h = to[h]) {
                taken[h][by[h]] -= amount;
                taken[to[h]][by[h]] += amount;
            }
            held[giver] -= amount;
            held[into] += amount;
            return true;
        }

        bool filled(const std::vector<size_t>& opened, Split& out) {
            std::vector<uint64_t> allowed(words_, 0);
            std::vector<int32_t> place(g_, -1);
            for (size_t o = 0; o < opened.size(); ++o) {
                allowed[opened[o] / 64] |= uint64_t{1} << (opened[o] % 64);
                place[opened[o]] = static_cast<int32_t>(o);
            }
            if (!find_homes(allowed)) return false;
            out.taken.assign(opened.size(), std::vector<int64_t>(n_, 0));
            std::vector<int64_t> held(opened.size(), 0);
            for (int64_t i = 0; i < n_; ++i) {
                out.taken[place[home_[i]]][i] = s_.class_->rows[i];
                held[place[home_[i]]] += s_.class_->rows[i];
            }
            for (size_t g = 0; g < opened.size(); ++g)
                while (held[g] < k_)
                    if (!fetch(out.taken, held, opened, g, k_ - held[g])) return false;
            out.worth = 0;
            for (size_t g = 0; g < opened.size(); ++g) out.worth += worth_[opened[g]] * held[g];
            return true;
        }

       public:
        Search(const Splitter& s) : s_(s), n_(s.n_), k_(s.p_.k), g_(s.groups_.size()), words_((g_ + 63) / 64) {
            std::vector<int32_t> order(g_);
            for (size_t g = 0; g < g_; ++g) order[g] = static_cast<int32_t>(g);
            std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return s.worth_[a] > s.worth_[b]; });
            inside_.assign(n_ * words_, 0);
            for (size_t g = 0; g < g_; ++g) {
                worth_.push_back(s.worth_[order[g]]);
                members_.push_back(&s.groups_[order[g]]->members);
                for (int32_t i : *members_.back()) inside_[i * words_ + g / 64] |= uint64_t{1} << (g % 64);
            }
            home_.assign(n_, 0);
            count_.assign(g_, 0);
        }

        // True where `best` is proved.
        bool run(Split& best, int64_t nodes) {
            std::vector<std::vector<uint8_t>> waiting{std::vector<uint8_t>(g_, free_)};
            Split found;
            for (int64_t visited = 0; visited < nodes && !waiting.empty(); ++visited) {
                std::vector<uint8_t> status = std::move(waiting.back());
                waiting.pop_back();
                if (!bound(status) || most_ <= best.worth) continue;
                size_t at = g_;
                for (size_t g = 0; g < g_; ++g)
                    if (status[g] == free_ && count_[g] > 0 && count_[g] < k_ && (at == g_ || count_[g] > count_[at])) at = g;
                bool open_first;
                if (at < g_) {
                    open_first = 2 * count_[at] >= k_;
                } else {
                    std::vector<size_t> opened;
                    for (size_t g = 0; g < g_; ++g) {
                        const bool used = status[g] == free_ && count_[g] > 0;
                        if (used && (at == g_ || count_[g] < count_[at])) at = g;
                        if (used || status[g] == open_) opened.push_back(g);
                    }
                    const int64_t most = most_;
                    const bool fits = filled(opened, found);
                    if (fits && found.worth > best.worth) best = found;
                    if (at == g_ || (fits && found.worth == most)) continue;
                    open_first = true;
                }
                std::vector<uint8_t> other = status;
                status[at] = open_first ? closed_ : open_;
                other[at] = open_first ? open_ : closed_;
                waiting.push_back(std::move(status));
                waiting.push_back(std::move(other));
            }
            return waiting.empty() && s_.complete_;
        }
    };

    // The best partition of the class at hand that is found at once, and whether it is proved to be the best.
    bool once(Split& best) {
        n_ = static_cast<int64_t>(class_->tuple.size());
        leaf_.resize(n_ * d_);
        for (int64_t i = 0; i < n_; ++i)
            std::copy_n(p_.leaves + static_cast<size_t>(class_->tuple[i]) * d_, d_, leaf_.begin() + i * d_);
        list_groups();
        best = whole();
        Split two;
        if (halves(two) && two.worth > best.worth) best = std::move(two);
        if (total_ < 3 * p_.k) return complete_;
        if (static_cast<int64_t>(groups_.size()) > p_.searched) return false;
        return Search(*this).run(best, std::min(p_.nodes, p_.visits / n_));
    }

   public:
    explicit Splitter(const Splitting& problem) : p_(problem), d_(problem.axes) {
        for (const Slope& s : p_.slopes) {
            const size_t n = s.parent.size();
            std::vector<int32_t> order, start(n + 1, 0);
            for (size_t v = 0; v + 1 < n; ++v) order.push_back(static_cast<int32_t>(v));
            std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
                return s.parent[a] != s.parent[b] ? s.parent[a] < s.parent[b] : s.first[a] < s.first[b];
            });
            for (int32_t v : order) ++start[s.parent[v] + 1];
            for (size_t v = 0; v < n; ++v) start[v + 1] += start[v];
            child_.push_back(std::move(order));
            child_start_.push_back(std::move(start));
        }
    }

    // The parts of a class, one after the other; true where they are proved to be the best.
    bool run(int64_t c, std::vector<Part>& out) {
        std::vector<Part> waiting(1);
        waiting[0].tuple.assign(p_.tuple + p_.start[c], p_.tuple + p_.start[c + 1]);
        waiting[0].rows.assign(p_.rows + p_.start[c], p_.rows + p_.start[c + 1]);
        bool proved = true;
        while (!waiting.empty()) {
            const Part part = std::move(waiting.back());
            waiting.pop_back();
            class_ = &part;
            total_ = 0;
            for (int64_t r : part.rows) total_ += r;
            Split best;
            const bool sure = total_ < 2 * p_.k || once(best);
            proved &= sure;
            if (best.taken.size() < 2) {
                out.push_back(part);
                continue;
            }
            std::vector<Part> parts;
            for (const auto& taken : best.taken) {
                Part fresh;
                for (size_t i = 0; i < taken.size(); ++i)
                    if (taken[i] > 0) {
                        fresh.tuple.push_back(part.tuple[i]);
                        fresh.rows.push_back(taken[i]);
                    }
                parts.push_back(std::move(fresh));
            }
            if (sure)
                for (Part& fresh : parts) out.push_back(std::move(fresh));
            else
                for (size_t i = parts.size(); i-- > 0;) waiting.push_back(std::move(parts[i]));
        }
        kept_.clear();
        return proved;
    }

    static Splits all(const Splitting& problem) {
        const int64_t classes = problem.classes;
        std::vector<std::vector<Part>> parts(classes);
        Splits out;
        out.outcome.assign(classes, 0);
        std::atomic<int64_t> next{0};
        std::atomic<bool> stop{false};
        std::exception_ptr trouble;
        std::mutex lock;
        const auto begun = std::chrono::steady_clock::now();
        const auto work = [&](bool first) {
            try {
                Splitter mine(problem);
                for (int64_t c = next++; c < classes && !stop; c = next++) {
                    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
                    if (problem.seconds > 0 && spent.count() > problem.seconds) {
                        Part kept;
                        kept.tuple.assign(problem.tuple + problem.start[c], problem.tuple + problem.start[c + 1]);
                        kept.rows.assign(problem.rows + problem.start[c], problem.rows + problem.start[c + 1]);
                        parts[c].push_back(std::move(kept));
                        continue;
                    }
                    out.outcome[c] = mine.run(c, parts[c]) ? 2 : 1;
                    if (first && problem.watch) problem.watch(static_cast<double>(c) / classes);
                }
            } catch (...) {
                const std::lock_guard<std::mutex> held(lock);
                if (!trouble) trouble = std::current_exception();
                stop = true;
            }
        };
        std::vector<std::thread> pool;
        for (int t = 1; t < std::min<int64_t>(problem.threads, classes); ++t) pool.emplace_back(work, false);
        work(true);
        for (std::thread& t : pool) t.join();
        if (trouble) std::rethrow_exception(trouble);
        out.part_start.push_back(0);
        out.start.push_back(0);
        for (const auto& found : parts) {
            for (const Part& part : found) {
                out.tuple.insert(out.tuple.end(), part.tuple.begin(), part.tuple.end());
                out.rows.insert(out.rows.end(), part.rows.begin(), part.rows.end());
                out.start.push_back(static_cast<int64_t>(out.tuple.size()));
            }
            out.part_start.push_back(static_cast<int64_t>(out.start.size()) - 1);
        }
        return out;
    }
};

}  // namespace paravent

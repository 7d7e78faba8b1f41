// The body of mondrian.hpp, compiled once for each instruction set (PARAVENT_ISA names the copy).
#include "mondrian.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "queue.hpp"

namespace paravent::PARAVENT_ISA {

// Rows begin … end of the current order, which stand for `weight` people.
struct Segment {
    int64_t begin, end, weight;
    int64_t rows() const { return end - begin; }
};

// Left: the rows whose code on `axis` lies in [from, to]; of the rows with code `to` only the first `take` (all: -1).
struct Cut {
    int64_t cost;
    int32_t axis, from, to;
    int64_t take;
    bool lopsided = false;  // taken only when nothing else is: a large group that sheds crumbs would cost n^2
    bool operator<(const Cut& other) const {  // the tie-break: axis, then from, then to, then whole before split
        if (lopsided != other.lopsided) return other.lopsided;
        if (cost != other.cost) return cost < other.cost;
        if (axis != other.axis) return axis < other.axis;
        if (from != other.from) return from < other.from;
        if (to != other.to) return to < other.to;
        return take < other.take;
    }
};

// What the cost of a group depends on: the lowest and highest code on every axis, and the codes met on set axes.
// Lanes past the last axis are zero throughout.
template <class Lane, int W> struct Engine {
    static constexpr int lanes_fixed = W;
    const Problem& p;
    const int d;
    const int width;                                       // lanes a row
    int words = 0;                                         // 64-bit words of code sets
    std::vector<int32_t> word_of;                          // first word of each set axis, -1 for others
    std::vector<std::vector<int64_t>> table;               // dense cost by (low, high) for small trees
    std::vector<std::vector<int32_t>> child_start, child;  // children of each node, by first leaf
    std::vector<Lane> rows, spare_rows;
    std::vector<int32_t> id, spare_id, weight, spare_weight;

    int lanes() const { return W ? W : width; }

    explicit Engine(const Problem& problem)
        : p(problem),
          d(static_cast<int>(problem.axes.size())),
          width(W ? W : (d + 7) / 8 * 8),
          word_of(d, -1),
          table(d),
          child_start(d),
          child(d) {
        for (int j = 0; j < d; ++j) prepare_axis(j);
        const int64_t n = p.rows;
        rows.assign(n * lanes(), 0);
        spare_rows.resize(n * lanes());
        id.resize(n);
        spare_id.resize(n);
        weight.resize(n);
        spare_weight.resize(n);
        for (int64_t i = 0; i < n; ++i) {
            weight[i] = p.weights ? p.weights[i] : 1;
            id[i] = static_cast<int32_t>(i);
            for (int j = 0; j < d; ++j) rows[i * lanes() + j] = static_cast<Lane>(p.codes[i * d + j]);
        }
    }

    bool by_set(int j) const { return word_of[j] >= 0; }
    bool by_tree(int j) const { return p.axes[j].style == Style::tree; }

    void prepare_axis(int j) {
        const Axis& axis = p.axes[j];
        if (axis.style == Style::set && axis.size <= widest_set) {
            word_of[j] = words;
            words += (axis.size + 63) / 64;
        }
        if (axis.style != Style::tree) return;
        const int nodes = static_cast<int>(axis.parent.size());
        std::vector<int32_t> order(nodes);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return axis.first[a] < axis.first[b]; });
        child_start[j].assign(nodes + 1, 0);
        for (int v = 0; v < nodes; ++v)
            if (axis.parent[v] >= 0) ++child_start[j][axis.parent[v] + 1];
        std::partial_sum(child_start[j].begin(), child_start[j].end(), child_start[j].begin());
        child[j].resize(child_start[j].back());
        std::vector<int32_t> next(child_start[j].begin(), child_start[j].end() - 1);
        for (int v : order)
            if (axis.parent[v] >= 0) child[j][next[axis.parent[v]]++] = v;
        if (axis.size > 256) return;
        table[j].resize(static_cast<size_t>(axis.size) * axis.size);
        for (int low = 0; low < axis.size; ++low)
            for (int high = low; high < axis.size; ++high)
                table[j][low * axis.size + high] = axis.node_cost[lowest(axis, low, high)];
    }

    static int32_t lowest(const Axis& axis, int32_t low, int32_t high) {
        int32_t node = low;
        while (axis.last[node] < high) node = axis.parent[node];
        return node;
    }

    int64_t range_cost(int j, int32_t low, int32_t high) const {
        const Axis& axis = p.axes[j];
        if (axis.style != Style::tree) return axis.ruler[high] - axis.ruler[low];
        if (!table[j].empty()) return table[j][low * axis.size + high];
        return axis.node_cost[lowest(axis, low, high)];
    }

    // ---- summaries: lanes() lowest codes, lanes() highest codes, `words` words of sets ----
    struct Summaries {
        std::vector<Lane> low, high;
        std::vector<uint64_t> bits;
        void resize(int64_t n, int lanes, int words) {
            if (static_cast<int64_t>(low.size()) < n * lanes) {
                low.resize(n * lanes);
                high.resize(n * lanes);
            }
            if (static_cast<int64_t>(bits.size()) < n * words) bits.resize(n * words);
        }
    };

    void clear(Summaries& s, int64_t at) const {
        const int w = lanes();
        for (int l = 0; l < w; ++l) s.low[at * w + l] = std::numeric_limits<Lane>::max();
        for (int l = 0; l < w; ++l) s.high[at * w + l] = std::numeric_limits<Lane>::min();
        for (int b = 0; b < words; ++b) s.bits[at * words + b] = 0;
    }

    void add_row(Summaries& s, int64_t at, const Lane* row) const {
        const int w = lanes();
        Lane* __restrict low = &s.low[at * w];
        Lane* __restrict high = &s.high[at * w];
        for (int l = 0; l < w; ++l) low[l] = std::min(low[l], row[l]);
        for (int l = 0; l < w; ++l) high[l] = std::max(high[l], row[l]);
        if (words)
            for (int j = 0; j < d; ++j)
                if (word_of[j] >= 0) s.bits[at * words + word_of[j] + (row[j] >> 6)] |= uint64_t{1} << (row[j] & 63);
    }

    // into[at] := a[x] joined with b[y]
    void join(Summaries& into, int64_t at, const Summaries& a, int64_t x, const Summaries& b, int64_t y) const {
        const int w = lanes();
        for (int l = 0; l < w; ++l) into.low[at * w + l] = std::min(a.low[x * w + l], b.low[y * w + l]);
        for (int l = 0; l < w; ++l) into.high[at * w + l] = std::max(a.high[x * w + l], b.high[y * w + l]);
        for (int q = 0; q < words; ++q) into.bits[at * words + q] = a.bits[x * words + q] | b.bits[y * words + q];
    }

    void copy(Summaries& into, int64_t at, const Summaries& a, int64_t x) const { join(into, at, a, x, a, x); }

    int64_t cost(const Summaries& s, int64_t at, const std::vector<int32_t>& active) const {
        const int w = lanes();
        int64_t total = 0;
        for (int32_t j : active) {
            if (by_set(j)) {
                const int n_words = (p.axes[j].size + 63) / 64;
                int distinct = 0;
                for (int q = 0; q < n_words; ++q) distinct += __builtin_popcountll(s.bits[at * words + word_of[j] + q]);
                total += (distinct - 1) * p.axes[j].unit;
            } else {
                total += range_cost(j, s.low[at * w + j], s.high[at * w + j]);
            }
        }
        return total;
    }

    // ---- what one thread keeps between groups ----
    struct Bench {
        Summaries box, group, prefix, suffix, rest;
        std::vector<int32_t> bucket;                      // group of a code, -1: none yet (always left all -1)
        std::vector<int64_t> count;                       // rows of each group
        std::vector<int32_t> from, to;                    // first and last code of each group
        std::vector<std::pair<int32_t, int32_t>> sorted;  // (code, row of the view)
        std::vector<int32_t> active;
        std::vector<Cut> cuts;
        std::vector<int64_t> starts, cuts_by_axis;
        std::vector<std::array<int64_t, 4>> made;
    };

    // The rows that choose the cut of a group: all, or `sample` evenly spaced ones.
    struct View {
        const Lane* base;
        const int32_t* weights;
        int64_t size, used;
        int w;
        int64_t people;  // the weight of the rows used
        bool whole() const { return used == size; }
        int64_t at(int64_t i) const { return used == size ? i : i * size / used; }
        const Lane* row(int64_t i) const { return base + at(i) * w; }
        int64_t weight(int64_t i) const { return weights[at(i)]; }
    };

    View view(Segment s, bool sampled) const {
        const int64_t m = s.rows();
        View v{&rows[s.begin * lanes()], &weight[s.begin], m, m, lanes(), s.weight};
        if (sampled && p.sample > 0 && m > p.sample) {
            v.used = p.sample;
            v.people = 0;
            for (int64_t i = 0; i < v.used; ++i) v.people += v.weight(i);
        }
        return v;
    }

    // Group the rows of a view by their code on axis j, ascending. Returns the number of groups.
    int64_t group_rows(Bench& b, const View& v, int j) const {
        const int size = p.axes[j].size;
        b.count.clear();
        b.from.clear();
        if (size <= 4 * v.used) {
            if (static_cast<int>(b.bucket.size()) < size) b.bucket.resize(size, -1);
            const int32_t low = b.box.low[j], high = b.box.high[j];
            for (int64_t i = 0; i < v.used; ++i) b.bucket[v.row(i)[j]] = 0;
            int32_t groups = 0;
            for (int32_t c = low; c <= high; ++c)
                if (b.bucket[c] == 0) {
                    b.bucket[c] = groups++;
                    b.from.push_back(c);
                }
            b.count.assign(groups, 0);
            b.group.resize(groups, lanes(), words);
            for (int32_t g = 0; g < groups; ++g) clear(b.group, g);
            for (int64_t i = 0; i < v.used; ++i) {
                const Lane* row = v.row(i);
                const int32_t g = b.bucket[row[j]];
                b.count[g] += v.weight(i);
                add_row(b.group, g, row);
            }
            for (int32_t c = low; c <= high; ++c) b.bucket[c] = -1;
        } else {
            b.sorted.resize(v.used);
            for (int64_t i = 0; i < v.used; ++i)
                b.sorted[i] = {static_cast<int32_t>(v.row(i)[j]), static_cast<int32_t>(i)};
            std::sort(b.sorted.begin(), b.sorted.end());
            b.group.resize(v.used, lanes(), words);
            for (const auto& [code, i] : b.sorted) {
                if (b.from.empty() || b.from.back() != code) {
                    clear(b.group, b.from.size());
                    b.from.push_back(code);
                    b.count.push_back(0);
                }
                b.count.back() += v.weight(i);
                add_row(b.group, b.from.size() - 1, v.row(i));
            }
        }
        b.to = b.from;
        return static_cast<int64_t>(b.from.size());
    }

    // Tree axes are cut between the children of the lowest node that covers the group: join groups by child.
    int64_t join_by_child(Bench& b, int j, int64_t groups) const {
        const Axis& axis = p.axes[j];
        const int32_t node = lowest(axis, b.from[0], b.to[groups - 1]);
        int64_t joined = 0, g = 0;
        for (int32_t at = child_start[j][node]; at < child_start[j][node + 1] && g < groups; ++at) {
            const int32_t c = child[j][at];
            if (b.from[g] > axis.last[c]) continue;
            const int64_t head = g;
            copy(b.group, joined, b.group, head);
            int64_t count = b.count[g++];
            for (; g < groups && b.from[g] <= axis.last[c]; ++g) {
                join(b.group, joined, b.group, joined, b.group, g);
                count += b.count[g];
            }
            b.count[joined] = count;
            b.from[joined] = axis.first[c];
            b.to[joined] = axis.last[c];
            ++joined;
        }
        return joined;
    }

    // All cuts of a group worth a look, best first.
    void find_cuts(Bench& b, Segment s, bool sampled) const {
        b.cuts.clear();
        const View v = view(s, sampled);
        b.box.resize(1, lanes(), words);
        clear(b.box, 0);
        for (int64_t i = 0; i < v.used; ++i) add_row(b.box, 0, v.row(i));
        b.active.clear();
        for (int j = 0; j < d; ++j)
            if (b.box.low[j] != b.box.high[j]) b.active.push_back(j);
        for (int32_t j : b.active) {
            if (p.rule == Rule::median) median_cut(b, v, j);
            else least_cost_cuts(b, v, j);
        }
        std::sort(b.cuts.begin(), b.cuts.end());
    }

    // LeFevre et al. 2006: the axis of widest normalised range first, cut at its lower median.
    void median_cut(Bench& b, const View& v, int j) const {
        const Axis& axis = p.axes[j];
        const int32_t low = b.box.low[j], high = b.box.high[j];
        const int64_t cost = -(axis.ruler[high] - axis.ruler[low]);
        const int64_t half = (v.people + 1) / 2;
        int64_t below = 0, upto = 0;
        int32_t median = low;
        if (high - low < 4 * v.used) {
            b.count.assign(high - low + 1, 0);
            for (int64_t i = 0; i < v.used; ++i) b.count[v.row(i)[j] - low] += v.weight(i);
            while (below + b.count[median - low] < half) below += b.count[median++ - low];
            upto = below + b.count[median - low];
        } else {
            b.sorted.resize(v.used);
            for (int64_t i = 0; i < v.used; ++i)
                b.sorted[i] = {static_cast<int32_t>(v.row(i)[j]), static_cast<int32_t>(i)};
            std::sort(b.sorted.begin(), b.sorted.end());
            for (size_t i = 0; i < b.sorted.size() && (upto < half || b.sorted[i].first == median); ++i) {
                if (b.sorted[i].first != median || i == 0) below = upto;
                median = b.sorted[i].first;
                upto += v.weight(b.sorted[i].second);
            }
        }
        if (p.relaxed && half > below && half < upto) {
            if (half >= p.k && v.people - half >= p.k) b.cuts.push_back({cost, j, 0, median, half - below});
        } else if (upto >= p.k && v.people - upto >= p.k) {
            b.cuts.push_back({cost, j, 0, median, -1});
        }
    }

    void least_cost_cuts(Bench& b, const View& v, int j) const {
        int64_t groups = group_rows(b, v, j);
        if (by_tree(j)) groups = join_by_child(b, j, groups);
        const int64_t m = v.people;
        const int64_t even = v.whole() ? 0 : m / 32;
        const int64_t least = v.whole() ? p.k : 1;  // a sample only guesses; the cut is counted before it is made
        b.prefix.resize(groups, lanes(), words);
        b.suffix.resize(groups, lanes(), words);
        b.rest.resize(1, lanes(), words);
        copy(b.prefix, 0, b.group, 0);
        for (int64_t g = 1; g < groups; ++g) join(b.prefix, g, b.prefix, g - 1, b.group, g);
        copy(b.suffix, groups - 1, b.group, groups - 1);
        for (int64_t g = groups - 2; g >= 0; --g) join(b.suffix, g, b.suffix, g + 1, b.group, g);
        int64_t left = 0;
        const int64_t half = m / 2;
        const bool alone = groups > 2 && (by_tree(j) || p.axes[j].style == Style::set);
        for (int64_t g = 0; g < groups; ++g) {
            const int64_t before = left;
            left += b.count[g];
            if (g + 1 < groups && left >= least && m - left >= least)
                b.cuts.push_back({left * cost(b.prefix, g, b.active) + (m - left) * cost(b.suffix, g + 1, b.active), j,
                                  0, b.to[g], -1, std::min(left, m - left) < even});
            const int64_t c = b.count[g];
            if (alone && g > 0 && g + 1 < groups && c >= least && m - c >= least) {  // at the ends: a threshold
                join(b.rest, 0, b.prefix, g - 1, b.suffix, g + 1);
                b.cuts.push_back({c * cost(b.group, g, b.active) + (m - c) * cost(b.rest, 0, b.active), j, b.from[g],
                                  b.to[g], -1, std::min(c, m - c) < even});
            }
            if (p.relaxed && v.whole() && b.from[g] == b.to[g] && before < half && half < left && half >= p.k &&
                m - half >= p.k)
                b.cuts.push_back({half * cost(b.prefix, g, b.active) + (m - half) * cost(b.suffix, g, b.active), j, 0,
                                  b.to[g], half - before});
        }
    }

    bool goes_left(const Cut& cut, const Lane* row, int64_t& taken) const {
        const int32_t code = row[cut.axis];
        if (code < cut.from || code > cut.to) return false;
        return cut.take < 0 || code != cut.to || taken++ < cut.take;
    }

    int64_t count_left(Segment s, const Cut& cut) const {
        int64_t left = 0, taken = 0;
        for (int64_t i = s.begin; i < s.end; ++i)
            if (goes_left(cut, &rows[i * lanes()], taken)) left += weight[i];
        return left;
    }

    // Stable: both sides keep the order of their rows.
    std::pair<Segment, Segment> split(Segment s, const Cut& cut) {
        const int w = lanes();
        int64_t left = s.begin, right = s.begin, taken = 0, people = 0;
        for (int64_t i = s.begin; i < s.end; ++i) {
            const Lane* row = &rows[i * w];
            if (goes_left(cut, row, taken)) {
                people += weight[i];
                if (left != i) {
                    std::memcpy(&rows[left * w], row, w * sizeof(Lane));
                    id[left] = id[i];
                    weight[left] = weight[i];
                }
                ++left;
            } else {
                std::memcpy(&spare_rows[right * w], row, w * sizeof(Lane));
                spare_id[right] = id[i];
                spare_weight[right++] = weight[i];
            }
        }
        const int64_t moved = right - s.begin;
        std::copy_n(&spare_rows[s.begin * w], moved * w, &rows[0] + left * w);
        std::copy_n(&spare_id[s.begin], moved, &id[0] + left);
        std::copy_n(&spare_weight[s.begin], moved, &weight[0] + left);
        return {Segment{s.begin, left, people}, Segment{left, s.end, s.weight - people}};
    }

    // Cut a group by the best cut that leaves k people on both sides. False: there is none.
    bool cut_by_size(Bench& b, Segment s, Segment& left, Segment& right) {
        if (s.weight < 2 * p.k || s.rows() < 2) return false;
        const bool sampled = p.rule == Rule::least_cost && p.sample > 0 && s.rows() > p.sample;
        for (int attempt = sampled ? 0 : 1; attempt < 2; ++attempt) {
            find_cuts(b, s, attempt == 0);
            for (const Cut& cut : b.cuts) {
                if (attempt == 0) {
                    const int64_t people = count_left(s, cut);
                    if (people < p.k || s.weight - people < p.k) continue;
                }
                ++b.cuts_by_axis[cut.axis];
                const int64_t axis = cut.axis;
                std::tie(left, right) = split(s, cut);
                if (p.record) b.made.push_back({s.begin, left.end, s.end, axis});
                return true;
            }
        }
        return false;
    }

    void work(Bench& b, Queue<Segment>& queue, std::atomic<int64_t>& done) {
        const int64_t small = std::max<int64_t>(4096, p.rows / 64);
        Segment task;
        std::vector<Segment> stack;
        while (queue.pop(task)) {
            stack.push_back(task);
            while (!stack.empty() && !queue.stopped()) {
                const Segment s = stack.back();
                stack.pop_back();
                Segment left, right;
                if (!cut_by_size(b, s, left, right)) {
                    b.starts.push_back(s.begin);
                    done.fetch_add(s.rows(), std::memory_order_relaxed);
                    continue;
                }
                for (const Segment half : {right, left}) {
                    if (half.rows() > small) queue.push(half);
                    else stack.push_back(half);
                }
            }
            queue.finish();
        }
    }

    Segment all() const { return {0, p.rows, std::accumulate(weight.begin(), weight.end(), int64_t{0})}; }

    Bench new_bench() const {
        Bench b;
        b.cuts_by_axis.assign(d, 0);
        return b;
    }

    Partition run_by_size() {
        std::vector<Bench> benches(std::max(1, p.threads), new_bench());
        std::atomic<int64_t> done{0};
        Queue<Segment> queue;
        queue.push(all());
        queue.run(
            static_cast<int>(benches.size()), [&](int t) { work(benches[t], queue, done); },
            [&] {
                if (p.watch) p.watch(p.rows ? static_cast<double>(done) / p.rows : 1.0);
            });
        return collect(benches);
    }

    // ---- with a guard: all open groups of one depth are judged together ----
    void add_histograms(Segment s, const Cut& cut, std::vector<int64_t>& sizes, std::vector<Histograms>& out,
                        std::vector<int64_t>& scratch) const {
        std::vector<int32_t> side[2];
        int64_t taken = 0;
        for (int64_t i = s.begin; i < s.end; ++i)
            side[goes_left(cut, &rows[i * lanes()], taken) ? 0 : 1].push_back(id[i]);
        for (const auto& members : side) {
            sizes.push_back(static_cast<int64_t>(members.size()));
            for (size_t c = 0; c < out.size(); ++c) {
                const Sensitive& column = p.sensitive[c];
                if (static_cast<int64_t>(members.size()) > column.size) {
                    scratch.assign(column.size, 0);
                    for (int32_t i : members) ++scratch[column.codes[i]];
                    for (int32_t v = 0; v < column.size; ++v)
                        if (scratch[v]) out[c].add(v, scratch[v]);
                } else {
                    scratch.clear();
                    for (int32_t i : members) scratch.push_back(column.codes[i]);
                    std::sort(scratch.begin(), scratch.end());
                    for (size_t i = 0, e = 0; i < scratch.size(); i = e) {
                        while (e < scratch.size() && scratch[e] == scratch[i]) ++e;
                        out[c].add(static_cast<int32_t>(scratch[i]), static_cast<int64_t>(e - i));
                    }
                }
                out[c].start.push_back(static_cast<int64_t>(out[c].value.size()));
            }
        }
    }

    struct Open {
        Segment segment;
        std::vector<Cut> cuts;
        size_t tried = 0;
        int64_t chosen = -1;
    };

    // Offer each group's cuts to the guard, best first, a few at a time, until one is allowed or none is left.
    void judge(std::vector<Open>& open) const {
        std::vector<int64_t> sizes, scratch;
        std::vector<std::pair<size_t, size_t>> asked;  // (group, cut)
        for (size_t batch = 1;; batch *= 4) {
            sizes.clear();
            asked.clear();
            std::vector<Histograms> histograms(p.sensitive.size());
            for (size_t g = 0; g < open.size(); ++g) {
                Open& o = open[g];
                if (o.chosen >= 0) continue;
                for (size_t q = 0; q < batch && o.tried < o.cuts.size(); ++q, ++o.tried) {
                    const int64_t left = count_left(o.segment, o.cuts[o.tried]);
                    if (left < p.k || o.segment.weight - left < p.k) continue;
                    asked.emplace_back(g, o.tried);
                    add_histograms(o.segment, o.cuts[o.tried], sizes, histograms, scratch);
                }
            }
            if (!asked.empty()) {
                const std::vector<uint8_t> holds = p.guard(sizes, histograms);
                for (size_t a = 0; a < asked.size(); ++a) {
                    Open& o = open[asked[a].first];
                    if (o.chosen < 0 && holds[2 * a] && holds[2 * a + 1])
                        o.chosen = static_cast<int64_t>(asked[a].second);
                }
            }
            bool waiting = false;
            for (const Open& o : open) waiting |= o.chosen < 0 && o.tried < o.cuts.size();
            if (!waiting) return;
        }
    }

    Partition run_by_guard() {
        constexpr int64_t rows_at_once = 1 << 20;
        std::vector<Bench> benches(1, new_bench());
        Bench& b = benches[0];
        std::vector<Segment> frontier{all()}, next;
        int64_t done = 0;
        while (!frontier.empty()) {
            next.clear();
            for (size_t at = 0; at < frontier.size();) {
                std::vector<Open> open;
                for (int64_t taken = 0; at < frontier.size() && taken < rows_at_once; ++at) {
                    const Segment s = frontier[at];
                    taken += s.rows();
                    Open o{s, {}, 0, -1};
                    if (s.weight >= 2 * p.k && s.rows() > 1) {
                        find_cuts(b, s, p.rule == Rule::least_cost);
                        o.cuts = b.cuts;
                    }
                    open.push_back(std::move(o));
                }
                judge(open);
                for (Open& o : open)  // a sample may have offered nothing that is allowed: look at all rows
                    if (o.chosen < 0 && p.rule == Rule::least_cost && p.sample > 0 && o.segment.rows() > p.sample) {
                        find_cuts(b, o.segment, false);
                        std::vector<Open> again(1, Open{o.segment, b.cuts, 0, -1});
                        judge(again);
                        o = std::move(again[0]);
                    }
                for (const Open& o : open) {
                    if (o.chosen < 0) {
                        b.starts.push_back(o.segment.begin);
                        done += o.segment.rows();
                        continue;
                    }
                    const Cut& cut = o.cuts[o.chosen];
                    ++b.cuts_by_axis[cut.axis];
                    const auto [left, right] = split(o.segment, cut);
                    if (p.record) b.made.push_back({o.segment.begin, left.end, o.segment.end, cut.axis});
                    next.push_back(left);
                    next.push_back(right);
                }
                if (p.watch) p.watch(p.rows ? static_cast<double>(done) / p.rows : 1.0);
            }
            frontier.swap(next);
        }
        return collect(benches);
    }

    Partition collect(const std::vector<Bench>& benches) {
        Partition out;
        out.cuts.assign(d, 0);
        for (const Bench& b : benches) {
            out.starts.insert(out.starts.end(), b.starts.begin(), b.starts.end());
            for (int j = 0; j < d; ++j) out.cuts[j] += b.cuts_by_axis[j];
        }
        std::vector<std::array<int64_t, 4>> made;
        for (const Bench& b : benches) made.insert(made.end(), b.made.begin(), b.made.end());
        std::sort(made.begin(), made.end(),
                  [](const auto& a, const auto& b) { return a[0] != b[0] ? a[0] < b[0] : a[2] > b[2]; });
        for (const auto& cut : made) out.tree.insert(out.tree.end(), cut.begin(), cut.end());
        std::sort(out.starts.begin(), out.starts.end());
        out.starts.push_back(p.rows);
        const int64_t classes = static_cast<int64_t>(out.starts.size()) - 1;
        out.low.resize(classes * d);
        out.high.resize(classes * d);
        const int w = lanes();
        for (int64_t c = 0; c < classes; ++c)
            for (int j = 0; j < d; ++j) {
                Lane low = std::numeric_limits<Lane>::max(), high = std::numeric_limits<Lane>::min();
                for (int64_t i = out.starts[c]; i < out.starts[c + 1]; ++i) {
                    low = std::min(low, rows[i * w + j]);
                    high = std::max(high, rows[i * w + j]);
                }
                out.low[c * d + j] = low;
                out.high[c * d + j] = high;
            }
        out.order = std::move(id);
        return out;
    }

    Partition run() { return p.guard ? run_by_guard() : run_by_size(); }
};

template <class Lane> Partition run_lanes(const Problem& problem) {
    const size_t d = problem.axes.size();
    if (d <= 8) return Engine<Lane, 8>(problem).run();
    if (d <= 16) return Engine<Lane, 16>(problem).run();
    return Engine<Lane, 0>(problem).run();
}

Partition mondrian(const Problem& problem) {
    int32_t widest = 0;
    for (const Axis& axis : problem.axes) widest = std::max(widest, axis.size);
    return widest <= std::numeric_limits<int16_t>::max() ? run_lanes<int16_t>(problem) : run_lanes<int32_t>(problem);
}

}  // namespace paravent::PARAVENT_ISA

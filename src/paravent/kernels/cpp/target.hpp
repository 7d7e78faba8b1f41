// Mondrian's cuts by what they leave of a target: the least weighted entropy of its classes, or the least squared
// deviation of its numbers. Every place between two codes of every column is a cut.
//
// Sums run in the order of the rows, of the places and of the classes, one after the other, so that the NumPy twin
// (methods/target_cuts.py) comes to the same bits; scores are rounded to 12 digits before they are compared.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "queue.hpp"

namespace paravent {

struct TargetProblem {
    int64_t rows = 0;
    std::vector<const int32_t*> columns;
    std::vector<int32_t> sizes;
    const int32_t* classes = nullptr;  // the target's classes, below n_classes; none: its numbers
    int32_t n_classes = 0;
    const double* n_log_n = nullptr;  // for 0 … rows, as the caller computes it
    const double* numbers = nullptr;
    int64_t k = 1;
    int threads = 1;
    std::function<void(double)> watch;
};

// Class c is order[starts[c] … starts[c + 1]). A cut parts order[begin … end) at mid, by a column (begin, mid, end,
// column in `tree`), and leaves `score`. Cuts stand in the order in which they are taken, left first.
struct TargetCuts {
    std::vector<int32_t> order;
    std::vector<int64_t> starts, tree;
    std::vector<double> score;
};

class TargetCutter {
    struct Group {
        int64_t begin, end;
        int64_t rows() const { return end - begin; }
    };
    struct Best {
        double rounded = 0, score = 0;
        int32_t column = -1, place = 0;
    };
    struct Made {
        int64_t begin, mid, end, column;
        double score;
    };
    struct Bench {
        std::vector<int64_t> starts;
        std::vector<Made> made;
        std::vector<int32_t> local, spare, counts, before, whole, values, class_at;
        std::vector<std::pair<int32_t, int32_t>> sorted;
        std::vector<int32_t> place, people;
        std::vector<double> centred, sums;
    };

    const TargetProblem& p;
    std::vector<int32_t> order_;

    static double rounded(double x) { return std::nearbyint(x * 1e12) / 1e12; }

    // The codes of a group on a column as places 0, 1, …, with the code of each; some may be empty.
    int32_t places(Bench& b, Group g, int32_t j) const {
        const int32_t* column = p.columns[j];
        const int64_t m = g.rows();
        int32_t low = column[order_[g.begin]], high = low;
        for (int64_t i = g.begin; i < g.end; ++i) {
            const int32_t code = column[order_[i]];
            low = std::min(low, code);
            high = std::max(high, code);
        }
        b.place.resize(m);
        if (high - low <= 4 * m) {
            b.values.resize(high - low + 1);
            std::iota(b.values.begin(), b.values.end(), low);
            for (int64_t i = 0; i < m; ++i) b.place[i] = column[order_[g.begin + i]] - low;
        } else {
            b.values.resize(m);
            for (int64_t i = 0; i < m; ++i) b.values[i] = column[order_[g.begin + i]];
            std::sort(b.values.begin(), b.values.end());
            b.values.erase(std::unique(b.values.begin(), b.values.end()), b.values.end());
            for (int64_t i = 0; i < m; ++i)
                b.place[i] = static_cast<int32_t>(
                    std::lower_bound(b.values.begin(), b.values.end(), column[order_[g.begin + i]]) - b.values.begin());
        }
        const int32_t n = static_cast<int32_t>(b.values.size());
        b.people.assign(n, 0);
        for (int64_t i = 0; i < m; ++i) ++b.people[b.place[i]];
        return n;
    }

    void offer(Best& best, double score, double scale, int32_t column, int32_t place) const {
        const double r = rounded(score / scale);
        if (best.column < 0 || r < best.rounded) best = {r, score, column, place};
    }

    // Classes of a group as numbers from 0, in their order: most of many do not occur.
    int32_t local_classes(Bench& b, Group g) const {
        const int64_t m = g.rows();
        b.class_at.resize(m);
        for (int64_t i = 0; i < m; ++i) b.class_at[i] = p.classes[order_[g.begin + i]];
        if (p.n_classes <= 64) return p.n_classes;
        b.local = b.class_at;
        std::sort(b.local.begin(), b.local.end());
        b.local.erase(std::unique(b.local.begin(), b.local.end()), b.local.end());
        for (int32_t& c : b.class_at)
            c = static_cast<int32_t>(std::lower_bound(b.local.begin(), b.local.end(), c) - b.local.begin());
        return static_cast<int32_t>(b.local.size());
    }

    void by_entropy(Bench& b, Group g, Best& best) const {
        const int64_t m = g.rows();
        const int32_t width = local_classes(b, g);
        b.whole.assign(width, 0);
        for (int32_t c : b.class_at) ++b.whole[c];
        for (int32_t j = 0; j < static_cast<int32_t>(p.columns.size()); ++j) {
            const int32_t n = places(b, g, j);
            b.counts.assign(static_cast<int64_t>(n) * width, 0);
            for (int64_t i = 0; i < m; ++i) ++b.counts[static_cast<int64_t>(b.place[i]) * width + b.class_at[i]];
            b.before.assign(width, 0);
            int64_t left = 0;
            for (int32_t at = 0; at + 1 < n; ++at) {
                const int32_t* here = &b.counts[static_cast<int64_t>(at) * width];
                for (int32_t c = 0; c < width; ++c) b.before[c] += here[c];
                left += b.people[at];
                if (b.people[at] == 0 || left < p.k || m - left < p.k) continue;
                double low = 0, high = 0;
                for (int32_t c = 0; c < width; ++c) low += p.n_log_n[b.before[c]];
                for (int32_t c = 0; c < width; ++c) high += p.n_log_n[b.whole[c] - b.before[c]];
                const double spread = (p.n_log_n[left] - low) + (p.n_log_n[m - left] - high);
                offer(best, spread / static_cast<double>(m), 1.0, j, b.values[at]);
            }
        }
    }

    void by_deviation(Bench& b, Group g, Best& best) const {
        const int64_t m = g.rows();
        double sum = 0, total = 0;
        for (int64_t i = g.begin; i < g.end; ++i) sum += p.numbers[order_[i]];
        const double mean = sum / static_cast<double>(m);
        b.centred.resize(m);
        for (int64_t i = 0; i < m; ++i) {
            b.centred[i] = p.numbers[order_[g.begin + i]] - mean;
            const double square = b.centred[i] * b.centred[i];
            total += square;
        }
        const double scale = total != 0 ? total : 1.0;
        for (int32_t j = 0; j < static_cast<int32_t>(p.columns.size()); ++j) {
            const int32_t n = places(b, g, j);
            b.sums.assign(n, 0);
            for (int64_t i = 0; i < m; ++i) b.sums[b.place[i]] += b.centred[i];
            for (int32_t at = 1; at < n; ++at) b.sums[at] += b.sums[at - 1];
            int64_t left = 0;
            for (int32_t at = 0; at + 1 < n; ++at) {
                left += b.people[at];
                if (b.people[at] == 0 || left < p.k || m - left < p.k) continue;
                const double rest = b.sums[n - 1] - b.sums[at];
                const double low = b.sums[at] * b.sums[at] / static_cast<double>(left);
                const double high = rest * rest / static_cast<double>(m - left);
                const double explained = low + high;
                offer(best, std::max(total - explained, 0.0), scale, j, b.values[at]);
            }
        }
    }

    // Stable: both sides keep the order of their rows.
    int64_t split(Bench& b, Group g, const Best& cut) {
        const int32_t* column = p.columns[cut.column];
        b.spare.clear();
        int64_t mid = g.begin;
        for (int64_t i = g.begin; i < g.end; ++i) {
            if (column[order_[i]] <= cut.place) order_[mid++] = order_[i];
            else b.spare.push_back(order_[i]);
        }
        std::copy(b.spare.begin(), b.spare.end(), order_.begin() + mid);
        return mid;
    }

    void work(Bench& b, Queue<Group>& queue, std::atomic<int64_t>& done) {
        const int64_t small = std::max<int64_t>(4096, p.rows / 64);
        Group task;
        std::vector<Group> stack;
        while (queue.pop(task)) {
            stack.push_back(task);
            while (!stack.empty() && !queue.stopped()) {
                const Group g = stack.back();
                stack.pop_back();
                Best best;
                if (g.rows() >= 2 * p.k) p.classes ? by_entropy(b, g, best) : by_deviation(b, g, best);
                if (best.column < 0) {
                    b.starts.push_back(g.begin);
                    done.fetch_add(g.rows(), std::memory_order_relaxed);
                    continue;
                }
                const int64_t mid = split(b, g, best);
                b.made.push_back({g.begin, mid, g.end, best.column, best.score});
                for (const Group half : {Group{mid, g.end}, Group{g.begin, mid}}) {
                    if (half.rows() > small) queue.push(half);
                    else stack.push_back(half);
                }
            }
            queue.finish();
        }
    }

 public:
    explicit TargetCutter(const TargetProblem& problem) : p(problem), order_(problem.rows) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    TargetCuts run() {
        std::vector<Bench> benches(std::max(1, p.threads));
        std::atomic<int64_t> done{0};
        Queue<Group> queue;
        queue.push({0, p.rows});
        queue.run(
            static_cast<int>(benches.size()), [&](int t) { work(benches[t], queue, done); },
            [&] {
                if (p.watch) p.watch(p.rows ? static_cast<double>(done) / static_cast<double>(p.rows) : 1.0);
            });
        TargetCuts out;
        std::vector<Made> made;
        for (const Bench& b : benches) {
            out.starts.insert(out.starts.end(), b.starts.begin(), b.starts.end());
            made.insert(made.end(), b.made.begin(), b.made.end());
        }
        std::sort(out.starts.begin(), out.starts.end());
        out.starts.push_back(p.rows);
        std::sort(made.begin(), made.end(),
                  [](const Made& a, const Made& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
        for (const Made& cut : made) {
            out.tree.insert(out.tree.end(), {cut.begin, cut.mid, cut.end, cut.column});
            out.score.push_back(cut.score);
        }
        out.order = std::move(order_);
        return out;
    }
};

}  // namespace paravent

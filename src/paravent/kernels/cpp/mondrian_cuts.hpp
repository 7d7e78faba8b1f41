// The cuts of a group by each rule: least cost, the median of the widest axis, and what is left of a target.
#pragma once

#include "mondrian_rows.hpp"

namespace paravent {

// What one thread keeps between groups.
template <class Rows> class Cuts {
    using Summaries = typename Rows::Summaries;
    using View = typename Rows::View;

    Rows& rows;
    const Problem& p;
    Summaries box_, group_, prefix_, suffix_, rest_;
    std::vector<int32_t> active_;
    // The places of a view on an axis: codes from … to, and how many people are there.
    std::vector<int32_t> from_, to_;
    std::vector<int64_t> count_, by_key_;
    std::vector<int32_t> place_;  // of each row of the view, where it was asked for
    // The target in a group: the class of each row, or how far its number lies from the mean.
    std::vector<int32_t> class_, known_, whole_, before_, table_;
    std::vector<double> centred_, sums_;
    double total_ = 0;
    bool best_alone_ = false;

    void offer_cut(const Cut& cut) {
        if (!best_alone_ || found.empty()) found.push_back(cut);
        else if (cut < found[0]) found[0] = cut;
    }

    // One place for each key that occurs (known_), the lowest first; where asked for, also that of each row.
    template <class Key> void find_places(const View& v, int64_t keys, bool of_rows, Key key) {
        known_.clear();
        count_.clear();
        place_.resize(v.used);
        if (count_of(by_key_) < keys) by_key_.resize(keys, 0);
        for (int64_t i = 0; i < v.used; ++i) by_key_[place_[i] = key(i)] += v.weight(i);
        if (keys > 4 * v.used) {
            known_ = place_;
            std::sort(known_.begin(), known_.end());
            known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
        } else {
            for (int32_t c = 0; c < keys; ++c)
                if (by_key_[c]) known_.push_back(c);
        }
        for (int32_t c : known_)
            count_.push_back(std::exchange(by_key_[c], count_of(count_)));  // from here on: its place
        for (int64_t i = 0; of_rows && i < v.used; ++i) place_[i] = static_cast<int32_t>(by_key_[place_[i]]);
        for (int32_t c : known_) by_key_[c] = 0;
    }

    // One place for each code that occurs.
    void find_codes(const View& v, int j, bool of_rows) {
        const int32_t low = box_.low[j];
        find_places(v, box_.high[j] - low + 1, of_rows, [&](int64_t i) { return v.row(i)[j] - low; });
        from_.clear();
        for (int32_t c : known_) from_.push_back(low + c);
        to_ = from_;
    }

    // LeFevre et al. 2006: the axis of widest normalised range first, cut at its lower median.
    void median_cut(const View& v, int j) {
        find_codes(v, j, false);
        const Axis& axis = p.axes[j];
        const int64_t cost = axis.ruler[from_.front()] - axis.ruler[from_.back()], half = (v.people + 1) / 2;
        int64_t below = 0;
        size_t at = 0;
        while (below + count_[at] < half) below += count_[at++];
        const int64_t upto = below + count_[at];
        const bool parts = p.relaxed && half > below && half < upto;
        const int64_t left = parts ? half : upto;
        if (left >= p.k && v.people - left >= p.k) offer_cut({cost, j, 0, from_[at], parts ? half - below : -1});
    }

    // Tree axes are cut between the children of the lowest node that covers the group: one place for each that occurs.
    void find_children(const View& v, int j) {
        const Axis& axis = p.axes[j];
        const Children& children = rows.children[j];
        const int32_t node = axis.over(box_.low[j], box_.high[j]),
                      n = static_cast<int32_t>(children.end(node) - children.begin(node));
        children.under(axis, node,
                       [&](auto child) { find_places(v, n, true, [&](int64_t i) { return child(v.row(i)[j]); }); });
        from_.clear();
        to_.clear();
        for (int32_t c : known_) {
            from_.push_back(axis.first[children.begin(node)[c]]);
            to_.push_back(axis.last[children.begin(node)[c]]);
        }
    }

    void least_cost_cuts(const View& v, int j) {
        const Style style = p.axes[j].style;
        style == Style::tree ? find_children(v, j) : find_codes(v, j, true);
        const int64_t n = count_of(from_);
        const int64_t m = v.people, half = m / 2, even = v.whole ? 0 : m / 32;
        const int64_t least = v.whole ? p.k : 1;  // a sample only guesses; the cut is counted before it is made
        const auto leaves = [&](int64_t people) { return people >= least && m - people >= least; };
        bool some = p.relaxed;
        int64_t left = 0;
        for (int64_t g = 0; g < n && !some; ++g) some = leaves(left += count_[g]) || leaves(count_[g]);
        if (!some) return;
        rows.clear(group_, n);
        for (int64_t i = 0; i < v.used; ++i) rows.add(group_, place_[i], v.row(i));
        rows.room(prefix_, n);
        rows.room(suffix_, n);
        rows.room(rest_, 1);
        rows.join(prefix_, 0, group_, 0, group_, 0);
        for (int64_t g = 1; g < n; ++g) rows.join(prefix_, g, prefix_, g - 1, group_, g);
        rows.join(suffix_, n - 1, group_, n - 1, group_, n - 1);
        for (int64_t g = n - 2; g >= 0; --g) rows.join(suffix_, g, suffix_, g + 1, group_, g);
        const auto offer = [&](int64_t here, const Summaries& a, int64_t x, const Summaries& b, int64_t y, int32_t from,
                               int32_t to, int64_t take) {
            const int64_t most = best_alone_ && !found.empty() ? found[0].cost : INT64_MAX;
            int64_t cost = here * rows.cost(a, x, active_, most / here);
            if (cost > most) return;
            cost += (m - here) * rows.cost(b, y, active_, (most - cost) / (m - here));
            offer_cut({cost, j, from, to, take, take < 0 && std::min(here, m - here) < even});
        };
        left = 0;
        for (int64_t g = 0; g < n; ++g) {
            const int64_t before = left;
            left += count_[g];
            if (leaves(left)) offer(left, prefix_, g, suffix_, g + 1, 0, to_[g], -1);
            if (style != Style::span && g > 0 && g + 1 < n && leaves(count_[g])) {  // at the ends: a threshold
                rows.join(rest_, 0, prefix_, g - 1, suffix_, g + 1);
                offer(count_[g], group_, g, rest_, 0, from_[g], to_[g], -1);
            }
            if (p.relaxed && v.whole && from_[g] == to_[g] && before < half && half < left)
                offer(half, prefix_, g, suffix_, g, 0, to_[g], half - before);
        }
    }

    // ---- a target (LeFevre, DeWitt, Ramakrishnan 2008): every place between two codes of every column is a cut ----
    void read_classes(const View& v) {
        find_places(v, p.target.size, true, [&](int64_t i) { return p.target.codes[v.ids[i]]; });
        class_.swap(place_);
        whole_.assign(count_.begin(), count_.end());
    }

    void read_numbers(const View& v) {
        double sum = 0;
        for (int64_t i = 0; i < v.used; ++i) sum += p.numbers[v.ids[i]];
        const double mean = sum / static_cast<double>(v.used);
        centred_.resize(v.used);
        total_ = 0;
        for (int64_t i = 0; i < v.used; ++i) {
            centred_[i] = p.numbers[v.ids[i]] - mean;
            total_ += centred_[i] * centred_[i];
        }
    }

    // Offer every cut after a place; `leaves(place, people up to there)` is what it leaves, compared in units of
    // `scale`.
    template <class Leaves> void target_cuts(const View& v, int j, double scale, Leaves leaves) {
        int64_t left = 0;
        for (size_t at = 0; at + 1 < from_.size(); ++at) {
            left += count_[at];
            const double score = leaves(at, left), digits = std::nearbyint(score / scale * 1e12);
            if (left < p.k || v.people - left < p.k) continue;
            const int64_t cost = std::isfinite(digits) ? static_cast<int64_t>(digits) : INT64_MAX;
            offer_cut({cost, j, 0, from_[at], -1, false, score});
        }
    }

    void entropy_cuts(const View& v, int j) {
        find_codes(v, j, true);
        const size_t width = whole_.size();
        table_.assign(from_.size() * width, 0);
        for (int64_t i = 0; i < v.used; ++i) ++table_[place_[i] * width + class_[i]];
        before_.assign(width, 0);
        target_cuts(v, j, 1.0, [&](size_t at, int64_t left) {
            double low = 0, high = 0;
            for (size_t c = 0; c < width; ++c) low += p.numbers[before_[c] += table_[at * width + c]];
            for (size_t c = 0; c < width; ++c) high += p.numbers[whole_[c] - before_[c]];
            return ((p.numbers[left] - low) + (p.numbers[v.used - left] - high)) / static_cast<double>(v.used);
        });
    }

    void deviation_cuts(const View& v, int j) {
        find_codes(v, j, true);
        sums_.assign(from_.size(), 0);
        for (int64_t i = 0; i < v.used; ++i) sums_[place_[i]] += centred_[i];
        std::partial_sum(sums_.begin(), sums_.end(), sums_.begin());
        target_cuts(v, j, total_ != 0 ? total_ : 1.0, [&](size_t at, int64_t left) {
            const double here = sums_[at], rest = sums_.back() - here;
            const double explained =
                here * here / static_cast<double>(left) + rest * rest / static_cast<double>(v.used - left);
            return std::max(total_ - explained, 0.0);
        });
    }

 public:
    std::vector<Cut> found;

    explicit Cuts(Rows& all) : rows(all), p(all.p) {}

    bool samples(Segment s) const { return p.rule == Rule::least_cost && p.sample > 0 && s.rows() > p.sample; }

    // The ends of a view on every axis.
    const Summaries& box(const View& v) {
        rows.clear(box_, 1);
        for (int64_t i = 0; i < v.used; ++i) rows.widen(box_, 0, v.row(i));
        return box_;
    }

    // The cuts of a group worth a look, best first. Where no guard has to be asked and all rows are looked at, the best
    // one is enough.
    void find(Segment s, bool sampled) {
        best_alone_ = !p.guard && !sampled;
        found.clear();
        if (s.weight < 2 * p.k || s.rows() < 2) return;
        const View v = sampled ? rows.sample(s) : rows.view(s);
        box(v);
        active_.clear();
        for (int j = 0; j < rows.d; ++j)
            if (box_.low[j] != box_.high[j]) active_.push_back(j);
        if (p.rule == Rule::entropy) read_classes(v);
        if (p.rule == Rule::deviation) read_numbers(v);
        for (int32_t j : active_) switch (p.rule) {
                case Rule::least_cost: least_cost_cuts(v, j); break;
                case Rule::median: median_cut(v, j); break;
                case Rule::entropy: entropy_cuts(v, j); break;
                case Rule::deviation: deviation_cuts(v, j); break;
            }
        std::sort(found.begin(), found.end());
    }
};

}  // namespace paravent

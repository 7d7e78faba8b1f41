// Classes with the labels over their rows, and which of them cost least to join.
#pragma once

#include "label_index.hpp"
#include "pricing.hpp"

namespace paravent {

// Labels by number, axis by axis: the node of a tree, or a span or set that was met. Label v < size is that of code v.
class LabelSpace {
    static constexpr size_t widest_matrix = 1024;

    struct Column {
        std::vector<int64_t> cost;    // of each label
        std::vector<int64_t> matrix;  // trees: of the lowest node over two, where there are few nodes
        std::vector<uint64_t> label;  // spans and sets: so many words of each (pricing.hpp)
        size_t words = 1;
        std::unordered_map<std::string, int32_t> known;
    };

    const std::vector<Axis>& axes_;
    std::vector<Column> columns_;

    int32_t number(int j, const std::vector<uint64_t>& label) {
        Column& c = columns_[j];
        const auto [at, is_new] =
            c.known.emplace(std::string(reinterpret_cast<const char*>(label.data()), label.size() * sizeof label[0]),
                            static_cast<int32_t>(c.cost.size()));
        if (is_new) {
            c.label.insert(c.label.end(), label.begin(), label.end());
            c.cost.push_back(together(j, at->second, at->second));
        }
        return at->second;
    }

 public:
    explicit LabelSpace(const std::vector<Axis>& axes) : axes_(axes), columns_(axes.size()) {
        for (int j = 0; j < static_cast<int>(axes_.size()); ++j) {
            const Axis& axis = axes_[j];
            Column& c = columns_[j];
            if (axis.style == Style::tree) {
                c.cost = axis.node_cost;
                const size_t n = c.cost.size();
                if (n > widest_matrix) continue;
                c.matrix.reserve(n * n);
                for (size_t a = 0; a < n * n; ++a)
                    c.matrix.push_back(c.cost[axis.common(static_cast<int32_t>(a / n), static_cast<int32_t>(a % n))]);
                continue;
            }
            if (axis.style == Style::set) c.words = (axis.size + 63) / 64;
            for (int32_t v = 0; v < axis.size; ++v) {
                std::vector<uint64_t> label(label_words(axis), 0);
                begin_label(axis, label.data(), v);
                number(j, {label.end() - static_cast<int64_t>(c.words), label.end()});
            }
        }
    }

    int64_t cost(int j, int32_t label) const { return columns_[j].cost[label]; }
    const int64_t* costs(int j) const { return columns_[j].cost.data(); }
    // The cost of the label over one and each other, where these are few.
    const int64_t* row(int j, int32_t label) const {
        const Column& c = columns_[j];
        return c.matrix.empty() ? nullptr : &c.matrix[static_cast<size_t>(label) * c.cost.size()];
    }

    int32_t unite(int j, int32_t a, int32_t b) {
        if (a == b) return a;
        if (axes_[j].style == Style::tree) return axes_[j].common(a, b);
        const Column& c = columns_[j];
        const uint64_t *x = &c.label[a * c.words], *y = &c.label[b * c.words];
        std::vector<uint64_t> both(x, x + c.words);
        if (axes_[j].style == Style::span) both[0] = span_over(*x, *y);
        else std::transform(x, x + c.words, y, both.begin(), std::bit_or<>());
        return std::equal(x, x + c.words, both.begin()) ? a : number(j, both);
    }

    // What each code adds to the cost of a label.
    void fill_added(int j, int32_t label, std::vector<int64_t>& table) const {
        const Axis& axis = axes_[j];
        const int64_t own = cost(j, label);
        if (axis.style != Style::tree) {
            for (int32_t v = 0; v < axis.size; ++v) table[v] = together(j, label, v) - own;
            return;
        }
        std::fill(table.begin() + axis.first[label], table.begin() + axis.last[label] + 1, 0);
        for (int32_t node = label, up = axis.parent[node]; up >= 0; node = up, up = axis.parent[node]) {
            std::fill(table.begin() + axis.first[up], table.begin() + axis.first[node], cost(j, up) - own);
            std::fill(table.begin() + axis.last[node] + 1, table.begin() + axis.last[up] + 1, cost(j, up) - own);
        }
    }

    // The cost of the label over two.
    int64_t together(int j, int32_t a, int32_t b) const {
        const Axis& axis = axes_[j];
        const Column& c = columns_[j];
        if (!c.matrix.empty()) return c.matrix[static_cast<size_t>(a) * c.cost.size() + b];
        if (axis.style == Style::tree) return c.cost[axis.common(a, b)];
        const uint64_t *x = &c.label[a * c.words], *y = &c.label[b * c.words];
        if (axis.style == Style::span) return axis.span(low_end(span_over(*x, *y)), high_end(span_over(*x, *y)));
        int64_t distinct = 0;
        for (size_t w = 0; w < c.words; ++w) distinct += __builtin_popcountll(x[w] | y[w]);
        return axis.unit * (distinct - 1);
    }
};

// What a query is worth, and what a class adds to that at most: no more than it has rows.
struct Worth {
    double own = 0, top = 0;
};

class Classes {
    const int d_;
    LabelSpace space_;
    LabelIndex index_;
    std::vector<int32_t> cells_, met_;  // of every class ever; of the last meeting
    std::vector<int64_t> size_;
    int64_t alive_ = 0;

    // What a label costs on one axis together with others.
    struct Seen {
        int32_t cell;
        int64_t own;
        const int64_t *row, *cost;  // of the label over both, by the other one (none: not at hand); of the other one
    };
    // With s, t the sizes, a and b what it costs a row of the query and of a class to meet: cost = s a + t b. Where a
    // class is wanted for what it adds to the worth of the query, bounds are those on cost x (own + top) / (own +
    // added).
    struct Meeting {
        const LabelSpace& space;
        const Seen* seen;
        int64_t s, stub;  // no class gives more rows than `stub`
        Worth worth;

        void add(int j, int32_t cell, int64_t& a, int64_t& b) const {
            const Seen& q = seen[j];
            const int64_t both = q.row ? q.row[cell] : space.together(j, q.cell, cell);
            a += both - q.own;
            b += both - q.cost[cell];
        }
        int64_t bound(int64_t a, int64_t b, int64_t least) const {
            const int64_t t = std::min(least, stub), cost = s * a + t * b;
            if (worth.top <= static_cast<double>(t)) return cost;
            const double more = (worth.own + worth.top) / (worth.own + static_cast<double>(t));
            return static_cast<int64_t>(std::min(static_cast<double>(cost) * more,
                                                 static_cast<double>(s * a) + worth.top * static_cast<double>(b)));
        }
    };
    std::vector<Seen> seen_;

    Meeting meeting_of(const int32_t* query, int64_t s, Worth worth = Worth()) {
        seen_.clear();
        for (int j = 0; j < d_; ++j)
            seen_.push_back({query[j], space_.cost(j, query[j]), space_.row(j, query[j]), space_.costs(j)});
        return {space_, seen_.data(), s, s < stub_k ? stub_k - s : endless, worth};
    }

 public:
    int64_t stub_k = 0;  // > 0: a class that keeps so many rows gives a smaller query only what it lacks

    explicit Classes(const std::vector<Axis>& axes)
        : d_(static_cast<int>(axes.size())), space_(axes), index_(by_step(axes)), met_(axes.size()) {}

    const int32_t* cells(int32_t c) const { return &cells_[static_cast<size_t>(c) * d_]; }
    int64_t size(int32_t c) const { return size_[c]; }
    bool alive(int32_t c) const { return index_.holds(c); }
    int64_t alive() const { return alive_; }
    int64_t smallest() const {
        int64_t least = alive_ ? endless : 0;
        for (int32_t c = 0; c < count_of(size_); ++c) least = alive(c) ? std::min(least, size_[c]) : least;
        return least;
    }
    int64_t label_cost(const int32_t* cells) const {
        int64_t sum = 0;
        for (int j = 0; j < d_; ++j) sum += space_.cost(j, cells[j]);
        return sum;
    }
    // What the label of a class would cost with these codes too.
    int64_t cost_with(int32_t c, const int32_t* codes) const {
        int64_t sum = 0;
        for (int j = 0; j < d_; ++j) sum += space_.together(j, cells(c)[j], codes[j]);
        return sum;
    }
    int64_t given(int64_t s, int64_t t) const { return s < stub_k && t >= 2 * stub_k - s ? stub_k - s : t; }

    // A class that is not there yet; it has the next number.
    int32_t born(const int32_t* cells, int64_t size) {
        cells_.insert(cells_.end(), cells, cells + d_);
        size_.push_back(size);
        return static_cast<int32_t>(size_.size()) - 1;
    }
    int32_t born(int32_t a, int32_t b, int64_t size) {
        meet(a, b);
        return born(met_.data(), size);
    }

    void insert(int32_t c) {
        index_.insert(c, cells(c), size_[c]);
        ++alive_;
    }
    void remove(int32_t c) {
        if (!alive(c)) return;
        index_.remove(c);
        --alive_;
    }
    void resize(int32_t c, int64_t size) {
        size_[c] = size;
        if (alive(c)) index_.resize(c, size);
    }

    // The class has the label over these codes too.
    void cover(int32_t c, const int32_t* codes) {
        bool grown = false;
        for (int j = 0; j < d_; ++j) {
            met_[j] = space_.unite(j, cells(c)[j], codes[j]);
            grown |= met_[j] != cells(c)[j];
        }
        if (grown) relabel(c, met_.data());
    }
    void relabel(int32_t c, const int32_t* cells) {
        const bool there = alive(c);
        remove(c);
        std::copy_n(cells, d_, cells_.begin() + static_cast<int64_t>(c) * d_);
        if (there) insert(c);
    }

    // Whether a class shows what it would show with another one.
    bool covers(int32_t c, int32_t other) {
        meet(c, other);
        return std::equal(met_.begin(), met_.end(), cells(c));
    }
    // The class that is there and shows what c shows, or -1.
    int32_t same(int32_t c) const { return index_.find(cells(c)); }
    // The class that is there and shows what two others would show together, but for these two, or -1.
    int32_t meeting(int32_t a, int32_t b) {
        meet(a, b);
        const int32_t found = index_.find(met_.data());
        return found == a || found == b ? -1 : found;
    }
    void meet(int32_t a, int32_t b) {
        for (int j = 0; j < d_; ++j) met_[j] = space_.unite(j, cells(a)[j], cells(b)[j]);
    }

    int64_t cost(int32_t query, int32_t c) {
        int64_t a = 0, b = 0;
        const Meeting meeting = meeting_of(cells(query), size_[query]);
        for (int j = 0; j < d_; ++j) meeting.add(j, cells(c)[j], a, b);
        return size_[query] * a + given(size_[query], size_[c]) * b;
    }

    // use(class, cost) for every class that costs a label of s rows no more than `limit` to join, which `use` may
    // lower.
    template <class Use> void visit(const int32_t* query, int64_t s, int64_t& limit, Worth worth, Use use) {
        index_.visit(meeting_of(query, s, worth), limit, [&](int32_t c, int64_t t, int64_t a, int64_t b) {
            const int64_t cost = s * a + given(s, t) * b;
            if (cost <= limit) use(c, cost);
        });
    }
    template <class Use> void visit(int32_t query, int64_t& limit, Worth worth, Use use) {
        visit(cells(query), size_[query], limit, worth, [&](int32_t c, int64_t cost) {
            if (c != query) use(c, cost);
        });
    }
    // The class that costs least to join, of those that may, of equals the first.
    template <class May> Offer cheapest(int32_t query, May may) {
        Offer best{endless, std::numeric_limits<int32_t>::max()};
        visit(query, best.first, {}, [&](int32_t c, int64_t cost) {
            if (may(c)) best = std::min(best, Offer{cost, c});
        });
        return best;
    }
};

}  // namespace paravent

// The body of micro.hpp, compiled once for each instruction set (PARAVENT_ISA names the copy).
//
// Rows stand in small blocks, each with the box that its rows lie in. A search computes for every block how near or far
// its rows can be, and looks into those blocks only that can matter, the most promising first. Rounding is monotone and
// bounds are summed in the order of distances, so a bound never excludes a row that its distance would not. No multiply
// and add is fused: every copy, and the twin in Python, gives the same bytes.
#include "micro.hpp"

namespace paravent::PARAVENT_ISA {

constexpr int block_rows = 64;

// As many numbers as one instruction works on.
template <class T> struct Wide {
    typedef T Vec __attribute__((vector_size(32), aligned(32)));
    static constexpr int lanes = 32 / sizeof(T);
    static Vec all(T x) { return Vec{} + x; }
    static Vec load(const T* p) {
        Vec v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    static void store(T* p, Vec v) { std::memcpy(p, &v, sizeof v); }
};
using Vec = Wide<double>::Vec;
typedef int64_t Mask __attribute__((vector_size(32)));
constexpr int lanes = Wide<double>::lanes;
static inline Vec broadcast(double x) { return Wide<double>::all(x); }
static inline Vec load(const double* p) { return Wide<double>::load(p); }
static inline void store(double* p, Vec v) { Wide<double>::store(p, v); }
static inline Vec larger(Vec a, Vec b) { return a > b ? a : b; }
static inline Vec if_different(Vec a, Vec b, Vec then) {
    return reinterpret_cast<Vec>(reinterpret_cast<Mask>(then) & (a != b));
}

// Squared distances of the rows of a block to a point, where all columns are places.
template <class T> void plain_distances(const T* cells, int rows, int d, const double* point, T* out) {
    using W = Wide<T>;
    for (int i = 0; i < rows; i += 2 * W::lanes) {
        typename W::Vec sum0 = W::all(0), sum1 = W::all(0);
        const T* at = cells + i;
        for (int j = 0; j < d; ++j, at += block_rows) {
            const typename W::Vec to = W::all(static_cast<T>(point[j]));
            const typename W::Vec y0 = W::load(at) - to, y1 = W::load(at + W::lanes) - to;
            sum0 += y0 * y0;
            sum1 += y1 * y1;
        }
        W::store(out + i, sum0);
        W::store(out + i + W::lanes, sum1);
    }
}

constexpr size_t next_best = 16;
constexpr double slack = 1e-9;  // where roots were taken, bounds give way by this much
constexpr double infinite = std::numeric_limits<double>::infinity();

struct Near {
    double distance;
    int32_t row;
    bool operator<(const Near& other) const {
        return distance != other.distance ? distance < other.distance : row < other.row;
    }
};

// Rows in blocks, column by column inside a block, so that one instruction works on several rows.
struct Blocks {
    int d = 0;
    std::vector<double> cells;
    std::vector<float> rough;  // the same to seven digits, where asked for
    std::vector<int32_t> id, held, of_row;

    void fill(const MicroProblem& p, const std::vector<int32_t>& rows, const std::vector<int64_t>& ends,
              bool with_rough) {
        d = static_cast<int>(p.columns.size());
        const size_t n = ends.size();
        id.assign(n * block_rows, 0);
        held.assign(n, 0);
        cells.assign(n * d * block_rows, 0.0);
        of_row.resize(static_cast<size_t>(p.rows), -1);
        int64_t begin = 0;
        for (size_t b = 0; b < n; ++b) {
            held[b] = static_cast<int32_t>(ends[b] - begin);
            for (int64_t i = 0; i < held[b]; ++i) {
                const int32_t row = rows[begin + i];
                id[b * block_rows + i] = row;
                of_row[row] = static_cast<int32_t>(b);
                for (int j = 0; j < d; ++j) cells[(b * d + j) * block_rows + i] = p.columns[j].values[row];
            }
            begin = ends[b];
        }
        rough.clear();
        if (with_rough) rough.assign(cells.begin(), cells.end());
    }

    void remove(int32_t row) {
        const int32_t b = of_row[row];
        const int32_t last = --held[b];
        int32_t* ids = &id[static_cast<size_t>(b) * block_rows];
        const int at = static_cast<int>(std::find(ids, ids + last + 1, row) - ids);
        ids[at] = ids[last];
        const auto close = [&](auto& all) {  // the last one stands where the row stood
            auto* block = all.data() + static_cast<size_t>(b) * d * block_rows;
            for (int j = 0; j < d; ++j) block[j * block_rows + at] = block[j * block_rows + last];
        };
        close(cells);
        if (!rough.empty()) close(rough);
        of_row[row] = -1;
    }
};

// The rows that are left, for two kinds of search: boxes of neighbours for the nearest, shells around a centre for the
// farthest.
class Space {
 public:
    explicit Space(const MicroProblem& problem)
        : p_(problem), d_(static_cast<int>(problem.columns.size())), live_(problem.rows) {
        for (int j = 0; j < d_; ++j) {
            const MicroColumn& column = p_.columns[j];
            plain_ = plain_ && column.measure <= Measure::order;
            sums_.push_back(0);
            counts_.emplace_back(column.measure == Measure::line ? 0 : column.size, 0);
            tables_.emplace_back(column.measure == Measure::table ? column.size : 0, 0.0);
            for (int64_t i = 0; i < p_.rows; ++i) count(j, static_cast<int32_t>(i), 1);
        }
        point_.resize(d_);
        for (int j = 0; j < d_ && plain_; ++j)
            for (int64_t i = 0; i < p_.rows; ++i) largest_ = std::max(largest_, std::abs(p_.columns[j].values[i]));
        // Each place and each difference is off by 2^-24 of itself at most, so a distance by this much and 1e-5 of
        // itself.
        rough_error_ = 4 * largest_ * std::sqrt(static_cast<double>(d_)) * 0x1p-23;
        plain_rough_ = plain_ && d_ < 256 && largest_ < 1e9;
        build(numbers_below(p_.rows));
    }

    int64_t size() const { return live_; }

    // The place that later searches start from: a row, or the average of all rows that are left.
    void at_row(int32_t row) {
        for (int j = 0; j < d_; ++j) point_[j] = p_.columns[j].values[row];
        prepare();
    }
    void at_average() {
        for (int j = 0; j < d_; ++j) point_[j] = average(j);
        prepare();
    }

    int32_t farthest() {
        Near best{-1, std::numeric_limits<int32_t>::max()};
        const double off = std::sqrt(distance(point_, centre_));
        for (size_t b = outermost_; b < radius_.size(); ++b) {
            if (!shells_.held[b]) {
                outermost_ += b == outermost_;
                continue;
            }
            const double reach =
                (radius_[b] + off) * (1 + slack);  // no row of this shell or of a further one is farther
            if (reach * reach < best.distance) break;
            farthest_in(b, best);
        }
        return best.row;
    }

    // The `most` nearest rows, nearest first; `except` is passed over.
    const std::vector<Near>& nearest(int64_t most, int32_t except = -1) {
        bound();
        found_.clear();
        const size_t n = boxes_.held.size();
        size_t first = n;
        for (size_t b = 0; b < n; ++b)
            if (boxes_.held[b] && (first == n || bounds_[b] < bounds_[first])) first = b;
        if (first == n) return found_;
        nearest_in(first, most, except);
        order_.clear();
        const double so_far = reach(most);
        for (size_t b = 0; b < n; ++b)
            if (bounds_[b] <= so_far && b != first && boxes_.held[b]) order_.push_back(static_cast<int32_t>(b));
        // The next best few, then whatever can still matter: a full order would cost more than it saves.
        if (order_.size() > next_best)
            std::nth_element(order_.begin(), order_.begin() + next_best, order_.end(),
                             [&](int32_t a, int32_t b) { return bounds_[a] < bounds_[b]; });
        for (int32_t b : order_)
            if (bounds_[b] <= reach(most)) nearest_in(b, most, except);
        std::sort_heap(found_.begin(), found_.end());
        return found_;
    }

    void remove(int32_t row) {
        boxes_.remove(row);
        shells_.remove(row);
        --live_;
        for (int j = 0; j < d_; ++j) count(j, row, -1);
        if (live_ * 3 < built_ * 2 && built_ > 4 * block_rows) build(rows_left());
    }

    std::vector<int32_t> rows_left() const {
        std::vector<int32_t> left;
        left.reserve(static_cast<size_t>(live_));
        for (size_t row = 0; row < boxes_.of_row.size(); ++row)
            if (boxes_.of_row[row] >= 0) left.push_back(static_cast<int32_t>(row));
        return left;
    }

    // All rows that are left, the farthest from the average first.
    std::vector<int32_t> outside_in() {
        at_average();
        std::vector<Near> all = nearest(live_);
        std::stable_sort(all.begin(), all.end(), [](const Near& a, const Near& b) {
            return a.distance != b.distance ? a.distance > b.distance : a.row < b.row;
        });
        std::vector<int32_t> order;
        for (const Near& one : all) order.push_back(one.row);
        return order;
    }

 private:
    const MicroProblem& p_;
    const int d_;
    int64_t live_, built_ = 0;
    bool plain_ = true;  // nothing but places
    bool plain_rough_ = false;
    double largest_ = 0, rough_error_ = 0;
    Blocks boxes_, shells_;
    std::vector<double> low_, high_, bounds_;  // of boxes, column by column (padded to lanes)
    size_t stride_ = 0;
    std::vector<double> centre_, radius_of_, radius_;  // of shells, outermost first
    std::vector<double> inner_, outer_;                // of boxes, by their distance to the centre
    size_t outermost_ = 0;
    std::vector<int32_t> order_;
    std::vector<Near> found_;
    std::vector<int64_t> sums_;
    std::vector<std::vector<int64_t>> counts_;
    std::vector<std::vector<double>> tables_;  // the squares of the point's code to all others
    std::vector<double> point_;

    static constexpr double unit = 1073741824.0;  // 2^30

    void count(int j, int32_t row, int64_t by) {
        const MicroColumn& column = p_.columns[j];
        if (column.measure == Measure::line) sums_[j] += by * static_cast<int64_t>(column.values[row] * unit);
        else counts_[j][column.codes[row]] += by;
    }

    double average(int j) const {
        const MicroColumn& column = p_.columns[j];
        if (column.measure == Measure::line) return static_cast<double>(sums_[j]) / unit / static_cast<double>(live_);
        const std::vector<int64_t>& counts = counts_[j];
        if (column.measure == Measure::order) {
            int64_t seen = 0;
            for (int32_t code = 0; code < column.size; ++code)
                if (2 * (seen += counts[code]) >= live_) return column.places[code];
        }
        return static_cast<double>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    }

    void prepare() {
        for (int j = 0; j < d_; ++j) {
            const MicroColumn& column = p_.columns[j];
            if (column.measure != Measure::table) continue;
            const double* from = column.table + static_cast<size_t>(point_[j]) * column.size;
            std::copy(from, from + column.size, tables_[j].begin());
        }
    }

    double square(int j, double a, double b) const {
        const MicroColumn& column = p_.columns[j];
        if (column.measure <= Measure::order) return (a - b) * (a - b);
        if (column.measure == Measure::name) return a != b ? column.weight : 0;
        return column.table[static_cast<size_t>(a) * column.size + static_cast<size_t>(b)];
    }

    double distance(const std::vector<double>& a, const std::vector<double>& b) const {
        double sum = 0;
        for (int j = 0; j < d_; ++j) sum += square(j, a[j], b[j]);
        return sum;
    }

    void build(std::vector<int32_t> rows) {
        built_ = count_of(rows);
        centre_.resize(d_);
        for (int j = 0; j < d_; ++j) centre_[j] = average(j);
        radius_of_.resize(static_cast<size_t>(p_.rows));
        std::vector<double> at(d_);
        for (int32_t row : rows) {
            for (int j = 0; j < d_; ++j) at[j] = p_.columns[j].values[row];
            radius_of_[row] = std::sqrt(distance(at, centre_));
        }
        build_boxes(rows);
        build_shells(rows);
    }

    // Halve the rows by the column of widest reach, or by their distance to the centre where that reaches wider, until
    // they fit a block.
    void build_boxes(std::vector<int32_t>& rows) {
        std::vector<int64_t> ends;
        std::vector<std::pair<int64_t, int64_t>> open{{0, built_}};
        while (!open.empty()) {
            const auto [begin, end] = open.back();
            open.pop_back();
            if (end - begin <= block_rows) {
                ends.push_back(end);
                continue;
            }
            int widest = 0;
            double reach = -1;
            for (int j = 0; j < d_; ++j) {
                const MicroColumn& column = p_.columns[j];
                double lowest = infinite, highest = -infinite;
                for (int64_t i = begin; i < end; ++i) {
                    lowest = std::min(lowest, column.values[rows[i]]);
                    highest = std::max(highest, column.values[rows[i]]);
                }
                const bool codes = column.measure > Measure::order;
                const double wide = codes ? (highest > lowest ? 2 * std::sqrt(column.weight) : 0) : highest - lowest;
                if (wide > reach) reach = wide, widest = j;
            }
            double inner = infinite, outer = 0;
            for (int64_t i = begin; i < end; ++i) {
                inner = std::min(inner, radius_of_[rows[i]]);
                outer = std::max(outer, radius_of_[rows[i]]);
            }
            const double* values = outer - inner > reach ? radius_of_.data() : p_.columns[widest].values;
            const int64_t middle = begin + (end - begin + block_rows - 1) / block_rows / 2 * block_rows;
            std::nth_element(
                rows.begin() + begin, rows.begin() + middle, rows.begin() + end,
                [&](int32_t a, int32_t b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
            open.emplace_back(middle, end);
            open.emplace_back(begin, middle);
        }
        boxes_.fill(p_, rows, ends, plain_);
        stride_ = (ends.size() + lanes - 1) / lanes * lanes;
        low_.assign(stride_ * d_, 0.0);
        high_.assign(stride_ * d_, 0.0);
        bounds_.assign(stride_, 0.0);
        inner_.assign(stride_, 0.0);
        outer_.assign(stride_, 0.0);
        for (size_t b = 0; b < ends.size(); ++b) {
            inner_[b] = infinite;
            for (int i = 0; i < boxes_.held[b]; ++i) {
                const double radius = radius_of_[boxes_.id[b * block_rows + i]];
                inner_[b] = std::min(inner_[b], radius * (1 - slack));
                outer_[b] = std::max(outer_[b], radius * (1 + slack));
            }
            for (int j = 0; j < d_; ++j) {
                const double* cells = &boxes_.cells[(b * d_ + j) * block_rows];
                const auto ends_of = std::minmax_element(cells, cells + boxes_.held[b]);
                low_[j * stride_ + b] = *ends_of.first;
                high_[j * stride_ + b] = *ends_of.second;
            }
        }
    }

    void build_shells(std::vector<int32_t>& rows) {
        std::vector<std::pair<double, int32_t>> by_radius;
        by_radius.reserve(rows.size());
        for (int32_t row : rows) by_radius.emplace_back(-radius_of_[row], row);
        std::sort(by_radius.begin(), by_radius.end());
        std::vector<int64_t> ends;
        radius_.clear();
        for (size_t i = 0; i < rows.size(); ++i) {
            rows[i] = by_radius[i].second;
            if (i % block_rows == 0) radius_.push_back(-by_radius[i].first);
            if (i % block_rows == block_rows - 1 || i + 1 == rows.size()) ends.push_back(static_cast<int64_t>(i) + 1);
        }
        shells_.fill(p_, rows, ends, false);
        outermost_ = 0;
    }

    void bound() {
        const Vec zero = broadcast(0);
        const double off = std::sqrt(distance(point_, centre_));
        const Vec near_off = broadcast(off * (1 - slack)), far_off = broadcast(off * (1 + slack));
        const auto outside = [&](Vec low, Vec high, Vec from, Vec to) {
            return larger(larger(low - to, from - high), zero);
        };
        for (size_t b = 0; b < stride_; b += lanes) {
            Vec sum = zero;
            for (int j = 0; j < d_; ++j) {
                const MicroColumn& column = p_.columns[j];
                const Vec at = broadcast(point_[j]);
                const Vec gap = outside(load(&low_[j * stride_ + b]), load(&high_[j * stride_ + b]), at, at);
                if (column.measure <= Measure::order) sum += gap * gap;
                // Codes outside the block's range are in none of its rows.
                else if (column.measure == Measure::name) sum += if_different(gap, zero, broadcast(column.weight));
            }
            // Two rows are at least as far apart as their distances to the centre differ.
            const Vec gap = outside(load(&inner_[b]), load(&outer_[b]), near_off, far_off);
            store(&bounds_[b], larger(sum, gap * gap * broadcast(1 - slack)));
        }
    }

    void distances(const Blocks& blocks, size_t b, double* out) const {
        const double* cells = &blocks.cells[b * d_ * block_rows];
        if (plain_) return plain_distances(cells, blocks.held[b], d_, point_.data(), out);
        for (int i = 0; i < blocks.held[b]; i += lanes) {
            Vec sum = broadcast(0);
            const double* at = cells + i;
            for (int j = 0; j < d_; ++j, at += block_rows) {
                const MicroColumn& column = p_.columns[j];
                const Vec point = broadcast(point_[j]), x = load(at);
                if (column.measure <= Measure::order) {
                    sum += (x - point) * (x - point);
                } else if (column.measure == Measure::name) {
                    sum += if_different(x, point, broadcast(column.weight));
                } else {
                    double add[lanes];
                    for (int l = 0; l < lanes; ++l) add[l] = tables_[j][static_cast<size_t>(at[l])];
                    sum += load(add);
                }
            }
            store(out + i, sum);
        }
    }

    void farthest_in(size_t b, Near& best) const {
        double found[block_rows];
        distances(shells_, b, found);
        for (int i = 0; i < shells_.held[b]; ++i) {
            if (found[i] < best.distance) continue;
            const int32_t row = shells_.id[b * block_rows + i];
            if (found[i] > best.distance || row < best.row) best = {found[i], row};
        }
    }

    double reach(int64_t most) const { return count_of(found_) < most ? infinite : found_.front().distance; }

    double rough_reach(double exact) const {
        const double root = std::sqrt(exact) * (1 + 1e-4) + rough_error_;
        return root * root;
    }

    double exact_distance(size_t b, int i) const {
        const double* at = &boxes_.cells[b * d_ * block_rows + i];
        double sum = 0;
        for (int j = 0; j < d_; ++j, at += block_rows) sum += (*at - point_[j]) * (*at - point_[j]);
        return sum;
    }

    void nearest_in(size_t b, int64_t most, int32_t except) {
        double at[block_rows];
        double enough = reach(most);
        if (plain_rough_ && enough < infinite) {
            float rough[block_rows];
            // To seven digits, half the work: enough to pass over rows that are too far, never one that is not.
            plain_distances(&boxes_.rough[b * d_ * block_rows], boxes_.held[b], d_, point_.data(), rough);
            const float limit = static_cast<float>(rough_reach(enough) * (1 + 1e-6));
            int near = 0;
            for (int i = 0; i < boxes_.held[b]; ++i) near += rough[i] <= limit;
            if (!near) return;
            for (int i = 0; i < boxes_.held[b]; ++i) at[i] = rough[i] <= limit ? exact_distance(b, i) : infinite;
        } else {
            distances(boxes_, b, at);
        }
        for (int i = 0; i < boxes_.held[b]; ++i) {
            if (at[i] > enough) continue;
            const Near one{at[i], boxes_.id[b * block_rows + i]};
            if (one.row == except) continue;
            if (count_of(found_) < most) {
                found_.push_back(one);
                std::push_heap(found_.begin(), found_.end());
            } else if (one < found_.front()) {
                std::pop_heap(found_.begin(), found_.end());
                found_.back() = one;
                std::push_heap(found_.begin(), found_.end());
            }
            enough = reach(most);
        }
    }
};

class Mdav {
 public:
    explicit Mdav(const MicroProblem& problem) : p_(problem), space_(problem) {
        groups_.of_row.assign(problem.rows, -1);
    }

    MicroGroups run() {
        if (p_.gain >= 0) variable();
        else fixed();
        return std::move(groups_);
    }

 private:
    const MicroProblem& p_;
    Space space_;
    MicroGroups groups_;
    int64_t next_report_ = 0;

    // The row and its k − 1 nearest.
    void gather(int32_t row) {
        space_.at_row(row);
        std::vector<Near> members = space_.nearest(p_.k);
        for (const Near& one : members) take(one.row);
        ++groups_.count;
    }

    void take(int32_t row) {
        groups_.of_row[row] = groups_.count;
        space_.remove(row);
    }

    void take_rest() {
        const std::vector<int32_t> left = space_.rows_left();
        if (left.empty()) return;
        for (int32_t row : left) groups_.of_row[row] = groups_.count;
        ++groups_.count;
    }

    void report() {
        const int64_t done = p_.rows - space_.size();
        if (!p_.watch || done < next_report_) return;
        next_report_ = done + std::max<int64_t>(1, p_.rows / 200);
        const double left = ratio(space_.size(), p_.rows);
        p_.watch(1 - left * left);  // a group costs a look at all rows that are left
    }

    void fixed() {
        while (space_.size() >= 3 * p_.k) {
            report();
            space_.at_average();
            const int32_t outer = space_.farthest();
            gather(outer);
            space_.at_row(outer);
            gather(space_.farthest());
        }
        if (space_.size() >= 2 * p_.k) {
            space_.at_average();
            gather(space_.farthest());
        }
        take_rest();
    }

    // V-MDAV (Solanas, Martinez 2006): the average is that of the whole table throughout; a group of k takes rows that
    // are nearer to one of its own than gain times their nearest other row, up to 2k - 1 rows.
    void variable() {
        const std::vector<int32_t> by_distance = space_.outside_in();
        size_t next = 0;
        std::vector<int32_t> members;
        while (space_.size() >= p_.k) {
            report();
            while (groups_.of_row[by_distance[next]] >= 0) ++next;
            const int32_t outer = by_distance[next];
            members.clear();
            space_.at_row(outer);
            for (const Near& one : std::vector<Near>(space_.nearest(p_.k))) {
                take(one.row);
                members.push_back(one.row);
            }
            extend(members);
            ++groups_.count;
        }
    }

    void extend(std::vector<int32_t>& members) {
        std::vector<Near> nearest;  // of each member, the nearest row outside
        for (int32_t row : members) nearest.push_back(next_to(row));
        while (count_of(members) < 2 * p_.k - 1 && space_.size() > 0) {
            const Near one = *std::min_element(nearest.begin(), nearest.end());
            space_.at_row(one.row);
            const std::vector<Near>& beside = space_.nearest(1, one.row);
            const double out = beside.empty() ? infinite : std::sqrt(beside.front().distance);
            if (!(std::sqrt(one.distance) < p_.gain * out)) break;
            take(one.row);
            members.push_back(one.row);
            if (space_.size() == 0) break;
            nearest.push_back(next_to(one.row));
            for (size_t i = 0; i < members.size(); ++i)
                if (nearest[i].row == one.row) nearest[i] = next_to(members[i]);
        }
    }

    Near next_to(int32_t row) {
        space_.at_row(row);
        const std::vector<Near>& found = space_.nearest(1);
        return found.empty() ? Near{infinite, std::numeric_limits<int32_t>::max()} : found.front();
    }
};

MicroGroups mdav(const MicroProblem& problem) { return Mdav(problem).run(); }

}  // namespace paravent::PARAVENT_ISA

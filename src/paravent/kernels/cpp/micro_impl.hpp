// The body of micro.hpp, compiled once for each instruction set (PARAVENT_ISA names the copy).
//
// Rows stand in small blocks, each with the box that its rows lie in. A search computes for every block how near or far
// its rows can be, and looks into those blocks only that can matter, first of all into the most promising one. Rounding
// is monotone and bounds are summed in the order of distances, so a bound never excludes a row that its distance would
// not. No multiply and add is fused: every copy, and the twin in Python, gives the same bytes.
#include "micro.hpp"

namespace paravent::PARAVENT_ISA {

constexpr int block_rows = 64;

// As many numbers as one instruction works on.
template <class T> struct Lanes {
    typedef T Wide __attribute__((vector_size(32), aligned(4), may_alias));
    static constexpr int count = 32 / sizeof(T);
};
template <class T> using Wide = typename Lanes<T>::Wide;
template <class T> static inline const Wide<T>& wide(const T* from) { return *reinterpret_cast<const Wide<T>*>(from); }
constexpr int lanes = Lanes<double>::count;

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
    std::vector<double> cells;
    std::vector<float> rough;  // the same to seven digits, where asked for
    std::vector<int32_t> id, held, of_row;

    void fill(const MicroProblem& p, const std::vector<int32_t>& rows) {
        const size_t d = p.columns.size(), n = rows.size(), blocks = (n + block_rows - 1) / block_rows;
        id = rows;
        id.resize(blocks * block_rows, 0);
        held.assign(blocks, block_rows);
        held.back() -= static_cast<int32_t>(id.size() - n);
        cells.assign(id.size() * d, 0.0);
        of_row.resize(p.rows, -1);
        for (size_t i = 0; i < n; ++i) {
            const size_t b = i / block_rows;
            of_row[rows[i]] = static_cast<int32_t>(b);
            for (size_t j = 0; j < d; ++j)
                cells[(b * d + j) * block_rows + i % block_rows] = p.columns[j].values[rows[i]];
        }
    }

    // The last row of the block stands where the row stood.
    void remove(int32_t row, int d) {
        const size_t b = of_row[row];
        const int32_t last = --held[b];
        int32_t* ids = &id[b * block_rows];
        const int64_t at = std::find(ids, ids + last, row) - ids;
        ids[at] = ids[last];
        for (size_t i = b * d * block_rows, end = i + d * block_rows; i < end; i += block_rows) {
            cells[i + at] = cells[i + last];
            if (!rough.empty()) rough[i + at] = rough[i + last];
        }
        of_row[row] = -1;
    }
};

// The rows that are left, for two kinds of search: boxes of neighbours for the nearest, shells around a centre for the
// farthest.
class Space {
 public:
    explicit Space(const MicroProblem& problem) : p_(problem) {
        double largest = 0;
        for (int j = 0; j < d_; ++j) {
            const MicroColumn& column = p_.columns[j];
            plain_ = plain_ && column.measure <= Measure::order;
            counts_.emplace_back(column.measure == Measure::line ? 0 : column.size, 0);
            for (int32_t row = 0; row < p_.rows; ++row) {
                count(j, row, 1);
                largest = std::max(largest, std::abs(column.values[row]));
            }
        }
        // Each place and each difference is off by 2^-24 of itself at most, so a distance by this much and 1e-5 of
        // itself.
        rough_error_ = 4 * largest * std::sqrt(static_cast<double>(d_)) * 0x1p-23;
        rough_ = plain_ && d_ < 256 && largest < 1e9;
        build(numbers_below(p_.rows));
    }

    int64_t size() const { return live_; }

    // The place that later searches start from: values by column, a row, or the average of all rows that are left.
    void at(const std::vector<double>& point) {
        for (int j = 0; j < d_; ++j) stand(j, point[j]);
    }
    void at_row(int32_t row) {
        for (int j = 0; j < d_; ++j) stand(j, p_.columns[j].values[row]);
    }
    std::vector<double> average() const {
        std::vector<double> found;
        for (int j = 0; j < d_; ++j) found.push_back(average(j));
        return found;
    }

    int32_t farthest() {
        Near best{0, std::numeric_limits<int32_t>::max()};  // by the negative distance
        double found[block_rows];
        squares<false, false>(centre_.data(), centre_.data(), lanes, 1, found);
        const double off = std::sqrt(found[0]);
        for (size_t b = outermost_; b < reach_.size(); ++b) {
            outermost_ += b == outermost_ && !shells_.held[b];
            const double reach = (reach_[b] + off) * (1 + slack);  // none of this shell or of a further one is farther
            if (reach * reach < -best.distance) break;
            distances(shells_, b, found);
            for (int i = 0; i < shells_.held[b]; ++i)
                best = std::min(best, {-found[i], shells_.id[b * block_rows + i]});
        }
        return best.row;
    }

    // The `most` nearest rows, nearest first.
    const std::vector<Near>& nearest(int64_t most) {
        found_.most = most;
        found_.heap.clear();
        if (live_ == 0) return found_.heap;
        squares<true, false>(low_.data(), high_.data(), bounds_.size(), bounds_.size(), bounds_.data());
        const size_t n = boxes_.held.size();
        size_t first = n;
        for (size_t b = 0; b < n; ++b)
            if (boxes_.held[b] && (first == n || bounds_[b] < bounds_[first])) first = b;
        look(first);
        double so_far = reach();
        for (size_t b = 0; b < n; ++b)
            if (bounds_[b] <= so_far && b != first) {
                look(b);
                so_far = reach();
            }
        return found_.sorted();
    }

    void remove(int32_t row) {
        boxes_.remove(row, d_);
        shells_.remove(row, d_);
        --live_;
        for (int j = 0; j < d_; ++j) count(j, row, -1);
        if (live_ * 3 < built_ * 2 && built_ > 4 * block_rows) build(rows_left());
    }

    std::vector<int32_t> rows_left() const {
        std::vector<int32_t> left;
        for (size_t row = 0; row < boxes_.of_row.size(); ++row)
            if (boxes_.of_row[row] >= 0) left.push_back(static_cast<int32_t>(row));
        return left;
    }

 private:
    const MicroProblem& p_;
    const int d_ = static_cast<int>(p_.columns.size());
    int64_t live_ = p_.rows, built_ = 0;
    bool plain_ = true, rough_ = false;  // nothing but places; whether boxes are looked at roughly first
    double rough_error_ = 0;
    Blocks boxes_, shells_;
    std::vector<double> low_, high_, bounds_;  // of boxes, column by column (padded to lanes)
    std::vector<double> centre_, radius_ = std::vector<double>(p_.rows),
                                 reach_;  // how far from it rows are, and shells, the outermost first
    size_t outermost_ = 0;
    Smallest<Near> found_;
    std::vector<int64_t> sums_ = std::vector<int64_t>(d_);
    std::vector<std::vector<int64_t>> counts_;
    std::vector<double> point_ = std::vector<double>(d_);
    std::vector<const double*> table_ = std::vector<const double*>(d_);  // squares of the point's code to all others

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

    void stand(int j, double value) {
        const MicroColumn& column = p_.columns[j];
        point_[j] = value;
        if (column.measure == Measure::table) table_[j] = column.table + static_cast<size_t>(value) * column.size;
    }

    void build(std::vector<int32_t> rows) {
        built_ = count_of(rows);
        if (rows.empty()) return;
        halve(rows.data(), rows.data() + built_);
        boxes_.fill(p_, rows);
        if (rough_) boxes_.rough.assign(boxes_.cells.begin(), boxes_.cells.end());
        const size_t n = boxes_.held.size();
        bounds_.resize((n + lanes - 1) / lanes * lanes);
        for (auto* ends : {&low_, &high_}) ends->assign(bounds_.size() * d_, 0.0);
        at(average());
        centre_.assign(d_ * lanes, 0);
        for (int j = 0; j < d_; ++j) centre_[j * lanes] = point_[j];
        double found[block_rows];
        for (size_t b = 0; b < n; ++b) {
            for (int j = 0; j < d_; ++j) {
                const double* cells = &boxes_.cells[(b * d_ + j) * block_rows];
                const auto [low, high] = std::minmax_element(cells, cells + boxes_.held[b]);
                low_[j * bounds_.size() + b] = *low;
                high_[j * bounds_.size() + b] = *high;
            }
            distances(boxes_, b, found);
            for (int i = 0; i < boxes_.held[b]; ++i) radius_[boxes_.id[b * block_rows + i]] = std::sqrt(found[i]);
        }
        std::sort(rows.begin(), rows.end(),
                  [&](int32_t a, int32_t b) { return radius_[a] != radius_[b] ? radius_[a] > radius_[b] : a < b; });
        shells_.fill(p_, rows);
        reach_.clear();
        for (size_t b = 0; b < n; ++b) reach_.push_back(radius_[rows[b * block_rows]]);
        outermost_ = 0;
    }

    // Halve rows by the column of widest reach, until they fit a block. All blocks but the last are full.
    void halve(int32_t* from, int32_t* to) const {
        if (to - from <= block_rows) return;
        const double* by = nullptr;
        double widest = -1;
        for (const MicroColumn& column : p_.columns) {
            const double* values = column.values;
            double low = infinite, high = -infinite;
            for (const int32_t* row = from; row != to; ++row) {
                low = std::min(low, values[*row]);
                high = std::max(high, values[*row]);
            }
            const bool codes = column.measure > Measure::order && high > low;
            const double reach = codes ? 2 * std::sqrt(column.weight) : high - low;
            if (reach > widest) widest = reach, by = values;
        }
        int32_t* middle = from + (to - from + block_rows - 1) / block_rows / 2 * block_rows;
        std::nth_element(from, middle, to,
                         [&](int32_t a, int32_t b) { return by[a] != by[b] ? by[a] < by[b] : a < b; });
        halve(from, middle);
        halve(middle, to);
    }

    double reach() const { return found_.full() ? found_.heap.front().distance : infinite; }

    void look(size_t b) {
        double at[block_rows];
        double enough = reach();
        if (rough_ && enough < infinite && !may_reach(b, enough)) return;
        distances(boxes_, b, at);
        for (int i = 0; i < boxes_.held[b]; ++i) {
            const Near one{at[i], boxes_.id[b * block_rows + i]};
            if (one.distance > enough) continue;
            found_.offer(one);
            enough = reach();
        }
    }

    // Whether a row of a box may be so near: to seven digits, half the work.
    bool may_reach(size_t b, double enough) const {
        float found[block_rows];
        const float* cells = &boxes_.rough[b * d_ * block_rows];
        squares<false, true>(cells, cells, block_rows, boxes_.held[b], found);
        const double root = std::sqrt(enough) * (1 + 1e-4) + rough_error_;
        const float limit = static_cast<float>(root * root * (1 + 1e-6));
        int near = 0;
        for (int i = 0; i < boxes_.held[b]; ++i) near += found[i] <= limit;
        return near > 0;
    }

    // The squared distances of the rows of a block to the point.
    void distances(const Blocks& blocks, size_t b, double* out) const {
        const double* cells = &blocks.cells[b * d_ * block_rows];
        plain_ ? squares<false, true>(cells, cells, block_rows, blocks.held[b], out)
               : squares<false, false>(cells, cells, block_rows, blocks.held[b], out);
    }
    // Those of n rows, a column's values `stride` behind those of the last one; or what those of rows in boxes are at
    // least. `plain`: all columns are places.
    template <bool boxes, bool plain, class T>
    __attribute__((noinline)) void squares(const T* low, const T* high, size_t stride, size_t n, T* out) const {
        const Wide<T> zero{};
        constexpr int halves = plain ? 2 : 1;
        for (size_t i = 0; i < n; i += halves * Lanes<T>::count) {
            Wide<T> sum[halves] = {};
            for (int j = 0; j < d_; ++j) {
                const MicroColumn& column = p_.columns[j];
                const T here = static_cast<T>(point_[j]);
                for (int half = 0; half < halves; ++half) {
                    const size_t at = j * stride + i + half * Lanes<T>::count;
                    Wide<T> gap = wide(low + at) - here;
                    if (boxes) {
                        const Wide<T> below = here - wide(high + at), more = gap > below ? gap : below;
                        gap = more > zero ? more : zero;
                    }
                    if (plain || column.measure <= Measure::order) sum[half] += gap * gap;
                    // Codes outside a box's range are in none of its rows.
                    else if (column.measure == Measure::name)
                        sum[half] += gap != zero ? zero + static_cast<T>(column.weight) : zero;
                    else if (!boxes)
                        for (int l = 0; l < Lanes<T>::count; ++l)
                            sum[half][l] += table_[j][static_cast<size_t>(low[at + l])];
                }
            }
            std::memcpy(out + i, sum, sizeof sum);
        }
    }
};

class Mdav {
    const MicroProblem& p_;
    Space space_;
    std::vector<int32_t> of_row_ = std::vector<int32_t>(p_.rows, -1);
    int32_t count_ = 0;
    int64_t next_report_ = 0;

    void take(int32_t row) {
        of_row_[row] = count_;
        space_.remove(row);
    }

    // A group: the row and its k − 1 nearest, and more where sizes are variable.
    void gather(int32_t row) {
        space_.at_row(row);
        const std::vector<Near> nearest = space_.nearest(p_.k);
        for (const Near& one : nearest) take(one.row);
        if (p_.gain >= 0) extend(nearest);
        ++count_;
        const int64_t done = p_.rows - space_.size();
        if (!p_.watch || done < next_report_) return;
        next_report_ = done + std::max<int64_t>(1, p_.rows / 200);
        const double left = ratio(space_.size(), p_.rows);
        p_.watch(1 - left * left);  // a group costs a look at all rows that are left
    }

    void fixed() {
        while (space_.size() >= 2 * p_.k) {
            space_.at(space_.average());
            const int32_t outer = space_.farthest();
            const bool again = space_.size() >= 3 * p_.k;
            gather(outer);
            if (!again) break;
            space_.at_row(outer);
            gather(space_.farthest());
        }
        std::replace(of_row_.begin(), of_row_.end(), -1, count_);
    }

    // V-MDAV (Solanas, Martinez 2006): the average is that of the whole table throughout; a group of k takes rows that
    // are nearer to one of its own than gain times their nearest other row, up to 2k - 1 rows.
    void variable() {
        for (const std::vector<double> average = space_.average(); space_.size() >= p_.k;) {
            space_.at(average);
            gather(space_.farthest());
        }
    }

    void extend(const std::vector<Near>& begun) {
        std::vector<std::pair<Near, int32_t>> nearest;  // of each member, the nearest row outside
        for (const Near& one : begun) nearest.emplace_back(next_to(one.row), one.row);
        while (count_of(nearest) < 2 * p_.k - 1 && space_.size() > 0) {
            const Near one = std::min_element(nearest.begin(), nearest.end())->first;
            // Of the two nearest to a row one is the row itself, or as near.
            if (!(std::sqrt(one.distance) < p_.gain * std::sqrt(next_to(one.row, 2).distance))) break;
            take(one.row);
            nearest.emplace_back(Near{}, one.row);
            for (auto& [other, row] : nearest)
                if (other.row == one.row || row == one.row) other = next_to(row);
        }
    }

    Near next_to(int32_t row, int64_t nth = 1) {
        space_.at_row(row);
        const std::vector<Near>& found = space_.nearest(nth);
        return count_of(found) < nth ? Near{infinite, std::numeric_limits<int32_t>::max()} : found.back();
    }

 public:
    explicit Mdav(const MicroProblem& problem) : p_(problem), space_(problem) {}

    std::vector<int32_t> run() {
        p_.gain >= 0 ? variable() : fixed();
        return std::move(of_row_);
    }
};

std::vector<int32_t> mdav(const MicroProblem& problem) { return Mdav(problem).run(); }

}  // namespace paravent::PARAVENT_ISA

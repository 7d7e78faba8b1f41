// What the classes of a search must satisfy beside their size: demands on the counts of sensitive values.
//
// A search asks these for every move, so they are decided in floating point, a little on the safe side. The models
// themselves have the last word on its result.
#pragma once

#include "mondrian.hpp"

namespace paravent {

// distinct: `a` values at least. entropy: exp(entropy) of at least `a`. recursive: with counts r1 >= r2 >= ...,
// r1 < b * (r_a + r_(a + 1) + ...). tolerance: r1 - r_a at most b of the rows, and `a` values. share: none above `a`.
// With the shares of the table beside, distance: half the sum of |share - whole share| at most `a`; ordered: the mean
// of the cumulated differences at most `a`, their sum where b is set; likeness: share / whole share at most 1 + a, and
// at most 1 - log(whole share) where b is set; disclosure: |log(share / whole share)| below `a`, all values there.
enum class Kind : int32_t { distinct, entropy, recursive, share, distance, tolerance, ordered, likeness, disclosure };
struct Demand {
    Kind kind = Kind::distinct;
    int32_t column = 0;
    double a = 0, b = 0;
    std::vector<double> whole;  // the shares in the table
    PARAVENT_FIELDS(kind, column, a, b, whole)
};

// n log n of small numbers; that of larger ones is worked out.
inline const auto xlogx = tabulated<1 << 13>([](double n) { return n > 0 ? n * std::log(n) : 0; });

struct Demands {
    static constexpr double safe = 1e-9;
    std::vector<Sensitive> columns;
    std::vector<Demand> list;
    PARAVENT_FIELDS(columns, list)

    // The counts of all columns stand one behind the other.
    int64_t offset(size_t column) const {
        const auto add = [](int64_t sum, const Sensitive& one) { return sum + one.size; };
        return std::accumulate(columns.begin(), columns.begin() + static_cast<int64_t>(column), int64_t{0}, add);
    }
    int64_t width() const { return offset(columns.size()); }
    template <class Count> void count(Count* counts, int64_t row, int32_t by) const {
        for (const Sensitive& column : columns) {
            counts[column.codes[row]] += by;
            counts += column.size;
        }
    }

    bool hold(const int32_t* counts, int64_t size) const {
        return std::all_of(list.begin(), list.end(),
                           [&](const Demand& d) { return room(d, counts, size, d.whole.data()) >= safe; });
    }

    // By how much a demand is kept (below 0: broken), beside a table of the shares `whole`; the sign is certain from
    // `safe` on.
    double room(const Demand& d, const int32_t* counts, int64_t rows, const double* whole) const {
        counts += offset(d.column);
        const int32_t m = columns[d.column].size;
        const double size = static_cast<double>(rows), a = d.a;
        switch (d.kind) {
            case Kind::distinct: return m - std::count(counts, counts + m, 0) >= a ? 1 : -1;
            case Kind::share: return a - *std::max_element(counts, counts + m) / size;
            case Kind::entropy: {
                double sum = 0;
                for (int32_t v = 0; v < m; ++v)
                    sum += counts[v] < count_of(xlogx) ? xlogx[counts[v]] : counts[v] * std::log(counts[v]);
                return std::log(size) - sum / size - std::log(a);
            }
            case Kind::tolerance:
            case Kind::recursive: {
                std::vector<int32_t> sorted(counts, counts + m);
                std::sort(sorted.begin(), sorted.end(), std::greater<>());
                const int64_t from = std::min<int64_t>(m, static_cast<int64_t>(a) - 1);
                if (d.kind == Kind::recursive)
                    return (d.b * std::accumulate(sorted.begin() + from, sorted.end(), 0.0) - sorted[0]) / size;
                return from < m && sorted[from] > 0 ? d.b - (sorted[0] - sorted[from]) / size : -1;
            }
            case Kind::distance:
            case Kind::ordered: {
                double above = 0, sum = 0, apart = 0, steps = -1;
                for (int32_t v = 0; v < m; ++v) {
                    const double more = counts[v] / size - whole[v];
                    above += std::max(0.0, more);
                    if (whole[v] == 0) continue;
                    apart += std::abs(sum += more);
                    ++steps;
                }
                if (d.kind == Kind::distance) return a - above;
                return a - (d.b > 0 ? apart : apart / std::max(1.0, steps));
            }
            case Kind::likeness:
            case Kind::disclosure: {
                double least = endless;
                for (int32_t v = 0; v < m; ++v) {
                    if (whole[v] == 0) continue;
                    const double times = counts[v] / size / whole[v];
                    const double most = d.b > 0 ? std::min(1 + a, 1 - std::log(whole[v])) : 1 + a;
                    least =
                        std::min(least, d.kind == Kind::likeness ? 1 - times / most : a - std::abs(std::log(times)));
                }
                return least;
            }
        }
        return -1;
    }
};

}  // namespace paravent

// What the classes of a search must satisfy beside their size: demands on the counts of sensitive values.
//
// A search asks these for every move, so they are decided in floating point, a little on the safe side. The models
// themselves have the last word on its result.
#pragma once

#include "mondrian.hpp"

namespace paravent {

// distinct: `a` values at least. entropy: exp(entropy) of at least `a`. recursive: with counts r1 >= r2 >= ...,
// r1 < b * (r_a + r_(a + 1) + ...). share: none above `a`. distance: half the sum of |share - whole share| at most `a`.
struct Demand {
    enum class Kind : int32_t { distinct = 0, entropy = 1, recursive = 2, share = 3, distance = 4 };
    Kind kind = Kind::distinct;
    int32_t column = 0;
    double a = 0, b = 0;
    std::vector<double> whole;  // the shares in the table
    PARAVENT_FIELDS(kind, column, a, b, whole)
};

class Demands {
    static constexpr double safe = 1e-9;
    std::vector<int64_t> offset_{0};
    std::vector<double> xlogx_{0, 0};

 public:
    std::vector<Sensitive> columns;
    std::vector<Demand> list;
    PARAVENT_FIELDS(columns, list)

    void ready(int64_t rows) {
        for (const Sensitive& column : columns) offset_.push_back(offset_.back() + column.size);
        for (const Demand& d : list)
            if (d.kind == Demand::Kind::entropy)
                for (int64_t n = 2; n <= rows && count_of(xlogx_) <= rows; ++n)
                    xlogx_.push_back(static_cast<double>(n) * std::log(static_cast<double>(n)));
    }
    int64_t width() const { return offset_.back(); }
    void count(std::vector<int32_t>& counts, int64_t row, int32_t by) const {
        for (size_t c = 0; c < columns.size(); ++c) counts[offset_[c] + columns[c].codes[row]] += by;
    }
    void count(int32_t* counts, int64_t row) const {
        for (size_t c = 0; c < columns.size(); ++c) ++counts[offset_[c] + columns[c].codes[row]];
    }

    bool hold(const int32_t* counts, int64_t size) const {
        return std::all_of(list.begin(), list.end(), [&](const Demand& d) {
            return holds(d, counts + offset_[d.column], columns[d.column].size, static_cast<double>(size));
        });
    }

 private:
    bool holds(const Demand& d, const int32_t* counts, int32_t m, double size) const {
        switch (d.kind) {
            case Demand::Kind::distinct: return m - std::count(counts, counts + m, 0) >= d.a;
            case Demand::Kind::share: return *std::max_element(counts, counts + m) <= (d.a - safe) * size;
            case Demand::Kind::entropy: {
                double sum = 0;
                for (int32_t v = 0; v < m; ++v) sum += xlogx_[counts[v]];
                return std::log(size) - sum / size >= std::log(d.a) + safe;
            }
            case Demand::Kind::distance: {
                double above = 0;
                for (int32_t v = 0; v < m; ++v) above += std::max(0.0, counts[v] / size - d.whole[v]);
                return above <= d.a - safe;
            }
            case Demand::Kind::recursive: {
                std::vector<int32_t> sorted(counts, counts + m);
                std::sort(sorted.begin(), sorted.end(), [](int32_t x, int32_t y) { return x > y; });
                double tail = 0;
                for (size_t i = static_cast<size_t>(d.a) - 1; i < sorted.size(); ++i) tail += sorted[i];
                return sorted[0] < d.b * tail - safe;
            }
        }
        return false;
    }
};

}  // namespace paravent

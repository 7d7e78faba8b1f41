// Rows in their order, cut into groups of k to 2k - 1 with the least squared error; see kernels/micro.py.
#pragma once

#include "core.hpp"

namespace paravent {

// The group of each row, and the squared error less the squares of the rows themselves: - sum of |sum|^2 / size.
struct RowCuts {
    std::vector<int32_t> of_row;
    double error = 0;
    PARAVENT_FIELDS(of_row, error)
};

inline RowCuts cut_rows(const double* points, int64_t rows, int64_t d, int64_t k) {
    std::vector<double> sums((rows + 1) * d, 0.0), error(rows + 1, std::numeric_limits<double>::infinity());
    std::vector<int64_t> before(rows + 1, 0);
    for (int64_t i = 0; i < rows * d; ++i) sums[i + d] = sums[i] + points[i];
    error[0] = 0;
    for (int64_t end = k; end <= rows; ++end)
        for (int64_t begin = std::max<int64_t>(0, end - 2 * k + 1); begin <= end - k; ++begin) {
            double squares = 0;
            for (int64_t j = 0; j < d; ++j) {
                const double part = sums[end * d + j] - sums[begin * d + j];
                squares += part * part;
            }
            const double found = error[begin] - squares / static_cast<double>(end - begin);
            if (found < error[end]) error[end] = found, before[end] = begin;
        }
    RowCuts out{std::vector<int32_t>(rows), error[rows]};
    int32_t groups = 0;
    for (int64_t end = rows; end > 0; end = before[end], ++groups)
        std::fill(out.of_row.begin() + before[end], out.of_row.begin() + end, groups);
    for (int32_t& group : out.of_row) group = groups - 1 - group;
    return out;
}

}  // namespace paravent

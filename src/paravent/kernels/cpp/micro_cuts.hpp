// Rows in their order, cut into groups of k to 2k - 1 with the least squared error; see kernels/micro.py.
#pragma once

#include "core.hpp"

namespace paravent {

inline std::vector<int32_t> cut_rows(const double* points, int64_t rows, int64_t d, int64_t k) {
    std::vector<int32_t> of_row(rows);
    std::vector<double> sums((rows + 1) * d, 0.0), cost(rows + 1, std::numeric_limits<double>::infinity());
    std::vector<int64_t> before(rows + 1, 0), ends;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < d; ++j) sums[(i + 1) * d + j] = sums[i * d + j] + points[i * d + j];
    cost[0] = 0;
    for (int64_t end = k; end <= rows; ++end)
        for (int64_t begin = std::max<int64_t>(0, end - 2 * k + 1); begin <= end - k; ++begin) {
            double squares = 0;
            for (int64_t j = 0; j < d; ++j) {
                const double part = sums[end * d + j] - sums[begin * d + j];
                squares += part * part;
            }
            const double found = cost[begin] - squares / static_cast<double>(end - begin);
            if (found < cost[end]) cost[end] = found, before[end] = begin;
        }
    for (int64_t end = rows; end > 0; end = before[end]) ends.push_back(end);
    int64_t begin = 0;
    for (size_t g = 0; g < ends.size(); ++g) {
        const int64_t end = ends[ends.size() - 1 - g];
        std::fill(of_row.begin() + begin, of_row.begin() + end, static_cast<int32_t>(g));
        begin = end;
    }
    return of_row;
}

}  // namespace paravent

// Microaggregation: groups of at least k rows that lie close together, by maximum distance to the average (MDAV).
//
// The distance of two rows is the sum over columns, in their order, of one square each: of the difference of two places
// (line, order), or `weight` where two codes differ (names), or `table[code, code]` (a distance between names). The
// average of rows has the mean of a line, the lower median of an order, the most frequent of names (the lowest code of
// equals). Places on a line are whole multiples of 2^-30, so that their sums are exact in whatever order.
// Ties: the lowest row.
#pragma once

#include "core.hpp"

namespace paravent {

enum class Measure : int { line = 0, order = 1, name = 2, table = 3 };

struct MicroColumn {
    Measure measure = Measure::line;
    const double* values = nullptr;  // one a row: a place, or a code as a number
    double weight = 1;               // names: the square of two codes that differ
    const double* table = nullptr;   // table: size x size squares
    int32_t size = 0;                // codes of orders, names and tables lie below this
    std::vector<double> places;      // order: the place of each code
    const int32_t* codes = nullptr;  // order, name, table: one a row
    PARAVENT_FIELDS(measure, values, weight, table, size, places, codes)
};

struct MicroProblem {
    int64_t rows = 0;
    int64_t k = 1;
    std::vector<MicroColumn> columns;
    double gain = -1;  // variable sizes (V-MDAV): a group takes a row that is nearer than gain x its next neighbour;
                       // negative: fixed sizes
    bool portable = false;  // by the copy that runs on any processor
    Watch watch;
    PARAVENT_FIELDS(rows, k, columns, gain, portable, watch)
};

// The group of each row, numbered as they are made.
namespace v2 { std::vector<int32_t> mdav(const MicroProblem& problem); }
#if defined(PARAVENT_HAS_V3)
namespace v3 { std::vector<int32_t> mdav(const MicroProblem& problem); }
inline bool has_v3() { return __builtin_cpu_supports("avx2"); }
#else
namespace v3 = v2;
inline bool has_v3() { return false; }
#endif

}  // namespace paravent

// Judges of groups: what a caller says about the sensitive values that rows would have in common.
#pragma once

#include "core.hpp"

namespace paravent {

struct Sensitive {
    const int32_t* codes = nullptr;
    int32_t size = 0;
    PARAVENT_FIELDS(codes, size)
};

// Sparse histograms of many groups: the pairs of group g are value/count[start[g] … start[g + 1]).
struct Histograms {
    std::vector<int64_t> start{0};
    std::vector<int32_t> value;
    std::vector<int64_t> count;
    PARAVENT_FIELDS(start, value, count)

    // One more group: some rows of a column.
    void add(const Sensitive& column, const std::vector<int32_t>& rows) {
        times_.resize(column.size, 0);
        const auto begun = static_cast<int64_t>(value.size());
        for (int32_t row : rows)
            if (times_[column.codes[row]]++ == 0) value.push_back(column.codes[row]);
        std::sort(value.begin() + begun, value.end());
        for (size_t i = begun; i < value.size(); ++i) count.push_back(std::exchange(times_[value[i]], 0));
        start.push_back(count_of(value));
    }

 private:
    std::vector<int64_t> times_;
};

// Sizes and one Histograms a sensitive column in, one truth value a group out.
using Guard = std::function<std::vector<uint8_t>(const std::vector<int64_t>&, const std::vector<Histograms>&)>;

}  // namespace paravent

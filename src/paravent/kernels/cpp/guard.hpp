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
        scratch_.clear();
        if (rows.size() > static_cast<size_t>(column.size)) {
            scratch_.resize(column.size, 0);
            for (int32_t row : rows) ++scratch_[column.codes[row]];
            for (int32_t v = 0; v < column.size; ++v)
                if (scratch_[v]) add(v, scratch_[v]);
        } else {
            for (int32_t row : rows) scratch_.push_back(column.codes[row]);
            std::sort(scratch_.begin(), scratch_.end());
            for (size_t i = 0, end = 0; i < scratch_.size(); i = end) {
                while (end < scratch_.size() && scratch_[end] == scratch_[i]) ++end;
                add(scratch_[i], static_cast<int64_t>(end - i));
            }
        }
        start.push_back(count_of(value));
    }

 private:
    std::vector<int32_t> scratch_;

    void add(int32_t v, int64_t rows) {
        value.push_back(v);
        count.push_back(rows);
    }
};

// Sizes and one Histograms a sensitive column in, one truth value a group out.
using Guard = std::function<std::vector<uint8_t>(const std::vector<int64_t>&, const std::vector<Histograms>&)>;

}  // namespace paravent

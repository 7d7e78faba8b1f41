// How often codes occur, alone or in pairs, whatever type they come in.
#pragma once

#include "core.hpp"

namespace paravent {

// Codes of a column as it comes.
using Codes = std::variant<const uint8_t*, const uint16_t*, const uint32_t*>;

// counts[label * ranks + rank] for the pairs of a label and the rank of its row; without `row`, row i has rank i.
inline std::vector<int64_t> count_pairs(const Codes& label_of, int64_t n, const Codes& rank_of, int64_t rows,
                                        const int64_t* row, int64_t labels, int64_t ranks) {
    const auto count = [=](const auto* label, const auto* rank) {
        std::vector<int64_t> counts(labels * ranks, 0);
        for (int64_t i = 0; i < n; ++i) {
            const int64_t at = row == nullptr ? i : row[i];
            if (at < 0 || at >= rows) throw std::invalid_argument("a row is not there");
            const auto l = static_cast<int64_t>(label[i]), r = static_cast<int64_t>(rank[at]);
            if (l >= labels || r >= ranks) throw std::invalid_argument("a code is out of bounds");
            ++counts[l * ranks + r];
        }
        return counts;
    };
    return std::visit(count, label_of, rank_of);
}

inline std::vector<int64_t> count_codes(const Codes& codes, int64_t n, int64_t size) {
    // Two tables: equal codes in a row do not wait for one another.
    std::vector<int64_t> counts(size, 0), others(size, 0);
    const auto count = [&](const auto* code) {
        for (int64_t i = 0; i < n; ++i) {
            if (static_cast<int64_t>(code[i]) >= size) throw std::invalid_argument("a code is out of bounds");
            ++(i & 1 ? others : counts)[code[i]];
        }
    };
    std::visit(count, codes);
    for (int64_t c = 0; c < size; ++c) counts[c] += others[c];
    return counts;
}

}  // namespace paravent

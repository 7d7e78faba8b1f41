// Equal rows folded into one weighted tuple.
#pragma once

#include "core.hpp"

namespace paravent {

// Tuples are numbered in lexicographic order of their codes. representative[t] is the first row that holds tuple t.
struct Folded {
    std::vector<int32_t> tuple_of_row, representative, weight;
};

// Sort rows by a key of `bits` bits, least significant digit first; equal keys keep the order of their rows.
inline void radix_sort(std::vector<uint64_t>& key, std::vector<int32_t>& row, int bits) {
    constexpr int digit = 11;
    std::vector<uint64_t> other_key(key.size());
    std::vector<int32_t> other_row(row.size());
    for (int shift = 0; shift < bits; shift += digit) {
        std::vector<int64_t> at((1 << digit) + 1, 0);
        const uint64_t mask = (uint64_t{1} << digit) - 1;
        for (uint64_t k : key) ++at[((k >> shift) & mask) + 1];
        std::partial_sum(at.begin(), at.end(), at.begin());
        for (size_t i = 0; i < key.size(); ++i) {
            const int64_t to = at[(key[i] >> shift) & mask]++;
            other_key[to] = key[i];
            other_row[to] = row[i];
        }
        key.swap(other_key);
        row.swap(other_row);
    }
}

inline int bits_of(uint64_t largest) {
    int bits = 0;
    while (bits < 64 && largest >> bits) ++bits;
    return bits;
}

// Columns are packed into 64-bit keys; where they do not fit, the tuples of the columns so far take their place.
inline Folded fold_rows(const std::vector<const int32_t*>& columns, const std::vector<int32_t>& sizes, int64_t n) {
    const int d = static_cast<int>(columns.size());
    Folded out;
    out.tuple_of_row.assign(n, 0);
    std::vector<uint64_t> key(n);
    std::vector<int32_t> row(n);
    uint64_t tuples = 1;
    for (int j = 0; j < d;) {
        uint64_t space = std::max<uint64_t>(1, tuples);
        int end = j;
        while (end < d && space <= (UINT64_MAX >> 1) / std::max<uint64_t>(1, sizes[end]))
            space *= std::max(1, sizes[end++]);
        for (int64_t i = 0; i < n; ++i) key[i] = static_cast<uint64_t>(out.tuple_of_row[i]);
        for (int c = j; c < end; ++c) {
            const uint64_t size = std::max(1, sizes[c]);
            const int32_t* column = columns[c];
            for (int64_t i = 0; i < n; ++i) key[i] = key[i] * size + static_cast<uint64_t>(column[i]);
        }
        std::iota(row.begin(), row.end(), 0);
        radix_sort(key, row, bits_of(space - 1));
        tuples = 0;
        for (int64_t i = 0; i < n; ++i) {
            tuples += i == 0 || key[i] != key[i - 1];
            out.tuple_of_row[row[i]] = static_cast<int32_t>(tuples - 1);
        }
        j = end;
    }
    if (n == 0) tuples = 0;
    out.representative.assign(tuples, -1);
    out.weight.assign(tuples, 0);
    for (int64_t i = n - 1; i >= 0; --i) {
        out.representative[out.tuple_of_row[i]] = static_cast<int32_t>(i);
        ++out.weight[out.tuple_of_row[i]];
    }
    return out;
}

}  // namespace paravent

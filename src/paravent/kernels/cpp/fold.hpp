// Equal rows folded into one weighted tuple.
#pragma once

#include <memory>
#include <utility>

#include "team.hpp"

namespace paravent {

// Tuples are numbered in lexicographic order of their codes. representative[t] is the first row that holds tuple t.
struct Folded {
    std::vector<int32_t> tuple_of_row, representative, weight;
    PARAVENT_FIELDS(tuple_of_row, representative, weight)
};

inline int bits_of(uint64_t largest) {
    int bits = 0;
    while (bits < 64 && largest >> bits) ++bits;
    return bits;
}

// Rows with a key of `bits` bits each, and room to sort them: by a digit that parts them among threads, then each part
// by itself, where a cache holds it, least significant digit first. Equal keys keep the order of their rows.
class KeyedRows {
    static constexpr int kFirst = 10, kNext = 8;
    static constexpr int64_t kAlone = 1 << 15;
    const int64_t n_;
    const int threads_;
    std::unique_ptr<uint64_t[]> key_{new uint64_t[n_]}, other_key_{new uint64_t[n_]};
    std::unique_ptr<int32_t[]> row_{new int32_t[n_]}, other_row_{new int32_t[n_]};

    // Sort `count` rows at `from` by their lowest `bits` bits, with the same places of the other arrays as room.
    void sort_part(int64_t from, int64_t count, int bits) {
        uint64_t *key = key_.get() + from, *to_key = other_key_.get() + from;
        int32_t *row = row_.get() + from, *to_row = other_row_.get() + from;
        const uint64_t mask = (1 << kNext) - 1;
        for (int shift = 0; shift < bits; shift += kNext) {
            int64_t at[1 << kNext] = {0};
            for (int64_t i = 0; i < count; ++i) ++at[(key[i] >> shift) & mask];
            if (at[(key[0] >> shift) & mask] == count) continue;
            for (int64_t sum = 0, d = 0; d <= static_cast<int64_t>(mask); ++d) sum += std::exchange(at[d], sum);
            for (int64_t i = 0; i < count; ++i) {
                const int64_t to = at[(key[i] >> shift) & mask]++;
                to_key[to] = key[i];
                to_row[to] = row[i];
            }
            std::swap(key, to_key);
            std::swap(row, to_row);
        }
        if (key == key_.get() + from) return;
        std::copy(key, key + count, to_key);
        std::copy(row, row + count, to_row);
    }

 public:
    KeyedRows(int64_t n, int threads) : n_(n), threads_(n < kAlone ? 1 : threads) {}

    uint64_t& key(int64_t i) { return key_[i]; }
    int32_t row(int64_t i) const { return row_[i]; }
    bool begins(int64_t i) const { return i == 0 || key_[i] != key_[i - 1]; }
    int64_t parts() const { return threads_ == 1 ? 1 : 4 * threads_; }
    int64_t part(int64_t p) const { return n_ * p / parts(); }

    // Call body(part, first row, row after the last) for parts of all rows.
    template <class Body> void each(Body body) {
        in_turn(parts(), threads_, [&](int64_t p, int) { body(p, part(p), part(p + 1)); });
    }

    void sort(int bits) {
        each([&](int64_t, int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) row_[i] = static_cast<int32_t>(i);
        });
        if (threads_ == 1) {
            if (n_ > 0) sort_part(0, n_, bits);
            return;
        }
        const int shift = std::max(0, bits - kFirst);
        const int64_t digits = int64_t{1} << (bits - shift);
        std::vector<std::vector<int64_t>> at(parts(), std::vector<int64_t>(digits, 0));
        each([&](int64_t p, int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) ++at[p][key_[i] >> shift];
        });
        std::vector<int64_t> start(digits + 1, n_);
        for (int64_t sum = 0, d = 0; d < digits; ++d) {
            start[d] = sum;
            for (auto& of_part : at) sum += std::exchange(of_part[d], sum);
        }
        each([&](int64_t p, int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t to = at[p][key_[i] >> shift]++;
                other_key_[to] = key_[i];
                other_row_[to] = row_[i];
            }
        });
        key_.swap(other_key_);
        row_.swap(other_row_);
        in_turn(digits, threads_, [&](int64_t d, int) {
            if (start[d + 1] > start[d]) sort_part(start[d], start[d + 1] - start[d], shift);
        });
    }
};

// Columns are packed into 64-bit keys; where they do not fit, the tuples of the columns so far take their place.
inline Folded fold_rows(const std::vector<const int32_t*>& columns, const std::vector<int32_t>& sizes, int64_t n,
                        int threads) {
    const int d = static_cast<int>(columns.size());
    Folded out;
    out.tuple_of_row.assign(n, 0);
    KeyedRows rows(n, threads);
    uint64_t tuples = 1;
    for (int j = 0; j < d;) {
        uint64_t space = std::max<uint64_t>(1, tuples);
        int end = j;
        while (end < d && space <= (UINT64_MAX >> 1) / std::max<uint64_t>(1, sizes[end]))
            space *= std::max(1, sizes[end++]);
        rows.each([&](int64_t, int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) rows.key(i) = static_cast<uint64_t>(out.tuple_of_row[i]);
            for (int c = j; c < end; ++c) {
                const uint64_t size = std::max(1, sizes[c]);
                const int32_t* column = columns[c];
                for (int64_t i = first; i < last; ++i) rows.key(i) = rows.key(i) * size + column[i];
            }
        });
        rows.sort(bits_of(space - 1));
        std::vector<int64_t> before(rows.parts() + 1, 0);  // tuples that begin before a part
        rows.each([&](int64_t p, int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) before[p + 1] += rows.begins(i);
        });
        for (int64_t p = 0; p < rows.parts(); ++p) before[p + 1] += before[p];
        tuples = before.back();
        if (end == d) {
            out.representative.resize(tuples);
            out.weight.assign(tuples, 0);
        }
        rows.each([&](int64_t p, int64_t first, int64_t last) {
            int64_t t = before[p] - 1;
            for (int64_t i = first; i < last; ++i) {
                if (rows.begins(i)) {
                    ++t;
                    if (end == d) out.representative[t] = rows.row(i);
                }
                out.tuple_of_row[rows.row(i)] = static_cast<int32_t>(t);
            }
        });
        j = end;
    }
    // A tuple may reach over several parts, so weights are counted where it ends.
    int64_t t = 0, begun = 0;
    for (int64_t i = 1; i <= n && d > 0; ++i)
        if (i == n || rows.begins(i)) {
            out.weight[t++] = static_cast<int32_t>(i - begun);
            begun = i;
        }
    return out;
}

}  // namespace paravent

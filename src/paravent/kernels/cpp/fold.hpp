// What is equal is one: equal rows are folded into a weighted tuple, equal code sets of classes into a set.
#pragma once

#include <memory>

#include "team.hpp"

namespace paravent {

// Tuples are numbered in lexicographic order of their codes. representative[t] is the first row that holds tuple t.
struct Folded {
    std::vector<int32_t> tuple_of_row, representative, weight;
    PARAVENT_FIELDS(tuple_of_row, representative, weight)
};

struct __attribute__((packed)) KeyedRow {
    uint64_t key;
    int32_t row;
};

// Deal rows into piles by a digit of `bits` bits of their keys; each pile keeps their order. end[p]: where pile p ends.
inline void deal(const KeyedRow* from, KeyedRow* to, int64_t rows, int shift, int bits, int64_t* end) {
    const int64_t mask = (int64_t{1} << bits) - 1;
    std::fill_n(end, mask + 1, 0);
    for (int64_t i = 0; i < rows; ++i) ++end[from[i].key >> shift & mask];
    for (int64_t sum = 0, p = 0; p <= mask; ++p) sum += std::exchange(end[p], sum);
    for (int64_t i = 0; i < rows; ++i) to[end[from[i].key >> shift & mask]++] = from[i];
}

// Sort rows by keys below `space`: many by the highest bits, then pile by pile, where a cache holds it, by the others,
// the lowest first. Rows of one key keep their order. Returns where they lie.
inline KeyedRow* sort_by_key(KeyedRow* rows, KeyedRow* room, int64_t n, uint64_t space, int threads) {
    constexpr int highest = 10;
    int bits = 0;
    while (bits < 64 && (space - 1) >> bits) ++bits;
    const bool few = n < 1 << 15;
    const int shift = few ? bits : std::max(0, bits - highest), next = few ? 11 : 8, piles = 1 << (bits - shift);
    std::vector<int64_t> ends(piles, n);
    if (!few) deal(rows, room, n, shift, bits - shift, ends.data());
    in_turn(piles, few ? 1 : threads, [&](int64_t pile, int) {
        const int64_t begin = pile ? ends[pile - 1] : 0, count = ends[pile] - begin;
        KeyedRow *from = (few ? rows : room) + begin, *to = (few ? room : rows) + begin;
        int64_t ends_here[1 << 11];
        for (int done = 0; done < shift && count > 1; done += next, std::swap(from, to))
            deal(from, to, count, done, next, ends_here);
        if (few) rows = from;
        else if (from != rows + begin) std::copy(from, from + count, to);
    });
    return rows;
}

// Columns are packed into 64-bit keys; where they do not fit, the tuples of the columns so far take their place.
inline Folded fold_rows(const std::vector<const int32_t*>& columns, const std::vector<int32_t>& sizes, int64_t n,
                        int threads) {
    const size_t d = columns.size();
    Folded out;
    out.tuple_of_row.assign(n, 0);
    const std::unique_ptr<KeyedRow[]> own(new KeyedRow[n]), room(new KeyedRow[n]);
    uint64_t tuples = 1;
    for (size_t j = 0; j < d;) {
        uint64_t space = std::max<uint64_t>(1, tuples);
        size_t end = j;
        while (end < d && space <= (UINT64_MAX >> 1) / std::max(1, sizes[end])) space *= std::max(1, sizes[end++]);
        KeyedRow* rows = own.get();
        std::array<uint64_t, 1024> keys;
        for (int64_t first = 0; first < n; first += count_of(keys)) {
            const int64_t here = std::min(count_of(keys), n - first);
            std::copy_n(&out.tuple_of_row[first], here, keys.begin());
            for (size_t c = j; c < end; ++c)
                for (int64_t i = 0; i < here; ++i) keys[i] = keys[i] * std::max(1, sizes[c]) + columns[c][first + i];
            for (int64_t i = 0; i < here; ++i) rows[first + i] = {keys[i], static_cast<int32_t>(first + i)};
        }
        rows = sort_by_key(rows, room.get(), n, space, threads);
        const auto begins = [&](int64_t i) { return i == 0 || rows[i].key != rows[i - 1].key; };
        tuples = 0;
        for (int64_t i = 0; i < n; ++i) tuples += begins(i);
        out.representative.resize(tuples);
        out.weight.assign(tuples, 0);
        for (int64_t i = 0, t = -1; i < n; ++i) {
            if (begins(i)) out.representative[++t] = rows[i].row;
            ++out.weight[t];
            out.tuple_of_row[rows[i].row] = static_cast<int32_t>(t);
        }
        j = end;
    }
    return out;
}

// Set s is rows[start[s] … start[s + 1]), ascending; of_class[c] is the set of class c. Sets are numbered by first
// appearance.
struct Sets : Groups {
    std::vector<int32_t> of_class;
    PARAVENT_FIELDS(of_class, rows, start)
};

inline Sets class_sets(const int32_t* order, const int64_t* class_starts, int64_t classes, const int32_t* codes) {
    Sets out;
    std::unordered_map<std::string, int32_t> known;
    for (int64_t c = 0; c < classes; ++c) {
        for (int64_t i = class_starts[c]; i < class_starts[c + 1]; ++i) out.rows.push_back(codes[order[i]]);
        const auto begin = out.rows.begin() + out.start.back();
        std::sort(begin, out.rows.end());
        out.rows.erase(std::unique(begin, out.rows.end()), out.rows.end());
        std::string key(reinterpret_cast<const char*>(out.rows.data() + out.start.back()),
                        (out.rows.end() - begin) * sizeof(int32_t));
        const auto [at, is_new] = known.emplace(std::move(key), static_cast<int32_t>(known.size()));
        is_new ? out.end() : out.rows.resize(out.start.back());
        out.of_class.push_back(at->second);
    }
    return out;
}

}  // namespace paravent

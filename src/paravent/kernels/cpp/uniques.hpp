// Minimal sample uniques (SUDA2; Manning, Haglin and Keane 2008).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace paravent {

// Tuple tuple[i] is alone with its values in the columns of the bit set columns[i], and in no proper subset of them.
struct Uniques {
    std::vector<int32_t> tuple;
    std::vector<uint64_t> columns;
};

// Sets of columns are visited so that each comes after all its subsets: a set grows by columns below its lowest one.
// A node of the search holds the tuples that are not alone yet, grouped; whoever is alone in a set is alone in all its
// supersets and troubles nobody there, so groups only shrink.
class UniqueSearch {
   public:
    UniqueSearch(std::vector<const int32_t*> codes, std::vector<int32_t> sizes, const int32_t* weight, int64_t tuples,
                 int max_size)
        : codes_(std::move(codes)), weight_(weight), max_size_(max_size), found_(tuples), levels_(max_size + 1) {
        int32_t widest = 1;
        for (int32_t size : sizes) widest = std::max(widest, size);
        count_.assign(widest, 0);
        Level& root = levels_[0];
        if (tuples > 1) {
            root.order.resize(tuples);
            for (int64_t t = 0; t < tuples; ++t) root.order[t] = static_cast<int32_t>(t);
            root.starts = {0, static_cast<int32_t>(tuples)};
        } else if (tuples == 1 && weight_[0] == 1) {  // one row in all: every column singles it out
            for (size_t c = 0; c < codes_.size(); ++c) found_[0].push_back(uint64_t{1} << c);
        }
    }

    Uniques run() {
        if (!levels_[0].order.empty()) grow(0, 0, static_cast<int>(codes_.size()));
        Uniques out;
        for (size_t t = 0; t < found_.size(); ++t) {
            std::sort(found_[t].begin(), found_[t].end());
            for (uint64_t set : found_[t]) {
                out.tuple.push_back(static_cast<int32_t>(t));
                out.columns.push_back(set);
            }
        }
        return out;
    }

   private:
    struct Level {
        std::vector<int32_t> order, starts;
    };

    void grow(int depth, uint64_t set, int lowest) {
        if (depth == max_size_) return;
        for (int column = 0; column < lowest; ++column) {
            const uint64_t grown = set | uint64_t{1} << column;
            split(levels_[depth], levels_[depth + 1], codes_[column], grown);
            if (!levels_[depth + 1].order.empty()) grow(depth + 1, grown, column);
        }
    }

    void split(const Level& from, Level& to, const int32_t* code, uint64_t set) {
        to.order.clear();
        to.starts.assign(1, 0);
        for (size_t g = 0; g + 1 < from.starts.size(); ++g) {
            const int32_t *begin = &from.order[from.starts[g]], *end = begin + (from.starts[g + 1] - from.starts[g]);
            touched_.clear();
            for (const int32_t* t = begin; t != end; ++t)
                if (count_[code[*t]]++ == 0) touched_.push_back(code[*t]);
            // Room for the groups of two and more, in the order in which their codes appear.
            int32_t at = to.starts.back();
            for (int32_t c : touched_) {
                const int32_t members = count_[c];
                count_[c] = members == 1 ? -1 : at;
                if (members > 1) to.starts.push_back(at += members);
            }
            to.order.resize(at);
            for (const int32_t* t = begin; t != end; ++t) {
                int32_t& place = count_[code[*t]];
                if (place < 0) {
                    alone(*t, set);
                } else {
                    to.order[place++] = *t;
                }
            }
            for (int32_t c : touched_) count_[c] = 0;
        }
    }

    void alone(int32_t tuple, uint64_t set) {
        if (weight_[tuple] != 1) return;  // its doubles go with it wherever it goes
        for (uint64_t smaller : found_[tuple])
            if ((smaller & set) == smaller) return;
        found_[tuple].push_back(set);
    }

    std::vector<const int32_t*> codes_;
    const int32_t* weight_;
    int max_size_;
    std::vector<std::vector<uint64_t>> found_;
    std::vector<Level> levels_;
    std::vector<int32_t> count_, touched_;
};

inline Uniques minimal_uniques(std::vector<const int32_t*> codes, std::vector<int32_t> sizes, const int32_t* weight,
                               int64_t tuples, int max_size) {
    return UniqueSearch(std::move(codes), std::move(sizes), weight, tuples, max_size).run();
}

}  // namespace paravent

// All sets of columns up to a size: how far each tells tuples apart, and who is alone in which (SUDA2; Manning, Haglin
// and Keane 2008).
#pragma once

#include "core.hpp"

namespace paravent {

// Different tuples, their codes column by column, each standing for `weight` rows; sets of at most so many columns.
struct ColumnSets {
    std::vector<const int32_t*> codes;
    std::vector<int32_t> sizes;
    const int32_t* weight = nullptr;
    int64_t tuples = 0;
    int max_size = 1;
};

// Sets of columns are visited so that each comes after all its subsets: a set grows by columns below its lowest one.
// A node of the search holds the tuples that are not alone yet, grouped; whoever is alone in a set is alone in all its
// supersets and troubles nobody there, so groups only shrink. Sets below a node where everybody is alone are skipped.
template <class Visitor> class SubsetSearch {
 public:
    struct Level {
        std::vector<int32_t> order, starts;  // group g holds order[starts[g] … starts[g + 1])
    };

    SubsetSearch(const ColumnSets& problem, Visitor& visitor)
        : p_(problem), levels_(problem.max_size + 1), visitor_(visitor) {
        count_.assign(*std::max_element(p_.sizes.begin(), p_.sizes.end()) + 1, 0);
        levels_[0].starts = {0};
        if (p_.tuples > 0) levels_[0].starts.push_back(static_cast<int32_t>(p_.tuples));
        levels_[0].order.resize(p_.tuples);
        std::iota(levels_[0].order.begin(), levels_[0].order.end(), 0);
    }

    void run() { grow(0, 0, static_cast<int>(p_.codes.size())); }

 private:
    void grow(int depth, uint64_t set, int lowest) {
        if (depth == p_.max_size) return;
        for (int column = 0; column < lowest; ++column) {
            const uint64_t grown = set | uint64_t{1} << column;
            visitor_.enter(depth);
            split(levels_[depth], levels_[depth + 1], p_.codes[column], grown);
            visitor_.leave(grown, levels_[depth + 1]);
            if (!levels_[depth + 1].order.empty()) grow(depth + 1, grown, column);
        }
    }

    void split(const Level& from, Level& to, const int32_t* code, uint64_t set) {
        to.order.clear();
        to.starts.assign(1, 0);
        for (size_t g = 0; g + 1 < from.starts.size(); ++g) {
            const int32_t *begin = from.order.data() + from.starts[g], *end = from.order.data() + from.starts[g + 1];
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
                if (place < 0) visitor_.alone(*t, set);
                else to.order[place++] = *t;
            }
            for (int32_t c : touched_) count_[c] = 0;
        }
    }

    const ColumnSets& p_;
    std::vector<Level> levels_;
    std::vector<int32_t> count_, touched_;
    Visitor& visitor_;
};

// Tuple tuple[i] is alone with its values in the columns of the bit set columns[i], and in no proper subset of them.
struct Uniques {
    std::vector<int32_t> tuple;
    std::vector<uint64_t> columns;
};

class UniqueVisitor {
 public:
    UniqueVisitor(const int32_t* weight, int64_t tuples) : weight_(weight), found_(tuples) {}

    void enter(int) {}
    template <class Level> void leave(uint64_t, const Level&) {}

    void alone(int32_t tuple, uint64_t set) {
        if (weight_[tuple] != 1) return;  // its doubles go with it wherever it goes
        for (uint64_t smaller : found_[tuple])
            if ((smaller & set) == smaller) return;
        found_[tuple].push_back(set);
    }

    Uniques take() {
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
    const int32_t* weight_;
    std::vector<std::vector<uint64_t>> found_;
};

// The set columns[i] has distinct[i] combinations of values, alone[i] of them in one row; pairs[i] pairs of rows are
// equal in it.
struct SubsetCounts {
    std::vector<uint64_t> columns;
    std::vector<int64_t> distinct, alone, pairs;
};

class CountVisitor {
 public:
    CountVisitor(const int32_t* weight, int max_size) : weight_(weight), done_(max_size + 1) {}

    void enter(int depth) {
        depth_ = depth;
        done_[depth + 1] = done_[depth];
    }

    void alone(int32_t tuple, uint64_t) {
        const int64_t rows = weight_[tuple];
        Done& done = done_[depth_ + 1];
        ++done.distinct;
        done.alone += rows == 1;
        done.pairs += rows * (rows - 1) / 2;
    }

    template <class Level> void leave(uint64_t set, const Level& left) {
        const Done& done = done_[depth_ + 1];
        int64_t pairs = done.pairs;
        for (size_t g = 0; g + 1 < left.starts.size(); ++g) {
            int64_t rows = 0;
            for (int32_t i = left.starts[g]; i < left.starts[g + 1]; ++i) rows += weight_[left.order[i]];
            pairs += rows * (rows - 1) / 2;
        }
        out_.columns.push_back(set);
        out_.distinct.push_back(done.distinct + count_of(left.starts) - 1);
        out_.alone.push_back(done.alone);
        out_.pairs.push_back(pairs);
    }

    SubsetCounts take() { return std::move(out_); }

 private:
    struct Done {  // the tuples that are alone already
        int64_t distinct = 0, alone = 0, pairs = 0;
    };
    const int32_t* weight_;
    std::vector<Done> done_;
    int depth_ = 0;
    SubsetCounts out_;
};

inline Uniques minimal_uniques(const ColumnSets& p) {
    UniqueVisitor visitor(p.weight, p.tuples);
    SubsetSearch<UniqueVisitor>(p, visitor).run();
    return visitor.take();
}

inline SubsetCounts count_subsets(const ColumnSets& p) {
    CountVisitor visitor(p.weight, p.max_size);
    SubsetSearch<CountVisitor>(p, visitor).run();
    return visitor.take();
}

}  // namespace paravent

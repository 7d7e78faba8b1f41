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
    PARAVENT_FIELDS(codes, sizes, weight, tuples, max_size)
};

// The tuples that a set of columns does not tell from all others, grouped: group g holds order[starts[g] … starts[g +
// 1]). Of the others: how many there are, how many of one row, how many pairs of equal rows they hold.
struct SubsetGroups {
    std::vector<int32_t> order, starts;
    int64_t apart = 0, single = 0, pairs = 0;
};

// Sets of columns are visited so that each comes after all its subsets: a set grows by columns below its lowest one.
// A node of the search holds the tuples that are not alone yet; whoever is alone in a set is alone in all its supersets
// and troubles nobody there, so groups only shrink. Sets below a node where everybody is alone are skipped.
// alone(tuple, set) is called for whoever is alone in a set and not in the one that it grew from, then visit(set,
// groups).
template <class Alone, class Visit> class SubsetSearch {
    const ColumnSets& p_;
    Alone alone_;
    Visit visit_;
    std::vector<SubsetGroups> levels_;
    std::vector<int32_t> count_, touched_;

    void grow(int depth, uint64_t set, int lowest) {
        if (depth == p_.max_size) return;
        for (int column = 0; column < lowest; ++column) {
            const uint64_t grown = set | uint64_t{1} << column;
            split(levels_[depth], levels_[depth + 1], p_.codes[column], grown);
            visit_(grown, levels_[depth + 1]);
            if (!levels_[depth + 1].order.empty()) grow(depth + 1, grown, column);
        }
    }

    void split(const SubsetGroups& from, SubsetGroups& to, const int32_t* code, uint64_t set) {
        to.order.clear();
        to.starts.assign(1, 0);
        std::tie(to.apart, to.single, to.pairs) = std::tie(from.apart, from.single, from.pairs);
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
                if (place >= 0) {
                    to.order[place++] = *t;
                    continue;
                }
                const int64_t rows = p_.weight[*t];
                ++to.apart;
                to.single += rows == 1;
                to.pairs += rows * (rows - 1) / 2;
                alone_(*t, set);
            }
            for (int32_t c : touched_) count_[c] = 0;
        }
    }

 public:
    SubsetSearch(const ColumnSets& problem, Alone alone, Visit visit)
        : p_(problem), alone_(alone), visit_(visit), levels_(problem.max_size + 1) {
        count_.assign(*std::max_element(p_.sizes.begin(), p_.sizes.end()) + 1, 0);
        levels_[0].starts = {0};
        if (p_.tuples > 0) levels_[0].starts.push_back(static_cast<int32_t>(p_.tuples));
        levels_[0].order = numbers_below(p_.tuples);
    }

    void run() { grow(0, 0, static_cast<int>(p_.codes.size())); }
};

// Tuple tuple[i] is alone with its values in the columns of the bit set columns[i], and in no proper subset of them.
struct Uniques {
    std::vector<int32_t> tuple;
    std::vector<uint64_t> columns;
    PARAVENT_FIELDS(tuple, columns)
};

inline Uniques minimal_uniques(const ColumnSets& p) {
    std::vector<std::vector<uint64_t>> found(p.tuples);
    const auto alone = [&](int32_t tuple, uint64_t set) {
        if (p.weight[tuple] != 1) return;  // its doubles go with it wherever it goes
        for (uint64_t smaller : found[tuple])
            if ((smaller & set) == smaller) return;
        found[tuple].push_back(set);
    };
    SubsetSearch(p, alone, [](uint64_t, const SubsetGroups&) {}).run();
    Uniques out;
    for (size_t t = 0; t < found.size(); ++t) {
        std::sort(found[t].begin(), found[t].end());
        out.tuple.insert(out.tuple.end(), found[t].size(), static_cast<int32_t>(t));
        out.columns.insert(out.columns.end(), found[t].begin(), found[t].end());
    }
    return out;
}

// The set columns[i] has distinct[i] combinations of values, alone[i] of them in one row; pairs[i] pairs of rows are
// equal in it.
struct SubsetCounts {
    std::vector<uint64_t> columns;
    std::vector<int64_t> distinct, alone, pairs;
    PARAVENT_FIELDS(columns, distinct, alone, pairs)
};

inline SubsetCounts count_subsets(const ColumnSets& p) {
    SubsetCounts out;
    const auto visit = [&](uint64_t set, const SubsetGroups& left) {
        int64_t pairs = left.pairs;
        for (size_t g = 0; g + 1 < left.starts.size(); ++g) {
            int64_t rows = 0;
            for (int32_t i = left.starts[g]; i < left.starts[g + 1]; ++i) rows += p.weight[left.order[i]];
            pairs += rows * (rows - 1) / 2;
        }
        out.columns.push_back(set);
        out.distinct.push_back(left.apart + count_of(left.starts) - 1);
        out.alone.push_back(left.single);
        out.pairs.push_back(pairs);
    };
    SubsetSearch(p, [](int32_t, uint64_t) {}, visit).run();
    return out;
}

}  // namespace paravent

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
    bool uniques = false;  // who is alone where is asked for, not how many
    PARAVENT_FIELDS(codes, sizes, weight, tuples, max_size, uniques)
};

// Tuple tuple[i] is alone with its values in the columns of the bit set unique[i], and in no proper subset of them. Or:
// the set columns[i] has `fewer` combinations of values than there are tuples, `met` of those of one row are not alone
// in it, and so many pairs of rows of different tuples are equal.
struct Subsets {
    std::vector<int32_t> tuple;
    std::vector<uint64_t> unique, columns;
    std::vector<int64_t> fewer, met, pairs;
    PARAVENT_FIELDS(tuple, unique, columns, fewer, met, pairs)
};

// Sets of columns are visited so that each comes after all its subsets: a set grows by columns below its lowest one.
// A node of the search holds the tuples that are not alone yet; whoever is alone in a set is alone in all its supersets
// and troubles nobody there, so groups only shrink. Sets below a node where everybody is alone are skipped.
class SubsetSearch {
    // The tuples that a set does not tell from all others, grouped: group g holds order[starts[g] … starts[g + 1]).
    struct Node {
        std::vector<int32_t> order, starts;
    };
    const ColumnSets& p_;
    std::vector<Node> levels_ = std::vector<Node>(p_.max_size + 1);
    std::vector<int32_t> count_ = std::vector<int32_t>(*std::max_element(p_.sizes.begin(), p_.sizes.end()) + 1);
    std::vector<int32_t> touched_;
    std::vector<std::vector<uint64_t>> unique_ = std::vector<std::vector<uint64_t>>(p_.uniques ? p_.tuples : 0);
    Subsets out_;

    void grow(int depth, uint64_t set, int lowest) {
        if (depth == p_.max_size) return;
        for (int column = 0; column < lowest; ++column) {
            const uint64_t grown = set | uint64_t{1} << column;
            split(levels_[depth], levels_[depth + 1], p_.codes[column], grown);
            if (!p_.uniques) count(levels_[depth + 1], grown);
            if (!levels_[depth + 1].order.empty()) grow(depth + 1, grown, column);
        }
    }

    void split(const Node& from, Node& to, const int32_t* code, uint64_t set) {
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
                if (place >= 0) to.order[place++] = *t;
                else if (p_.uniques && p_.weight[*t] == 1) alone(*t, set);  // doubles go together wherever they go
            }
            for (int32_t c : touched_) count_[c] = 0;
        }
    }

    // A tuple is alone in a set and not in the one that it grew from.
    void alone(int32_t tuple, uint64_t set) {
        for (uint64_t smaller : unique_[tuple])
            if ((smaller & set) == smaller) return;
        unique_[tuple].push_back(set);
    }

    void count(const Node& node, uint64_t set) {
        int64_t met = 0, pairs = 0;
        for (size_t g = 0; g + 1 < node.starts.size(); ++g) {
            int64_t rows = 0;
            for (int32_t i = node.starts[g]; i < node.starts[g + 1]; ++i) {
                const int64_t more = p_.weight[node.order[i]];
                met += more == 1;
                pairs += rows * more;
                rows += more;
            }
        }
        out_.columns.push_back(set);
        out_.fewer.push_back(count_of(node.order) - count_of(node.starts) + 1);
        out_.met.push_back(met);
        out_.pairs.push_back(pairs);
    }

 public:
    explicit SubsetSearch(const ColumnSets& problem) : p_(problem) {}

    Subsets run() {
        levels_[0].starts = {0, static_cast<int32_t>(p_.tuples)};
        levels_[0].order = numbers_below(p_.tuples);
        grow(0, 0, static_cast<int>(p_.codes.size()));
        for (size_t t = 0; t < unique_.size(); ++t) {
            std::sort(unique_[t].begin(), unique_[t].end());
            out_.tuple.insert(out_.tuple.end(), unique_[t].size(), static_cast<int32_t>(t));
            out_.unique.insert(out_.unique.end(), unique_[t].begin(), unique_[t].end());
        }
        return std::move(out_);
    }
};

}  // namespace paravent

// Labels of tuples at nodes of the lattice, told apart by 64-bit sums: all but certain.
#pragma once

#include "annealing.hpp"
#include "keys.hpp"
#include "lattice.hpp"

namespace paravent {

// A number for every cell on every level: the cells of a label add up to its key.
class CellNumbers {
    const LatticeTuples& p_;
    std::vector<std::vector<std::vector<uint64_t>>> part_;  // [column][level][leaf]

 public:
    explicit CellNumbers(const LatticeTuples& tuples) : p_(tuples), part_(tuples.columns.size()) {
        for (size_t j = 0; j < part_.size(); ++j)
            for (const std::vector<int32_t>& codes : p_.columns[j].codes) {
                const uint64_t level = part_[j].size();
                std::vector<uint64_t>& part = part_[j].emplace_back();
                for (int32_t code : codes)
                    part.push_back(mixed((j << 40) + (level << 32) + static_cast<uint64_t>(code)));
            }
    }
    // The keys of all tuples on the columns from `begin` to `end`; levels[0] is that of column `begin`.
    void add_up(const int32_t* levels, size_t begin, size_t end, std::vector<uint64_t>& keys) const {
        keys.assign(p_.tuples, 0);
        for (size_t j = begin; j < end; ++j) {
            const Ladder& column = p_.columns[j];
            if (column.sizes[levels[j - begin]] == 1) continue;
            const std::vector<uint64_t>& part = part_[j][levels[j - begin]];
            for (int64_t t = 0; t < p_.tuples; ++t) keys[t] += part[column.leaf[t]];
        }
    }
};

}  // namespace paravent

// Labels of tuples at nodes of the lattice, told apart by 64-bit sums: all but certain.
#pragma once

#include "annealing.hpp"
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

// Keys numbered from 0, by first appearance.
class KeyNumbers {
    struct Slot {
        uint64_t key = 0;
        int32_t number = -1;
        uint32_t round = 0;
    };
    std::vector<Slot> slots_;
    uint32_t round_ = 0;
    int32_t count_ = 0;

    Slot& slot(uint64_t key) {
        const size_t mask = slots_.size() - 1;
        size_t at = (key * 0x9E3779B97F4A7C15ull >> 20) & mask;
        while (slots_[at].round == round_ && slots_[at].key != key) at = (at + 1) & mask;
        return slots_[at];
    }

 public:
    // Begin anew, with room for so many keys.
    void clear(int64_t keys) {
        size_t slots = 64;
        while (slots < static_cast<size_t>(keys) * 3 / 2) slots *= 2;
        if (slots_.size() < slots) slots_.assign(slots, {});
        ++round_;
        count_ = 0;
    }
    int32_t size() const { return count_; }
    int32_t number(uint64_t key) {
        Slot& mine = slot(key);
        if (mine.round != round_) mine = {key, count_++, round_};
        return mine.number;
    }
    // The number of a key, -1: it has none.
    int32_t find(uint64_t key) {
        const Slot& mine = slot(key);
        return mine.round == round_ ? mine.number : -1;
    }
};

}  // namespace paravent

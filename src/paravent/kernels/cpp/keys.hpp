// Keys numbered in the order in which they come.
#pragma once

#include "core.hpp"

namespace paravent {

inline uint64_t hash_of(uint64_t key) { return key * 0x9E3779B97F4A7C15ull; }

// A key has an equality and a hash_of, whose high bits matter.
template <class Key> class Numbers {
    struct Slot {
        Key key{};
        int32_t number = -1;
        uint32_t round = 0;
    };
    std::vector<Slot> slots_;
    uint32_t round_ = 1;
    int32_t count_ = 0;

    Slot& slot(const Key& key) {
        const size_t mask = slots_.size() - 1;
        size_t at = (hash_of(key) >> 20) & mask;
        while (slots_[at].round == round_ && !(slots_[at].key == key)) at = (at + 1) & mask;
        return slots_[at];
    }
    __attribute__((noinline)) void grow() {
        std::vector<Slot> old(slots_.empty() ? size_t{1} << 10 : slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& known : old)
            if (known.round == round_) slot(known.key) = known;
    }

 public:
    // Begin anew, with room for so many keys at least.
    void clear(int64_t keys) {
        size_t slots = 64;
        while (slots < static_cast<size_t>(keys) * 3 / 2) slots *= 2;
        if (slots_.size() < slots) slots_.assign(slots, {});
        ++round_;
        count_ = 0;
    }
    int32_t size() const { return count_; }
    int32_t number(const Key& key) {
        Slot& mine = slot(key);
        if (mine.round != round_) mine = {key, count_++, round_};
        return mine.number;
    }
    // The same where nobody knows how many will come.
    int32_t number_or_grow(const Key& key) {
        if (static_cast<size_t>(count_) * 2 >= slots_.size()) grow();
        return number(key);
    }
};

}  // namespace paravent

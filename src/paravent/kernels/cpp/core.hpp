// What all kernels share: the standard library's parts, callbacks, random numbers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <queue>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

// For small templates in hot loops, which the compiler would rather call.
#define PARAVENT_INLINE inline __attribute__((always_inline))

// The fields that a struct shares with Python, by their names there (bind.hpp).
#define PARAVENT_FIELDS(...)                        \
    auto fields() { return std::tie(__VA_ARGS__); } \
    static constexpr const char* names = #__VA_ARGS__;

namespace paravent {

constexpr int64_t endless = std::numeric_limits<int64_t>::max();

// Called from the calling thread with the share of work done; throws to stop.
using Watch = std::function<void(double)>;
// A question about two numbers; empty: there is none.
using Pairwise = std::function<bool(int32_t, int32_t)>;

// A price and a number: of equals the lowest.
using Offer = std::pair<int64_t, int32_t>;

template <class Container> int64_t count_of(const Container& some) { return static_cast<int64_t>(some.size()); }
inline std::vector<int32_t> numbers_below(int64_t n) {
    std::vector<int32_t> found(n);
    std::iota(found.begin(), found.end(), 0);
    return found;
}
// Groups of rows, one after the other, and where each begins and the last one ends.
struct Groups {
    std::vector<int32_t> rows;
    std::vector<int64_t> start{0};
    PARAVENT_FIELDS(rows, start)

    // The rows since the last group are one.
    void end() { start.push_back(count_of(rows)); }
};
// What a function is of 0, 1, 2, …
template <size_t n, class Function> std::array<double, n> tabulated(Function value) {
    std::array<double, n> table;
    for (size_t i = 0; i < n; ++i) table[i] = value(static_cast<double>(i));
    return table;
}
// One of some goes, and the last one takes its place.
template <class T> void drop(std::vector<T>& some, size_t at) {
    some[at] = std::move(some.back());
    some.pop_back();
}
// The number of one of some things that is not used, or of a new one.
template <class T> int32_t unused_of(std::vector<int32_t>& unused, std::vector<T>& all) {
    if (unused.empty()) {
        unused.push_back(static_cast<int32_t>(all.size()));
        all.emplace_back();
    }
    const int32_t one = unused.back();
    unused.pop_back();
    return one;
}
// The smallest of some things, so many at most.
template <class T> struct Smallest {
    size_t most = 1;
    std::vector<T> heap;  // the largest on top

    bool full() const { return heap.size() == most; }
    void offer(T one) {
        if (!full()) heap.emplace_back();
        else if (one < heap.front()) std::pop_heap(heap.begin(), heap.end());
        else return;
        heap.back() = one;
        std::push_heap(heap.begin(), heap.end());
    }
    const std::vector<T>& sorted() {
        std::sort_heap(heap.begin(), heap.end());
        return heap;
    }
};
inline double ratio(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

inline uint64_t mixed(uint64_t x) {  // splitmix64
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

// xorshift64 (Marsaglia 2003)
class Random {
    uint64_t state_;

 public:
    explicit Random(uint64_t seed) : state_(mixed(seed) | 1) {}
    uint32_t draw() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<uint32_t>(state_ >> 16);
    }
    uint32_t below(uint64_t n) { return static_cast<uint32_t>(draw() * n >> 32); }
};

}  // namespace paravent

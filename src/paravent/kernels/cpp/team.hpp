// Work for a few threads, one of them the caller's. Threads without work end; they never spin.
#pragma once

#include "core.hpp"

namespace paravent {

// body(i, thread) for i from 0 to n - 1, in this order where there is one thread; thread 0 is the caller's, where
// callbacks may be made. What a body throws stops the others and is thrown again here.
template <class Body> void in_turn(int64_t n, int threads, Body body) {
    std::atomic<int64_t> next{0};
    std::mutex lock;
    std::exception_ptr trouble;
    const auto work = [&](int thread) {
        try {
            for (int64_t i = next++; i < n; i = next++) body(i, thread);
        } catch (...) {
            const std::lock_guard<std::mutex> held(lock);
            if (!trouble) trouble = std::current_exception();
            next = n;
        }
    };
    std::vector<std::thread> pool;
    for (int t = 1; t < std::min<int64_t>(threads, n); ++t) pool.emplace_back(work, t);
    work(0);
    for (std::thread& thread : pool) thread.join();
    if (trouble) std::rethrow_exception(trouble);
}

}  // namespace paravent

// Tasks for a few threads, one of them the caller's; each takes the next task when it is done with one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace paravent {

class Team {
    std::atomic<bool> stop_{false};
    std::exception_ptr trouble_;
    std::mutex lock_;

 public:
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }

    // Call body(task, thread) for tasks 0 … n - 1; thread 0 is the caller's, where callbacks may be made. What a body
    // throws stops the others and is thrown again here.
    template <class Body> void run(int64_t n, int threads, Body body) {
        std::atomic<int64_t> next{0};
        const auto work = [&](int thread) {
            try {
                for (int64_t i = next++; i < n && !stopped(); i = next++) body(i, thread);
            } catch (...) {
                const std::lock_guard<std::mutex> held(lock_);
                if (!trouble_) trouble_ = std::current_exception();
                stop_ = true;
            }
        };
        std::vector<std::thread> pool;
        for (int t = 1; t < std::min<int64_t>(threads, n); ++t) pool.emplace_back(work, t);
        work(0);
        for (std::thread& thread : pool) thread.join();
        if (trouble_) std::rethrow_exception(trouble_);
    }
};

}  // namespace paravent

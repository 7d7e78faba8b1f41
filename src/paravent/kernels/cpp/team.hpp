// Tasks for a few threads, one of them the caller's. Threads without work block; they never spin.
#pragma once

#include "core.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace paravent {

// Tasks that may make more tasks; the last one made is the next one done.
template <class Task> class Crew {
    std::mutex lock_;
    std::condition_variable wake_;
    std::vector<Task> tasks_;
    int64_t open_ = 0;
    std::atomic<bool> stop_{false};
    std::exception_ptr trouble_;

    template <class Body> void work(Body& body, int thread) {
        std::unique_lock<std::mutex> held(lock_);
        while (true) {
            wake_.wait(held, [&] { return stop_ || open_ == 0 || !tasks_.empty(); });
            if (stop_ || tasks_.empty()) return;
            const Task task = tasks_.back();
            tasks_.pop_back();
            held.unlock();
            std::exception_ptr trouble;
            try {
                body(task, thread);
            } catch (...) { trouble = std::current_exception(); }
            held.lock();
            if (trouble && !trouble_) trouble_ = trouble;
            if (trouble) stop_ = true;
            if (--open_ == 0 || stop_) wake_.notify_all();
        }
    }

 public:
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    void push(Task task) {
        const std::lock_guard<std::mutex> held(lock_);
        tasks_.push_back(task);
        ++open_;
        wake_.notify_one();
    }
    // Call body(task, thread) until no task is left; thread 0 is the caller's, where callbacks may be made. What a body
    // throws stops the others and is thrown again here.
    template <class Body> void run(int threads, Body body) {
        std::vector<std::thread> pool;
        for (int t = 1; t < threads; ++t) pool.emplace_back([&, t] { work(body, t); });
        work(body, 0);
        for (std::thread& thread : pool) thread.join();
        if (trouble_) std::rethrow_exception(trouble_);
    }
};

// body(i, thread) for i from 0 to n - 1, in this order where there is one thread.
template <class Body> void in_turn(int64_t n, int threads, Body body) {
    Crew<int> crew;
    std::atomic<int64_t> next{0};
    const int used = static_cast<int>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(n, 1)));
    for (int t = 0; t < used; ++t) crew.push(t);
    crew.run(used, [&](int, int thread) {
        for (int64_t i = next++; i < n && !crew.stopped(); i = next++) body(i, thread);
    });
}

}  // namespace paravent

// A queue of tasks for a few threads. Threads without work block; they never spin.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace paravent {

template <class Task> class Queue {
 public:
    void push(Task task) {
        std::lock_guard<std::mutex> lock(mutex_);
        tasks_.push_back(task);
        ++open_;
        wake_.notify_one();
    }

    // The next task; false when all are finished or the run was stopped. Call finish() once a popped task is done.
    bool pop(Task& task) {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return stop_ || open_ == 0 || !tasks_.empty(); });
        if (stop_ || tasks_.empty()) return false;
        task = tasks_.back();
        tasks_.pop_back();
        return true;
    }

    void finish() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (--open_ == 0) wake_.notify_all();
    }

    bool stopped() const { return stop_.load(std::memory_order_relaxed); }

    // Run `body(thread)` on so many threads until the queue is empty. `watch` is called from the calling thread every
    // tenth of a second; what it throws, and what a body throws, ends the run and is thrown again here.
    void run(int threads, const std::function<void(int)>& body, const std::function<void()>& watch) {
        std::exception_ptr trouble;
        std::vector<std::thread> pool;
        int running = threads;
        for (int t = 0; t < threads; ++t)
            pool.emplace_back([&, t] {
                std::exception_ptr mine;
                try {
                    body(t);
                } catch (...) { mine = std::current_exception(); }
                std::lock_guard<std::mutex> lock(mutex_);
                if (mine) {
                    if (!trouble) trouble = mine;
                    stop_ = true;
                    wake_.notify_all();
                }
                --running;
                ended_.notify_all();
            });
        {
            std::unique_lock<std::mutex> lock(mutex_);
            while (!ended_.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
                if (stop_) continue;
                lock.unlock();
                std::exception_ptr mine;
                try {
                    watch();
                } catch (...) { mine = std::current_exception(); }
                lock.lock();
                if (mine) {
                    if (!trouble) trouble = mine;
                    stop_ = true;
                    wake_.notify_all();
                }
            }
        }
        for (auto& thread : pool) thread.join();
        if (trouble) std::rethrow_exception(trouble);
    }

 private:
    std::mutex mutex_;
    std::condition_variable wake_, ended_;
    std::vector<Task> tasks_;
    int64_t open_ = 0;
    std::atomic<bool> stop_{false};
};

}  // namespace paravent

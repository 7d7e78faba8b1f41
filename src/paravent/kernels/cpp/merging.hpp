// Greedy merging: the smallest class joins the class that costs least to join, until all are large enough.
//
// With stubs, a large class gives only the rows that are missing and stays (KACA, Li et al. 2006: stub and trunk).
#pragma once

#include "classes.hpp"

namespace paravent {

struct Merging {
    int64_t classes = 0;
    const int32_t* nodes = nullptr;  // classes x axes
    const int64_t* sizes = nullptr;
    std::vector<Axis> axes;
    int64_t k = 1;
    bool stubs = false;     // a partner that keeps k rows gives only as many as the query needs
    bool in_order = false;  // the class that came first is the next query, not the smallest
    Watch watch;
};

// Merge t joins classes left[t] and right[t] into class (number of classes + t), at cost[t]; smallest[t] is the size of
// the smallest class before it (and, in a last entry, at the end). With stubs, taken[t] > 0 says that so many rows of
// right[t] were joined and the others remain class right[t].
struct Merges {
    std::vector<int32_t> left, right;
    std::vector<int64_t> cost, smallest, taken;

    void add(int32_t a, int32_t b, int64_t price, int64_t rows = 0) {
        left.push_back(a);
        right.push_back(b);
        cost.push_back(price);
        taken.push_back(rows);
    }
};

class Merger {
    const Merging& p_;
    Classes classes_;

    struct Best {
        int64_t cost = std::numeric_limits<int64_t>::max();
        int32_t partner = std::numeric_limits<int32_t>::max();
    };

    Best partner(int32_t query) {
        Best best;
        classes_.visit(query, best.cost, [&best](int32_t c, int64_t cost) {
            if (cost < best.cost || c < best.partner) best = {cost, c};
        });
        return best;
    }

    // How many rows the partner gives while it stays; 0 where it joins as a whole, as it does where it shows what both
    // would show: the two would be one class again.
    int64_t stub_of(int32_t query, int32_t partner) {
        const int64_t rows = classes_.given(classes_.size(query), classes_.size(partner));
        return rows == classes_.size(partner) || classes_.covers(partner, query) ? 0 : rows;
    }

    // Join two classes, or a class and so many rows of another, into a new one.
    int32_t join(int32_t a, int32_t b, int64_t taken) {
        const int32_t c = classes_.born(a, b, classes_.size(a) + (taken ? taken : classes_.size(b)));
        classes_.remove(a);
        if (taken) classes_.resize(b, classes_.size(b) - taken);
        else classes_.remove(b);
        return c;
    }

 public:
    explicit Merger(const Merging& problem) : p_(problem), classes_(problem.axes) {
        if (p_.stubs) classes_.stub_k = p_.k;
        for (int64_t c = 0; c < p_.classes; ++c)
            classes_.insert(classes_.born(p_.nodes + c * count_of(p_.axes), p_.sizes[c]));
    }

    Merges run() {
        Merges out;
        using Entry = std::pair<int64_t, int32_t>;
        std::vector<Entry> start;
        const auto entry = [&](int32_t c) {
            return Entry{p_.in_order && classes_.size(c) < p_.k ? 0 : classes_.size(c), c};
        };
        for (int64_t c = 0; c < p_.classes; ++c) start.push_back(entry(static_cast<int32_t>(c)));
        std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> heap(std::greater<Entry>(),
                                                                                 std::move(start));
        while (true) {
            while (!heap.empty() && (!classes_.alive(heap.top().second) || entry(heap.top().second) != heap.top()))
                heap.pop();
            const auto [size, c] = heap.empty() ? Entry{0, -1} : heap.top();
            out.smallest.push_back(size);
            if (classes_.alive() < 2 || size >= p_.k) return out;
            if (p_.watch && out.left.size() % 1024 == 0) p_.watch(1.0 - ratio(classes_.alive(), p_.classes));
            const Best best = partner(c);
            const int64_t taken = stub_of(c, best.partner);
            int32_t merged = join(c, best.partner, taken);
            out.add(c, best.partner, best.cost, taken);
            if (taken) heap.push(entry(best.partner));
            // A class with the same nodes is the same class (Mauger 2021, §2.3): it joins at no cost.
            for (int32_t same = classes_.same(merged); same >= 0; same = classes_.same(merged)) {
                out.smallest.push_back(0);  // not a table of its own: the classes are the same already
                out.add(same, merged, 0);
                merged = join(same, merged, 0);
            }
            classes_.insert(merged);
            heap.push(entry(merged));
        }
    }
};

}  // namespace paravent

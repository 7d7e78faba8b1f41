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
    bool stubs = false;  // a partner that keeps k rows gives only as many as the query needs
    Watch watch;
    PARAVENT_FIELDS(classes, nodes, sizes, axes, k, stubs, watch)
};

// Merge t joins classes left[t] and right[t] into class (number of classes + t), at cost[t]; smallest[t] is the size of
// the smallest class that fails before it (and, in a last entry, of the smallest of all at the end). With stubs,
// taken[t] > 0 says that so many rows of right[t] were joined and the others remain class right[t].
struct Merges {
    std::vector<int32_t> left, right;
    std::vector<int64_t> cost, smallest, taken;
    PARAVENT_FIELDS(left, right, cost, smallest, taken)

    void add(int32_t a, int32_t b, int64_t price, int64_t rows = 0) {
        left.push_back(a);
        right.push_back(b);
        cost.push_back(price);
        taken.push_back(rows);
    }
};

// What decides (partners, and which classes fail) may be replaced.
class Merger {
    const Merging& p_;

    // How many rows the partner gives while it stays; 0 where it joins as a whole, as it does where it shows what both
    // would show: the two would be one class again.
    int64_t stub_of(int32_t query, int32_t partner) {
        const int64_t rows = classes_.given(classes_.size(query), classes_.size(partner));
        return rows == classes_.size(partner) || classes_.covers(partner, query) ? 0 : rows;
    }

 protected:
    Classes classes_;

    virtual int32_t begun(int64_t c) { return classes_.born(p_.nodes + c * count_of(p_.axes), p_.sizes[c]); }
    virtual void enter(int32_t c) { classes_.insert(c); }
    virtual bool fails(int32_t c) const { return classes_.size(c) < p_.k; }
    virtual Offer partner(int32_t c) { return classes_.cheapest(c); }
    // Join two classes, or a class and so many rows of another, into a new one.
    virtual int32_t join(int32_t a, int32_t b, int64_t taken) {
        const int32_t c = classes_.born(a, b, classes_.size(a) + (taken ? taken : classes_.size(b)));
        classes_.remove(a);
        if (taken) classes_.resize(b, classes_.size(b) - taken);
        else classes_.remove(b);
        return c;
    }

 public:
    explicit Merger(const Merging& problem) : p_(problem), classes_(problem.axes) {
        if (p_.stubs) classes_.stub_k = p_.k;
    }
    virtual ~Merger() = default;

    Merges run() {
        Merges out;
        std::priority_queue<Offer, std::vector<Offer>, std::greater<Offer>> failing;
        const auto add = [&](int32_t c) {
            enter(c);
            if (fails(c)) failing.emplace(classes_.size(c), c);
        };
        for (int64_t c = 0; c < p_.classes; ++c) add(begun(c));
        while (true) {
            while (!failing.empty() && !classes_.alive(failing.top().second)) failing.pop();
            if (classes_.alive() < 2 || failing.empty()) {
                out.smallest.push_back(classes_.smallest());
                return out;
            }
            const int32_t c = failing.top().second;
            out.smallest.push_back(classes_.size(c));
            if (p_.watch && out.left.size() % 128 == 0) p_.watch(1.0 - ratio(classes_.alive(), p_.classes));
            const auto [cost, other] = partner(c);
            const int64_t taken = stub_of(c, other);
            out.add(c, other, cost, taken);
            int32_t merged = join(c, other, taken);
            // A class with the same nodes is the same class (Mauger 2021, §2.3): it joins at no cost.
            for (int32_t same = classes_.same(merged); same >= 0; same = classes_.same(merged)) {
                out.smallest.push_back(0);  // not a table of its own: the classes are the same already
                out.add(same, merged, 0);
                merged = join(same, merged, 0);
            }
            add(merged);
        }
    }
};

}  // namespace paravent

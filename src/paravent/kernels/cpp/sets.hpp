// The distinct code sets of many classes.
#pragma once

#include "core.hpp"

namespace paravent {

// Set s is members[starts[s] … starts[s + 1]), ascending; of_class[c] is the set of class c. Sets are numbered by
// first appearance.
struct Sets {
    std::vector<int32_t> of_class, members;
    std::vector<int64_t> starts{0};
    PARAVENT_FIELDS(of_class, members, starts)
};

inline Sets class_sets(const int32_t* order, const int64_t* class_starts, int64_t classes, const int32_t* codes) {
    Sets out;
    std::unordered_map<std::string, int32_t> known;
    std::vector<int32_t> set;
    out.of_class.resize(classes);
    for (int64_t c = 0; c < classes; ++c) {
        set.clear();
        for (int64_t i = class_starts[c]; i < class_starts[c + 1]; ++i) set.push_back(codes[order[i]]);
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        std::string key(reinterpret_cast<const char*>(set.data()), set.size() * sizeof(int32_t));
        const auto [at, is_new] = known.emplace(std::move(key), static_cast<int32_t>(known.size()));
        if (is_new) {
            out.members.insert(out.members.end(), set.begin(), set.end());
            out.starts.push_back(count_of(out.members));
        }
        out.of_class[c] = at->second;
    }
    return out;
}

}  // namespace paravent

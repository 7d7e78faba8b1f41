// Classes split into parts of at least k rows: minimal groups, best halves, and branch and bound over groups.
//
// The plain version is methods/partition/repartition.py: the same steps in the same order, so the same bytes. Classes
// are independent: threads take them one by one, and the result does not depend on how many.
#pragma once

#include <chrono>

#include "group_search.hpp"
#include "team.hpp"

namespace paravent {

// The parts of each class, and what became of it: 2 where they are proved to be the best, 1 where they are not, 0 where
// there was no time.
struct Splits {
    std::vector<std::vector<Part>> parts;
    std::vector<uint8_t> outcome;
    PARAVENT_FIELDS(parts, outcome)
};

class Splitter {
    const Splitting& p_;
    std::vector<Children> children_{p_.trees.begin(), p_.trees.end()};

    static void add(std::vector<Part>& to, std::vector<Part>&& parts) {
        std::move(parts.begin(), parts.end(), std::back_inserter(to));
    }

    // A class of a moderate number of parts: the halves of its halves, or what the search over groups finds beyond
    // them. One of very many: its halves, or itself.
    Split deep(const Part& part) const {
        SplitClass at(p_, children_, part);
        Split found{{part}, at.whole(), true};
        if (at.total < 2 * p_.k) return found;
        at.list_groups();
        Split halves = at.halves();
        const bool better = halves.worth > found.worth, small = at.total < 3 * p_.k;
        found.sure = small && at.complete;
        if (small || at.total >= p_.deep * p_.k) {
            if (better) found.parts = std::move(halves.parts), found.worth = halves.worth;
            return found;
        }
        if (better) found = all_of(halves.parts);
        if (count_of(at.groups) > p_.searched) return found;
        Split best{{}, found.worth};
        best.sure = GroupSearch(at, p_.k).run(best, std::min(p_.nodes, p_.visits / at.n));
        if (best.parts.empty()) found.sure = best.sure;
        else found = best.sure ? std::move(best) : all_of(best.parts);
        return found;
    }

    Split all_of(const std::vector<Part>& parts) const {
        Split found{{}, 0};
        for (const Part& part : parts) {
            Split mine = deep(part);
            found.worth += mine.worth;
            add(found.parts, std::move(mine.parts));
        }
        return found;
    }

    Part given(int64_t c) const {
        const int64_t begin = p_.start[c], end = p_.start[c + 1];
        return {{p_.tuple + begin, p_.tuple + end}, {p_.rows + begin, p_.rows + end}};
    }

    // The parts of a class, one after the other; true where they are proved to be the best. A class of very many parts
    // is halved until it is not.
    bool run(int64_t c, std::vector<Part>& out) const {
        bool proved = true;
        for (std::vector<Part> waiting{given(c)}; !waiting.empty();) {
            const Part part = std::move(waiting.back());
            waiting.pop_back();
            Split found = deep(part);
            const bool many = std::accumulate(part.rows.begin(), part.rows.end(), int64_t{0}) >= p_.deep * p_.k;
            if (many) std::reverse(found.parts.begin(), found.parts.end());
            add(many && found.parts.size() > 1 ? waiting : out, std::move(found.parts));
            proved &= found.sure;
        }
        return proved;
    }

 public:
    explicit Splitter(const Splitting& problem) : p_(problem) {}

    Splits all() const {
        Splits out{std::vector<std::vector<Part>>(p_.classes), std::vector<uint8_t>(p_.classes, 0)};
        const auto begun = std::chrono::steady_clock::now();
        in_turn(p_.classes, p_.threads, [&](int64_t c, int thread) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
            if (p_.seconds > 0 && spent.count() > p_.seconds) return out.parts[c].push_back(given(c));
            out.outcome[c] = run(c, out.parts[c]) ? 2 : 1;
            if (thread == 0 && p_.watch) p_.watch(ratio(c, p_.classes));
        });
        return out;
    }
};

}  // namespace paravent

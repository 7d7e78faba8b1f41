// Classes split into parts of at least k rows: minimal groups, best halves, and branch and bound over groups.
//
// The plain version is methods/partition/repartition.py: the same steps in the same order, so the same bytes. Classes
// are independent: threads take them one by one, and the result does not depend on how many.
#pragma once

#include <chrono>

#include "annealing.hpp"
#include "group_search.hpp"

namespace paravent {

struct Splitting {
    int64_t classes = 0;
    const int32_t* leaves = nullptr;  // tuples x axes
    const int64_t* start = nullptr;   // class c is entries start[c] to start[c + 1]
    const int32_t* tuple = nullptr;
    const int64_t* rows = nullptr;
    std::vector<Slope> trees;
    SplitLimits limits;
    double seconds = 0;  // no limit where 0
    int threads = 1;
    Watch watch;
    PARAVENT_FIELDS(classes, leaves, start, tuple, rows, trees, limits.k, limits.most, limits.lookups, limits.nodes,
                    limits.visits, limits.searched, limits.deep, seconds, threads, watch)
};

// The parts of class c are part_start[c] to part_start[c + 1]; part p holds entries start[p] to start[p + 1].
// outcome[c]: 2 where the partition is proved to be the best, 1 where it is not, 0 where there was no time.
struct Splits {
    std::vector<int64_t> part_start{0}, start{0}, rows;
    std::vector<int32_t> tuple;
    std::vector<uint8_t> outcome;
    PARAVENT_FIELDS(part_start, start, tuple, rows, outcome)
};

class Splitter {
    const Splitting& p_;
    const SplitLimits& l_;
    const Grove& grove_;

    struct Found {
        std::vector<Part> parts;
        int64_t worth = 0;
        bool sure = false;
    };

    static std::vector<Part> taken_parts(const Part& part, const PartSplit& split) {
        std::vector<Part> parts;
        for (const auto& taken : split.taken) {
            Part& fresh = parts.emplace_back();
            for (size_t i = 0; i < taken.size(); ++i)
                if (taken[i] > 0) {
                    fresh.tuple.push_back(part.tuple[i]);
                    fresh.rows.push_back(taken[i]);
                }
        }
        return parts;
    }

    // A class of a moderate number of parts: the halves of its halves, or what the search over groups finds beyond
    // them.
    Found deep(const Part& part) const {
        SplitClass at(grove_, l_, p_.leaves, part);
        Found found{{part}, at.whole(), true};
        if (at.total < 2 * l_.k) return found;
        at.list_groups();
        PartSplit best;
        const bool better = at.halves(best) && best.worth > found.worth;
        if (at.total < 3 * l_.k) {
            if (better) found = {taken_parts(part, best), best.worth};
            found.sure = at.complete;
            return found;
        }
        if (better) found = all_of(taken_parts(part, best));
        found.sure = false;
        if (count_of(at.groups) > l_.searched) return found;
        best = {{}, found.worth};
        const bool sure = GroupSearch(at, l_.k).run(best, std::min(l_.nodes, l_.visits / at.n));
        if (best.taken.empty()) found.sure = sure;
        else if (sure) found = {taken_parts(part, best), best.worth, true};
        else found = all_of(taken_parts(part, best));
        return found;
    }

    Found all_of(const std::vector<Part>& parts) const {
        Found found;
        for (const Part& part : parts) {
            Found mine = deep(part);
            found.worth += mine.worth;
            std::move(mine.parts.begin(), mine.parts.end(), std::back_inserter(found.parts));
        }
        return found;
    }

 public:
    Splitter(const Splitting& problem, const Grove& grove) : p_(problem), l_(problem.limits), grove_(grove) {}

    Part given(int64_t c) const {
        Part part;
        part.tuple.assign(p_.tuple + p_.start[c], p_.tuple + p_.start[c + 1]);
        part.rows.assign(p_.rows + p_.start[c], p_.rows + p_.start[c + 1]);
        return part;
    }

    // The parts of a class, one after the other; true where they are proved to be the best. A class of very many parts
    // is halved until it is not.
    bool run(int64_t c, std::vector<Part>& out) const {
        bool proved = true;
        for (std::vector<Part> waiting{given(c)}; !waiting.empty();) {
            const Part part = std::move(waiting.back());
            waiting.pop_back();
            if (std::accumulate(part.rows.begin(), part.rows.end(), int64_t{0}) < l_.deep * l_.k) {
                Found found = deep(part);
                proved &= found.sure;
                std::move(found.parts.begin(), found.parts.end(), std::back_inserter(out));
                continue;
            }
            proved = false;
            SplitClass at(grove_, l_, p_.leaves, part);
            at.list_groups();
            PartSplit two;
            if (at.halves(two) && two.worth > at.whole()) {
                const std::vector<Part> parts = taken_parts(part, two);
                waiting.insert(waiting.end(), parts.rbegin(), parts.rend());
            } else {
                out.push_back(part);
            }
        }
        return proved;
    }

    static Splits all(const Splitting& problem) {
        std::vector<std::vector<Part>> parts(problem.classes);
        Splits out;
        out.outcome.assign(problem.classes, 0);
        const Grove grove(problem.trees);
        const Splitter splitter(problem, grove);
        const auto begun = std::chrono::steady_clock::now();
        in_turn(problem.classes, problem.threads, [&](int64_t c, int thread) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
            if (problem.seconds > 0 && spent.count() > problem.seconds) {
                parts[c].push_back(splitter.given(c));
                return;
            }
            out.outcome[c] = splitter.run(c, parts[c]) ? 2 : 1;
            if (thread == 0 && problem.watch) problem.watch(ratio(c, problem.classes));
        });
        for (const auto& found : parts) {
            for (const Part& part : found) {
                out.tuple.insert(out.tuple.end(), part.tuple.begin(), part.tuple.end());
                out.rows.insert(out.rows.end(), part.rows.begin(), part.rows.end());
                out.start.push_back(count_of(out.tuple));
            }
            out.part_start.push_back(count_of(out.start) - 1);
        }
        return out;
    }
};

}  // namespace paravent

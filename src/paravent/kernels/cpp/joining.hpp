// Rows and groups that join the group that costs least to join, and groups that give up rows.
#pragma once

#include "clustering.hpp"

namespace paravent {

// Groups of rows: group g has the rows row[start[g] … start[g + 1]), each named by its unit.
struct Members {
    int64_t groups = 0;
    const int64_t* start = nullptr;
    const int32_t* row = nullptr;
    PARAVENT_FIELDS(groups, start, row)

    std::vector<int32_t> of(int64_t g) const { return {row + start[g], row + start[g + 1]}; }
};

// The group has the label over these rows, and no other, from now on.
inline void label_anew(Classes& classes, const Points& p, int32_t g, const std::vector<int32_t>& rows) {
    classes.relabel(g, p.point(rows[0]));
    for (int32_t unit : rows) classes.cover(g, p.point(unit));
    classes.resize(g, count_of(rows));
}

// A group that is not there yet.
inline int32_t begun(Classes& classes, const Points& p, const std::vector<int32_t>& rows) {
    const int32_t g = classes.born(p.point(rows[0]), 0);
    label_anew(classes, p, g, rows);
    return g;
}

// Groups that take others in.
struct Taking : Points {
    Members members;
    int64_t spare = 0;  // so many rows may be left out, where joining costs more than `dear` a row
    int64_t dear = 0;
    Watch watch;
};

// Rows that join groups one after the other, each the one that it adds least to. The judge is asked about a group and a
// unit; none: every group takes it.
struct Joining : Taking {
    std::vector<int32_t> rows;  // units, in the order in which they join
    int64_t below = 0;          // > 0: groups of fewer rows come first, as long as there are any
    int64_t tries = 0;          // so many groups are asked whether they hold with the row in it
    Pairwise judge;
    PARAVENT_FIELDS(units, codes, counts, base, axes, members, spare, dear, watch, rows, below, tries, judge)
};

inline std::vector<int32_t> join_rows(const Joining& p) {
    Classes classes(p.axes);
    for (int64_t g = 0; g < p.members.groups; ++g) begun(classes, p, p.members.of(g));
    const int32_t groups = static_cast<int32_t>(p.members.groups);
    int64_t below = p.below;  // while there are smaller groups, these alone can be found
    std::vector<int32_t> found;
    Smallest<Offer> cheapest{p.judge ? static_cast<size_t>(std::max<int64_t>(p.tries, 1)) : 1, {}};
    int64_t spare = p.spare;
    for (size_t r = 0; r < p.rows.size(); ++r) {
        if (p.watch && r % 256 == 0) p.watch(ratio(r, p.rows.size()));
        while (!classes.alive()) {
            for (int32_t g = 0; g < groups; ++g)
                if (classes.size(g) < below) classes.insert(g);
            if (!classes.alive()) below = endless;
        }
        const int32_t* point = p.point(p.rows[r]);
        int64_t limit = endless;
        cheapest.heap.clear();
        const auto use = [&](int32_t g, int64_t cost) {
            cheapest.offer({cost, g});
            if (cheapest.full()) limit = cheapest.heap.front().first;
        };
        classes.visit(point, 1, limit, {}, use);
        const std::vector<Offer>& offers = cheapest.sorted();
        if (spare > 0 && offers[0].first + classes.label_cost(point) > p.dear) {
            --spare;
            found.push_back(-1);
            continue;
        }
        int32_t g = offers[0].second;
        if (p.judge && p.tries > 0) {
            const auto holds = [&](const auto& offer) { return p.judge(offer.second, p.rows[r]); };
            const auto taker = std::find_if(offers.begin(), offers.end(), holds);
            if (taker != offers.end()) g = taker->second;
        }
        classes.cover(g, point);
        classes.resize(g, classes.size(g) + 1);
        if (classes.size(g) >= below) classes.remove(g);
        found.push_back(g);
    }
    return found;
}

// Groups with more than k rows give up rows until they have k: each time the one whose leaving saves most, of equals
// the last. Returns the places of those rows in `members`, group by group.
inline std::vector<int64_t> shed_rows(const Points& p, const Members& members, int64_t k) {
    std::vector<int64_t> out, here, without, times;
    std::vector<std::vector<int32_t>> sorted(p.axes.size());  // the codes of a group, axis by axis
    const auto code = [&](int64_t place, size_t j) { return p.point(members.row[place])[j]; };
    for (int64_t g = 0; g < members.groups; ++g) {
        here.clear();
        for (int64_t i = members.start[g]; i < members.start[g + 1]; ++i) here.push_back(i);
        for (size_t j = 0; j < sorted.size() && count_of(here) > k; ++j) {
            sorted[j].clear();
            for (int64_t place : here) sorted[j].push_back(code(place, j));
            std::sort(sorted[j].begin(), sorted[j].end());
        }
        for (int64_t n = count_of(here); n > k; --n) {
            without.assign(n, 0);  // what the label costs when one goes, less a constant
            for (size_t j = 0; j < sorted.size(); ++j) {
                const Axis& axis = p.axes[j];
                const int32_t *codes = sorted[j].data(), *last = codes + n - 1;
                if (axis.style == Style::set) {
                    times.assign(axis.size, 0);
                    for (int32_t v : sorted[j]) ++times[v];
                }
                for (int64_t i = 0; i < n; ++i) {
                    const int32_t v = code(here[i], j), a = codes[v == *codes], b = last[-(v == *last)];
                    if (axis.style == Style::set) without[i] -= times[v] == 1 ? axis.unit : 0;
                    else without[i] += axis.style == Style::tree ? axis.node_cost[axis.over(a, b)] : axis.span(a, b);
                }
            }
            int64_t least = endless, at = -1;
            for (int64_t i = 0; i < n; ++i) {
                const int64_t stays = (n - 1) * without[i] + p.base_of(members.row[here[i]]);
                if (stays <= least) least = stays, at = i;
            }
            for (size_t j = 0; j < sorted.size(); ++j)
                sorted[j].erase(std::lower_bound(sorted[j].begin(), sorted[j].end(), code(here[at], j)));
            out.push_back(here[at]);
            here.erase(here.begin() + at);
        }
    }
    return out;
}

// Groups that do not hold join the group that costs least to join, one after the other, until they have k rows.
struct Absorbing : Taking {
    std::vector<int32_t> waiting;  // the groups that do not hold, in the order in which they are looked at
    int64_t k = 1;
    bool divide = false;  // of a group large enough, only as many rows as are missing are taken
    PARAVENT_FIELDS(units, codes, counts, base, axes, members, spare, dear, watch, waiting, k, divide)
};

// The row of some that adds least to a group, of equals the first, goes there.
inline void take_nearest(Classes& classes, const Points& p, int32_t g, std::vector<int32_t>& from,
                         std::vector<int32_t>& to) {
    Offer least{endless, 0};
    for (size_t i = 0; i < from.size(); ++i) {
        if (i > 0 && from[i] == from[i - 1]) continue;
        const int64_t cost = (count_of(to) + 1) * classes.cost_with(g, p.point(from[i])) - p.base_of(from[i]);
        least = std::min(least, Offer{cost, static_cast<int32_t>(i)});
    }
    to.push_back(from[least.second]);
    classes.cover(g, p.point(to.back()));
    from.erase(from.begin() + least.second);
}

// Groups in the order of their numbers; a group made of two has the next one. Rows that are left out stand behind them.
inline Groups absorb(const Absorbing& p) {
    Classes classes(p.axes);
    if (p.divide) classes.stub_k = p.k;
    std::vector<std::vector<int32_t>> rows;
    for (int64_t g = 0; g < p.members.groups; ++g) {
        rows.push_back(p.members.of(g));
        classes.insert(begun(classes, p, rows.back()));
    }
    std::deque<int32_t> waiting(p.waiting.begin(), p.waiting.end());
    std::vector<int32_t> left_out;
    int64_t spare = p.spare;
    for (int64_t step = 0; !waiting.empty() && classes.alive() > 1; ++step) {
        if (p.watch && step % 256 == 0) p.watch(1.0 - ratio(waiting.size(), p.waiting.size()));
        const int32_t c = waiting.front();
        waiting.pop_front();
        if (!classes.alive(c)) continue;
        const int64_t s = classes.size(c);
        const auto [best, partner] = classes.cheapest(c, [](int32_t) { return true; });
        if (s <= spare && best > s * (p.dear - classes.label_cost(classes.cells(c)))) {
            spare -= s;
            left_out.insert(left_out.end(), rows[c].begin(), rows[c].end());
            classes.remove(c);
            rows[c].clear();
            continue;
        }
        const int64_t taken = classes.given(s, classes.size(partner));
        if (taken < classes.size(partner)) {
            for (int64_t m = 0; m < taken; ++m) take_nearest(classes, p, c, rows[partner], rows[c]);
            for (int32_t g : {partner, c}) label_anew(classes, p, g, rows[g]);
            continue;
        }
        std::vector<int32_t> both = std::move(rows[partner]);
        both.insert(both.end(), rows[c].begin(), rows[c].end());
        rows[partner].clear();
        rows[c].clear();
        const int32_t made = classes.born(partner, c, count_of(both));
        rows.push_back(std::move(both));
        classes.remove(partner);
        classes.remove(c);
        classes.insert(made);
        if (classes.size(made) < p.k) waiting.push_back(made);
    }
    Groups out;
    for (const std::vector<int32_t>& group : rows) {
        if (group.empty()) continue;
        out.rows.insert(out.rows.end(), group.begin(), group.end());
        out.end();
    }
    out.rows.insert(out.rows.end(), left_out.begin(), left_out.end());
    return out;
}

}  // namespace paravent

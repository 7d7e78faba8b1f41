// The Python face of clustering.
#pragma once

#include "bind.hpp"
#include "joining.hpp"

namespace paravent {

inline void take(nb::handle from, PricedAxis& axis) {
    unpack(from, axis.style, axis.ruler, axis.unit, axis.parent, axis.first, axis.last, axis.node_cost, axis.cap);
    axis.size = static_cast<int32_t>(axis.ruler.size());
}

// Points as (codes, counts, base, axes), groups of them as (start, row).
inline void take_points(nb::tuple from, Points& p) {
    const auto codes = nb::cast<Matrix>(from[0], false);
    p.units = static_cast<int64_t>(codes.shape(0));
    p.codes = codes.data();
    take(from[1], p.counts);
    if (!from[2].is_none()) take(from[2], p.base);
    for (nb::handle axis : nb::cast<nb::list>(from[3])) take(axis, p.axes.emplace_back());
}
inline Members taken_members(nb::tuple from) {
    Members members;
    unpack(from, members.start, members.row);
    members.groups = static_cast<int64_t>(nb::cast<In<int64_t>>(from[0]).size()) - 1;
    return members;
}

inline nb::tuple grow(nb::tuple points, int64_t k, bool centred, In<int32_t> seeds, int32_t start, nb::object judge,
                      std::optional<In<int32_t>> kind, In<int64_t> kind_table, nb::object watch) {
    Growing p;
    take_points(points, p);
    p.k = k;
    p.centred = centred;
    p.seeds = taken(seeds);
    p.start = start;
    if (kind) p.kind = kind->data();
    p.kind_table = taken(kind_table);
    p.watch = heard(watch);
    if (!judge.is_none())
        p.judge = [&judge](const std::vector<int32_t>& units) {
            nb::gil_scoped_acquire gil;
            return nb::cast<bool>(judge(give(units)));
        };
    Grown out = unlocked([&] { return Grower(p).run(); });
    return give_all(out.unit, out.cluster);
}

inline nb::object join(nb::tuple points, nb::tuple members, In<int32_t> rows, int64_t below, int64_t spare,
                       int64_t dear, int64_t tries, nb::object judge, nb::object watch) {
    Joining p;
    take_points(points, p);
    p.members = taken_members(members);
    p.rows = taken(rows);
    p.below = below;
    p.spare = spare;
    p.dear = dear;
    p.tries = tries;
    p.judge = asked(judge);
    p.watch = heard(watch);
    return nb::cast(give(unlocked([&] { return join_rows(p); })));
}

inline nb::object shed(nb::tuple points, nb::tuple members, int64_t k) {
    Points p;
    take_points(points, p);
    const Members groups = taken_members(members);
    return nb::cast(give(unlocked([&] { return shed_rows(p, groups, k); })));
}

inline nb::tuple absorb_groups(nb::tuple points, nb::tuple members, In<int32_t> waiting, int64_t k, bool divide,
                               int64_t spare, int64_t dear, nb::object judge, nb::object watch) {
    Absorbing p;
    take_points(points, p);
    p.members = taken_members(members);
    p.waiting = taken(waiting);
    p.k = k;
    p.divide = divide;
    p.spare = spare;
    p.dear = dear;
    p.judge = asked(judge);
    p.watch = heard(watch);
    Grown out = unlocked([&] { return absorb(p); });
    return give_all(out.unit, out.cluster);
}

inline void bind_clustering(nb::module_& m) {
    define(m, "grow", &grow, {"points", "k", "centred", "seeds", "start", "judge", "kind", "kind_table", "watch"});
    define(m, "join", &join, {"points", "members", "rows", "below", "spare", "dear", "tries", "judge", "watch"});
    define(m, "shed", &shed, {"points", "members", "k"});
    define(m, "absorb", &absorb_groups,
           {"points", "members", "waiting", "k", "divide", "spare", "dear", "judge", "watch"});
}

}  // namespace paravent

// The Python face of clustering; included by module.cpp after its own helpers.
#pragma once

#include "joining.hpp"

namespace paravent {

// What the points and axes of a call look like in Python; `held` keeps the arrays alive.
struct HeldPoints {
    Matrix codes;
    In<int64_t> counts;
    std::optional<In<int64_t>> base;
};

static void take_points(Points& p, const HeldPoints& held, nb::list axes) {
    p.units = static_cast<int64_t>(held.codes.shape(0));
    p.codes = held.codes.data();
    p.counts = held.counts.data();
    if (held.base) p.base = held.base->data();
    for (nb::handle item : axes) {
        nb::tuple t = nb::cast<nb::tuple>(item);
        PricedAxis axis;
        axis.style = static_cast<Style>(nb::cast<int>(t[0]));
        axis.ruler = taken(nb::cast<In<int64_t>>(t[1]));
        axis.size = static_cast<int32_t>(axis.ruler.size());
        axis.unit = nb::cast<int64_t>(t[2]);
        axis.parent = taken(nb::cast<In<int32_t>>(t[3]));
        axis.first = taken(nb::cast<In<int32_t>>(t[4]));
        axis.last = taken(nb::cast<In<int32_t>>(t[5]));
        axis.node_cost = taken(nb::cast<In<int64_t>>(t[6]));
        axis.cap = nb::cast<int64_t>(t[7]);
        p.axes.push_back(std::move(axis));
    }
}

static Members members_of(const In<int64_t>& start, const In<int32_t>& row) {
    return {static_cast<int64_t>(start.size()) - 1, start.data(), row.data()};
}

static std::function<bool(int32_t, int32_t)> pair_judge(nb::object judge) {
    if (judge.is_none()) return {};
    return [judge](int32_t a, int32_t b) {
        nb::gil_scoped_acquire gil;
        return nb::cast<bool>(judge(a, b));
    };
}

static nb::tuple grow_py(HeldPoints held, nb::list axes, int64_t k, bool centred, In<int32_t> seeds, int32_t start,
                         nb::object judge, std::optional<In<int32_t>> kind, In<int64_t> kind_table, nb::object watch) {
    Growing p;
    take_points(p, held, axes);
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
    Grown out;
    {
        nb::gil_scoped_release free;
        out = Grower(p).run();
    }
    return nb::make_tuple(give(std::move(out.unit)), give(std::move(out.cluster)));
}

static nb::object join_py(HeldPoints held, nb::list axes, In<int64_t> start, In<int32_t> row, In<int32_t> rows,
                          int64_t below, int64_t spare, int64_t dear, int64_t tries, nb::object judge,
                          nb::object watch) {
    Joining p;
    take_points(p, held, axes);
    p.members = members_of(start, row);
    p.rows = taken(rows);
    p.below = below;
    p.spare = spare;
    p.dear = dear;
    p.tries = tries;
    p.judge = pair_judge(judge);
    p.watch = heard(watch);
    std::vector<int32_t> out;
    {
        nb::gil_scoped_release free;
        out = join_rows(p);
    }
    return nb::cast(give(std::move(out)));
}

static nb::object shed_py(HeldPoints held, nb::list axes, In<int64_t> start, In<int32_t> row, int64_t k) {
    Points p;
    take_points(p, held, axes);
    std::vector<int64_t> out;
    {
        nb::gil_scoped_release free;
        out = shed_rows(p, members_of(start, row), k);
    }
    return nb::cast(give(std::move(out)));
}

static nb::tuple absorb_py(HeldPoints held, nb::list axes, In<int64_t> start, In<int32_t> row, In<int32_t> waiting,
                           int64_t k, bool divide, int64_t spare, int64_t dear, nb::object judge, nb::object watch) {
    Absorbing p;
    take_points(p, held, axes);
    p.members = members_of(start, row);
    p.waiting = taken(waiting);
    p.k = k;
    p.divide = divide;
    p.spare = spare;
    p.dear = dear;
    p.judge = pair_judge(judge);
    p.watch = heard(watch);
    Grown out;
    {
        nb::gil_scoped_release free;
        out = absorb(p);
    }
    return nb::make_tuple(give(std::move(out.unit)), give(std::move(out.cluster)));
}

static void bind_clustering(nb::module_& m) {
    m.def(
        "grow",
        [](Matrix codes, In<int64_t> counts, std::optional<In<int64_t>> base, nb::list axes, int64_t k, bool centred,
           In<int32_t> seeds, int32_t start, nb::object judge, std::optional<In<int32_t>> kind, In<int64_t> kind_table,
           nb::object watch) {
            return grow_py({codes, counts, base}, axes, k, centred, seeds, start, judge, kind, kind_table, watch);
        },
        nb::arg("codes"), nb::arg("counts"), nb::arg("base").none(), nb::arg("axes"), nb::kw_only(), nb::arg("k"),
        nb::arg("centred"), nb::arg("seeds"), nb::arg("start"), nb::arg("judge").none(), nb::arg("kind").none(),
        nb::arg("kind_table"), nb::arg("watch").none());
    m.def(
        "join",
        [](Matrix codes, In<int64_t> counts, std::optional<In<int64_t>> base, nb::list axes, In<int64_t> start,
           In<int32_t> row, In<int32_t> rows, int64_t below, int64_t spare, int64_t dear, int64_t tries,
           nb::object judge, nb::object watch) {
            return join_py({codes, counts, base}, axes, start, row, rows, below, spare, dear, tries, judge, watch);
        },
        nb::arg("codes"), nb::arg("counts"), nb::arg("base").none(), nb::arg("axes"), nb::arg("start"), nb::arg("row"),
        nb::kw_only(), nb::arg("rows"), nb::arg("below"), nb::arg("spare"), nb::arg("dear"), nb::arg("tries"),
        nb::arg("judge").none(), nb::arg("watch").none());
    m.def(
        "shed",
        [](Matrix codes, In<int64_t> counts, std::optional<In<int64_t>> base, nb::list axes, In<int64_t> start,
           In<int32_t> row, int64_t k) { return shed_py({codes, counts, base}, axes, start, row, k); },
        nb::arg("codes"), nb::arg("counts"), nb::arg("base").none(), nb::arg("axes"), nb::arg("start"), nb::arg("row"),
        nb::kw_only(), nb::arg("k"));
    m.def(
        "absorb",
        [](Matrix codes, In<int64_t> counts, std::optional<In<int64_t>> base, nb::list axes, In<int64_t> start,
           In<int32_t> row, In<int32_t> waiting, int64_t k, bool divide, int64_t spare, int64_t dear, nb::object judge,
           nb::object watch) {
            return absorb_py({codes, counts, base}, axes, start, row, waiting, k, divide, spare, dear, judge, watch);
        },
        nb::arg("codes"), nb::arg("counts"), nb::arg("base").none(), nb::arg("axes"), nb::arg("start"), nb::arg("row"),
        nb::kw_only(), nb::arg("waiting"), nb::arg("k"), nb::arg("divide"), nb::arg("spare"), nb::arg("dear"),
        nb::arg("judge").none(), nb::arg("watch").none());
}

}  // namespace paravent

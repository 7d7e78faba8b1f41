// The Python face of the kernels: arrays in, arrays out. Callers check the arrays (kernels/*.py).
#include "bind.hpp"
#include "bound.hpp"
#include "cover.hpp"
#include "fold.hpp"
#include "guided.hpp"
#include "joining.hpp"
#include "lattice.hpp"
#include "local.hpp"
#include "micro.hpp"
#include "micro_cuts.hpp"
#include "micro_refine.hpp"
#include "mondrian.hpp"
#include "regrouping.hpp"
#include "sets.hpp"
#include "splitting.hpp"
#include "subsets.hpp"
#include "swapping.hpp"

namespace paravent {

static void take(nb::handle from, Slope& tree) { unpack(from, tree.parent, tree.first, tree.last, tree.climb); }
static void take(nb::handle from, RowTree& axis) { unpack(from, axis.leaf, static_cast<Slope&>(axis)); }
static void take(nb::handle from, Axis& axis) {
    unpack(from, axis.style, axis.ruler, axis.unit, axis.parent, axis.first, axis.last, axis.node_cost, axis.cap);
    axis.size = static_cast<int32_t>(axis.ruler.size());
}
static void take(nb::handle from, Sensitive& column) { unpack(from, column.codes, column.size); }
static void take(nb::handle from, Demand& demand) {
    unpack(from, demand.kind, demand.column, demand.a, demand.b, demand.whole);
}
// A column as (leaf of each tuple, levels), a level as (codes, size, cost of each leaf[, what they cover]).
static void take(nb::handle from, Ladder& column) {
    nb::list levels;
    unpack(from, column.leaf, levels);
    for (nb::handle item : levels) {
        const nb::tuple level = nb::cast<nb::tuple>(item);
        take(level[0], column.codes.emplace_back());
        take(level[1], column.sizes.emplace_back());
        take(level[2], column.cost.emplace_back());
        if (level.size() > 3) take(level[3], column.covers.emplace_back());
    }
}
static void take(nb::handle from, MicroColumn& column) {
    unpack(from, column.measure, column.values, column.weight, column.codes, column.place, column.table);
    column.size = static_cast<int32_t>(column.place.size());
}

static void take_tuples(const Given& from, LatticeTuples& p) {
    from("columns", p.columns)("weight", p.weight, p.tuples)("nodes", p.nodes, p.n_nodes)("k", p.k)("threads",
                                                                                                    p.threads);
}
static void take_demands(const Given& from, Demands& demands, int64_t rows) {
    from("sensitive", demands.columns)("demands", demands.list);
    demands.ready(rows);
}
static ColumnSets taken_sets(const Given& from) {
    ColumnSets p;
    from("columns", p.codes)("sizes", p.sizes)("weight", p.weight, p.tuples)("max_size", p.max_size);
    return p;
}
static void take_points(const Given& from, Points& p) {
    from("codes", p.codes, p.units)("counts", p.counts)("base", p.base)("axes", p.axes);
}
static void take_members(const Given& from, Members& members) {
    from("start", members.start, members.groups)("row", members.row);
    --members.groups;
}
static void take_groups(const Given& from, Taking& p) {
    take_points(from, p);
    take_members(from, p.members);
    from("spare", p.spare)("dear", p.dear)("judge", p.judge)("watch", p.watch);
}
static void take_classes(const Given& from, Merging& p) {
    from("nodes", p.nodes, p.classes)("sizes", p.sizes)("axes", p.axes)("k", p.k)("watch", p.watch);
}

static void bind_cuts(nb::module_& m) {
    define(m, "mondrian", [](const Given& from) {
        Problem p;
        bool portable = false;
        from("codes", p.codes, p.rows)("axes", p.axes)("weights", p.weights)("k", p.k)("rule", p.rule);
        from("target", p.target)("numbers", p.numbers)("relaxed", p.relaxed)("sample", p.sample)("threads", p.threads);
        from("sensitive", p.sensitive)("guard", p.guard)("watch", p.watch)("portable", portable)("record", p.record);
        Partition out = unlocked([&] { return PARAVENT_BEST(mondrian, portable)(p); });
        const size_t classes = out.starts.size() - 1, d = p.axes.size(), cuts = out.tree.size() / 4;
        return nb::make_tuple(give(std::move(out.order)), give(std::move(out.starts)),
                              give(std::move(out.low), {classes, d}), give(std::move(out.high), {classes, d}),
                              give(std::move(out.cuts)), give(std::move(out.tree), {cuts, 4}),
                              give(std::move(out.score)));
    });
    define(m, "class_sets", [](const Given& from) {
        const int32_t *order = nullptr, *codes = nullptr;
        const int64_t* starts = nullptr;
        int64_t ends = 0;
        from("order", order)("starts", starts, ends)("codes", codes);
        Sets out = unlocked([&] { return class_sets(order, starts, ends - 1, codes); });
        return give_all(out.of_class, out.members, out.starts);
    });
}

static void bind_lattice(nb::module_& m) {
    define(m, "outliers", [](const Given& from) {
        Lattice p;
        take_tuples(from, p);
        from("limit", p.limit)("costs", p.costs)("sizes", p.sizes)("areas", p.areas);
        Outliers out = unlocked([&] { return outliers(p); });
        const size_t n = out.logs.size() / 2, nodes = out.rows.size();
        return nb::make_tuple(give(std::move(out.rows)), give(std::move(out.cost), {nodes, p.columns.size()}),
                              give(std::move(out.sizes), {n, 2, 2}), give(std::move(out.logs), {n, 2}),
                              give(std::move(out.area)));
    });
    define(m, "row_prices", [](const Given& from) {
        BoundProblem p;
        take_tuples(from, p);
        from("least", p.least)("end", p.end)("watch", p.watch);
        return give(unlocked([&] { return PriceAscent(p).run(); }));
    });
    define(m, "local_search", [](const Given& from) {
        LocalProblem p;
        take_tuples(from, p);
        from("rows_of", p.rows_of)("tuple_of", p.tuple_of)("shift", p.shift);
        take_demands(from, p.demands, p.rows_of.back());
        from("most", p.most)("proposals", p.cooling.proposals)("hot", p.cooling.hot)("cold", p.cooling.cold);
        from("seed", p.seed)("coarse", p.coarse)("given", p.given)("given_cost", p.given_cost)("watch", p.watch);
        LocalResult out = unlocked([&] { return LocalSearch(p).run(); });
        return nb::make_tuple(give(std::move(out.label_of_row)), out.cost, out.start_cost);
    });
}

static void bind_partitions(nb::module_& m) {
    define(m, "regroup", [](const Given& from) {
        RegroupProblem p;
        from("codes", p.codes, p.rows)("axes", p.axes)("start", p.start)("n_classes", p.n_classes);
        from("piece_row", p.piece_row, p.pieces)("piece_weight", p.piece_weight);
        from("k", p.k)("work", p.work)("seed", p.seed)("judged", p.judged)("guard", p.guard)("watch", p.watch);
        take_demands(from, p.demands, p.rows);
        RegroupResult out = unlocked([&] { return Regrouping(p).run(); });
        return nb::make_tuple(give(std::move(out.of_row)), out.cost, out.start_cost);
    });
    define(m, "cover_search", [](const Given& from) {
        CoverProblem p;
        from("axes", p.axes)("rows", p.rows)("labels", p.labels, p.n_labels)("k", p.k)("chains", p.chains);
        from("proposals", p.cooling.proposals)("hot", p.cooling.hot)("cold", p.cooling.cold);
        from("most", p.most)("seed", p.seed)("threads", p.threads)("watch", p.watch);
        CoverResult out = unlocked([&] { return PARAVENT_BEST(cover_search, false)(p); });
        const size_t d = p.axes.size(), found = out.labels.size() / d;
        return nb::make_tuple(give(std::move(out.of_row)), give(std::move(out.labels), {found, d}), out.worth);
    });
    define(m, "split_classes", [](const Given& from) {
        Splitting p;
        SplitLimits& limits = p.limits;
        from("leaves", p.leaves)("start", p.start, p.classes)("tuples", p.tuple)("rows", p.rows)("axes", p.trees);
        from("k", limits.k)("most", limits.most)("lookups", limits.lookups)("nodes", limits.nodes);
        from("visits", limits.visits)("searched", limits.searched)("deep", limits.deep);
        from("seconds", p.seconds)("threads", p.threads)("watch", p.watch);
        --p.classes;
        Splits out = unlocked([&] { return Splitter::all(p); });
        return give_all(out.part_start, out.start, out.tuple, out.rows, out.outcome);
    });
}

static void bind_clusters(nb::module_& m) {
    define(m, "merge", [](const Given& from) {
        Merging p;
        take_classes(from, p);
        from("stubs", p.stubs)("in_order", p.in_order);
        Merges out = unlocked([&] { return Merger(p).run(); });
        return give_all(out.left, out.right, out.cost, p.stubs ? out.taken : out.smallest);
    });
    define(m, "merge_guided", [](const Given& from) {
        Guided p;
        take_classes(from, p);
        from("start", p.start)("value", p.value)("count", p.count)("table", p.table)("xlogx", p.xlogx)("logs", p.logs);
        from("rule", p.rule)("whole_table", p.whole_table)("failing", p.failing)("judge", p.judge)("floor", p.floor);
        Merges out = unlocked([&] { return GuidedMerger(p).run(); });
        return give_all(out.left, out.right, out.cost, out.smallest);
    });
    define(m, "grow", [](const Given& from) {
        Growing p;
        take_points(from, p);
        from("k", p.k)("centred", p.centred)("seeds", p.seeds)("begin", p.start)("judge", p.judge)("kind", p.kind);
        from("kind_table", p.kind_table)("watch", p.watch);
        Grown out = unlocked([&] { return Grower(p).run(); });
        return give_all(out.unit, out.cluster);
    });
    define(m, "join", [](const Given& from) {
        Joining p;
        take_groups(from, p);
        from("rows", p.rows)("below", p.below)("tries", p.tries);
        return give(unlocked([&] { return join_rows(p); }));
    });
    define(m, "shed", [](const Given& from) {
        Points p;
        Members members;
        int64_t k = 1;
        take_points(from, p);
        take_members(from, members);
        from("k", k);
        return give(unlocked([&] { return shed_rows(p, members, k); }));
    });
    define(m, "absorb", [](const Given& from) {
        Absorbing p;
        take_groups(from, p);
        from("waiting", p.waiting)("k", p.k)("divide", p.divide);
        Grown out = unlocked([&] { return absorb(p); });
        return give_all(out.unit, out.cluster);
    });
}

static void bind_micro(nb::module_& m) {
    define(m, "mdav", [](const Given& from) {
        MicroProblem p;
        bool portable = false;
        from("columns", p.columns)("rows", p.rows)("k", p.k)("gain", p.gain)("watch", p.watch)("portable", portable);
        MicroGroups out = unlocked([&] { return PARAVENT_BEST(mdav, portable)(p); });
        return nb::make_tuple(give(std::move(out.of_row)), out.count);
    });
    define(m, "refine", [](const Given& from) {
        RefineProblem p;
        int64_t rows = 0;
        from("points", p.points, p.rows, p.d)("neighbours", p.neighbours, rows, p.width)("start", p.start);
        from("groups", p.groups)("k", p.k)("proposals", p.proposals)("hot", p.hot)("cold", p.cold)("seed", p.seed);
        from("watch", p.watch);
        return give(unlocked([&] { return Refiner(p).run(); }));
    });
    define(m, "shortest_cuts", [](const Given& from) {
        const double* points = nullptr;
        int64_t rows = 0, d = 0, k = 1;
        from("points", points, rows, d)("k", k);
        return give(unlocked([&] { return cut_rows(points, rows, d, k); }));
    });
}

static void bind_columns(nb::module_& m) {
    define(m, "fold", [](const Given& from) {
        std::vector<const int32_t*> columns;
        std::vector<int32_t> sizes;
        int64_t rows = 0;
        int threads = 1;
        from("columns", columns)("sizes", sizes)("rows", rows)("threads", threads);
        Folded out = unlocked([&] { return fold_rows(columns, sizes, rows, threads); });
        return give_all(out.tuple_of_row, out.representative, out.weight);
    });
    define(m, "minimal_uniques", [](const Given& from) {
        const ColumnSets p = taken_sets(from);
        Uniques out = unlocked([&] { return minimal_uniques(p); });
        return give_all(out.tuple, out.columns);
    });
    define(m, "count_subsets", [](const Given& from) {
        const ColumnSets p = taken_sets(from);
        SubsetCounts out = unlocked([&] { return count_subsets(p); });
        return give_all(out.columns, out.distinct, out.alone, out.pairs);
    });
    define(m, "rank_partners", [](const Given& from) {
        const int64_t *start = nullptr, *window = nullptr;
        const double* draw = nullptr;
        int64_t groups = 0;
        from("start", start)("window", window, groups)("draw", draw);
        return give(unlocked([&] { return rank_partners(start, window, groups, draw); }));
    });
    define(m, "area_partners", [](const Given& from) {
        AreaSwap p;
        from("group_start", p.group_start)("group_end", p.group_end)("area_start", p.area_start)("area_end",
                                                                                                 p.area_end);
        from("weight", p.weight)("seekers", p.seekers, p.count)("draw", p.draw)("most", p.most);
        return give(unlocked([&] { return area_partners(p); }));
    });
}

}  // namespace paravent

NB_MODULE(_native, m) {
    using namespace paravent;
    m.doc() = "paravent's hot loops";
    m.def("instruction_set", [] { return has_v3() ? "v3" : "v2"; });
    bind_cuts(m);
    bind_lattice(m);
    bind_partitions(m);
    bind_clusters(m);
    bind_micro(m);
    bind_columns(m);
}

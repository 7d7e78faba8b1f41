// The Python face of searches for partitions and of the bound on them; included by module.cpp after its own helpers.
#pragma once

#include "bound.hpp"
#include "cover.hpp"
#include "regrouping.hpp"

namespace paravent {

// What the searches over rows take: axes as (leaf of each row, tree), and (proposals, hot, cold, chains, seed,
// threads).
static void take_search(RowSearch& search, int64_t rows, nb::list axes, int64_t k, nb::tuple schedule,
                        nb::object watch) {
    for (nb::handle item : axes) {
        auto& axis = search.axes.emplace_back();
        unpack(item, axis.leaf, static_cast<Slope&>(axis));
    }
    search.rows = rows;
    search.k = k;
    auto& [proposals, hot, cold] = search.cooling;
    unpack(schedule, proposals, hot, cold, search.chains, search.seed, search.threads);
    search.watch = heard(watch);
}

static nb::tuple regroup(Matrix codes, nb::list axes, In<int32_t> tuples, In<int32_t> start, int32_t n_classes,
                         int64_t k, int64_t work, uint64_t seed, nb::list sensitive, nb::list demands, nb::list judged,
                         nb::object guard, nb::object watch) {
    RegroupProblem problem;
    problem.rows = static_cast<int64_t>(codes.shape(0));
    problem.k = k;
    problem.codes = codes.data();
    problem.tuple = tuples.data();
    problem.start = start.data();
    problem.n_classes = n_classes;
    problem.work = work;
    problem.seed = seed;
    take(axes, problem.axes);
    take(sensitive, problem.demands.columns);
    take(demands, problem.demands.list);
    problem.demands.ready(problem.rows);
    take(judged, problem.judged);
    problem.guard = guarded_by(guard);
    problem.watch = heard(watch);
    RegroupResult out = unlocked([&] { return Regrouping(problem).run(); });
    return nb::make_tuple(give(std::move(out.of_row)), out.cost, out.start_cost);
}

static nb::ndarray<nb::numpy, int64_t> prices(nb::list columns, In<int32_t> weight, Matrix nodes, In<int64_t> least,
                                              int64_t end, int64_t k, int threads, nb::object watch) {
    BoundProblem problem;
    problem.tuples = static_cast<int64_t>(weight.size());
    problem.weight = weight.data();
    problem.nodes = nodes.data();
    problem.least = least.data();
    problem.n_nodes = static_cast<int64_t>(nodes.shape(0));
    problem.end = end;
    problem.k = k;
    problem.threads = threads;
    problem.watch = heard(watch);
    take(columns, problem.columns);
    return give(unlocked([&] { return PriceAscent(problem).run(); }));
}

static nb::tuple cover(nb::list axes, Matrix labels, int64_t k, nb::tuple schedule, nb::object watch) {
    CoverProblem problem;
    const auto leaves = nb::cast<In<int32_t>>(nb::cast<nb::tuple>(axes[0])[0]);
    take_search(problem, static_cast<int64_t>(leaves.size()), axes, k, schedule, watch);
    problem.labels = labels.data();
    problem.n_labels = static_cast<int64_t>(labels.shape(0));
    CoverResult out = unlocked([&] { return PARAVENT_BEST(cover_search, false)(problem); });
    const size_t d = problem.axes.size(), found = out.labels.size() / d;
    return nb::make_tuple(give(std::move(out.of_row)), give(std::move(out.labels), {found, d}), out.worth);
}

static void bind_partition(nb::module_& m) {
    define(m, "cover_search", &cover, {"axes", "labels", "k", "schedule", "watch"});
    define(m, "regroup", &regroup,
           {"codes", "axes", "tuples", "start", "n_classes", "k", "work", "seed", "sensitive", "demands", "judged",
            "guard", "watch"});
    define(m, "row_prices", &prices, {"columns", "weight", "nodes", "least", "end", "k", "threads", "watch"});
}

}  // namespace paravent

// The Python face of searches for partitions and of the bound on them; included by module.cpp after its own helpers.
#pragma once

#include "bound.hpp"
#include "cover.hpp"
#include "partition.hpp"

namespace paravent {

// What the searches over rows take: axes as (leaf of each row, tree), and (proposals, hot, cold, chains, seed,
// threads). The leaves stay where they are, `held` keeps them alive.
static void take_search(RowSearch& search, nb::list axes, int64_t k, nb::tuple schedule, nb::object watch,
                        std::vector<In<int32_t>>& held) {
    for (nb::handle item : axes) {
        nb::tuple t = nb::cast<nb::tuple>(item);
        held.push_back(nb::cast<In<int32_t>>(t[0]));
        search.axes.push_back({taken_slope(t[1]), held.back().data()});
    }
    search.rows = static_cast<int64_t>(held[0].size());
    search.k = k;
    search.cooling = {nb::cast<int64_t>(schedule[0]), nb::cast<double>(schedule[1]), nb::cast<double>(schedule[2])};
    search.chains = nb::cast<int>(schedule[3]);
    search.seed = nb::cast<uint64_t>(schedule[4]);
    search.threads = nb::cast<int>(schedule[5]);
    search.watch = heard(watch);
}

static nb::tuple improve(nb::list axes, In<int32_t> start, int32_t n_classes, Matrix order, Matrix first, Matrix last,
                         int64_t k, nb::tuple schedule, nb::list sensitive, nb::object guard, nb::object watch) {
    PartitionProblem problem;
    std::vector<In<int32_t>> held, columns;
    take_search(problem, axes, k, schedule, watch, held);
    problem.start = start.data();
    problem.n_classes = n_classes;
    problem.order = order.data();
    problem.first = first.data();
    problem.last = last.data();
    problem.groupings = static_cast<int32_t>(order.shape(0));
    problem.sensitive = taken_sensitive(sensitive, columns);
    problem.guard = guarded_by(guard);
    PartitionResult out;
    {
        nb::gil_scoped_release free;
        out = improve_partition(problem);
    }
    return nb::make_tuple(give(std::move(out.of_row)), out.worth, out.start_worth);
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
    std::vector<In<int32_t>> held;
    problem.columns = taken_ladders(columns, held);
    std::vector<int64_t> out;
    {
        nb::gil_scoped_release free;
        out = PriceAscent(problem).run();
    }
    return give(std::move(out));
}

static nb::tuple cover(nb::list axes, Matrix labels, int64_t k, nb::tuple schedule, nb::object watch) {
    CoverProblem problem;
    std::vector<In<int32_t>> held;
    take_search(problem, axes, k, schedule, watch, held);
    problem.labels = labels.data();
    problem.n_labels = static_cast<int64_t>(labels.shape(0));
    CoverResult out;
    {
        nb::gil_scoped_release free;
#if defined(PARAVENT_HAS_V3)
        out = has_v3() ? v3::cover_search(problem) : v2::cover_search(problem);
#else
        out = v2::cover_search(problem);
#endif
    }
    const size_t d = problem.axes.size(), found = out.labels.size() / d;
    return nb::make_tuple(give(std::move(out.of_row)), give(std::move(out.labels), {found, d}), out.worth);
}

static void bind_partition(nb::module_& m) {
    m.def("cover_search", &cover, nb::arg("axes"), nb::arg("labels"), nb::kw_only(), nb::arg("k"), nb::arg("schedule"),
          nb::arg("watch").none());
    m.def("improve_partition", &improve, nb::arg("axes"), nb::arg("start"), nb::arg("n_classes"), nb::arg("order"),
          nb::arg("first"), nb::arg("last"), nb::kw_only(), nb::arg("k"), nb::arg("schedule"), nb::arg("sensitive"),
          nb::arg("guard").none(), nb::arg("watch").none());
    m.def("row_prices", &prices, nb::arg("columns"), nb::arg("weight"), nb::arg("nodes"), nb::arg("least"),
          nb::kw_only(), nb::arg("end"), nb::arg("k"), nb::arg("threads"), nb::arg("watch").none());
}

}  // namespace paravent

// The Python face of microaggregation.
#pragma once

#include "bind.hpp"
#include "micro.hpp"
#include "micro_cuts.hpp"
#include "micro_refine.hpp"

namespace paravent {

inline void take(nb::handle from, MicroColumn& column) {
    unpack(from, column.measure, column.values, column.weight, column.codes, column.place, column.table);
    column.size = static_cast<int32_t>(column.place.size());
}

inline nb::tuple mdav_groups(nb::list columns, int64_t rows, int64_t k, double gain, nb::object watch, bool portable) {
    MicroProblem problem;
    problem.rows = rows;
    problem.k = k;
    take(columns, problem.columns);
    problem.gain = gain;
    problem.watch = heard(watch);
    MicroGroups out = unlocked([&] { return PARAVENT_BEST(mdav, portable)(problem); });
    return nb::make_tuple(give(std::move(out.of_row)), out.count);
}

inline nb::object refine(In2<double> points, Matrix neighbours, In<int32_t> start, int32_t groups, int64_t k,
                         int64_t proposals, double hot, double cold, uint64_t seed, nb::object watch) {
    RefineProblem problem;
    problem.rows = static_cast<int64_t>(points.shape(0));
    problem.d = static_cast<int>(points.shape(1));
    problem.points = points.data();
    problem.neighbours = neighbours.data();
    problem.width = static_cast<int>(neighbours.shape(1));
    problem.start = start.data();
    problem.groups = groups;
    problem.k = k;
    problem.proposals = proposals;
    problem.hot = hot;
    problem.cold = cold;
    problem.seed = seed;
    problem.watch = heard(watch);
    return nb::cast(give(unlocked([&] { return Refiner(problem).run(); })));
}

inline nb::object shortest_cuts(In2<double> points, int64_t k) {
    const auto rows = static_cast<int64_t>(points.shape(0)), d = static_cast<int64_t>(points.shape(1));
    return nb::cast(give(unlocked([&] { return cut_rows(points.data(), rows, d, k); })));
}

inline void bind_micro(nb::module_& m) {
    define(m, "mdav", &mdav_groups, {"columns", "rows", "k", "gain", "watch", "portable"});
    define(m, "shortest_cuts", &shortest_cuts, {"points", "k"});
    define(m, "refine", &refine,
           {"points", "neighbours", "start", "groups", "k", "proposals", "hot", "cold", "seed", "watch"});
}

}  // namespace paravent

// The Python face of microaggregation; included by module.cpp after its own helpers.
#pragma once

#include <limits>

#include "micro.hpp"
#include "micro_refine.hpp"

namespace paravent {

using Places = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

static nb::tuple mdav(nb::list columns, int64_t rows, int64_t k, double gain, nb::object watch, bool portable) {
    MicroProblem problem;
    problem.rows = rows;
    problem.k = k;
    problem.gain = gain;
    problem.watch = heard(watch);
    std::vector<In<double>> held;
    std::vector<In<int32_t>> codes;
    for (nb::handle item : columns) {  // (measure, values, weight, codes, places, table)
        nb::tuple t = nb::cast<nb::tuple>(item);
        MicroColumn column;
        column.measure = static_cast<Measure>(nb::cast<int>(t[0]));
        held.push_back(nb::cast<In<double>>(t[1]));
        column.values = held.back().data();
        column.weight = nb::cast<double>(t[2]);
        codes.push_back(nb::cast<In<int32_t>>(t[3]));
        column.codes = codes.back().data();
        column.place = taken(nb::cast<In<double>>(t[4]));
        column.size = static_cast<int32_t>(column.place.size());
        held.push_back(nb::cast<In<double>>(t[5]));
        column.table = held.back().data();
        problem.columns.push_back(std::move(column));
    }
    MicroGroups out;
    {
        nb::gil_scoped_release free;
#if defined(PARAVENT_HAS_V3)
        out = !portable && has_v3() ? v3::mdav(problem) : v2::mdav(problem);
#else
        out = v2::mdav(problem);
#endif
    }
    (void)portable;
    return nb::make_tuple(give(std::move(out.of_row)), out.count);
}

static nb::object refine(Places points, Matrix neighbours, In<int32_t> start, int32_t groups, int64_t k,
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
    std::vector<int32_t> out;
    {
        nb::gil_scoped_release free;
        out = Refiner(problem).run();
    }
    return nb::cast(give(std::move(out)));
}

// Rows in their order, cut into groups of k to 2k - 1 with the least squared error; see kernels/micro.py.
static nb::object shortest_cuts(Places points, int64_t k) {
    const int64_t rows = static_cast<int64_t>(points.shape(0)), d = static_cast<int64_t>(points.shape(1));
    std::vector<int32_t> of_row(rows);
    {
        nb::gil_scoped_release free;
        std::vector<double> sums((rows + 1) * d, 0.0), cost(rows + 1, std::numeric_limits<double>::infinity());
        std::vector<int64_t> before(rows + 1, 0), ends;
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < d; ++j) sums[(i + 1) * d + j] = sums[i * d + j] + points.data()[i * d + j];
        cost[0] = 0;
        for (int64_t end = k; end <= rows; ++end)
            for (int64_t begin = std::max<int64_t>(0, end - 2 * k + 1); begin <= end - k; ++begin) {
                double squares = 0;
                for (int64_t j = 0; j < d; ++j) {
                    const double part = sums[end * d + j] - sums[begin * d + j];
                    squares += part * part;
                }
                const double found = cost[begin] - squares / static_cast<double>(end - begin);
                if (found < cost[end]) cost[end] = found, before[end] = begin;
            }
        for (int64_t end = rows; end > 0; end = before[end]) ends.push_back(end);
        int64_t begin = 0;
        for (size_t g = 0; g < ends.size(); ++g) {
            const int64_t end = ends[ends.size() - 1 - g];
            std::fill(of_row.begin() + begin, of_row.begin() + end, static_cast<int32_t>(g));
            begin = end;
        }
    }
    return nb::cast(give(std::move(of_row)));
}

static void add_micro(nb::module_& m) {
    m.def("mdav", &mdav, nb::arg("columns"), nb::kw_only(), nb::arg("rows"), nb::arg("k"), nb::arg("gain"),
          nb::arg("watch").none(), nb::arg("portable"));
    m.def("shortest_cuts", &shortest_cuts, nb::arg("points"), nb::arg("k"));
    m.def("refine", &refine, nb::arg("points"), nb::arg("neighbours"), nb::arg("start"), nb::kw_only(),
          nb::arg("groups"), nb::arg("k"), nb::arg("proposals"), nb::arg("hot"), nb::arg("cold"), nb::arg("seed"),
          nb::arg("watch").none());
}

}  // namespace paravent

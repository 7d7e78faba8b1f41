// The Python face of splitting.hpp; included by module.cpp.
#pragma once

#include "splitting.hpp"

static nb::tuple split_classes(Matrix leaves, In<int64_t> start, In<int32_t> tuple, In<int64_t> rows, nb::list axes,
                               int64_t k, int64_t most, int64_t lookups, int64_t nodes, int64_t visits,
                               int64_t searched, int64_t deep, double seconds, int threads, nb::object watch) {
    Splitting problem;
    problem.classes = static_cast<int64_t>(start.size()) - 1;
    problem.axes = static_cast<int>(leaves.shape(1));
    problem.leaves = leaves.data();
    problem.start = start.data();
    problem.tuple = tuple.data();
    problem.rows = rows.data();
    problem.limits = {k, most, lookups, nodes, visits, searched, deep};
    problem.seconds = seconds;
    problem.threads = threads;
    problem.watch = heard(watch);
    for (nb::handle item : axes) problem.trees.push_back(taken_slope(item));
    Splits out;
    {
        nb::gil_scoped_release free;
        out = Splitter::all(problem);
    }
    return nb::make_tuple(give(std::move(out.part_start)), give(std::move(out.start)), give(std::move(out.tuple)),
                          give(std::move(out.rows)), give(std::move(out.outcome)));
}

static void bind_splitting(nb::module_& m) {
    m.def("split_classes", &split_classes, nb::arg("leaves"), nb::arg("start"), nb::arg("tuple"), nb::arg("rows"),
          nb::arg("axes"), nb::kw_only(), nb::arg("k"), nb::arg("most"), nb::arg("lookups"), nb::arg("nodes"),
          nb::arg("visits"), nb::arg("searched"), nb::arg("deep"), nb::arg("seconds"), nb::arg("threads"),
          nb::arg("watch").none());
}

// The Python face of splitting.hpp; included by module.cpp.
#pragma once

#include "bind.hpp"
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
    take(axes, problem.trees);
    Splits out = unlocked([&] { return Splitter::all(problem); });
    return give_all(out.part_start, out.start, out.tuple, out.rows, out.outcome);
}

static void bind_splitting(nb::module_& m) {
    define(m, "split_classes", &split_classes,
           {"leaves", "start", "tuple", "rows", "axes", "k", "most", "lookups", "nodes", "visits", "searched", "deep",
            "seconds", "threads", "watch"});
}

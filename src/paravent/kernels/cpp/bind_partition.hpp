// The Python face of searches for partitions and of the bound on them; included by module.cpp after its own helpers.
#pragma once

#include "bound.hpp"
#include "cover.hpp"
#include "partition.hpp"

namespace paravent {

// Sensitive columns as (codes, size); the codes stay where they are, `held` keeps them alive.
static std::vector<Sensitive> taken_sensitive(nb::list columns, std::vector<In<int32_t>>& held) {
    std::vector<Sensitive> found;
    for (nb::handle item : columns) {
        nb::tuple t = nb::cast<nb::tuple>(item);
        held.push_back(nb::cast<In<int32_t>>(t[0]));
        found.push_back({held.back().data(), nb::cast<int32_t>(t[1])});
    }
    return found;
}

// A guard that is asked in Python.
static Guard guarded_by(nb::object guard) {
    if (guard.is_none()) return {};
    return [guard](const std::vector<int64_t>& sizes, const std::vector<Histograms>& histograms) {
        nb::gil_scoped_acquire gil;
        nb::list parts;
        for (const Histograms& h : histograms)
            parts.append(nb::make_tuple(give(h.start), give(h.value), give(h.count)));
        const auto mask = nb::cast<In<uint8_t>>(guard(give(sizes), parts));
        if (mask.size() != sizes.size()) throw std::runtime_error("the guard judged another number of groups");
        return taken(mask);
    };
}

// Axes as (leaf of each row, parent, first, last, climb); the leaves stay where they are, `held` keeps them alive.
static std::vector<CoverAxis> taken_trees(nb::list axes, std::vector<In<int32_t>>& held) {
    std::vector<CoverAxis> trees;
    for (nb::handle item : axes) {
        nb::tuple t = nb::cast<nb::tuple>(item);
        held.push_back(nb::cast<In<int32_t>>(t[0]));
        trees.push_back({held.back().data(), taken(nb::cast<In<int32_t>>(t[1])), taken(nb::cast<In<int32_t>>(t[2])),
                         taken(nb::cast<In<int32_t>>(t[3])), taken(nb::cast<In<int64_t>>(t[4]))});
    }
    return trees;
}

static nb::tuple improve(nb::list axes, In<int32_t> start, int32_t n_classes, Matrix order, Matrix first, Matrix last,
                         int64_t k, int64_t proposals, double hot, double cold, int chains, uint64_t seed, int threads,
                         nb::list sensitive, nb::object guard, nb::object watch) {
    PartitionProblem problem;
    std::vector<In<int32_t>> held, columns;
    problem.axes = taken_trees(axes, held);
    problem.rows = static_cast<int64_t>(start.size());
    problem.start = start.data();
    problem.n_classes = n_classes;
    problem.order = order.data();
    problem.first = first.data();
    problem.last = last.data();
    problem.groupings = static_cast<int32_t>(order.shape(0));
    problem.k = k;
    problem.proposals = proposals;
    problem.hot = hot;
    problem.cold = cold;
    problem.chains = chains;
    problem.seed = seed;
    problem.threads = threads;
    problem.sensitive = taken_sensitive(sensitive, columns);
    problem.guard = guarded_by(guard);
    problem.watch = heard(watch);
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

static nb::tuple cover(nb::list axes, Matrix labels, int64_t k, int64_t proposals, double hot, double cold, int chains,
                       uint64_t seed, int threads, nb::object watch) {
    CoverProblem problem;
    std::vector<In<int32_t>> held;
    problem.axes = taken_trees(axes, held);
    problem.rows = static_cast<int64_t>(held[0].size());
    problem.labels = labels.data();
    problem.n_labels = static_cast<int64_t>(labels.shape(0));
    problem.k = k;
    problem.proposals = proposals;
    problem.hot = hot;
    problem.cold = cold;
    problem.chains = chains;
    problem.seed = seed;
    problem.threads = threads;
    problem.watch = heard(watch);
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
    m.def("cover_search", &cover, nb::arg("axes"), nb::arg("labels"), nb::kw_only(), nb::arg("k"), nb::arg("proposals"),
          nb::arg("hot"), nb::arg("cold"), nb::arg("chains"), nb::arg("seed"), nb::arg("threads"),
          nb::arg("watch").none());
    m.def("improve_partition", &improve, nb::arg("axes"), nb::arg("start"), nb::arg("n_classes"), nb::arg("order"),
          nb::arg("first"), nb::arg("last"), nb::kw_only(), nb::arg("k"), nb::arg("proposals"), nb::arg("hot"),
          nb::arg("cold"), nb::arg("chains"), nb::arg("seed"), nb::arg("threads"), nb::arg("sensitive"),
          nb::arg("guard").none(), nb::arg("watch").none());
    m.def("row_prices", &prices, nb::arg("columns"), nb::arg("weight"), nb::arg("nodes"), nb::arg("least"),
          nb::kw_only(), nb::arg("end"), nb::arg("k"), nb::arg("threads"), nb::arg("watch").none());
}

}  // namespace paravent

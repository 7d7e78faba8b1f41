// The Python face of greedy merging.
#pragma once

#include "bind.hpp"
#include "guided.hpp"
#include "merging.hpp"

namespace paravent {

// Classes as (nodes, sizes, trees), a tree as (parent, first, last, climb): a node costs what climbing to it saves.
template <class Problem> void take_classes(nb::tuple classes, Problem& problem) {
    const auto nodes = nb::cast<Matrix>(classes[0], false);
    problem.classes = static_cast<int64_t>(nodes.shape(0));
    problem.nodes = nodes.data();
    take(classes[1], problem.sizes);
    for (nb::handle item : nb::cast<nb::list>(classes[2])) {
        PricedAxis& axis = problem.axes.emplace_back();
        axis.style = Style::tree;
        unpack(item, axis.parent, axis.first, axis.last, axis.node_cost);
        axis.size = static_cast<int32_t>(axis.parent.size());
        const int64_t most = *std::max_element(axis.node_cost.begin(), axis.node_cost.end());
        for (int64_t& cost : axis.node_cost) cost = most - cost;
    }
}

inline nb::tuple merge(nb::tuple classes, int64_t k, bool stubs, bool in_order, nb::object watch) {
    Merging problem;
    take_classes(classes, problem);
    problem.k = k;
    problem.stubs = stubs;
    problem.in_order = in_order;
    problem.watch = heard(watch);
    Merges out = unlocked([&] { return Merger(problem).run(); });
    return give_all(out.left, out.right, out.cost, stubs ? out.taken : out.smallest);
}

inline nb::tuple merge_guided(nb::tuple classes, nb::tuple values, nb::tuple logs, int rule, bool whole_table,
                              int64_t k, In<uint8_t> failing, nb::object judge, nb::object watch) {
    Guided problem;
    take_classes(classes, problem);
    unpack(values, problem.start, problem.value, problem.count, problem.table);
    unpack(logs, problem.xlogx, problem.logs);
    problem.rule = static_cast<Preference>(rule);
    problem.whole_table = whole_table;
    problem.k = k;
    problem.failing = failing.data();
    problem.judge = asked(judge);
    problem.watch = heard(watch);
    Merges out = unlocked([&] { return GuidedMerger(problem).run(); });
    return give_all(out.left, out.right, out.cost, out.smallest);
}

inline void bind_merging(nb::module_& m) {
    define(m, "merge", &merge, {"classes", "k", "stubs", "in_order", "watch"});
    define(m, "merge_guided", &merge_guided,
           {"classes", "values", "logs", "rule", "whole_table", "k", "failing", "judge", "watch"});
}

}  // namespace paravent

// The Python face of the kernels: arrays in, arrays out. Callers check the arrays (kernels/__init__.py).
#include "bind.hpp"
#include "bind_clustering.hpp"
#include "bind_merging.hpp"
#include "bind_micro.hpp"
#include "fold.hpp"
#include "lattice.hpp"
#include "local.hpp"
#include "mondrian.hpp"
#include "sets.hpp"
#include "subsets.hpp"

using namespace paravent;

namespace paravent {

// A tree as (parent, first, last, climb).
inline void take(nb::handle from, Slope& tree) { unpack(from, tree.parent, tree.first, tree.last, tree.climb); }

// An axis as (style, ruler, unit, parent, first, last, cost of each node).
inline void take(nb::handle from, Axis& axis) {
    unpack(from, axis.style, axis.ruler, axis.unit, axis.parent, axis.first, axis.last, axis.node_cost);
    axis.size = static_cast<int32_t>(axis.ruler.size());
}

// A sensitive column as (codes, size).
inline void take(nb::handle from, Sensitive& column) { unpack(from, column.codes, column.size); }

inline void take(nb::handle from, Demand& demand) {
    unpack(from, demand.kind, demand.column, demand.a, demand.b, demand.whole);
}

// A column as (leaf of each tuple, levels), a level as (codes, size, cost of each leaf[, what they cover]).
inline void take(nb::handle from, Ladder& column) {
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

}  // namespace paravent

#include "bind_partition.hpp"
#include "bind_splitting.hpp"
#include "bind_swapping.hpp"

static nb::tuple mondrian(Matrix codes, nb::list axes, std::optional<In<int32_t>> weights, int64_t k, int rule,
                          std::optional<In<int32_t>> target, int32_t n_classes, In<double> numbers, bool relaxed,
                          int64_t sample, int threads, nb::list sensitive, nb::object guard, nb::object watch,
                          bool portable, bool record) {
    Problem problem;
    problem.record = record;
    problem.rows = static_cast<int64_t>(codes.shape(0));
    problem.codes = codes.data();
    if (weights) problem.weights = weights->data();
    problem.k = k;
    problem.rule = static_cast<Rule>(rule);
    if (target) problem.target = {target->data(), n_classes};
    problem.numbers = numbers.data();
    problem.relaxed = relaxed;
    problem.sample = sample;
    problem.threads = threads;
    take(axes, problem.axes);
    take(sensitive, problem.sensitive);
    problem.guard = guarded_by(guard);
    problem.watch = heard(watch);
    Partition out = unlocked([&] { return PARAVENT_BEST(mondrian, portable)(problem); });
    const size_t classes = out.starts.size() - 1, d = problem.axes.size(), cuts = out.tree.size() / 4;
    return nb::make_tuple(give(std::move(out.order)), give(std::move(out.starts)),
                          give(std::move(out.low), {classes, d}), give(std::move(out.high), {classes, d}),
                          give(std::move(out.cuts)), give(std::move(out.tree), {cuts, 4}), give(std::move(out.score)));
}

static nb::tuple sets(In<int32_t> order, In<int64_t> starts, In<int32_t> codes) {
    const auto classes = static_cast<int64_t>(starts.size()) - 1;
    Sets out = unlocked([&] { return class_sets(order.data(), starts.data(), classes, codes.data()); });
    return give_all(out.of_class, out.members, out.starts);
}

static nb::tuple outliers_of(nb::list columns, In<int32_t> weight, Matrix nodes, int64_t k, int64_t limit, bool sizes,
                             bool areas, int threads) {
    Lattice problem;
    problem.nodes = nodes.data();
    problem.n_nodes = static_cast<int64_t>(nodes.shape(0));
    problem.tuples = static_cast<int64_t>(weight.size());
    problem.weight = weight.data();
    problem.k = k;
    problem.limit = limit;
    problem.threads = threads;
    take(columns, problem.columns);
    problem.sizes = sizes;
    problem.areas = areas;
    Outliers out = unlocked([&] { return outliers(problem); });
    std::vector<int64_t> counts;  // of all classes, of those kept: how many, their squares
    std::vector<double> logs;
    for (size_t i = 0; i < out.all.size(); ++i) {
        for (const Sizes& s : {out.all[i], out.kept[i]}) {
            counts.insert(counts.end(), {s.classes, s.squares});
            logs.push_back(s.logs);
        }
    }
    const size_t n = out.all.size();
    return nb::make_tuple(give(std::move(out.rows)), give(std::move(out.cost), {nodes.shape(0), nodes.shape(1)}),
                          give(std::move(counts), {n, 2, 2}), give(std::move(logs), {n, 2}), give(std::move(out.area)));
}

static nb::tuple local_search(nb::list columns, In<int32_t> weight, Matrix nodes, int64_t k, int most,
                              int64_t proposals, double hot, double cold, uint64_t seed, int64_t coarse,
                              nb::list sensitive, nb::list demands, std::optional<In<int32_t>> given,
                              In<int64_t> given_cost, int threads, nb::object watch) {
    LocalProblem problem;
    problem.coarse = coarse;
    if (given) {
        problem.given = given->data();
        problem.given_cost = taken(given_cost);
    }
    problem.tuples = static_cast<int64_t>(weight.size());
    problem.weight = weight.data();
    problem.nodes = nodes.data();
    problem.n_nodes = static_cast<int64_t>(nodes.shape(0));
    problem.k = k;
    problem.most = most;
    problem.cooling = {proposals, hot, cold};
    problem.seed = seed;
    problem.threads = threads;
    problem.watch = heard(watch);
    take(columns, problem.columns);
    take(sensitive, problem.demands.columns);
    take(demands, problem.demands.list);
    problem.demands.ready(std::accumulate(problem.weight, problem.weight + problem.tuples, int64_t{0}));
    LocalResult out = unlocked([&] { return LocalSearch(problem).run(); });
    return nb::make_tuple(give(std::move(out.label_of_row)), out.cost, out.start_cost);
}

static std::vector<const int32_t*> pointers(const std::vector<In<int32_t>>& columns) {
    std::vector<const int32_t*> codes;
    for (const auto& column : columns) codes.push_back(column.data());
    return codes;
}

static nb::tuple fold(std::vector<In<int32_t>> columns, std::vector<int32_t> sizes) {
    const int64_t rows = columns.empty() ? 0 : static_cast<int64_t>(columns[0].size());
    Folded out = unlocked([&] { return fold_rows(pointers(columns), sizes, rows); });
    return give_all(out.tuple_of_row, out.representative, out.weight);
}

static nb::tuple uniques(std::vector<In<int32_t>> columns, std::vector<int32_t> sizes, In<int32_t> weight,
                         int max_size) {
    const auto tuples = static_cast<int64_t>(weight.size());
    Uniques out = unlocked([&] { return minimal_uniques(pointers(columns), sizes, weight.data(), tuples, max_size); });
    return give_all(out.tuple, out.columns);
}

static nb::tuple subsets(std::vector<In<int32_t>> columns, std::vector<int32_t> sizes, In<int32_t> weight,
                         int max_size) {
    const auto tuples = static_cast<int64_t>(weight.size());
    SubsetCounts out =
        unlocked([&] { return count_subsets(pointers(columns), sizes, weight.data(), tuples, max_size); });
    return give_all(out.columns, out.distinct, out.alone, out.pairs);
}

NB_MODULE(_native, m) {
    m.doc() = "paravent's hot loops";
    m.def("instruction_set", [] { return has_v3() ? "v3" : "v2"; });
    bind_micro(m);
    define(m, "mondrian", &mondrian,
           {"codes", "axes", "weights", "k", "rule", "target", "n_classes", "numbers", "relaxed", "sample", "threads",
            "sensitive", "guard", "watch", "portable", "record"});
    bind_clustering(m);
    bind_splitting(m);
    bind_swapping(m);
    bind_merging(m);
    define(m, "outliers", &outliers_of, {"columns", "weight", "nodes", "k", "limit", "sizes", "areas", "threads"});
    define(m, "local_search", &local_search,
           {"columns", "weight", "nodes", "k", "most", "proposals", "hot", "cold", "seed", "coarse", "sensitive",
            "demands", "given", "given_cost", "threads", "watch"});
    bind_partition(m);
    define(m, "fold", &fold, {"columns", "sizes"});
    define(m, "minimal_uniques", &uniques, {"columns", "sizes", "weight", "max_size"});
    define(m, "count_subsets", &subsets, {"columns", "sizes", "weight", "max_size"});
    define(m, "class_sets", &sets, {"order", "starts", "codes"});
}

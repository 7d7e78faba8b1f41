// The Python face of the kernels: arrays in, arrays out. Callers check the arrays (kernels/__init__.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "fold.hpp"
#include "guided.hpp"
#include "lattice.hpp"
#include "local.hpp"
#include "merging.hpp"
#include "mondrian.hpp"
#include "sets.hpp"
#include "subsets.hpp"

namespace nb = nanobind;
using namespace paravent;

template <class T> using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T> static nb::ndarray<nb::numpy, T> give(std::vector<T> values, std::vector<size_t> shape = {}) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {kept->size()};
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}

template <class T> static std::vector<T> taken(const In<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

static bool has_v3() {
#if defined(PARAVENT_HAS_V3)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

// A callback that also hears Ctrl-C.
static std::function<void(double)> heard(nb::object watch) {
    if (watch.is_none()) return {};
    return [watch](double done) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        watch(done);
    };
}

// Trees as (parent, first, last, climb): a node costs what climbing to it saves.
static std::vector<PricedAxis> taken_slopes(nb::list axes) {
    std::vector<PricedAxis> found;
    for (nb::handle item : axes) {
        nb::tuple t = nb::cast<nb::tuple>(item);
        PricedAxis axis;
        axis.style = Style::tree;
        axis.parent = taken(nb::cast<In<int32_t>>(t[0]));
        axis.first = taken(nb::cast<In<int32_t>>(t[1]));
        axis.last = taken(nb::cast<In<int32_t>>(t[2]));
        axis.node_cost = taken(nb::cast<In<int64_t>>(t[3]));
        axis.size = static_cast<int32_t>(axis.parent.size());
        const int64_t most = *std::max_element(axis.node_cost.begin(), axis.node_cost.end());
        for (int64_t& cost : axis.node_cost) cost = most - cost;
        found.push_back(std::move(axis));
    }
    return found;
}

// A tree as (parent, first, last, climb).
static Slope taken_slope(nb::handle item) {
    nb::tuple t = nb::cast<nb::tuple>(item);
    return {
        {taken(nb::cast<In<int32_t>>(t[0])), taken(nb::cast<In<int32_t>>(t[1])), taken(nb::cast<In<int32_t>>(t[2]))},
        taken(nb::cast<In<int64_t>>(t[3]))};
}

// An axis as (style, ruler, unit, parent, first, last, cost of each node).
static Axis taken_axis(nb::handle item) {
    nb::tuple t = nb::cast<nb::tuple>(item);
    Axis axis;
    static_cast<Tree&>(axis) = {taken(nb::cast<In<int32_t>>(t[3])), taken(nb::cast<In<int32_t>>(t[4])),
                                taken(nb::cast<In<int32_t>>(t[5]))};
    axis.node_cost = taken(nb::cast<In<int64_t>>(t[6]));
    axis.style = static_cast<Style>(nb::cast<int>(t[0]));
    axis.ruler = taken(nb::cast<In<int64_t>>(t[1]));
    axis.size = static_cast<int32_t>(axis.ruler.size());
    axis.unit = nb::cast<int64_t>(t[2]);
    return axis;
}

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

#include "bind_clustering.hpp"
#include "bind_micro.hpp"
#include "bind_splitting.hpp"

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
    for (nb::handle item : axes) problem.axes.push_back(taken_axis(item));
    std::vector<In<int32_t>> columns;
    problem.sensitive = taken_sensitive(sensitive, columns);
    problem.guard = guarded_by(guard);
    problem.watch = heard(watch);
    Partition out;
    {
        nb::gil_scoped_release free;
#if defined(PARAVENT_HAS_V3)
        out = !portable && has_v3() ? v3::mondrian(problem) : v2::mondrian(problem);
#else
        out = v2::mondrian(problem);
#endif
    }
    const size_t classes = out.starts.size() - 1, d = problem.axes.size(), cuts = out.tree.size() / 4;
    (void)portable;
    return nb::make_tuple(give(std::move(out.order)), give(std::move(out.starts)),
                          give(std::move(out.low), {classes, d}), give(std::move(out.high), {classes, d}),
                          give(std::move(out.cuts)), give(std::move(out.tree), {cuts, 4}), give(std::move(out.score)));
}

static nb::tuple sets(In<int32_t> order, In<int64_t> starts, In<int32_t> codes) {
    Sets out;
    {
        nb::gil_scoped_release free;
        out = class_sets(order.data(), starts.data(), static_cast<int64_t>(starts.size()) - 1, codes.data());
    }
    return nb::make_tuple(give(std::move(out.of_class)), give(std::move(out.members)), give(std::move(out.starts)));
}

static nb::tuple merge(Matrix nodes, In<int64_t> sizes, nb::list axes, int64_t k, bool stubs, bool in_order,
                       nb::object watch) {
    Merging problem;
    problem.classes = static_cast<int64_t>(nodes.shape(0));
    problem.nodes = nodes.data();
    problem.sizes = sizes.data();
    problem.k = k;
    problem.stubs = stubs;
    problem.in_order = in_order;
    problem.watch = heard(watch);
    problem.axes = taken_slopes(axes);
    Merges out;
    {
        nb::gil_scoped_release free;
        out = Merger(problem).run();
    }
    return nb::make_tuple(give(std::move(out.left)), give(std::move(out.right)), give(std::move(out.cost)),
                          give(std::move(stubs ? out.taken : out.smallest)));
}

// Columns as (leaf of each tuple, levels); the leaves stay where they are, `held` keeps them alive.
static std::vector<Ladder> taken_ladders(nb::list columns, std::vector<In<int32_t>>& held) {
    std::vector<Ladder> ladders;
    for (nb::handle item : columns) {
        nb::tuple t = nb::cast<nb::tuple>(item);
        held.push_back(nb::cast<In<int32_t>>(t[0]));
        Ladder column;
        column.leaf = held.back().data();
        for (nb::handle level : nb::cast<nb::list>(t[1])) {
            nb::tuple l = nb::cast<nb::tuple>(level);
            column.codes.push_back(taken(nb::cast<In<int32_t>>(l[0])));
            column.sizes.push_back(nb::cast<int32_t>(l[1]));
            column.cost.push_back(taken(nb::cast<In<int64_t>>(l[2])));
            if (l.size() > 3) column.covers.push_back(taken(nb::cast<In<double>>(l[3])));
        }
        ladders.push_back(std::move(column));
    }
    return ladders;
}

static nb::tuple outliers_of(nb::list columns, In<int32_t> weight, Matrix nodes, int64_t k, int64_t limit, bool sizes,
                             bool areas, int threads) {
    Lattice problem;
    problem.tuples = static_cast<int64_t>(weight.size());
    problem.weight = weight.data();
    problem.k = k;
    problem.limit = limit;
    problem.threads = threads;
    std::vector<In<int32_t>> held;
    problem.columns = taken_ladders(columns, held);
    problem.sizes = sizes;
    problem.areas = areas;
    Outliers out;
    {
        nb::gil_scoped_release free;
        out = outliers(problem, nodes.data(), static_cast<int64_t>(nodes.shape(0)));
    }
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
    std::vector<In<int32_t>> held;
    problem.columns = taken_ladders(columns, held);
    std::vector<In<int32_t>> values;
    problem.demands.columns = taken_sensitive(sensitive, values);
    for (nb::handle item : demands) {
        nb::tuple t = nb::cast<nb::tuple>(item);
        problem.demands.list.push_back({static_cast<Demand::Kind>(nb::cast<int>(t[0])), nb::cast<int32_t>(t[1]),
                                        nb::cast<double>(t[2]), nb::cast<double>(t[3]),
                                        taken(nb::cast<In<double>>(t[4]))});
    }
    problem.demands.ready(std::accumulate(problem.weight, problem.weight + problem.tuples, int64_t{0}));
    LocalResult out;
    {
        nb::gil_scoped_release free;
        out = LocalSearch(problem).run();
    }
    return nb::make_tuple(give(std::move(out.label_of_row)), out.cost, out.start_cost);
}

static nb::tuple fold(std::vector<In<int32_t>> columns, std::vector<int32_t> sizes) {
    Folded out;
    std::vector<const int32_t*> codes;
    for (const auto& column : columns) codes.push_back(column.data());
    const int64_t rows = columns.empty() ? 0 : static_cast<int64_t>(columns[0].size());
    {
        nb::gil_scoped_release free;
        out = fold_rows(codes, sizes, rows);
    }
    return nb::make_tuple(give(std::move(out.tuple_of_row)), give(std::move(out.representative)),
                          give(std::move(out.weight)));
}

static nb::tuple merge_guided(Matrix nodes, In<int64_t> sizes, nb::list axes, nb::tuple values, In<int64_t> table,
                              nb::tuple logs, int rule, bool whole_table, int64_t k, In<uint8_t> failing,
                              nb::object judge, nb::object watch) {
    const auto start = nb::cast<In<int64_t>>(values[0]);
    const auto value = nb::cast<In<int32_t>>(values[1]);
    const auto count = nb::cast<In<int64_t>>(values[2]);
    const auto xlogx = nb::cast<In<int64_t>>(logs[0]);
    const auto log = nb::cast<In<double>>(logs[1]);
    Guided problem;
    problem.classes = static_cast<int64_t>(nodes.shape(0));
    problem.nodes = nodes.data();
    problem.sizes = sizes.data();
    problem.start = start.data();
    problem.value = value.data();
    problem.count = count.data();
    problem.table = taken(table);
    problem.xlogx = xlogx.data();
    problem.logs = log.data();
    problem.rule = static_cast<Preference>(rule);
    problem.whole_table = whole_table;
    problem.k = k;
    problem.failing = failing.data();
    problem.watch = heard(watch);
    if (!judge.is_none())
        problem.judge = [&judge](int32_t a, int32_t b) {
            nb::gil_scoped_acquire gil;
            return nb::cast<bool>(judge(a, b));
        };
    problem.axes = taken_slopes(axes);
    Merges out;
    {
        nb::gil_scoped_release free;
        out = GuidedMerger(problem).run();
    }
    return nb::make_tuple(give(std::move(out.left)), give(std::move(out.right)), give(std::move(out.cost)),
                          give(std::move(out.smallest)));
}

#include "bind_partition.hpp"

static std::vector<const int32_t*> pointers(const std::vector<In<int32_t>>& columns) {
    std::vector<const int32_t*> codes;
    for (const auto& column : columns) codes.push_back(column.data());
    return codes;
}

static nb::tuple uniques(std::vector<In<int32_t>> columns, std::vector<int32_t> sizes, In<int32_t> weight,
                         int max_size) {
    Uniques out;
    {
        nb::gil_scoped_release free;
        out = minimal_uniques(pointers(columns), sizes, weight.data(), static_cast<int64_t>(weight.size()), max_size);
    }
    return nb::make_tuple(give(std::move(out.tuple)), give(std::move(out.columns)));
}

static nb::tuple subsets(std::vector<In<int32_t>> columns, std::vector<int32_t> sizes, In<int32_t> weight,
                         int max_size) {
    SubsetCounts out;
    {
        nb::gil_scoped_release free;
        out = count_subsets(pointers(columns), sizes, weight.data(), static_cast<int64_t>(weight.size()), max_size);
    }
    return nb::make_tuple(give(std::move(out.columns)), give(std::move(out.distinct)), give(std::move(out.alone)),
                          give(std::move(out.pairs)));
}

NB_MODULE(_native, m) {
    m.doc() = "paravent's hot loops";
    m.def("instruction_set", [] { return has_v3() ? "v3" : "v2"; });
    add_micro(m);
    m.def("mondrian", &mondrian, nb::arg("codes"), nb::arg("axes"), nb::kw_only(), nb::arg("weights").none(),
          nb::arg("k"), nb::arg("rule"), nb::arg("target").none(), nb::arg("n_classes"), nb::arg("numbers"),
          nb::arg("relaxed"), nb::arg("sample"), nb::arg("threads"), nb::arg("sensitive"), nb::arg("guard").none(),
          nb::arg("watch").none(), nb::arg("portable"), nb::arg("record"));
    bind_clustering(m);
    bind_splitting(m);
    m.def("merge", &merge, nb::arg("nodes"), nb::arg("sizes"), nb::arg("axes"), nb::kw_only(), nb::arg("k"),
          nb::arg("stubs") = false, nb::arg("in_order") = false, nb::arg("watch").none());
    m.def("merge_guided", &merge_guided, nb::arg("nodes"), nb::arg("sizes"), nb::arg("axes"), nb::arg("values"),
          nb::arg("table"), nb::arg("logs"), nb::kw_only(), nb::arg("rule"), nb::arg("whole_table"), nb::arg("k"),
          nb::arg("failing"), nb::arg("judge").none(), nb::arg("watch").none());
    m.def("outliers", &outliers_of, nb::arg("columns"), nb::arg("weight"), nb::arg("nodes"), nb::kw_only(),
          nb::arg("k"), nb::arg("limit"), nb::arg("sizes"), nb::arg("areas"), nb::arg("threads"));
    m.def("local_search", &local_search, nb::arg("columns"), nb::arg("weight"), nb::arg("nodes"), nb::kw_only(),
          nb::arg("k"), nb::arg("most"), nb::arg("proposals"), nb::arg("hot"), nb::arg("cold"), nb::arg("seed"),
          nb::arg("coarse"), nb::arg("sensitive"), nb::arg("demands"), nb::arg("given").none(), nb::arg("given_cost"),
          nb::arg("threads"), nb::arg("watch").none());
    bind_partition(m);
    m.def("fold", &fold, nb::arg("columns"), nb::arg("sizes"));
    m.def("minimal_uniques", &uniques, nb::arg("columns"), nb::arg("sizes"), nb::arg("weight"), nb::arg("max_size"));
    m.def("count_subsets", &subsets, nb::arg("columns"), nb::arg("sizes"), nb::arg("weight"), nb::arg("max_size"));
    m.def("class_sets", &sets, nb::arg("order"), nb::arg("starts"), nb::arg("codes"));
}

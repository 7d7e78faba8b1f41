// The Python face of the kernels: arrays in, arrays out. Callers check the arrays (kernels/*.py).
#include "bind.hpp"
#include "bound.hpp"
#include "fold.hpp"
#include "guided.hpp"
#include "joining.hpp"
#include "lattice.hpp"
#include "micro.hpp"
#include "micro_refine.hpp"
#include "mondrian.hpp"
#include "opening.hpp"
#include "regrouping.hpp"
#include "splitting.hpp"
#include "subsets.hpp"
#include "swapping.hpp"

namespace paravent {
void bind_reading(nb::module_& m);  // columns.cpp
}

NB_MODULE(_native, m) {
    using namespace paravent;
    m.doc() = "paravent's hot loops";
    m.def("instruction_set", [] { return has_v3() ? "v3" : "v2"; });

    define(m, "mondrian", mondrian);
    define(m, "class_sets", class_sets);
    define(
        m, "outliers", +[](Lattice& p) {
            p.demands.ready(std::accumulate(p.weight, p.weight + p.tuples, int64_t{0}));
            return outliers(p);
        });
    define(m, "row_prices", +[](const BoundProblem& p) { return PriceAscent(p).run(); });
    define(
        m, "regroup", +[](RegroupProblem& p) {
            p.demands.ready(p.rows);
            return Regrouping(p).run();
        });
    define(
        m, "open_labels", +[](OpeningProblem& p) {
            p.demands.ready(p.rows_of.back());
            return Opening(p).run();
        });
    define(m, "split_classes", Splitter::all);
    define(m, "merge", +[](const Merging& p) { return Merger(p).run(); });
    define(m, "merge_guided", +[](const Guided& p) { return GuidedMerger(p).run(); });
    define(m, "grow", +[](const Growing& p) { return Grower(p).run(); });
    define(m, "join", join_rows);
    define(m, "shed", shed_rows);
    define(m, "absorb", absorb);
    define(m, "mdav", +[](const MicroProblem& p) { return PARAVENT_BEST(mdav, p.portable)(p); });
    define(m, "refine", +[](const RefineProblem& p) { return Refiner(p).run(); });
    define(m, "shortest_cuts", cut_rows);
    define(m, "fold", fold_rows);
    define(m, "minimal_uniques", minimal_uniques);
    define(m, "count_subsets", count_subsets);
    define(m, "rank_partners", rank_partners);
    define(m, "area_partners", area_partners);
    bind_reading(m);
}

// The Python face of the kernels: arrays in, arrays out. Callers check the arrays (kernels/*.py).
#include "bind.hpp"
#include "bound.hpp"
#include "counting.hpp"
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

NB_MODULE(_native, m) {
    using namespace paravent;
    m.doc() = "paravent's hot loops";
    m.def("instruction_set", [] { return has_v3() ? "v3" : "v2"; });

    define(m, "mondrian", mondrian);
    define(m, "class_sets", class_sets);
    define(m, "outliers", outliers);
    define(m, "row_prices", +[](const BoundProblem& p) { return PriceAscent(p).run(); });
    define(m, "regroup", +[](const RegroupProblem& p) { return Regrouping(p).run(); });
    define(m, "open_labels", +[](const OpeningProblem& p) { return Opening(p).run(); });
    define(m, "split_classes", +[](const Splitting& p) { return Splitter(p).all(); });
    define(m, "merge", +[](const Merging& p) { return Merger(p).run(); });
    define(m, "grow", +[](const Growing& p) { return Grower(p).run(); });
    define(m, "join", join_rows);
    define(m, "shed", shed_rows);
    define(m, "absorb", absorb);
    define(m, "mdav", +[](const MicroProblem& p) { return has_v3() && !p.portable ? v3::mdav(p) : v2::mdav(p); });
    define(m, "refine", +[](const RefineProblem& p) { return Refiner(p).run(); });
    define(m, "shortest_cuts", cut_rows);
    define(m, "fold", fold_rows);
    define(m, "subsets", +[](const ColumnSets& p) { return SubsetSearch(p).run(); });
    define(m, "rank_partners", rank_partners);
    define(m, "area_partners", area_partners);
    define(m, "text_codes", +[](ArrowArrayStream* column) { return TextCoder().run(Texts(column)); });
    define(m, "join_texts", +[](ArrowArrayStream* column, uint8_t* to) { return join_texts(Texts(column), to); });
    define(m, "count_codes", count_codes);
    define(m, "count_pairs", count_pairs);
}

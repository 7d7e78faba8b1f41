"""The hot loops, alone: plain arrays in, plain arrays out.

They run in C++ (`cpp/`). The arrays are checked here, before a kernel sees them; the tests hold each kernel against a
version in NumPy that gives the same bytes (`tests/kernels/twins/`).
"""

from paravent.kernels.checks import Guard, Histograms
from paravent.kernels.clustering import Grouped, Judge, Members, Points, PricedAxis, absorb, grow, join, shed
from paravent.kernels.columns import TextCodes, count_codes, count_pairs, join_texts, text_codes
from paravent.kernels.cutting import CutAxis, Partition, Rule, Style, mondrian
from paravent.kernels.demands import SEARCHED, Demand, DemandKind
from paravent.kernels.folding import Folded, fold
from paravent.kernels.guided import Values, merge_guided
from paravent.kernels.lattice import Asked, Outliers, PricedLevel, Tuples, outliers
from paravent.kernels.merging import Merges, TreeCosts, merge
from paravent.kernels.native import check_codes, threads
from paravent.kernels.sets import Sets, class_sets

__all__ = [
    "SEARCHED",
    "Asked",
    "CutAxis",
    "Demand",
    "DemandKind",
    "Folded",
    "Grouped",
    "Guard",
    "Histograms",
    "Judge",
    "Members",
    "Merges",
    "Outliers",
    "Partition",
    "Points",
    "PricedAxis",
    "PricedLevel",
    "Rule",
    "Sets",
    "Style",
    "TextCodes",
    "TreeCosts",
    "Tuples",
    "Values",
    "absorb",
    "check_codes",
    "class_sets",
    "count_codes",
    "count_pairs",
    "fold",
    "grow",
    "join",
    "join_texts",
    "merge",
    "merge_guided",
    "mondrian",
    "outliers",
    "shed",
    "text_codes",
    "threads",
]

"""Which measures a comparison is seen by, where synthetic rows stand beside rows of people.

Loss of detail and the size of classes say nothing about rows that are nobody's. Where nobody asks for other measures,
those take their place that all candidates have: the error of counts, and how often a description that is taken from the
release fits exactly one person. Where all candidates are synthetic, epsilon and the shares of pairs of values do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paravent.comparison.entry import Wanted
from paravent.plan.plan import Plan
from paravent.privacy.promise import Constructed
from paravent.utility.protection import EPSILON

if TYPE_CHECKING:
    from paravent.comparison.run import Options

SINGLED_OUT = "attack.singling_out.all"
COUNTS = "utility.queries.are"
PAIRS = "utility.marginals.2.mean"


def sort_of(plan: Plan | None) -> tuple[bool, bool]:
    """Candidates of one sort have the same measures: whether rows are synthetic, and whether there is an epsilon."""
    if plan is None:
        return False, False
    return plan.method.draws_rows, any(isinstance(promise, Constructed) for promise in plan.protect)


def measures_for_all(options: Options, plans: Sequence[Plan]) -> dict[str, Any]:
    """The options that have to be others than they are, so that every candidate has what they are compared by."""
    drawn = [plan.method.draws_rows for plan in plans]
    if not any(drawn):
        return {}
    stands_in = (COUNTS, SINGLED_OUT) if not all(drawn) else (PAIRS, EPSILON)
    said, unsaid = options.wanted, Wanted()
    wanted = {
        "by": stands_in[0] if said.by == unsaid.by else said.by,
        "risk": stands_in[1] if said.risk == unsaid.risk else said.risk,
        "utility": stands_in[0] if said.utility == unsaid.utility else said.utility,
    }
    families = dict.fromkeys(options.measures)
    if any(name.startswith("utility.queries.") for name in wanted.values()):
        families["queries"] = None
    return {**wanted, "measures": tuple(families)}

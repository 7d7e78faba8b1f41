"""Rows as they are: whether the classes that they make without any generalization hold what is asked.

Where nothing is generalized, a grouping tells whether a candidate can be run at all; all others can coarsen on.
"""

from __future__ import annotations

from functools import cached_property

from paravent.errors import InfeasibleError, UnsafeReleaseError
from paravent.knowledge.generators import max_suppressed
from paravent.methods import AsIs
from paravent.plan.plan import Plan
from paravent.plan.runner import anonymize
from paravent.privacy.k_anonymity import k_asked
from paravent.table.table import Table


class RowsAsTheyAre:
    """The rows of a table, for candidates that differ in k and in the rows that they may leave out."""

    def __init__(self, table: Table):
        self._table = table
        self._failed: list[tuple[int, float, str]] = []

    def failure(self, plan: Plan) -> str:
        """Why a plan that generalizes nothing cannot be served; nothing where it can, or where it generalizes. A larger
        k, or fewer rows that may be left out, fails wherever a plan has failed."""
        if not isinstance(plan.method, AsIs):
            return ""
        k = k_asked(plan.models) or 1
        for least, rate, why in self._failed:
            if least <= k and rate >= plan.suppression:
                return why
        if why := self._of_size(plan, k) or self._of_a_run(plan):
            self._failed.append((k, plan.suppression, why))
        return why

    def _of_size(self, plan: Plan, k: int) -> str:
        """By the sizes of classes alone, unless treatments, persons or missing values decide what a class is."""
        frame = self._table.frame
        if not self._is_plain(plan):
            return ""
        sizes, limit = frame.group_by(list(plan.quasi)).len()["len"], max_suppressed(frame.height, plan.suppression)
        if int(sizes.filter(sizes < k).sum()) <= limit:
            return ""
        return (
            f"with nothing generalized, more than {limit} rows are in classes of fewer than {k}. Treat columns more "
            "coarsely, or allow more suppression."
        )

    def _of_a_run(self, plan: Plan) -> str:
        if self._is_plain(plan) and len(plan.models) == 1:
            return ""
        try:
            anonymize(self._table, plan)
        except (InfeasibleError, UnsafeReleaseError) as error:
            return error.raw.removeprefix("AsIs: ")
        return ""

    def _is_plain(self, plan: Plan) -> bool:
        return (
            not plan.treat and not isinstance(plan.person, str) and not any(self._missing[name] for name in plan.quasi)
        )

    @cached_property
    def _missing(self) -> dict[str, int]:
        return dict(self._table.frame.null_count().row(0, named=True))

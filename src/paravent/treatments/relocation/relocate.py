"""Relocation: few outlying rows move a little, so that all others need less generalization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, ParaventError, PlanError
from paravent.hierarchy.fitting import fit
from paravent.hierarchy.spec import spec_from_document
from paravent.methods.method import RoleName
from paravent.published import Randomised
from paravent.table.domain import Coded, Domain
from paravent.table.table import Table
from paravent.treatments.relocation.nearest import InTree, OnLine, Scale, moves
from paravent.treatments.strata import check_share
from paravent.treatments.treatment import OnColumns, Reach, Treated, Work


@dataclass(frozen=True, repr=False)
class Relocate(OnColumns):
    """Rows that stand nearly alone move, in one column, to the nearest combination of values that `k` rows share.

    Alone is who shares the values of all columns with fewer than `k` rows. Numbers and dates may be counted in steps of
    `width` (days of dates), one for all or one for each column: a row then gets the nearest value of the next step.
    Near is near on the line, in the order of an ordinal column, or in the tree that the plan gives a column of words.
    More than a share `most` of the rows is not moved: the plan is refused then. A row that no single column brings to
    others stays, and the trace counts such rows. Classes are then made of the moved rows as of all others; a moved cell
    is no longer true of its row.

    >>> import polars as pl
    >>> import paravent as pv
    >>> rows = pl.DataFrame({"age": [30] * 20 + [31] * 20 + [97], "sex": ["f", "m"] * 20 + ["m"]})
    >>> plan = pv.Plan({"age": pv.Quasi(), "sex": pv.Quasi(pv.flat())}, pv.KAnonymity(5),
    ...                treat=[Relocate(("age", "sex"), k=5)])
    >>> pv.anonymize(rows, plan).trace[0]
    "Relocate: 1 of 41 rows moved in 'age', 0 in 'sex'; 0 rows as much alone have nobody near in one column."
    """

    _: KW_ONLY
    k: int
    most: float = 0.05
    width: float | Mapping[str, float] | None = None

    title: ClassVar[str] = "Relocation"
    source: ClassVar[str] = "Nergiz and Gök 2014"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < 2:
            raise PlanError(f"Relocate: k must be at least 2, not {self.k}.")
        check_share(self, most=self.most)
        widths = self.width if isinstance(self.width, Mapping) else dict.fromkeys(self.columns, self.width)
        for name, width in widths.items():
            if name not in self.columns:
                raise PlanError(f"Relocate: width names {name!r}, which is none of the columns.")
            if width is not None and not 0 < width < np.inf:
                raise PlanError(f"Relocate: width must be a number above 0, not {width!r}.")

    @property
    def coarsens(self) -> bool:
        return False

    @property
    def reach(self) -> Reach:
        return "table"

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        for name in self.columns:
            if isinstance(self.width, Mapping) and name in self.width and Domain.of(table, name).positions is None:
                raise PlanError(f"Relocate: column {name!r} is {table.columns[name].kind}, which has no width.")

    def run(self, work: Work) -> Treated:
        coded = [Coded.of(work.table, name) for name in self.columns]
        known = np.flatnonzero(np.all([each.codes >= 0 for each in coded], axis=0))
        steps = [self._steps(work, each.domain) for each in coded]
        codes = [step.of_value[each.codes[known]] for step, each in zip(steps, coded, strict=True)]
        found = moves(codes, [len(step) for step in steps], [step.scale for step in steps], self.k)
        rows = len(work.table)
        if len(found.rows) > self.most * rows:
            raise InfeasibleError(
                f"Relocate: {len(found.rows)} of {rows} rows would move, more than a share of {self.most:g}. Allow "
                "more, count in a greater width, or name fewer columns."
            )
        cells, told = {}, []
        figures = {"outlying": float(found.outlying), "moved": float(len(found.rows))}
        for at, (name, each, step) in enumerate(zip(self.columns, coded, steps, strict=True)):
            here = found.column == at
            moved = known[found.rows[here]]
            new = each.codes.astype(np.int64)
            new[moved] = step.nearest(new[moved], found.code[here])
            values = each.domain.values.cast(work.frame.schema[name])
            published = values.gather(pl.Series(new).replace(-1, None)).alias("cells")
            cells[name] = Randomised(published, tuple(values.to_list()))
            told.append(f"{len(moved)}{'' if at else f' of {rows} rows moved'} in {name!r}")
            figures[f"moved.{name}"] = float(len(moved))
        left = found.outlying - len(found.rows)
        words = f"Relocate: {', '.join(told)}; {left} rows as much alone have nobody near in one column."
        return Treated(cells, trace=(words,), figures=figures)

    def _steps(self, work: Work, domain: Domain) -> _Steps:
        width = self.width.get(domain.name) if isinstance(self.width, Mapping) else self.width
        if domain.positions is not None:
            if width is None:
                return _Steps(np.arange(len(domain), dtype=np.int32), OnLine(domain.positions))
            number = np.floor(domain.positions / width)
            steps, of_value = np.unique(number, return_inverse=True)
            return _Steps(of_value.astype(np.int32), OnLine(steps))
        if domain.kind.is_ordered:
            return _Steps(np.arange(len(domain), dtype=np.int32), OnLine(np.arange(len(domain), dtype=np.float64)))
        return self._by_tree(work, domain)

    def _by_tree(self, work: Work, domain: Domain) -> _Steps:
        if domain.name not in work.trees:
            raise PlanError(
                f"Relocate: column {domain.name!r} is {domain.kind}, and nothing says which of its values are near "
                "each other. Give it a tree: pv.Quasi(tree)."
            )
        try:
            fitted = fit(spec_from_document(work.trees[domain.name], name=domain.name).build(domain), domain)
        except ParaventError as error:
            raise PlanError(f"Relocate: column {domain.name!r}: {error.raw}") from None
        return _Steps(fitted.order, InTree(fitted.tree))


@dataclass(frozen=True, eq=False)
class _Steps:
    """What counts as one: the step of each value of a column, in the order of the values or of a tree; and how far
    steps are apart."""

    of_value: np.ndarray
    scale: Scale

    def __len__(self) -> int:
        return int(self.of_value.max(initial=-1)) + 1

    def nearest(self, values: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """The nearest value of another step: its first from below, its last from above."""
        order = np.argsort(self.of_value, kind="stable")
        ends = np.searchsorted(self.of_value[order], np.arange(len(self) + 1))
        above = steps > self.of_value[values]
        return np.asarray(order[np.where(above, ends[steps], ends[steps + 1] - 1)])

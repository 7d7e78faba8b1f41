"""Encoding: a table and a plan become the axes that methods see.

A column with a tree takes its leaf order. Without one, numbers, dates and ordinal values keep the order of their
domain, and all others stand from the most frequent value to the rarest, ties in the order of their text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from paravent.errors import ParaventError, PlanError, TreeError, quote
from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.hierarchy.builders import balanced
from paravent.hierarchy.cells import CellReader
from paravent.hierarchy.fitting import Fitted, fit
from paravent.hierarchy.grid import grid_of
from paravent.hierarchy.spec import TreeSpec, spec_from_document
from paravent.hierarchy.tree import ROOT_LABEL, Tree
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.plan.roles import DROP_ROWS, IMPUTE, OWN_VALUE, WILDCARD, Quasi
from paravent.plan.treat import Base
from paravent.table.alike import fold
from paravent.table.domain import Coded, Domain
from paravent.table.kinds import Column, Kind
from paravent.table.side_by_side import side_by_side
from paravent.table.table import Table
from paravent.table.text import as_text, is_text

_LARGEST = 1e150
"""Squares of numbers that are no larger can still be added up."""


def encode(table: Table, plan: Plan) -> tuple[Axis, ...]:
    """One axis for each quasi-identifier of the plan, over all rows of the table.

    A missing cell is the leaf `(missing)` where it is an own value; the lower median or the mode where it is imputed;
    and the most frequent value stands in where it is a wildcard or its row will be dropped.
    """
    plan = _as_counted(resolved(plan))
    return tuple(side_by_side(lambda name: _axis(table, plan, name), plan.quasi, rows=len(table)))


def _as_counted(plan: Plan) -> Plan:
    """Where rows are drawn, the values are counted in cells of the plan's making, and none is refused for being
    unforeseen."""
    if not plan.method.is_mechanism():
        return plan
    roles = {name: replace(role, outside="root") for name, role in plan.quasi.items() if role.tree is not None}
    return plan.replace(columns={**plan.columns, **roles})


def encode_column(table: Table, plan: Plan, name: str) -> Axis:
    """The axis of one quasi-identifier alone."""
    return _axis(table, resolved(plan), name)


def encode_original(base: Base, plan: Plan) -> tuple[Axis, ...]:
    """The axes of a run over all rows of the original, those that the plan samples out or drops for a missing value
    included.

    Values, trees and what is imputed are those of the rows that stay. A dropped row, which is nowhere in the release,
    keeps its value where a row that stays has it too; else the most frequent one stands in.
    """
    present, positions, _ = without_missing_rows(base, plan)
    axes = encode(present, plan)
    if present is base.table:
        return axes
    gone = np.setdiff1d(np.arange(len(base.table)), positions)
    return tuple(_over_all_rows(axis, base.table, positions, gone) for axis in axes)


def _over_all_rows(axis: Axis, table: Table, positions: np.ndarray, gone: np.ndarray) -> Axis:
    rank = {value: i for i, value in enumerate(axis.values)}
    stand_in = int(np.argmax(np.bincount(axis.codes)))
    codes = np.empty(len(table), dtype=np.int32)
    codes[positions] = axis.codes
    codes[gone] = [rank.get(text, stand_in) for text in as_text(table.frame[axis.name].alias("cells").gather(gone))]
    return replace(axis, codes=codes, unknown=None)


def encode_sensitive(table: Table, plan: Plan) -> dict[str, np.ndarray]:
    """The codes of every sensitive column that a model reads; missing values have a code of their own.

    Where values that look alike count as one, they share a code.
    """
    return {name: judged_codes(as_judged(Coded.of(table, name), plan)) for name in plan.judged}


def judged_codes(coded: Coded) -> np.ndarray:
    """The codes of a sensitive column as models count it: a missing value has the code after the last."""
    return np.where(coded.missing, np.int32(len(coded.domain)), coded.codes)


def sensitive_domains(table: Table, plan: Plan) -> dict[str, Domain]:
    """What the codes of the sensitive columns stand for, where a model asks."""
    read = dict.fromkeys(model.needs[0] for model in plan.models if model.reads_values)
    return {name: as_judged(Coded.of(table, name), plan).domain for name in read}


def as_judged(coded: Coded, plan: Plan) -> Coded:
    """A sensitive column as models see it."""
    name = coded.domain.name
    if name not in plan.alike or not is_text(coded.domain.values.dtype):
        return coded
    forms = [fold(text) for text in coded.domain.text]
    seen = sorted({form for form in forms if form})  # where nothing is to be seen, a value is missing
    place = {form: i for i, form in enumerate(seen)}
    new = np.array([*(place.get(form, -1) for form in forms), -1], dtype=np.int32)  # code −1 picks the last entry
    counts = np.zeros(len(seen), dtype=np.int64)
    np.add.at(counts, new[:-1][new[:-1] >= 0], coded.domain.counts[new[:-1] >= 0])
    return Coded(
        Domain(name, Kind.NOMINAL, pl.Series(name, seen, dtype=pl.String), counts), new[coded.codes], coded.times
    )


def without_missing_rows(base: Base, plan: Plan) -> tuple[Table, np.ndarray, Mapping[str, int]]:
    """The table without the rows that the plan samples out or drops for a missing value, the positions of the rows that
    stay, and how many rows each column would drop by itself."""
    table = base.table
    keep = np.zeros(len(table), dtype=bool)
    keep[base.rows] = True
    stays = keep.copy()
    dropped = {}
    for name in (*plan.quasi, *plan.judged):
        if plan.meaning_of_missing(name) == DROP_ROWS:
            cells = table.frame[name].alias("cells")
            if not cells.null_count() and not cells.dtype.is_float():
                continue
            present = (cells.fill_nan(None) if cells.dtype.is_float() else cells).is_not_null().to_numpy()
            if not present[stays].all():
                dropped[name] = int((stays & ~present).sum())
                keep &= present
    positions = np.flatnonzero(keep)
    if len(positions) == len(table):
        return table, positions, {}
    frame = table.frame.filter(keep)
    columns = {name: replace(column, missing=frame[name].null_count()) for name, column in table.columns.items()}
    return replace(table, frame=frame, columns=columns, rows=table.rows[positions]), positions, dropped


@dataclass(frozen=True, eq=False)
class _Ordered:
    """The values of a column in the order of their ranks; `rank[i]` is that of domain value i."""

    values: tuple[str, ...]
    rank: np.ndarray
    tree: Tree | None = None
    given: Tree | None = None


def _axis(table: Table, plan: Plan, name: str) -> Axis:
    return axis_of(Coded.of(table, name), table.columns[name], plan)


def axis_of(coded: Coded, column: Column, plan: Plan) -> Axis:
    """The axis of a quasi-identifier from its values and how often each occurs, by a plan whose paths are absolute."""
    name, domain, codes, missing = column.name, coded.domain, coded.codes, coded.n_missing
    role, meaning = plan.quasi[name], plan.meaning_of_missing(name)
    if missing and meaning == IMPUTE and len(domain) == 0:
        raise PlanError(
            f"columns.{name}: every value is missing, so there is nothing to impute from. "
            "Give missing values another meaning, or leave the column out."
        )
    unknown = codes < 0 if missing and meaning == WILDCARD else None
    own_leaf = bool(missing) and (meaning == OWN_VALUE or len(domain) == 0)
    _check_values(domain, own_leaf)
    if missing and not own_leaf:
        stand_in = _stand_in(domain, impute=meaning == IMPUTE)
        codes = np.where(codes < 0, np.int32(stand_in), codes)
        if meaning == IMPUTE:
            domain = replace(domain, counts=domain.counts + missing * (np.arange(len(domain)) == stand_in))
    domain = replace(domain, exact=role.bounds == "exact")
    ordered = _in_order(domain, role, own_leaf)
    rank = ordered.rank
    if own_leaf:
        rank = np.append(rank, len(domain))  # code −1 is the last entry
    if own_leaf or not np.array_equal(rank, np.arange(len(rank))):
        codes = rank.astype(np.int32)[codes]
    positions = None
    if domain.positions is not None and len(domain):
        positions = np.full(len(ordered.values), np.nan)  # a missing value has no place
        positions[ordered.rank] = domain.positions
    return Axis(
        name,
        domain.kind,
        codes,
        ordered.values,
        ordered.tree,
        positions,
        float(role.weight),
        given=ordered.given,
        unknown=unknown,
        scale=_scale(column, ordered) if domain.kind is Kind.ORDINAL else None,
        grid=grid_of(domain),
        times=coded.times,
    )


def _scale(column: Column, ordered: _Ordered) -> tuple[str, ...]:
    """The categories of an ordinal column: in the order that the column declares, or in that of its tree where the tree
    has more of them in the same order. A missing value that counts as one comes last."""
    own_leaf = ordered.values[-1:] == (MISSING_LABEL,)
    leaves = ordered.values if ordered.given is None else ordered.given.leaves
    if column.order is None:
        return leaves
    declared = (*column.order, MISSING_LABEL) if own_leaf else column.order
    place = {leaf: i for i, leaf in enumerate(leaves)}
    places = [place.get(category, -1) for category in declared]
    return leaves if -1 not in places and places == sorted(places) else declared


def _in_order(domain: Domain, role: Quasi, own_leaf: bool) -> _Ordered:
    """The order of the values that occur, by the tree of the column where it has one."""
    spec: TreeSpec | None = spec_from_document(role.tree, name=domain.name) if isinstance(role.tree, str) else role.tree
    if spec is None and own_leaf and domain.kind is Kind.ORDINAL and len(domain) > 1:
        spec = balanced()  # so that a class which mixes missing and present values is published as `*`, not as a range
    tree: Tree | None = None
    given: Tree | None = None
    values: tuple[str, ...] = ()
    rank = np.zeros(len(domain), dtype=np.int64)
    if len(domain) == 0:
        pass
    elif spec is not None:
        fitted = _by_tree(domain, spec, role.outside)
        values, rank, tree, given = fitted.tree.leaves, fitted.order, fitted.tree, fitted.given
    elif domain.kind.is_ordered:
        values, rank = tuple(domain.text), np.arange(len(domain))
    else:
        by_frequency = np.argsort(-domain.counts, kind="stable")
        rank[by_frequency] = np.arange(len(domain))
        values = tuple(domain.text[i] for i in by_frequency.tolist())
    if own_leaf and spec is not None and not len(domain):
        values = (MISSING_LABEL,)
        tree = given = Tree.from_paths(domain.name, [[MISSING_LABEL]])
    elif own_leaf:
        values = (*values, MISSING_LABEL)
        tree = None if tree is None else tree.with_leaf(MISSING_LABEL)
        given = None if given is None else given.with_leaf(MISSING_LABEL)
    return _Ordered(values, rank, tree, given)


def _by_tree(domain: Domain, spec: TreeSpec, outside: Literal["error", "root"]) -> Fitted:
    try:
        return fit(spec.build(domain), domain, outside=outside)
    except TreeError:
        raise
    except ParaventError as error:
        raise PlanError(f"columns.{domain.name}: {error.raw}") from None


def _stand_in(domain: Domain, *, impute: bool) -> int:
    """The domain value that stands where one is missing: the lower median of an ordered column that is imputed, else
    the most frequent value, the first of equals."""
    if impute and domain.kind.is_ordered:
        total = int(domain.counts.sum())
        return int(np.searchsorted(np.cumsum(domain.counts), (total + 1) // 2))
    return int(np.argmax(domain.counts))


def _check_values(domain: Domain, own_leaf: bool) -> None:
    """Refuse values that a released cell could not be told apart from a label."""
    where = f"columns.{domain.name}"
    if domain.positions is not None:
        if not np.isfinite(domain.positions).all():
            raise PlanError(f"{where}: the column holds infinite numbers. Replace them by a number or leave them out.")
        largest = float(np.abs(domain.positions).max(initial=0.0))
        if largest > _LARGEST:
            raise PlanError(
                f"{where}: the number {quote(largest)} is too large to compute with (more than {_LARGEST:g}). If it "
                "stands for a missing value, read it as one; else divide the column."
            )
        return
    reserved = {ROOT_LABEL: "any value", **({MISSING_LABEL: "a missing value"} if own_leaf else {})}
    for text in (text for text in domain.text if text in reserved or "~" in text or text[:1] == "{"):
        if text in reserved:
            raise PlanError(
                f"{where}: the value {quote(text)} is the sign for {reserved[text]} in a release. "
                "Rename it in the table, or read it as missing."
            )
        others = CellReader(tuple(other for other in domain.text if other != text))
        if others.covers(text) is not None:
            raise PlanError(
                f"{where}: the value {quote(text)} reads like a label for several other values. Rename it in the table."
            )

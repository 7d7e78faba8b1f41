"""Ready: a table on a cluster and a plan, checked and counted; what every job on its rows needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.coding import Lookup, Packing
from paravent.engine.spark.domains import Domains, domains_of, dtypes_of
from paravent.engine.spark.options import Spark
from paravent.engine.spark.people import check_people
from paravent.engine.spark.reading import Source
from paravent.engine.spark.rows import Rows
from paravent.engine.spark.serves import check_serves
from paravent.engine.spark.translation import Translated, translated
from paravent.errors import InfeasibleError, PlanError
from paravent.hierarchy.axis import Axis
from paravent.methods.method import Target
from paravent.plan.check import NO_ROWS, check_missing, check_shape
from paravent.plan.encode import as_judged, axis_of, judged_codes
from paravent.plan.exposed import check_listed, lists_values
from paravent.plan.feasibility import check_model
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.plan.pseudonym import check_keys
from paravent.plan.roles import DROP_ROWS
from paravent.plan.targets import target_of
from paravent.privacy.classes import Classes, Histogram
from paravent.table.domain import Domain
from paravent.table.infer import infer_columns
from paravent.table.table import Origin, Table


@dataclass(frozen=True, eq=False)
class Ready:
    """`axes` have one code for each distinct value and say in `times` how often it occurs; `quasi`, `judged` and
    `targets` look up the codes of rows, and so do `others`, the further columns of the release, where rows have to be
    alike in all. `domains` tell what codes of sensitive columns stand for, `tables` how often
    each occurs, `translated` what becomes of columns, `types` what the columns of the source hold."""

    plan: Plan
    located: Plan
    rows: Rows
    translated: Mapping[str, Translated]
    axes: tuple[Axis, ...]
    quasi: tuple[Lookup, ...]
    judged: tuple[Lookup, ...]
    target: Lookup | None
    targets: Mapping[str, Target]
    domains: Mapping[str, Domain]
    tables: Mapping[str, np.ndarray]
    n_rows: int
    dropped: int
    types: Mapping[str, pl.DataType]
    others: tuple[Lookup, ...] = ()

    @property
    def allowed(self) -> int:
        """How many rows may be suppressed."""
        return self.n_rows if self.plan.method.samples_rows else self.plan.allowed(self.n_rows)

    @property
    def lookups(self) -> tuple[Lookup, ...]:
        """The columns by which rows are told apart."""
        return (*self.quasi, *self.judged, *self.others)

    @cached_property
    def packing(self) -> Packing:
        """The codes of `lookups` as one key."""
        return Packing(tuple(lookup.size for lookup in self.lookups))

    @property
    def released(self) -> list[str]:
        """The columns of the release, in the order of the source."""
        return [name for name in self.types if name not in self.plan.left_out]


def make_ready(session: Any, source: Source, plan: Plan, options: Spark, *, looked: bool = False) -> Ready:
    """Check a plan against a table on a cluster and count what it speaks of. Every refusal is one sentence. `looked`:
    columns that could name people were looked for before treatments changed any."""
    check_serves(plan)
    types = dtypes_of(source.frame)
    empty = pl.DataFrame(schema=dict(types))
    shape = Table(empty, infer_columns(empty), np.arange(0), Origin(source.description))
    check_shape(plan, shape)
    located = resolved(plan)
    check_keys(located)
    drop = tuple(n for n in (*plan.quasi, *plan.judged) if plan.meaning_of_missing(n) == DROP_ROWS)
    treated = [name for treatment in plan.treat for name in treatment.columns]
    others = _others(plan, types)
    names = list(dict.fromkeys([*plan.quasi, *plan.judged, *plan.method.targets, *treated, *others]))
    rows = Rows(drop)
    found = domains_of(session, source.frame, names, rows, options.values)
    if found.n_rows == 0:
        if found.dropped:
            raise InfeasibleError("every row has a missing value that drops it. Give missing values another meaning.")
        raise InfeasibleError(NO_ROWS)
    by_name = {name: translated(name, found.columns[name], located, texts=source.texts) for name in names}
    for name in (*plan.quasi, *plan.judged):
        check_missing(plan, name, by_name[name].missing)
    if not looked:
        check_people(source, plan, found.n_rows)
    for name in () if plan.method.is_mechanism() else plan.quasi:
        own = by_name[name]
        if lists_values(plan, name, own.column.kind):
            check_listed(plan, name, len(own.values), int(own.counts.sum()))
    ready = _encoded(plan, located, rows, by_name, found, types)
    return replace(ready, others=tuple(_lookup_of_values(by_name[name]) for name in others))


def _others(plan: Plan, types: Mapping[str, pl.DataType]) -> list[str]:
    """The further columns of a release in which rows must be alike: all, where rows are sampled."""
    if not plan.method.samples_rows:
        return []
    names = [name for name in types if name not in plan.left_out and name not in plan.quasi]
    for name in names:
        if types[name].is_nested() or types[name] == pl.Binary:
            raise PlanError(
                f"columns.{name}: rows must be alike in every column, and cells that hold several values or bytes are "
                "not compared. Drop it: pv.Drop()."
            )
    return names


def _lookup_of_values(own: Translated) -> Lookup:
    """Codes by the values themselves, a missing cell last."""
    size = len(own.values) + int(own.missing > 0)
    return _lookup(own, np.arange(size, dtype=np.int32), size)


def _encoded(
    plan: Plan,
    located: Plan,
    rows: Rows,
    by_name: Mapping[str, Translated],
    found: Domains,
    types: Mapping[str, pl.DataType],
) -> Ready:
    axes = tuple(axis_of(by_name[name].coded, by_name[name].column, located) for name in plan.quasi)
    quasi = tuple(_lookup(by_name[axis.name], axis.codes, len(axis)) for axis in axes)
    judged, domains, tables = [], {}, {}
    for name in plan.judged:
        coded = as_judged(by_name[name].coded, plan)
        codes, width = judged_codes(coded), len(coded.domain) + int(coded.missing.any())
        assert coded.times is not None
        judged.append(_lookup(by_name[name], codes, width))
        tables[name] = np.bincount(codes, weights=coded.times, minlength=width).astype(np.int64)
        if any(model.reads_values and model.needs[0] == name for model in plan.models):
            domains[name] = coded.domain
    targets = {name: target_of(by_name[name].coded) for name in plan.method.targets}
    target = next((_lookup(by_name[name], one.codes, one.size) for name, one in targets.items()), None)
    ready = Ready(
        plan, located, rows, by_name, axes, quasi, tuple(judged), target, targets, domains, tables, found.n_rows,
        found.dropped, types,
    )  # fmt: skip
    _check_feasible(ready)
    return ready


def _lookup(own: Translated, codes: np.ndarray, size: int) -> Lookup:
    """From cells of the source to codes; `codes` has one for each value, and a last one where cells are missing."""
    missing = int(codes[-1]) if own.missing else -1
    of_value = np.append(codes[: len(own.values)], missing).astype(np.int32)  # place −1 is a missing cell
    return Lookup(own.column.name, own.raw, of_value[own.place], missing, size)


def whole_table(ready: Ready) -> Classes:
    """All rows as one class."""
    n = np.array([ready.n_rows])
    histograms = {}
    for name, table in ready.tables.items():
        value = np.flatnonzero(table).astype(np.int32)
        start = np.array([0, len(value)])
        histograms[name] = Histogram(start, value, table[value], table, ready.domains.get(name))
    return Classes(n, histograms)


def _check_feasible(ready: Ready) -> None:
    whole = whole_table(ready)
    for model in ready.located.models:
        if not model.known:
            check_model(model, whole, ready.allowed)

"""The verifier on a cluster: a second job reads what was written, as a stranger would, and says what it protects.

It shares nothing with the jobs that made the release. Rows are alike when the cells of their quasi-identifiers are
equal. Equal rows are counted where they lie; then every class comes together in one place, where the models judge it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.domains import arrow_batches, domains_of, keys_of, quoted
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.rows import Rows, together
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.plan.plan import Plan
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.frame_cells import cells_of, key_of_rows
from paravent.privacy.model import Model
from paravent.privacy.promise import Constructed, Entry, Promise
from paravent.privacy.replaced import NOTE
from paravent.privacy.verdict import Check, Verdict, counted
from paravent.privacy.verify_people import Values, people_classes
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

_SCHEMA = "what int, place long, level double, n long"
_SIZE, _MODEL, _ROWS = 0, 1, 2
_COUNT = "__n"


@dataclass(frozen=True, eq=False)
class _Values:
    """The values of a sensitive column in the release: their keys in the order of their codes, a missing cell last, and
    how often each occurs."""

    keys: pl.Series
    table: np.ndarray
    domain: Domain

    def codes(self, cells: pl.Series) -> np.ndarray:
        known = pl.DataFrame({"key": self.keys, "code": np.arange(len(self.keys), dtype=np.int64)})
        asked = pl.DataFrame({"key": keys_of(cells.alias("key"))})
        found = asked.join(known, on="key", how="left", maintain_order="left", nulls_equal=True)["code"]
        return found.to_numpy().astype(np.int32)


@dataclass(frozen=True, eq=False)
class Verified:
    """What was found: the verdict, and how many classes have so many rows."""

    verdict: Verdict
    sizes: Mapping[int, int]


def verified(
    session: Any,
    released: Any,
    plan: Plan,
    *,
    n_rows: int,
    allowed: int,
    limit: int,
    account: Sequence[Entry] | None = None,
    whose: str | None = None,
) -> Verified:
    """Judge a written release by its plan. `n_rows` of the original were to be released, and `allowed` may be
    suppressed. A guarantee by construction is judged by the `account` of what was spent. Where
    the column `whose` tells whose each row is, people are counted."""
    quasi = [name for name in plan.quasi if name in released.columns]
    faults = [f"column {name!r} must not be in the release" for name in plan.left_out if name in released.columns]
    faults += [f"column {name!r} is not in the release" for name in (*plan.quasi, *plan.judged)
               if name not in released.columns and name not in plan.left_out]  # fmt: skip
    faults += _faults_of_form(released, plan)
    models = [model for model in plan.models if all(name in released.columns for name in model.needs)]
    judged = list(dict.fromkeys(name for model in models for name in model.needs))
    rows, blank = released, 0
    if plan.suppressed == "mark":
        rows, blank = without_blanks(released, quasi)
    everybody = None if whose is None else _everybody(rows, whose)
    values = _values(session, rows, judged, limit, whose)
    by_class = [model for model in models if model.needs]
    found = _judged(session, rows, quasi, by_class, values, whose, everybody)
    sizes = {place: n for what, place, _, n in found if what == _SIZE}
    in_rows = sizes if whose is None else {place: n for what, place, _, n in found if what == _ROWS}
    total = sum(size * n for size, n in in_rows.items())
    classes = Classes(np.repeat(*_as_arrays(sizes)), {})
    suppressed = n_rows - total
    if suppressed > allowed:
        faults.append(
            f"{counted(suppressed, 'row is', 'rows are')} suppressed, {counted(allowed, 'is', 'are')} allowed"
        )
    if blank > suppressed:
        faults.append("more rows stand for suppressed ones than were suppressed")
    checks = []
    for model in plan.protect:
        if not isinstance(model, Model):
            checks.append(_constructed(model, account))
        elif model in by_class:
            own = [(level, n) for what, place, level, n in found if what == _MODEL and by_class[place] == model]
            failing = sum(n for _, n in own)
            checks.append(
                Check(model, model.worst(level for level, _ in own), failing == 0 and bool(own) and total > 0, failing)
            )
        else:
            checks.append(_by_size(session, rows, quasi, model, classes, limit))
    verdict = Verdict(
        tuple(checks),
        rows=total,
        suppressed=suppressed,
        allowed=allowed,
        strict_k=min(sizes, default=0),
        faults=tuple(faults),
        notes=(NOTE,) if any(name in released.columns for name in plan.replaced) else (),
        people=everybody,
        classes=classes,
    )
    return Verified(verdict, in_rows)


def _constructed(promise: Promise, account: Sequence[Entry] | None) -> Check:
    if not isinstance(promise, Constructed) or account is None:
        return Check(promise, float("nan"), False, 0, words="nothing tells what was spent")
    found = promise.judge(account)
    return Check(promise, found.level, found.holds, 0, words=found.words)


def _as_arrays(sizes: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray]:
    pairs = sorted(sizes.items())
    return np.array([s for s, _ in pairs], dtype=np.int64), np.array([n for _, n in pairs], dtype=np.int64)


def _by_size(session: Any, rows: Any, quasi: Sequence[str], model: Model, classes: Classes, limit: int) -> Check:
    """A model that looks at how large classes are: those of all quasi-identifiers, or of each by itself."""
    if not model.by_column:
        failing = int((~model.holds(classes)).sum()) if len(classes) else 0
        return Check(model, model.level(classes), failing == 0 and len(classes) > 0, failing)
    counted_columns = domains_of(session, rows, quasi, Rows(), limit).columns
    checks = []
    for own in counted_columns.values():
        sizes = np.append(own.counts, own.missing) if own.missing else own.counts
        checks.append(_by_size(session, rows, quasi, _plain(model), Classes(sizes, {}), limit))
    held = bool(checks) and all(check.holds for check in checks)
    return Check(model, min((c.level for c in checks), default=0), held, sum(c.failing for c in checks))


def _plain(model: Model) -> Model:
    """The same demand as one of size alone."""
    from paravent.privacy.k_anonymity import KAnonymity

    return KAnonymity(model.least_size)


def _everybody(rows: Any, whose: str) -> int:
    from pyspark.sql import functions as f

    with one_sentence("verifying the release"):
        return int(rows.agg(f.countDistinct(quoted(whose))).collect()[0][0])


def _values(session: Any, rows: Any, judged: Sequence[str], limit: int, whose: str | None = None) -> dict[str, _Values]:
    """The values of sensitive columns, as the release has them, and how many rows or people hold each."""
    if not judged:
        return {}
    found = {}
    if whose is None:
        columns = domains_of(session, rows, judged, Rows(), limit).columns
    else:
        held = {name: rows.select(quoted(whose), quoted(name)).distinct() for name in judged}
        columns = {name: domains_of(session, held[name], [name], Rows(), limit).columns[name] for name in judged}
    for name, own in columns.items():
        order = own.values.arg_sort().to_numpy()
        values, counts = own.values.gather(order), own.counts[order]
        dtype = values.dtype
        kind = Kind.FLOAT if dtype.is_numeric() else Kind.DATE if dtype.is_temporal() else Kind.NOMINAL
        keys = keys_of(values.alias("key"))
        if own.missing:
            keys = pl.concat([keys, pl.Series("key", [None], dtype=pl.String)])
        table = np.append(counts, own.missing) if own.missing else counts
        found[name] = _Values(keys, table.astype(np.int64), Domain(name, kind, values.alias(name), counts))
    return found


def _judged(
    session: Any,
    rows: Any,
    quasi: Sequence[str],
    models: Sequence[Model],
    values: Mapping[str, _Values],
    whose: str | None = None,
    everybody: int | None = None,
) -> list[tuple[int, int, float, int]]:
    """How many classes have each size, and for each model and part of the classes the level and how many fail."""
    judged = list(values)
    keys = list(dict.fromkeys([*quasi, *judged, *([] if whose is None else [whose])]))
    task = session.sparkContext.broadcast((tuple(quasi), tuple(models), dict(values), whose, everybody))
    with one_sentence("verifying the release"):
        if not keys:
            n = rows.count()
            return [(_SIZE, n, 0.0, 1)] if n else []
        equal = rows.groupBy(*map(quoted, keys)).count().withColumnRenamed("count", _COUNT)
        # Classes come together whole: all rows with the same quasi-identifiers go to one part.
        parts = equal.repartition(*map(quoted, quasi)) if quasi else equal.repartition(1)
        found = parts.mapInArrow(_judge(task), _SCHEMA)
        sizes = found.where(f"what <> {_MODEL}").groupBy("what", "place", "level").sum("n")
        others = found.where(f"what = {_MODEL}")
        collected = sizes.union(others).collect()
    return [(row[0], row[1], row[2], row[3]) for row in collected]


def _judge(task: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def judge(batches: Iterator[Any]) -> Iterator[Any]:
        quasi, models, values, whose, everybody = task.value
        frame = together(batches)
        if frame is None:
            return
        times = frame[_COUNT].to_numpy()
        codes = {name: own.codes(cells_of(frame, name)) for name, own in values.items()}
        by_known: dict[tuple[str, ...], Classes] = {}

        def classes_of(known: tuple[str, ...]) -> Classes:
            if known not in by_known:
                apart = [*quasi, *(name for name in known if name not in quasi)]
                key = key_of_rows([cells_of(frame, name) for name in apart], frame.height)
                if whose is None:
                    by_known[known] = _classes_of_rows(key, times, codes, values)
                else:
                    by_known[known] = _classes_of_people(key, frame[whose].to_numpy(), codes, values, everybody)
            return by_known[known]

        answer = [(_SIZE, *pair) for pair in _counts_of(classes_of(()).sizes)]
        if whose is not None:
            key = key_of_rows([cells_of(frame, name) for name in quasi], frame.height)
            answer += [(_ROWS, *pair) for pair in _counts_of(_classes_of_rows(key, times, {}, {}).sizes)]
        for place, model in enumerate(models):
            classes = classes_of(model.known)
            failing = int((~model.holds(classes)).sum())
            answer.append((_MODEL, place, float(model.level(classes)), failing))
        names = ["what", "place", "level", "n"]
        yield from arrow_batches(pl.DataFrame(answer, schema=names, orient="row"), _SCHEMA)

    return on_worker(judge)


def _counts_of(sizes: np.ndarray) -> list[tuple[int, float, int]]:
    found, counts = np.unique(sizes, return_counts=True)
    return [(size, 0.0, n) for size, n in zip(found.tolist(), counts.tolist(), strict=True)]


def _classes_of_rows(
    key: np.ndarray, times: np.ndarray, codes: Mapping[str, np.ndarray], values: Mapping[str, _Values]
) -> Classes:
    found, of_row = np.unique(key, return_inverse=True)
    of_row = of_row.reshape(-1)
    sizes = np.bincount(of_row, weights=times).astype(np.int64)
    histograms = {
        name: Histogram.of(of_row, len(found), codes[name], own.table, own.domain, times)
        for name, own in values.items()
    }
    return Classes(sizes, histograms)


def _classes_of_people(
    key: np.ndarray,
    persons: np.ndarray,
    codes: Mapping[str, np.ndarray],
    values: Mapping[str, _Values],
    everybody: int | None,
) -> Classes:
    """The classes with the different people in each; shares of the whole release are those of all its people."""
    held = {name: Values(codes[name], len(own.table), own.domain) for name, own in values.items()}
    found = people_classes(key, persons, held)
    whole = {
        name: replace(found.histograms[name], table=own.table, everybody=everybody) for name, own in values.items()
    }
    return replace(found, histograms=whole)


def without_blanks(released: Any, quasi: Sequence[str]) -> tuple[Any, int]:
    """The rows that say something, and how many say nothing."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import StringType

    blank = f.lit(True)
    for field in released.schema.fields:
        cells = f.col(quoted(field.name))
        starred = field.name in quasi and isinstance(field.dataType, StringType)
        blank = blank & (cells.eqNullSafe(ROOT_LABEL) if starred else cells.isNull())
    with one_sentence("verifying the release"):
        return released.where(~blank), released.where(blank).count()


def _faults_of_form(released: Any, plan: Plan) -> list[str]:
    """Identifiers that are replaced must look like pseudonyms."""
    from pyspark.sql import functions as f

    faults = []
    for name, length in plan.replaced.items():
        if name not in released.columns or length is None:
            continue
        cells = f.col(quoted(name)).cast("string")
        with one_sentence("verifying the release"):
            strange = released.where(cells.isNotNull() & ~cells.rlike(f"^[0-9a-f]{{{length}}}$")).limit(1).count()
        if strange:
            faults.append(f"column {name!r} holds something else than pseudonyms of {length} digits")
    return faults

"""Laws of anonymize over random tables and plans: a verified release or a clear error, and nothing in between."""

from __future__ import annotations

import datetime
import io
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.hierarchy.cells import CellReader
from paravent.plan.encode import MISSING_LABEL

NAMES = ["age", "a b", "zip-code", "prénom", "len", "key", "q.1", "'", '"q"', "日本"]
texts = st.sampled_from(["a", "b", "c", "d", "é", "a b", "a, b", "x~y", "", " ", "(", '"', "10", "010"])
cells_by_kind: dict[str, st.SearchStrategy[Any]] = {
    "integer": st.integers(-5, 12),
    "wide": st.integers(-(2**62), 2**62),
    "float": st.sampled_from([-1.5, -0.0, 0.0, 0.25, 1.0, 2.5, 1e9]),
    "text": texts,
    "flag": st.booleans(),
    "date": st.dates(datetime.date(1999, 1, 1), datetime.date(2001, 1, 1)),
    "time": st.datetimes(datetime.datetime(1999, 1, 1), datetime.datetime(1999, 1, 3)),
}
trees: dict[str, list[Any]] = {
    "integer": [None, pv.intervals(2, 4), pv.balanced(), pv.quantiles(4, 2), pv.flat()],
    "wide": [None, pv.balanced()],
    "float": [None, pv.intervals(1, 10), pv.balanced()],
    "text": [None, pv.prefixes(), pv.by_frequency(), pv.flat(), pv.balanced()],
    "flag": [None, pv.flat()],
    "date": [None, pv.dates("month", "year"), pv.balanced()],
    "time": [None, pv.dates("day", "month")],
}
meanings = st.sampled_from(["own value", "wildcard", "drop rows", "impute"])


@st.composite
def cases(draw: st.DrawFn) -> tuple[pl.DataFrame, pv.Plan]:
    names = draw(st.permutations(NAMES))
    rows = draw(st.integers(1, 40))
    columns: dict[str, list] = {}
    roles: dict[str, Any] = {}
    for name in names[: draw(st.integers(1, 3))]:
        kind = draw(st.sampled_from(sorted(cells_by_kind)))
        cells = cells_by_kind[kind] | st.none() if draw(st.booleans()) else cells_by_kind[kind]
        columns[name] = draw(st.lists(cells, min_size=rows, max_size=rows))
        weight = draw(st.sampled_from([1.0, 0.5, 3.0]))
        roles[name] = pv.Quasi(draw(st.sampled_from(trees[kind])), weight=weight, missing=draw(st.none() | meanings))
    columns["sensitive"] = draw(st.lists(st.sampled_from(["u", "v", "w", None]), min_size=rows, max_size=rows))
    columns["id"] = [f"person {i % 7}" for i in range(rows)]
    columns["note"] = draw(st.lists(st.integers(0, 3) | st.none(), min_size=rows, max_size=rows))
    roles["sensitive"] = pv.Sensitive(missing=draw(st.sampled_from([None, "own value", "drop rows"])))
    roles["id"] = pv.Identifier(draw(st.sampled_from(["drop", "random"])))
    protect: list[Any] = [pv.KAnonymity(draw(st.integers(1, 6)))]
    if draw(st.booleans()):
        kind = draw(st.sampled_from(["distinct", "entropy", "recursive"]))
        protect.append(
            pv.LDiversity(draw(st.integers(1, 3)), "sensitive", kind=kind, c=3 if kind == "recursive" else None)
        )
    plan = pv.Plan(
        roles,
        protect,
        pv.methods.Mondrian(labels=draw(st.sampled_from(["tree", "interval", "set"])), strict=draw(st.booleans())),
        suppression=draw(st.sampled_from([0.0, 0.1, 0.5])),
        suppressed=draw(st.sampled_from(["drop", "mark"])),
        missing=draw(st.none() | meanings),
        seed=draw(st.integers(0, 3)),
        order=draw(st.sampled_from(["shuffled", "source", "sorted"])),
        person=None,  # names of people repeat in `id`, and every row is meant as another person
    )
    return pl.DataFrame(columns, strict=False), plan


def attempt(frame: pl.DataFrame, plan: pv.Plan) -> pv.Release | None:
    try:
        return pv.anonymize(frame, plan)
    except pv.ParaventError as raised:
        error = raised
    event(type(error).__name__)
    assert "\n" not in str(error)
    assert 20 < len(str(error)) < 400
    if isinstance(error, pv.UnsafeReleaseError):
        # Only wildcards may get this far: the rows that fit a missing cell can be less diverse than its class.
        assert "wildcard" in (plan.missing, *(role.missing for role in plan.quasi.values())), error
    return None


def compatible(one: tuple, other: tuple, wild: list[bool]) -> bool:
    return all(x == y or (w and (x is None or y is None)) for x, y, w in zip(one, other, wild, strict=True))


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_a_verified_release_or_a_clear_error(case: tuple[pl.DataFrame, pv.Plan]) -> None:
    frame, plan = case
    release = attempt(frame, plan)
    if release is None:
        return
    event("released")
    quasi = plan.quasi_names
    rows = release.frame
    keys = list(zip(*(rows[name].cast(pl.String).to_list() for name in quasi), strict=True))
    kept = release.kept.tolist()
    assert len(kept) == len(set(kept))
    assert kept == sorted(kept) or plan.order != "source"
    blank = [i for i in range(rows.height) if plan.suppressed == "mark" and is_blank(rows, i, quasi, release, frame)]

    # classes of at least k, by brute force
    k = next(model.k for model in plan.protect if isinstance(model, pv.KAnonymity))
    wild = [plan.meaning_of_missing(name) == "wildcard" for name in quasi]
    real = [key for i, key in enumerate(keys) if i not in blank]
    counts = Counter(real)
    for key in counts:
        assert sum(n for other, n in counts.items() if compatible(key, other, wild)) >= k

    # sensitive and insensitive columns byte-identical, identifiers gone or replaced one to one
    for name in ("sensitive", "note"):
        original = release.table.frame[name].gather(kept)
        assert rows[name].dtype == original.dtype
        for i, (found, was) in enumerate(zip(rows[name], original, strict=True)):
            assert (found is None) if i in blank else (found == was or (found is None and was is None))
    if plan.identifiers["id"].replace == "drop":
        assert "id" not in rows.columns
    else:
        pairs = {
            (a, b) for i, (a, b) in enumerate(zip(rows["id"], frame["id"].gather(kept), strict=True)) if i not in blank
        }
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})

    # every cell covers its original
    for axis in release.axes:
        reader = CellReader(axis.values, axis.tree, axis.positions)
        for i, label in enumerate(rows[axis.name].cast(pl.String)):
            code = int(axis.codes[kept[i]])
            missing = release.table.frame[axis.name][kept[i]] is None
            if label is None:
                assert missing
                assert plan.meaning_of_missing(axis.name) == "wildcard"
            elif i not in blank:
                covered = reader.covers(label)
                assert covered is not None
                assert code in covered
                if missing:
                    assert plan.meaning_of_missing(axis.name) != "wildcard"
                assert (axis.values[code] == MISSING_LABEL) == (
                    missing and plan.meaning_of_missing(axis.name) == "own value"
                )

    assert (
        len(frame) - len(kept) + len(blank)
        <= plan.allowed(len(frame)) + release.provenance["rows"]["dropped_for_missing"]
    )
    # A stranger cannot tell a row that was empty, in a class of `*`, from the mark of a suppressed one.
    empty = pv.verify(release.frame, plan).suppressed - len(blank) if plan.suppressed == "mark" else 0
    assert empty > 0 or pv.verify(release.frame, plan).holds


def is_blank(rows: pl.DataFrame, i: int, quasi: list[str], release: pv.Release, frame: pl.DataFrame) -> bool:
    everything = all(rows[name].cast(pl.String)[i] == "*" for name in quasi)
    nothing = all(rows[name][i] is None for name in rows.columns if name not in quasi)
    was_something = any(frame[name][int(release.kept[i])] is not None for name in rows.columns if name not in quasi)
    return everything and nothing and was_something


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_any_release_can_be_measured(case: tuple[pl.DataFrame, pv.Plan]) -> None:
    release = attempt(*case)
    assume(release is not None)
    measures = release.measure()
    assert 0 <= measures["utility.gcp"] <= 1
    assert measures["rows.original"] == len(case[0])


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_the_same_plan_gives_the_same_bytes(case: tuple[pl.DataFrame, pv.Plan]) -> None:
    frame, plan = case
    first = attempt(frame, plan)
    assume(first is not None)
    again = pv.anonymize(frame.clone(), eval(repr(plan), {"pv": pv}))
    assert as_csv(first) == as_csv(again)
    assert first.frame.schema == again.frame.schema


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(cases(), st.sampled_from(["csv", "parquet"]))
def test_a_release_read_back_verifies(case: tuple[pl.DataFrame, pv.Plan], suffix: str) -> None:
    """What is judged in memory holds for the file too."""
    frame, plan = case
    release = attempt(frame, plan)
    assume(release is not None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"release.{suffix}"
        release.write(path)
        verdict = pv.verify(path, plan)
    assume(plan.suppressed == "drop" or verdict.suppressed == release.verdict.suppressed)
    assert verdict.levels["privacy.k"] == release.verdict.levels["privacy.k"]
    assert verdict.strict_k == release.verdict.strict_k


@settings(max_examples=40)
@given(cases())
def test_plans_round_trip(case: tuple[pl.DataFrame, pv.Plan]) -> None:
    from paravent.plan.file import dumps, loads

    _, plan = case
    assert loads(dumps(plan)) == plan
    assert eval(repr(plan), {"pv": pv}) == plan


def as_csv(release: pv.Release) -> bytes:
    buffer = io.BytesIO()
    release.frame.write_csv(buffer, quote_style="non_numeric")
    return buffer.getvalue()

"""Laws of anonymize over random tables and plans: a verified release or a clear error, and nothing in between."""

from __future__ import annotations

import io
import tempfile
from collections import defaultdict
from pathlib import Path

import polars as pl
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.hierarchy.cells import CellReader
from paravent.plan.encode import MISSING_LABEL
from tests.generators import MONDRIANS, Case, cases

DRAWN = cases(MONDRIANS)


def attempt(case: Case) -> pv.Release | None:
    plan = case.plan
    try:
        return pv.anonymize(case.frame, plan)
    except pv.ParaventError as raised:
        error = raised
    event(type(error).__name__)
    assert "\n" not in str(error)
    assert 20 < len(str(error)) < 400
    if isinstance(error, pv.UnsafeReleaseError):
        # Only wildcards may get this far: the rows that fit a missing cell can be less diverse than its class.
        assert "wildcard" in (plan.missing, *(role.missing for role in plan.quasi.values())), error
    return None


def whose(case: Case, release: pv.Release) -> list[int] | None:
    """Whose each released row is, where people are counted."""
    return [case.people[row] for row in release.kept.tolist()] if case.plan.person else None


def compatible(one: tuple, other: tuple, wild: list[bool]) -> bool:
    return all(x == y or (w and (x is None or y is None)) for x, y, w in zip(one, other, wild, strict=True))


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(DRAWN)
def test_a_verified_release_or_a_clear_error(case: Case) -> None:
    frame, plan = case.frame, case.plan
    release = attempt(case)
    if release is None:
        return
    event("released")
    quasi = plan.quasi_names
    rows = release.frame
    keys = list(zip(*(rows[name].cast(pl.String).to_list() for name in quasi), strict=True))
    kept = release.kept.tolist()
    assert len(kept) == len(set(kept))
    assert kept == sorted(kept) or plan.order != "source"
    blank = {i for i in range(rows.height) if rows["note"][i] is None}  # the note of every row is known
    assert plan.suppressed == "mark" or not blank
    assert all(set(keys[i]) == {"*"} and set(rows.drop(quasi).row(i)) <= {None} for i in blank)

    # classes of at least k people, by brute force
    k = max((model.k for model in plan.protect if isinstance(model, pv.KAnonymity)), default=1)
    wild = [plan.meaning_of_missing(name) == "wildcard" for name in quasi]
    people: dict[tuple, set[int]] = defaultdict(set)
    for i, key in enumerate(keys):
        if i not in blank:
            people[key].add(case.people[kept[i]])
    for key in people:
        assert len(set().union(*(held for other, held in people.items() if compatible(key, other, wild)))) >= k

    # sensitive and insensitive columns byte-identical, identifiers gone or replaced one to one
    for name in ("disease", "pay", "note", "remark"):
        original = release.table.frame[name].gather(kept)
        assert rows[name].dtype == (pl.String if original.dtype == pl.Categorical else original.dtype)
        for i, (found, was) in enumerate(zip(rows[name], original, strict=True)):
            assert (found is None) if i in blank else (found == was or (found is None and was is None))
    assert "who" not in rows.columns
    if "id" not in plan.identifiers or plan.identifiers["id"].replace == "drop":
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
    verdict = pv.verify(release.frame, plan, persons=whose(case, release))
    empty = verdict.suppressed - len(blank) if plan.suppressed == "mark" else 0
    assert empty > 0 or verdict.holds


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(DRAWN)
def test_any_release_can_be_measured(case: Case) -> None:
    release = attempt(case)
    assume(release is not None)
    measures = release.measure()
    assert 0 <= measures["utility.gcp"] <= 1
    assert measures["rows.original"] == len(case.frame)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(DRAWN)
def test_the_same_plan_gives_the_same_bytes(case: Case) -> None:
    first = attempt(case)
    assume(first is not None)
    again = pv.anonymize(case.frame.clone(), eval(repr(case.plan), {"pv": pv}))
    assert as_csv(first) == as_csv(again)
    assert first.frame.schema == again.frame.schema


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(DRAWN, st.sampled_from(["csv", "parquet"]))
def test_a_release_read_back_verifies(case: Case, suffix: str) -> None:
    """What is judged in memory holds for the file too."""
    plan = case.plan
    release = attempt(case)
    assume(release is not None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"release.{suffix}"
        release.write(path)
        verdict = pv.verify(path, plan, persons=whose(case, release))
    assume(plan.suppressed == "drop" or verdict.suppressed == release.verdict.suppressed)
    assert verdict.levels == release.verdict.levels
    assert verdict.strict_k == release.verdict.strict_k


@settings(max_examples=40)
@given(DRAWN)
def test_plans_round_trip(case: Case) -> None:
    from paravent.plan.file import dumps, loads

    plan = case.plan
    assert loads(dumps(plan)) == plan
    assert eval(repr(plan), {"pv": pv}) == plan


def as_csv(release: pv.Release) -> bytes:
    buffer = io.BytesIO()
    release.frame.write_csv(buffer, quote_style="non_numeric")
    return buffer.getvalue()


def test_a_set_of_quoted_names_is_read_back_from_csv(tmp_path: Path) -> None:
    """The comma, the blank and the quote stand inside a cell: `"{surgeon, ""a, b""}"`."""
    plan = pv.Plan({"job": pv.Quasi()}, [pv.KAnonymity(5)])
    release = pv.anonymize(pl.DataFrame({"job": [*["surgeon"] * 4, "a, b"], "n": range(5)}), plan)
    assert set(release.frame["job"].cast(pl.String)) == {'{surgeon, "a, b"}'}
    release.write(tmp_path / "release.csv")
    assert pv.verify(tmp_path / "release.csv", plan).levels == release.verdict.levels

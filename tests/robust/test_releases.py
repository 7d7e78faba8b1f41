"""Table × plan × method at random: what is released keeps every promise, by a second opinion in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from decimal import Decimal
from typing import Any

import polars as pl
from hypothesis import event, given, settings

import paravent as pv
from tests.drawing import generator, runs
from tests.generators import Case, case_of, cases
from tests.robust.plain import Group, broken


def has_one_meaning(model: Any) -> bool:
    """With people of several rows the shares of a class need not add up to one, and somebody may be in several classes:
    these are the promises that have one meaning all the same."""
    return isinstance(model, pv.KAnonymity | pv.MaximumRisk | pv.AlphaKAnonymity) or (
        isinstance(model, pv.LDiversity) and model.kind == "distinct"
    )


def texts(frame: pl.DataFrame, name: str) -> list[str | None]:
    """A column as it would be written."""
    column = frame[name]
    return [None if cell is None else str(cell) for cell in column.to_list()]


def attempt(case: Case) -> pv.Release | str:
    """A release, or the name of the error that refuses it in one sentence."""
    try:
        return pv.anonymize(case.frame, case.plan)
    except pv.ParaventError as error:
        message = str(error)
        assert "\n" not in message
        assert 15 < len(message) < 800, message
        if isinstance(error, pv.UnsafeReleaseError):
            # The rows that fit a missing cell can be less diverse than its class: nothing else may get this far.
            assert "wildcard" in [case.plan.meaning_of_missing(name) for name in case.plan.quasi], message
        return type(error).__name__


def recheck(case: Case, release: pv.Release) -> str | None:
    """What a release does not keep."""
    plan, frame = case.plan, release.frame
    kept = release.kept.tolist()
    if len(set(kept)) != len(kept) or frame.height != len(kept):
        return "rows stand twice"
    shown = [row for row in range(frame.height) if frame["note"][row] is not None]
    for name in ("disease", "pay", "note", "remark"):
        before, after = texts(case.frame, name), texts(frame, name)
        if any(after[row] != before[kept[row]] for row in shown):
            return f"column {name!r} has changed"
    if "who" in frame.columns or ("who" in plan.columns and "who" not in plan.identifiers):
        return "the person is published"
    gone = _gone(case)
    may = int(Decimal(str(plan.suppression)) * (case.frame.height - gone))
    if case.frame.height - gone - len(shown) > may:
        return f"{case.frame.height - gone - len(shown)} rows suppressed, {may} allowed"
    if not shown:
        return None
    quasi = [texts(frame, name) for name in plan.quasi]
    keys: list[tuple[Hashable, ...]] = [tuple(column[row] for column in quasi) for row in range(frame.height)]
    people = [case.people[row] for row in kept]
    values: dict[str, Sequence[Hashable]] = {name: texts(frame, name) for name in ("disease", "pay")}
    wild = [plan.meaning_of_missing(name) == "wildcard" for name in plan.quasi]
    if any(w and column[row] is None for w, column in zip(wild, quasi, strict=True) for row in shown):
        return _wild(plan, keys, shown, people, wild)
    members: dict[tuple[Hashable, ...], list[int]] = defaultdict(list)
    for row in shown:
        members[keys[row]].append(row)
    groups = [Group(rows, people, values) for rows in members.values()]
    table = Group(shown, people, values)
    several = len(set(case.people)) < len(case.people)
    for model in plan.protect:
        if several and not has_one_meaning(model):
            continue
        why = broken(model, groups, table, [[column[row] for row in shown] for column in quasi])
        if why is not None:
            return f"{model!r} is broken: {why}"
    return None


def _wild(
    plan: pv.Plan, keys: list[tuple[Hashable, ...]], shown: list[int], people: list[int], wild: list[bool]
) -> str | None:
    """With cells that may be anything, somebody hides among all whose cells agree where both are known."""
    k = max((model.k for model in plan.protect if isinstance(model, pv.KAnonymity)), default=1)
    for row in shown:
        alike = {
            people[other]
            for other in shown
            if all(
                x == y or (w and (x is None or y is None)) for x, y, w in zip(keys[row], keys[other], wild, strict=True)
            )
        }
        if len(alike) < k:
            return f"a row fits {len(alike)} people, {k} are promised"
    return None


def _gone(case: Case) -> int:
    """The rows that the plan leaves out for a missing value."""
    plan = case.plan
    judged = {model.column for model in plan.protect if hasattr(model, "column")}
    names = [name for name in (*plan.quasi, *judged) if plan.meaning_of_missing(name) == "drop rows"]
    columns = [case.frame[name].to_list() for name in names]
    return sum(any(column[row] is None for column in columns) for row in range(case.frame.height))


def told(case: Case) -> str:
    return f"frame = pl.DataFrame({case.frame.to_dict(as_series=False)!r})\nplan = {case.plan!r}\n"


def test_every_release_keeps_its_promises() -> None:
    ends: Counter[str] = Counter()
    methods: Counter[str] = Counter()
    for run in runs(500, 10_000):
        case = case_of(generator(5, run))
        try:
            release = attempt(case)
            why = None if isinstance(release, str) else recheck(case, release)
        except Exception as error:
            raise AssertionError(f"run {run}: {type(error).__name__}: {error}\n{told(case)}") from error
        assert why is None, f"run {run}: {why}\n{told(case)}"
        ends["released" if isinstance(release, pv.Release) else release] += 1
        if isinstance(release, pv.Release):
            methods[type(case.plan.method).__name__] += 1
    # The fuzz is worth something only if it reaches both ends, by every road.
    assert ends["released"] > 0.3 * sum(ends.values()), ends
    assert ends["InfeasibleError"] > 0, ends
    assert len(methods) >= 20, methods


@settings(max_examples=60)
@given(cases())
def test_every_release_keeps_its_promises_by_hypothesis(case: Case) -> None:
    """The same, drawn by hypothesis, which shrinks what fails."""
    release = attempt(case)
    event(release if isinstance(release, str) else "released")
    if isinstance(release, pv.Release):
        assert recheck(case, release) is None, told(case)


def test_the_second_opinion_can_say_no() -> None:
    """The checks of this file fail on tables that are broken on purpose."""
    people = list(range(4))
    values: dict[str, Any] = {"disease": ["flu", "flu", "cold", "cold"], "pay": ["1", "1", "2", "4"]}
    groups = [Group([0, 1], people, values), Group([2, 3], people, values)]
    table = Group(people, people, values)
    columns = [["a", "a", "b", "b"]]
    for model in (
        pv.KAnonymity(3),
        pv.MaximumRisk(0.49),
        pv.AverageRisk(0.49),
        pv.ColumnAnonymity(3),
        pv.LDiversity(2, "disease"),
        pv.LDiversity(1.1, "disease", kind="entropy"),
        pv.LDiversity(2, "disease", kind="recursive", c=4),
        pv.TCloseness(0.49, "disease"),
        pv.TCloseness(0.37, "pay", distance="ordered"),
        pv.AlphaKAnonymity(0.9, 2, "disease"),
        pv.BetaLikeness(0.9, "disease", kind="basic"),
        pv.BetaLikeness(3, "disease"),
        pv.DeltaDisclosure(5, "disease"),
    ):
        assert broken(model, groups, table, columns) is not None, model
    for model in (
        pv.KAnonymity(2),
        pv.MaximumRisk(0.5),
        pv.AverageRisk(0.5),
        pv.ColumnAnonymity(2),
        pv.SampleUniqueness(0.0),
        pv.TCloseness(0.5, "disease"),
        pv.AlphaKAnonymity(1, 2, "disease"),
        pv.BetaLikeness(1, "disease", kind="basic"),
    ):
        assert broken(model, groups, table, columns) is None, model

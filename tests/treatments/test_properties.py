"""Laws of plans with coarsening treatments over random tables: a verified release or a clear error."""

from __future__ import annotations

from collections import defaultdict

import polars as pl
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.table.text import as_text
from paravent.treatments import Sample, Suppress
from tests.generators import MONDRIANS, Case, cases
from tests.generators.dice import Drawn
from tests.generators.treatments import treatments


@st.composite
def treated_cases(draw: st.DrawFn) -> Case:
    case = draw(cases([*MONDRIANS, lambda dice: pv.methods.AsIs()]))  # noqa: ARG005
    plan = case.plan
    if isinstance(plan.method, pv.methods.AsIs):  # weighs nothing
        plan = plan.replace(columns={name: _unweighted(role) for name, role in plan.columns.items()})
    return Case(case.frame, plan.replace(treat=treatments(Drawn(draw), case.frame, plan)), case.people)


def _unweighted(role: pv.plan.roles.Role) -> pv.plan.roles.Role:
    return pv.Quasi(missing=role.missing) if isinstance(role, pv.Quasi) else role


def texts(column: pl.Series) -> list[str | None]:
    found = column.alias("cells")
    return as_text(found.fill_nan(None) if found.dtype.is_float() else found).to_list()


def attempt(case: Case) -> pv.Release | None:
    plan = case.plan
    try:
        return pv.anonymize(case.frame, plan)
    except pv.ParaventError as raised:
        error = raised
    event(type(error).__name__)
    assert "\n" not in str(error)
    assert 20 < len(str(error)) < 500
    if isinstance(error, pv.UnsafeReleaseError):  # only wildcards may get this far
        assert "wildcard" in (plan.missing, *(role.missing for role in plan.quasi.values())), error
    return None


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(treated_cases())
def test_a_verified_release_or_a_clear_error(case: Case) -> None:
    frame, plan = case.frame, case.plan
    release = attempt(case)
    if release is None:
        return
    event(f"released after {', '.join(sorted(type(each).__name__ for each in plan.treat))}")
    assert release.kept is not None
    kept, base = release.kept.tolist(), release.base
    assert len(set(kept)) == len(kept)
    assert set(kept) <= set(base.rows.tolist())
    people = [case.people[row] for row in kept]

    # k people in every class, by brute force
    k = max((model.k for model in plan.protect if isinstance(model, pv.KAnonymity)), default=1)
    blank = [note is None for note in release.frame["note"]]  # the note of every row is known
    wild = any(plan.meaning_of_missing(name) == "wildcard" for name in plan.quasi)
    classes: dict[tuple[str | None, ...], set[int]] = defaultdict(set)
    for i, cells in enumerate(zip(*(texts(release.frame[name]) for name in plan.quasi), strict=True)):
        if not blank[i]:
            classes[cells].add(people[i])
    assert wild or min(map(len, classes.values()), default=k) >= k

    # each treated cell follows from its original; what was missing is missing, and only suppression adds to it
    treated = {name for treatment in plan.treat for name in treatment.columns}
    for name in treated:
        before, after = texts(frame[name]), texts(base.table.frame[name])
        steps = [each for each in plan.treat if name in each.columns]
        pairs = {(before[row], after[row]) for row in base.rows.tolist()}
        by_rows = any(isinstance(each, Suppress) for each in steps)
        assert all(new is None for old, new in pairs if old is None)
        assert by_rows or all(new is not None for old, new in pairs if old is not None)
        assert len({old for old, new in pairs if new is not None}) == len(
            {pair for pair in pairs if pair[1] is not None}
        )
    for name in set(frame.columns) - treated:
        assert base.table.frame[name].equals(frame[name], null_equal=True)

    # people are drawn with all their rows
    if any(isinstance(each, Sample) for each in plan.treat) and plan.person:
        stay = {case.people[row] for row in base.rows.tolist()}
        assert sorted(base.rows.tolist()) == [row for row in range(len(frame)) if case.people[row] in stay]

    # what is released of treated columns is what was checked
    for name in treated - set(plan.quasi):
        if name in release.frame.columns:
            there = texts(base.table.frame[name])
            shown = texts(release.frame[name])
            assert all(blank[i] or shown[i] == there[row] for i, row in enumerate(kept))

    assert release.frame.equals(pv.anonymize(frame, plan).frame, null_equal=True)
    assert pv.verify(release, plan)
    assert release.measure()["rows.original"] == len(frame)

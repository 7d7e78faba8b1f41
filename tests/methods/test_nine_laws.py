"""What every method owes, whatever the table: §2.0 of the literature's contract, through `pv.anonymize`.

Classes hold, no more rows go than may, every cell covers its original, other columns are untouched, the output is of
the type that the method says, its steps lead to its result, and two runs are equal.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.hierarchy.cells import CellReader
from paravent.methods.output_types import is_full_domain, is_subtree
from paravent.methods.trace import replay

METHODS: list[Any] = [
    pv.methods.MuArgus(),
    pv.methods.MuArgus(choices=()),
    pv.methods.MuArgus(choices=(), check="pairs_triples"),
    pv.methods.MuArgus(singles=True),
    pv.methods.Datafly(),
    pv.methods.Datafly(complementary=True),
    pv.methods.Samarati(),
    pv.methods.Incognito(),
    pv.methods.BottomUp(target="income", bounds=(2, 5)),
    pv.methods.TopDown(target="sick"),
    pv.methods.Mondrian(cut="median"),
    pv.methods.Mondrian(cut="infogain", target="sick"),
    pv.methods.Mondrian(cut="lsd", target="income", labels="interval"),
    pv.methods.Mondrian(cut="infogain", target="sick", labels="set"),
    pv.methods.LocalRecoding(effort="fast"),
    pv.methods.Polish(base="Datafly()", metric="gcp", effort="fast"),
    pv.methods.Filter(levels={"town": 1}),
]

TREES: dict[str, Any] = {
    "age": [pv.intervals(5, 10), pv.balanced(), pv.quantiles(4, 2)],
    "town": [pv.prefixes(), pv.flat(), pv.by_frequency()],
    "born": [pv.dates("month", "year")],
}


@st.composite
def cases(draw: st.DrawFn, method: Any) -> tuple[pl.DataFrame, pv.Plan]:
    n = draw(st.integers(2, 40))
    rng = random.Random(draw(st.integers(0, 2**32)))
    gaps = draw(st.booleans())
    columns: dict[str, list[Any]] = {
        "age": [rng.choice([None] if gaps and rng.random() < 0.1 else [rng.randint(18, 40)]) for _ in range(n)],
        "town": [rng.choice(["aa", "ab", "ba", "bb", "bc", "ca"]) for _ in range(n)],
        "born": [f"199{rng.randint(0, 3)}-0{rng.randint(1, 9)}-01" for _ in range(n)],
        "sick": [rng.choice(["yes", "no"] if not gaps else ["yes", "no", None]) for _ in range(n)],
        "income": [rng.randint(1, 8) for _ in range(n)],
    }
    frame = pl.DataFrame(columns).with_columns(pl.col("born").str.to_date())
    bare = isinstance(method, pv.methods.TopDown | pv.methods.Mondrian) and draw(st.booleans())
    quasi = draw(st.lists(st.sampled_from(["age", "town", "born"]), min_size=1, max_size=3, unique=True))
    if isinstance(method, pv.methods.Filter) and "town" not in quasi:
        quasi.append("town")
    roles: dict[str, Any] = {
        name: pv.Quasi(
            None if bare else draw(st.sampled_from(TREES[name])),
            weight=draw(st.sampled_from([1.0, 3.0])) if method.weighs else 1.0,
            missing=draw(st.sampled_from(["own value", "impute", "drop rows"])) if name == "age" else None,
        )
        for name in quasi
    }
    roles["sick"] = pv.Sensitive(missing="own value")
    models: list[Any] = [pv.KAnonymity(draw(st.integers(1, 5)))]
    if draw(st.booleans()):
        kind = draw(st.sampled_from(["distinct", "entropy"]))
        models.append(pv.LDiversity(2, "sick", kind=kind))
    elif draw(st.booleans()):
        models.append(pv.TCloseness(0.4, "sick"))
    return frame, pv.Plan(
        roles,
        models,
        method,
        suppression=draw(st.sampled_from([0.0, 0.2, 0.6])),
        suppressed=draw(st.sampled_from(["drop", "mark"])),
    )


@pytest.mark.parametrize("method", METHODS, ids=str)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_contract(method: Any, data: st.DataObject) -> None:
    frame, plan = data.draw(cases(method))
    name = type(plan.method).__name__
    try:
        release = pv.anonymize(frame, plan)
    except pv.InfeasibleError:
        event(f"{name}: infeasible")
        return
    event(f"{name}: released")
    kept = release.kept.tolist()
    real = release.frame
    blank = [False] * real.height
    if plan.suppressed == "mark":
        blank = real["income"].is_null().to_list()
    rows = [i for i in range(real.height) if not blank[i]]

    k = plan.protect[0].k  # type: ignore[attr-defined]
    cells = {q: real[q].cast(pl.String).to_list() for q in plan.quasi}
    assert min(Counter(tuple(cells[q][i] for q in plan.quasi) for i in rows).values()) >= k

    dropped = frame["age"].null_count() if plan.meaning_of_missing("age") == "drop rows" else 0
    present = len(frame) - dropped
    assert present - len(rows) <= plan.allowed(present)

    for column in ("sick", "income"):
        original = frame[column].to_list()
        assert [real[column][i] for i in rows] == [original[kept[i]] for i in rows]
    for axis in release.axes:
        reader = CellReader(axis.values, axis.tree, axis.positions)
        for i in rows:
            covered = reader.covers(cells[axis.name][i])
            assert covered is not None
            assert axis.codes[kept[i]] in covered

    blanks = plan.method.suppresses != "cells"
    if plan.method.gives == "full-domain":
        assert is_full_domain(release, blanks=blanks)
    elif plan.method.gives == "subtree":
        assert is_subtree(release, blanks=blanks)

    if release.steps:
        last = [table for _, table in replay(release.axes, release.steps)][-1]
        for q in plan.quasi:
            assert [last[q][kept[i]] for i in rows] == [cells[q][i] for i in rows]
            gone = set(range(len(frame))) - {kept[i] for i in rows}
            assert {r for r, cell in enumerate(last[q]) if cell is None} == gone

    again = pv.anonymize(frame, plan)
    assert again.frame.equals(release.frame)
    assert again.trace == release.trace


@given(st.sampled_from(METHODS))
def test_a_plan_file_says_the_same(method: Any) -> None:
    plan = pv.Plan({"age": pv.Quasi(pv.balanced())}, pv.KAnonymity(2), method)
    assert pv.Plan.from_document(plan.to_document()) == plan
    assert eval(repr(plan), {"pv": pv}) == plan


def test_targets_are_checked_before_any_work() -> None:
    frame = pl.DataFrame({"age": [1, 2, 1, 2], "name": ["a", "b", "c", "d"], "sick": ["y", "n", "y", "n"]})
    roles: dict[str, Any] = {"age": pv.Quasi(), "name": pv.Identifier()}
    with pytest.raises(pv.PlanError, match=r"'sic'.*'sick'"):
        pv.anonymize(frame, pv.Plan(roles, pv.KAnonymity(2), pv.methods.TopDown(target="sic")))
    with pytest.raises(pv.PlanError, match="'name' is an identifier"):
        pv.anonymize(frame, pv.Plan(roles, pv.KAnonymity(2), pv.methods.TopDown(target="name")))
    release = pv.anonymize(frame, pv.Plan(roles, pv.KAnonymity(2), pv.methods.TopDown(target="sick")))
    assert sorted(release.frame["age"].to_list()) == ["1", "1", "2", "2"]

"""Relocation: who moves, where to, and how many; and that classes need less generalization afterwards."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.hierarchy.tree import Tree
from paravent.treatments import Relocate
from paravent.treatments.relocation.nearest import InTree, OnLine, moves

from .plans import run, treated

TREE = Tree.from_paths(
    "t", [[leaf, group, "*"] for leaf, group in zip("abcdef", ["x", "x", "y", "y", "y", "z"], strict=True)]
)
PLACES = np.array([0.0, 1.0, 5.0, 6.0, 20.0])


def plainly(rows: list[tuple[int, int]], k: int) -> list[tuple[int, int]]:
    """Every row beside every dense combination that differs in one column; the nearest on each side competes."""
    counts = Counter(rows)
    found = []
    for row in rows:
        offers = []
        for at in (0, 1) if counts[row] < k else ():
            fits = [to for to, count in counts.items() if count >= k and to[1 - at] == row[1 - at]]
            below = sorted(to for to in fits if to[at] < row[at])[-1:]
            nearest = below + sorted(to for to in fits if to[at] > row[at])[:1]
            offers += [(_distance(at, row[at], to[at]), -counts[to], at, to[at], to) for to in nearest]
        found.append(min(offers)[-1] if offers else row)
    return found


def _distance(at: int, a: int, b: int) -> float:
    if at == 0:
        return float(abs(PLACES[a] - PLACES[b]) / 20)
    same = {0: "x", 1: "x", 2: "y", 3: "y", 4: "y", 5: "z"}
    covered = {"x": 2, "y": 3, "z": 1}[same[a]] if same[a] == same[b] else 6
    return 0.0 if a == b else (covered - 1) / 5


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40), st.integers(2, 4))
def test_rows_move_to_the_nearest_that_enough_share(rows: list[tuple[int, int]], k: int) -> None:
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    found = moves(columns, [5, 6], [OnLine(PLACES), InTree(TREE)], k)
    moved = np.array(rows)
    moved[found.rows, found.column] = found.code
    assert [tuple(row) for row in moved.tolist()] == plainly(rows, k)
    assert found.outlying == sum(count for count in Counter(rows).values() if count < k)


def test_the_tree_says_what_is_near() -> None:
    """One baker among cooks and nurses: cooks are nearer, though nurses are more."""
    frame = pl.DataFrame({"job": ["cook"] * 5 + ["nurse"] * 9 + ["baker"]})
    roles = {"job": pv.Quasi(pv.groups({"food": ["baker", "cook"], "care": ["nurse", "medic"]}))}
    plan = pv.Plan(roles, pv.KAnonymity(5), treat=[Relocate("job", k=5, most=0.1)], person=None)
    release = pv.anonymize(frame, plan)
    assert sorted(release.frame["job"]) == ["cook"] * 6 + ["nurse"] * 9
    assert release.trace[0].startswith("Relocate: 1 of 15 rows moved in 'job'; 0 rows as much alone")
    with pytest.raises(PlanError, match=r"nothing says which of its values are near.*Give it a tree"):
        run(Relocate("job", k=5, most=0.1), frame)


def test_outliers_cost_less_after_a_move() -> None:
    rng = np.random.default_rng(7)
    age = np.concatenate((rng.integers(30, 40, 990), rng.integers(70, 100, 10)))
    frame = pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], 1000)})
    roles = {"age": pv.Quasi(), "sex": pv.Quasi(pv.flat())}
    plan = pv.Plan(roles, pv.KAnonymity(10), person=None, order="source")
    moved = plan.replace(treat=[Relocate(("age", "sex"), k=10)])
    before, after = pv.anonymize(frame, plan), pv.anonymize(frame, moved)
    assert "10 of 1000 rows moved in 'age', 0 in 'sex'" in after.trace[0]
    widest = [
        max(np.ptp([int(end) for end in re.findall(r"\d+", label)]) for label in release.frame["age"])
        for release in (before, after)
    ]
    assert widest[0] > 30
    assert widest[1] < 10
    assert after.verdict
    assert after.base.table.frame["age"].max() == 39
    assert after.table.frame.equals(frame)


def test_steps_of_a_width_and_the_nearest_value_in_them() -> None:
    frame = pl.DataFrame({"x": [10.2, 10.4, 10.9, 13.5, 17.1, 17.6, 17.7, None]})
    found = treated(Relocate("x", k=3, width=1.0, most=0.5), frame)["x"].to_list()
    assert found == [10.2, 10.4, 10.9, 10.9, 17.1, 17.6, 17.7, None]  # three steps down, four steps up


def test_missing_values_stay_and_are_nobodys_neighbours() -> None:
    frame = pl.DataFrame({"a": [1, 1, 1, 2, None, None], "b": [5, 5, 5, 5, 5, None]})
    found = treated(Relocate(("a", "b"), k=3, most=0.5), frame)
    assert found["a"].to_list() == [1, 1, 1, 1, None, None]
    assert found["b"].to_list() == frame["b"].to_list()


def test_dates_and_ordinal_values_keep_their_type() -> None:
    day = pl.Series([10, 10, 10, 12, 40, 40, 40]).cast(pl.Int32).cast(pl.Date)
    size = pl.Series(["s", "s", "s", "m", "l", "l", "l"], dtype=pl.Enum(["s", "m", "l"]))
    frame = pl.DataFrame({"day": day, "size": size})
    for name, expected in (("day", day[:3].append(day[:1]).append(day[4:])), ("size", None)):
        found = treated(Relocate(name, k=3, most=0.5), frame, kinds={"size": ["s", "m", "l"]})[name]
        assert found.dtype == frame[name].dtype
        if expected is not None:
            assert found.to_list() == expected.to_list()
        else:
            assert found.to_list() == ["s"] * 4 + ["l"] * 3  # as near and as many: the lower


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"k": 1}, "k must be at least 2"),
        ({"k": 3, "most": 5}, r"Write 5 % as 0\.05"),
        ({"k": 3, "width": 0}, "width must be a number above 0"),
        ({"k": 3, "width": {"y": 2}}, "width names 'y'"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        Relocate("x", **options)


def test_more_moves_than_are_allowed_are_refused() -> None:
    frame = pl.DataFrame({"x": [1, 1, 1, 2, 3, 4]})
    with pytest.raises(InfeasibleError, match=r"3 of 6 rows would move, more than a share of 0\.1"):
        run(Relocate("x", k=3, most=0.1), frame)
    with pytest.raises(PlanError, match="which has no width"):
        run(Relocate("w", k=3, width={"w": 2}), pl.DataFrame({"w": ["a", "b"]}))

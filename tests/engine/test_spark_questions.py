"""Questions to a table on a cluster: the answers of one machine with the same seed, charged first."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from tests.engine.lake import people_of

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")
DOMAINS = {"age": range(20, 60), "sex": ["f", "m"], "pay": (0.0, 9000.0), "disease": ["flu", "cold", "ulcer"]}
TOLD: dict[str, Callable[[Any], Any]] = {
    "all rows": lambda q: q.count(epsilon=0.5),
    "conditions": lambda q: q.count({"age": (30, 39), "disease": ["flu", "cold"]}, epsilon=0.5),
    "gaussian": lambda q: q.count({"sex": "f"}, rho=0.1),
    "values": lambda q: q.histogram("disease", {"age": (30, 59)}, epsilon=0.5),
    "bins": lambda q: q.histogram("pay", bins=7, epsilon=0.5),
    "most frequent": lambda q: q.top("disease", 2, {"age": (20, 49)}, epsilon=0.5),
    "first condition": lambda q: q.first_above(400, [{"age": 30}, {"sex": "f"}, {}], epsilon=0.5),
    "groups": lambda q: q.group_by("sex", "disease").agg({"age": (20, 49)}, epsilon=0.5, n="count"),
    "values found": lambda q: q.histogram("zip", epsilon=0.5, delta=1e-6),
    "groups found": lambda q: q.group_by("zip", "sex").agg(epsilon=2, delta=1e-6, n="count"),
}


def budget_in(folder: Path, name: str) -> pv.Budget:
    return pv.Budget(folder / f"{name}.ledger", epsilon=20, delta=1e-4, outright=1e-5)


def test_answers_are_those_of_one_machine(spark: Any, people: pl.DataFrame, tmp_path: Path) -> None:
    rows = people.with_columns(sex=pl.when(pl.col("age") % 9 == 0).then(None).otherwise("sex"))
    frame = spark.createDataFrame(rows.sample(fraction=1.0, shuffle=True, seed=2).to_arrow()).repartition(3)
    there, here = budget_in(tmp_path, "there"), budget_in(tmp_path, "here")
    with (
        pv.private(frame, there, DOMAINS, unsafe_seed=3) as cluster,
        pv.private(rows, here, DOMAINS, unsafe_seed=3) as alone,
    ):
        for name, ask in TOLD.items():
            ours, theirs = ask(cluster), ask(alone)
            assert str(ours) == str(theirs), name
            if hasattr(theirs, "frame"):
                assert ours.frame.equals(theirs.frame), name
                assert ours.frame.height > 1, name
    assert [(entry.what, entry.cost) for entry in there.entries] == [(entry.what, entry.cost) for entry in here.entries]
    with pytest.raises(PlanError, match="questions are over"):
        cluster.count(epsilon=0.1)


def test_a_person_takes_part_with_so_many_rows(spark: Any, tmp_path: Path) -> None:
    """Those that come first by their cells. Rows of nobody are left out."""
    rows = pl.concat([people_of(300, seed=s).with_columns(patient=pl.int_range(300) % (100 * s)) for s in (1, 2, 3)])
    rows = rows.with_columns(patient=pl.when(pl.col("patient") == 7).then(None).otherwise("patient"))
    frame = spark.createDataFrame(rows.to_arrow()).repartition(3)
    ordered = rows.sort(*rows.columns)
    with (
        pv.private(frame, budget_in(tmp_path, "a"), DOMAINS, person="patient", rows=2, unsafe_seed=1) as cluster,
        pv.private(ordered, budget_in(tmp_path, "b"), DOMAINS, person="patient", rows=2, unsafe_seed=1) as alone,
    ):
        assert str(cluster.count(epsilon=1)) == str(alone.count(epsilon=1))
        ours, theirs = (q.histogram("age", bins=4, rho=0.5) for q in (cluster, alone))
        assert ours.frame.equals(theirs.frame)
        assert 0 < ours.frame["estimate"].sum() < 700


def test_the_ledger_is_charged_first_and_knows_the_table(spark: Any, people: pl.DataFrame, tmp_path: Path) -> None:
    frame = spark.createDataFrame(people.to_arrow())
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=1)
    with pv.private(frame, budget, DOMAINS) as q:
        answer = q.count(epsilon=0.75)
        assert abs(answer.estimate - 1500) < 40
        assert budget.spent.epsilon == Fraction(3, 4)
        with pytest.raises(InfeasibleError, match="does not hold"):
            q.count(epsilon=0.5)
        for refused in (
            lambda: q.mean("age", epsilon=0.1),
            lambda: q.quantile("age", epsilon=0.1),
            lambda: q.correlation("age", "pay", epsilon=0.1),
            lambda: q.group_by("sex").agg(epsilon=0.1, age=("mean", "age")),
        ):
            with pytest.raises(PlanError, match="on one machine") as told:
                refused()
            assert "\n" not in str(told.value)
        with pytest.raises(PlanError, match="no column 'aeg'"):
            q.count({"aeg": 3}, epsilon=0.1)
        with pytest.raises(PlanError, match="not among the values"):
            q.count({"disease": "flux"}, epsilon=0.1)
        with pytest.raises(PlanError, match="has no domain"):
            q.histogram("zip", epsilon=0.1)
    assert len(budget.entries) == 1
    with pytest.raises(PlanError, match="is of another table"):
        pv.private(frame.limit(1000), budget, DOMAINS)
    with pytest.raises(PlanError, match="without a person column"):
        pv.private(frame, budget, DOMAINS, rows=2)

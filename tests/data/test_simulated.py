"""Made-up tables have the shapes that they claim."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.data import simulated
from paravent.errors import PlanError
from paravent.plan.encode import encode


def test_voters_have_the_published_shape() -> None:
    table = simulated.voters()
    frame = table.frame
    assert len(frame) == 30_162
    distinct = {name: frame[name].n_unique() for name in frame.columns}
    assert distinct == {"zip": 941, "gender": 2, "race": 8, "birth-year": 92, "party": 9}
    sizes = frame.group_by(frame.columns).len()["len"].to_numpy()
    assert abs(len(sizes) - 28_896) < 300
    assert (sizes == 1).mean() == pytest.approx(0.96, abs=0.01)
    parties = frame["party"].value_counts()["count"].to_numpy()
    assert simulated.effective_values(parties) == pytest.approx(3.16, abs=0.05)
    quasi = {name: pv.Quasi(tree) for name, tree in simulated.voter_trees().items()}
    trees = {axis.name: axis.tree for axis in encode(table, pv.Plan(quasi, [pv.KAnonymity(2)]))}
    assert trees["zip"] is not None
    assert (trees["zip"].n_nodes, trees["zip"].height) == (1167, 5)
    assert trees["birth-year"] is not None
    assert trees["birth-year"].height == 4


def test_voters_hang_together_as_an_electorate_does() -> None:
    """Party goes by race, and races live apart; the totals are those that were asked for."""
    frame = simulated.voters().frame

    def share(race: str, party: str) -> float:
        return float((frame.filter(pl.col("race") == race)["party"] == party).mean())  # type: ignore[arg-type]

    assert share("3", "DEM") > 0.6
    assert share("5", "DEM") < 0.4
    assert share("5", "REP") > share("3", "REP") + 0.2
    assert (frame["party"] == "DEM").mean() == pytest.approx(0.37, abs=0.01)
    assert (frame["race"] == "3").mean() == pytest.approx(0.135, abs=0.01)
    by_area = frame.group_by(pl.col("zip").str.slice(0, 3)).agg((pl.col("race") == "3").mean())["race"]
    assert by_area.max() - by_area.min() > 0.1  # type: ignore[operator]


def test_the_same_seed_gives_the_same_voters() -> None:
    assert simulated.voters(500, seed=3).frame.equals(simulated.voters(500, seed=3).frame)
    assert not simulated.voters(500, seed=3).frame.equals(simulated.voters(500, seed=4).frame)


@pytest.mark.parametrize("values", [5, 10, 20, 50, 100, 200, 500])
def test_sensitive_columns_follow_their_law(values: int) -> None:
    rows = 30_162
    counts = np.unique(simulated.sensitive_column(rows, values=values), return_counts=True)[1]
    assert len(counts) == values
    assert counts.max() - counts.min() <= 1
    halves = simulated.sensitive_column(rows, values=values, law="geometric")
    assert halves.count("s0") == pytest.approx(rows / 2, rel=0.03)
    assert halves.count("s1") == pytest.approx(rows / 4, rel=0.05)
    bell = np.array([int(s[1:]) for s in simulated.sensitive_column(rows, values=values, law="normal")])
    place = (bell + 0.5) / values * 6 - 3
    assert place.mean() == pytest.approx(0, abs=0.03)
    assert place.std() == pytest.approx(1, abs=0.07)


def test_wrong_demands_are_named() -> None:
    with pytest.raises(PlanError, match="law"):
        simulated.sensitive_column(3, values=2, law="zipf")  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="rows"):
        simulated.voters(0)

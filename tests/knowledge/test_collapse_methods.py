"""Facts of a collapse beside what methods give: some methods go the very ways that a collapse looks along."""

from __future__ import annotations

from math import log

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.knowledge.cube.run import measured
from paravent.knowledge.descriptors import describe

WAYS = (
    ("values", pv.methods.Datafly()),
    ("best", pv.methods.Optimal(metric="loss")),
    ("lowest", pv.methods.Samarati()),
    ("medians", pv.methods.Mondrian(cut="median")),
    ("cuts", pv.methods.Mondrian()),
    ("number", pv.methods.Mondrian(cut="lsd", target="y")),
    ("class", pv.methods.Mondrian(cut="infogain", target="s")),
)
SAID = {
    "utility.gcp": "loss",
    "utility.completeness": "kept",
    "utility.cm": "wrong",
    "utility.regression": "untold",
    "utility.shift": "shift",
}


def _plan(method: pv.Method, suppression: float) -> pv.Plan:
    quasi = {"age": pv.Quasi(pv.intervals(5, 10, 20)), "zip": pv.Quasi(pv.intervals(4, 16)), "job": pv.Quasi(pv.flat())}
    roles = {**quasi, "s": pv.Sensitive(), "y": pv.Insensitive()}
    return pv.Plan(roles, pv.KAnonymity(4), method, suppression=suppression)


def _people(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age, code = rng.integers(20, 60, 300), rng.integers(0, 64, 300)
    job = np.array(["clerk", "nurse", "smith", "cook"])[rng.integers(0, 4, 300)]
    ill = np.array(["flu", "cold", "none"])[(age // 20 + rng.integers(0, 2, 300)) % 3]
    return pl.DataFrame({"age": age, "zip": code, "job": job, "s": ill, "y": age * 2.0 + rng.normal(0, 9, 300)})


@pytest.mark.parametrize(("place", "method"), WAYS, ids=[place for place, _ in WAYS])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_fact_is_what_a_method_gives(place: str, method: pv.Method, seed: int) -> None:
    frame, suppression = _people(seed), 0.05 if method.suppresses == "rows" else 0.0
    plan = _plan(method, suppression)
    found = describe(frame, plan, "s", number="y").at(4, suppression)
    given = measured(pv.anonymize(frame, plan), target="s", number="y")
    for metric, fact in SAID.items():
        assert found[f"{place}.{fact}"] == pytest.approx(given[metric], abs=1e-9), metric
    assert found[f"{place}.least"] == pytest.approx(4 * given["risk.prosecutor.max"])
    assert found[f"{place}.mean"] == pytest.approx(4 * given["risk.prosecutor.average"])
    assert found[f"{place}.counts"] == pytest.approx(log(given["utility.queries.are"]))


def test_counts_are_asked_as_the_measure_asks_them() -> None:
    """Values of a sensitive column are known by other numbers there: texts as they come, missing ones before them."""
    frame = _people(3).with_columns(pl.when(pl.col("s") == "cold").then(None).otherwise(pl.col("s")).alias("s"))
    plan = _plan(pv.methods.Mondrian(cut="median"), 0.0)
    given = measured(pv.anonymize(frame, plan), target="s", number="y")
    found = describe(frame, plan, "s", number="y").at(4)
    assert found["medians.counts"] == pytest.approx(log(given["utility.queries.are"]))

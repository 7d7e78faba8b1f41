"""Total variation distances, by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.utility.marginals import _distance


def test_distances_are_those_of_the_shares() -> None:
    table = pl.DataFrame({"a": ["x"] * 50 + ["y"] * 50, "b": ["u", "v"] * 50, "c": [True] * 100})
    domains = {"a": ["x", "y"], "b": ["u", "v"], "c": [True, False]}
    plan = pv.Plan({}, [pv.DifferentialPrivacy(epsilon=1)], pv.methods.MST(domains=domains, rows=37), person=None)
    release = pv.anonymize(table, plan)
    measures = release.measure()
    drawn = release.frame

    def share(*names: str) -> dict[tuple[object, ...], float]:
        counted = drawn.group_by(*names).len()
        return {row[:-1]: row[-1] / 37 for row in counted.iter_rows()}

    alone = [
        {("x",): 0.5, ("y",): 0.5},
        {("u",): 0.5, ("v",): 0.5},
        {(True,): 1.0},
    ]
    apart = []
    for name, before in zip("abc", alone, strict=True):
        after = share(name)
        apart.append(sum(abs(before.get(key, 0) - after.get(key, 0)) for key in {*before, *after}) / 2)
    assert measures["utility.marginals.1.mean"] == pytest.approx(sum(apart) / 3)
    assert measures["utility.marginals.1.max"] == pytest.approx(max(apart))
    before3 = {(a, b, True): 0.25 for a in "xy" for b in "uv"}
    after3 = share("a", "b", "c")
    triple = sum(abs(before3.get(key, 0) - after3.get(key, 0)) for key in {*before3, *after3}) / 2
    assert measures["utility.marginals.3.mean"] == measures["utility.marginals.3.max"] == pytest.approx(triple)
    assert "utility.marginals.2.max" not in pv.anonymize(table, quasi=["a"], k=2, drop=["b", "c"]).measure()


def test_pairs_of_many_values() -> None:
    """Of 100 × 100 pairs two occur, half of the original each, and one of them alone in the release."""
    before, after = np.array([0, 99]), np.array([0, 0])
    column = (np.concatenate([before, after]), 100)
    assert _distance([column, column], rows=2) == 0.5

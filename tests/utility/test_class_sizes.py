"""Class-size measures against a published table."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from paravent.privacy.k_anonymity import KAnonymity
from paravent.utility.measure import measure
from paravent.utility.subject import Subject

from .conftest import axis_of

ORACLE = tomllib.loads((Path(__file__).parents[1] / "oracles/class_sizes.toml").read_text())


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda case: str(case["sizes"]))
def test_the_published_figures(case: dict[str, object]) -> None:
    sizes = case["sizes"]
    assert isinstance(sizes, list)
    labels = [f"c{i:02}" for i, size in enumerate(sizes) for _ in range(size)]
    original = labels + ["gone"] * (ORACLE["rows"] - len(labels))
    released = pl.DataFrame({"q": labels})
    found = measure(Subject((axis_of("q", original),), released, np.arange(len(labels)), (KAnonymity(ORACLE["k"]),)))
    assert found.get("utility.dm.kept", found["utility.dm"]) == case["dm"]
    assert found["utility.cavg"] == pytest.approx(case["c_avg"])
    assert found["utility.completeness"] == pytest.approx(case["kept"], abs=5e-5)
    assert found["risk.prosecutor.max"] == pytest.approx(case["max"], abs=5e-5)
    assert found["risk.prosecutor.average"] == pytest.approx(case["mean"], abs=5e-5)
    assert found["rows.suppressed"] == case["suppressed"]
    assert found["utility.class_size.min"] == min(sizes)
    assert found["utility.class_size.max"] == max(sizes)


def test_suppressed_rows_are_charged_the_whole_table() -> None:
    axis = axis_of("q", ["a", "a", "b"])
    found = measure(Subject((axis,), pl.DataFrame({"q": ["a", "a"]}), np.array([0, 1]), ()))
    assert found["utility.dm"] == 4 + 3
    assert found["utility.dm.kept"] == 4
    assert "utility.cavg" not in found  # no k was asked for


def test_disclosure_is_measured_without_a_model_for_it() -> None:
    axis = axis_of("q", ["a"] * 4 + ["b"] * 4)
    codes = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    released = pl.DataFrame({"q": ["a"] * 4 + ["b"] * 4})
    found = measure(Subject((axis,), released, np.arange(8), (KAnonymity(4),), {"disease": codes}))
    assert found["risk.attribute.disclosed.disease"] == 0.5
    assert found["risk.attribute.belief.disease"] == 1.0

"""Every measure of the worked table of twelve rows, under ten full-domain generalizations and one multidimensional."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from paravent.measures import Measures
from paravent.privacy.k_anonymity import KAnonymity
from paravent.utility.measure import measure
from paravent.utility.subject import Subject

from .conftest import axis_of

ORACLES = Path(__file__).parents[1] / "oracles"
TABLE: dict[str, Any] = tomllib.loads((ORACLES / "guided_table_24.toml").read_text())
EXPECTED: dict[str, Any] = tomllib.loads((ORACLES / "measures_table_24.toml").read_text())
QUASI = ["sex", "zip", "education"]


def measured(released: list[list[str]], kept: list[int], quasi: list[str]) -> Measures:
    axes = tuple(
        axis_of(name, [row[TABLE["columns"].index(name)] for row in TABLE["rows"]], paths=TABLE["trees"][name])
        for name in quasi
    )
    rich = np.array([row[3] >= 2000 for row in TABLE["rows"]], dtype=np.int64)
    frame = pl.DataFrame(released, schema=quasi, orient="row")
    return measure(Subject(axes, frame, np.array(kept), (KAnonymity(EXPECTED["k"]),), {"rich": rich}))


@pytest.mark.parametrize("node", EXPECTED["nodes"], ids=lambda node: "S{}Z{}E{}".format(*node["levels"]))
def test_a_node_of_the_lattice(node: dict[str, Any]) -> None:
    climb = [
        {path[0]: path[level] for path in TABLE["trees"][q]} for q, level in zip(QUASI, node["levels"], strict=True)
    ]
    rows = [[climb[j][row[j]] for j in range(3)] for row in TABLE["rows"]]
    sizes = Counter(map(tuple, rows))
    kept = [i for i, row in enumerate(rows) if not node["suppress"] or sizes[tuple(row)] >= EXPECTED["k"]]
    found = measured([rows[i] for i in kept], kept, QUASI)
    assert found["rows.suppressed"] == node["suppressed"]
    assert found["utility.dm.kept" if node["suppressed"] else "utility.dm"] == node["dm"]
    assert found["utility.cavg"] == pytest.approx(node["c_avg"])
    ending = ".kept" if node["suppressed"] else ""
    assert found[f"utility.prec{ending}"] == pytest.approx(node["prec"], abs=5e-5)
    assert found[f"utility.genloss{ending}"] == pytest.approx(node["genloss"], abs=5e-5)
    assert found["utility.completeness"] == pytest.approx(node["completeness"], abs=5e-5)
    assert 100 * found["risk.prosecutor.max"] == pytest.approx(node["max"], abs=5e-3)
    assert 100 * found["risk.prosecutor.average"] == pytest.approx(node["mean"], abs=5e-3)
    assert found["utility.cm.rich"] == pytest.approx(node["cm"], abs=5e-5)
    assert found["utility.classes"] == len(node["sizes"])
    assert found["utility.class_size.max"] == max(node["sizes"])


def test_the_multidimensional_table_35() -> None:
    groups, expected = TABLE["median_mondrian"], EXPECTED["table_35"]
    shown = {row - 1: [group["zip"], group["education"]] for group in groups for row in group["rows"]}
    found = measured([shown[i] for i in range(12)], list(range(12)), ["zip", "education"])
    assert found["utility.dm"] == expected["dm"]
    assert found["utility.cavg"] == pytest.approx(expected["c_avg"])
    assert found["utility.prec"] == pytest.approx(expected["prec"], abs=5e-5)
    assert found["utility.genloss"] == pytest.approx(expected["genloss"], abs=5e-5)
    assert 100 * found["risk.prosecutor.average"] == pytest.approx(expected["mean"], abs=5e-3)


def test_discernability_lies_between_its_bounds() -> None:
    axis = axis_of("id", [str(i) for i in range(12)])
    apart = measure(Subject((axis,), pl.DataFrame({"id": [str(i) for i in range(12)]}), np.arange(12)))
    assert apart["utility.dm"] == 12
    together = measure(Subject((axis,), pl.DataFrame({"id": ["*"] * 12, "x": range(12)}), np.arange(12)))
    assert together["utility.dm"] == 144

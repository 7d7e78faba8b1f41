"""Small worked examples of the literature, each to its printed or recomputed number."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.methods.method import Axis
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.risk.numeric import numeric_risk
from paravent.utility.alteration import Climbed
from paravent.utility.cost import CostModel
from paravent.utility.measure import measure
from paravent.utility.score import balance
from paravent.utility.statistics import numeric_columns
from paravent.utility.subject import Subject

from .conftest import QUASI, SHARED, axis_of
from .plain_mdav import plain_mdav

ORACLES = Path(__file__).parents[1] / "oracles"
WORKED: dict[str, Any] = tomllib.loads((ORACLES / "measures_worked.toml").read_text())
PATIENTS: dict[str, Any] = tomllib.loads((ORACLES / "patients_loss.toml").read_text())
TREES: dict[str, Any] = tomllib.loads((ORACLES / "toy_trees.toml").read_text())


def test_loss_of_the_twelve_patients_with_their_ages() -> None:
    said = WORKED["patients"]
    ages = [str(age) for age, _ in said["age"]]
    paths = [[str(age), label, "*"] for age, label in sorted({(age, label) for age, label in said["age"]})]
    axes = (
        *(axis_of(name, PATIENTS["original"][name]) for name in ("cp", "genre", "nationality")),
        axis_of("age", ages, numeric=True, paths=paths),
    )
    shown = {name: PATIENTS["released"][name] for name in ("cp", "genre", "nationality")}
    released = pl.DataFrame({**shown, "age": [label for _, label in said["age"]], "x": range(12)})
    found = measure(Subject(axes, released, np.arange(12), (KAnonymity(said["k"]),)))
    assert found["utility.lm"] == pytest.approx(float(Fraction(*said["loss"])))
    assert found["utility.cavg"] == 1


def test_knowledge_gain_of_the_patients_grouped_by_genre() -> None:
    said = WORKED["a_know"]
    codes = np.unique(said["pathology"], return_inverse=True)[1]
    axis = axis_of("genre", said["genre"])
    found = measure(Subject((axis,), pl.DataFrame({"genre": said["genre"]}), np.arange(12), (), {"pathology": codes}))
    assert found["utility.a_know.pathology"] == pytest.approx(float(Fraction(*said["gain"])))


def test_generalization_loss_of_table_37() -> None:
    said = WORKED["genloss"]
    age = TREES["age"]["columns"]
    town = TREES["town"]["columns"]
    axes = (
        axis_of("age", said["age"], numeric=True, paths=[list(path) for path in zip(*age, strict=True)]),
        axis_of("town", said["town"], paths=[list(path) for path in zip(*town, strict=True)]),
    )
    released = pl.DataFrame({"age": said["shown_age"], "town": said["shown_town"]})
    assert measure(Subject(axes, released, np.arange(5)))["utility.genloss"] == pytest.approx(said["value"], abs=5e-5)


def test_classification_metric_of_table_38() -> None:
    said = WORKED["cm"]
    axis = axis_of("group", said["groups"])
    released = pl.DataFrame({"group": said["groups"][:9]})
    classes = np.array([int(salary > 2000) for salary in said["salary"]])
    found = measure(Subject((axis,), released, np.arange(9), (), {"class": classes}))
    assert found["utility.cm.class"] == pytest.approx(said["value"])


def numbers(name: str, before: list[float]) -> Axis:
    return axis_of(name, [f"{value}" for value in before], numeric=True)


def test_microaggregated_temperatures() -> None:
    said = WORKED["temperature"]
    shown = np.zeros(11)
    for group in said["groups"]:
        rows = np.array(group) - 1
        shown[rows] = np.mean(np.array(said["degrees"])[rows])
    means = [shown[group[0] - 1] for group in said["groups"]]
    assert means == pytest.approx(said["means"], abs=5e-5)
    subject = Subject((numbers("t", said["degrees"]),), pl.DataFrame({"t": shown}), np.arange(11))
    found = measure(subject)
    before = np.array(said["degrees"])
    assert found["utility.il.means"] == pytest.approx(0, abs=1e-9)  # averages keep the mean
    expected = 100 * ((before - shown) ** 2).sum() / ((before - before.mean()) ** 2).sum()
    assert found["utility.sse"] == pytest.approx(expected)
    spans = [len(group) * np.ptp(before[np.array(group) - 1]) for group in said["groups"]]
    assert found["utility.gcp"] == pytest.approx(
        sum(spans) / 11 / np.ptp(before)
    )  # an average tells no more than a span
    assert "utility.entropy" in found.absent


def test_noise_that_sums_to_nothing() -> None:
    said = WORKED["noise"]
    axis = axis_of("jh", [str(v) for v in said["before"]], numeric=True)
    subject = Subject((axis,), pl.DataFrame({"jh": said["after"]}), np.arange(11))
    found = measure(subject)
    before, after = said["variances"]
    (column,) = numeric_columns(subject)
    assert column.after.var() == pytest.approx(after, abs=5e-3)
    assert found["utility.il.means"] == pytest.approx(0, abs=1e-12)
    assert found["utility.il.variances"] == pytest.approx(100 * (before - after) / before, abs=5e-3)


COST: dict[str, Any] = tomllib.loads((ORACLES / "cost_model.toml").read_text())["toy"]


@pytest.mark.parametrize("release", COST["releases"])
def test_alteration_of_a_release_by_weights_of_its_own(release: dict[str, Any]) -> None:
    """Example 3.1.2 of Mauger 2021 as it is printed: q2 is in the tree and not in the table."""
    axis = axis_of("q", COST["original"], paths=COST["paths"])
    subject = Subject((axis,), pl.DataFrame({"q": release["nodes"]}), np.arange(2))
    assert subject.pairs is not None
    column = Climbed.of(subject.readings[0], 2, subject.pairs[0])
    model = CostModel.of([column.tree], {"q": COST["weights"]})
    assert model.altered([column.before], [column.after]) == release["alteration"]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [(["q12", "q3"], {"ncp": 100 / 3, "total": 25, "generalized": 50, "root": 0}),
     (["q12", "q123"], {"ncp": 250 / 3, "total": 75, "generalized": 100, "root": 50})],
)  # fmt: skip
def test_the_tables_of_example_3_1_2_through_measure(
    tmp_path: Path, shown: list[str], expected: dict[str, float]
) -> None:
    tree = tmp_path / "q.csv"
    tree.write_text("q1;q12;q123\nq2;q12;q123\nq3;q3;q123\n")
    plan = pv.Plan({"q": pv.Quasi(str(tree))}, [pv.KAnonymity(1)])
    found = pv.measure(pl.DataFrame({"q": ["q1", "q3"]}), pl.DataFrame({"q": shown}), plan)
    for name, value in expected.items():
        assert found[f"utility.alteration.{name}"] == pytest.approx(value), name


def test_the_generalised_table_of_example_2_3_1() -> None:
    axis = axis_of("q", ["q3", "q2", "q3", "q1", "q1"], paths=COST["paths"])
    released = pl.DataFrame({"q": ["q123", "q123", "q3", "q12", "q12"], "s": ["s1", "s2", "s2", "s1", "s2"]})
    found = measure(Subject((axis,), released, np.arange(5)))
    assert found["utility.classes"] == 3
    assert found["utility.alteration.generalized"] == pytest.approx(80)
    assert found["utility.alteration.root"] == pytest.approx(40)
    assert found["utility.alteration.total"] == pytest.approx(100 * (1 + 1 + 0 + 0.5 + 0.5) / 5)


@pytest.mark.parametrize(("name", "k"), [(name, k) for name, table in WORKED["mdav"].items() for k in table])
def test_squared_error_of_mdav_on_the_reference_sets(name: str, k: str) -> None:
    path = SHARED / f"data/casc/{name}.csv"
    if not path.exists():
        pytest.skip("needs ../shared/data/casc")
    frame = pl.read_csv(path)
    frame = frame.select(pl.col(column).cast(pl.Float64) for column in frame.columns)
    matrix = frame.to_numpy()
    shown = matrix.copy()
    for rows in plain_mdav((matrix - matrix.mean(axis=0)) / matrix.std(axis=0, ddof=1), int(k)):
        shown[rows] = matrix[rows].mean(axis=0)
    axes = tuple(axis_of(column, [repr(v) for v in frame[column].to_list()], numeric=True) for column in frame.columns)
    found = measure(Subject(axes, pl.DataFrame(shown, schema=frame.columns), np.arange(len(matrix))))
    assert found["utility.sse"] == pytest.approx(WORKED["mdav"][name][k], abs=5e-4)


@pytest.mark.parametrize("case", ["with_suppression", "without"])
def test_loss_of_arx_at_its_optima(
    case: str, adult: pl.DataFrame, adult_paths: dict[str, list[list[str]]], adult_axes: tuple[Axis, ...]
) -> None:
    said = WORKED["arx"][case]
    maps = {
        name: {p[0]: p[level] for p in adult_paths[name]} for name, level in zip(QUASI, said["levels"], strict=True)
    }
    released = adult.with_columns(pl.col(name).replace_strict(maps[name]) for name in QUASI)
    large = (released.select(pl.len().over(QUASI)).to_series() >= 5).to_numpy()
    assert int((~large).sum()) == said["suppressed"]
    subject = Subject(adult_axes, released.filter(large), np.flatnonzero(large), (KAnonymity(5),))
    found = measure(subject)["utility.arx_loss"]
    shares = []  # the formula once more, row by row
    for name, level in zip(QUASI, said["levels"], strict=True):
        labels = [path[level] for path in adult_paths[name]]
        leaves = {label: labels.count(label) for label in labels}
        mean = (sum(leaves[label] for label in released.filter(large)[name]) / len(labels) + said["suppressed"]) / 30162
        shares.append((mean - 1 / len(labels)) / (1 - 1 / len(labels)))
    assert found == pytest.approx(float(np.prod(1 + np.array(shares)) ** (1 / 8) - 1))
    if "loss" in said:
        assert found == pytest.approx(said["loss"], abs=5e-6)


def test_the_score_weighs_loss_and_risk_alike() -> None:
    assert balance(12.0, 34.0) == 23.0
    rng = np.random.default_rng(1)
    values = rng.normal(50, 10, (60, 2)).round(2)
    axes = tuple(axis_of(f"x{j}", [repr(v) for v in values[:, j].tolist()], numeric=True) for j in range(2))
    same = pl.DataFrame(values, schema=["x0", "x1"])
    untouched = measure(Subject(axes, same, np.arange(60)), "score")
    given_away = numeric_risk(same, same).disclosure
    assert untouched["utility.score"] == pytest.approx(50 * given_away)  # nothing is lost
    assert given_away > 0.9
    mixed = pl.DataFrame(values[rng.permutation(60)], schema=["x0", "x1"])
    assert measure(Subject(axes, mixed, np.arange(60)), "score")["utility.score"] < 50

"""Loss: worked examples, the yardstick's figures on Adult, and the laws."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import TableError
from paravent.hierarchy.labels import interval_label, range_label, set_label
from paravent.methods.method import Axis
from paravent.privacy.k_anonymity import KAnonymity
from paravent.utility.measure import measure
from paravent.utility.subject import Subject

from .conftest import QUASI, SHARED, axis_of

ORACLES = Path(__file__).parents[1] / "oracles"


def subject_of(axes: tuple[Axis, ...], released: pl.DataFrame, kept: list[int] | None = None, k: int = 5) -> Subject:
    rows = np.arange(released.height) if kept is None else np.array(kept, dtype=np.int64)
    return Subject(axes, released, rows, (KAnonymity(k),))


def test_the_twelve_patients() -> None:
    oracle = tomllib.loads((ORACLES / "patients_loss.toml").read_text())
    axes = tuple(axis_of(name, values, numeric=name == "age") for name, values in oracle["original"].items())
    found = measure(subject_of(axes, pl.DataFrame(oracle["released"]), k=oracle["k"]))
    assert found["utility.gcp"] == pytest.approx(float(Fraction(*oracle["loss"])))
    assert found["utility.cavg"] == oracle["c_avg"]
    for name, part in oracle["parts"].items():
        assert found[f"utility.loss.{name}"] == pytest.approx(float(Fraction(*part)))
    assert found["privacy.k"] == 4
    assert found["utility.classes"] == 3


AGES = ["20", "25", "30", "40"]
JOBS = [["clerk", "office", "*"], ["lawyer", "office", "*"], ["smith", "craft", "*"], ["cook", "craft", "*"]]


@pytest.mark.parametrize(
    ("label", "cost"),
    [("20", 0), ("[20, 25]", 0.25), ("{20, 40}", 1), ("{25, 30}", 0.25), ("20~30", 0.5), ("*", 1), ("", 1), (None, 1)],
)
def test_a_number_costs_the_span_it_covers(label: str | None, cost: float) -> None:
    axis = axis_of("age", AGES, numeric=True)
    released = pl.DataFrame({"age": [label, "25", "30", "40"]}, schema={"age": pl.String})
    assert measure(subject_of((axis,), released))["utility.loss.age"] == pytest.approx(cost / 4)


@pytest.mark.parametrize(
    ("label", "cost"), [("clerk", 0), ("office", 1 / 3), ("{clerk, cook}", 1 / 3), ("lawyer~cook", 2 / 3), ("*", 1)]
)
def test_a_category_costs_the_values_it_covers(label: str, cost: float) -> None:
    axis = axis_of("job", [path[0] for path in JOBS], paths=JOBS)
    released = pl.DataFrame({"job": [label, "lawyer", "smith", "cook"]})
    assert measure(subject_of((axis,), released))["utility.loss.job"] == pytest.approx(cost / 4)


def test_only_values_that_occur_count_under_a_node() -> None:
    axis = axis_of("job", ["clerk", "smith", "cook"], paths=JOBS)
    released = pl.DataFrame({"job": ["office", "craft", "craft"]})
    assert measure(subject_of((axis,), released))["utility.loss.job"] == pytest.approx((0 + 1 / 2 + 1 / 2) / 3)


def test_dropped_rows_and_columns_count_as_suppressed() -> None:
    axes = (axis_of("age", AGES, numeric=True), axis_of("job", ["a", "b", "c", "d"]))
    found = measure(subject_of(axes, pl.DataFrame({"age": ["20", "25", "30"]}), kept=[0, 1, 2]))
    assert found["utility.loss.age"] == 0.25
    assert found["utility.loss.job"] == 1
    assert found["utility.gcp"] == pytest.approx(0.625)
    assert found["utility.cells.suppressed"] == pytest.approx(5 / 8)
    assert found["rows.suppressed"] == 1


def test_marked_rows_are_suppressed_rows_and_no_class() -> None:
    axes = (axis_of("age", AGES, numeric=True), axis_of("job", ["a", "a", "b", "b"]))
    released = pl.DataFrame(
        {"age": ["[20, 25]", "[20, 25]", "*", "*"], "job": ["a", "a", "*", "*"], "pay": [1, 2, None, None]}
    )
    found = measure(subject_of(axes, released, k=2))
    assert found["rows.suppressed"] == 2
    assert found["utility.classes"] == 1
    assert found["utility.dm"] == 2 * 2 + 2 * 4
    assert found["risk.prosecutor.max"] == 0.5


def test_a_class_of_stars_with_its_sensitive_values_is_a_class() -> None:
    axes = (axis_of("age", AGES, numeric=True),)
    released = pl.DataFrame({"age": ["*"] * 4, "pay": [1, 2, 3, 4]})
    found = measure(subject_of(axes, released))
    assert found["rows.suppressed"] == 0
    assert found["privacy.k"] == 4
    assert found["utility.gcp"] == 1


def test_what_was_never_known_is_not_lost() -> None:
    axis = axis_of("age", AGES, numeric=True)
    released = pl.DataFrame({"age": ["20", None, "30", "40"], "pay": [1, 2, 3, 4]})
    wild = measure(Subject((axis,), released, np.arange(4), (), wildcard=frozenset({"age"})))
    assert wild["utility.gcp"] == 0
    assert wild["utility.cells.changed"] == 0
    assert measure(Subject((axis,), released, np.arange(4)))["utility.gcp"] == 0.25


def test_a_missing_value_kept_as_one_does_not_stretch_the_line() -> None:
    axis = axis_of("age", AGES, numeric=True)
    with_missing = Axis("age", axis.kind, np.array([0, 1, 2, 3, 4]), (*axis.values, "(missing)"))
    released = pl.DataFrame({"age": ["{20, 25}", "{20, 25}", "30", "40", "(missing)"], "pay": range(5)})
    assert measure(subject_of((with_missing,), released))["utility.gcp"] == pytest.approx(2 * 0.25 / 5)


def test_known_marks_and_levels_are_believed() -> None:
    axis = axis_of("age", AGES, numeric=True)
    stars = pl.DataFrame({"age": ["*"] * 4})
    told = Subject((axis,), stars, np.arange(4), (KAnonymity(4),), marked=np.zeros(4, bool), levels={"privacy.k": 4})
    found = measure(told)
    assert (found["rows.suppressed"], found["utility.classes"], found["privacy.k"]) == (0, 1, 4)
    assert measure(subject_of((axis,), stars))["rows.suppressed"] == 4


def test_changed_cells_are_compared_row_by_row() -> None:
    axis = axis_of("job", ["a", "b", "c", "c"])
    swapped = pl.DataFrame({"job": ["b", "a", "c", "{b, c}"]})
    assert measure(subject_of((axis,), swapped))["utility.cells.changed"] == 0.75
    unmatched = measure(Subject((axis,), swapped, None, (KAnonymity(1),)))
    assert "utility.cells.changed" not in unmatched
    assert unmatched["utility.gcp"] == pytest.approx((1 / 2) / 4)


def test_a_cell_of_another_table_is_refused_in_one_sentence() -> None:
    axis = axis_of("job", ["a", "b"])
    with pytest.raises(TableError, match=r"column 'job': cell 'elsewhere'") as caught:
        measure(subject_of((axis,), pl.DataFrame({"job": ["a", "elsewhere"]})))
    assert "elsewhere" not in caught.value.redacted


def test_an_empty_table_and_a_table_of_one_value() -> None:
    nothing = measure(subject_of((axis_of("job", []),), pl.DataFrame({"job": []}, schema={"job": pl.String})))
    assert nothing["utility.classes"] == 0
    assert nothing["risk.prosecutor.max"] == 0
    same = measure(subject_of((axis_of("age", ["7", "7"], numeric=True),), pl.DataFrame({"age": [7, 7]})))
    assert same["utility.gcp"] == 0


def test_typed_columns_and_enums_read_like_text() -> None:
    axis = axis_of("age", AGES, numeric=True)
    as_numbers = pl.DataFrame({"age": [20, 25, 30, 40]})
    labels = ["[20, 25]", "[20, 25]", "*", "*"]
    assert measure(subject_of((axis,), as_numbers))["utility.gcp"] == 0
    for dtype in (pl.String, pl.Categorical, pl.Enum(["unused", "*", "[20, 25]"])):
        released = pl.DataFrame({"age": pl.Series(labels, dtype=dtype), "pay": [1, 2, 3, 4]})
        assert measure(subject_of((axis,), released))["utility.gcp"] == pytest.approx((0.25 * 2 + 2) / 4)


def test_weights_give_a_weighted_loss_beside_the_plain_one() -> None:
    heavy = axis_of("job", ["a", "b"])
    heavy = Axis(heavy.name, heavy.kind, heavy.codes, heavy.values, weight=3.0)
    axes = (heavy, axis_of("sex", ["f", "m"]))
    found = measure(subject_of(axes, pl.DataFrame({"job": ["*", "*"], "sex": ["f", "m"], "x": [1, 2]})))
    assert found["utility.gcp"] == 0.5
    assert found["utility.gcp.weighted"] == 0.75
    alike = (axis_of("job", ["a", "b"]), axes[1])
    assert "utility.gcp.weighted" not in measure(
        subject_of(alike, pl.DataFrame({"job": ["*", "*"], "sex": ["f", "m"]}))
    )


# -- the yardstick -----------------------------------------------------------------------------------------------------


def full_domain(adult: pl.DataFrame, paths: dict[str, list[list[str]]], levels: list[int]) -> pl.DataFrame:
    maps = {name: {p[0]: p[level] for p in paths[name]} for name, level in zip(QUASI, levels, strict=True)}
    return adult.with_columns(pl.col(name).replace_strict(maps[name]) for name in QUASI)


def block_labels(axis: Axis, block: np.ndarray, kind: str) -> list[str]:
    """Each row published as the interval, range or set of the values in its block of rows."""
    labels = []
    for ranks in np.split(axis.codes, block):
        held = np.unique(ranks)
        low, high = axis.values[held[0]], axis.values[held[-1]]
        if kind == "set":
            label = set_label([axis.values[rank] for rank in held])
        else:
            label = interval_label(low, high) if axis.positions is not None else range_label(low, high)
        labels += [label] * len(ranks)
    return labels


def agrees(yardstick: ModuleType, adult: pl.DataFrame, axes: tuple[Axis, ...], released: pl.DataFrame) -> None:
    theirs = yardstick.evaluate(released.to_pandas(), k=5, orig=adult.to_pandas())
    found = measure(Subject(axes, released, None, (KAnonymity(5),)))
    assert round(found["utility.gcp"], 4) == theirs["gcp"]
    assert {name: round(found[f"utility.loss.{name}"], 3) for name in QUASI} == theirs["per_attr"]
    assert found["utility.classes"] == theirs["classes"]
    assert found["utility.dm"] == theirs["dm"]
    assert round(found.get("utility.cavg.kept", found["utility.cavg"]), 3) == theirs["cavg"]
    assert found["rows.suppressed"] == theirs["suppressed"]
    assert found["privacy.k"] == theirs["kmin"]


@pytest.mark.parametrize("levels", [[0, 3, 0, 0, 1, 1, 1, 2], [0, 4, 0, 2, 3, 2, 2, 1], [1, 2, 1, 1, 2, 1, 1, 1]])
def test_full_domain_releases_measure_as_the_yardstick(
    yardstick: ModuleType,
    adult: pl.DataFrame,
    adult_paths: dict[str, list[list[str]]],
    adult_axes: tuple[Axis, ...],
    levels: list[int],
) -> None:
    released = full_domain(adult, adult_paths, levels)
    agrees(yardstick, adult, adult_axes, released)
    of_size = released.select(pl.len().over(QUASI)).to_series()
    agrees(yardstick, adult, adult_axes, released.filter(of_size >= 5))
    marked = released.with_columns(pl.when(of_size >= 5).then(pl.col(name)).otherwise(pl.lit("*")) for name in QUASI)
    marked = marked.with_columns(pl.when(of_size >= 5).then(pl.col("salary-class")))
    agrees(yardstick, adult, adult_axes, marked)


@pytest.mark.parametrize("kind", ["interval", "set"])
def test_local_releases_measure_as_the_yardstick(
    yardstick: ModuleType,
    adult: pl.DataFrame,
    adult_paths: dict[str, list[list[str]]],
    kind: str,
    tmp_path: Path,
) -> None:
    # The yardstick reads ranges in the order of the tree files' rows: flat trees keep it.
    flat = {name: [[path[0], "*"] for path in paths] for name, paths in adult_paths.items()}
    axes = tuple(axis_of(name, adult[name].to_list(), numeric=name == "age", paths=flat[name]) for name in QUASI)
    block = np.arange(0, adult.height, 9)[1:]
    released = adult.with_columns(pl.Series(axis.name, block_labels(axis, block, kind)) for axis in axes)
    agrees(yardstick, adult, axes, released)
    released.write_csv(tmp_path / "release.csv")
    agrees(yardstick, adult, axes, pl.read_csv(tmp_path / "release.csv", infer_schema=False))


@pytest.mark.parametrize("labels", ["tree", "interval", "set"])
def test_real_releases_measure_as_the_yardstick(
    yardstick: ModuleType, adult: pl.DataFrame, labels: str, tmp_path: Path
) -> None:
    trees = {name: pv.Quasi(str(SHARED / f"data/adult/hierarchy_{name}.csv")) for name in QUASI}
    plan = pv.Plan(
        {**trees, "salary-class": pv.Sensitive()},
        [pv.KAnonymity(5)],
        method=pv.methods.Mondrian(labels=labels),
    )
    release = pv.anonymize(SHARED / "data/adult/adult.csv", plan)
    found = release.measure()
    release.write(tmp_path / "release.csv")
    released = yardstick.read(tmp_path / "release.csv")
    for (
        axis
    ) in release.axes:  # the yardstick reads ranges in the order of the tree files, not of the trees: spell them out
        released[axis.name] = [spelled_out(label, axis) for label in released[axis.name]]
    theirs = yardstick.evaluate(released, k=5, orig=adult.to_pandas())
    assert round(found["utility.gcp"], 4) == theirs["gcp"]
    assert {name: round(found[f"utility.loss.{name}"], 3) for name in QUASI} == theirs["per_attr"]
    assert found["utility.dm"] == theirs["dm"]
    assert round(found["utility.cavg"], 3) == theirs["cavg"]
    read_back = pv.measure(SHARED / "data/adult/adult.csv", tmp_path / "release.csv", plan)
    assert read_back.to_dict() == pytest.approx(found.to_dict())


@pytest.mark.parametrize("kind", ["microaggregated", "perturbed", "intervals of others", "cells suppressed"])
def test_releases_of_other_kinds_measure_as_the_yardstick(
    yardstick: ModuleType, adult: pl.DataFrame, adult_axes: tuple[Axis, ...], kind: str
) -> None:
    rng = np.random.default_rng(11)
    ages = adult["age"].cast(pl.Int64).to_numpy()
    block = np.arange(adult.height) // 5
    if kind == "microaggregated":
        means = np.bincount(block, weights=ages) / np.bincount(block)
        released = adult.with_columns(age=pl.Series([f"{mean:.1f}" for mean in means[block]]))
    elif kind == "perturbed":
        released = adult.with_columns(adult[name].gather(rng.permutation(adult.height)) for name in QUASI)
    elif kind == "intervals of others":
        low = ages // 10 * 10
        forms = [f"[{a}, {a + 10}[" if i % 2 else f"{a}-{a + 9}" for i, a in enumerate(low.tolist())]
        released = adult.with_columns(age=pl.Series(forms))
    else:
        stars = {name: pl.when(pl.Series(rng.random(adult.height) < 0.2)).then(pl.lit("*")) for name in QUASI}
        released = adult.with_columns(stars[name].otherwise(pl.col(name)).alias(name) for name in QUASI)
    agrees(yardstick, adult, adult_axes, released)


def spelled_out(label: str, axis: Axis) -> str:
    """A range of names as the set of its values."""
    low, found, high = label.partition("~")
    if not found:
        return label
    return set_label(axis.values[axis.values.index(low) : axis.values.index(high) + 1])


# -- laws --------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30), st.data())
def test_wider_labels_never_cost_less(spans: list[tuple[int, int]], data: st.DataObject) -> None:
    values = [str(low) for low, _ in spans] + ["0", "5"]
    axis = axis_of("n", values, numeric=True)
    ranks = axis.codes
    narrow = [(int(r), int(r)) for r in ranks]
    wide = [(data.draw(st.integers(0, low)), data.draw(st.integers(high, len(axis) - 1))) for low, high in narrow]
    costs = []
    for release in (narrow, wide):
        labels = [interval_label(axis.values[low], axis.values[high]) for low, high in release]
        found = measure(subject_of((axis,), pl.DataFrame({"n": labels, "x": range(len(labels))})))
        costs.append(found["utility.gcp"])
        assert 0 <= costs[-1] <= 1
    assert costs[0] == 0
    assert costs[1] >= costs[0]


def test_a_value_in_place_of_others_costs_the_span_of_its_class() -> None:
    age = axis_of("age", ["20", "25", "30", "40"], numeric=True)
    job = axis_of("job", ["clerk", "cook", "cook", "smith"])
    released = pl.DataFrame({"age": [22.5, 22.5, 35.0, 35.0], "job": ["cook"] * 4})
    found = measure(subject_of((age, job), released))
    assert found["utility.loss.age"] == pytest.approx((2 * 5 + 2 * 10) / 20 / 4)
    assert found["utility.loss.job"] == pytest.approx(1 / 2)  # two of the three jobs in each class
    everybody = measure(subject_of((job,), pl.DataFrame({"job": ["cook"] * 4})))
    assert everybody["utility.loss.job"] == 1


def test_averages_that_are_exact_cost_nothing() -> None:
    age = axis_of("age", ["20", "20", "30", "30"], numeric=True)
    assert measure(subject_of((age,), pl.DataFrame({"age": [20.0, 20.0, 30.0, 30.0]})))["utility.gcp"] == 0


def test_cells_of_dropped_rows_are_suppressed_and_changed() -> None:
    frame = pl.DataFrame({"zip": ["1", "1", "1", "2", "3"], "sex": ["f", "f", "m", "f", "m"]})
    roles = {"zip": pv.Quasi(pv.flat()), "sex": pv.Quasi(pv.flat())}
    plan = pv.Plan(roles, pv.KAnonymity(3), pv.methods.Filter(levels={"zip": 0, "sex": 1}), suppression=0.4)
    found = pv.anonymize(frame, plan).measure()
    assert found["rows.suppressed"] == 2
    assert found["utility.cells.suppressed"] == pytest.approx((3 + 4) / 10)  # three stars, and two rows of two cells
    assert found["utility.cells.changed"] == pytest.approx((3 + 4) / 10)
    assert "utility.gcp.weighted" not in found  # columns weigh the same

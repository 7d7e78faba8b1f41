"""What partitions cost, beside the cost model and the yardstick of the release."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import PlanError
from paravent.methods import Axis
from paravent.methods.merging.merge_run import released_nodes
from paravent.methods.partition.space import Parts, Space
from paravent.table.kinds import Kind
from paravent.utility.cost import METRICS, CostModel

from ...generators.tasks import random_task, tree_axis


@pytest.mark.parametrize("seed", range(40))
def test_costs_are_those_of_the_cost_model(seed: int) -> None:
    task, rng = random_task(seed), np.random.default_rng(seed)
    metric = list(METRICS)[seed % 7]
    space = Space.of(task.axes, metric)
    of_row = np.unique(rng.integers(0, 4, task.n_rows), return_inverse=True)[1].astype(np.int32).reshape(-1)
    parts = space.parts(of_row)
    assert parts.sizes.tolist() == np.bincount(of_row).tolist()
    given = [axis.given for axis in task.axes]
    heaviest = max(axis.weight for axis in task.axes)
    model = CostModel.of(
        [tree for tree in given if tree is not None],
        metric,
        rows=task.n_rows,
        weights=[Fraction(axis.weight / heaviest) for axis in task.axes],
    )
    original = [axis.leaf[axis.codes] for axis in task.axes]
    released = list(released_nodes(task.axes, of_row, int(of_row.max()) + 1).values())
    assert space.cost(parts) * space.unit == model.table(original, released) * model.unit
    assert space.alteration(space.cost(parts)) == pytest.approx(model.alteration(original, released))
    again = space.of_row(parts)
    assert (again >= 0).all()
    assert np.array_equal(np.bincount(again), np.bincount(of_row))
    back = space.parts(again)
    assert [a.tolist() for a in back] == [a.tolist() for a in parts]
    for part in range(parts.n_parts):
        assert space.label(parts.tuples[parts.part == part]).tolist() == space.labels(parts)[part].tolist()


def test_gcp_is_what_the_release_is_measured_by() -> None:
    rng = np.random.default_rng(3)
    ages = [None if rng.random() < 0.1 else int(a) for a in rng.integers(17, 60, 80)]
    frame = pl.DataFrame({"age": ages, "sex": rng.choice(["F", "M"], 80).tolist()})
    plan = pv.Plan(
        {"age": pv.Quasi(pv.intervals(5, 10, 20)), "sex": pv.Quasi(pv.flat())},
        [pv.KAnonymity(4)],
        pv.methods.Mondrian(),
        missing="own value",
        order="source",
    )
    release = pv.anonymize(frame, plan)
    axes = release.encoded
    assert axes is not None
    space = Space.of(axes, "gcp")
    shown = release.frame.select(pl.concat_str(pl.all().cast(pl.String), separator="|")).to_series().to_list()
    of_row = np.unique(shown, return_inverse=True)[1].astype(np.int32).reshape(-1)
    cost = space.cost(space.parts(of_row))
    assert cost * float(space.unit) / (80 * 2) == pytest.approx(release.measure()["utility.gcp"], abs=1e-6)


def test_rows_that_no_part_counts_are_left_out() -> None:
    axis = tree_axis("q", ["v0", "v0", "v0", "v1"], [["v0", "*"], ["v1", "*"]])
    space = Space.of([axis], "nllm")
    parts = Parts(np.array([0, 0]), np.array([1, 0]), np.array([1, 1]))
    assert space.of_row(parts).tolist() == [0, 1, -1, -1]


def test_a_column_without_a_tree_is_named() -> None:
    plain = Axis("age", Kind.INTEGER, np.array([0, 1], dtype=np.int32), ("1", "2"), None, np.array([1.0, 2.0]))
    with pytest.raises(PlanError, match="'age' has no tree"):
        Space.of([plain], "gcp")

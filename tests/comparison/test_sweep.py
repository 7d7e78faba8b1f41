"""Sweeps: parameters by name, grids, curves and their mean."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.comparison.parameters import Parameter
from paravent.comparison.sweep import sweep_candidates
from paravent.errors import PlanError
from paravent.utility.cost import vmn


def test_the_mean_of_a_sweep_is_vmn_by_hand(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.sweep(people, plan, k=[2, 5, 10, 25])
    curve = {
        k: pv.anonymize(people, plan.replace(protect=[pv.KAnonymity(k)])).measure()["utility.gcp"]
        for k in (2, 5, 10, 25)
    }
    assert dict(found.curves("k")[0].points) == curve
    by_hand = ((curve[2] + curve[5]) / 2 * 3 + (curve[5] + curve[10]) / 2 * 5 + (curve[10] + curve[25]) / 2 * 15) / 23
    (mean,) = found.vmn()
    assert mean.value == pytest.approx(by_hand, rel=1e-12)
    assert mean.value == vmn(curve, 2, 25)
    (part,) = found.vmn("utility.dm", low=5, high=25)
    assert (part.low, part.high, part.points) == (5, 25, 3)
    with pytest.raises(PlanError, match="both ends"):
        found.vmn(low=3)


def test_means_compose(people: pl.DataFrame, plan: pv.Plan) -> None:
    """The area over two neighbouring intervals is the area over both (Mauger 2021, §3.4)."""
    found = pv.sweep(people, plan, k=[2, 4, 9, 20])
    (left,), (right,), (both,) = found.vmn(high=9), found.vmn(low=9), found.vmn()
    assert both.value * 18 == pytest.approx(left.value * 7 + right.value * 11, rel=1e-12)


def test_a_grid_has_every_combination_and_a_curve_for_each_of_the_others(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.sweep(people, plan, {"method.labels": ["tree", "interval"]}, k=np.array([3, 9]))
    assert found.names == ["labels=tree, k=3", "labels=tree, k=9", "labels=interval, k=3", "labels=interval, k=9"]
    assert [curve.label for curve in found.curves("k")] == ["labels=tree", "labels=interval"]
    assert [curve.label for curve in found.curves("method.labels")] == ["k=3", "k=9"]
    assert found["labels=interval, k=9"].plan == plan.replace(
        protect=[pv.KAnonymity(9)], method=pv.methods.Mondrian(labels="interval")
    )
    with pytest.raises(PlanError, match="numbers to go along"):
        found.vmn(over="method.labels")
    with pytest.raises(PlanError, match="no sweep over 'l'"):
        found.curves("l")


def test_one_at_a_time_leaves_the_others_as_they_are(plan: pv.Plan) -> None:
    candidates, swept = sweep_candidates(plan, {"k": [3, 5], "suppression": [0.0, 0.1]}, one_at_a_time=True)
    assert [dict(candidate.settings) for candidate in candidates] == [
        {"k": 3, "suppression": 0.0},
        {"k": 5, "suppression": 0.0},
        {"k": 5, "suppression": 0.1},
    ]
    assert swept.one_at_a_time


def test_several_plans_make_several_curves(people: pl.DataFrame, plan: pv.Plan) -> None:
    plans = {"tree": plan, "interval": plan.replace(method=pv.methods.Mondrian(labels="interval"))}
    found = pv.sweep(people, plans, k=[3, 9])
    assert [mean.label for mean in found.vmn()] == ["tree", "interval"]
    assert found.names[0] == "tree: k=3"
    level = found.levels()[0]
    assert set(level.members) == {"tree: k=9", "interval: k=9"}  # each k is a level of its own


def test_a_value_that_cannot_be_met_leaves_a_hole(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.sweep(people, plan, k=[2, 5, 1000])
    assert found["k=1000"].status == "failed"
    assert [x for x, _ in found.curves("k")[0].points] == [2, 5]
    assert found.vmn()[0].high == 5


def test_parameters_by_name(plan: pv.Plan) -> None:
    both = plan.replace(protect=[pv.KAnonymity(5), pv.LDiversity(2, "disease"), pv.AlphaKAnonymity(0.9, 3, "disease")])
    for name, value in {
        "suppression": 0.2,
        "missing": "impute",
        "l": 3,
        "alpha": 0.5,
        "labels": "set",
        "protect.KAnonymity.k": 7,
        "protect.2.k": 8,
        "method.cut": "median",
        "method": pv.methods.Mondrian(strict=False),
        "columns.age.weight": 2.0,
        "columns.zip.tree": pv.prefixes(2),
    }.items():
        parameter = Parameter.of(name, both)
        changed = parameter.set(both, value)
        assert parameter.get(changed) == value, name
        assert parameter.set(changed, parameter.get(both)) == both, name
    assert Parameter.of("method", both).set(both, "Mondrian").method == pv.methods.Mondrian()
    with pytest.raises(PlanError, match=r"'protect.KAnonymity.k' or .*longer name"):
        Parameter.of("k", both)
    with pytest.raises(PlanError, match="Did you mean 'suppression'"):
        Parameter.of("supression", both)
    with pytest.raises(PlanError, match=r"k=0 cannot be. KAnonymity: k must be"):
        Parameter.of("k", plan).set(plan, 0)


@pytest.mark.parametrize("values", [[], 5, "25", [2, 2]])
def test_wrong_values_get_a_sentence(people: pl.DataFrame, plan: pv.Plan, values: object) -> None:
    with pytest.raises(PlanError, match="sweep: k"):
        pv.sweep(people, plan, k=values)  # type: ignore[arg-type]


def test_a_sweep_is_saved_with_its_curves(people: pl.DataFrame, plan: pv.Plan, tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "sweep.json"
    found = pv.sweep(people, plan, {"method": [pv.methods.Mondrian(), pv.methods.Mondrian(cut="median")]}, k=[3, 9])
    found.save(path)
    back = pv.Comparison.load(path)
    assert [curve.points for curve in back.curves("k")] == [curve.points for curve in found.curves("k")]
    assert [mean.label for mean in back.vmn()] == ["method=Mondrian", "method=Mondrian(cut='median')"]
    assert [mean.value for mean in back.vmn()] == [mean.value for mean in found.vmn()]

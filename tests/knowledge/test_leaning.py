"""What was not run leans on what was: the cube's errors on this table are taken off what it says of the rest."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

import paravent as pv
from paravent.knowledge.descriptors import Descriptors, describe
from paravent.knowledge.predicting.landmarks import Probe
from paravent.knowledge.predicting.leaning import leaned
from paravent.knowledge.predicting.prediction import Prediction


@cache
def described() -> Descriptors:
    plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2), person=None)
    return describe(pv.read(pl.DataFrame({"age": [1, 2, 3, 4]})), plan)


def probe_of(values: dict[str, float]) -> Probe:
    return Probe(1000, 5, True, described(), values, "done", "", 0.1)


def said(method: str, value: float, evidence: str = "cube") -> Prediction:
    return Prediction(method, "utility.cm", value, value - 0.1, value + 0.1, evidence, 10)  # type: ignore[arg-type]


def test_errors_of_the_same_method_count_most() -> None:
    """Five runs of A were 0.1 worse than said, one of B 0.3: their median is 0.1. A moves by 0.1 and B by 0.2, half of
    the way from the median to its own error; C, which was not run at all, by the median."""
    measured = [0.3] * 5 + [0.6]
    cube = [said("A", 0.2)] * 5 + [said("B", 0.3)]
    probes = [[probe_of({"utility.cm": value})] for value in measured]
    told = [said("A", 0.3, "landmark")] * 5 + [said("B", 0.6, "landmark")]
    rest = [said("A", 0.4), said("B", 0.4), said("C", 0.4)]
    found = leaned("utility.cm", [*told, *rest], [*cube, None, None, None], [*probes, [], [], []], 1000)
    assert found[:6] == told
    assert [each.value for each in found[6:]] == pytest.approx([0.5, 0.6, 0.5])
    assert found[6].low == pytest.approx(0.4)
    assert found[6].evidence == "cube and landmark"


def test_losses_move_by_their_odds() -> None:
    """A lost one half where one fifth was said: its odds are four times as high. So two fifths become 8 to 3."""
    probes = [[probe_of({"utility.gcp": 0.5})]] * 5

    def told(value: float, evidence: str = "cube") -> Prediction:
        return Prediction("A", "utility.gcp", value, value, value, evidence, 10)  # type: ignore[arg-type]

    asked = [*([told(0.5, "landmark")] * 5), told(0.4)]
    found = leaned("utility.gcp", asked, [*([told(0.2)] * 5), None], [*probes, []], 1000)
    assert found[5].value == pytest.approx(8 / 11, abs=2e-3)


def test_few_runs_and_noisy_metrics_move_nothing() -> None:
    probes = [[probe_of({"utility.cm": 0.3})]] * 4
    told = [*([said("A", 0.3, "landmark")] * 4), said("A", 0.4)]
    assert leaned("utility.cm", told, [*([said("A", 0.2)] * 4), None], [*probes, []], 1000) == told
    assert leaned("cost.seconds", told, [None] * 5, [*probes, []], 1000) == told


def test_nothing_leaves_the_limits_of_a_share() -> None:
    probes = [[probe_of({"utility.cm": 0.1})]] * 5
    rest = said("A", 0.15)
    found = leaned(
        "utility.cm", [*([said("A", 0.1, "landmark")] * 5), rest], [*([said("A", 0.9)] * 5), None], [*probes, []], 1000
    )
    assert (found[5].value, found[5].low) == (0.0, 0.0)

"""Runs on the user's table: which, in what order, in haste or whole, and what they say."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent import knowledge
from paravent.knowledge.cube.store import Cube
from paravent.knowledge.predicting.at_once import Measured, Prices
from paravent.knowledge.predicting.landmarks import Probe, probe
from paravent.knowledge.predicting.models import Predictors
from paravent.knowledge.predicting.outlook import point_of, settled
from paravent.methods.method import Method

HASTY = pv.methods.LocalRecoding(effort="fast")


@pytest.fixture(scope="module")
def table() -> pv.Table:
    rng = np.random.default_rng(3)
    columns = {"age": rng.integers(20, 60, 300), "zip": rng.integers(0, 40, 300), "ill": rng.choice(["a", "b"], 300)}
    return pv.read(pl.DataFrame(columns))


def plan_of(method: Method, k: int = 5) -> pv.Plan:
    roles = {"age": pv.Quasi(pv.intervals(5, 10)), "zip": pv.Quasi(pv.intervals(5, 10)), "ill": pv.Sensitive()}
    return pv.Plan(roles, [pv.KAnonymity(k)], method)


def ticking(*steps: float) -> Callable[[], float]:
    """A clock that goes on by these steps, one whenever somebody looks, and then stands still."""
    moments = itertools.chain(itertools.accumulate(steps), itertools.repeat(sum(steps)))
    return lambda: next(moments)


def test_a_search_is_tried_in_haste_and_then_with_all_its_work(table: pv.Table) -> None:
    plans = [plan_of(pv.methods.LocalRecoding()), plan_of(pv.methods.Mondrian())]
    searched, cut = probe(table, plans, 600.0, prior=[1.0, 0.1])
    assert [each.hasty for each in searched] == [True, False]
    assert [each.hasty for each in cut] == [False]
    release = pv.anonymize(table, plan_of(HASTY))
    assert searched[0].values["utility.gcp"] == release.measure()["utility.gcp"]
    whole = pv.anonymize(table, plan_of(pv.methods.LocalRecoding()))
    assert searched[1].values["utility.gcp"] == whole.measure()["utility.gcp"]


def test_where_time_ends_haste_is_what_there_is(table: pv.Table) -> None:
    plans = [plan_of(pv.methods.LocalRecoding())]  # a second at each look: the hasty run takes one, a whole one five
    (searched,) = probe(table, plans, 8.0, prior=[0.5], clock=itertools.count(0.0).__next__)
    assert [each.hasty for each in searched] == [True]
    (searched,) = probe(table, plans, 60.0, prior=[0.5], clock=itertools.count(0.0).__next__)
    assert [each.hasty for each in searched] == [True, False]


def test_what_could_be_the_best_is_searched_again_before_what_could_not(table: pv.Table) -> None:
    plans = [plan_of(method) for method in (pv.methods.LocalRecoding(), pv.methods.Mondrian())]
    seen: list[tuple[list[int], list[int]]] = []

    def first(measured: Measured, again: Measured) -> list[int]:
        seen.append((sorted(measured), sorted(again)))
        return [0]

    searched, cut = probe(table, plans, 600.0, prior=[1.0, 0.1], first=first)
    assert [each.hasty for each in searched] == [True, False]
    assert len(cut) == 1
    assert seen[2:] == [([], [0])]  # nobody had run the other one yet


def test_less_is_expected_to_be_lost_without_haste(table: pv.Table) -> None:
    plan = plan_of(pv.methods.LocalRecoding())
    described = knowledge.describe(table, plan)
    hasty = Probe(300, 5, True, described, {"utility.gcp": 0.2, "utility.cm": 0.2}, "done", "", 0.02, hasty=True)
    models, point = Predictors(Cube.of([]), "tree"), point_of(plan, described)
    assert settled(models, "LocalRecoding()", "utility.gcp", point, [hasty]).value == pytest.approx(0.193)
    assert settled(models, "Polish()", "utility.gcp", point, [hasty]).value == pytest.approx(0.197)
    assert settled(models, "LocalRecoding()", "utility.cm", point, [hasty]).value == pytest.approx(0.2)


def test_only_what_could_still_be_the_best_is_searched_again(table: pv.Table) -> None:
    plans = [plan_of(pv.methods.LocalRecoding(), 5), plan_of(pv.methods.LocalRecoding(), 20)]
    seen: list[tuple[list[int], list[int]]] = []

    def first(measured: Measured, again: Measured) -> list[int]:
        seen.append((sorted(measured), sorted(again)))
        return [at for at in (0, 1) if at not in measured] if not again else [1]

    found = probe(table, plans, 600.0, prior=[1.0, 1.0], first=first)
    assert [[each.hasty for each in probes] for probes in found] == [[True], [True, False]]
    assert ([], [0, 1]) in seen  # what was measured in haste is not measured, but may be run again
    assert seen[-1] == ([1], [0])


def test_haste_is_a_landmark_with_an_interval_and_says_nothing_of_time(table: pv.Table) -> None:
    plan = plan_of(pv.methods.LocalRecoding())
    described = knowledge.describe(table, plan)
    release = pv.anonymize(table, plan_of(HASTY)).measure()
    values = {"utility.gcp": release["utility.gcp"], "cost.seconds": 0.01}
    hasty = Probe(300, 5, True, described, values, "done", "", 0.02, hasty=True)
    models = Predictors(Cube.of([]), "tree")
    told = settled(models, "LocalRecoding()", "utility.gcp", point_of(plan, described), [hasty])
    assert (told.value, told.evidence) == (pytest.approx(0.965 * release["utility.gcp"]), "landmark")
    assert told.low is not None
    assert told.high is not None
    assert told.low < values["utility.gcp"] < told.high
    assert told.because == ("It was tried with less work.",)
    assert settled(models, "LocalRecoding()", "cost.seconds", point_of(plan, described), [hasty]).value is None
    exact = Probe(300, 5, True, described, {"utility.gcp": 0.1}, "done", "", 0.2)
    told = settled(models, "LocalRecoding()", "utility.gcp", point_of(plan, described), [hasty, exact])
    assert (told.value, told.low, told.high) == (0.1, 0.1, 0.1)


def test_a_run_that_was_stopped_is_no_method_that_does_not_work(table: pv.Table) -> None:
    plan = plan_of(pv.methods.Mondrian())
    described = knowledge.describe(table, plan)
    stopped = Probe(300, 5, True, described, {}, "stopped", "it took longer than 1 s", 1.0)
    refused = Probe(300, 5, True, described, {}, "refused", "too many columns", 0.1)
    models = knowledge.Predictors(knowledge.evaluations())
    point = point_of(plan, described)
    assert settled(models, 'Mondrian(cut="loss")', "utility.gcp", point, [stopped]).evidence == "cube"
    told = settled(models, 'Mondrian(cut="loss")', "utility.gcp", point, [refused])
    assert told.reason == "it does not work on this table: too many columns"


def test_what_a_method_took_tells_what_it_will_take() -> None:
    prices = Prices([1.0, 1.0, 2.0, 4.0], ["a", "a", "b", "c"])
    assert [prices.of(at) for at in range(4)] == [1.0, 1.0, 2.0, 4.0]
    prices.paid(0, 10.0)
    assert [prices.of(at) for at in range(4)] == [10.0, 10.0, 20.0, 40.0]
    prices.paid(2, 0.5)  # of b it is known; 10.5 were paid in all where 3 were thought
    assert [prices.of(at) for at in (1, 2, 3)] == pytest.approx([10.0, 0.5, 14.0])


def test_nothing_is_begun_that_is_thought_to_take_longer_than_there_is(table: pv.Table) -> None:
    plans = [plan_of(pv.methods.Mondrian(), k) for k in (5, 10)]
    found = probe(table, plans, 5.0, prior=[0.1, 0.1], clock=ticking(0.0, 5.0))
    assert found == [[], []]


@pytest.mark.parametrize(
    ("method", "hasty"),
    [
        (pv.methods.LocalRecoding(), HASTY),
        (pv.methods.LocalRecoding(budget=30), HASTY),
        (HASTY, None),
        (pv.methods.LocalSuppression(importance=["a"]), pv.methods.LocalSuppression(importance=["a"], effort="fast")),
        (pv.methods.LocalSuppression(counting="wildcard"), None),
        (pv.methods.Polish(metric="gcp"), pv.methods.Polish(metric="gcp", bound=False, budget=0.25)),
        (pv.methods.Polish(budget=0.1), None),
        (pv.methods.Mondrian(), None),
    ],
)
def test_who_can_search_in_haste(method: Method, hasty: Method | None) -> None:
    assert method.hasty == hasty
    assert hasty is None or hasty.hasty is None


@pytest.mark.parametrize("metric", ["utility.gcp", "utility.cm"])
def test_what_samples_lose_is_drawn_on_by_its_odds(table: pv.Table, metric: str) -> None:
    """k = 2 and k = 4 on 2 000 rows, then 5 on 300 000: the odds fall as much with every doubling of rows over k."""
    plan = plan_of(pv.methods.KACA())
    described = replace(knowledge.describe(table, plan), rows=300_000)
    shares = {k: odds / (1 + odds) for k, odds in ((2, 0.04), (4, 0.05))}
    probes = [Probe(2_000, k, False, described, {metric: share}, "done", "", 0.1) for k, share in shares.items()]
    halvings = np.log2(300_000 / 5) - np.log2(2_000 / 2)
    odds = 0.04 * (0.04 / 0.05) ** halvings
    told = settled(None, "KACA()", metric, point_of(plan, described), probes)
    assert told.value == pytest.approx(odds / (1 + odds), rel=0.1)

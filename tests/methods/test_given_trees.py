"""The tree is the tree that was given: labels, alterations, bounds, claims and weights, beside brute force, on a
thousand tables whose trees are wider than they are; in two of five people have several rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.methods.partition.bound import lower_bound
from paravent.methods.partition.space import Space
from paravent.plan.encode import encode
from paravent.table.read import read

from ..generators import WideTable, wide_table
from ..plain_trees import METRICS, PlainCosts, PlainDetail, optimum

M = pv.methods
HUNDREDS = range(0, 1000, 100)
LABELLED: tuple[Any, ...] = (
    M.Mondrian(),
    M.Mondrian(cut="median", strict=False),
    M.GkAA(),
    M.GAA(metric="total"),
    M.GkPk(),
    M.G2kPkConv(metric="ncp", rounds=3),
    M.Polish(effort="fast", bound=False),
    M.KMember(),
    M.KMember(metric="distortion"),
    M.OKA(),
    M.KACA(),
    M.GCCG(),
    M.NearestNeighbour(metric="llm"),
    M.LocalRecoding(effort="fast"),
    M.MDAV(publish="ancestor", nominal="tree"),
)


def classes_of(table: WideTable, shown: pl.DataFrame) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """The original rows of each class that a release shows; each class has as many people as the plan asks for."""
    assert shown.height == len(table.rows)
    found: dict[tuple[str, ...], list[int]] = {}
    for i, cells in enumerate(shown.select(pl.col(table.names).cast(pl.String)).rows()):
        found.setdefault(cells, []).append(i)
    assert all(len({table.whose[i] for i in rows}) >= table.k for rows in found.values()), table
    return {cells: [table.rows[i] for i in rows] for cells, rows in found.items()}


def as_counted(table: WideTable, release: pv.Release) -> tuple[WideTable, pl.DataFrame]:
    """The rows that a method's own words are about, before and after: one of each person where all of a person's rows
    are alike, which the release then says."""
    people, rows = len(set(table.whose)), len(table.rows)
    once = table.alike and people < rows
    told = f"{people} people have {rows} rows: sizes and costs above count each person once."
    assert [line for line in release.trace if "each person" in line] == ([told] if once else [])
    return (table.one_row_each(), release.frame[table.first_rows]) if once else (table, release.frame)


@pytest.mark.parametrize("first", HUNDREDS)
def test_every_label_is_the_lowest_node_over_its_class(first: int) -> None:
    for seed in range(first, first + 100):
        table, method = wide_table(seed), LABELLED[seed % len(LABELLED)]
        release = pv.anonymize(table.frame, table.plan(method, weights=seed % 2 == 0))
        for shown, rows in classes_of(table, release.frame).items():
            lowest = [tree.lowest(column) for tree, column in zip(table.trees, zip(*rows, strict=True), strict=True)]
            named = tuple(tree.label[node] for tree, node in zip(table.trees, lowest, strict=True))
            assert shown == named, (seed, method)


@pytest.mark.parametrize(
    "method",
    [
        *LABELLED,
        M.G3kPk(),
        M.G2kP2kPkConv(rounds=2),
        M.G4kP2kPkConv(rounds=2),
        M.Datafly(),
        M.Samarati(),
        M.Incognito(),
        M.MinGen(),
        M.Optimal(),
        M.Optimal(metric="gcp"),
        M.BottomUp(target="t"),
        M.TopDown(target="t"),
        M.VMDAV(publish="ancestor"),
        M.RefinedMDAV(publish="ancestor", effort=1),
    ],
    ids=repr,
)
def test_eight_people_in_one_class_keep_what_they_share(method: Any) -> None:
    """Postcodes from 13050 to 13061 and ages from 30 to 38: not `*`, under trees that have finer nodes over them."""
    zips = ["13050", "13051", "13053", "13055", "13058", "13060", "13061", "13061"]
    frame = pl.DataFrame({"zip": zips, "age": [30, 31, 33, 34, 36, 37, 38, 38], "t": ["a", "b"] * 4})
    roles = {"zip": pv.Quasi(pv.prefixes()), "age": pv.Quasi(pv.intervals(5, 10, 20)), "t": pv.Insensitive()}
    release = pv.anonymize(frame, pv.Plan(roles, [pv.KAnonymity(8)], method, person=None))
    assert set(release.frame.select(pl.col("zip", "age").cast(pl.String)).rows()) == {("130**", "[30, 40[")}


@pytest.mark.parametrize("first", HUNDREDS)
def test_alterations_of_measure_sweep_and_trace_are_those_of_the_definitions(first: int) -> None:
    for seed in range(first, first + 100):
        table, metric = wide_table(seed), METRICS[seed % 7]
        method = M.GkPk(metric=metric)
        plan = table.plan(method)
        release = pv.anonymize(table.frame, plan)
        expected = {each: altered(table, release.frame, each) for each in METRICS}
        found = release.measure()
        for each, value in expected.items():
            assert found[f"utility.alteration.{each}"] == pytest.approx(value, abs=1e-9), (seed, each)
        assert found["utility.alteration.mean"] == pytest.approx(float(np.mean(list(expected.values()))), abs=1e-9)
        said = re.search(r"an alteration of ([0-9.]+) %", " ".join(release.trace))
        assert said is not None
        assert float(said[1]) == pytest.approx(altered(*as_counted(table, release), metric), abs=6e-5)
        if seed % 4 or table.people is not None:  # a sweep counts rows
            continue
        sweep = pv.k_sweep(table.frame, plan, M.GkAA(metric=metric), ks=[table.k])
        merged = sweep.release(table.k)
        assert sweep.alteration(table.k) == merged.measure()[f"utility.alteration.{metric}"]
        assert sweep.alteration(table.k) == pytest.approx(altered(table, merged.frame, metric), abs=1e-9)


@pytest.mark.parametrize("marked", ["drop", "mark"])
def test_rows_left_out_stand_at_the_roots_for_measure_and_sweep(marked: Any) -> None:
    for seed in range(60):
        table, metric = wide_table(seed, rows=9, persons=False), METRICS[seed % 7]
        plan = table.plan(M.GkAA(metric=metric)).replace(suppression=0.4, suppressed=marked)
        sweep = pv.k_sweep(table.frame, plan, M.GkAA(metric=metric), ks=[table.k])
        release = sweep.release(table.k)
        assert sweep.alteration(table.k) == release.measure()[f"utility.alteration.{metric}"], seed
        costs = PlainCosts(table.trees, metric)
        gone = sorted(set(range(len(table.rows))) - set(np.flatnonzero(sweep.classes(table.k) >= 0).tolist()))
        classes: dict[int, list[tuple[str, ...]]] = {}
        for row, class_ in zip(table.rows, sweep.classes(table.k).tolist(), strict=True):
            classes.setdefault(class_, []).append(row)
        classes.pop(-1, None)
        spent = costs.classes(classes.values()) + costs.most([table.rows[i] for i in gone])
        most = costs.most(table.rows)
        assert sweep.alteration(table.k) == pytest.approx(float(100 * spent / most) if most else 0.0, abs=1e-9), seed


def altered(table: WideTable, shown: pl.DataFrame, metric: str) -> float:
    costs = PlainCosts(table.trees, metric)
    most = costs.most(table.rows)
    return float(100 * costs.classes(classes_of(table, shown).values()) / most) if most else 0.0


@pytest.mark.parametrize("first", HUNDREDS)
def test_no_bound_lies_above_the_optimum_and_no_claim_is_false(first: int) -> None:
    """Metrics of the loss model and the loss of detail, with and without weights."""
    for seed in range(first, first + 100):
        table = wide_table(seed, rows=6)
        metric = (*METRICS, "gcp")[seed % 8]
        weighed = seed % 3 > 0
        weights = table.fractions if weighed else [Fraction(1)] * len(table.trees)
        costs: PlainCosts | PlainDetail = PlainDetail(table.trees, table.rows, weights)
        if metric != "gcp":
            costs = PlainCosts(table.trees, metric, weights)
        best = optimum(costs, table.rows, table.k, table.whose)
        plan = table.plan(M.Polish(metric=metric, effort="fast"), weights=weighed)
        space = Space.of(encode(read(table.frame), plan), metric)
        bound = lower_bound(space, table.k)
        assert space.slack == 0
        assert bound.cost * space.unit <= best, seed
        release = pv.anonymize(table.frame, plan)
        reached = costs.classes(classes_of(table, release.frame).values())
        assert reached >= best
        counted, shown = as_counted(table, release)
        if counted is not table:
            best = optimum(costs, counted.rows, counted.k)
            reached = costs.classes(classes_of(counted, shown).values())
        assert_claims(release.trace, reached, best)


def assert_claims(trace: Sequence[str], reached: Fraction, best: Fraction) -> None:
    if trace[-1] == "Mondrian's classes lose less under these models: they were taken.":
        assert not any("ptimal" in line or "bound" in line for line in trace)
        return
    (claim,) = (line for line in trace if "ptimal" in line or "bound" in line)
    within = re.match(r"Within ([0-9.]+) % of optimal", claim)
    if within is not None:
        assert reached <= best * (1 + Fraction(within[1]) / 100), claim
    elif not claim.startswith("No lower bound"):
        assert claim.startswith("Optimal"), claim
        assert reached == best, claim


@pytest.mark.parametrize("first", HUNDREDS)
def test_merging_counts_the_columns_by_their_weights(first: int) -> None:
    for seed in range(first, first + 100):
        table, metric = wide_table(seed, rows=9), METRICS[seed % 7]
        if not table.alike:  # people of different rows are joined by what they lack, not by cost alone
            table = wide_table(seed, rows=9, persons=False)
        costs = PlainCosts(table.trees, metric, table.fractions)
        release = pv.anonymize(table.frame, table.plan(M.GkAA(metric=metric), weights=True))
        counted, shown = as_counted(table, release)
        expected = plain_gkaa(counted, costs)
        found = classes_of(counted, shown)
        assert sorted(map(sorted, found.values())) == sorted(map(sorted, expected)), seed


def plain_gkaa(table: WideTable, costs: PlainCosts) -> list[list[tuple[str, ...]]]:
    """GkAA as it is printed (Mauger 2021, Alg. 1). Ties: the class that came first in the order of the trees; a merged
    class comes last, and takes in the one whose label is the same."""
    place = [{value: i for i, value in enumerate(tree.leaves)} for tree in table.trees]
    by_row: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for row in sorted(table.rows, key=lambda row: [p[v] for p, v in zip(place, row, strict=True)]):
        by_row.setdefault(row, []).append(row)
    classes = list(by_row.values())
    while min(map(len, classes)) < table.k:
        smallest = min(classes, key=len)
        others = [rows for rows in classes if rows is not smallest]
        partner = min(others, key=lambda rows: costs.classes([smallest + rows]) - costs.classes([smallest, rows]))
        made = smallest + partner
        classes = [rows for rows in others if rows is not partner]
        for equal in [rows for rows in classes if costs.label(rows) == costs.label(made)]:
            classes.remove(equal)
            made = made + equal
        classes.append(made)
    return classes


def test_optimal_heeds_weights() -> None:
    """Fifty times the weight: the column is left as it is, and the other one pays."""
    frame = pl.DataFrame({"light": ["a", "b", "a", "b"], "heavy": ["x", "x", "y", "y"]})
    roles = {"light": pv.Quasi(pv.flat()), "heavy": pv.Quasi(pv.flat(), weight=50)}
    for metric in ("loss", "gcp", "nllm", "entropy"):
        release = pv.anonymize(frame, pv.Plan(roles, [pv.KAnonymity(2)], M.Optimal(metric=metric), order="source"))
        assert release.frame["heavy"].to_list() == ["x", "x", "y", "y"], metric
        assert set(release.frame["light"]) == {"*"}
        assert release.measure()["utility.gcp.weighted"] == pytest.approx(1 / 51)


@pytest.mark.parametrize(
    "method",
    [
        M.Datafly(),
        M.MuArgus(),
        M.Filter(),
        M.TopDown(target="s"),
        M.BottomUp(target="s"),
        M.IndividualRanking(),
        M.Mondrian(cut="infogain", target="s"),
        M.GAA(strategy="l", column="s"),
        M.Optimal(metric="dm"),
        M.Optimal(metric="cavg"),
        M.Optimal(metric="ambiguity"),
        M.Optimal(metric="kl"),
    ],
    ids=repr,
)
def test_weights_that_would_not_count_are_refused_by_name(method: Any) -> None:
    frame = pl.DataFrame({"a": ["x", "y"] * 3, "b": ["u", "v"] * 3, "s": ["1", "2", "3"] * 2})
    roles = {"a": pv.Quasi(pv.flat(), weight=2), "b": pv.Quasi(pv.flat()), "s": pv.Sensitive()}
    with pytest.raises(pv.PlanError, match=re.escape(repr(method))) as error:
        pv.anonymize(frame, pv.Plan(roles, [pv.KAnonymity(2)], method))
    assert str(error.value).startswith("columns.b: the columns have different weights")
    assert not method.weighs

"""δ-presence with a lower bound: who reaches it, who refuses it, and whom a released label covers."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent import methods

REACH = (methods.Mondrian(), methods.Optimal(), methods.Samarati(), methods.Datafly(), methods.MinGen())
OTHERS = (
    methods.GkAA(), methods.GkPk(), methods.Polish(), methods.KMember(), methods.KACA(), methods.LocalRecoding(),
    methods.LocalSuppression(), methods.Incognito(), methods.MuArgus(), methods.TopDown(target="job"),
    methods.Mondrian(cut="infogain", target="job"),
)  # fmt: skip
TREES: dict[str, Any] = {"age": pv.intervals(5, 10, 20), "zip": pv.prefixes()}
PLACES = [f"{a}{b}{c}" for a in "12" for b in "12" for c in "123"]


def drawn(seed: int, people: int = 60, share: float = 0.4) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A population, and the part of it that is in the table: it has values that the table does not have."""
    rng = np.random.default_rng(seed)
    population = pl.DataFrame(
        {"age": rng.integers(20, 60, people), "zip": [PLACES[i] for i in rng.integers(0, len(PLACES), people)]}
    )
    inside = np.sort(rng.permutation(people)[: max(2, int(share * people))])
    return population[inside].with_columns(job=pl.Series([f"j{i % 3}" for i in range(len(inside))])), population


def covers(name: str, label: str, value: Any) -> bool:
    """What a label says about a value, by its text alone."""
    if label in ("*", str(value)):
        return True
    if name == "zip":
        return len(label) == len(value) and all(x in ("*", y) for x, y in zip(label, value, strict=True))
    if label[:1] == "[":
        low, high = (int(part) for part in label[1:-1].split(", "))
        return low <= value < high if label.endswith("[") else low <= value <= high
    return False


def chances(frame: pl.DataFrame, population: pl.DataFrame) -> list[float]:
    """For every person, the chance to be in the table by each class that they fit (0: they fit none)."""
    classes: dict[tuple[str, ...], int] = {}
    for row in frame.select(pl.col("age", "zip").cast(pl.String)).rows():
        classes[row] = classes.get(row, 0) + 1
    fits = {
        labels: [covers("age", labels[0], age) and covers("zip", labels[1], place) for age, place in population.rows()]
        for labels in classes
    }
    found: list[float] = []
    for i in range(population.height):
        mine = [classes[labels] / sum(fits[labels]) for labels in classes if fits[labels][i]]
        found.extend(mine or [0.0])
    return found


def plan(model: Any, method: Any, trees: dict[str, Any] | None = None) -> pv.Plan:
    columns = {name: pv.Quasi(tree) for name, tree in (TREES if trees is None else trees).items()}
    return pv.Plan({**columns, "job": pv.Insensitive()}, [model], method)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**16), low=st.sampled_from([0.05, 0.1, 0.2, 0.3]), high=st.sampled_from([0.5, 0.7, 1.0]),
    method=st.sampled_from(REACH), trees=st.booleans(),
)  # fmt: skip
def test_whoever_reaches_it_keeps_both_bounds(seed: int, low: float, high: float, method: Any, trees: bool) -> None:
    table, population = drawn(seed)
    model = pv.DeltaPresence(high, "people", low=low)
    asked = plan(model, method, TREES if trees or method != REACH[0] else {"age": None, "zip": None})
    release = pv.anonymize(table, asked, populations={"people": population})
    found = chances(release.frame, population) if trees or method != REACH[0] else []
    assert all(low <= chance <= high for chance in found)
    assert release.verdict


def test_mondrian_cuts_where_both_bounds_allow_it() -> None:
    table, population = drawn(5, people=400, share=0.5)
    release = pv.anonymize(
        table, plan(pv.DeltaPresence(0.8, "people", low=0.3), methods.Mondrian()), populations={"people": population}
    )
    assert len(release.classes) > 3
    told = next(line for line in release.trace if line.startswith("Cut the table and its population together"))
    assert 1 <= int(told.split()[-2]) < len(release.classes)  # a cut makes two parts of one, or more
    everybody = chances(release.frame, population)
    assert len(everybody) == population.height  # nobody fits two classes, and everybody one
    assert min(everybody) >= 0.3
    assert max(everybody) <= 0.8


@pytest.mark.parametrize("method", OTHERS, ids=lambda method: type(method).__name__)
def test_others_refuse_it_before_the_work_and_say_why(method: Any) -> None:
    table, population = drawn(1)
    with pytest.raises(pv.InfeasibleError, match="does not look at people who are not in the table"):
        pv.anonymize(table, plan(pv.DeltaPresence(0.9, "people", low=0.1), method), populations={"people": population})


def test_other_models_hold_beside_it() -> None:
    table, population = drawn(5, people=400, share=0.5)
    columns = {name: pv.Quasi(tree) for name, tree in TREES.items()}
    models = [pv.KAnonymity(5), pv.LDiversity(2, "job"), pv.DeltaPresence(0.8, "people", low=0.3)]
    for method in (methods.Mondrian(), methods.Optimal()):
        asked = pv.Plan({**columns, "job": pv.Sensitive()}, models, method)
        assert pv.anonymize(table, asked, populations={"people": population}).verdict


def test_a_label_covers_people_whose_value_is_not_in_the_table() -> None:
    """Zips 130** and ages [30, 40[ cover people that the table has not: three of four are in it, and nobody is left."""
    table = pl.DataFrame({"age": [31, 33, 35], "zip": ["13050", "13051", "13061"], "job": ["a", "b", "c"]})
    population = pl.DataFrame({"age": [31, 33, 35, 38], "zip": ["13050", "13051", "13061", "13077"]})
    asked = plan(
        pv.DeltaPresence(0.8, "people", low=0.5), methods.Optimal(), {"age": pv.intervals(10), "zip": pv.prefixes()}
    )
    verdict = pv.anonymize(table, asked, populations={"people": population}).verdict
    assert verdict.levels["privacy.delta_presence"] == 0.75
    map_of = plan(
        pv.KMap(3, "people"),
        methods.Filter(levels={"age": 1, "zip": 2}),
        {"age": pv.intervals(10), "zip": pv.prefixes()},
    )
    assert pv.anonymize(table, map_of, populations={"people": population}).verdict.levels["privacy.k_map"] == 4


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**16), k=st.integers(1, 4))
def test_the_verdict_of_a_release_counts_everybody_whom_its_labels_cover(seed: int, k: int) -> None:
    table, population = drawn(seed)
    asked = plan(pv.DeltaPresence(1.0, "people"), methods.Mondrian()).replace(
        protect=(pv.KAnonymity(k), pv.DeltaPresence(1.0, "people"))
    )
    release = pv.anonymize(table, asked, populations={"people": population})
    by_hand = max(chance for chance in chances(release.frame, population))
    assert release.verdict.levels["privacy.delta_presence"] == pytest.approx(by_hand)


def test_what_a_missing_cell_may_be_anything_cannot_bound() -> None:
    table, population = drawn(3)
    table = table.with_columns(zip=pl.when(pl.int_range(table.height) == 0).then(None).otherwise(pl.col("zip")))
    asked = plan(pv.DeltaPresence(0.9, "people", low=0.1), methods.Mondrian()).replace(missing="wildcard")
    with pytest.raises(pv.InfeasibleError, match="missing='own value'"):
        pv.anonymize(table, asked, populations={"people": population})


def test_a_part_shows_the_lowest_node_of_the_given_tree() -> None:
    """All zips begin with 130: the label is 130**, not `*`."""
    zips = ["13050", "13051", "13060", "13061"]
    population = pl.DataFrame({"age": [30] * 8, "zip": zips * 2})
    table = population[:4].with_columns(job=pl.Series(["a", "b", "c", "d"]))
    asked = plan(pv.DeltaPresence(0.5, "people", low=0.5), methods.Mondrian())
    release = pv.anonymize(
        table, asked.replace(protect=(pv.KAnonymity(4), *asked.protect)), populations={"people": population}
    )
    assert set(release.frame["zip"].cast(pl.String)) == {"130**"}
    assert release.verdict.levels["privacy.delta_presence"] == 0.5

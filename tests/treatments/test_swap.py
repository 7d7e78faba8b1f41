"""Swapping: every value stays, nobody leaves their group, and partners are near, alike, or elsewhere as asked."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import PlanError
from paravent.treatments import Swap, Work
from paravent.treatments.moved import moved
from paravent.treatments.swapping.partners import random_partners

from .plans import released, run, treated

ORACLE = tomllib.loads((Path(__file__).parents[1] / "oracles" / "perturbation.toml").read_text())["swapping"]

numbers = st.lists(st.tuples(st.integers(0, 30) | st.none(), st.sampled_from("xyz")), min_size=1, max_size=60)


def frame_of(rows: list[tuple[int | None, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"v": pl.Int64, "g": pl.String}, orient="row")


def tally(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    return frame.group_by(columns).len().sort(columns)


def test_the_worked_example() -> None:
    """Table 16: two rows exchange their professions."""
    received = np.arange(11)
    for one, other in np.array(ORACLE["pairs"]) - 1:
        received[[one, other]] = received[[other, one]]
    table = pv.read(pl.DataFrame({"profession": ORACLE["professions"]}))
    done = moved(Work(table, np.random.default_rng(0)), {"profession": received}, np.zeros(11, dtype=np.int64), "Swap")
    assert done.cells["profession"].cells.to_list() == ORACLE["published"]
    assert done.trace == ("Swap: 2 of 11 cells of 'profession' have another value.",)


@given(numbers, st.floats(0.01, 1), st.booleans(), st.integers(0, 99))
def test_ranks_move_within_their_window(
    rows: list[tuple[int | None, str]], window: float, grouped: bool, seed: int
) -> None:
    frame = frame_of(rows)
    found = treated(Swap("v", window=window, within="g" if grouped else ()), frame, seed)
    assert tally(found, "g", "v").equals(tally(frame, "g", "v")) or not grouped
    assert tally(found, "v").equals(tally(frame, "v"))
    assert (found["v"].is_null() == frame["v"].is_null()).all()
    for group in "xyz" if grouped else ["xyz"]:
        inside = frame["g"].is_in(list(group)) & frame["v"].is_not_null()
        before, after = frame["v"].filter(inside).to_numpy(), found["v"].filter(inside).to_numpy()
        ordered = np.sort(before)
        reach = max(1, int(window * len(before) + 1e-9))
        for old, new in zip(before, after, strict=True):
            low, high = sorted((old, new))  # the nearest ranks that equal values can have
            between = np.searchsorted(ordered, high, "left") - np.searchsorted(ordered, low, "right") + 1
            assert old == new or between <= reach


def test_a_window_is_a_share_of_the_ranks() -> None:
    """A peer documents percent, takes shares, and ignores the window unless another option is switched off."""
    frame = pl.DataFrame({"v": range(10_000)})
    for window, reach in ((0.0002, 2), (0.01, 100), (0.5, 5000)):
        moves = np.abs(treated(Swap("v", window=window), frame)["v"].to_numpy() - np.arange(10_000))
        assert 0.9 * reach < moves.max() <= reach
        assert (moves == 0).sum() <= 1
    with pytest.raises(PlanError, match=r"Write 5 % as 0\.05"):
        Swap("v", window=5)


def test_few_rows_are_swapped_all_the_same() -> None:
    """A peer gives small tables back unchanged, without a word."""
    done = run(Swap("v", window=0.05), pl.DataFrame({"v": [1, 2, 3, 4]}))
    assert done.cells["v"].cells.to_list() == [2, 1, 4, 3]
    assert done.trace == ("Swap: by rank: 4 of 4 cells of 'v' have another value.",)


def test_columns_have_windows_of_their_own_and_missing_values_stay() -> None:
    """A peer replaces missing values by −999 and swaps that."""
    rng = np.random.default_rng(1)
    near, far = (pl.Series(rng.permutation(2000)) for _ in range(2))
    frame = pl.DataFrame({"near": near, "far": far}).with_columns(
        pl.when(pl.Series(rng.random(2000) > 0.1)).then(pl.all())
    )
    found = treated(Swap(("near", "far"), window={"near": 0.01, "far": 0.5}), frame)
    ranks = {name: [each[name].rank().to_numpy() for each in (frame, found)] for name in ("near", "far")}
    assert np.nanmax(np.abs(np.subtract(*ranks["near"]))) <= 20
    assert np.nanmax(np.abs(np.subtract(*ranks["far"]))) > 400
    assert (found["near"].is_null() == frame["near"].is_null()).all()
    assert found["near"].drop_nulls().min() >= 0


def test_ordinal_values_are_swapped_by_their_order() -> None:
    levels = ["none", "some", "much"]
    frame = pl.DataFrame({"v": ["none"] * 50 + ["some"] * 100 + ["much"] * 50})
    found = treated(Swap("v", window=0.2), frame, kinds={"v": levels})["v"].to_list()
    assert {"none", "some"} >= set(found[:50])  # much is more than 40 ranks away


@given(numbers, st.floats(0.01, 1), st.integers(0, 99))
def test_random_pairs_stay_in_their_group(rows: list[tuple[int | None, str]], share: float, seed: int) -> None:
    frame = frame_of(rows).with_row_index("id")
    found = treated(Swap(("v", "id"), kind="random", share=share, within="g"), frame, seed)
    assert tally(found, "g", "v", "id").equals(tally(frame, "g", "v", "id"))  # both columns together
    assert (found["v"].is_null() == frame["v"].is_null()).all()
    back = found["id"].to_numpy()
    assert (back[back] == np.arange(len(back))).all()


def test_random_pairs_are_as_many_as_the_share_says() -> None:
    rng = np.random.default_rng(3)
    groups = np.zeros(10_000, dtype=np.int64)
    assert (random_partners(groups, 0.3, rng) != np.arange(10_000)).sum() == pytest.approx(3000, abs=2)
    pairs = np.arange(10_000) // 2  # in groups of two, half are swapped: nobody can undo it
    assert (random_partners(pairs, 0.5, rng) != np.arange(10_000)).mean() == pytest.approx(0.5, abs=0.04)
    assert (random_partners(pairs, 1.0, rng) != np.arange(10_000)).all()


def people(rows: int = 3000) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": rng.geometric(0.1, rows),
            "job": rng.choice(["a", "b", "c", "d"], rows, p=[0.6, 0.3, 0.08, 0.02]),
            "sex": rng.choice(["f", "m"], rows),
            "zip": rng.integers(0, 30, rows),
        }
    )


def test_rows_at_risk_get_other_values() -> None:
    frame = people()
    swap = Swap("zip", kind="target", risk=("age", "job"), k=3, similar="sex")
    done = run(swap, frame)
    found = done.cells["zip"].cells
    rare = (frame.select(pl.len().over("age", "job")).to_series() < 3).to_numpy()
    changed = (found != frame["zip"]).to_numpy()
    assert rare.sum() > 50
    assert changed[rare].all()
    assert changed.sum() <= 2 * rare.sum()
    assert tally(frame.with_columns(zip=found), "sex", "zip").equals(tally(frame, "sex", "zip"))
    assert f"{rare.sum()} rows are at risk, 0 of them found nobody alike" in done.trace[0]


def test_the_second_list_serves_where_the_first_finds_nobody() -> None:
    frame = pl.DataFrame({"risk": ["rare", *["usual"] * 9], "one": [1, *[2] * 9], "two": [1] * 10, "v": [7, *range(9)]})
    alone = run(Swap("v", kind="target", risk="risk", k=2, similar="one"), frame)
    assert "1 rows are at risk, 1 of them found nobody alike" in alone.trace[0]
    assert alone.cells["v"].cells.equals(frame["v"].alias("cells"))
    found = run(Swap("v", kind="target", risk="risk", k=2, similar=(("one", "two"), ("two",))), frame)
    assert found.cells["v"].cells[0] != 7


def households(count: int = 3000, seed: int = 1) -> pl.DataFrame:
    """People in households, in 3 regions of 4 districts of 5 places; some are rare in their place or region."""
    rng = np.random.default_rng(seed)
    place, size = rng.integers(0, 60, count), rng.integers(1, 6, count)
    of_person = np.repeat(np.arange(count), size)
    return pl.DataFrame(
        {
            "hid": [f"h{i:05d}" for i in of_person],
            "region": (place // 20)[of_person],
            "district": (place // 5)[of_person],
            "place": place[of_person],
            "parcel": (10_000 * place + np.arange(count))[of_person],
            "type": rng.integers(0, 3, count)[of_person],
            "age": rng.geometric(0.15, len(of_person)),
            "nation": rng.choice(list("abcde"), len(of_person), p=[0.8, 0.15, 0.04, 0.0085, 0.0015]),
        }
    ).sample(fraction=1, shuffle=True, seed=seed)


PLACES = ("region", "district", "place")


@pytest.mark.parametrize("k", [3, (2, 3, 4), (0, 0, 3)])
@pytest.mark.parametrize("share", [None, 0.1])
def test_households_move_whole_and_every_area_keeps_its_numbers(k: Any, share: float | None) -> None:
    frame = households()
    swap = Swap(
        PLACES, kind="records", household="hid", risk="nation", k=k, similar="type", share=share, along="parcel"
    )
    done = run(swap, frame)
    found = frame.with_columns(done.cells[name].cells.alias(name) for name in (*PLACES, "parcel"))
    assert found.group_by("hid").agg(pl.col(*PLACES, "parcel").n_unique()).drop("hid").to_numpy().max() == 1
    for level in PLACES:
        assert tally(found, level).equals(tally(frame, level))  # people
        first = [tally(each.unique("hid"), level, "type") for each in (frame, found)]
        assert first[0].equals(first[1])  # households of each type
    assert (
        found.select("place", "parcel")
        .unique()
        .sort("parcel")
        .equals(frame.select("place", "parcel").unique().sort("parcel"))
    )
    asked = k if isinstance(k, tuple) else (k,) * 3
    risky, stayed = np.zeros((2, frame.height), dtype=bool)
    for level, least in zip(PLACES, asked, strict=True):
        alone = frame.with_columns(alone=pl.len().over(level, "nation") < least)
        rare = alone.select(pl.col("alone").max().over("hid")).to_series().to_numpy()
        risky |= rare
        stayed |= rare & (found[level] == frame[level]).to_numpy()
    whose = [frame.filter(pl.Series(some))["hid"].n_unique() for some in (risky, stayed)]
    assert [done.figures["risky"], done.figures["stranded"]] == whose
    assert whose[0] > 50
    assert whose[1] < 0.02 * whose[0]


def test_a_share_of_the_households_is_swapped_in_every_place() -> None:
    frame = households(6000)
    found = treated(Swap(PLACES, kind="records", household="hid", share=0.1), frame)
    changed = frame.with_columns(changed=found["place"] != frame["place"]).unique("hid")
    assert changed["changed"].sum() == pytest.approx(600, abs=2)
    by_place = changed.group_by("place").agg(pl.col("changed").sum(), pl.len() * 0.1)
    assert (by_place["changed"] - by_place["len"]).abs().max() <= 2


def test_households_with_rare_people_are_taken_more_often() -> None:
    frame = households(6000)
    swap = Swap(PLACES, kind="records", household="hid", share=0.05, risk="nation", k=0)
    changed = (treated(swap, frame)["place"] != frame["place"]).to_numpy()
    rare = (frame["nation"] == "d").to_numpy()
    assert changed[rare].mean() > 3 * changed.mean()


def test_people_of_a_person_are_not_swapped_apart() -> None:
    frame = households(300)
    persons = np.arange(frame.height) // 2
    with pytest.raises(PlanError, match="would be swapped apart"):
        run(Swap("place", kind="records", household="hid", share=0.1), frame, persons=persons)
    with pytest.raises(PlanError, match="people have several rows here"):
        run(Swap("age", window=0.1), frame, persons=persons)


@pytest.mark.parametrize(
    "swap",
    [
        Swap("age", window=0.1),
        Swap(("age", "zip"), kind="random", share=0.5, within="sex"),
        Swap("zip", kind="target", risk="age", k=5),
        Swap("zip", kind="records", share=0.2),
    ],
    ids=lambda swap: swap.kind,
)
def test_a_release_repeats_its_bytes_and_keeps_its_values(swap: Swap, tmp_path: Path) -> None:
    frame = people(400)
    release = released(swap, frame)
    assert release.frame.equals(released(swap, frame).frame)
    assert not release.frame.equals(released(swap, frame, seed=1).frame)
    for name in frame.columns:
        assert release.frame[name].sort().to_list() == frame[name].sort().to_list()
    release.plan.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == release.plan
    assert eval(f"pv.treatments.{swap!r}", {"pv": pv}) == swap


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "kind='rank' needs window"),
        ({"window": 0}, "window must be a share above 0"),
        ({"window": 1.5}, r"Write 5 % as 0\.05"),
        ({"window": {"w": 0.1}}, "window names other columns"),
        ({"window": 0.1, "k": 3}, "k says nothing to kind='rank', which takes window, within"),
        ({"kind": "random"}, "needs share"),
        ({"kind": "random", "share": 2}, "share must be a share"),
        ({"kind": "target", "k": 3}, "needs risk"),
        ({"kind": "target", "risk": "a", "k": 1}, "k must be at least 2"),
        ({"kind": "records"}, "needs k with risk columns, a share"),
        ({"kind": "records", "k": 3}, "Name these as risk"),
        ({"window": 0.1, "within": "v"}, "named in within and is treated itself"),
        ({"kind": "records", "share": 0.1, "similar": "v"}, "named in similar and is treated itself"),
        ({"kind": "records", "share": 0.1, "along": "v"}, "a column is named twice"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        Swap("v", **options)


@pytest.mark.parametrize(
    ("swap", "told"),
    [
        (Swap("nation", window=0.1), "column 'nation' is nominal, and rank swapping needs"),
        (
            Swap(PLACES, kind="records", household="hid", share=0.1, similar="age"),
            "'age' differs between people of one",
        ),
        (Swap("age", kind="records", household="hid", share=0.1), "'age' differs between people of one household"),
        (Swap(PLACES, kind="records", risk="age", k=(3, 3)), "k has 2 numbers for 3 geographies"),
        (Swap("place", kind="records", household="hole", share=0.1), "names households and has missing values"),
    ],
)
def test_what_does_not_fit_the_table_is_refused(swap: Swap, told: str) -> None:
    frame = households(50).with_columns(hole=pl.when(pl.int_range(pl.len()) > 0).then(pl.col("hid")))
    with pytest.raises(PlanError, match=told):
        run(swap, frame)

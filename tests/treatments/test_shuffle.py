"""Shuffling: columns keep their values and groups, ranks their correlations, rows nothing of their own."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import PlanError
from paravent.treatments import Shuffle
from paravent.treatments.shuffling.normal import normal_quantiles

from .plans import released, run, treated

numbers = st.lists(st.tuples(st.integers(0, 9) | st.none(), st.sampled_from("xyz")), min_size=1, max_size=40)


def spearman(frame: pl.DataFrame) -> np.ndarray:
    return np.corrcoef(frame.select(pl.all().rank()).to_numpy(), rowvar=False)


def correlated(rows: int = 20_000) -> pl.DataFrame:
    rng = np.random.default_rng(6)
    age = rng.integers(18, 90, rows)
    pay = np.exp(0.03 * age + rng.standard_normal(rows))
    rent = np.round(pay**0.5 * np.exp(0.5 * rng.standard_normal(rows)))
    return pl.DataFrame({"age": age, "pay": pay, "rent": rent, "size": rng.integers(1, 6, rows)})


@given(st.floats(1e-300, 1, exclude_max=True))
def test_normal_quantiles(share: float) -> None:
    assert normal_quantiles(np.array([share]))[0] == pytest.approx(NormalDist().inv_cdf(share), rel=1e-13, abs=1e-15)


@given(numbers, st.sampled_from(["plain", "ranks"]), st.booleans(), st.integers(0, 99))
def test_values_stay_in_their_column_and_group(
    rows: list[tuple[int | None, str]], kind: Any, grouped: bool, seed: int
) -> None:
    frame = pl.DataFrame(rows, schema={"v": pl.Int64, "g": pl.String}, orient="row")
    found = treated(Shuffle("v", kind=kind, within="g" if grouped else ()), frame, seed)
    columns = ["g", "v"] if grouped else ["v"]
    assert found.group_by(columns).len().sort(columns).equals(frame.group_by(columns).len().sort(columns))
    assert (found["v"].is_null() == frame["v"].is_null()).all()


def test_every_order_is_as_likely() -> None:
    """The six orders of three values, each within four deviations of a sixth of 3 000."""
    frame = pl.DataFrame({"v": [1, 2, 3]})
    orders = [tuple(treated(Shuffle("v"), frame, seed)["v"]) for seed in range(3000)]
    counts = np.unique(np.array(orders), axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert np.abs(counts - 500).max() < 4 * np.sqrt(3000 * 5 / 36)


def test_columns_are_shuffled_one_by_one_or_together() -> None:
    frame = pl.DataFrame({"a": range(200), "b": range(200)}).with_columns(
        pl.when(pl.col("a") % 7 > 0).then(pl.col("a")), pl.when(pl.col("b") % 5 > 0).then(pl.col("b"))
    )
    together = treated(Shuffle(("a", "b"), together=True), frame)
    assert together.sort("a", "b").equals(frame.sort("a", "b"))
    assert (together["a"].is_null() == frame["a"].is_null()).all()
    apart = treated(Shuffle(("a", "b")), frame)
    assert (apart["a"] == apart["b"]).mean() < 0.1


def test_ranks_keep_their_correlations() -> None:
    """Of 20 000 rows: within 0.03 of the original, where a plain shuffle leaves nothing."""
    frame = correlated()
    before = spearman(frame)
    found = treated(Shuffle(("pay", "rent"), kind="ranks", given=("age", "size")), frame)
    assert np.abs(spearman(found) - before).max() < 0.03
    assert found["age"].equals(frame["age"])
    plain = spearman(treated(Shuffle(("pay", "rent")), frame))
    assert np.abs(plain[1, [0, 2]]).max() < 0.03
    alone = spearman(treated(Shuffle(("pay", "rent"), kind="ranks"), frame))
    assert alone[1, 2] == pytest.approx(before[1, 2], abs=0.03)
    assert abs(alone[0, 1]) < 0.03  # age was not given


def test_given_what_stays_a_row_receives_nothing_of_its_own() -> None:
    """The partial correlation of old and new values, given those that stay, vanishes."""
    frame = correlated()
    found = treated(Shuffle("pay", kind="ranks", given="age"), frame)
    scores = [each.rank().to_numpy() for each in (frame["pay"], found["pay"], frame["age"])]
    old, new = (each - np.polyval(np.polyfit(scores[2], each, 3), scores[2]) for each in scores[:2])
    assert abs(np.corrcoef(old, new)[0, 1]) < 4 / np.sqrt(len(old))


def test_missing_values_of_several_columns() -> None:
    rng = np.random.default_rng(2)
    frame = correlated(4000)
    frame = frame.with_columns(
        pl.when(pl.Series(rng.random(4000) > 0.2)).then(pl.col(name)).alias(name) for name in frame.columns
    )
    found = treated(Shuffle(("pay", "rent"), kind="ranks", given=("age", "size")), frame)
    for name in ("pay", "rent"):
        assert (found[name].is_null() == frame[name].is_null()).all()
        assert found[name].sort().equals(frame[name].sort())
    both = [each.drop_nulls() for each in (frame, found)]
    assert np.abs(spearman(both[0]) - spearman(both[1])).max() < 0.08


@pytest.mark.parametrize("shuffle", [Shuffle("pay"), Shuffle(("pay", "rent"), kind="ranks", given="age")])
def test_a_release_repeats_its_bytes(shuffle: Shuffle) -> None:
    frame = correlated(300)
    release = released(shuffle, frame)
    assert release.frame.equals(released(shuffle, frame).frame)
    assert not release.frame.equals(released(shuffle, frame, seed=1).frame)
    assert "of 300 cells of 'pay' have another value" in release.trace[0]


def test_who_is_alone_is_told() -> None:
    done = run(Shuffle("v", within="g"), pl.DataFrame({"v": [1, 2, 3], "g": ["a", "a", "b"]}))
    assert "1 rows are alone in their group and keep their values" in done.trace[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"given": "w"}, "given is for kind='ranks'"),
        ({"kind": "ranks", "together": True}, "together is for kind='plain'"),
        ({"kind": "ranks", "given": "v"}, "named in given and is treated itself"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        Shuffle("v", **options)


def test_words_have_no_ranks() -> None:
    with pytest.raises(PlanError, match="column 'w' is nominal, and shuffling by ranks needs"):
        run(Shuffle("v", kind="ranks", given="w"), pl.DataFrame({"v": [1, 2], "w": ["a", "b"]}))

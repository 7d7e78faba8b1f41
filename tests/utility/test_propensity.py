"""pMSE by hand, and its mean where nothing but chance tells the tables apart."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from paravent.utility.propensity import grouped, propensity


def cells(counts: dict[tuple[str, str], int]) -> pl.DataFrame:
    rows = [pair for pair, count in counts.items() for _ in range(count)]
    return pl.DataFrame(rows, schema=["a", "b"], orient="row")


def test_one_column_of_two_values() -> None:
    """Of 200 rows 120 are x, 70 of them released: the chance is 70/120 there and 30/80 for y, and 1/2 by share.
    .6 (7/12 − 1/2)² + .4 (3/8 − 1/2)² = .0041667 + .00625."""
    before, after = pl.DataFrame({"a": ["x"] * 50 + ["y"] * 50}), pl.DataFrame({"a": ["x"] * 70 + ["y"] * 30})
    found = propensity(before, after, ["a"], pairs=True)
    assert found.pmse == pytest.approx(0.6 * (7 / 12 - 1 / 2) ** 2 + 0.4 * (3 / 8 - 1 / 2) ** 2, rel=1e-5)
    assert found.parameters == 1
    assert found.expected == pytest.approx(1 * 0.5**2 * 0.5 / 200)
    assert found.ratio == pytest.approx(0.0104166667 / 0.000625, rel=1e-5)


def test_tables_of_different_sizes() -> None:
    """100 real rows, 300 released: the share is 3/4. x: 30 of 80 real … 50 + 270 = 320 x, 50 + 30 = 80 y."""
    before, after = pl.DataFrame({"a": ["x"] * 50 + ["y"] * 50}), pl.DataFrame({"a": ["x"] * 270 + ["y"] * 30})
    found = propensity(before, after, ["a"], pairs=False)
    assert found.pmse == pytest.approx(0.8 * (270 / 320 - 0.75) ** 2 + 0.2 * (30 / 80 - 0.75) ** 2, rel=1e-5)
    assert found.expected == pytest.approx((1 / 4) ** 2 * (3 / 4) / 400)


def test_pairs_are_seen_where_single_columns_agree() -> None:
    """Half of each value in both tables, but real rows lie on the diagonal: 40, 10, 10, 40 against 25 each."""
    before = cells({("x", "u"): 40, ("x", "v"): 10, ("y", "u"): 10, ("y", "v"): 40})
    after = cells({("x", "u"): 25, ("x", "v"): 25, ("y", "u"): 25, ("y", "v"): 25})
    single = propensity(before, after, ["a", "b"], pairs=False)
    assert single.pmse == pytest.approx(0, abs=1e-12)
    assert single.parameters == 2
    found = propensity(before, after, ["a", "b"], pairs=True)
    assert found.pmse == pytest.approx(0.65 * (25 / 65 - 1 / 2) ** 2 + 0.35 * (25 / 35 - 1 / 2) ** 2, rel=1e-5)
    assert found.parameters == 3
    assert found.ratio == pytest.approx(0.0247252747 / (3 * 0.125 / 200), rel=1e-5)


def test_cells_of_one_table_alone_are_told_for_certain() -> None:
    """x is real alone and z released alone: sure in all rows, (1/2)²."""
    found = propensity(pl.DataFrame({"a": ["x"] * 40}), pl.DataFrame({"a": ["z"] * 40}), ["a"], pairs=True)
    assert found.pmse == pytest.approx(0.25, rel=1e-3)


@pytest.mark.parametrize(("anew", "mean"), [(True, 1.0), (False, 2.0)])
def test_chance_alone_gives_what_theory_says(anew: bool, mean: float) -> None:
    """Rows drawn anew from the original have a ratio of 1 on average, other people of its population of 2. With 8 free
    parameters the ratio is mean × χ²₈ / 8: over 60 tables its mean strays by mean × √(2/8) / √60, 0.065 × mean."""
    dice = np.random.default_rng(11)

    def people() -> pl.DataFrame:
        a = dice.integers(0, 3, 1500)
        b = (a + (dice.random(1500) < 0.5) * dice.integers(0, 3, 1500)) % 3
        return pl.DataFrame({"a": a.astype(str), "b": b.astype(str)})

    ratios = []
    for _ in range(60):
        before = people()
        after = before[dice.integers(0, 1500, 1500)] if anew else people()
        found = propensity(before, after, ["a", "b"], pairs=True)
        assert found.parameters == 8
        ratios.append(found.ratio)
    assert np.mean(ratios) == pytest.approx(mean, rel=0.25)


def test_numbers_in_groups_and_missing_cells_apart() -> None:
    """1 to 10 in five groups of two; 99 stands with the highest, a text that is no number and null with the missing."""
    found = grouped(pl.Series([*range(1, 11)]), pl.Series(["1", "99", None, "?"]), 5)
    assert found.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 4, 5, 5]
    words = grouped(pl.Series(["a", "a", "b", "b", "c", None]), pl.Series(["d", "a"]), 3)
    assert words.tolist() == [0, 0, 1, 1, 2, 3, 2, 0]

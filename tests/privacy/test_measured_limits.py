"""Limits that are measured on the finished table, beside the original: linkage, intervals, rows left as they were."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import PlanError, UnsafeReleaseError
from paravent.privacy.promise import Evidence, Found, Limit
from paravent.privacy.risk.interval_disclosure import deviation_disclosure
from paravent.privacy.risk.perturbed import Perturbed
from paravent.privacy.risk.relinking import By, Relinking

GOLDEN = Path(__file__).parents[3] / "shared/data/golden/testdata.csv"


def found(limit: Limit, released: pl.DataFrame, original: pl.DataFrame, **more: object) -> Found:
    """A limit measured on a release whose rows stand as in the original, all columns quasi-identifiers."""
    kept = np.arange(released.height)
    return limit.measure(Evidence(released, original, kept, tuple(original.columns), (), **more))  # type: ignore[arg-type]


# Linkage


def plain_gap(released: object, original: object, spread: float) -> float:
    """Numbers in standard deviations, texts equal or not; whoever says nothing is near everybody who says nothing."""
    if released is None or original is None:
        return float((released is None) != (original is None))
    if isinstance(released, str):
        return float(released != original)
    return abs(float(released) - float(original)) / spread  # type: ignore[arg-type]


def plain_gaps(released: pl.DataFrame, original: pl.DataFrame) -> np.ndarray:
    """Row by row, original by original, column by column."""
    gaps = np.zeros((released.height, original.height, original.width))
    for j, name in enumerate(original.columns):
        known = [value for value in original[name] if value is not None]
        spread = float(np.std(known)) if known and not isinstance(known[0], str) else 1.0
        for i, ours in enumerate(released[name]):
            for o, theirs in enumerate(original[name]):
                gaps[i, o, j] = plain_gap(ours, theirs, spread or 1.0)
    return gaps


def plain_rate(score: np.ndarray, kept: Sequence[int]) -> float:
    """The expected share of right links where each row goes to the original with the highest score."""
    right = 0.0
    for row, own in zip(score, kept, strict=True):
        best = np.flatnonzero(row >= row.max() - 1e-9)
        right += (own in best) / len(best)
    return right / len(kept)


cells = st.tuples(*[st.sampled_from([0, 1, 2, 5, None])] * 2, *[st.sampled_from(["a", "b", "c", None])] * 2)


@given(st.lists(cells, min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_linkage_by_distance_pair_by_pair(rows: list[tuple[object, ...]], dice: object) -> None:
    """Missing cells stay missing; the released rows stand in another order, and not all of them are there."""
    schema = {"x": pl.Int64, "z": pl.String}
    original = pl.DataFrame({"x": [row[0] for row in rows], "z": [row[2] for row in rows]}, schema)
    kept = list(range(len(rows)))
    dice.shuffle(kept)  # type: ignore[attr-defined]
    kept = kept[: max(1, len(rows) - 1)]
    moved = {
        "x": [None if rows[o][0] is None else rows[i][1] if rows[i][1] is not None else 3 for i, o in enumerate(kept)],
        "z": [None if rows[o][2] is None else rows[i][3] or "d" for i, o in enumerate(kept)],
    }
    released = pl.DataFrame(moved, schema=original.schema)
    gaps = plain_gaps(released, original)
    for i, text in enumerate(moved["z"]):
        if text not in original["z"].to_list():  # what nobody has stands for those whom it was published for
            behind = {rows[o][2] for other, o in zip(moved["z"], kept, strict=True) if other == text}
            gaps[i, :, 1] = [float(value not in behind) for value in original["z"]]
    relinking = Relinking.of(released, original, np.array(kept), ["x", "z"])
    rate = relinking.relinked(np.arange(len(kept)), "distance").rate
    assert float(rate) == pytest.approx(plain_rate(-(gaps**2).sum(axis=2), kept), abs=1e-9)


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 20, 21, 50])] * 4), min_size=2, max_size=20))
def test_linkage_by_probability_pair_by_pair(rows: list[tuple[int, ...]]) -> None:
    original = pl.DataFrame({"x": [r[0] for r in rows], "y": [r[1] for r in rows]})
    released = pl.DataFrame({"x": [r[2] for r in rows], "y": [r[3] for r in rows]})
    gaps = plain_gaps(released, original)
    level = np.where(gaps <= 1e-9, 0, np.where(gaps <= 0.1 + 1e-9, 1, 2))
    kept = list(range(len(rows)))
    score = np.zeros(level.shape[:2])
    for j in range(2):
        for each in range(3):
            m = max(float(np.mean([level[i, i, j] == each for i in kept])), 1e-6)
            u = max(float((level[:, :, j] == each).mean()), 1e-6)
            score[level[:, :, j] == each] += log(m / u)
    relinking = Relinking.of(released, original, np.array(kept), ["x", "y"])
    rate = relinking.relinked(np.arange(len(kept)), "probability").rate
    assert float(rate) == pytest.approx(plain_rate(score, kept), abs=1e-9)


def test_linkage_is_what_the_release_adds_to_a_guess() -> None:
    """Of four rows, two are published as they are and two as their mean: 2 + 2 · ½ of 4 links are right. A guess is
    right once in four: (3/4 − 1/4) / (3/4)."""
    original, released = pl.DataFrame({"x": [0, 10, 50, 52]}), pl.DataFrame({"x": [0.0, 10.0, 51.0, 51.0]})
    assert found(pv.LinkageRisk(0.7), released, original).level == pytest.approx(2 / 3)
    assert found(pv.LinkageRisk(0.7), released, original).holds
    assert not found(pv.LinkageRisk(0.6), released, original).holds
    assert "a guess finds 25 %" in found(pv.LinkageRisk(0.7), released, original).words


def test_all_rows_alike_add_nothing_and_one_row_cannot_be_told() -> None:
    original = pl.DataFrame({"x": [1, 2, 3]})
    assert found(pv.LinkageRisk(0.0), pl.DataFrame({"x": [2.0] * 3}), original).level <= 1e-9 + 0.0
    alone = found(pv.LinkageRisk(0.5), pl.DataFrame({"x": [1]}), pl.DataFrame({"x": [1]}))
    assert (alone.level, alone.holds) == (1.0, False)


@pytest.mark.parametrize("by", ["distance", "probability"])
def test_labels_are_linked_to_those_whom_they_cover(by: str) -> None:
    """Ages 20 and 25 fit [20, 29], 40 fits itself, and * everybody: ½ + ½ + 1 + ¼ of four."""
    original = pl.DataFrame({"age": [20, 25, 40, 60]})
    released = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "40", "*"]})
    limit = pv.LinkageRisk(1, by=by)
    level = found(limit, released, original).level
    assert level == pytest.approx((Fraction(9, 16) - Fraction(1, 4)) / Fraction(3, 4))


def test_a_label_that_nobody_can_read_covers_whom_it_was_published_for() -> None:
    original = pl.DataFrame({"job": ["clerk", "smith", "nurse", "judge"]})
    released = pl.DataFrame({"job": ["works", "works", "nurse", "rules"]})
    assert found(pv.LinkageRisk(1), released, original).level == pytest.approx((3 / 4 - 1 / 4) / (3 / 4))


def test_a_number_beside_its_label_is_as_far_as_to_the_nearest_end() -> None:
    """Noise before intervals: 31 was published as [20, 29], which lies nearer to it than to 40."""
    original = pl.DataFrame({"age": [31, 40, 70]})
    released = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "[70, 79]"]})
    assert found(pv.LinkageRisk(1), released, original).level == pytest.approx((2 / 3 - 1 / 3) / (2 / 3))


def test_any_row_of_the_same_person_is_the_right_one() -> None:
    """Two visits of one person, swapped: each leads to the other visit, and so to the person."""
    original, released = pl.DataFrame({"x": [0, 10, 90]}), pl.DataFrame({"x": [10, 0, 50]})
    alone = Relinking.of(released, original, np.arange(3), ["x"]).relinked(np.arange(3), "distance")
    assert alone.rate == Fraction(1, 6)  # 50 is as near to 10 as to 90
    people = np.array([0, 0, 1])
    both = Relinking.of(released, original, np.arange(3), ["x"], persons=people).relinked(np.arange(3), "distance")
    assert (both.tried, both.rate) == (2, Fraction(3, 4))
    assert both.control == Fraction(2 + 1, 3 * 2)


@pytest.mark.parametrize("by", ["distance", "probability"])
def test_a_sample_of_rows_is_bounded_from_above(by: By) -> None:
    """Every other row is published as it is, the others say nothing: half the links are right, and the bound is not
    below that."""
    rng = np.random.default_rng(3)
    places = rng.permutation(6_000).astype(float)
    masked = np.where(np.arange(6_000) % 2 == 0, places, -1e6)
    original, released = pl.DataFrame({"x": places}), pl.DataFrame({"x": masked})
    relinking = Relinking.of(released, original, np.arange(6_000), ["x"])
    sampled = relinking.relinked(np.arange(6_000), by, most=500)
    assert (sampled.tried, sampled.everybody) == (500, False)
    assert 0.5 <= sampled.rate <= 0.6
    assert sampled.found < sampled.rate
    assert relinking.relinked(np.arange(6_000), by, most=500) == sampled
    words = found(pv.LinkageRisk(1, by=by), released, original).words
    assert "95% confidence (Clopper–Pearson)" in words


def test_rows_that_stand_for_suppressed_ones_are_not_tried() -> None:
    original = pl.DataFrame({"x": [1, 2, 3, 4]})
    released = pl.DataFrame({"x": ["1", "*", "*", "4"]})
    marked = np.array([False, True, True, False])
    assert "all 2 rows" in found(pv.LinkageRisk(1), released, original, marked=marked).words
    assert found(pv.HiddenFailure(1), released, original, marked=marked).level == 1


def test_rows_of_nobody_cannot_be_linked() -> None:
    frame = pl.DataFrame({"x": [1, 2]})
    evidence = Evidence(frame, frame, None, ("x",), ())
    for limit in (pv.LinkageRisk(1), pv.IntervalDisclosure(1, 1)):
        assert not limit.measure(evidence).holds
        assert np.isnan(limit.measure(evidence).level)
    assert pv.HiddenFailure(1).measure(evidence).level == 1


# Intervals


def test_intervals_by_hand() -> None:
    """The original's deviation is 4.11…, the published one's 4.55…, of which half is 2.27…. Off by 0, 1, 5 and 9."""
    original, released = pl.DataFrame({"x": [0, 4, 5, 10]}), pl.DataFrame({"x": [0, 5, 10, 1]})
    assert found(pv.IntervalDisclosure(0.5, 0.5), released, original).level == 0.5
    assert found(pv.IntervalDisclosure(0.5, 0.5), released, original).holds
    assert not found(pv.IntervalDisclosure(0.49, 0.5), released, original).holds
    assert found(pv.IntervalDisclosure(1, 1.2), released, original).level == 0.75


def test_the_larger_deviation_counts_and_the_worst_column() -> None:
    """Published all alike, the deviation of what is published is 0; that of the original still finds those near."""
    original = pl.DataFrame({"x": [0, 10, 20], "y": [1, 2, 3]})
    released = pl.DataFrame({"x": [10.0] * 3, "y": [1, 2, 3]})
    assert found(pv.IntervalDisclosure(1, 0.1, columns=["x"]), released, original).level == pytest.approx(1 / 3)
    everything = found(pv.IntervalDisclosure(1, 0.1), released, original)
    assert everything.level == 1
    assert "'y' 100 %, the most of any column" in everything.words


def test_labels_count_as_their_middle_and_silent_cells_disclose_nothing() -> None:
    original = pl.DataFrame({"age": [24, 29, 40, 60, None]})
    released = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "40", "*", None]})
    # The middle of what [20, 29] covers, 24 and 29, is 26.5: neither is within a tenth of about 16 years; 40 is.
    assert found(pv.IntervalDisclosure(1, 0.1), released, original).level == 0.25


def test_intervals_by_rank() -> None:
    """100 values; an original 3 places away is inside where the interval reaches 3 % of the rows. 97 of them are: the
    last three lie at the other end."""
    original, released = pl.DataFrame({"x": [(i + 3) % 100 for i in range(100)]}), pl.DataFrame({"x": range(100)})
    assert found(pv.IntervalDisclosure(1, 0.03, by="rank"), released, original).level == pytest.approx(0.97)
    assert found(pv.IntervalDisclosure(1, 0.029, by="rank"), released, original).level == 0


@pytest.mark.skipif(not GOLDEN.exists(), reason="needs ../shared/data/golden")
def test_the_risk_that_another_tool_finds_after_microaggregation() -> None:
    """sdcMicro's dRisk of three numbers after MDAV with k = 3: 0.129476, all numbers of a row together. One by one, and
    by the larger deviation, no less is disclosed."""
    names = ["expend", "income", "savings"]
    table = pl.read_csv(GOLDEN, infer_schema_length=None).select(names)
    plan = pv.Plan({name: pv.Quasi() for name in names}, [pv.KAnonymity(3), pv.IntervalDisclosure(0.6, 0.05)])
    release = pv.anonymize(table, plan.replace(method=pv.methods.MDAV()))
    assert release.kept is not None
    theirs = deviation_disclosure(Perturbed.of(table[release.kept], release.frame), 0.05)
    assert theirs.rows == pytest.approx(0.129476, abs=5e-7)
    assert max(theirs.by_column.values()) <= release.verdict.levels["privacy.interval.deviation"] <= 0.6


# Rows left as they were


def test_rows_left_as_they_were() -> None:
    original = pl.DataFrame({"age": [20, 30, 40, None], "weight": [50.0, 60.5, 70.0, 80.0], "sex": list("fmfm")})
    released = pl.DataFrame(
        {
            "age": ["20", "[30, 39]", "40.0", None],
            "weight": ["50", "60.5", "70.0", "80"],
            "sex": ["f", "m", "f", "m"],
        }
    )
    assert found(pv.HiddenFailure(0.75), released, original).level == 0.75
    assert found(pv.HiddenFailure(0.75), released, original).holds
    assert not found(pv.HiddenFailure(0.74), released, original).holds
    assert found(pv.HiddenFailure(1, columns=["sex"]), released, original).level == 1


# In a plan


PEOPLE = pl.DataFrame({"age": [31, 32, 38, 39, 45, 47], "pay": [1.0, 2, 3, 4, 5, 6], "sex": ["f", "m"] * 3})
ROLES = {"age": pv.Quasi(), "sex": pv.Quasi(), "pay": pv.Sensitive()}
LIMITS: list[Limit] = [
    pv.LinkageRisk(0.9),
    pv.LinkageRisk(0.9, by="probability", columns=["age"]),
    pv.IntervalDisclosure(0.5, 0.05, columns=("age",)),
    pv.HiddenFailure(0.1),
]


def test_a_plan_with_limits_is_the_same_as_file_and_as_python(tmp_path: Path) -> None:
    plan = pv.Plan(ROLES, [pv.KAnonymity(2), *LIMITS], pv.methods.MDAV())
    plan.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == plan
    assert eval(repr(plan), {"pv": pv}) == plan
    release = pv.anonymize(PEOPLE, plan)
    assert [check.promise.known_by for check in release.verdict.checks] == ["derived"] + ["measured"] * 4
    assert set(release.verdict.levels) == {"privacy.k", *(limit.key for limit in LIMITS)}


def test_one_limit_suffices_in_the_short_form() -> None:
    assert pv.anonymize(PEOPLE, quasi=["age"], sensitive=["pay"], insensitive=["sex"], k=3, protect=pv.HiddenFailure(0))


def test_what_a_limit_finds_too_much_of_is_not_released() -> None:
    plan = pv.Plan(ROLES, [pv.KAnonymity(1), pv.HiddenFailure(0.1)])
    with pytest.raises(UnsafeReleaseError, match=r"at most 0\.1 of the rows left as they were fails"):
        pv.anonymize(PEOPLE, plan)


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        (lambda: pv.LinkageRisk(1.1), "LinkageRisk: share must be a number from 0 to 1"),
        (lambda: pv.LinkageRisk(0.1, by="luck"), "by must be one of distance, probability"),
        (lambda: pv.LinkageRisk(0.1, columns=[]), "columns must name different columns"),
        (lambda: pv.LinkageRisk(0.1, columns=["agee"]), "no column 'agee' is released. Did you mean 'age'"),
        (lambda: pv.IntervalDisclosure(0.1, 0), "width must be a positive number"),
        (lambda: pv.IntervalDisclosure(0.1, 2, by="rank"), "width must be a number above 0 and at most 1"),
        (lambda: pv.IntervalDisclosure(0.1, 1, columns=["sex"]), "column 'sex' holds no numbers or dates"),
        (lambda: pv.HiddenFailure(0.1, columns=["name"]), "no column 'name' is released"),
    ],
)
def test_a_limit_that_cannot_be_meant_gets_a_sentence(limit: object, sentence: str) -> None:
    table = PEOPLE.with_columns(name=pl.Series(list("uvwxyz")))
    with pytest.raises(PlanError, match=sentence):
        pv.anonymize(table, pv.Plan({**ROLES, "name": pv.Identifier()}, [pv.KAnonymity(2), limit()]))  # type: ignore[operator]


def test_a_limit_needs_something_to_compare() -> None:
    words = pl.DataFrame({"job": ["a", "a", "b", "b"]})
    with pytest.raises(PlanError, match="no quasi-identifier or sensitive column holds numbers"):
        pv.anonymize(words, pv.Plan({"job": pv.Quasi()}, [pv.KAnonymity(2), pv.IntervalDisclosure(0.1, 1)]))


def test_a_limit_compares_with_the_original_whatever_treatments_made_of_it() -> None:
    """Ages above 40 are published as >40: two of six, who are known to be two of those above. The other four ages are
    published as they are, and found."""
    plan = pv.Plan(
        {"age": pv.Quasi()},
        [pv.LinkageRisk(1), pv.IntervalDisclosure(1, 0.01, columns=["age"])],
        pv.methods.AsIs(),
        treat=[pv.treatments.TopCode("age", above=40)],
    )
    levels = pv.anonymize(PEOPLE.select("age"), plan).verdict.levels
    assert levels["privacy.linkage.distance"] == pytest.approx((5 / 6 - 1 / 6) / (5 / 6))
    assert levels["privacy.interval.deviation"] == pytest.approx(4 / 6)


def test_a_release_brings_the_original_along() -> None:
    """Whoever has the Release can measure its limits again; a file says that it cannot be told."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"wage": rng.normal(2000, 300, 60), "ill": rng.choice(["a", "b"], 60)})
    plan = pv.Plan(
        {"wage": pv.Quasi(), "ill": pv.Sensitive()},
        [pv.LinkageRisk(0.9)],
        treat=[pv.treatments.Noise("wage", scale=2.0)],
        person=None,
    )
    release = pv.anonymize(frame, plan)
    assert pv.verify(release, plan)
    assert pv.verify(release, plan).levels == release.verdict.levels
    verdict = pv.verify(release.frame, plan)
    assert not verdict
    assert "cannot be told without the original" in str(verdict)


def test_columns_of_another_table_cannot_be_compared_row_by_row() -> None:
    """Anatomy publishes the diseases beside the quasi-identifiers: whether a row was left as it was cannot be told."""
    table = pl.DataFrame({"age": [20, 30, 40, 50], "ill": ["flu", "cold", "flu", "cold"]})
    roles = {"age": pv.Quasi(), "ill": pv.Sensitive()}
    limit = pv.HiddenFailure(1, columns=["ill"])
    plan = pv.Plan(roles, [pv.LDiversity(2, "ill"), limit], method=pv.methods.Anatomy(2))
    with pytest.raises(UnsafeReleaseError, match="column 'ill' is not in the first table"):
        pv.anonymize(table, plan)


def test_a_star_covers_whose_cell_was_missing_too() -> None:
    """A row that says nothing is linked to any of the three originals, and right for one of them each time."""
    original, released = pl.DataFrame({"age": [20, 30, None]}), pl.DataFrame({"age": ["*", "*"]})
    relinking = Relinking.of(released, original, np.array([0, 2]), ["age"])
    assert [relinking.chance(row, "distance") for row in range(2)] == [Fraction(1, 3), Fraction(1, 3)]

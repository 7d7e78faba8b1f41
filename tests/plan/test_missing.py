"""What missing values mean, in each of four ways."""

from __future__ import annotations

import datetime

import polars as pl
import pytest

import paravent as pv
from paravent.plan.encode import MISSING_LABEL, encode


def table(*cells: object) -> pv.Table:
    return pv.read(pl.DataFrame({"q": list(cells), "s": [f"s{i % 3}" for i in range(len(cells))]}))


def plan(meaning: str | None = None, **more) -> pv.Plan:
    return pv.Plan({"q": pv.Quasi(missing=meaning), "s": pv.Sensitive()}, pv.KAnonymity(2), order="source", **more)


def test_silence_is_refused() -> None:
    with pytest.raises(pv.PlanError, match=r"columns.q: the column has 2 missing values.*'own value', 'wildcard'"):
        pv.anonymize(table(1, None, 2, None), plan())


def test_a_silent_plan_is_fine_where_nothing_is_missing() -> None:
    assert pv.anonymize(table(1, 1, 2, 2), plan()).verdict


def test_own_value_is_published_as_itself() -> None:
    release = pv.anonymize(table(1, 1, None, None, 2, 2), plan("own value"))
    assert release.frame["q"].cast(str).to_list() == ["1", "1", MISSING_LABEL, MISSING_LABEL, "2", "2"]
    assert release.provenance["missing"] == {"q": {"missing": 2, "meaning": "own value"}}


@pytest.mark.parametrize("cells", [(1, 2, 3, None), ("a", "b", "c", None), (0.5, 1.5, 2.5, None)])
def test_own_value_and_others_share_only_the_root_or_a_set(cells: tuple) -> None:
    release = pv.anonymize(table(*cells), plan("own value").replace(protect=[pv.KAnonymity(4)]))
    (label,) = set(release.frame["q"].cast(str))
    assert label == "*" or (label.startswith("{") and MISSING_LABEL in label)


def test_wildcard_stays_missing_and_the_strict_k_is_told() -> None:
    release = pv.anonymize(table(1, 1, 2, 2, None), plan("wildcard"))
    assert release.frame["q"].to_list()[-1] is None
    assert release.frame["q"].null_count() == 1
    assert release.verdict.levels["privacy.k"] >= 2
    assert release.verdict.strict_k == 1
    assert not pv.verify(release.frame, plan("own value"))
    assert pv.verify(release.frame, plan("wildcard"))


def test_drop_rows_is_counted() -> None:
    release = pv.anonymize(table(1, None, 1, 2, None, 2), plan("drop rows"))
    assert release.kept.tolist() == [0, 2, 3, 5]
    assert release.frame["s"].to_list() == ["s0", "s2", "s0", "s2"]
    assert release.provenance["rows"]["dropped_for_missing"] == 2
    assert release.provenance["missing"]["q"]["rows_dropped"] == 2
    assert release.measure()["rows.suppressed"] == 2


def test_dropping_every_row_is_refused() -> None:
    with pytest.raises(pv.InfeasibleError, match="every row"):
        pv.anonymize(table(None, None), plan("drop rows"))


@pytest.mark.parametrize(
    ("cells", "stand_in"),
    [
        ((1, 2, 9, 10, None), "2"),  # the lower median
        ((1, 2, 3, None), "2"),
        ((0.5, 7.5, None), "0.5"),
        (("b", "b", "a", None), "b"),
        (("b", "a", None), "a"),  # the first of equally frequent values
        ((datetime.date(2020, 1, 1), datetime.date(2021, 1, 1), datetime.date(2023, 1, 1), None), "2021-01-01"),
    ],
)
def test_impute(cells: tuple, stand_in: str) -> None:
    (axis,) = encode(table(*cells), plan("impute"))
    assert axis.values[axis.codes[-1]] == stand_in


def test_impute_an_ordinal_column() -> None:
    grades = table("low", "high", "mid", "high", None).with_kinds({"q": ("low", "mid", "high")})
    (axis,) = encode(grades, plan("impute"))
    assert axis.values == ("low", "mid", "high")
    assert axis.values[axis.codes[-1]] == "mid"


@pytest.mark.parametrize("meaning", ["own value", "wildcard"])
def test_a_column_with_nothing_in_it(meaning: str) -> None:
    release = pv.anonymize(table(None, None, None), plan(meaning))
    cells = release.frame["q"].cast(str).to_list()
    assert cells == [None] * 3 if meaning == "wildcard" else len(set(cells)) == 1


def test_missing_sensitive_values() -> None:
    frame = pl.DataFrame({"q": [1, 1, 1, 1], "s": ["a", "a", None, None]})
    demand = pv.Plan({"q": pv.Quasi(), "s": pv.Sensitive()}, [pv.LDiversity(2, "s")], order="source")
    with pytest.raises(pv.PlanError, match=r"columns.s: a model judges this column"):
        pv.anonymize(frame, demand)
    with pytest.raises(pv.PlanError, match=r"columns.s"):
        pv.anonymize(frame, demand.replace(missing="impute"))
    assert pv.anonymize(frame, demand.replace(missing="own value")).frame["s"].to_list() == ["a", "a", None, None]
    with pytest.raises(pv.InfeasibleError, match="l of at most 1"):
        pv.anonymize(frame, demand.replace(missing="drop rows"))
    unjudged = demand.replace(protect=[pv.KAnonymity(2)])
    assert pv.anonymize(frame, unjudged).frame["s"].to_list() == ["a", "a", None, None]


@pytest.mark.parametrize("value", ["*", "{a, b}", "a~b"])
def test_values_that_read_like_labels_are_refused(value: str) -> None:
    with pytest.raises(pv.PlanError, match=r"columns.q: the value .* Rename it"):
        pv.anonymize(table("a", "b", value, "c"), plan())


def test_a_value_that_reads_like_the_missing_label() -> None:
    with pytest.raises(pv.PlanError, match="sign for a missing value"):
        pv.anonymize(table("a", MISSING_LABEL, None), plan("own value"))
    assert pv.anonymize(table("a", MISSING_LABEL, None), plan("wildcard")).verdict


def test_harmless_signs_pass() -> None:
    assert pv.anonymize(table("x~y", "{", "a", "a"), plan()).verdict


def test_infinite_numbers_are_refused() -> None:
    with pytest.raises(pv.PlanError, match=r"columns.q: the column holds infinite"):
        pv.anonymize(table(1.0, float("inf"), 2.0), plan())


def test_what_is_dropped_does_not_change_what_is_measured() -> None:
    # The dropped row would shift the median that is imputed, and its value is one that the tree refuses.
    frame = pl.DataFrame(
        {"q": [1, 2, 3, None, 99, 99, 99], "p": ["a", "b", "a", "b", None, None, None], "s": ["x"] * 7}
    )
    wanted = pv.Plan(
        {"q": pv.Quasi(pv.groups({"low": ["1", "2", "3"]}), missing="impute"), "p": pv.Quasi(missing="drop rows")},
        pv.KAnonymity(2),
    )
    release = pv.anonymize(frame, wanted)
    (axis, _) = release.axes
    assert axis.values == ("1", "2", "3")
    assert [axis.values[code] for code in axis.codes[:4]] == ["1", "2", "3", "2"]
    assert release.measure()["rows.suppressed"] == 3
    assert dict(pv.measure(frame, release.frame, wanted))["utility.gcp"] == release.measure()["utility.gcp"]


def test_nothing_to_impute_from() -> None:
    """The one value of a column may go with a row that another column drops: impute does not become own value."""
    with pytest.raises(pv.PlanError, match="nothing to impute"):
        pv.anonymize(table(None, None, None), plan("impute"))
    frame = pl.DataFrame({"age": [None, None, 1], "zip": ["a", "a", None]}, schema={"age": pl.Int64, "zip": pl.String})
    demand = pv.Plan({"age": pv.Quasi(), "zip": pv.Quasi(missing="drop rows")}, pv.KAnonymity(2), missing="impute")
    with pytest.raises(pv.PlanError, match="nothing to impute"):
        pv.anonymize(frame, demand)


def test_values_that_are_imputed_count_where_groups_are_made_by_frequency() -> None:
    """The most frequent value takes the missing ones: z is ten of thirteen, a group of its own beside the three."""
    frame = pl.DataFrame({"town": ["w", "x", "y", "z", "z", *[None] * 8]})
    role = pv.Quasi(pv.by_frequency(2), missing="impute")
    (axis,) = encode(pv.read(frame), pv.Plan({"town": role}, [pv.KAnonymity(1)], person=None))
    assert axis.tree is not None
    group = dict(zip(axis.values, axis.tree.levels[1].codes.tolist(), strict=True))
    assert group["w"] == group["x"] == group["y"] != group["z"]

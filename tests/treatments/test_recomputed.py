"""What coding must give is worked out anew from the plan: a treatment that labels wrongly, always alike, is refused."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.errors import UnsafeReleaseError
from paravent.treatments import BottomCode, Mask, Recode, Round, TopCode, Treatment
from paravent.treatments.treatment import Treated, Work

from .plans import released

AGES = pl.DataFrame({"v": [10, 20, 30, 41, 42, 43, 44, 45, None, 60]})
PAY = pl.DataFrame({"v": [0.5, 1.25, 2.5, 7.75, 9.0, 9.5, 3.25, None, float("nan"), 4.0]})
DAYS = pl.DataFrame({"v": [date(2020, 1, 1), date(2021, 6, 1), None, date(2024, 2, 29), date(2024, 3, 1)] * 2})
WORDS = pl.DataFrame({"v": ["alpha", "beta", None, "gamma", "gamma", "delta", "be", "", "b", "epsilon"]})

GOOD: list[tuple[Treatment, pl.DataFrame]] = [
    (TopCode("v", above=40), AGES),
    (TopCode("v", above=40, replace="limit"), AGES),
    (TopCode("v", above=40, replace="mean"), AGES),
    (TopCode("v", above=40, label="old"), AGES),
    (TopCode("v", share=0.3), AGES),
    (TopCode("v", above=2.5), PAY),
    (TopCode("v", above="2023-12-31"), DAYS),
    (TopCode("v", above="2021-01-01", replace="mean"), DAYS),
    (BottomCode("v", below=20), AGES),
    (BottomCode("v", share=0.5, replace="limit"), PAY),
    (Recode("v", width=15), AGES),
    (Recode("v", width=0.1), PAY),
    (Recode("v", groups=3, by="width"), PAY),
    (Recode("v", groups=3), AGES),
    (Recode("v", groups=2), DAYS),
    (Recode("v", breaks=(20, 41, 44)), AGES),
    (Recode("v", breaks=("2021-01-01", "2024-02-29")), DAYS),
    (Recode("v", breaks=(0, 35, 90), labels=("young", "old")), AGES),
    (Recode("v", mapping={"alpha": "a", "gamma": "c"}, other="x"), WORDS),
    (Recode("v", tree=pv.intervals(10, 20), level=2), AGES),
    (Recode("v", tree=pv.prefixes(), level=2), WORDS.filter(pl.col("v") != "")),
    (Round("v", base=10), AGES),
    (Round("v", base=0.25), PAY),
    (Mask("v", first=1, last=2), WORDS),
    (Mask("v", last=4, sign="#"), WORDS),
]


@pytest.mark.parametrize(("treatment", "frame"), GOOD, ids=[repr(treatment) for treatment, _ in GOOD])
def test_what_is_asked_is_released(treatment: Treatment, frame: pl.DataFrame) -> None:
    assert released(treatment, frame).frame.height == frame.height


WRONG: list[tuple[Treatment, pl.DataFrame, dict[Any, Any]]] = [
    (TopCode("v", above=40), AGES, {">40": ">38"}),
    (TopCode("v", above=40, replace="limit"), AGES, {40: 38}),
    (TopCode("v", above=40, replace="mean"), AGES, {45.833333333333336: 45.0}),
    (TopCode("v", above=40, label="old"), AGES, {"old": "aged"}),
    (TopCode("v", above="2023-12-31"), DAYS, {">2023-12-31": ">2023-12-30"}),
    (BottomCode("v", below=20), AGES, {"<20": "<2"}),
    (Recode("v", width=15), AGES, {"[30, 45[": "[30, 46["}),
    (Recode("v", groups=3, by="width"), PAY, {"[0, 5[": "[0, 5.5["}),
    (Recode("v", groups=3), AGES, {"[10, 30]": "[20, 30]"}),
    (Recode("v", breaks=(20, 41, 44)), AGES, {"<20": "<21"}),
    (Recode("v", breaks=(20, 41, 44)), AGES, {"[41, 44]": "[40, 44]"}),
    (Recode("v", breaks=(0, 35, 90), labels=("young", "old")), AGES, {"young": "old", "old": "young"}),
    (Recode("v", mapping={"alpha": "a", "gamma": "c"}, other="x"), WORDS, {"a": "c", "c": "a"}),
    (Recode("v", tree=pv.intervals(10, 20), level=2), AGES, {"[40, 60[": "[40, 50["}),
    (Round("v", base=10), AGES, {40: 44}),
    (Mask("v", last=4, sign="#"), WORDS, {"a####": "al###"}),
]


@pytest.mark.parametrize(("treatment", "frame", "wrong"), WRONG, ids=[repr(treatment) for treatment, *_ in WRONG])
def test_a_wrong_label_is_refused_even_where_it_is_always_the_same(
    treatment: Treatment, frame: pl.DataFrame, wrong: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = type(treatment).run

    def relabelled(self: Treatment, work: Work) -> Treated:
        from dataclasses import replace

        found = right(self, work)
        cells = found.cells["v"].cells  # type: ignore[attr-defined]
        assert set(wrong) & set(cells.to_list()), cells.to_list()
        other = replace(found.cells["v"], cells=cells.replace(wrong))  # type: ignore[type-var]
        return replace(found, cells={"v": other}, orders={})

    monkeypatch.setattr(type(treatment), "run", relabelled)
    with pytest.raises(UnsafeReleaseError, match=r"column 'v': .*Nothing is released"):
        released(treatment, frame)


def test_a_limit_that_is_not_that_of_the_share_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of nine values 30 % are two: those above 44 are coded, and not those above 43."""
    treatment = TopCode("v", share=0.3)
    assert set(released(treatment, AGES).frame["v"]) >= {"44", ">44"}
    monkeypatch.setattr(TopCode, "_limit", lambda *_: 43)
    with pytest.raises(UnsafeReleaseError, match="not what TopCode is asked to make of its value"):
        released(treatment, AGES)

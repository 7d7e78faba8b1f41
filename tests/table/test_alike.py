"""Values that look alike are one value to a reader: found, named and folded by one documented rule."""

from __future__ import annotations

import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.table.alike import differ_in, fold, folded, look_alikes, one_spelling

FLU = ["flu", "Flu", "FLU", " flu", "flu ", "f\u200blu", "flu\ufeff", "f\u00adlu", "\uff46\uff4c\uff55", "flu\u00a0"]


@pytest.mark.parametrize("spelling", FLU)
def test_all_spellings_of_flu_are_one(spelling: str) -> None:
    assert fold(spelling) == "flu"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u00e9t\u00e9", "e\u0301te\u0301"),
        ("Straße", "STRASSE"),
        ("heart  attack", "Heart\u2003attack"),
        ("\u212bngström", "\u00c5ngstro\u0308m"),
        ("A\ufe0f", "a"),
    ],
)
def test_other_pairs(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("flu", "flue"), ("a", "\u0430"), ("a b", "ab"), ("e", "é"), ("1", "01")])
def test_what_does_not_look_the_same_stays_apart(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(st.text(max_size=12))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    once = fold(text)
    assert fold(once) == once
    assert fold(unicodedata.normalize("NFD", text)) == once
    assert fold(f"  {text}\u200b ") == once


def test_groups_and_how_they_differ() -> None:
    assert look_alikes(["flu", "cold", "Flu", "cold"]) == [("Flu", "flu")]
    assert look_alikes(["flu", "cold"]) == []
    assert differ_in(("Flu", "flu")) == "capitals"
    assert differ_in(("flu", "flu ")) == "blanks"
    assert differ_in(("e\u0301", "\u00e9")) == "how accents or signs are encoded"
    assert "several" in differ_in(("Flu ", "flu"))


def test_the_tidy_and_frequent_spelling_stands_for_all() -> None:
    assert one_spelling({"flu": 3, "Flu": 9, "flu ": 50}) == {"flu": "Flu", "Flu": "Flu", "flu ": "Flu"}
    assert one_spelling({"b": 1, "a": 1}) == {}


def test_columns_of_every_text_type() -> None:
    for cells in (
        pl.Series("^x$", ["Flu", "flu", None]),
        pl.Series("*", ["Flu", "flu", None], dtype=pl.Categorical),
        pl.Series("c", ["Flu", "flu", None], dtype=pl.Enum(["flu", "Flu", "never"])),
    ):
        assert folded(cells).to_list() == ["flu", "flu", None]
    numbers = pl.Series([1, 2])
    assert folded(numbers) is numbers
    assert folded(pl.Series([None, None], dtype=pl.String)).to_list() == [None, None]

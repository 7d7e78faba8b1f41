"""Arguments are held against the annotations of what they are given to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.arguments import Checked, check_call, fits, shown, words


@pytest.mark.parametrize(
    ("value", "hint", "fit"),
    [
        (3, int, True),
        (np.int64(3), int, True),
        (True, int, False),
        (3.0, int, False),
        (3, float, True),
        (10**400, float, False),
        (Fraction(1, 2), float, False),
        (float("nan"), float, True),
        (None, int | None, True),
        ("a", Literal["a", "b"], True),
        (1, Literal["1"], False),
        (True, Literal[0, 1], False),
        ("age", Sequence[str], False),
        (["age", 1], Sequence[str], False),
        (range(3), Sequence[int], True),
        ([1, 2], tuple[int, ...], True),
        (1, tuple[int, ...], True),
        ((1, "x"), tuple[int, str], True),
        ((1,), tuple[int, str], False),
        ({"a": 1}, Mapping[str, int], True),
        ({"a": "1"}, Mapping[str, int], False),
        ([("a", 1)], Mapping[str, int], False),
        (iter("ab"), Iterable[int], True),  # it is not used up
        ("ab", Iterable[str], False),
        (len, Callable[[Any], int], True),
        (Path("x"), str | os.PathLike[str] | None, True),
        ("a\0b", str | os.PathLike[str], False),
        ("\ud800", str | os.PathLike[str], False),
        ("a" * 300, str | os.PathLike[str], False),
        (b"x", str | os.PathLike[str], False),
        (pl.DataFrame(), pl.DataFrame, True),
        (object(), Any, True),
    ],
)
def test_what_fits(value: object, hint: Any, fit: bool) -> None:
    assert fits(value, hint) is fit


def test_words() -> None:
    assert words(Mapping[str, int]) == "a mapping of texts to whole numbers"
    assert words(int | None) == "a whole number or None"
    assert words(pl.DataFrame) == "a DataFrame"
    assert words(pv.Plan | str | os.PathLike[str]) == "a pv.Plan or a path"
    assert words(pv.Quasi.__mro__[1]) == "a role such as pv.Quasi()"
    assert words(Callable[[int], int]) == "a function"


def test_a_value_is_shown_in_one_short_line() -> None:
    for value in (
        pl.DataFrame({"a": [1, 2]}),
        np.zeros((3, 3)),
        "x" * 500,
        10**4000,
        [object()],
        {"a": pl.Series([1])},
    ):
        assert "\n" not in shown(value)
        assert len(shown(value)) < 80


@dataclass(frozen=True)
class Parent(Checked):
    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 1:
            raise pv.PlanError("Parent: size must be positive.")


@dataclass(frozen=True)
class Child(Parent):
    names: tuple[str, ...] = ()


def test_fields_are_checked_before_their_values_are() -> None:
    with pytest.raises(pv.PlanError, match=r"^Child: size must be a whole number, not 'x'\.$"):
        Child("x")  # type: ignore[arg-type]
    with pytest.raises(pv.PlanError, match=r"^Child: names must be a list of texts, not a list\.$"):
        Child(1, [1])  # type: ignore[arg-type]
    with pytest.raises(pv.PlanError, match="must be positive"):
        Child(0)


def takes(first: int, *rest: str, table: pv.Table | None = None, **more: float) -> None:
    check_call(takes, locals(), pv.TableError)


def test_every_argument_of_a_call_is_checked() -> None:
    takes(1, "a", "b", x=0.5)
    for call in (
        lambda: takes("1"),  # type: ignore[arg-type]
        lambda: takes(1, 2),  # type: ignore[arg-type]
        lambda: takes(1, table=3),  # type: ignore[arg-type]
        lambda: takes(1, x="y"),  # type: ignore[arg-type]
    ):
        with pytest.raises(pv.TableError, match=r"^takes: (first|rest|table|more) must be "):
            call()


def test_an_endless_message_keeps_its_beginning_and_its_remedy() -> None:
    error = pv.PlanError("k: must be small, not " + "9" * 5000 + ". Ask for less.")
    assert str(error).startswith("k: must be small")
    assert str(error).endswith("Ask for less.")
    assert len(str(error)) < 800

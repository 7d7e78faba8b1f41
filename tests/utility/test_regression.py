"""utility.regression: how well the mean of a class tells a number, by hand."""

from __future__ import annotations

import polars as pl
import pytest

import paravent as pv

PEOPLE = pl.DataFrame(
    {
        "age": [20, 20, 40, 40, 40, 60],
        "pay": [10.0, 14.0, 30.0, 30.0, 36.0, 60.0],
        "job": ["cook", "cook", "clerk", "clerk", "cook", "clerk"],
    }
)


def released(**changes: object) -> pv.Release:
    """Ages as they are; the one who is 60 is alone and suppressed."""
    plan = pv.Plan(
        {"age": pv.Quasi(pv.flat()), "pay": pv.Insensitive(), "job": pv.Sensitive()},
        pv.KAnonymity(2),
        pv.methods.Filter(levels={}),
        suppression=0.2,
    )
    return pv.anonymize(PEOPLE, plan.replace(**changes))


def test_each_is_guessed_by_the_others_of_the_class() -> None:
    """Guesses: 14, 10; 33, 33, 30; and the mean of all, 30, for the one who is suppressed.

    Errors: 16 + 16 + 9 + 9 + 36 + 900. From the mean: 400 + 256 + 0 + 0 + 36 + 900.
    """
    found = released().measure("regression", target="pay")
    assert found["utility.regression.pay"] == pytest.approx(986 / 1592)


def test_one_class_tells_a_little_less_than_nothing() -> None:
    """Whoever is left out of the mean is further from it: by 6 / 5, so that errors grow by 36 / 25."""
    one = released(method=pv.methods.Filter(levels={"age": "top"}))
    assert one.measure("regression", target="pay")["utility.regression.pay"] == pytest.approx(36 / 25)


def test_what_cannot_be_guessed_says_why() -> None:
    release = released()
    assert "holds no numbers" in release.measure("regression", target="job").absent["utility.regression.job"]
    with pytest.raises(pv.PlanError, match="Did you mean 'pay'"):
        release.measure("regression", target="pya")
    with pytest.raises(pv.PlanError, match="needs a column of numbers"):
        release.measure("regression")


def test_one_number_alone_is_nothing_to_guess() -> None:
    same = PEOPLE.with_columns(pay=pl.lit(7.0))
    found = pv.anonymize(same, released().plan).measure("regression", target="pay")
    assert "one number alone" in found.absent["utility.regression.pay"]

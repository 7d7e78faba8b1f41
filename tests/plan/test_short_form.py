"""Columns and models named in the place of a plan mean the plan that somebody would have written."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.cli.plan_options import PlanOptions
from paravent.plan.short_form import ShortForm, plan_of

FRAME = pl.DataFrame(
    {
        "name": [f"P{i}" for i in range(40)],
        "age": [20 + i % 9 for i in range(40)],
        "zip": [f"1{i % 4}000" for i in range(40)],
        "disease": ["flu", "cold", "ulcer", "asthma", "flu"] * 8,
    }
)


def test_the_short_form_of_anonymize_is_a_plan() -> None:
    release = pv.anonymize(FRAME, identifiers=["name"], quasi=["zip", "age"], sensitive=["disease"], k=5, l=2)
    plan = pv.Plan(
        {"name": pv.Identifier(), "age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Sensitive()},
        [pv.KAnonymity(5), pv.LDiversity(2, "disease")],
    )
    assert release.plan == plan
    assert list(release.plan.columns) == FRAME.columns  # the order of the table, whatever the order of words
    assert release.frame.equals(pv.anonymize(FRAME, plan).frame)


def test_the_short_form_takes_everything_that_a_plan_takes() -> None:
    release = pv.anonymize(
        FRAME,
        quasi={"age": pv.intervals(5, 10), "zip": pv.Quasi(pv.prefixes(), weight=2.0)},
        identifiers={"name": pv.Identifier("random")},
        sensitive="disease",
        k=4,
        t=0.9,
        protect=pv.MaximumRisk(0.5),
        method=pv.methods.Incognito(),
        suppression=0.1,
        suppressed="mark",
        seed=7,
        about=pv.About(responsible="Ada Byron"),
    )
    assert release.plan == pv.Plan(
        {
            "name": pv.Identifier("random"),
            "age": pv.Quasi(pv.intervals(5, 10)),
            "zip": pv.Quasi(pv.prefixes(), weight=2.0),
            "disease": pv.Sensitive(),
        },
        [pv.KAnonymity(4), pv.TCloseness(0.9, "disease"), pv.MaximumRisk(0.5)],
        pv.methods.Incognito(),
        suppression=0.1,
        suppressed="mark",
        seed=7,
        about=pv.About(responsible="Ada Byron"),
    )


def test_the_short_form_of_verify() -> None:
    released = pl.DataFrame({"age": ["20-29"] * 5 + ["30-39"] * 5, "disease": ["flu", "cold"] * 5})
    assert pv.verify(released, quasi=["age"], k=5)
    assert not pv.verify(released, quasi=["age"], k=6)
    assert pv.verify(released, quasi="age", sensitive="disease", k=5, l=2)
    assert not pv.verify(released, quasi="age", sensitive="disease", l=3)
    with pytest.raises(pv.TableError, match="no column 'agee'"):
        pv.verify(released, quasi=["agee"], k=5)


def test_the_command_line_means_the_same_plan() -> None:
    options = PlanOptions(
        quasi=["zip,age"], sensitive=["disease"], identifier=["name"], tree=["age=intervals(5, 10)"], k=5, l=2.0, t=0.9,
        suppression=0.1, responsible="Ada Byron", purpose="teaching",
    )  # fmt: skip
    said: ShortForm = {
        "quasi": {"zip": None, "age": pv.intervals(5, 10)},
        "sensitive": ["disease"],
        "identifiers": ["name"],
        "k": 5,
        "l": 2,
        "t": 0.9,
        "suppression": 0.1,
        "about": pv.About(responsible="Ada Byron", purpose="teaching"),
    }
    assert options.to_plan(lambda: FRAME.columns) == plan_of(said, FRAME.columns)


@pytest.mark.parametrize(
    ("wished", "sentence"),
    [
        ({"k": 5}, "Name them with quasi="),
        ({"quasi": ["age"]}, "Ask for it, for example with k=5"),
        ({"quasi": ["agee"], "k": 5}, "quasi=: the table has no column 'agee'. Did you mean 'age'"),
        ({"quasi": ["age", "age"], "k": 5}, "quasi=: column 'age' is named twice"),
        ({"quasi": ["age"], "sensitive": ["age"], "k": 5}, "sensitive=: column 'age' has a role already"),
        ({"quasi": ["age"], "k": 5, "l": 2}, "l= speaks of sensitive values"),
        ({"quasi": ["age"], "k": 5, "t": 0.2}, "t= speaks of sensitive values"),
        ({"quasi": ["age"], "kk": 5}, "there is no kk="),
        ({"quasi": 5, "k": 5}, "quasi=: must name columns"),
        ({"quasi": [5], "k": 5}, "quasi=: must name columns by text"),
        ({"quasi": ["age"], "sensitive": {"disease": 3}, "k": 5}, "'disease' must be pv.Sensitive"),
        ({"quasi": ["age"], "protect": "k=5"}, "protect=: must be models"),
        ({"quasi": ["age"], "protect": [5]}, "protect: name at least one promise"),
        ({"quasi": ["age"], "k": "five"}, "five"),
        ({"quasi": ["age"], "k": 5, "method": "Mondrian"}, "method: must be a method"),
        ({"quasi": ["age"], "k": 5, "folder": "x"}, "there is no folder="),
    ],
)
def test_a_short_form_that_says_nothing_clear(wished: dict[str, Any], sentence: str) -> None:
    with pytest.raises(pv.PlanError) as caught:
        pv.anonymize(FRAME, **wished)
    assert sentence in str(caught.value)


def test_a_plan_and_a_short_form_are_refused_together() -> None:
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(5)])
    with pytest.raises(pv.PlanError, match="a plan and k= both say what is wanted"):
        pv.anonymize(FRAME, plan, k=3)
    with pytest.raises(pv.PlanError, match="a plan and quasi= both"):
        pv.verify(FRAME, plan, quasi=["zip"])
    with pytest.raises(pv.PlanError, match="nothing says what is wanted"):
        pv.anonymize(FRAME)
    with pytest.raises(pv.PlanError, match="nothing says what is wanted"):
        pv.verify(FRAME)

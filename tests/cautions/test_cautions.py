"""The cautions: each appears where it should, and only there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.cautions.caution import Caution

from .conftest import NASTY


def of(release: pv.Release) -> list[Caution]:
    return list(release.cautions)


def titles(release: pv.Release) -> str:
    return " | ".join(caution.title for caution in of(release))


def test_serious_ones_come_first(release: pv.Release) -> None:
    weights = [caution.serious for caution in of(release)]
    assert weights == sorted(weights, reverse=True)
    assert any(weights)


def test_a_column_that_is_unique_by_itself(release: pv.Release) -> None:
    assert "“note” can identify people by itself" in titles(release)


def test_columns_that_single_people_out_together(anonymized: Callable[..., pv.Release], people: pl.DataFrame) -> None:
    columns = {"age": pv.Quasi(), "illness": pv.Sensitive(), "name": pv.Identifier()}
    open_ones = titles(anonymized(people.drop("note"), columns=columns))
    assert f"Who also knows “{NASTY}” and “town” can single out" in open_ones
    assert "Who also knows" not in titles(anonymized(people.drop("note", "town", NASTY), columns=columns))


def test_a_sensitive_column_without_a_guard(anonymized: Callable[..., pv.Release], people: pl.DataFrame) -> None:
    assert "No model guards “illness”" in titles(anonymized())
    guarded = anonymized(protect=[pv.KAnonymity(5), pv.LDiversity(2, "illness")])
    assert "guards" not in titles(guarded)
    assert "given away" not in titles(guarded)
    columns = {name: pv.Quasi() for name in ("age", "town")}
    assert "No column is called sensitive" in titles(anonymized(people.select("age", "town"), columns=columns))


def test_groups_that_share_their_sensitive_value() -> None:
    frame = pl.DataFrame({"age": [20] * 5 + [50] * 5, "illness": ["flu"] * 5 + ["flu", "cold"] * 2 + ["flu"]})
    plan = pv.Plan({"age": pv.Quasi(), "illness": pv.Sensitive()}, [pv.KAnonymity(5)])
    found = next(c for c in of(pv.anonymize(frame, plan)) if "given away" in c.title)
    assert found.title == "“illness” is given away for 50 % of the rows"
    assert found.serious


@pytest.mark.parametrize(("k", "low", "serious"), [(2, True, True), (4, True, False), (5, False, False)])
def test_a_low_k(anonymized: Callable[..., pv.Release], k: int, low: bool, serious: bool) -> None:
    found = [c for c in of(anonymized(protect=[pv.KAnonymity(k)])) if c.title == f"k = {k} is low"]
    assert [c.serious for c in found] == ([serious] if low else [])


def test_no_k_at_all(anonymized: Callable[..., pv.Release]) -> None:
    assert "No k was asked for" in titles(anonymized(protect=[pv.LDiversity(2, "illness")]))


def test_a_column_that_says_nothing_and_a_high_loss() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({name: rng.integers(0, 50, 200) for name in ("a", "b", "c")})
    plan = pv.Plan({name: pv.Quasi() for name in frame.columns}, [pv.KAnonymity(150)])
    found = titles(pv.anonymize(frame, plan))
    assert "“a” says nothing any more" in found
    assert "100 % of all detail is gone" in found


def test_groups_without_margin() -> None:
    frame = pl.DataFrame({"age": np.repeat(np.arange(40), 5), "job": ["x"] * 200})
    plan = pv.Plan({"age": pv.Quasi(), "job": pv.Quasi()}, [pv.KAnonymity(5)])
    assert "100 % of the groups have exactly 5 rows" in titles(pv.anonymize(frame, plan))


def test_a_single_quasi_identifier_and_few_rows() -> None:
    found = titles(pv.anonymize(pl.DataFrame({"age": [1, 1, 2, 2]}), pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)])))
    assert "Only one column is called a quasi-identifier" in found
    assert "The table has only 4 rows" in found

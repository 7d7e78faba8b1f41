"""The report of synthetic rows says what was spent, and nothing about classes."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import paravent as pv

DOMAINS = {"age": range(20, 40), "sex": ["f", "m", "<b>x</b>"], "ill": ["no", "yes"]}
ROLES = {"age": pv.Quasi(), "sex": pv.Quasi(), "ill": pv.Sensitive()}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rows = [(f"Person {i}", 20 + i % 19, "fm"[i % 2], "yes" if i % 5 else "no") for i in range(120)]
    return pl.DataFrame(rows, schema=["name", "age", "sex", "ill"], orient="row")


@pytest.mark.parametrize("roles", [ROLES, {}], ids=["with roles", "without"])
@pytest.mark.parametrize("method", [pv.methods.AIM, pv.methods.MST, pv.methods.PrivBayes])
def test_the_page_says_what_was_spent(
    table: pl.DataFrame, tmp_path: Path, roles: dict[str, object], method: type
) -> None:
    plan = pv.Plan({"name": pv.Identifier(), **roles}, [pv.DifferentialPrivacy(epsilon=2)], method(domains=DOMAINS))
    release = pv.anonymize(table, plan)
    assert repr(release) == f"Release: {release.frame.height} synthetic rows, (2, 1e-06)-differential privacy"
    release.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "(2, 1e-06)-differential privacy holds" in page
    assert "What was spent" in page
    assert "none of them is about somebody" in page
    assert "Person 1" not in page
    assert "<b>x</b>" not in page
    assert "Smallest group" not in page
    text = re.sub("<[^>]+>", " ", page)
    assert f"{release.frame.height} synthetic rows" in text
    assert release.measure().about("utility.marginals.2.mean").text in text


def test_a_known_seed_is_serious_and_has_no_epsilon(table: pl.DataFrame, tmp_path: Path) -> None:
    promise = pv.DifferentialPrivacy(epsilon=2, unsafe_seed=1)
    plan = pv.Plan({"name": pv.Identifier(), **ROLES}, [promise], pv.methods.MST(domains=DOMAINS))
    release = pv.anonymize(table, plan)
    release.report(tmp_path / "a.html")
    release.report(tmp_path / "b.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "with 1 serious caution" in re.sub(r"\s+", " ", page)
    assert "<dt>Epsilon</dt><dd><strong>none</strong>" in page
    assert page == (tmp_path / "b.html").read_text(encoding="utf-8")

"""What could still go wrong, on the page: figures and sentences, no value that few people hold, nobody."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import polars as pl

import paravent as pv
from paravent.report.dangers import ATTEMPTS, dangers, untried
from paravent.report.page import render

from .conftest import RARE


def test_the_section_holds_every_finding(page: str, release: pv.Release) -> None:
    found = release.attack(attempts=ATTEMPTS, strict=False)
    said = html.unescape(re.sub(r"\s+", " ", page))
    assert "What could still go wrong" in said
    assert {"attack.linkage", "attack.homogeneity.illness", "attack.singling_out.quasi"} <= set(found)
    for finding in found.values():
        assert finding.sentence in said
        assert finding.attack.stopped_by in said
    for measure in found.measures:
        assert measure in said
    assert len(dangers(found)) == len(found)
    assert untried(found)


def test_sentences_name_no_value_and_nobody(release: pv.Release, people: pl.DataFrame) -> None:
    found = release.attack(attempts=200)
    told = " ".join([*(finding.sentence for finding in found.values()), *(m.meaning for m in found.measures.details())])
    for column in ("name", "town", "illness", "note"):
        for value in people[column].unique():
            assert not re.search(rf"\b{re.escape(value)}\b", told), value
    assert RARE not in told
    assert not re.search(r"\[\d+, \d+\]", told)


def test_a_release_of_few_columns_has_the_section_too(anonymized: Callable[..., pv.Release]) -> None:
    frame = pl.DataFrame({"age": [20, 20, 30, 30, 40, 40] * 4})
    release = anonymized(frame, columns={"age": pv.Quasi()}, protect=[pv.KAnonymity(2)])
    assert "What could still go wrong" in render(release)
    skipped = release.attack().skipped
    assert skipped["Linkability"] == "two quasi-identifiers to link by"
    assert skipped["Homogeneity"].startswith("a sensitive column whose cells are true of their rows")

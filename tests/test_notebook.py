"""What a notebook and a terminal show: readable, and nothing of it is ever taken for markup."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv

NASTY = "<script>alert('x')</script>"
N = 120


@pytest.fixture(scope="module")
def release() -> pv.Release:
    dice = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": dice.integers(20, 70, N),
            NASTY: dice.choice(["a", NASTY, "c & d"], N),
            "disease": dice.choice(["flu", "cold", "<img src=x onerror=alert(1)>"], N),
        }
    )
    return pv.anonymize(frame, quasi=["age", NASTY], sensitive=["disease"], k=4, l=2)


SHOWN: dict[str, Callable[[pv.Release], Any]] = {
    "Table": lambda release: release.table,
    "Profile": lambda release: pv.profile(release.table),
    "Plan": lambda release: release.plan,
    "Release": lambda release: release,
    "Measures": lambda release: release.measure(),
    "Verdict": lambda release: release.verdict,
    "Assessment": lambda release: pv.risk(release.table, release.plan),
    "Comparison": lambda release: pv.compare(release.table, {NASTY: release.plan, "two": release.plan.replace(seed=1)}),
    "Findings": lambda release: release.attack(attempts=20),
}


class Tags(HTMLParser):
    """Whether every element is closed, which there are, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"class", "style"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("kind", SHOWN)
def test_every_result_has_html_in_which_all_is_escaped(kind: str, release: pv.Release) -> None:
    thing = SHOWN[kind](release)
    assert type(thing).__name__ == kind
    html = thing._repr_html_()
    found = Tags(html)
    assert found.open == []
    assert found.tags <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre"}
    assert "<script" not in html
    assert "<img" not in html
    if kind not in ("Verdict", "Assessment", "Findings"):
        assert NASTY in found.text


@pytest.mark.parametrize("kind", SHOWN)
def test_every_result_is_readable_in_a_terminal(kind: str, release: pv.Release) -> None:
    shown = repr(SHOWN[kind](release))
    assert " object at 0x" not in shown
    assert "array(" not in shown
    assert len(shown.splitlines()) <= 40
    assert "print() shows them" in shown or "more" not in shown.splitlines()[-1]


def test_a_table_shows_its_first_rows_and_no_more() -> None:
    table = pv.read(pl.DataFrame({"n": [f"value-{i}" for i in range(50)], **{f"c{i}": [0] * 50 for i in range(30)}}))
    text = Tags(table._repr_html_()).text
    assert "value-4" in text
    assert "value-5" not in text
    assert "c18" in text
    assert "c19" not in text
    assert "11 columns not shown" in text


def test_a_release_shows_its_cautions(release: pv.Release) -> None:
    text = Tags(release._repr_html_()).text
    assert release.cautions
    for caution in release.cautions:
        assert caution.title in text


def test_a_verdict_that_fails_says_where(release: pv.Release) -> None:
    found = pv.verify(release, quasi=["age", NASTY], k=1000)
    assert "FAILS" in repr(found)
    assert "✗ fails" in found._repr_html_()


def test_measures_show_the_first_and_fold_the_others(release: pv.Release) -> None:
    measures = release.measure()
    assert repr(measures).splitlines()[-1] == f"… {len(measures) - 20} more; print() shows them"
    assert all(name in measures._repr_html_() for name in measures if NASTY not in name)

"""The drawings: any text survives them, as text."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from paravent.report import charts
from paravent.utility.lumping import Bar

ODD = ["<b>", "a&b", 'say "hi"', "it's", "back\\slash", "çédille", "日本", "🙂", "${x}", "'+alert(1)+'", "datum.value"]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag == "text"]


@pytest.mark.parametrize("upright", [True, False])
def test_odd_labels_are_drawn_as_they_are(upright: bool) -> None:
    svg = charts.before_and_after([Bar(label, 10, 10) for label in ODD], "said", upright=upright)
    drawn = texts(svg)
    assert [label for label in ODD if label not in drawn] == []


def test_long_and_empty_labels_are_shortened_and_named() -> None:
    drawn = texts(charts.losses([("x" * 200, 0.5), ("", 0.25), ("two\nlines", 0.1)], "said"))
    assert "x" * 25 + "…" in drawn
    assert "(empty)" in drawn
    assert "two lines" in drawn


def test_equal_labels_stay_two_bars() -> None:
    svg = charts.before_and_after([Bar("same", 1, 1), Bar("same", 3, 3)], "said", upright=False)
    assert texts(svg).count("same") == 2


def test_the_description_is_escaped() -> None:
    svg = charts.losses([("a", 0.5)], 'he said "<b>"')
    assert ElementTree.fromstring(svg).get("aria-label") == 'he said "<b>"'


def test_shares_are_of_all_rows_of_their_time() -> None:
    svg = charts.risks([("Highest risk", 1.0, 0.2), ("Unique rows", 0.4649, 0.0)], "said")
    drawn = texts(svg)
    assert {"100 %", "20 %", "46.5 %", "0 %"} <= set(drawn)


def test_nothing_to_draw_is_drawn() -> None:
    assert charts.losses([], "nothing").startswith("<svg role=")
    assert charts.class_sizes([], "nothing").startswith("<svg role=")

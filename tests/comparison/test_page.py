"""The page and the map: they stand by themselves, say what was found, and give nobody away."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

import paravent as pv
from paravent.comparison.advice import advice
from paravent.comparison.differences import differences
from paravent.comparison.words import level_words
from paravent.report.comparison_page import render
from paravent.report.multiples import multiples
from paravent.report.ru_map import points, ru_map

NASTY = "<script>alert('x')</script>"
VOID = {"meta", "br"}


class Page(HTMLParser):
    """Elements, text, and whether every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append((self.open[-1] if self.open else "", data))

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", " ".join(data for _, data in self.text))


@pytest.fixture(scope="module")
def found(people: pl.DataFrame, plan: pv.Plan) -> pv.Comparison:
    return pv.compare(
        people.with_columns(pl.col("zip").replace("20999", "*")),
        {
            "plain": plan.replace(columns={k: v for k, v in plan.columns.items() if k != "zip"}),
            NASTY: plan.replace(
                columns={k: v for k, v in plan.columns.items() if k != "zip"},
                protect=[pv.KAnonymity(5), pv.LDiversity(3, "disease")],
            ),
            "bad": plan,
        },
    )


@pytest.fixture(scope="module")
def page(found: pv.Comparison) -> str:
    return render(found)


def test_it_loads_nothing_and_runs_nothing(page: str) -> None:
    seen = Page(page)
    assert seen.open == []
    tags = {tag for tag, _ in seen.elements}
    assert not tags & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "foreignobject",
        "use",
        "image",
        "base",
    }
    for _, attributes in seen.elements:
        for name, value in attributes.items():
            assert not name.startswith(("on", "src", "xlink")), name
            assert name != "href" or (value or "").startswith("#")
            assert "://" not in (value or "") or name == "aria-label"
    policy = [a["content"] for _, a in seen.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_nobody_is_in_it(page: str, people: pl.DataFrame) -> None:
    for value in ("kuru", "flu", "75001", *people["name"]):
        assert value not in page
    assert "'*'" not in unescape(page)  # the one value that stopped a candidate


def test_it_says_what_was_found(page: str, found: pv.Comparison) -> None:
    words = Page(page).words
    assert NASTY in words
    assert "Each candidate holds what its own plan asks for" in words
    assert advice(found) in words
    assert "plain misses distinct 3-diversity of 'disease'" in words
    for level in found.levels():
        assert level_words(found, level) in words
    for entry in found.done:
        for name in ("utility.gcp", "risk.prosecutor.average", "risk.prosecutor.max"):
            assert entry.text(name) in words
    failure = found["bad"].failure
    assert failure is not None
    assert failure.redacted in words
    assert "also distinct 3-diversity of 'disease'" in words


def test_the_plans_on_it_can_be_run_again(page: str, found: pv.Comparison) -> None:
    texts = [data for tag, data in Page(page).text if tag == "pre"]
    again = [pv.Plan.from_document(tomllib.loads(text)) for text in texts]
    assert again == [entry.plan for entry in found.entries]
    assert found.table.fingerprint in page


def test_a_page_of_a_comparison_that_was_read_back_is_the_same(page: str, found: pv.Comparison, tmp_path: Path) -> None:
    found.save(tmp_path / "c.json")
    assert render(pv.Comparison.load(tmp_path / "c.json")) == page
    found.report(tmp_path / "c.html")
    assert (tmp_path / "c.html").read_text(encoding="utf-8") == page


def test_the_map_shows_every_candidate_the_front_and_the_original(people: pl.DataFrame, plan: pv.Plan) -> None:
    comparison = pv.sweep(people, plan, {"method.labels": ["tree", "interval"]}, k=[3, 9, 20])
    drawn = {point.name: point for spot in points(comparison) for point in (spot, *spot.others)}
    assert set(drawn) == {*comparison.names, "original"}
    assert {name for name, point in drawn.items() if point.kind == "front"} == set(comparison.front())
    original = drawn["original"]
    assert original.utility == 0.0
    assert original.risk == comparison.entries[0].value("risk.before.prosecutor.average")
    svg = ElementTree.fromstring(comparison.map())
    texts = {element.text for element in svg.iter() if element.tag.endswith("text")}
    assert "original" in texts
    assert {"labels=tree, k=3", "labels=interval, k=20"} <= {str(text) for text in texts} | set(drawn)
    assert svg.attrib["aria-label"].count("on the front") == len(comparison.front())


def test_a_sweep_has_curves_and_a_mean(people: pl.DataFrame, plan: pv.Plan) -> None:
    comparison = pv.sweep(people, plan, k=[2, 4, 20], suppression=[0, 0.1])
    seen = Page(render(comparison))
    assert "Loss of detail (GCP) by k" in seen.words
    assert "k (logarithmic)" in seen.words
    assert "Nothing changes with suppression in:" in seen.words
    assert "Mean over k" in seen.words
    assert "Mean over suppression" not in seen.words
    headings = [int(tag[1]) for tag, _ in seen.elements if re.fullmatch(r"h\d", tag)]
    assert headings.count(1) == 1


def test_intended_differences_do_not_alarm(people: pl.DataFrame, plan: pv.Plan) -> None:
    """Plans that ask for less than others, and hold what they ask for, are nothing to warn of."""
    comparison = pv.sweep(people, plan, k=[2, 4, 20])
    seen = Page(render(comparison))
    looks = {str(attributes.get("class")) for _, attributes in seen.elements if attributes.get("class")}
    assert "verdict holds" in looks
    assert not looks & {"verdict mixed", "verdict fails", "no", "no own"}
    assert "missed" not in seen.words
    assert "not asked for" in seen.words


def test_a_broken_promise_does(people: pl.DataFrame, plan: pv.Plan) -> None:
    comparison = pv.compare(people, {"raw": (plan, people.drop("name")), "made": plan})
    assert comparison["raw"].promise
    seen = Page(render(comparison))
    assert "One candidate does not hold what its own plan promises" in seen.words
    assert any(attributes.get("class") == "verdict mixed" for _, attributes in seen.elements)
    assert advice(comparison).startswith("made is the only one that holds its promises")


def test_it_shows_what_each_column_costs_and_what_differs(people: pl.DataFrame, plan: pv.Plan) -> None:
    other = plan.replace(method=pv.methods.Mondrian(labels="interval"), suppression=0.1)
    comparison = pv.compare(people, {"first": plan, "other": other})
    seen = Page(render(comparison))
    shown = {multiple.column for multiple in multiples(comparison)}
    losing = {
        name for name in comparison.quasi if any((e.value(f"utility.loss.{name}") or 0) > 0 for e in comparison.done)
    }
    assert shown == losing
    widths = [attributes["style"] for tag, attributes in seen.elements if tag == "i" and "style" in attributes]
    assert len(widths) == 2 * len(shown)
    assert all(re.fullmatch(r"width: \d+\.\d\d%", width or "") for width in widths)
    found = differences([plan, other])
    assert set(found.entries) == {"method", "suppression"}
    assert found.rows[1] == ("Mondrian(labels='interval')", "0.1")
    assert "What differs between the plans" in seen.words
    assert "What differs" not in Page(render(pv.compare(people, [plan, plan]))).words


def test_the_advice_is_one_sentence(people: pl.DataFrame, plan: pv.Plan) -> None:
    equal = pv.compare(people, {"tree": plan, "interval": plan.replace(method=pv.methods.Mondrian(labels="interval"))})
    best = equal.best[0]
    assert advice(equal).startswith(f"Take {best}: it has the lowest loss of detail (GCP)")
    swept = pv.sweep(people, plan, k=[2, 4, 8, 20])
    said = advice(swept)
    assert said.startswith("k=20 satisfies 20-anonymity")
    assert "k=2 has the lowest loss of detail" in said
    assert len(re.findall(r"\.(?: |$)", said)) == 1
    assert "tied" in advice(pv.compare(people, [plan, plan]))
    assert advice(pv.compare(people, [plan.replace(protect=[pv.KAnonymity(900)])])) == ""


def test_many_candidates_are_numbered(people: pl.DataFrame, plan: pv.Plan) -> None:
    comparison = pv.sweep(people, plan, k=list(range(2, 16)))
    labels = [point.label for point in points(comparison)]
    assert "original" in labels
    assert all(re.fullmatch(r"[\d, …]+", label) for label in labels if label != "original")
    assert "Points carry the number" in Page(render(comparison)).words


def test_nothing_but_failures_still_has_a_page(people: pl.DataFrame, plan: pv.Plan) -> None:
    comparison = pv.compare(people, [plan.replace(protect=[pv.KAnonymity(900)])])
    assert ru_map(comparison) == ""
    words = Page(render(comparison)).words
    assert "No candidate has a release" in words
    assert "900-anonymity cannot hold" in words
    assert "nothing to compare" in str(comparison)


def test_one_candidate_and_equal_ones(people: pl.DataFrame, plan: pv.Plan) -> None:
    assert "One candidate" in Page(render(pv.compare(people, [plan]))).words
    words = Page(render(pv.compare(people, [plan, plan]))).words
    assert "All candidates protect equally" in words
    assert "1 (tied)" in words


def test_the_page_has_the_day_of_the_run(
    people: pl.DataFrame, plan: pv.Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    found = pv.compare(people, {"one": plan})
    found.save(tmp_path / "found.json")
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    for comparison in (found, pv.Comparison.load(tmp_path / "found.json")):
        assert "<dt>Date</dt><dd>1970-01-02</dd>" in render(comparison)


def test_the_page_tells_a_shared_reason_once(people: pl.DataFrame, plan: pv.Plan) -> None:
    tight = {name: plan.replace(protect=[pv.KAnonymity(9000)], seed=seed) for seed, name in enumerate("ab")}
    html = render(pv.compare(people, {**tight, "good": plan}))
    assert html.count("9000-anonymity cannot hold") == 1
    assert "No release, for the same reason as a." in html

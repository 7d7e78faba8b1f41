"""The page: it stands by itself, gives nobody away, and says what the numbers say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.report.page import render
from paravent.report.words import columns
from paravent.utility.measures import as_percent

from .conftest import NASTY, RARE

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """The elements of a page with their attributes, its text, and whether every element is closed."""

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

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append((self.open[-1] if self.open else "", data))

    def within(self, tag: str) -> str:
        return "".join(data for at, data in self.text if at == tag)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", " ".join(data for _, data in self.text))


def test_it_loads_nothing_and_runs_nothing(page: str) -> None:
    found = Page(page)
    assert found.open == []
    tags = {tag for tag, _ in found.elements}
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
        "a",
    }
    for _, attributes in found.elements:
        for name, value in attributes.items():
            assert not name.startswith(("on", "src", "href", "xlink")), name
            assert "://" not in (value or "") or name == "aria-label"
    style = found.within("style")
    assert "url(" not in style
    assert "@import" not in style
    policy = [a["content"] for t, a in found.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_names_and_values_are_text_whatever_they_hold(page: str) -> None:
    found = Page(page)
    assert NASTY in found.words
    assert 'b"><img src=x>' in found.words  # held by many: it may be shown, as text
    assert "<script" not in page
    assert "<img" not in page


def test_nobody_is_in_it(page: str, people: pl.DataFrame) -> None:
    for column in ("name", "note"):
        assert not [value for value in people[column] if value in page]
    assert RARE not in page
    assert "Ouessant" not in page  # four people live there, fewer than k
    assert "Lyon" in page
    assert not re.search(r"\b113\b", page)  # the one oldest person


def test_it_says_what_was_measured(page: str, release: pv.Release) -> None:
    measures, words = release.measure(), Page(page).words
    assert "5-anonymity holds" in words
    assert f"at least {int(measures['utility.class_size.min'])} rows" in words
    for name in ("risk.prosecutor.max", "risk.before.uniques", "utility.gcp"):
        assert as_percent(measures[name]) in words
    for name in measures:
        assert name in words
    for model in release.plan.protect:
        assert model.protects in words
        assert model.leaves_open in words


def test_the_plan_on_it_can_be_run_again(page: str, release: pv.Release) -> None:
    again = pv.Plan.from_document(tomllib.loads(Page(page).within("pre")))
    assert again == release.plan
    assert str(release.provenance["input"]["fingerprint"]) in page


def test_it_is_accessible(page: str) -> None:
    found = Page(page)
    assert found.elements[0] == ("html", {"lang": "en"})
    drawings = [attributes for tag, attributes in found.elements if tag == "svg"]
    assert len(drawings) == 6  # risk, class sizes, loss, three columns
    assert all(drawing["role"] == "img" and drawing["aria-label"] for drawing in drawings)
    headings = [int(tag[1]) for tag, _ in found.elements if re.fullmatch(r"h\d", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))
    assert all("scope" in attributes for tag, attributes in found.elements if tag == "th")


def test_it_prints(page: str) -> None:
    style = Page(page).within("style")
    assert "@media print" in style
    assert "break-inside: avoid" in style
    assert "size: A4" in style


def test_the_same_release_gives_the_same_page(release: pv.Release, page: str) -> None:
    assert render(release) == page


def test_it_is_written_whole(release: pv.Release, tmp_path: Path) -> None:
    release.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_folders_of_this_machine_are_not_in_the_title(people: pl.DataFrame, tmp_path: Path) -> None:
    people.write_csv(tmp_path / "people.csv")
    columns = {"age": pv.Quasi(), "name": pv.Identifier(), "note": pv.Identifier()}
    plan = pv.Plan(columns, [pv.KAnonymity(5)])
    page = render(pv.anonymize(tmp_path / "people.csv", plan))
    assert Page(page).within("h1") == "people.csv"
    assert str(tmp_path) not in page


@pytest.mark.parametrize("meaning", ["own value", "wildcard", "drop rows", "impute"])
def test_missing_values_are_spoken_of(
    anonymized: Callable[..., pv.Release], people: pl.DataFrame, meaning: str
) -> None:
    holes = people.with_columns(pl.when(pl.col("age") % 11 != 0).then(pl.col("age")))
    release = anonymized(holes, missing=meaning)
    words = Page(render(release)).words
    said = {
        "own value": "a missing value counts as a value of its own",
        "wildcard": "a missing value may be anything and stays missing",
        "drop rows": f"{holes['age'].null_count()} of those left out had a missing value",
        "impute": "missing values were filled in",
    }
    assert said[meaning] in words
    strict = release.verdict.strict_k < 5
    assert ("Missing values of “age” are read as anything" in words) == (meaning == "wildcard")
    assert not strict or "when it is known what is missing" in words


@pytest.mark.parametrize("suppressed", ["drop", "mark"])
def test_tables_too_small_to_draw_still_have_a_page(suppressed: str) -> None:
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(3)], suppressed=suppressed, suppression=0.5)
    words = Page(render(pv.anonymize(pl.DataFrame({"age": [1, 2, 3]}), plan))).words
    assert "The table has only 3 rows" in words
    assert "Columns before and after" not in words


def test_many_columns_are_not_all_drawn(anonymized: Callable[..., pv.Release]) -> None:
    wide = pl.DataFrame({f"c{i}": [i % 2, 1] * 20 for i in range(30)})
    release = anonymized(wide, columns={name: pv.Quasi() for name in wide.columns}, protect=[pv.KAnonymity(2)])
    found = Page(render(release))
    assert sum(tag == "svg" for tag, _ in found.elements) == 3 + 24
    assert "6 columns that lost least are not drawn" in found.words


def test_averages_are_called_averages() -> None:
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)], pv.methods.MDAV())
    assert columns(plan, {"age": 0})[0].treatment == "replaced by the average of its group"
    spans = plan.replace(method=pv.methods.MDAV(publish="interval"))
    assert columns(spans, {"age": 0})[0].treatment == "generalized by its own order"

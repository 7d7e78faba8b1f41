"""The page: it stands by itself, gives nobody away, and says what the numbers say."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.measures import as_percent
from paravent.report.page import render
from paravent.report.sample import exposed_groups, sample_rows
from paravent.report.screen import HIDDEN, Screen
from paravent.report.words import columns

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
    }
    for _, attributes in found.elements:
        for name, value in attributes.items():
            assert not name.startswith(("on", "src", "xlink")), name
            assert name != "href" or (value or "").startswith("#")
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
    assert len(drawings) == 3 * 2 + 3  # risk, class sizes and loss for a desk and for a phone, three columns
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


def test_the_same_run_gives_the_same_page(
    anonymized: Callable[..., pv.Release], page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    first, second = render(anonymized()), render(anonymized())
    assert first == second
    assert "1970-01-02" in Page(first).words
    assert re.sub(r"\d{4}-\d{2}-\d{2}", "", first) == re.sub(r"\d{4}-\d{2}-\d{2}", "", page)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(pv.PlanError, match="SOURCE_DATE_EPOCH is 'yesterday'"):
        anonymized()


def test_it_says_who_answers_for_it_when_and_what_for(anonymized: Callable[..., pv.Release]) -> None:
    about = pv.About(
        title="Visits <2025>", responsible="Ada Byron", purpose="teaching", recipient="students", date="2026-01-31"
    )
    found = Page(render(anonymized(about=about)))
    assert found.within("h1") == "Visits <2025>"
    for text in ("2026-01-31", "Ada Byron", "teaching", "students"):
        assert text in found.within("dd")


def test_the_contents_lead_to_every_section(page: str) -> None:
    found = Page(page)
    led = [attributes["href"] for tag, attributes in found.elements if tag == "a"]
    ids = [attributes.get("id") for tag, attributes in found.elements if tag == "h2"]
    assert led == [f"#{name}" for name in ids if name != "verdict"]


def test_the_fingerprint_is_that_of_the_file(release: pv.Release, page: str, tmp_path: Path) -> None:
    release.write(tmp_path / "release.csv")
    digest = hashlib.sha256((tmp_path / "release.csv").read_bytes()).hexdigest()
    assert release.fingerprint == f"sha256:{digest}"
    assert release.fingerprint in page


def test_it_can_be_signed_and_the_appendix_is_folded(page: str) -> None:
    found = Page(page)
    assert "Signature" in found.within("dt")
    folded = [attributes for tag, attributes in found.elements if tag == "details"]
    assert len(folded) == 3  # how it works, how it was made, every measure
    assert not any("open" in attributes for attributes in folded)
    assert "details::details-content { content-visibility: visible;" in found.within("style").split("@media print")[1]


def test_rows_of_the_release_are_on_it(page: str, release: pv.Release) -> None:
    sample = sample_rows(release, Screen.of(release, 5))
    assert sample.names == tuple(release.frame.columns)
    released = [tuple(str(cell) for cell in row) for row in release.frame.rows()]
    for row in sample.rows:
        assert any(all(shown in (cell, HIDDEN) for shown, cell in zip(row, cells, strict=True)) for cells in released)
    note = sample.names.index("note")
    assert {row[note] for row in sample.rows} == {HIDDEN}  # everybody has another
    assert sample.rows == sample_rows(release, Screen.of(release, 5)).rows
    assert "What the release looks like" in Page(page).words


def test_the_most_exposed_groups_are_the_smallest(page: str, release: pv.Release) -> None:
    found = exposed_groups(release, Screen.of(release, 5))
    sizes = np.sort(release.classes.sizes)[: len(found.rows)]
    assert [int(row[0]) for row in found.rows] == sizes.tolist()
    assert found.names[0] == "Rows"
    assert found.names[-1] == "illness: surest guess"
    assert "The most exposed groups" in Page(page).words


def test_like_figures_are_told_apart(page: str) -> None:
    words = Page(page).words
    assert "Singling out, by the quasi-identifiers" in words
    assert "Singling out, by every released column" in words
    assert "This average counts every row that may be the person's" in words


def test_tables_become_cards_and_figures_narrow_on_a_phone(page: str) -> None:
    found = Page(page)
    style = found.within("style")
    assert "td[data-head]::before" in style.split("max-width: 44rem")[1]
    cells = [attributes for tag, attributes in found.elements if tag == "td"]
    facts = page.partition('class="facts"')[2].partition("</table>")[0].count("<td")
    assert sum("data-head" not in cell for cell in cells) == facts
    widths = [float(attributes["width"] or 0) for tag, attributes in found.elements if tag == "svg"]
    assert sum(width <= 390 - 2 * 16 for width in widths) >= 3  # one for each of risk, sizes and loss


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
    assert sum(tag == "svg" for tag, _ in found.elements) == 3 * 2 + 24
    assert "6 columns that lost least are not drawn" in found.words


def test_averages_are_called_averages() -> None:
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)], pv.methods.MDAV())
    assert columns(plan, {"age": 0})[0].treatment == "replaced by the average of its group"
    spans = plan.replace(method=pv.methods.MDAV(publish="interval"))
    assert columns(spans, {"age": 0})[0].treatment == "generalized by its own order"

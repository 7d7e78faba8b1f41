"""Codes of diseases: categories, blocks and chapters as the WHO publishes them."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.hierarchy.builders.icd import _ranges, category
from paravent.hierarchy.proposals import propose
from paravent.hierarchy.spec import spec_from_document
from paravent.table.domain import Domain
from paravent.table.kinds import Kind


def domain(values: list[str], name: str = "diagnosis", kind: Kind = Kind.NOMINAL) -> Domain:
    series = pl.Series(sorted(set(values)))
    return Domain(name, kind, series, np.ones(len(series), dtype=np.int64))


@pytest.mark.parametrize(
    ("code", "version", "block", "chapter"),
    [
        ("C50.9", 10, "C50-C50", "C00-D49 neoplasms"),
        ("I219", 10, "I20-I25", "I00-I99 circulation"),
        ("e11.65", 10, "E08-E14", "E00-E90 endocrine, nutrition and metabolism"),
        ("F32", 10, "F30-F39", "F00-F99 mental and behavioural"),
        ("O80", 10, "O80-O84", "O00-O99 pregnancy and childbirth"),
        ("S72.0", 10, "S70-S79", "S00-T98 injuries and poisonings"),
        ("U07.1", 10, "U00-U49", "U00-U99 special purposes"),
        ("X59", 10, "W00-X59", "V00-Y99 external causes"),
        ("Z38.0", 10, "Z30-Z39", "Z00-Z99 contact with health services"),
        ("250.83", 9, "249-259", "240-279 endocrine, nutrition and metabolism"),
        ("41401", 9, "410-414", "390-459 circulation"),
        ("8", 9, "001-009", "001-139 infections"),
        ("V27", 9, "V20-V29", "V01-V91 contact with health services"),
        ("E909", 9, "E900-E909", "E000-E999 external causes"),
        ("780", 9, "780-789", "780-799 symptoms and findings"),
    ],
)
def test_codes_lie_where_the_classification_puts_them(code: str, version: int, block: str, chapter: str) -> None:
    tree = pv.icd(version).build(domain([code, "Z99.9" if version == 10 else "999.9"]))
    leaf = tree.leaves.index(code)
    assert [tree.levels[i].labels[tree.levels[i].codes[leaf]] for i in (2, 3)] == [block, chapter]


@pytest.mark.parametrize("version", [9, 10])
def test_blocks_nest_in_chapters_and_do_not_overlap(version: int) -> None:
    blocks, chapters = _ranges(version)
    assert len(chapters) == (22 if version == 10 else 19)
    for ranges in (blocks, chapters):
        assert all(each.first <= each.last for each in ranges)
        assert all(one.last < other.first for one, other in itertools.pairwise(ranges))
    for block in blocks:
        assert sum(chapter.first <= block.first and block.last <= chapter.last for chapter in chapters) == 1


@given(st.text(max_size=8), st.sampled_from([9, 10]))
def test_no_text_breaks_it(text: str, version: int) -> None:
    assert category(text, version) is None or len(str(category(text, version))) in (3, 4)


def test_what_is_no_code_hangs_apart_and_nothing_but_that_is_refused() -> None:
    tree = pv.icd().build(domain(["C50.1", "unknown"]))
    assert "other codes" in tree.levels[1].labels
    with pytest.raises(pv.TreeError, match="no value is a code of ICD-10"):
        pv.icd().build(domain(["flu", "cold"]))
    for wrong in (11, "10", 9.0, None):
        with pytest.raises(pv.TreeError, match="version must be 9 or 10"):
            pv.icd(wrong)  # type: ignore[arg-type]


def test_columns_of_codes_get_chapter_trees() -> None:
    ten = ["I10", "E119", "C509", "J45", "F32", "K35", "N39", "Z38", "M54", "G40", "S72", "R07", "O80"]
    assert propose(domain(ten, "icd_code"))[0] == pv.icd(10)
    assert propose(domain(ten, "Hauptdiagnose"))[0] == pv.icd(10)
    assert propose(domain(ten, "seat"))[0] != pv.icd(10)  # anything may be numbered so
    assert propose(domain([f"{code[:3]}.{i % 9}" for i, code in enumerate(ten)], "c3"))[0] == pv.icd(10)
    nine = ["250.83", "276", "648", "8", "197", "414", "428", "V27", "E909", "434", "518", "780"]
    assert propose(domain(nine, "diag_1"))[0] == pv.icd(9)


def test_plan_files_and_releases_know_it() -> None:
    assert spec_from_document(pv.icd(9).to_document()) == pv.icd(9)
    assert spec_from_document({"icd": True}) == pv.icd(10)
    assert repr(pv.icd(9)) == "pv.icd(9)"
    frame = pl.DataFrame({"icd": ["C50.1", "C50.9", "I10", "I11.0"]})
    plan = pv.Plan({"icd": pv.Quasi(pv.icd())}, pv.KAnonymity(2))
    release = pv.anonymize(frame, plan)
    assert sorted(set(release.frame["icd"].cast(pl.String))) == ["C50.-", "I10-I16"]


def test_a_category_between_two_blocks_hangs_under_its_chapter() -> None:
    tree = pv.icd().build(domain(["A00.1", "A12.3", "A12.4", "B99.9"]))
    assert tree.levels[2].labels == ("A00-A09", "A00-B99 infections, other blocks", "B99-B99")
    assert tree.levels[3].labels == ("A00-B99 infections",)


@pytest.mark.parametrize("version", [9, 10])
def test_every_code_that_could_be_has_a_place(version: int) -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if version == 10 else ("", "V", "E")
    numbers = [f"{i:02d}" for i in range(100)] if version == 10 else [f"{i:03d}" for i in range(1000)]
    codes = [f"{letter}{number}.{i % 10}" for letter in letters for i, number in enumerate(numbers)]
    codes = [code for code in codes if category(code, version) is not None]
    tree = pv.icd(version).build(domain(codes))
    assert len(tree.levels) == 5

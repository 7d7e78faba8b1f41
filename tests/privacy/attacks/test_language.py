"""Cells read against people whom the original lacks, or who are written in another way."""

from __future__ import annotations

import numpy as np
import polars as pl

from paravent.hierarchy.axis import Axis
from paravent.hierarchy.builders import groups
from paravent.hierarchy.tree import Tree
from paravent.privacy.attacks.covering import Covering
from paravent.privacy.language import Language
from paravent.table.kinds import Kind


def covered(label: str, people: pl.Series, language: Language | None = None) -> list[object]:
    found = Covering.of(pl.Series("q", [label]), people, language)
    mask = found.covered(0)
    return [person for person, value in zip(people.to_list(), found.values.tolist(), strict=True) if mask[value]]


def axis_of(tree: Tree, positions: list[float] | None = None, kind: Kind = Kind.NOMINAL) -> Axis:
    n = len(tree.leaves)
    return Axis(
        "q", kind, np.arange(n, dtype=np.int32), tree.leaves, tree, None if positions is None else np.array(positions)
    )


def test_a_node_covers_whom_its_tree_lacks_as_it_is_written() -> None:
    ages = groups({"[20, 30[": ["20", "24"], "[30, 40[": ["31", "38"]}).tree("q")
    language = Language(axis_of(ages, [20.0, 24.0, 31.0, 38.0], Kind.INTEGER), generalized=True)
    assert covered("[20, 30[", pl.Series([20, 22, 30, 31]), language) == [20, 22]
    codes = groups({"130**": ["13053"], "148**": ["14850"]}).tree("q")
    people = pl.Series(["13053", "13099", "130", "130990", "14850"])
    assert covered("130**", people, Language(axis_of(codes), generalized=True)) == ["13053", "13099", "130"]


def test_a_node_that_says_nothing_by_itself_covers_what_the_tree_holds() -> None:
    jobs = groups({"care": ["nurse", "vet"], "law": ["clerk"]}).tree("q")
    people = pl.Series(["nurse", "sailor", "clerk"])
    assert covered("care", people, Language(axis_of(jobs), generalized=True)) == ["nurse"]


def test_the_tree_of_the_original_has_the_say_about_its_values() -> None:
    ours = groups({"care": ["nurse"], "law": ["vet", "clerk"]}).tree("q")
    plans = groups({"care": ["nurse", "vet", "midwife"], "law": ["clerk"]}).tree("q")
    people = pl.Series(["nurse", "vet", "midwife", "clerk"])
    language = Language(axis_of(ours), plans, generalized=True)
    assert covered("care", people, language) == ["nurse", "midwife"]
    assert covered("law", people, language) == ["vet", "clerk"]


def test_codes_with_dashes_are_codes() -> None:
    """Warsaw's 00-950 is no interval from 0 to 950, even beside codes that are numbers."""
    people = pl.Series(["00-950", "00-951", "75001", "500"])
    assert covered("00-950", people) == ["00-950"]
    values = ("00-950", "00-960", "75001")
    axis = Axis("q", Kind.NOMINAL, np.arange(3, dtype=np.int32), values)
    for label in ("00-950", "00-960", "00-970"):
        assert covered(label, people, Language(axis)) == [person for person in people if person == label]


def test_texts_are_the_same_number_only_where_one_side_is_typed_so() -> None:
    assert covered("1000", pl.Series(["01000", "1000.0"])) == []
    assert covered("1000", pl.Series(["01000", "1000"])) == ["1000"]
    assert covered("1000.0", pl.Series([1000, 1001])) == [1000]
    assert covered("{1000.0, 7}", pl.Series([1000, 1001])) == [1000]


def test_people_of_whom_an_interval_is_known() -> None:
    people = pl.Series(["22", "[20, 29]", "[30, 39]", "> 40"])
    assert covered("[25, 30[", people) == ["[20, 29]"]
    assert covered("[20, 29]", people) == ["22", "[20, 29]"]
    assert covered("22", people) == ["22", "[20, 29]"]
    assert covered("≥ 30", people) == ["[30, 39]", "> 40"]

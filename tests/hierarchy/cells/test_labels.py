"""Labels are read back as the values they were written for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paravent.hierarchy.builders import groups
from paravent.hierarchy.cells import CellReader
from paravent.hierarchy.labels import interval_label, range_label, set_label

TEXTS = st.lists(
    st.text(st.sampled_from('ab ,~{}[]"\\|*é0'), min_size=1, max_size=5) | st.text(min_size=1, max_size=5),
    min_size=2,
    max_size=8,
    unique=True,
)


@given(TEXTS, st.data())
def test_sets_and_ranges_of_any_texts(values: list[str], data: st.DataObject) -> None:
    assume("*" not in values)
    read = CellReader(tuple(values))
    members = sorted(data.draw(st.sets(st.integers(0, len(values) - 1), min_size=1)))
    label = set_label([values[i] for i in members])
    assume(len(members) == 1 or label not in values)
    assert sorted(read.covers(label) or ()) == members
    low, high = members[0], members[-1]
    label = range_label(values[low], values[high])
    assume(low == high or label not in values)
    assert list(read.covers(label) or ()) == list(range(low, high + 1))


@given(st.lists(st.integers(-1000, 1000) | st.floats(-5, 5), min_size=1, max_size=10, unique=True), st.data())
def test_intervals_of_numbers(numbers: list[float], data: st.DataObject) -> None:
    numbers = sorted(numbers)
    values = tuple(map(str, numbers))
    assume(len(set(values)) == len(values))
    read = CellReader(values, positions=np.array(numbers, dtype=float))
    low = data.draw(st.integers(0, len(values) - 1))
    high = data.draw(st.integers(low, len(values) - 1))
    assert list(read.covers(interval_label(values[low], values[high])) or ()) == list(range(low, high + 1))


def test_every_label_of_a_tree_is_read_chains_included() -> None:
    tree = groups({"all": {"top": {"x": ["a", "b"], "y": ["c"]}}}).tree("q")
    read = CellReader(tree.leaves, tree)
    assert {label: list(read.covers(label) or ()) for label in ("all", "top", "x", "y", "c", "*")} == {
        "all": [0, 1, 2],
        "top": [0, 1, 2],
        "x": [0, 1],
        "y": [2],
        "c": [2],
        "*": [0, 1, 2],
    }


@pytest.mark.parametrize("label", ["", "z", "{}", "{a, z}", "a~z", "b~a", "[a, b]", "{a", '{"a', "~", "a~", "[1, 2"])
def test_labels_that_say_nothing_about_the_column(label: str) -> None:
    assert CellReader(("a", "b")).covers(label) is None


@pytest.mark.parametrize("label", ["[2, 1]", "[3, 4]", "]1, 2[", "[1]", "[1, 2, 3]", "[, ]"])
def test_intervals_that_say_nothing_about_the_column(label: str) -> None:
    assert not list(CellReader(("1", "2"), positions=np.array([1.0, 2.0])).covers(label) or ())

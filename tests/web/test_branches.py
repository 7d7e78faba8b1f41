"""Trees as people edit them: every step gives a tree over the same values, or a sentence."""

from __future__ import annotations

import pytest

from paravent.errors import TreeError
from paravent.hierarchy import Tree
from paravent.web.trees.branches import Branch, branch_of, dissolved, grouped, moved, renamed, rows_of

JOBS = Tree.from_paths(
    "job",
    [
        ["clerk", "office", "*"],
        ["judge", "office", "*"],
        ["nurse", "health", "*"],
        ["surgeon", "health", "*"],
        ["carer", "health", "*"],
    ],
)


def shape(root: Branch) -> dict[str, list[str]]:
    return {each.label: [child.label for child in each.children] for each in root if not each.is_value}


def test_a_tree_comes_back_as_its_rows() -> None:
    assert rows_of(branch_of(JOBS), "job") == [
        ["clerk", "office", "*"],
        ["judge", "office", "*"],
        ["nurse", "health", "*"],
        ["surgeon", "health", "*"],
        ["carer", "health", "*"],
    ]


def test_a_value_moves_into_another_group() -> None:
    root = moved(branch_of(JOBS), ["carer"], "office")
    assert shape(root) == {
        "*": ["office", "health"],
        "office": ["clerk", "judge", "carer"],
        "health": ["nurse", "surgeon"],
    }


def test_a_value_dropped_on_a_value_joins_its_group() -> None:
    assert shape(moved(branch_of(JOBS), ["carer"], "clerk"))["office"] == ["clerk", "judge", "carer"]


def test_a_group_that_is_emptied_goes() -> None:
    root = moved(branch_of(JOBS), ["clerk", "judge"], "health")
    assert shape(root) == {"*": ["health"], "health": ["nurse", "surgeon", "carer", "clerk", "judge"]}


def test_what_lies_in_a_moved_group_goes_with_it() -> None:
    root = grouped(branch_of(JOBS), ["nurse", "carer"], "care")
    root = moved(root, ["care", "nurse"], "office")
    assert shape(root) == {
        "*": ["office", "health"],
        "office": ["clerk", "judge", "care"],
        "care": ["nurse", "carer"],
        "health": ["surgeon"],
    }


def test_a_new_group_stands_where_its_first_node_stood() -> None:
    root = grouped(branch_of(JOBS), ["surgeon", "nurse"], "hospital")
    assert shape(root)["health"] == ["hospital", "carer"] or shape(root)["health"] == ["carer", "hospital"]
    assert set(shape(root)["hospital"]) == {"surgeon", "nurse"}
    assert ["nurse", "hospital", "health", "*"] in rows_of(root, "job")


def test_a_group_is_renamed_and_dissolved() -> None:
    root = renamed(branch_of(JOBS), "office", "desk")
    assert shape(root)["*"] == ["desk", "health"]
    assert shape(dissolved(root, "desk"))["*"] == ["clerk", "judge", "health"]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda root: moved(root, ["*"], "office"), "cannot be moved"),
        (lambda root: moved(root, ["office"], "clerk"), "into itself"),
        (lambda root: grouped(root, ["clerk", "nurse"], "office"), "already"),
        (lambda root: grouped(root, ["clerk", "nurse"], " "), "name"),
        (lambda root: grouped(root, ["clerk"], "one"), "two nodes"),
        (lambda root: grouped(root, ["clerk", "judge"], "again"), "just these"),
        (lambda root: renamed(root, "clerk", "typist"), "value of the column"),
        (lambda root: renamed(root, "office", "health"), "already"),
        (lambda root: dissolved(root, "*"), "stays"),
        (lambda root: dissolved(root, "clerk"), "stays"),
        (lambda root: moved(root, ["pilot"], "office"), "no node"),
    ],
)
def test_what_makes_no_tree_is_refused_in_a_sentence(edit: object, said: str) -> None:
    with pytest.raises(TreeError, match=said):
        edit(branch_of(JOBS))  # type: ignore[operator]

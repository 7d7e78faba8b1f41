"""Tree against a tree of plain objects, without numbering, intervals or levels."""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TreeError
from paravent.hierarchy.builders import groups
from paravent.hierarchy.tree import ROOT_LABEL, Level, Tree

TOYS = tomllib.loads((Path(__file__).parent.parent / "oracles" / "toy_trees.toml").read_text(encoding="utf-8"))


@dataclass
class Pointer:
    """The oracle: a node with links up and down."""

    label: str
    children: list[Pointer] = field(default_factory=list)
    parent: Pointer | None = None

    def leaves(self) -> list[str]:
        return [leaf for child in self.children for leaf in child.leaves()] or [self.label]

    def level(self) -> int:
        return 1 + max(child.level() for child in self.children) if self.children else 0

    def height(self) -> int:
        return 1 + max((child.height() for child in self.children), default=0)

    def nodes(self) -> list[Pointer]:
        return [self, *(node for child in self.children for node in child.nodes())]

    def above(self) -> list[Pointer]:
        return [self, *(self.parent.above() if self.parent else [])]


def pointers(paths: list[list[str]]) -> Pointer:
    """The tree of the paths by brute force: every set of leaves under a label is a node, by its lowest label."""
    everything = tuple(path[0] for path in paths)
    covers: dict[tuple[str, ...], str] = {}
    for level in range(len(paths[0])):
        for label in dict.fromkeys(path[level] for path in paths):
            covers.setdefault(tuple(path[0] for path in paths if path[level] == label), label)
    node = {leaves: Pointer(label) for leaves, label in covers.items()}
    for leaves, here in sorted(node.items(), key=lambda item: everything.index(item[0][0])):
        wider = [other for other in node if set(leaves) < set(other)]
        if wider:
            here.parent = node[min(wider, key=len)]
            here.parent.children.append(here)
    return node[everything]


@st.composite
def random_paths(draw: st.DrawFn, most: int = 12) -> list[list[str]]:
    """Nested levels over a shuffled list of values, chains and unbalanced branches among them."""
    n = draw(st.integers(2, most))
    keys = list(range(n))
    columns = [[f"v{i}" for i in range(n)]]
    for height in range(1, draw(st.integers(1, 4))):
        groups_here = sorted(set(keys))
        merged = {key: draw(st.integers(0, max(len(groups_here) - 1, 0))) for key in groups_here}
        new = [merged[key] for key in keys]
        labels = []
        for i in range(n):
            stays = sum(key == new[i] for key in new) == sum(key == keys[i] for key in keys)
            # A group that does not grow repeats its label (an unbalanced branch) or gets a new one (a chain).
            repeated = stays and new[i] % 2 == 0
            labels.append(columns[-1][i] if repeated else f"g{height}.{new[i]}")
        columns.append(labels)
        keys = new
    columns.append([ROOT_LABEL] * n)
    order = draw(st.permutations(range(n)))
    return [[column[i] for column in columns] for i in order]


def in_leaf_order(tree: Tree, paths: list[list[str]]) -> list[list[str]]:
    by_leaf = {path[0]: path for path in paths}
    return [by_leaf[leaf] for leaf in tree.leaves]


@given(random_paths())
def test_it_is_the_tree_of_plain_objects(paths: list[list[str]]) -> None:
    tree = Tree.from_paths("q", paths)
    root = pointers(in_leaf_order(tree, paths))
    nodes = {node.label: node for node in root.nodes()}
    assert sorted(tree.labels) == sorted(nodes)
    assert tree.height == root.height()
    for number, label in enumerate(tree.labels):
        node = nodes[label]
        assert tree.level[number] == node.level()
        assert tree.leaf_counts[number] == len(node.leaves())
        assert list(tree.leaves[tree.first[number] : tree.last[number] + 1]) == node.leaves()
        assert (tree.labels[tree.parent[number]] if tree.parent[number] >= 0 else None) == (
            node.parent.label if node.parent else None
        )
        assert [tree.labels[child] for child in tree.children(number)] == [child.label for child in node.children]


@given(random_paths())
def test_parents_come_after_their_children_and_have_at_least_two(paths: list[list[str]]) -> None:
    tree = Tree.from_paths("q", paths)
    assert tree.parent[tree.root] == -1
    assert (tree.parent[:-1] > np.arange(tree.n_nodes - 1)).all()
    assert all(len(tree.children(node)) >= 2 for node in range(tree.n_leaves, tree.n_nodes))
    inner = np.arange(tree.n_leaves, tree.n_nodes)
    assert (np.lexsort((tree.first[inner], tree.level[inner])) == np.arange(len(inner))).all()


@given(random_paths())
def test_lowest_common_ancestor(paths: list[list[str]]) -> None:
    tree = Tree.from_paths("q", paths)
    nodes = {node.label: node for node in pointers(in_leaf_order(tree, paths)).nodes()}
    every = np.arange(tree.n_nodes)
    a, b = (grid.ravel() for grid in np.meshgrid(every, every))
    common = tree.common(a, b)
    for x, y, found in zip(a.tolist(), b.tolist(), common.tolist(), strict=True):
        ways = [node.label for node in nodes[tree.labels[x]].above()]
        other = {node.label for node in nodes[tree.labels[y]].above()}
        assert tree.labels[found] == next(label for label in ways if label in other)
        assert bool(tree.is_ancestor(x, y)) == (tree.labels[x] in other)
    assert (common == tree.common(b, a)).all()
    trio = np.array(list(itertools.product(every[:8], repeat=3))).T
    assert (
        tree.common(tree.common(trio[0], trio[1]), trio[2]) == tree.common(trio[0], tree.common(trio[1], trio[2]))
    ).all()


@given(random_paths())
def test_the_level_view_keeps_every_label(paths: list[list[str]]) -> None:
    tree = Tree.from_paths("q", paths)
    ordered = in_leaf_order(tree, paths)
    for height, level in enumerate(tree.levels):
        assert [level.labels[code] for code in level.codes] == [path[height] for path in ordered]
        assert set(np.diff(level.codes)) <= {0, 1}
        assert level.codes[0] == 0
    assert len(tree.levels[-1].labels) == 1


@given(random_paths(), st.data())
def test_a_restricted_tree_is_the_tree_of_the_kept_paths(paths: list[list[str]], data: st.DataObject) -> None:
    tree = Tree.from_paths("q", paths)
    keep = sorted(data.draw(st.sets(st.integers(0, tree.n_leaves - 1), min_size=1)))
    same(tree.restrict(np.array(keep)), Tree.from_paths("q", [in_leaf_order(tree, paths)[i] for i in keep]))


@given(random_paths())
def test_more_leaves_hang_on_the_root(paths: list[list[str]]) -> None:
    tree = Tree.from_paths("q", paths)
    grown = tree.with_leaf("new")
    leaf = grown.leaf_of["new"]
    assert grown.parent[leaf] == grown.root
    assert leaf == tree.n_leaves
    assert [level.labels[level.codes[leaf]] for level in grown.levels[:-1]] == ["new"] * (len(tree.levels) - 1)
    same(grown.restrict(np.arange(tree.n_leaves)), tree)


def same(a: Tree, b: Tree) -> None:
    assert a.labels == b.labels
    for part in ("parent", "level", "first", "last"):
        assert getattr(a, part).tolist() == getattr(b, part).tolist()
    assert [(level.codes.tolist(), level.labels) for level in a.levels] == [
        (level.codes.tolist(), level.labels) for level in b.levels
    ]


@pytest.mark.parametrize("name", TOYS)
def test_hierarchies_of_the_literature(name: str) -> None:
    toy = TOYS[name]
    tree = groups(toy["under"]).tree(name)
    assert (tree.height, tree.n_nodes) == (toy["height"], toy["nodes"])
    assert {label: int(tree.level[tree.node_of[label]]) for label in toy["level"]} == toy["level"]
    assert np.bincount(tree.level).tolist() == toy["nodes_per_level"]
    for a, b, expected in toy["ancestor"]:
        assert tree.labels[tree.common(tree.node_of[a], tree.node_of[b])] == expected
    assert [[level.labels[code] for code in level.codes] for level in tree.levels] == toy["columns"]


def test_one_value() -> None:
    for paths in ([["a"]], [["a", "*"]], [["a", "a"]], [["a", "b", "*"]]):
        tree = Tree.from_paths("q", paths)
        assert tree.labels == ("a", "*")
        assert (tree.height, tree.parent.tolist()) == (2, [1, -1])
    repeated = Tree.from_paths("q", [["a", "all", "all"], ["b", "all", "all"]]).restrict(np.array([1]))
    assert (repeated.labels, len(repeated.levels)) == (("b", "all"), 3)


def test_leaves_move_so_that_groups_are_neighbours() -> None:
    tree = Tree.from_paths("q", [["a", "odd", "*"], ["b", "even", "*"], ["c", "odd", "*"]])
    assert tree.leaves == ("a", "c", "b")


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "it has no values. Give at least one."),
        ([["a", "*"], ["b"]], "row 2 has 1 levels, the first has 2."),
        ([["a", "*"], ["", "*"]], "it has an empty value."),
        ([["a", "", "*"], ["b", "x", "*"]], "it has an empty label on level 1."),
        ([["a", "*"], ["b", "*"], ["a", "*"]], "value 'a' appears twice."),
        ([["a", "x", "*"], ["b", "x", "y"]], "'x' on level 1 lies under both"),
        ([["a", "b", "*"], ["b", "c", "*"], ["c", "b", "*"]], "label 'b' names two different nodes."),
        ([["a", "x", "*"], ["b", "y", "x"], ["c", "y", "x"]], "label 'x' names two different nodes."),
        ([["*", "x"], ["b", "x"]], "value '*' is the sign for any value."),
    ],
)
def test_what_is_no_tree(paths: list[list[str]], message: str) -> None:
    with pytest.raises(TreeError, match=r"^tree 'job': ") as error:
        Tree.from_paths("job", paths)
    assert message in str(error.value)
    assert error.value.redacted.count("<value>") == str(error.value).split("job': ")[1].count("'") // 2


def test_a_large_tree_is_built_from_arrays() -> None:
    n = 100_000
    value = np.arange(n)
    levels = [Level(value, tuple(map(str, value)))]
    levels += [Level(value // w, tuple(f"{i} by {w}" for i in range(n // w))) for w in (5, 10, 1000)]
    tree = Tree.from_levels("big", levels)
    assert (tree.n_nodes, tree.height) == (100_000 + 20_000 + 10_000 + 100 + 1, 5)
    some = tree.restrict(value[::7])
    assert some.n_leaves == len(value[::7])
    assert some.labels[some.ancestor(np.array([0]), np.array([1]))[0]] == "0 by 10"

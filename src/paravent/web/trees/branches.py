"""A tree as a person edits it: groups in groups. Every step gives a new tree; what is no tree is refused in a sentence.

A label names one node of a tree, so nodes are named by their labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from paravent.errors import TreeError, quote
from paravent.hierarchy import Tree
from paravent.hierarchy.builders.groups import Groups


@dataclass(frozen=True)
class Branch:
    """A value (without children) or a group."""

    label: str
    children: tuple[Branch, ...] = ()
    is_value: bool = False

    def __iter__(self) -> Iterator[Branch]:
        """The branch itself, then all below it, from left to right."""
        yield self
        for child in self.children:
            yield from child

    def find(self, label: str) -> Branch:
        for each in self:
            if each.label == label:
                return each
        raise TreeError(f"there is no node {quote(label)} in this tree.")

    @property
    def values(self) -> list[str]:
        """The values below it."""
        return [each.label for each in self if each.is_value]


def branch_of(tree: Tree) -> Branch:
    """
    >>> tree = Tree.from_paths("q", [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]])
    >>> [each.label for each in branch_of(tree)]
    ['*', 'q12', 'q1', 'q2', 'q3']
    """

    def made(node: int) -> Branch:
        if node < tree.n_leaves:
            return Branch(tree.labels[node], is_value=True)
        label = tree.top if node == tree.root else tree.labels[node]
        return Branch(label, tuple(made(child) for child in tree.children(node).tolist()))

    return made(tree.root)


def rows_of(root: Branch, column: str) -> list[list[str]]:
    """The tree as rows of a tree file: a value, then its label on every level. Refuses what is no tree."""
    tree = Groups({root.label: [_under(child) for child in root.children]}).tree(column)
    columns = [[level.labels[code] for code in level.codes.tolist()] for level in tree.levels]
    return [list(row) for row in zip(*columns, strict=True)]


def _under(branch: Branch) -> Any:
    return branch.label if branch.is_value else {branch.label: [_under(child) for child in branch.children]}


def moved(root: Branch, labels: Sequence[str], onto: str) -> Branch:
    """Nodes hung under a group; where `onto` is a value, under the group that holds it. Groups that become empty go.

    >>> root = Branch("*", (Branch("a", (Branch("1", is_value=True), Branch("2", is_value=True))), Branch("b", (Branch("3", is_value=True),))))
    >>> [each.label for each in moved(root, ["2"], "b")]
    ['*', 'a', '1', 'b', '3', '2']
    """  # noqa: E501
    target = onto if not root.find(onto).is_value else parent_of(root, onto).label
    taken = [root.find(label) for label in labels]
    for each in taken:
        if each.label == root.label:
            raise TreeError("the root holds everything and cannot be moved.")
        if any(below.label == target for below in each):
            raise TreeError(f"{quote(each.label)} cannot go into itself. Choose another group.")
    inside = {below.label for each in taken for below in each if below is not each}
    taken = [each for each in taken if each.label not in inside]  # what lies in a moved group goes with it
    gone = {each.label for each in taken}
    left = _without(root, gone, keep=target)
    assert left is not None
    return _changed(left, target, lambda branch: Branch(branch.label, (*branch.children, *taken)))


def grouped(root: Branch, labels: Sequence[str], name: str) -> Branch:
    """A new group of nodes, where the first of them stood."""
    name = name.strip()
    if not labels:
        raise TreeError("choose what belongs into the group first.")
    if not name:
        raise TreeError("give the group a name.")
    if any(each.label == name for each in root):
        raise TreeError(f"there is a node {quote(name)} already. Give the group a name of its own.")
    inside = {below.label for label in labels for below in root.find(label) if below.label != label}
    wanted = [label for label in labels if label not in inside]
    if root.label in wanted:
        raise TreeError("the root holds everything already.")
    if len(wanted) < 2:
        raise TreeError("a group holds two nodes at least. Choose another one, too.")
    home = parent_of(root, wanted[0])
    if {child.label for child in home.children} == set(wanted):
        raise TreeError(f"{quote(home.label)} holds just these already. Leave one out, or rename it.")

    def begun(branch: Branch) -> Branch:
        parts = (Branch(name, (child,)) if child.label == wanted[0] else child for child in branch.children)
        return Branch(branch.label, tuple(parts))

    return moved(_changed(root, home.label, begun), wanted[1:], name)


def renamed(root: Branch, label: str, name: str) -> Branch:
    """Another name for a group."""
    name = name.strip()
    if root.find(label).is_value:
        raise TreeError(f"{quote(label)} is a value of the column; only groups can be renamed.")
    if not name:
        raise TreeError("give the group a name.")
    if name != label and any(each.label == name for each in root):
        raise TreeError(f"there is a node {quote(name)} already. Give the group a name of its own.")
    return _changed(root, label, lambda branch: Branch(name, branch.children))


def dissolved(root: Branch, label: str) -> Branch:
    """A group taken away; what it held hangs where it stood."""
    if label == root.label:
        raise TreeError("the root holds everything and stays.")
    if root.find(label).is_value:
        raise TreeError(f"{quote(label)} is a value of the column and stays.")
    home = parent_of(root, label)
    return _changed(
        root,
        home.label,
        lambda branch: Branch(
            branch.label,
            tuple(part for child in branch.children for part in (child.children if child.label == label else (child,))),
        ),
    )


def parent_of(root: Branch, label: str) -> Branch:
    for each in root:
        if any(child.label == label for child in each.children):
            return each
    raise TreeError(f"{quote(label)} has nothing above it.")


def _changed(branch: Branch, label: str, change: Any) -> Branch:
    if branch.label == label and not branch.is_value:
        return change(branch)  # type: ignore[no-any-return]
    if branch.is_value:
        return branch
    return Branch(branch.label, tuple(_changed(child, label, change) for child in branch.children))


def _without(branch: Branch, gone: set[str], keep: str) -> Branch | None:
    """The branch without some nodes; groups that hold nothing any more go, except `keep`."""
    if branch.label in gone:
        return None
    if branch.is_value:
        return branch
    left = tuple(found for child in branch.children if (found := _without(child, gone, keep)) is not None)
    return Branch(branch.label, left) if left or branch.label == keep else None

# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.hierarchy.files import nested
from paravent.hierarchy.files import read_tree
from paravent.hierarchy.files import write_tree
from paravent.hierarchy.fitting import fit
from paravent.hierarchy.proposals import propose
from paravent.hierarchy.spec import TreeSpec
from paravent.hierarchy.tree import Tree

__all__ = [
    "Tree",
    "TreeSpec",
    "fit",
    "nested",
    "propose",
    "read_tree",
    "write_tree",
]

"""The bundled example: UCI Adult (Becker and Kohavi 1996, CC BY 4.0), with a tree for each of nine columns."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paravent.arguments import check_call
from paravent.errors import TreeError

if TYPE_CHECKING:
    from paravent.data import simulated
    from paravent.hierarchy.tree import Tree
    from paravent.table.table import Table

__all__ = ["ADULT_TREES", "adult", "adult_path", "adult_tree", "adult_tree_path", "simulated"]

ADULT_TREES = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


def _folder() -> Path:
    return Path(str(files(__name__))) / "adult"


def adult_path() -> Path:
    """Where the table lies: 30 162 rows, 15 columns, Parquet."""
    return _folder() / "adult.parquet"


def adult_tree_path(column: str) -> Path:
    """Where the tree of a column lies, as a level CSV."""
    check_call(adult_tree_path, locals(), TreeError)
    if column not in ADULT_TREES:
        raise TreeError(f"Adult has no tree for column {column!r}. There is one for {', '.join(ADULT_TREES)}.")
    return _folder() / f"{column}.csv"


def adult_tree(column: str) -> Tree:
    """The tree of a column.

    >>> adult_tree("education")
    <Tree 'education': 16 values, 22 nodes, height 4>
    """
    from paravent.hierarchy.files import read_tree

    return read_tree(adult_tree_path(column), name=column)


def adult() -> Table:
    """The complete rows of the Adult training file, all 15 columns.

    >>> len(adult())
    30162
    """
    from paravent.table.read import read

    return read(adult_path())


def __getattr__(name: str) -> Any:
    """`data.simulated`, made-up tables and columns, is loaded when it is first used."""
    if name == "simulated":
        return import_module(f"{__name__}.simulated")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

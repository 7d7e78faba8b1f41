"""A tree from a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from paravent.errors import TreeError
from paravent.hierarchy.spec import TreeSpec
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind


@dataclass(frozen=True, repr=False)
class TreeFile(TreeSpec):
    call: ClassVar[str] = "tree_file"
    main: ClassVar[str] = "path"

    path: str

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | Path) or not str(self.path):
            raise TreeError(f"tree_file: {self.path!r} is no path. Give the path of a .csv, .toml or .json file.")
        object.__setattr__(self, "path", str(self.path))

    def build(self, domain: Domain) -> Tree:
        from paravent.hierarchy.files import read_groups, read_tree

        if Path(self.path).suffix.lower() in (".toml", ".json"):
            return read_groups(self.path).tree(self.path, domain).renamed(domain.name)
        return read_tree(self.path).renamed(domain.name)

    def declared(self, name: str) -> tuple[str, ...]:
        from paravent.hierarchy.files import read_groups, read_tree

        if Path(self.path).suffix.lower() in (".toml", ".json"):
            return read_groups(self.path).declared(name)
        return read_tree(self.path).leaves

    def fixed_levels(self, name: str, kind: Kind) -> int | None:
        from paravent.hierarchy.files import read_groups, read_tree

        if Path(self.path).suffix.lower() in (".toml", ".json"):
            return read_groups(self.path).fixed_levels(name, kind)
        return len(read_tree(self.path).levels) - 1

    def to_document(self) -> Any:
        return self.path

    def under(self, folder: str | Path) -> TreeFile:
        """The same file, its path read from `folder` unless it is absolute."""
        return TreeFile(str(Path(folder) / self.path))


def tree_file(path: str | Path) -> TreeFile:
    """The tree in a level CSV (`.csv`, `.tsv`), or in nested groups (`.toml`, `.json`).

    >>> tree_file("trees/job.csv")
    pv.tree_file('trees/job.csv')
    """
    return TreeFile(str(path))

"""The flat tree: a value is kept, or nothing is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paravent.hierarchy.spec import TreeSpec, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain


@dataclass(frozen=True, repr=False)
class Flat(TreeSpec):
    call: ClassVar[str] = "flat"

    def build(self, domain: Domain) -> Tree:
        return tree_over(domain)


def flat() -> Flat:
    """All values directly under `*`.

    >>> flat()
    pv.flat()
    """
    return Flat()

"""The flat tree: a value is kept, or nothing is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paravent.hierarchy.spec import TreeSpec, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind


@dataclass(frozen=True, repr=False)
class Flat(TreeSpec):
    call: ClassVar[str] = "flat"

    def fixed_levels(self, name: str, kind: Kind) -> int | None:  # noqa: ARG002
        return 1

    def build(self, domain: Domain) -> Tree:
        return tree_over(domain)


def flat() -> Flat:
    """All values directly under `*`.

    >>> flat()
    pv.flat()
    """
    return Flat()

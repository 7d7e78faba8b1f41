"""A rule: a recoding that names no rows, so that rows elsewhere (in a file, on a cluster) can be recoded by it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paravent.hierarchy.axis import Axis


class Rule(ABC):
    """Labels for rows given as codes of the same axes."""

    @abstractmethod
    def labels(self, axes: Sequence[Axis]) -> Mapping[str, list[str]]:
        """For each axis, the label of each row."""


@dataclass(frozen=True)
class Levels(Rule):
    """Full-domain generalization: every column on one level of its tree, by name; level 0 has the values."""

    levels: Mapping[str, int]

    def labels(self, axes: Sequence[Axis]) -> Mapping[str, list[str]]:
        found = {}
        for axis in axes:
            assert axis.tree is not None, "full-domain generalization needs a tree of every column"
            level = axis.tree.levels[self.levels[axis.name]]
            names = np.array(level.labels, dtype=object)
            found[axis.name] = names[level.codes[axis.codes]].tolist()
        return found

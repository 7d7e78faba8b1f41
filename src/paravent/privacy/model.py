"""Model: a promise about every equivalence class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from paravent.privacy.classes import Classes


class Model(ABC):
    """What a release must satisfy, class by class.

    `needs` names the sensitive columns whose histograms `holds` reads. A model is monotone under generalization when
    the union of two classes that hold holds too, and under suppression when dropping whole classes cannot break the
    others.
    """

    monotone_under_generalization: ClassVar[bool] = True
    monotone_under_suppression: ClassVar[bool] = True
    protects: ClassVar[str]
    leaves_open: ClassVar[str]

    @property
    @abstractmethod
    def needs(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def key(self) -> str:
        """The dotted name under which `level` is reported, such as `privacy.k`."""

    @abstractmethod
    def holds(self, classes: Classes) -> np.ndarray:
        """One truth value a class."""

    @abstractmethod
    def level(self, classes: Classes) -> float:
        """The strongest parameter for which all classes hold."""

    @abstractmethod
    def check_feasible(self, whole: Classes) -> None:
        """Raise InfeasibleError, naming the best reachable value, when not even one class of all rows holds."""

    @abstractmethod
    def describe(self) -> str:
        """The demand in a few words: `5-anonymity`."""

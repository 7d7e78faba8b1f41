"""k-anonymity (Samarati 2001): everybody hides among at least k rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy.classes import Classes
from paravent.privacy.model import Model


@dataclass(frozen=True)
class KAnonymity(Model):
    """Every class has at least k rows.

    >>> KAnonymity(2).holds(Classes(np.array([1, 2, 5]), {})).tolist()
    [False, True, True]
    """

    k: int

    protects: ClassVar[str] = "Somebody who knows a person's quasi-identifiers cannot tell which of k rows is theirs."
    leaves_open: ClassVar[str] = "If all k rows share the sensitive value, it is disclosed all the same."

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise PlanError(f"KAnonymity: k must be a whole number of at least 1, not {self.k!r}.")

    @property
    def least_size(self) -> int:
        return self.k

    @property
    def size_only(self) -> bool:
        return True

    @property
    def key(self) -> str:
        return "privacy.k"

    def holds(self, classes: Classes) -> np.ndarray:
        return np.asarray(classes.sizes >= self.k)

    def level(self, classes: Classes) -> float:
        return int(classes.sizes.min()) if len(classes) else 0

    def check_feasible(self, whole: Classes) -> None:
        rows = int(whole.sizes.sum())
        if rows < self.k:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: the whole table has {rows} {whole.counted}. "
                f"Ask for k of at most {rows}."
            )

    def describe(self) -> str:
        return f"{self.k}-anonymity"


def k_asked(models: Iterable[Model]) -> int | None:
    """The largest k that is asked for by name; None where none is."""
    return max((model.k for model in models if isinstance(model, KAnonymity)), default=None)


def beside_k(models: Iterable[Model]) -> tuple[Model, ...]:
    """The models that are not k-anonymity."""
    return tuple(model for model in models if not isinstance(model, KAnonymity))


def with_k(models: Iterable[Model], k: int) -> tuple[Model, ...]:
    """The models with k-anonymity for another k, which stands first.

    >>> with_k([KAnonymity(2), KAnonymity(3)], 5)
    (KAnonymity(k=5),)
    """
    return (KAnonymity(k), *beside_k(models))

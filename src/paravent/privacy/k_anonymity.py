"""k-anonymity (Samarati 2001): everybody hides among at least k rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from paravent.privacy.model import Model, SizeModel


@dataclass(frozen=True)
class KAnonymity(SizeModel):
    """Every class has at least k rows.

    >>> import numpy as np
    >>> from paravent.privacy.classes import Classes
    >>> KAnonymity(2).holds(Classes(np.array([1, 2, 5]), {})).tolist()
    [False, True, True]
    """

    k: int

    protects: ClassVar[str] = "Somebody who knows a person's quasi-identifiers cannot tell which of k rows is theirs."
    leaves_open: ClassVar[str] = "If all k rows share the sensitive value, it is disclosed all the same."

    @property
    def key(self) -> str:
        return "privacy.k"

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

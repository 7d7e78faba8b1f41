"""What a column holds. The kind decides how its values are ordered, compared and generalized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    INTEGER = "integer"
    FLOAT = "float"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"
    DATE = "date"
    TEXT = "text"

    @property
    def is_numeric(self) -> bool:
        return self in (Kind.INTEGER, Kind.FLOAT)

    @property
    def is_ordered(self) -> bool:
        """Whether `between` means something for two values of this kind."""
        return self in (Kind.INTEGER, Kind.FLOAT, Kind.ORDINAL, Kind.DATE)


KindWish = Kind | str | Sequence[str]
"""What a user may say of a column: a kind or its name, the values of an ordinal from lowest to highest, or the
format of its dates (`%d/%m/%Y`)."""


@dataclass(frozen=True)
class Column:
    """One column of a Table: its kind, why we think so, and what is missing.

    `order` holds the values of an ordinal column from lowest to highest.
    """

    name: str
    kind: Kind
    reason: str
    missing: int = 0
    order: tuple[str, ...] | None = None

    def as_kind(self, kind: Kind, order: tuple[str, ...] | None = None) -> Column:
        return replace(self, kind=kind, order=order, reason="as you said")

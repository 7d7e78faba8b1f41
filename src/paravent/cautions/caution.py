"""Caution: one thing to know before a release is handed on, what it means and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["serious", "note"]


@dataclass(frozen=True)
class Caution:
    """`serious` ones can undo the protection or the use of the release, a `note` is good to know.

    `kind` names the sort of caution for programs, `columns` those that it is about. `title` says it in a few words,
    `sentence` what it means, `remedy` what can be done; no value of the table is in any of them.

    >>> caution = Caution("low-k", "note", (), "k = 3 is low", "A guess is right once in 3 times.", "Use k = 5.")
    >>> print(caution)
    note: k = 3 is low. A guess is right once in 3 times. Use k = 5.
    """

    kind: str
    severity: Severity
    columns: tuple[str, ...]
    title: str
    sentence: str
    remedy: str

    @property
    def serious(self) -> bool:
        return self.severity == "serious"

    @property
    def text(self) -> str:
        """What it means and what to do."""
        return f"{self.sentence} {self.remedy}".strip()

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "columns": list(self.columns)}

    def __str__(self) -> str:
        return f"{self.severity}: {self.title}. {self.text}"


def counted(found: Iterable[Caution]) -> str:
    """How many there are, in words.

    >>> one = Caution("low-k", "note", (), "k = 3 is low", "…", "…")
    >>> counted([one]), counted([])
    ('1 caution', 'no caution')
    """
    cautions = list(found)
    serious = sum(caution.serious for caution in cautions)
    number = f"{len(cautions) or 'no'} caution{'' if len(cautions) < 2 else 's'}"
    return (
        f"{number}, {serious} of them serious" if 0 < serious < len(cautions) else number + ", serious" * (serious > 0)
    )

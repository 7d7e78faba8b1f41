"""About: what a release is for and who answers for it, as its report says."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date

from paravent.errors import PlanError

_LONGEST = 2000


@dataclass(frozen=True, kw_only=True, repr=False)
class About:
    """What the report says of a release beside its figures. None of it changes the release.

    `responsible` is who answers for it, `purpose` what it is made for, `recipient` who gets it. `title` stands on top
    of the report in the place of the name of the source. `date` (as in 2026-11-16) is the day on the report; without
    it, the day of the run stands there.

    >>> About(responsible="Ada Byron", purpose="teaching")
    pv.About(responsible='Ada Byron', purpose='teaching')
    """

    title: str | None = None
    responsible: str | None = None
    purpose: str | None = None
    recipient: str | None = None
    date: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            text = getattr(self, field.name)
            if text is None:
                continue
            if not isinstance(text, str) or not text.strip():
                raise PlanError(f"about: {field.name} must be a text, not {text!r}. Leave it out if there is none.")
            if len(text) > _LONGEST:
                raise PlanError(f"about: {field.name} has {len(text)} letters. Say it in {_LONGEST} or fewer.")
        if self.date is not None and not _is_day(self.date):
            raise PlanError(f"about: date must be a day such as '2026-11-16', not {self.date!r}.")

    def __bool__(self) -> bool:
        """Whether anything is said."""
        return any(getattr(self, field.name) is not None for field in fields(self))

    def to_document(self) -> dict[str, str]:
        """What is said, by name."""
        return {field.name: text for field in fields(self) if (text := getattr(self, field.name)) is not None}

    def __repr__(self) -> str:
        return f"pv.About({', '.join(f'{name}={text!r}' for name, text in self.to_document().items())})"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False

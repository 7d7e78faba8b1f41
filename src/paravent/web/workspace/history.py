"""History: what was changed, with the values before it, so that it can be undone and joined with other changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STEPS = 200
BYTES = 16 << 20
"""How far back undo goes: so many steps, and so many bytes of values."""


@dataclass(frozen=True)
class Change:
    """One step: what was done, in plain words, when (seconds since 1970), and the fields as they were before it."""

    what: str
    when: float
    before: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {"what": self.what, "when": self.when, "before": dict(self.before)}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Change:
        return cls(told["what"], told["when"], told["before"])


class History:
    """What can be undone and done again; and, while the program runs, what each version was made from."""

    def __init__(self, done: list[Change] | None = None, undone: list[Change] | None = None) -> None:
        self.done = done or []
        self.undone = undone or []
        self._versions: dict[int, Mapping[str, Any]] = {}

    def note(self, change: Change) -> None:
        self.done.append(change)
        self.undone.clear()
        self._forget()

    def remember(self, version: int, before: Mapping[str, Any]) -> None:
        """The fields that a version changed, as they were before it."""
        self._versions[version] = before
        for old in sorted(self._versions)[:-STEPS]:
            del self._versions[old]

    def at(self, version: int, now: int, current: Mapping[str, Any]) -> dict[str, Any] | None:
        """The fields as they were at an earlier version; None where that is no longer known."""
        found = dict(current)
        for later in range(now, version, -1):
            if later not in self._versions:
                return None
            found.update(self._versions[later])
        return found

    def clear(self) -> None:
        self.done.clear()
        self.undone.clear()
        self._versions.clear()

    def to_dict(self) -> dict[str, Any]:
        return {"done": [each.to_dict() for each in self.done], "undone": [each.to_dict() for each in self.undone]}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> History:
        return cls(
            [Change.from_dict(each) for each in told["done"]], [Change.from_dict(each) for each in told["undone"]]
        )

    def _forget(self) -> None:
        del self.done[:-STEPS]
        size = 0
        for place in range(len(self.done) - 1, -1, -1):
            size += len(json.dumps(self.done[place].before, default=str))
            if size > BYTES and place < len(self.done) - 1:
                del self.done[: place + 1]
                return

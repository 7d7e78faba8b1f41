"""The decision log: what somebody did in a process of guidance and when, kept in a file of theirs, if they want it.

It holds names of candidates, which may name the limit of a treatment, times and figures, and no row of a table.
Sessions can be replayed into the table by which guided choices were judged (Ben Fredj 2017): decision quality,
efficiency, right answers, satisfaction.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any
from uuid import uuid4

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.guide.ranking import Ranking

EVENTS = ("begin", "context", "select", "run", "choose", "export", "quiz", "satisfaction")


def decision_quality(ranking: Ranking, chosen: str) -> float:
    """1 less what the chosen one lacks to the best, by scores over that of the best: 1 where the best was chosen."""
    check_call(decision_quality, locals())
    return 1 - (1 - ranking[chosen].ideal)


def strict_quality(ranking: Ranking, chosen: str) -> float:
    """Where the chosen one lies on the way from the worst (0) to the best (1) score."""
    check_call(strict_quality, locals())
    best, worst = ranking.places[0].score, ranking.places[-1].score
    return 1.0 if best == worst else (ranking[chosen].score - worst) / (best - worst)


class Log:
    """Lines of JSON in a file, one for each step of a session; `session` names it, `clock` tells the time."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        session: str = "",
        clock: Callable[[], float] = time.time,
    ):
        check_call(Log.__init__, locals())
        self.path = Path(path)
        self._clock = clock
        self.session = session or uuid4().hex[:12]

    def note(self, event: str, **facts: Any) -> None:
        """Write down a step."""
        check_call(Log.note, locals())
        if event not in EVENTS:
            raise PlanError(f"log: there is no event {event!r}. The choices are {', '.join(EVENTS)}.")
        line = {"session": self.session, "time": round(self._clock(), 3), "event": event, **facts}
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False, default=str) + "\n")
        except OSError as error:
            raise PlanError(f"log {str(self.path)!r} cannot be written: {error.strerror}.") from None

    def __repr__(self) -> str:
        return f"Log({str(self.path)!r})"


@dataclass(frozen=True)
class Session:
    """What came of one session. Quality and strictness are None where nothing was chosen, efficiency is quality by
    hour, and effort the steps that were taken."""

    name: str
    mode: str
    hours: float
    quality: float | None
    strict: float | None
    effort: int
    right: int | None = None
    satisfaction: float | None = None

    @property
    def efficiency(self) -> float | None:
        return None if self.quality is None or self.hours <= 0 else self.quality / self.hours


def sessions(path: str | os.PathLike[str], reference: Ranking | None = None) -> tuple[Session, ...]:
    """The sessions of a log, in their order. `reference` ranks every candidate by what was measured; without it a
    choice is judged among those that were run."""
    check_call(sessions, locals())
    found: dict[str, list[Mapping[str, Any]]] = {}
    for line in _lines(Path(path)):
        found.setdefault(str(line["session"]), []).append(line)
    return tuple(_session(name, lines, reference) for name, lines in found.items())


def study(found: Sequence[Session]) -> list[dict[str, Any]]:
    """Means by mode: decision quality, satisfaction, right answers, efficiency and hours, and how many sessions.

    >>> study([Session("a", "full", 0.5, 1.0, 1.0, 4, 12, 9.0), Session("b", "full", 0.5, 0.9, 0.8, 4, 11, 8.0)])[0]
    {'mode': 'full', 'sessions': 2, 'quality': 0.95, 'strict': 0.9, 'satisfaction': 8.5, 'right': 11.5, 'efficiency': \
1.9, 'hours': 0.5}
    """
    check_call(study, locals())
    check_call(study, locals())
    by_mode: dict[str, list[Session]] = {}
    for each in found:
        by_mode.setdefault(each.mode, []).append(each)
    names = ("quality", "strict", "satisfaction", "right", "efficiency", "hours")
    table = []
    for mode, members in by_mode.items():
        row: dict[str, Any] = {"mode": mode, "sessions": len(members)}
        for name in names:
            values = [value for each in members if (value := getattr(each, name)) is not None]
            row[name] = round(fmean(values), 10) if values else None
        table.append(row)
    return table


def _session(name: str, lines: list[Mapping[str, Any]], reference: Ranking | None) -> Session:
    chosen = next((line for line in reversed(lines) if line["event"] == "choose"), None)
    quality = strict = None
    if chosen is not None:
        quality, strict = float(chosen["quality"]), float(chosen["strict"])
        if reference is not None:
            quality = decision_quality(reference, chosen["chosen"])
            strict = strict_quality(reference, chosen["chosen"])
    end = float((chosen or lines[-1])["time"])
    last = {line["event"]: line for line in lines}
    return Session(
        name,
        str(lines[0].get("mode", "")),
        (end - float(lines[0]["time"])) / 3600,
        quality,
        strict,
        sum(line["event"] in ("context", "select", "run", "choose") for line in lines),
        last["quiz"]["right"] if "quiz" in last else None,
        last["satisfaction"]["value"] if "satisfaction" in last else None,
    )


def _lines(path: Path) -> Iterable[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PlanError(f"log {str(path)!r} cannot be read: {error.strerror}.") from None
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found = json.loads(line)
            _ = (found["session"], float(found["time"]), found["event"])
        except (ValueError, KeyError, TypeError):
            raise PlanError(f"log {str(path)!r}: line {number} is no step of a session.") from None
        yield found

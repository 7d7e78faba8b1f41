"""The picture of a process: tasks and questions from top to bottom, ways back at the side. SVG, made here, no fonts."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

from paravent.errors import PlanError
from paravent.knowledge.base import Knowledge

_WIDTH, _BOX, _LEFT, _LINE, _GAP = 620, 340, 140, 18, 30
_STYLE = (
    ".t{fill:#f4f7fb;stroke:#3b5b8c;stroke-width:1.4}.u{fill:#fff7e6;stroke:#8a5a00;stroke-width:1.4}"
    ".g{fill:#fff;stroke:#44546a;stroke-width:1.4}.e{fill:#e9f5ec;stroke:#2f7d4f;stroke-width:2.4}"
    ".l{stroke:#44546a;stroke-width:1.5;fill:none}.w{fill:#1b2a41}.s{fill:#44546a;font-size:12px}"
)
_NAMES = {"en": ("You: ", "yes", "no"), "fr": ("Vous : ", "oui", "non")}


@dataclass(frozen=True)
class Step:
    """A step with its place on the page; `ways` lead to other steps by position, each with what it is called."""

    position: int
    kind: str
    text: str
    ways: tuple[tuple[int, str], ...]
    top: float = 0
    height: float = 0

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


def steps_of(known: Knowledge, abstraction: str) -> tuple[Step, ...]:
    """The steps of an abstraction, in order."""
    _, yes, no = _NAMES[known.language]
    entries = [known.entry(key) for key in known.entry(abstraction).values("hasStep")]
    place = {entry.key: int(entry.value("position") or 0) for entry in entries}
    found = []
    for entry in sorted(entries, key=lambda each: place[each.key]):
        ways = [(entry.value(name), word) for name, word in (("next", ""), ("whenYes", yes), ("whenNo", no))]
        leads = tuple((place[key], word) for key, word in ways if key is not None and key in place)
        found.append(Step(place[entry.key], entry.value("stepKind") or "task", entry.label, leads))
    return tuple(found)


def picture(known: Knowledge, name: str) -> str:
    """The process of a technique, an algorithm or an abstraction as SVG, with a title and a description in words."""
    entry = known.entry(name)
    key = entry.key if entry.kind == "abstraction" else entry.value("describedBy")
    if key is None:
        raise PlanError(f"picture: {name!r} has no process that could be drawn.")
    abstraction = known.entry(key)
    steps = _placed(known, steps_of(known, key))
    title = abstraction.label if entry.kind == "abstraction" else f"{entry.label}: {abstraction.label}"
    height = (steps[-1].top + steps[-1].height if steps else 0) + 24
    shapes = "".join(_shape(known, step) + _words(known, step) for step in steps)
    lines = "".join(_way(step, other, word, place) for place, (step, other, word) in enumerate(_ways(steps)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" role="img" lang="{known.language}" '
        f'aria-labelledby="{key}-title {key}-text" font-family="system-ui, sans-serif" font-size="14">'
        f'<title id="{key}-title">{escape(title)}</title><desc id="{key}-text">{escape(in_words(steps))}</desc>'
        f"<style>{_STYLE}</style>"
        '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 10 5 0 10z" fill="#44546a"/></marker></defs>'
        f'<rect width="{_WIDTH}" height="{height:g}" fill="#fff"/>{lines}{shapes}</svg>\n'
    )


def in_words(steps: tuple[Step, ...]) -> str:
    """The same process for who hears it read.

    >>> in_words((Step(1, "task", "Count", ((2, ""),)), Step(2, "gateway", "Enough?", ((3, "yes"), (1, "no"))),))
    '1. Count. 2. Enough? (yes: 3; no: 1)'
    """
    told = []
    for step in steps:
        ways = "; ".join(f"{word}: {place}" for place, word in step.ways if word)
        jump = f" (→ {step.ways[0][0]})" if len(step.ways) == 1 and step.ways[0][0] != step.position + 1 else ""
        end = "" if step.text.endswith("?") else "."
        told.append(f"{step.position}. {step.text}{end}{f' ({ways})' if ways else ''}{jump}")
    return " ".join(told)


def _placed(known: Knowledge, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    top, found = 24.0, []
    for step in steps:
        lines = len(_wrapped(known, step))
        height = lines * _LINE + (34 if step.kind == "gateway" else 18)
        found.append(Step(step.position, step.kind, step.text, step.ways, top, height))
        top += height + _GAP
    return tuple(found)


def _wrapped(known: Knowledge, step: Step) -> list[str]:
    who = _NAMES[known.language][0] if step.kind == "user task" else ""
    return textwrap.wrap(f"{who}{step.text}", 30 if step.kind == "gateway" else 44) or [""]


def _shape(known: Knowledge, step: Step) -> str:  # noqa: ARG001
    if step.kind == "gateway":
        middle, half, cut = _LEFT + _BOX / 2, _BOX / 2, 34
        points = [
            (middle - half, step.middle), (middle - half + cut, step.top), (middle + half - cut, step.top),
            (middle + half, step.middle), (middle + half - cut, step.top + step.height),
            (middle - half + cut, step.top + step.height),
        ]  # fmt: skip
        return f'<polygon class="g" points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>'
    kind = {"user task": "u", "end": "e"}.get(step.kind, "t")
    corner = step.height / 2 if step.kind == "end" else 7
    return (
        f'<rect class="{kind}" x="{_LEFT}" y="{step.top:g}" width="{_BOX}" height="{step.height:g}" rx="{corner:g}"/>'
    )


def _words(known: Knowledge, step: Step) -> str:
    lines = _wrapped(known, step)
    first = step.middle - (len(lines) - 1) * _LINE / 2 + 5
    spans = (
        f'<text class="w" x="{_LEFT + _BOX / 2:g}" y="{first + place * _LINE:g}" text-anchor="middle">'
        f"{escape(line)}</text>"
        for place, line in enumerate(lines)
    )
    return "".join(spans)


def _ways(steps: tuple[Step, ...]) -> list[tuple[Step, Step, str]]:
    by_place = {step.position: step for step in steps}
    return [(step, by_place[place], word) for step in steps for place, word in step.ways if place in by_place]


def _way(step: Step, other: Step, word: str, place: int) -> str:
    middle = _LEFT + _BOX / 2
    if other.position == step.position + 1:
        start, end = step.top + step.height, other.top - 2
        line = f'<path class="l" d="M{middle:g} {start:g}V{end:g}" marker-end="url(#a)"/>'
        said = f'<text class="s" x="{middle + 8:g}" y="{start + 19:g}">{escape(word)}</text>' if word else ""
        return line + said
    back = other.position <= step.position
    side, edge = (_LEFT, -1) if back else (_LEFT + _BOX, 1)
    out = side + edge * (26 + 14 * (place % 4))
    path = f"M{side:g} {step.middle:g}H{out:g}V{other.middle:g}H{side + edge * 2:g}"
    anchor = "end" if back else "start"
    said = (
        f'<text class="s" x="{side + edge * 8:g}" y="{step.middle - 6:g}" text-anchor="{anchor}">{escape(word)}</text>'
    )
    return f'<path class="l" d="{path}" marker-end="url(#a)"/>{said if word else ""}'

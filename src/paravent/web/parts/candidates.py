"""Candidates as a table: what is predicted of each (with an interval) or was measured, its score and its rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from nicegui import ui

from paravent.guide import Guidance
from paravent.knowledge import CRITERIA, Prediction
from paravent.web.parts.anew import piece
from paravent.web.parts.bars import bar, keep, name
from paravent.web.parts.criteria import label_of, value_of
from paravent.web.parts.text import attribute, box, button, labelled, text
from paravent.web.words import Words

FIRST = 12
"""How many are shown until somebody asks for all."""


@dataclass(frozen=True)
class Line:
    """One candidate. `rank` and `score` are None where it has none; `values` are by criterion."""

    name: str
    key: str
    rank: int | None
    score: float | None
    values: Mapping[str, Prediction | float]
    note: str = ""

    def value(self, criterion: str) -> float | None:
        found = self.values.get(criterion)
        return found.value if isinstance(found, Prediction) else found


def predicted_lines(say: Words, found: Guidance) -> list[Line]:
    """The candidates in the order of their rank, those without a score at the end, with the reason."""
    lines = [_line(found, place.name, place.rank, place.score) for place in found.ranking.places]
    return lines + [
        _line(found, name, None, None, say("signatures.lacks", what=", ".join(label_of(say.language, c) for c in gaps)))
        for name, gaps in found.ranking.unscored.items()
    ]


def _line(found: Guidance, name: str, rank: int | None, score: float | None, note: str = "") -> Line:
    return Line(name, found.signature(name).key, rank, score, found.predictions.get(name, {}), note)


def measured_lines(found: Guidance) -> list[Line]:
    """What was run, in the order of its rank; then what gave nothing, with the reason."""
    if not found.finished:
        return []
    ranking = found.results
    lines = [
        Line(place.name, found.signature(place.name).key, place.rank, place.score, dict(place.values))
        for place in ranking.places
    ]
    ranked = {line.name for line in lines}
    return lines + [
        Line(name, found.signature(name).key, None, None, dict(result.values), result.reason)
        for name, result in found.finished.items()
        if name not in ranked
    ]


class CandidateTable:
    """The table. `opened` is called with the name of a candidate, `ticked` with all that are ticked (None: none can
    be), `chosen` marks one."""

    def __init__(
        self,
        say: Words,
        lines: Sequence[Line],
        weights: Mapping[str, float],
        *,
        caption: str,
        opened: Callable[[str], object] | None = None,
        selected: Sequence[str] = (),
        ticked: Callable[[tuple[str, ...]], object] | None = None,
        ranked: bool = True,
        chosen: str | None = None,
    ):
        self.say, self.lines, self.weights, self.caption = say, list(lines), weights, caption
        self.opened, self.ticked, self.ranked, self.chosen = opened, ticked, ranked, chosen
        self.selected = list(selected)
        self.sort, self.all = "", len(self.lines) <= FIRST + 3
        self._spans = {criterion: span_of(self.lines, criterion) for criterion in weights}
        self._table()

    @piece
    def _table(self) -> None:
        region = labelled(box("pv-table-scroll").props('tabindex="0" role="region"'), self.caption)
        with region, box("pv-candidates", "table"):
            text(self.caption, "caption", "pv-unseen")
            with box("", "thead"), box("", "tr"):
                self._head()
            with box("", "tbody"):
                ordered = self._ordered()
                for line in ordered if self.all else ordered[:FIRST]:
                    self._row(line)
        if not self.all:
            button(self.say("signatures.all", n=len(self.lines)), self._show_all, kind="quiet", keep="show-all")

    def _head(self) -> None:
        if self.ticked is not None:
            with box("", "th").props('scope="col"'):
                text(self.say("signatures.run"), "span", "pv-unseen")
        if self.ranked:
            text(self.say("signatures.rank"), "th").props('scope="col"')
        text(self.say("signatures.candidate"), "th").props('scope="col"')
        for criterion in self.weights:
            self._sorter(criterion, label_of(self.say.language, criterion))
        if self.ranked:
            self._sorter("", self.say("signatures.score"))

    def _sorter(self, key: str, label: str) -> None:
        with box("", "th").props('scope="col"') as cell:
            if self.sort == key and (key or self.ranked):
                cell.props('aria-sort="descending"' if self._higher(key) else 'aria-sort="ascending"')
            sorter = box("pv-sorter", "button").props('type="button"').on("click", lambda: self._sort_by(key))
            sorter.props(keep(f"sort-{key or 'score'}"))
            with sorter:
                text(label)
                arrow = "▾" if self._higher(key) else "▴"
                text(arrow if self.sort == key else "", "span", "pv-sort-arrow").props('aria-hidden="true"')

    def _row(self, line: Line) -> None:
        with box("pv-is-chosen" if line.name == self.chosen else "", "tr").props(name(f"row {line.name}")):
            if self.ticked is not None:
                with box("pv-tick-cell", "td"):
                    tick = box("pv-tick", "input").props('type="checkbox"').props(keep(f"tick-{line.name}"))
                    tick.props["checked"] = line.name in self.selected
                    tick.props["aria-label"] = self.say("signatures.run.this", name=line.name)
                    tick.on("change", lambda: self._tick(line.name), args=[])
            if self.ranked:
                text("–" if line.rank is None else str(line.rank), "td", "pv-figure pv-rank-cell")
            with box("pv-name-cell", "th").props('scope="row"'):
                if self.opened is None:
                    text(line.name)
                else:
                    opened = self.opened
                    link = box("pv-link-button", "button").props('type="button"').props(keep(f"open-{line.name}"))
                    link.on("click", lambda: opened(line.name), args=[])
                    with link:
                        text(line.name)
                if line.name == self.chosen:
                    text(self.say("results.chosen"), "span", "pv-chip")
                if line.note:
                    text(line.note, "p", "pv-muted")
            for criterion in self.weights:
                self._value(line, criterion)
            if self.ranked:
                with box("pv-score-cell", "td"):
                    text("–" if line.score is None else self.say.written(f"{line.score:.4f}"), "span", "pv-figure")
                    if line.score is not None:
                        best = max(each.score or 0 for each in self.lines)
                        bar(line.score / best if best else 0)

    def _value(self, line: Line, criterion: str) -> None:
        with box("pv-value-cell", "td").props(f"data-label={attribute(label_of(self.say.language, criterion))}"):
            found, value = line.values.get(criterion), line.value(criterion)
            if value is None:
                text("–").props('aria-hidden="true"')
                text(self.say("signatures.unknown"), "span", "pv-unseen")
                return
            text(value_of(self.say, criterion, value), "span", "pv-figure")
            if isinstance(found, Prediction) and found.low is not None and found.high is not None:
                low, high = value_of(self.say, criterion, found.low), value_of(self.say, criterion, found.high)
                text(self.say("signatures.between", low=low, high=high), "span", "pv-interval pv-muted")
                interval(found.low, value, found.high, self._spans[criterion])

    def _ordered(self) -> list[Line]:
        if not self.sort:
            return self.lines
        sign = -1 if self._higher(self.sort) else 1
        return sorted(self.lines, key=lambda line: _key(line.value(self.sort), sign))

    def _higher(self, key: str) -> bool:
        return not key or CRITERIA[key].metric.better == "higher"

    def _sort_by(self, key: str) -> None:
        self.sort = key
        self._table.refresh()

    def _show_all(self) -> None:
        self.all = True
        self._table.refresh()

    def _tick(self, name: str) -> None:
        if name in self.selected:
            self.selected.remove(name)
        else:
            self.selected.append(name)
        if self.ticked is not None:
            self.ticked(tuple(self.selected))


def _key(value: float | None, sign: int) -> float:
    return inf if value is None else sign * value


def span_of(lines: Sequence[Line], criterion: str) -> tuple[float, float]:
    """The least and the greatest that any interval reaches."""
    ends: list[float] = []
    for line in lines:
        found = line.values.get(criterion)
        told = (found.low, found.value, found.high) if isinstance(found, Prediction) else (found,)
        ends += [end for end in told if end is not None]
    return (min(ends), max(ends)) if ends else (0.0, 1.0)


def interval(low: float, value: float, high: float, span: tuple[float, float]) -> None:
    """A line from low to high with a dot at the value, on the scale of all lines."""
    width = span[1] - span[0]

    def at(number: float) -> float:
        return 4 + 92 * ((number - span[0]) / width if width > 0 else 0.5)

    ui.html(
        f'<svg viewBox="0 0 100 10" class="pv-interval-picture" aria-hidden="true" focusable="false">'
        f'<line x1="4" y1="5" x2="96" y2="5" class="pv-track"/>'
        f'<line x1="{at(low):.1f}" y1="5" x2="{at(high):.1f}" y2="5" class="pv-reach"/>'
        f'<circle cx="{at(value):.1f}" cy="5" r="3.4" class="pv-dot"/></svg>',
        sanitize=False,
    )

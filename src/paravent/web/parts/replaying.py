"""A method at work on the person's own table, one step at a time: the words of the step and some rows after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from paravent.web.parts.anew import piece
from paravent.web.parts.bars import BEGINS_AT, VALUE
from paravent.web.parts.text import box, button, labelled, text
from paravent.web.words import Words

SECONDS = 1.6
"""Between two steps while it plays."""


class Replay:
    """`walk` is what `Walk.to_dict` gave. Cells that a step changed are marked, rows that are left out say so."""

    def __init__(self, say: Words, walk: Mapping[str, Any]):
        self.say, self.walk, self.at = say, walk, 0
        self.steps: Sequence[Mapping[str, Any]] = walk["steps"]
        if not self.steps:
            self._told()
            return
        with box("pv-replay"):
            with box("pv-replay-bar"):
                self.back = button("", lambda: self._go(self.at - 1), icon="chevron_left", label=say("method.back"))
                self.play = button("", self._play, icon="play_arrow", label=say("method.play"))
                self.next = button("", lambda: self._go(self.at + 1), icon="chevron_right", label=say("method.next"))
                self._slider()
            self._stage()
        self.timer = ui.timer(SECONDS, self._tick, active=False)

    @piece
    def _slider(self) -> None:
        slider = box("pv-replay-slider", "input").props(f'type="range" min="0" max="{len(self.steps)}" step="1"')
        slider.props[BEGINS_AT] = self.at
        labelled(slider, self.say("method.steps"))
        slider.on("input", lambda event: self._show(int(event.args)), js_handler=VALUE)

    @piece
    def _stage(self) -> None:
        with box("pv-replay-stage").props('role="status"'):
            if self.at == 0:
                text(self.say("method.before"), "p", "pv-replay-words")
            else:
                step = self.steps[self.at - 1]
                text(
                    self.say("method.step", step=self.at, count=len(self.steps), words=step["words"]),
                    "p",
                    "pv-replay-words",
                )
                if step["figures"]:
                    with box("pv-figures", "dl"):
                        for name, value in step["figures"].items():
                            with box(""):
                                text(name, "dt")
                                text(self.say.number(float(value)), "dd", "pv-figure")
        self._rows()

    def _rows(self) -> None:
        columns = self.walk["columns"]
        now, was = self._state(self.at), self._state(self.at - 1)
        region = labelled(box("pv-table-scroll").props('tabindex="0" role="region"'), self.say("method.rows"))
        with region, box("pv-replay-table", "table"):
            text(self.say("method.rows"), "caption", "pv-unseen")
            with box("", "thead"), box("", "tr"):
                for name in columns:
                    text(name, "th").props('scope="col"')
            with box("", "tbody"):
                for before, row in zip(was, now, strict=True):
                    self._row(before, row, len(columns))

    def _row(self, before: Sequence[str] | None, row: Sequence[str] | None, width: int) -> None:
        if row is None:
            with box("pv-left-out", "tr"):
                text(self.say("method.left_out"), "td").props(f'colspan="{width}"')
            return
        with box("", "tr"):
            for place, cell in enumerate(row):
                changed = before is not None and before[place] != cell
                text(cell, "td", "pv-changed" if changed else "")

    def _state(self, at: int) -> Sequence[Sequence[str] | None]:
        found: Sequence[Sequence[str] | None] = self.walk["before"] if at <= 0 else self.steps[at - 1]["rows"]
        return found

    def _told(self) -> None:
        """A method that tells its steps in words alone."""
        with box("pv-told", "ol"):
            for words in self.walk["trace"]:
                text(words, "li")

    def _go(self, at: int) -> None:
        self._show(at)
        self._slider.refresh()

    def _show(self, at: int) -> None:
        self.at = min(max(at, 0), len(self.steps))
        self._stage.refresh()

    def _play(self) -> None:
        self.timer.active = not self.timer.active
        if self.timer.active and self.at == len(self.steps):
            self._go(0)
        self.play.props["icon"] = "pause" if self.timer.active else "play_arrow"
        labelled(self.play, self.say("method.pause" if self.timer.active else "method.play"))
        self.play.update()

    def _tick(self) -> None:
        if self.at >= len(self.steps):
            self._play()
            return
        self._go(self.at + 1)

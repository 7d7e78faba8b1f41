"""Why a candidate stands where it stands: a drawer with what makes up its score, and what would change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nicegui import ui

from paravent.guide import Explanation
from paravent.guide.deciding.judgements import spoken
from paravent.knowledge import Prediction
from paravent.web.parts.bars import bar
from paravent.web.parts.criteria import label_of, metric_label, value_of
from paravent.web.parts.text import box, button, labelled, text
from paravent.web.words import Words


class ExplanationDrawer:
    """A drawer that is filled when it is opened. `criterion_page` gives the address of the page about a criterion, if
    there is one; `tried` is called with (first, second, judgement) when somebody tries a change of preferences."""

    def __init__(
        self,
        say: Words,
        *,
        criterion_page: Callable[[str], str] | None,
        tried: Callable[[str, str, float], object] | None,
    ):
        self.say, self.criterion_page, self.tried = say, criterion_page, tried
        self.dialog = ui.dialog().props("position=right full-height").classes("pv-drawer-dialog")
        with self.dialog:
            self.sheet = box("pv-sheet")

    def open(self, told: Explanation, predictions: Mapping[str, Prediction], page: str) -> None:
        labelled(self.dialog, told.name)
        self.sheet.clear()
        with self.sheet:
            with box("pv-sheet__head", "header"):
                text(told.name, "h2")
                button("", self.dialog.close, icon="close", kind="quiet", label=self.say("shell.close"))
            contributions(self.say, told, predictions, self.criterion_page)
            self._why(told)
            self._change(told)
            if page:
                with box("", "p"):
                    ui.link(self.say("signatures.page"), page).classes("pv-link")
        self.dialog.open()

    def _why(self, told: Explanation) -> None:
        if told.rules:
            text(self.say("signatures.rules"), "h3")
            with box("pv-bullets", "ul"):
                for rule in told.rules:
                    _rule(self.say.written(rule))
        if told.doubts:
            text(self.say("signatures.doubts"), "h3")
            with box("pv-bullets", "ul"):
                for doubt in told.doubts:
                    text(self.say.written(doubt), "li")

    def _change(self, told: Explanation) -> None:
        text(self.say("signatures.steady"), "h3")
        text(self.say("signatures.steady.share", share=self.say.percent(told.steady), best=told.best.name), "p")
        if not told.changes:
            text(self.say("signatures.firm"), "p", "pv-muted")
        for change in told.changes[:3]:
            first, second = (label_of(self.say.language, name) for name in (change.first, change.second))
            with box("pv-what-if"):
                told_as = self.say(
                    "signatures.change",
                    first=first,
                    second=second,
                    instead=spoken(change.instead),
                    said=spoken(change.said),
                    winner=change.winner,
                )
                text(told_as, "p")
                if self.tried is not None:
                    button(
                        self.say("signatures.try"),
                        lambda _, c=change: self._try(c.first, c.second, c.instead),
                        label=self.say("signatures.try.this", winner=change.winner),
                    )

    def _try(self, first: str, second: str, said: float) -> None:
        self.dialog.close()
        assert self.tried is not None
        self.tried(first, second, said)


def _rule(said: str) -> None:
    """A rule in words; the triple of the knowledge that it rests on stands under it."""
    words, _, triple = said.removesuffix("]").rpartition(" [")
    with box("", "li"):
        text(words or said)
        if words:
            text(triple, "p", "pv-small pv-mono pv-break")


def contributions(
    say: Words, told: Explanation, predictions: Mapping[str, Prediction], criterion_page: Callable[[str], str] | None
) -> None:
    """What each criterion adds to the score; the last line is their sum."""
    place = told.place
    text(
        say("signatures.place", rank=place.rank, count=told.count, score=say.written(f"{place.score:.4f}")),
        "p",
        "pv-lead",
    )
    greatest = max([abs(part) for part in place.contributions.values()] + [abs(place.base), 1e-12])
    with box("pv-contributions", "table"):
        text(say("signatures.contributions"), "caption", "pv-unseen")
        with box("", "thead"), box("", "tr"):
            for key in ("criterion", "value", "weight", "adds"):
                text(say(f"signatures.{key}"), "th").props('scope="col"')
        with box("", "tbody"):
            if place.base:
                _added(say, say("signatures.base"), "", "", "", place.base, greatest)
            for name, part in sorted(place.contributions.items(), key=lambda each: -each[1]):
                value = value_of(say, name, place.values[name])
                told_of = predictions.get(name)
                how = evidence(say, told_of) if told_of is not None else metric_label(say.language, name)
                _added(
                    say,
                    label_of(say.language, name),
                    value,
                    how,
                    say.percent(told.weights[name]),
                    part,
                    greatest,
                    "" if criterion_page is None else criterion_page(name),
                )
        with box("", "tfoot"), box("", "tr"):
            text(say("signatures.sum"), "th").props('scope="row" colspan="3"')
            text(say.written(f"{place.score:.4f}"), "td", "pv-figure").props('data-name="sum"')


def _added(
    say: Words, label: str, value: str, how: str, weight: str, part: float, greatest: float, link: str = ""
) -> None:
    with box("", "tr"):
        with box("", "th").props('scope="row"'):
            if link:
                ui.link(label, link)
            else:
                text(label)
        with box("", "td"):
            text(value, "span", "pv-figure")
            text(how, "span", "pv-small")
        text(weight, "td", "pv-figure")
        with box("", "td"):
            text(say.written(f"{part:+.4f}"), "span", "pv-figure pv-part")
            bar(abs(part) / greatest)


def evidence(say: Words, told: Prediction) -> str:
    """What a prediction rests on.

    >>> evidence(Words("en"), Prediction("Datafly()", "utility.gcp", 0.3, 0.2, 0.4, "cube", 12))
    'rests on 12 runs on other tables'
    """
    if told.value is None:
        return say.heard(told.reason)
    return say(f"signatures.evidence.{told.evidence.replace(' ', '-')}", n=told.support, source=told.source)

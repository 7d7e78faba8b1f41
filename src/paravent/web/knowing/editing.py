"""Editing the knowledge, for experts: every change is checked against the shapes, and can be undone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from nicegui import ui

from paravent.errors import ParaventError
from paravent.knowledge import CRITERIA, Layer, load
from paravent.knowledge.terms import KINDS
from paravent.web.aside import aside
from paravent.web.knowing.reading import BadLineError, pairs_of
from paravent.web.page import Page
from paravent.web.parts.criteria import label_of
from paravent.web.parts.text import box, button, note, problem, text

CHANGED = ("label", "definition", "help")


def editing(page: Page) -> None:
    """The forms, and what was changed so far."""
    say = page.say
    page.script(
        "from paravent.knowledge import Layer\n\nlayer = Layer()\n"
        'layer.change("datafly", help="Ask Ann before you take it.")\nprint(layer.versions)\nlayer.undo()',
        'paravent know change datafly --text "Ask Ann before you take it."\nparavent know versions\nparavent know undo',
    )
    text(say("knowledge.edit.lead"), "p", "pv-muted")
    if page.visitor.name and page.visitor.role != "expert":
        note(say("knowledge.viewer"))
        return
    with box("pv-halves"):
        with box("pv-stack"):
            _Change(page)
            _Add(page)
        with box("pv-stack"):
            _Threshold(page)
            _Evaluate(page)
            _history(page)


class _Form(ABC):
    """A card with fields and a button; `title` is the key of its text, `save` makes the change and names it."""

    title = ""

    def __init__(self, page: Page):
        self.page, self.say = page, page.say
        with box("pv-card pv-edit", "section"):
            text(self.say(self.title), "h2")
            self.fields()
            self.said = box("pv-stack").props('role="status"')
            with box("pv-row"):
                button(self.say("knowledge.save"), self._save, icon="check", keep=self.title)

    @abstractmethod
    def fields(self) -> None:
        """Put the fields where the elements are made now."""

    @abstractmethod
    def save(self) -> Callable[[], Any]:
        """What makes the change that the fields say; an error where they say none."""

    async def _save(self) -> None:
        self.said.clear()
        try:
            version = await aside(self.save())
        except BadLineError as error:
            with self.said:
                problem(self.say("knowledge.bad_line", line=error.line))
            return
        except ValueError:
            with self.said:
                problem(self.say("knowledge.nothing"))
            return
        except ParaventError as error:  # the sentence of the shapes
            with self.said:
                problem(str(error), of=self.page)
            return
        self.page.tell(self.say("knowledge.saved", what=version.change))
        self.page.refresh()

    def _input(self, key: str, *, long: bool = False, value: str = "") -> Any:
        made = ui.textarea if long else ui.input
        return made(label=self.say(f"knowledge.{key}"), value=value).props("outlined").classes("pv-field")


class _Change(_Form):
    title = "knowledge.change"

    def fields(self) -> None:
        known = load(language=self.say.language)
        keys = {key: f"{known.entry(key).label} ({key})" for key in sorted(known.keys())}
        self.which = ui.select(keys, label=self.say("knowledge.which"), with_input=True, on_change=self._fill)
        self.which.props("outlined").classes("pv-field")
        self.label = self._input("label")
        self.definition = self._input("definition", long=True)
        self.help = self._input("text", long=True)
        self.more = self._input("more", long=True)

    def _fill(self) -> None:
        if self.which.value:
            entry = load(language=self.say.language).entry(str(self.which.value))
            self.label.value, self.definition.value, self.help.value = entry.label, entry.definition, entry.help

    def save(self) -> Callable[[], Any]:
        key = str(self.which.value or "")
        if not key:
            raise ValueError
        entry = load(language=self.say.language).entry(key)
        said: dict[str, Any] = {}
        for name, field in (("label", self.label), ("definition", self.definition), ("help", self.help)):
            if field.value and field.value != getattr(entry, name):
                said[name] = field.value
        said |= pairs_of(self.more.value)
        if not said:
            raise ValueError
        return lambda: Layer().change(key, language=self.say.language, **said)


class _Add(_Form):
    title = "knowledge.add"

    def fields(self) -> None:
        kinds = {each: self.say(f"knowledge.kind.{each}") for each in KINDS if self.say.has(f"knowledge.kind.{each}")}
        self.kind = ui.select(kinds, label=self.say("knowledge.kind"), value="algorithm").props("outlined")
        self.kind.classes("pv-field")
        self.key = self._input("key")
        self.label = self._input("label")
        self.definition = self._input("definition", long=True)
        self.help = self._input("text", long=True)
        self.more = self._input("more", long=True)

    def save(self) -> Callable[[], Any]:
        if not self.key.value:
            raise ValueError
        said = {name: getattr(self, name).value for name in CHANGED if getattr(self, name).value}
        said |= pairs_of(self.more.value)
        kind, key = str(self.kind.value), str(self.key.value)
        return lambda: Layer().add(kind, key, language=self.say.language, **said)


class _Threshold(_Form):
    title = "knowledge.threshold"

    def fields(self) -> None:
        criteria = {CRITERIA[name].key: label_of(self.say.language, name) for name in CRITERIA}
        self.which = ui.select(
            criteria, label=self.say("knowledge.requirement"), value="precision", on_change=self._fill
        )
        self.which.props("outlined").classes("pv-field")
        self.bounds = self._input("bounds", value=self._known())

    def _known(self) -> str:
        found = load(language=self.say.language).thresholds(str(self.which.value))
        return " ".join(f"{bound:g}" for bound in found)

    def _fill(self) -> None:
        self.bounds.value = self._known()

    def save(self) -> Callable[[], Any]:
        bounds = [float(part.replace(",", ".")) for part in str(self.bounds.value).split()]
        return lambda: Layer().threshold(str(self.which.value), bounds)


class _Evaluate(_Form):
    title = "knowledge.evaluate"

    def fields(self) -> None:
        known = load(language=self.say.language)
        algorithms = {entry.key: entry.label for entry in known.entries("algorithm")}
        self.algorithm = ui.select(algorithms, label=self.say("knowledge.algorithm"), with_input=True).props("outlined")
        self.algorithm.classes("pv-field")
        requirements = {CRITERIA[name].key: label_of(self.say.language, name) for name in CRITERIA}
        self.requirement = ui.select(requirements, label=self.say("knowledge.requirement"), value="precision")
        self.requirement.props("outlined").classes("pv-field")
        metrics = {entry.key: entry.label for entry in known.entries("metric")}
        self.metric = ui.select(metrics, label=self.say("knowledge.metric"), with_input=True).props("outlined")
        self.metric.classes("pv-field")
        self.value = ui.number(label=self.say("knowledge.value")).props("outlined").classes("pv-field")
        self.source = self._input("source")
        self.given = self._input("given", long=True)

    def save(self) -> Callable[[], Any]:
        if not self.algorithm.value or not self.metric.value or self.value.value is None:
            raise ValueError
        given = pairs_of(self.given.value)
        told = (str(self.algorithm.value), str(self.requirement.value), str(self.metric.value), float(self.value.value))
        return lambda: Layer().evaluate(*told, source=str(self.source.value or ""), given=given)


def _history(page: Page) -> None:
    say = page.say
    with box("pv-card", "section"):
        text(say("knowledge.history"), "h2")
        versions = Layer().versions
        if not versions:
            text(say("knowledge.history.none"), "p", "pv-muted")
            return
        with box("pv-methods", "ol"):
            for version in reversed(versions):
                text(version.change, "li", "pv-method")

        async def undo() -> None:
            with page.mistakes():
                done = await aside(lambda: Layer().undo())
                page.tell(say("knowledge.undone", what=done.change))
                page.refresh()

        with box("pv-row"):
            button(say("knowledge.undo"), undo, icon="undo", keep="undo-knowledge")

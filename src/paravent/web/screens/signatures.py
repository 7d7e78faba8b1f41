"""Candidates: what is expected of each, why it stands where it stands, what would change that, and which to run."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from paravent.guide import Guidance
from paravent.knowledge import load
from paravent.web.aside import aside
from paravent.web.guiding.context import FIRST
from paravent.web.guiding.found import guide_job, look
from paravent.web.guiding.preferences import Pair, Pairs, judged, said_of, suited, told_of
from paravent.web.guiding.scripts import guide_script
from paravent.web.page import Page
from paravent.web.parts.anew import piece
from paravent.web.parts.candidates import CandidateTable, predicted_lines
from paravent.web.parts.criteria import label_of
from paravent.web.parts.explanation import ExplanationDrawer
from paravent.web.parts.fields import choice
from paravent.web.parts.guided import guided
from paravent.web.parts.judging import Judging
from paravent.web.parts.later import Later
from paravent.web.parts.running import RunSelected
from paravent.web.parts.text import box, button, note, text
from paravent.web.parts.tradeoff import Point, redrawn, tradeoff
from paravent.web.screens import Screen

SECONDS = (0, 2, 5, 20, 60)
"""Seconds that may be spent on the table before candidates are ranked."""
TRY = 20
"""Seconds that are proposed where nothing is known about any candidate."""
AFTER = ("print(found)", "print(found.explain(1))", "found.select(1, 2, 3)")


async def build(page: Page) -> None:
    page.heading("signatures.title", "signatures.lead")
    page.script(*guide_script(page.document, AFTER, " --run 3"))
    found = await guided(page)
    if found is not None:
        Candidates(page, found)


class Candidates:
    """The screen once candidates are found. `found` is in the order of what is kept, `tried` of what is tried out."""

    def __init__(self, page: Page, found: Guidance):
        self.page, self.say, self.found, self.tried = page, page.say, found, found
        names = {each.name for each in found.signatures}
        self.selected = tuple(name for name in page.document.selected if name in names)
        self.preferred: Later[dict[Pair, float]] = Later(self._prefer)
        self.drawer = ExplanationDrawer(
            page.say,
            criterion_page=(lambda name: page.link(f"criterion/{name}")) if page.shows("descriptions") else None,
            tried=self._try_change,
        )
        self._first()
        with box("pv-card", "section"):
            self._table()
            self._actions()
        with box("pv-halves"):
            if self.tried.ranking.places:
                with box("pv-card", "section"):
                    self._what_if()
            with box("pv-stack"):
                if self.tried.ranking.places:
                    with box("pv-card", "section"):
                        text(self.say("signatures.map"), "h2")
                        self.chart = tradeoff(self.say, self._points(), "precision", self._open)
                with box("pv-card", "section"):
                    self._landmarks()
        if page.shows("descriptions"):
            self._pages()

    def _first(self) -> None:
        say = self.say
        contradictions = [each for _, each in self.found.context.goals.nodes if not each.consistent]
        if contradictions:
            with box("pv-hint pv-hint--warn").props('role="status"'):
                ui.icon("warning_amber")
                with box("pv-stack pv-stack--tight"):
                    text(say("signatures.contradict", ratio=say.written(f"{contradictions[0].ratio:.4f}")), "p")
                    ui.link(say("signatures.contradict.go"), self.page.link("preferences")).classes("pv-link")
        if self.tried.ranking.places:
            with box("pv-card pv-best"), box("pv-row pv-row--between"):
                with box("pv-stack pv-stack--tight"):
                    text(say("signatures.first"), "span", "pv-tile__what")
                    self.first = text(self.tried.ranking.best.name, "strong", "pv-big").props('data-name="first"')
                button(
                    say("signatures.why"),
                    lambda: self._open(self.tried.ranking.best.name),
                    icon="help_outline",
                    keep="why",
                )
            if self.tried.ranking.unscored:
                note(say("signatures.unscored", n=len(self.tried.ranking.unscored)))
        else:
            self._nothing_known()

    def _nothing_known(self) -> None:
        """No table that was evaluated is like this one: runs on a part of it say more."""
        more = next((each for each in SECONDS if each >= TRY and each > self._spent()), 0)
        with box("pv-hint pv-hint--warn").props('role="status"'):
            ui.icon("warning_amber")
            with box("pv-stack pv-stack--tight"):
                text(self.say("signatures.unknown_table" if more else "signatures.unknown_still"), "p")
                if more and self.page.visitor.may_change:
                    with box("pv-row"):
                        words = self.say("signatures.try_for", n=more)
                        button(words, lambda: self._spend(more), kind="main", keep="try-them")

    @piece
    def _table(self) -> None:
        CandidateTable(
            self.say,
            predicted_lines(self.say, self.tried),
            self.tried.context.goals.weights,
            caption=self.say("signatures.table"),
            opened=self._open,
            selected=self.selected,
            ticked=self._ticked,
        )
        text(self.say("signatures.scores"), "p", "pv-small")

    def _actions(self) -> None:
        with box("pv-row pv-actions"):
            if self.tried.ranking.places:
                button(self.say("signatures.top"), self._tick_first, keep="top-three")
            ui.space()
            self.run = RunSelected(self.page, "signatures", self.selected)

    def _points(self) -> list[Point]:
        return [
            Point(place.name, place.values["security"], place.values["precision"], False, place.name in self.selected)
            for place in self.tried.ranking.places
            if "security" in place.values and "precision" in place.values
        ]

    # choosing

    def _ticked(self, names: tuple[str, ...]) -> None:
        self.selected = names
        self.page.change(self.say("signatures.selected"), refresh=False, selected=list(names))
        self.run.show(names)

    def _tick_first(self) -> None:
        self._ticked(tuple(place.name for place in self.tried.ranking.top()))
        self._table.refresh()

    # understanding

    def _open(self, name: str) -> None:
        with self.page.mistakes():
            told = self.tried.explain(name, by="predicted")
            key = self.tried.signature(name).key
            page = self.page.link(f"method/{key}") if self.page.shows("descriptions") else ""
            self.drawer.open(told, self.tried.predictions.get(name, {}), page)

    # what if

    def _what_if(self) -> None:
        say = self.say
        text(say("signatures.what_if"), "h2")
        text(say("signatures.what_if.lead"), "p", "pv-muted")
        self._judging()
        self._verdict()

    @piece
    def _judging(self) -> None:
        told = {**FIRST, **self.page.document.context}
        preferences = self.tried.context.preferences if self.tried is not self.found else said_of(told)
        Judging(self.say, self.found.context.use, preferences, self.preferred.tell, narrow=True)

    def _verdict(self) -> None:
        with box("pv-stack") as self.verdict:
            with box("pv-stack").props('role="status"'):
                self.told = text("", "p", "pv-strong").props('data-name="what-if"')
            with box("pv-row"):
                button(self.say("signatures.what_if.keep"), self._keep, kind="main", keep="keep-preferences")
                button(self.say("signatures.what_if.drop"), self._drop, keep="drop-preferences")
        self.verdict.set_visibility(False)

    def _judge(self) -> None:
        """Which is first under what is tried. The buttons below it stay the same ones."""
        self.verdict.set_visibility(self.tried is not self.found)
        if self.tried is not self.found:
            best, was = self.tried.ranking.best.name, self.found.ranking.best.name
            self.told.text = self.say(f"signatures.what_if.{'still' if best == was else 'first'}", name=best)

    def _prefer(self, preferences: Pairs) -> None:
        self.tried = self.found.preferring(dict(preferences))
        self._reordered()

    def _try_change(self, first: str, second: str, said: float) -> None:
        use = self.found.context.use
        usage = self.found.context.goals.children["quality"][2:]
        named = tuple("usage" if name in usage else name for name in (first, second))
        self.preferred.now()
        now: dict[Pair, float] = suited(use, {**self.tried.context.preferences})
        self._prefer(judged(now, named[0], named[1], said))
        self._judging.refresh()

    def _reordered(self) -> None:
        self.first.text = self.tried.ranking.best.name
        self._table.refresh()
        redrawn(self.chart, self.say, self._points(), "precision")
        self._judge()

    def _keep(self) -> None:
        self.preferred.now()
        kept: dict[str, Any] = told_of(self.tried.context.preferences)
        self.page.change(
            self.say("preferences.changed"), context={**FIRST, **self.page.document.context, "preferences": kept}
        )

    def _drop(self) -> None:
        self.preferred.forget()
        self.tried = self.found
        self._reordered()
        self._judging.refresh()

    # more

    def _landmarks(self) -> None:
        say, spent = self.say, self._spent()
        text(say("signatures.landmarks"), "h2")
        text(say("signatures.landmarks.help"), "p", "pv-muted")
        nothing = "signatures.seconds.0" if self.tried.ranking.places else "signatures.seconds.none"
        options = {
            str(each): say("signatures.seconds", n=each) if each else say(nothing) for each in SECONDS if each >= spent
        }
        title = say("signatures.landmarks")
        choice(self.page, title, options, str(spent), lambda chosen: self._spend(int(chosen)), keep="seconds")

    def _spent(self) -> int:
        """The seconds that were spent on the table."""
        job = guide_job(self.page.project)
        return int(float(job.arguments.get("seconds", 0))) if job is not None else 0

    async def _spend(self, seconds: int) -> None:
        if seconds > self._spent():
            await aside(look, self.page.project, float(seconds))
            self.page.refresh()

    def _pages(self) -> None:
        say, known = self.say, load(language=self.say.language)
        with box("pv-card pv-card--flat", "section"):
            text(say("signatures.methods"), "h2")
            with box("pv-links"):
                for key in dict.fromkeys(each.key for each in self.found.signatures):
                    ui.link(known.entry(key).label, self.page.link(f"method/{key}")).classes("pv-chip")
            text(say("signatures.criteria"), "h2")
            with box("pv-links"):
                for name in self.found.context.goals.weights:
                    ui.link(label_of(say.language, name), self.page.link(f"criterion/{name}")).classes("pv-chip")


SCREEN = Screen(
    "signatures",
    "signatures.title",
    build,
    group="guide",
    place=60,
    modes=frozenset({"suggestive", "full"}),
    done=lambda document: bool(document.selected),
)

"""Results: what was measured of each release, the map of risk and usefulness, two side by side, and the choice."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from paravent.guide import Guidance
from paravent.web.aside import aside
from paravent.web.guiding.found import guide_job, process_of
from paravent.web.guiding.releases import Glance, glance
from paravent.web.guiding.runs import run_jobs
from paravent.web.guiding.scripts import guide_script
from paravent.web.jobs.job import Job
from paravent.web.page import Page
from paravent.web.parts.anew import piece
from paravent.web.parts.candidates import CandidateTable, measured_lines
from paravent.web.parts.criteria import label_of, value_of
from paravent.web.parts.explanation import ExplanationDrawer
from paravent.web.parts.fields import choice
from paravent.web.parts.grid import grid
from paravent.web.parts.guided import guided
from paravent.web.parts.text import box, button, note, text
from paravent.web.parts.tradeoff import Point, redrawn, tradeoff
from paravent.web.screens import Screen

AFTER = (
    "found.select(1, 2, 3).run()",
    "print(found.results.best.name, found.results.best.values)",
    "found.choose(1)",
    'found.export("release.csv")',
)


async def build(page: Page) -> None:
    page.heading("results.title", "results.lead" if page.shows("ranking") else "results.lead.plain")
    page.script(*guide_script(page.document, AFTER, " --run 3 -o release.csv --save process.json"))
    found = await guided(page)
    if found is None:
        return
    if not any(each.status == "done" for each in found.finished.values()):
        note(page.say("results.nothing"))
        with box("pv-row"):
            ui.link(page.say("results.go"), page.link("run")).classes("pv-button pv-button--main")
        return
    job = guide_job(page.project)
    jobs = run_jobs(page.project, process_of(job)) if job is not None else {}
    view = Results(page, found, {name: each for name, each in jobs.items() if each.state == "done"})
    await view.compare()


class Results:
    """The screen once something has been run."""

    def __init__(self, page: Page, found: Guidance, jobs: dict[str, Job]):
        self.page, self.say, self.found, self.jobs = page, page.say, found, jobs
        self.ranked = page.shows("ranking")
        self.places = found.results.places
        self.names = [place.name for place in self.places] if self.ranked else sorted(p.name for p in self.places)
        chosen = page.document.chosen
        self.chosen = chosen if chosen in self.names else None
        self.left = self.chosen or self.names[0]
        self.right = next((name for name in self.names if name != self.left), self.left)
        self.axis = "precision"
        self.glances: dict[str, Glance] = {}
        self.drawer = ExplanationDrawer(
            page.say,
            criterion_page=(lambda name: page.link(f"criterion/{name}")) if page.shows("descriptions") else None,
            tried=None,
        )
        self._head()
        with box("pv-card", "section"):
            lines = measured_lines(found)
            if not self.ranked:
                lines = sorted(lines, key=lambda line: line.name)
            CandidateTable(
                self.say, lines, found.context.goals.weights, caption=self.say("results.table"),
                opened=self._open if page.shows("explanation") else self._clicked,
                ranked=self.ranked, chosen=self.chosen,
            )  # fmt: skip
        with box("pv-card", "section"):
            with box("pv-row pv-row--between"):
                text(self.say("results.map"), "h2")
                with box("pv-axis-choice"):
                    axes = [name for name in found.context.goals.weights if name != "security"]
                    labels = {name: label_of(self.say.language, name) for name in axes}
                    choice(page, self.say("results.map.axis"), labels, self.axis, self._turn, keep="axis")
            text(self.say("results.map.help"), "p", "pv-muted")
            self.chart = tradeoff(self.say, self._points(), self.axis, self._clicked)
        with box("pv-card", "section"):
            text(self.say("results.side"), "h2")
            self._sides()

    def _head(self) -> None:
        say = self.say
        if self.chosen is not None:
            with box("pv-card pv-best"), box("pv-row pv-row--between"):
                text(say("results.ready", name=self.chosen), "p", "pv-strong").props('role="status"')
                with box("pv-row pv-row--end"):
                    ui.link(say("results.analyse"), self.page.link("analysis")).classes("pv-button")
                    ui.link(say("results.export"), self.page.link("export")).classes("pv-button pv-button--main")
        elif self.ranked:
            best = self.places[0].name
            with box("pv-card pv-best"), box("pv-row pv-row--between"):
                with box("pv-stack pv-stack--tight"):
                    text(say("results.best"), "span", "pv-tile__what")
                    text(best, "strong", "pv-big").props('data-name="best"')
                button(
                    say("results.choose"), lambda: self._choose(best), icon="check", kind="main", keep="choose-best",
                    label=say("results.choose.this", name=best),
                )  # fmt: skip

    def _points(self) -> list[Point]:
        points = []
        for name in self.names:
            told = self.found.predictions.get(name, {})
            risk, other = told.get("security"), told.get(self.axis)
            if self.ranked and risk is not None and other is not None and None not in (risk.value, other.value):
                points.append(Point(name, float(risk.value or 0), float(other.value or 0), False))
        points += [
            Point(place.name, place.values["security"], place.values[self.axis], True, place.name == self.chosen)
            for place in self.places
        ]
        return points

    def _turn(self, axis: str) -> None:
        self.axis = axis
        redrawn(self.chart, self.say, self._points(), self.axis)

    async def _clicked(self, name: str) -> None:
        if name in self.names and name != self.left:
            self.left, self.right = name, self.left
            await self.compare()

    # two side by side

    async def compare(self) -> None:
        for name in {self.left, self.right}:
            if name not in self.glances:
                self.glances[name] = await aside(glance, self.jobs[name])
        self._sides.refresh()

    @piece
    def _sides(self) -> None:
        with box("pv-halves"):
            for side in ("left", "right"):
                self._side(side, getattr(self, side))

    def _side(self, side: str, name: str) -> None:
        say = self.say

        async def other(chosen: str) -> None:
            setattr(self, side, chosen)
            await self.compare()

        with box("pv-stack").props(f'data-name="{side}"'):
            label = say("results.first" if side == "left" else "results.second")
            choice(self.page, label, {each: each for each in self.names}, name, other, keep=f"side-{side}")
            found = self.glances.get(name)
            if found is None:
                box("pv-loading").props('role="status"')
                return
            values = next(place.values for place in self.places if place.name == name)
            with box("pv-facts", "dl"):
                for criterion, value in values.items():
                    with box(""):
                        text(label_of(say.language, criterion), "dt")
                        text(value_of(say, criterion, value), "dd", "pv-figure")
            text(say("results.classes", n=found.classes, least=found.least), "p", "pv-small")
            text(
                say("results.left_out", n=found.left_out) if found.left_out else say("results.all_in"), "p", "pv-small"
            )
            grid(found.names, found.rows, say("results.rows", name=name))
            if name != self.chosen:
                button(
                    say("results.choose"), lambda: self._choose(name), icon="check", keep=f"choose-{side}",
                    label=say("results.choose.this", name=name),
                )  # fmt: skip

    # choosing

    def _open(self, name: str) -> None:
        with self.page.mistakes():
            key = self.found.signature(name).key
            where = self.page.link(f"method/{key}") if self.page.shows("descriptions") else ""
            self.drawer.open(self.found.explain(name), {}, where)

    def _choose(self, name: str) -> None:
        guide = guide_job(self.page.project)
        fields: dict[str, Any] = {"chosen": name, "release": self.jobs[name].id, "guidance": guide and guide.id}
        self.page.change(self.say("results.chose", name=name), **fields)


SCREEN = Screen(
    "results", "results.title", build, group="results", place=10, done=lambda document: document.release is not None
)

"""Run: the candidates that were chosen become releases, each in a job of its own that can be watched and stopped."""

from __future__ import annotations

from nicegui import ui

from paravent.guide import Guidance
from paravent.web.aside import aside
from paravent.web.guiding.found import guide_job, process_of
from paravent.web.guiding.runs import run_candidates, run_jobs, stop_all
from paravent.web.guiding.scripts import guide_script
from paravent.web.jobs.job import Job
from paravent.web.page import Page
from paravent.web.parts.anew import piece
from paravent.web.parts.guided import guided
from paravent.web.parts.progress import UNDER_WAY
from paravent.web.parts.text import box, button, labelled, library, note, text
from paravent.web.screens import Screen
from paravent.web.words import Words

AFTER = ("found.select(1, 2, 3).run()", "print(found)")
KINDS = {
    "waiting": "", "running": "pv-chip--accent", "done": "pv-chip--good", "failed": "pv-chip--bad",
    "stopped": "pv-chip--warn", "interrupted": "pv-chip--warn",
}  # fmt: skip
SAID = {"done": "runs.finished", "failed": "runs.failed", "interrupted": "runs.stopped"}
OFTEN = 0.4


async def build(page: Page) -> None:
    page.heading("runs.title", "runs.lead")
    page.script(*guide_script(page.document, AFTER, " --run 3 -o release.csv --save process.json"))
    found = await guided(page)
    if found is not None:
        Runs(page, found)


class Runs:
    """The jobs of the candidates that are selected, and of those that were run before."""

    def __init__(self, page: Page, found: Guidance):
        self.page, self.say = page, page.say
        job = guide_job(page.project)
        self.process = {} if job is None else process_of(job)
        names = {each.name for each in found.signatures}
        self.selected = [name for name in page.document.selected if name in names]
        self.shown: object = None
        self.bars: dict[str, Bar] = {}
        self.timer = ui.timer(OFTEN, self._look, active=False)
        with box("pv-stack"):
            self._list()
        self._look()

    def _jobs(self) -> dict[str, Job]:
        there = run_jobs(self.page.project, self.process)
        wanted = dict.fromkeys([*self.selected, *there])
        return {name: there[name] for name in wanted if name in there}

    def _look(self) -> None:
        jobs = self._jobs()
        told = [(name, job.state) for name, job in jobs.items()]
        if told != self.shown:
            self.shown = told
            self._list.refresh()
        else:  # whoever is about to press stop finds it there still
            for name, bar in self.bars.items():
                bar.show(jobs[name])
        self.timer.active = any(job.state in UNDER_WAY for job in jobs.values())

    @piece
    def _list(self) -> None:
        say, jobs = self.say, self._jobs()
        self.bars = {}
        if not jobs and not self.selected:
            note(say("runs.nothing"))
            with box("pv-row"):
                where = "signatures" if self.page.shows("ranking") else "choose"
                ui.link(say("runs.choose"), self.page.link(where)).classes("pv-button pv-button--main")
            return
        under_way = [job for job in jobs.values() if job.state in UNDER_WAY]
        left = [name for name in self.selected if name not in jobs or jobs[name].state in ("stopped", "interrupted")]
        done = sum(job.state == "done" for job in jobs.values())
        if any(job.state == "interrupted" for job in jobs.values()):
            note(say("runs.interrupted"), "warning_amber")
        with box("pv-card", "section"):
            with box("pv-row pv-row--between"):
                text(say("runs.done", done=done, count=len(dict.fromkeys([*self.selected, *jobs]))), "h2")
                with box("pv-row pv-row--end"):
                    if under_way:
                        button(say("runs.stop"), self._stop, icon="stop", kind="danger", keep="stop-runs")
                    elif left:
                        key = "runs.more" if jobs else "runs.start"
                        button(say(key, n=len(left)), self._start, icon="play_arrow", kind="main", keep="start-runs")
                    if done and not under_way:
                        ui.link(say("runs.results"), self.page.link("results")).classes("pv-button pv-button--main")
            with box("pv-runs", "ul"):
                for name in dict.fromkeys([*self.selected, *jobs]):
                    self._one(name, jobs.get(name))

    def _one(self, name: str, job: Job | None) -> None:
        say = self.say
        state = job.state if job is not None else "waiting"
        with box("pv-run", "li"):
            with box("pv-row pv-row--between"):
                text(name, "strong", "pv-break")
                text(say(SAID.get(state, f"runs.{state}")), "span", f"pv-chip {KINDS[state]}")
            if job is None:
                return
            if job.state in UNDER_WAY:
                self.bars[name] = Bar(say, name)
                self.bars[name].show(job)
            elif job.state == "failed" and job.error:
                library(self.page, job.error, "p", "pv-small")
            elif job.state == "done" and job.result is not None:
                text(say("runs.seconds", seconds=say.number(float(job.result["seconds"]), 2)), "p", "pv-small")

    async def _start(self) -> None:
        if not self.page.visitor.may_change:
            self.page.warn(self.say("shell.viewer"))
            return
        await aside(run_candidates, self.page.project, self.selected)
        self._look()

    async def _stop(self) -> None:
        self.page.tell(self.say("runs.stopping"))
        await aside(stop_all, self.page.project)
        self._look()


class Bar:
    """How far a candidate is."""

    def __init__(self, say: Words, name: str) -> None:
        self.say = say
        self.bar = labelled(box("pv-job__bar").props('role="progressbar" aria-valuemin=0 aria-valuemax=100'), name)
        with self.bar:
            self.done = box("pv-job__done")
        self.left = text("", "p", "pv-small")

    def show(self, job: Job) -> None:
        self.bar.props["aria-valuenow"] = round(100 * job.progress)
        self.done.style(replace=f"width: {100 * max(job.progress, 0.02):.1f}%")
        self.left.text = self.say("runs.left", seconds=round(job.left)) if job.left else ""


SCREEN = Screen("run", "runs.title", build, group="guide", place=70, done=lambda document: document.chosen is not None)

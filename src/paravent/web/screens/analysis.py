"""Analysis: the release beside its original, what it cost and what risk is left."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from paravent.web.analysis import read_analysis
from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.grid import grid
from paravent.web.parts.picture import columns as upright
from paravent.web.parts.picture import drawn, pairs
from paravent.web.parts.sections import sections
from paravent.web.parts.text import box, library, note, text
from paravent.web.parts.tiles import tiles
from paravent.web.releases import choose_release, folder_of, looked_at, no_release
from paravent.web.screens import Screen
from paravent.web.scripts import release_script
from paravent.web.words import Words

TABS = ("overview", "table", "columns", "risk", "cost", "figures")
_CELLS = 60


async def build(page: Page) -> None:
    page.heading("analysis.title", "analysis.lead")
    job = await aside(looked_at, page.project)
    if job is None:
        no_release(page)
        return
    found = await aside(read_analysis, folder_of(job))
    page.script(*release_script(page.project, job))
    choose_release(page, job)
    at = sections(page, "analysis", TABS, "analysis.tab")
    if found.get("synthetic") and at in ("table", "columns", "risk", "cost"):
        note(page.say("analysis.synthetic"))
        return
    {"overview": _overview, "table": _table, "columns": _columns, "risk": _risk, "cost": _cost, "figures": _figures}[
        at
    ](page, found, dict(job.result or {}))


def _key(page: Page) -> None:
    with box("pv-row"):
        text(page.say("analysis.before"), "span", "pv-key pv-key--before")
        text(page.say("analysis.after"), "span", "pv-key")


def _overview(page: Page, found: dict[str, Any], told: dict[str, Any]) -> None:
    say = page.say
    figures = {each["name"]: say.written(each["text"]) for each in found.get("measures", ())}
    shown = [
        (
            say("analysis.rows"),
            say.number(int(told["rows"]["released"])),
            say("analysis.rows.of", n=told["rows"]["original"]),
        )
    ]
    wanted = (
        ("utility.class_size.min", "analysis.smallest", say("analysis.smallest.beside")),
        ("risk.prosecutor.max", "analysis.highest", say("analysis.highest.beside")),
        (
            "risk.prosecutor.average",
            "analysis.average",
            say("analysis.average.beside", value=figures.get("risk.before.prosecutor.average", "–")),
        ),
        ("utility.gcp", "analysis.detail", say("analysis.detail.beside")),
    )
    shown += [(say(key), figures[name], beside) for name, key, beside in wanted if name in figures]
    tiles(shown)
    with box("pv-card", "section"):
        text(found.get("headline", "") if say.language == "en" else _verdict(say, found), "h2")
        for sentence in found.get("sentences", ()):
            library(page, sentence, "p")
        library(page, found.get("how", ""), "p", "pv-small")
    sizes = found.get("sizes")
    if sizes and not found.get("astray"):
        with box("pv-card", "section"):
            text(say("analysis.sizes"), "h2")
            if sizes["k"]:
                text(say("analysis.sizes.k", k=sizes["k"]), "p", "pv-small")
            _key(page)
            drawn(
                upright(
                    sizes["labels"], sizes["before"], sizes["after"], say("analysis.sizes.said"), width=760, height=200
                ),
                say,
            )


def _table(page: Page, found: dict[str, Any], told: dict[str, Any]) -> None:  # noqa: ARG001
    say, rows = page.say, found.get("rows", ())[:_CELLS]
    if not rows:
        if found.get("undetailed"):
            note(found["undetailed"], of=page)
        else:
            note(say("analysis.none"))
        return
    text(say("analysis.cells"), "p", "pv-muted")
    _compared(page, found["columns"], rows, say("analysis.cells.said", n=len(rows)))


def _compared(page: Page, names: list[str], rows: list[dict[str, Any]], said: str) -> None:
    """Rows of the release; the original stands below each cell that differs."""
    cells: list[list[str | None]] = []
    kinds: dict[tuple[int, int], str] = {}
    below: dict[tuple[int, int], str] = {}
    for r, row in enumerate(rows):
        cells.append([page.say.number(row["row"]), *(cell[0] for cell in row["cells"])])
        for c, (now, then, loss) in enumerate(row["cells"], start=1):
            if loss is not None:
                kinds[r, c] = f"pv-loss pv-loss--{min(5, round(loss * 5))}"
            if then is not None and now != then:
                below[r, c] = then
    grid([page.say("analysis.row"), *names], cells, said, right=frozenset({0}), classes=kinds, below=below)


def _columns(page: Page, found: dict[str, Any], told: dict[str, Any]) -> None:  # noqa: ARG001
    say = page.say
    if found.get("undetailed"):
        note(found["undetailed"], of=page)
    _key(page)
    with box("pv-halves"):
        for each in found.get("distributions", ()):
            with box("pv-card", "section"):
                text(each["column"], "h3", "pv-break")
                draw = upright if each["ordered"] else pairs
                drawn(
                    draw(
                        each["labels"],
                        each["before"],
                        each["after"],
                        say("analysis.distribution", column=each["column"]),
                    ),
                    say,
                )
    linked = found.get("correlations") or {}
    if linked:
        text(say("analysis.correlations"), "h2")
        text(say("analysis.correlations.lead"), "p", "pv-small")
        ordered = sorted(linked["pairs"], key=lambda pair: -abs(pair[3] - pair[2]))
        rows = [
            [f"{a} × {b}", *(say.written(each) for each in (f"{old:.2f}", f"{new:.2f}", f"{new - old:+.2f}"))]
            for a, b, old, new in ordered
        ]
        heads = [say("analysis.pair"), say("analysis.before"), say("analysis.after"), say("analysis.change")]
        grid(heads, rows, say("analysis.correlations"), right=frozenset({1, 2, 3})).classes("pv-scroll--short")


def _risk(page: Page, found: dict[str, Any], told: dict[str, Any]) -> None:  # noqa: ARG001
    say = page.say
    if found.get("astray"):
        note(found["astray"], of=page)
    text(say("analysis.risk"), "h2")
    rows: list[list[str | None]] = [
        [
            say.heard(each["title"]),
            say.written(each["before_text"]),
            say.written(each["after_text"]),
            say.heard(each["meaning"]),
        ]
        for each in found.get("risk", ())
    ]
    heads = [say("analysis.risk.what"), say("analysis.before"), say("analysis.after"), say("analysis.meaning")]
    grid(heads, rows, say("analysis.risk"), right=frozenset({1, 2}), wrap=frozenset({0, 3}))
    text(say("analysis.attacks"), "h2")
    with box("pv-grid"):
        for each in found.get("attacks", ()):
            with box("pv-card pv-card--flat", "section"):
                library(page, each["title"], "h3")
                library(page, each["brings"], "p")
                text(say("analysis.stopped", what=say.heard(each["stopped_by"])), "p", "pv-small")
    if found.get("untried"):
        text(say("analysis.untried"), "h3")
        with box("pv-list", "ul"):
            for sentence in found["untried"]:
                library(page, sentence, "li", "pv-small")


def _cost(page: Page, found: dict[str, Any], told: dict[str, Any]) -> None:  # noqa: ARG001
    say, losses = page.say, found.get("losses", ())
    if found.get("undetailed"):
        note(found["undetailed"], of=page)
    if losses:
        with box("pv-card", "section"):
            text(say("analysis.losses"), "h2")
            names = [each["column"] for each in losses]
            lost = [each["loss"] for each in losses]
            with box("pv-picture-box"):
                drawn(pairs(names, [0.0] * len(names), lost, say("analysis.losses.said")), say)
    if found.get("worst"):
        text(say("analysis.worst"), "h2")
        _compared(page, found["columns"], found["worst"], say("analysis.worst"))


def _figures(page: Page, found: dict[str, Any], told: dict[str, Any]) -> None:  # noqa: ARG001
    say = page.say
    find = ui.input(say("data.find")).props("outlined dense clearable").classes("pv-find")
    find.props["aria-label"] = say("analysis.figure")
    find.props["label"] = say("analysis.figure")
    holder = box("pv-stack")

    def draw() -> None:
        wanted = (find.value or "").lower()
        rows: list[list[str | None]] = [
            [title, say.written(each["text"]), each["name"], say.heard(each["meaning"])]
            for each in found.get("measures", ())
            if wanted in f"{(title := say.heard(each['title']))} {each['name']}".lower()
        ]
        holder.clear()
        with holder:
            heads = [say("analysis.figure"), say("analysis.value"), "", say("analysis.meaning")]
            grid(heads, rows, say("analysis.tab.figures"), right=frozenset({1}), wrap=frozenset({0, 3}))

    find.on_value_change(lambda _: draw())
    draw()


def _verdict(say: Words, found: dict[str, Any]) -> str:
    """The verdict in one line, in the language of the page."""
    promises = found.get("promises", ())
    if not promises:
        return say("cautions.verdict.none")
    held = all(promise["holds"] for promise in promises)
    demands = ", ".join(say.heard(str(promise["demand"])) for promise in promises)
    return say(f"cautions.verdict.{'holds' if held else 'open'}", demands=demands)


SCREEN = Screen(
    "analysis",
    "analysis.title",
    build,
    group="results",
    place=20,
    done=lambda document: document.checked is not None and document.checked == document.release,
)

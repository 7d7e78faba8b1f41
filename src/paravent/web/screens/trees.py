"""Trees: how each quasi-identifier becomes coarser, proposed and edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

from nicegui import events, ui

from paravent.errors import ParaventError
from paravent.hierarchy import fit, read_tree
from paravent.hierarchy.files import level_csv
from paravent.web.aside import aside
from paravent.web.looks import look_of
from paravent.web.page import Page
from paravent.web.parts.text import box, button, labelled, problem, text
from paravent.web.roles import named
from paravent.web.screens import Screen
from paravent.web.scripts import trees_script
from paravent.web.trees.build import build as build_how
from paravent.web.trees.current import Current, current, with_rows
from paravent.web.trees.level import level
from paravent.web.trees.view import chosen_column, view
from paravent.web.workspace import Document


async def build(page: Page) -> None:
    say = page.say
    page.heading("trees.title", "trees.lead")
    table = await page.table()
    names = [name for name in named(page.document.plan, "quasi") if name in table.columns]
    if not names:
        problem(say("trees.none"))
        with ui.link(target=page.link("data")).classes("pv-button pv-button--main"):
            text(say("shell.to.data"))
        return
    at = chosen_column(page, names)
    now = await aside(current, table, page.document, names[at])
    look = await aside(look_of, page.project)
    page.script(*trees_script(page.project, now))
    with box("pv-trees"):
        with box("pv-trees__columns", "nav") as nav:
            for i, name in enumerate(names):
                link = ui.link(target=page.link(f"trees/{i}")).classes("pv-side" + " pv-side--here" * (i == at))
                if i == at:
                    link.props("aria-current=page")
                with link:
                    text(name, "span", "pv-break")
                    if name in page.document.trees:
                        ui.icon("edit").classes("pv-side__icon")
        labelled(nav, say("trees.columns"))
        with box("pv-stack pv-stack--wide"):
            _head(page, now)
            if now.fitted is None:
                problem(now.problem, of=page)
            with box("pv-card", "section"):
                build_how(page, now, look)
            if now.fitted is not None:
                with box("pv-halves"):
                    with box("pv-card", "section"):
                        view(page, now)
                    with box("pv-card", "section"):
                        level(page, now)


def _head(page: Page, now: Current) -> None:
    say = page.say
    with box("pv-card", "section"):
        with box("pv-row pv-row--between"):
            text(say("trees.of", column=now.column), "h2", "pv-break")
            if page.visitor.may_change:
                with box("pv-row pv-row--end"):
                    button(say("trees.import"), lambda: _import(page, now), icon="upload", kind="quiet")
                    button(say("trees.export"), lambda: _export(now), icon="download", kind="quiet").set_enabled(
                        now.tree is not None
                    )
                    button(say("trees.reset"), lambda: _reset(page, now), icon="restart_alt", kind="quiet")
        made = (
            say("trees.edited")
            if now.spec is None and now.tree is not None
            else say("trees.why", reason=say.heard(now.reason))
            if now.proposed
            else say("trees.made", call=repr(now.spec).removeprefix("pv."))
        )
        text(made, "p", "pv-muted pv-break")
        if now.tree is not None:
            size = say("trees.size", values=now.tree.n_leaves, levels=len(now.tree.levels), nodes=now.tree.n_nodes)
            with box("pv-valid"):
                ui.icon("check_circle")
                text(f"{say('trees.valid')} {size}", "p").props["data-testid"] = "validity"


def _reset(page: Page, now: Current) -> None:
    columns = dict(page.document.plan.get("columns") or {})
    entry = {key: value for key, value in (columns.get(now.column) or {}).items() if key != "tree"}
    trees = {name: tree for name, tree in page.document.trees.items() if name != now.column}
    plan = {**page.document.plan, "columns": {**columns, now.column: entry}}
    page.change(page.say("trees.did.reset", column=now.column), plan=plan, trees=trees, release=None)


def _export(now: Current) -> None:
    assert now.tree is not None
    safe = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in now.column)[:60] or "tree"
    ui.download.content(level_csv(now.tree), f"{safe}.csv", "text/csv")


def _import(page: Page, now: Current) -> None:
    say = page.say

    async def taken(event: events.UploadEventArguments) -> None:
        ending = Path(event.file.name).suffix.lower()
        part = (
            page.project.folder
            / f".{uuid4().hex}.part{ending if ending in ('.csv', '.tsv', '.toml', '.json') else '.csv'}"
        )
        try:
            await event.file.save(part)
            rows = await aside(_rows, part, now)
            dialog.close()
            page.change(say("trees.did.import", column=now.column), **with_rows(page.document, now.column, rows))
        except ParaventError as error:
            page.warn(page.say.heard(str(error).replace(str(part), event.file.name)))
        finally:
            part.unlink(missing_ok=True)

    with ui.dialog(value=True) as dialog, ui.card().classes("pv-dialog"):
        with box("pv-dialog__head"):
            text(say("trees.import"), "h2")
            button("", dialog.close, icon="close", kind="quiet", label=say("shell.close"))
        text(say("trees.import.hint"), "p")
        upload = ui.upload(auto_upload=True, max_files=1, on_upload=taken).classes("pv-unseen")
        button(say("data.drop.or"), lambda: upload.run_method("pickFiles"), icon="folder_open", kind="main")
    labelled(dialog, say("trees.import"))


def _rows(path: Path, now: Current) -> list[list[str]]:
    tree = read_tree(path, name=now.column)
    fit(tree, now.domain)  # covers every value, or says which it does not
    columns: list[list[Any]] = [[each.labels[code] for code in each.codes.tolist()] for each in tree.levels]
    return [list(row) for row in zip(*columns, strict=True)]


def done(document: Document) -> bool:
    quasi = named(document.plan, "quasi")
    columns = document.plan.get("columns") or {}
    return bool(quasi) and all(name in document.trees or "tree" in columns[name] for name in quasi)


SCREEN = Screen("trees", "trees.title", build, group="prepare", place=20, done=done)

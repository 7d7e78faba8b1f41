"""The tree as nested lists: fold, tick and drag in the browser, move, group and rename here.

It is one piece of HTML with plain check boxes and buttons, so that the keyboard does all that the mouse does.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from nicegui import ui

from paravent.errors import ParaventError
from paravent.web.page import Page
from paravent.web.parts.text import box, button, labelled, text
from paravent.web.trees.branches import Branch, branch_of, dissolved, grouped, moved, renamed, rows_of
from paravent.web.trees.current import Current, with_rows

_OPEN = 80
"""Nodes up to which a tree is shown unfolded."""


def view(page: Page, now: Current) -> None:
    """The tree of a column, to be looked at and, where it is not too large, to be edited."""
    say = page.say
    assert now.tree is not None
    text(say("trees.view"), "h3")
    if not now.editable:
        text(say("trees.view.large", n=now.tree.n_leaves), "p", "pv-muted")
        return
    root = branch_of(now.tree)
    nodes = list(root)
    people = dict(now.rows_at(0))
    chosen: set[int] = set()
    text(say("trees.view.hint"), "p", "pv-small")
    frame = labelled(box("pv-tree"), say("trees.of", column=now.column))
    with frame:
        ui.html(_html(page, root, people, wide=len(nodes) <= _OPEN), sanitize=False)
    frame.on(
        "change",
        lambda event: tick(int(event.args["node"]), bool(event.args["on"])),
        js_handler="(e) => emit({node: e.target.dataset.node, on: e.target.checked})",
    )
    frame.on(
        "pvmove",
        lambda event: drop(int(event.args["node"]), int(event.args["onto"])),
        js_handler="(e) => emit(e.detail)",
    )

    def labels() -> list[str]:
        return [nodes[i].label for i in sorted(chosen)]

    def tick(node: int, on: bool) -> None:
        (chosen.add if on else chosen.discard)(node)
        count.text = say("trees.chosen", n=len(chosen))

    def drop(node: int, onto: int) -> None:
        taken = labels() if node in chosen else [nodes[node].label]
        _apply(
            page,
            now,
            say("trees.did.move", what=_short(taken), column=now.column),
            lambda: moved(root, taken, nodes[onto].label),
        )

    def act(what: str, make: Callable[[list[str]], Branch]) -> None:
        if not chosen:
            page.warn(say("trees.chosen.none"))
            return
        _apply(page, now, what, lambda: make(labels()))

    if page.visitor.may_change:
        with box("pv-card pv-card--flat pv-treetools"):
            count = text(say("trees.chosen", n=0), "p", "pv-small").props('role="status"')
            with box("pv-row"):
                groups = {each.label: each.label for each in nodes if not each.is_value}
                onto = ui.select(groups, value=root.label, label=say("trees.move"), with_input=len(groups) > 12)
                onto.props("outlined dense").classes("pv-grow")
                button(
                    say("trees.move.do"),
                    lambda: act(
                        say("trees.did.move", what=_short(labels()), column=now.column),
                        lambda taken: moved(root, taken, str(onto.value)),
                    ),
                    icon="drive_file_move",
                    keep="tree move",
                )
            with box("pv-row"):
                name = ui.input(say("trees.group.name")).props("outlined dense").classes("pv-grow")
                button(
                    say("trees.group.do"),
                    lambda: act(
                        say("trees.did.group", name=name.value, column=now.column),
                        lambda taken: grouped(root, taken, name.value or ""),
                    ),
                    icon="create_new_folder",
                    keep="tree group",
                )
                button(
                    say("trees.rename.do"),
                    lambda: act(
                        say("trees.did.rename", column=now.column),
                        lambda taken: renamed(root, taken[0], name.value or ""),
                    ),
                    icon="edit",
                    keep="tree rename",
                )
            with box("pv-row"):
                button(
                    say("trees.dissolve"),
                    lambda: act(
                        say("trees.did.dissolve", column=now.column), lambda taken: _all_dissolved(root, taken)
                    ),
                    icon="folder_off",
                    keep="tree dissolve",
                )


def _all_dissolved(root: Branch, labels: list[str]) -> Branch:
    for label in labels:
        root = dissolved(root, label)
    return root


def _apply(page: Page, now: Current, what: str, make: Callable[[], Branch]) -> None:
    try:
        rows = rows_of(make(), now.column)
    except ParaventError as error:
        page.warn(page.refusal(error))
        return
    page.change(what, **with_rows(page.document, now.column, rows))


def _short(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{labels[0]} + {len(labels) - 1}" if labels else ""


def _html(page: Page, root: Branch, people: dict[str, int], *, wide: bool) -> str:
    """Nested lists; nodes are numbered as `root` gives them."""
    say, number = page.say, iter(range(1 << 30))

    def rows(branch: Branch) -> int:
        return sum(people.get(value, 0) for value in branch.values)

    def item(branch: Branch, depth: int) -> str:
        at, label = next(number), escape(branch.label, quote=True)
        is_open = wide or depth < 1
        below = "".join(item(child, depth + 1) for child in branch.children)
        fold = ""
        if not branch.is_value:
            said = escape(say("trees.shut", label=branch.label), quote=True)
            fold = (
                f'<button type="button" class="pv-tree__fold" aria-expanded="{str(is_open).lower()}" '
                f'aria-label="{said}"></button>'
            )
        shown = f'<span class="pv-tree__label">{label}</span>'
        if depth:
            said = escape(say("trees.tick", label=branch.label), quote=True)
            shown = (
                f'<input type="checkbox" id="pv-node-{at}" data-node="{at}" aria-label="{said}">'
                f'<label for="pv-node-{at}" class="pv-tree__label">{label}</label>'
            )
        kind = "value" if branch.is_value else "group"
        row = (
            f'<span class="pv-tree__row pv-tree__row--{kind}" data-node="{at}" draggable="{str(depth > 0).lower()}">'
            f'{fold}{shown}<span class="pv-tree__rows">{escape(say("trees.people", n=rows(branch)))}</span></span>'
        )
        inside = f"<ul>{below}</ul>" if below else ""
        return f'<li class="{"" if is_open or branch.is_value else "is-shut"}">{row}{inside}</li>'

    return f"<ul>{item(root, 0)}</ul>"


def chosen_column(page: Page, names: list[str]) -> int:
    """Which of the columns the address names."""
    at: Any = page.rest
    return int(at) if at.isdigit() and int(at) < len(names) else 0

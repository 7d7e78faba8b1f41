"""The lattice of levels: every node a button, coloured by whether it holds and what it loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nicegui import ui

from paravent.web.direct.studies import _shown, _start, latest
from paravent.web.page import Page
from paravent.web.parts.text import box, button, labelled, note, text

_MOST = 60
"""Nodes of a height that are drawn."""


def lattice(page: Page) -> None:
    """Draw it on request, then choose a node."""
    say = page.say
    text(say("direct.lattice.lead"), "p", "pv-muted")
    job = latest(page, "lattice", "lattice")
    with box("pv-row"):
        button(
            say("direct.lattice.do"),
            lambda: _start(page, "lattice", use="lattice", plan=page.document.plan),
            icon="hub",
            kind="main",
            keep="lattice",
        )
    result = _shown(page, job, say("direct.tab.lattice"))
    if result is None:
        return
    nodes, names = result["nodes"], result["columns"]
    good = [node for node in nodes if node[1]]
    text(say("direct.lattice.count", good=len(good), n=len(nodes)), "p").props["data-testid"] = "lattice"
    if not good:
        note(say("direct.lattice.none"), "warning_amber")
    else:
        best = min(good, key=lambda node: (round(node[3], 12), sum(node[0]), node[0]))
        text(say("direct.lattice.best", levels=_levels(names, best[0]), loss=say.percent(best[3])), "p", "pv-strong")
    frame = labelled(box("pv-lattice"), say("direct.lattice.said"))
    with frame:
        ui.html(_html(page, result, _chosen(page, names)), sanitize=False)
    frame.on(
        "click",
        lambda event: _choose(page, names, nodes[int(event.args)]),
        js_handler="(e) => { const node = e.target.closest('button[data-node]'); if (node) emit(node.dataset.node); }",
    )


def _levels(names: Sequence[str], node: Sequence[int]) -> str:
    return ", ".join(f"{name} {level}" for name, level in zip(names, node, strict=True))


def _chosen(page: Page, names: Sequence[str]) -> list[int] | None:
    method = page.document.plan.get("method") or {}
    if method.get("name") != "Filter":
        return None
    levels = method.get("levels") or {}
    return [int(levels.get(name, 0)) if levels.get(name) != "top" else -1 for name in names]


def _choose(page: Page, names: Sequence[str], node: Sequence[Any]) -> None:
    """Use a node: the method becomes the filtering at these levels."""
    levels = dict(zip(names, node[0], strict=True))
    said = page.say("direct.lattice.chosen", levels=_levels(names, node[0]))
    if page.change(said, plan={**page.document.plan, "method": {"name": "Filter", "levels": levels}}, release=None):
        page.tell(said)


def _html(page: Page, result: Mapping[str, Any], chosen: list[int] | None) -> str:
    say, names = page.say, result["columns"]
    by_height: dict[int, list[tuple[int, Any]]] = {}
    for i, node in enumerate(result["nodes"]):
        by_height.setdefault(sum(node[0]), []).append((i, node))
    losses = [node[3] for node in result["nodes"] if node[1]] or [0.0]
    low, high = min(losses), max(losses)
    parts = []
    for height in sorted(by_height, reverse=True):
        here = sorted(
            by_height[height],
            key=lambda pair: (not pair[1][1], pair[1][3] if pair[1][3] is not None else 9, pair[1][0]),
        )
        buttons = []
        for i, (levels, holds, suppressed, loss) in here[:_MOST]:
            if holds:
                said = say(
                    "direct.lattice.node", levels=_levels(names, levels), loss=say.percent(loss), rows=suppressed
                )
                kind = f"pv-node--{5 - round(4 * (loss - low) / ((high - low) or 1))}"
            else:
                said, kind = say("direct.lattice.fails", levels=_levels(names, levels)), "pv-node--no"
            mark = ' aria-pressed="true"' if chosen == levels else ' aria-pressed="false"'
            off = "" if holds else " disabled"
            words = " ".join(map(str, levels))
            said = f"{words}: {said}"
            buttons.append(
                f'<button type="button" class="pv-node {kind}" data-node="{i}" aria-label="{escape(said, quote=True)}" '
                f'title="{escape(said, quote=True)}"{mark}{off}>{words}</button>'
            )
        more = f'<p class="pv-small">{escape(say("direct.lattice.more", n=_MOST))}</p>' if len(here) > _MOST else ""
        head = escape(say("direct.lattice.height", n=height))
        parts.append(
            f'<div class="pv-lattice__row"><span class="pv-small">{head}</span>'
            f'<div class="pv-lattice__nodes">{"".join(buttons)}</div>{more}</div>'
        )
    return "".join(parts)

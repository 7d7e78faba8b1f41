"""Proposed inputs: k, MaxSup, l and t as they follow from the constraints, each with the reason, each editable."""

from __future__ import annotations

from typing import Any

from paravent.guide.context import USUAL
from paravent.web.guiding.context import FIRST, context_of, risk_for, suppression_for
from paravent.web.guiding.scripts import inputs_script
from paravent.web.page import Page
from paravent.web.parts.fields import number
from paravent.web.parts.guided import has_sensitive, with_roles
from paravent.web.parts.text import box, note, text
from paravent.web.screens import Screen


async def build(page: Page) -> None:
    page.heading("inputs.title", "inputs.lead")
    if not with_roles(page):
        return
    rows = len(await page.table())
    page.script(*inputs_script(page.document, rows))
    say, told = page.say, {**FIRST, **page.document.context}
    context = context_of(told)

    def change(name: str, **fields: Any) -> None:
        page.change(say("inputs.changed", name=name), context={**told, **fields})

    with box("pv-grid pv-grid--wide"):
        _input(
            page, "k", context.k, say("inputs.k.why", risk=say.percent(context.risk), k=context.k),
            lambda value: change("k", risk=risk_for(int(value or 2))), 2, max(2, rows), "k",
        )  # fmt: skip
        _input(
            page, "MaxSup", context.max_sup(rows),
            say("inputs.max_sup.why", share=say.percent(context.suppression), rows=rows),
            lambda value: change("MaxSup", suppression=suppression_for(rows, int(value or 0))), 0, rows - 1, "max-sup",
        )  # fmt: skip
        if context.l is not None:
            _input(
                page, "l", context.l, _why(page, "belief", "inputs.l.why"),
                lambda value: change("l", belief=risk_for(int(value or 2))), 2, 100, "l",
            )  # fmt: skip
        if context.t is not None:
            _input(
                page, "t", context.t, _why(page, "gain", "inputs.t.why"),
                lambda value: change("t", gain=float(value or 0.3)), 0.01, 1, "t", whole=False,
            )  # fmt: skip
    text(say("inputs.more", k=context.k, two=2 * context.k, three=3 * context.k), "p", "pv-muted")
    if (context.l is not None or context.t is not None) and not has_sensitive(page.document):
        note(say("constraints.sensitive"), "warning_amber")


def _why(page: Page, name: str, key: str) -> str:
    """The reason of l or t: a limit that was said, or an attack that asks for the usual one."""
    said = page.document.context.get(name)
    if said is None:
        return page.say("inputs.attack.why", usual=page.say.percent(USUAL[name]))
    return page.say(key, **{name: page.say.percent(float(said))})


def _input(
    page: Page,
    label: str,
    value: float,
    why: str,
    changed: Any,
    low: float,
    high: float,
    entry: str,
    whole: bool = True,
) -> None:
    with box("pv-card pv-input", "section"):
        with box("pv-row pv-row--between"):
            text(label, "h2")
            text(page.say.number(value), "output", "pv-big").props(f'data-name="{label}"')
        text(why, "p", "pv-because")
        number(page, label, value, changed, low=low, high=high, entry=entry, keep=f"input-{label}", whole=whole)


SCREEN = Screen(
    "inputs",
    "inputs.title",
    build,
    group="guide",
    place=20,
    modes=frozenset({"suggestive", "full"}),
    done=lambda document: "risk" in document.context,
)

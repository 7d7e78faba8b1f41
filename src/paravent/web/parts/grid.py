"""Tables of cells. They are plain HTML tables in which every cell is escaped: quick, and read well aloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from nicegui import ui

from paravent.web.parts.text import labelled

_LONGEST = 120


def grid(
    names: Sequence[str],
    rows: Sequence[Sequence[str | None]],
    said: str,
    *,
    missing: str = "–",
    right: frozenset[int] = frozenset(),
    classes: Mapping[tuple[int, int], str] | None = None,
    below: Mapping[tuple[int, int], str] | None = None,
    wrap: frozenset[int] = frozenset(),
) -> ui.html:
    """Rows under the names of their columns. `right` are places of columns of numbers, `wrap` those of sentences;
    `classes` belong to single cells (row, place), and so do the texts that stand small `below` them."""
    head = "".join(
        f'<th scope="col"{" class=pv-number" if i in right else ""}>{escape(name)}</th>' for i, name in enumerate(names)
    )
    body = []
    for r, row in enumerate(rows):
        cells = []
        for c, cell in enumerate(row):
            kind = (
                ("pv-sentence" if c in wrap else "pv-cell")
                + " pv-number" * (c in right)
                + " pv-cell--missing" * (cell is None)
            )
            if classes and (r, c) in classes:
                kind += f" {classes[r, c]}"
            shown = missing if cell is None else cell if c in wrap or len(cell) <= _LONGEST else f"{cell[:_LONGEST]}…"
            under = (
                f'<small class="pv-was">{escape(below[r, c][:_LONGEST])}</small>' if below and (r, c) in below else ""
            )
            cells.append(f'<td class="{kind}">{escape(shown)}{under}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    made = ui.html(
        f'<table class="pv-table"><caption class="pv-unseen">{escape(said)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>",
        sanitize=False,
    )
    made.classes("pv-scroll").props("tabindex=0 role=region")
    return labelled(made, said)  # type: ignore[no-any-return]

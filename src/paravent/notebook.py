"""How results look in a notebook: small pieces of HTML. Whatever is put into them is text and is escaped here.

Colours are left to the notebook, so that light and dark ones both can be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_LONGEST = 300
_CELL = "text-align:{};vertical-align:top;padding:.2em .8em .2em 0;white-space:normal;max-width:40em"


def text(value: object) -> str:
    """A value as text of a page, cut where it is very long; signs that cannot be seen are replaced.

    >>> text("<b>" + "x" * 400)[:12], len(text("x" * 400))
    ('&lt;b&gt;xxx', 300)
    """
    found = str(value)
    found = found if len(found) <= _LONGEST else f"{found[: _LONGEST - 1]}…"
    return escape(
        "".join(sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in found)
    )


def shown(heading: str, *parts: str) -> str:
    """Parts that were made here under a heading, as `_repr_html_` gives them."""
    return f'<div class="paravent"><p><b>{text(heading)}</b></p>{"".join(parts)}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[int] = ()) -> str:
    """
    >>> table(["a"], [["<1"]])  # doctest: +ELLIPSIS
    '<table ...><thead><tr><th ...>a</th></tr></thead><tbody><tr><td ...>&lt;1</td></tr></tbody></table>'
    """
    aligned = ["right" if at in set(right) else "left" for at in range(len(heads))]
    head = "".join(f'<th style="{_CELL.format(side)}">{text(h)}</th>' for h, side in zip(heads, aligned, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{_CELL.format(side)}">{text(c)}</td>' for c, side in zip(row, aligned, strict=True))
        + "</tr>"
        for row in rows
    )
    style = "border-collapse:collapse;margin:.4em 0"
    return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def sentences(said: Iterable[object]) -> str:
    """Sentences, each a paragraph."""
    return "".join(f'<p style="margin:.3em 0">{text(sentence)}</p>' for sentence in said)


def folded(heading: str, *parts: str) -> str:
    """Parts that open when somebody wants them."""
    return f"<details><summary>{text(heading)}</summary>{''.join(parts)}</details>"


def code(lines: str) -> str:
    """Lines to copy, whole: what a program prints of itself is not cut."""
    return f"<pre>{escape(lines)}</pre>"

"""The Python and the command lines that do what the screens of the guide do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paravent.web.guiding.context import FIRST
from paravent.web.workspace.document import Document

TABLE = "table.csv"


def name_of(document: Document) -> str:
    """What the table is called in scripts."""
    return document.source.name if document.source is not None else TABLE


def context_lines(told: Mapping[str, Any]) -> list[str]:
    """The context as a call.

    >>> print("\\n".join(context_lines({"risk": 0.1, "preferences": {"security : quality": 3.0}})))
    context = pv.Context(
        risk=0.1,
        suppression=0.05,
        preferences={("security", "quality"): 3},
    )
    """
    said = {**FIRST, **told}
    lines = ["context = pv.Context("]
    for name, value in said.items():
        if name == "preferences":
            pairs = ", ".join(f"({_pair(pair)}): {_short(number)}" for pair, number in value.items())
            lines.append(f"    preferences={{{pairs}}},")
        else:
            lines.append(f"    {name}={tuple(value) if isinstance(value, list) else value!r},")
    return [*lines, ")"]


def _pair(pair: str) -> str:
    return ", ".join(f'"{part.strip()}"' for part in pair.split(":"))


def _short(number: Any) -> str:
    value = float(number)
    if value >= 1:
        return f"{value:g}"
    return f"1 / {round(1 / value)}"


def guide_script(document: Document, after: Sequence[str] = (), options: str = "") -> tuple[str, str]:
    """From the table and the context to candidates."""
    lines = [
        "import paravent as pv",
        "",
        f"table = pv.read({name_of(document)!r})",
        'plan = pv.Plan.load("plan.toml")        # the roles and trees of the columns',
        *context_lines(document.context),
        "found = pv.guide(table, context, plan)",
        *after,
    ]
    shell = f"paravent guide {name_of(document)!r} --plan plan.toml --context context.toml{options}"
    return "\n".join(lines), f"{shell}\n\n# context.toml\n{_toml(document.context)}"


def inputs_script(document: Document, rows: int) -> tuple[str, str]:
    """k and MaxSup from the context."""
    python, shell = guide_script(document)
    begin = python.split("found = ")[0]
    return f"{begin}print(context.k, context.max_sup({rows}), context.l, context.t)", shell


def _toml(told: Mapping[str, Any]) -> str:
    import tomli_w

    return tomli_w.dumps({**FIRST, **told})

"""The text of a plan file: one line a column and a list, with room for a word on each.

What it says is what `tomli_w` would write; only the layout differs.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tomli_w

_LONGEST = 200
"""A column whose entry is longer gets a section of its own."""
_WIDTH = 120


def plan_text(document: Mapping[str, Any], notes: Mapping[str, str] | None = None, head: Sequence[str] = ()) -> str:
    """The document of a plan as TOML. `notes` are comments on its columns, `head` stands above everything.

    >>> columns = {"age": {"role": "quasi", "tree": {"intervals": [5, 10]}}, "zip code": {"role": "quasi"}}
    >>> print(plan_text({"seed": 0, "columns": columns}, {"age": "? the header names an age"}))
    seed = 0
    <BLANKLINE>
    [columns]
    # ? the header names an age
    age = { role = "quasi", tree = { intervals = [5, 10] } }
    "zip code" = { role = "quasi" }
    <BLANKLINE>
    """
    return "\n".join([*_comments(head), *([""] if head else []), *_lines(document, notes or {})]) + "\n"


def _lines(document: Mapping[str, Any], notes: Mapping[str, str]) -> Iterator[str]:
    yield from (f"{_key(name)} = {inline(value)}" for name, value in document.items() if not _is_section(value))
    for name, value in document.items():
        if name == "columns":
            yield from _columns(value, notes)
        elif isinstance(value, Mapping):
            yield from ("", f"[{_key(name)}]", *(f"{_key(key)} = {inline(part)}" for key, part in value.items()))
        elif _is_section(value):
            for entry in value:
                yield from ("", f"[[{_key(name)}]]", *(f"{_key(key)} = {inline(part)}" for key, part in entry.items()))


def _columns(columns: Mapping[str, Any], notes: Mapping[str, str]) -> Iterator[str]:
    entries = {name: f"{_key(name)} = {inline(entry)}" for name, entry in columns.items()}
    yield from ("", "[columns]")
    for name, line in entries.items():
        if len(line) <= _LONGEST:
            yield from _comments([notes[name]] if name in notes else [])
            yield line
    for name, line in entries.items():
        if len(line) > _LONGEST:
            yield ""
            yield from _comments([notes[name]] if name in notes else [])
            yield f"[columns.{_key(name)}]"
            yield from (f"{_key(key)} = {inline(part)}" for key, part in columns[name].items())


def inline(value: Any) -> str:
    """A value on one line.

    >>> inline({"groups": {"office": ["clerk", 'the "boss"']}, "deep": True})
    '{ groups = { office = ["clerk", "the \\\\"boss\\\\""] }, deep = true }'
    """
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{_key(key)} = {inline(part)}" for key, part in value.items()) + " }" if value else "{}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline, value)) + "]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").removesuffix("\n")


def _key(name: str) -> str:
    return tomli_w.dumps({name: 0}).removesuffix(" = 0\n")


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def _comments(notes: Sequence[str]) -> Iterator[str]:
    for note in notes:
        text = "".join(sign if sign.isprintable() else " " for sign in note)
        yield from textwrap.wrap(
            text, _WIDTH, initial_indent="# ", subsequent_indent="#   ", break_long_words=False, break_on_hyphens=False
        )

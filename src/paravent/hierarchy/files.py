"""Tree files: the level CSV of other tools, and nested groups in TOML or JSON.

A level CSV has one row a value and no header: the value, then its label on each level up to the root, separated by
`;`, tab or `,`. It carries the whole tree with all its levels. A row may be repeated; a group that is called like one
of its values is renamed. Nested groups carry the nodes alone: on reading, a
group stands on the lowest level above its parts.
"""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomli_w

from paravent.errors import TableError, TreeError, quote
from paravent.hierarchy.builders.groups import Groups
from paravent.hierarchy.levels import ROOT_LABEL
from paravent.hierarchy.tree import Tree
from paravent.table.atomic import replacing

_DELIMITERS = (";", "\t", ",")
_LEVEL_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
_NESTED_SUFFIXES = (".toml", ".json")


def read_tree(path: str | Path, *, name: str | None = None, delimiter: str | None = None) -> Tree:
    """The tree in a file, by its suffix: level CSV (.csv, .tsv, .tab, .txt) or nested groups (.toml, .json)."""
    called = str(path) if name is None else name
    if Path(path).suffix.lower() in _NESTED_SUFFIXES:
        return read_groups(path, name=called).tree(called)
    return Tree.from_paths(called, *_level_rows(called, _text_of(path, called), delimiter))


def read_groups(path: str | Path, *, name: str | None = None) -> Groups:
    """The nested groups in a .toml or .json file."""
    called = str(path) if name is None else name
    text = _text_of(path, called)
    try:
        if Path(path).suffix.lower() == ".toml":
            under = tomllib.loads(text)
        else:
            under = json.loads(text, object_pairs_hook=_unique(called))
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise TreeError(f"tree {called!r}: the file cannot be read ({_reason(error)}). Correct it there.") from None
    except RecursionError:
        raise TreeError(f"tree {called!r}: groups are nested too deep. Flatten them.") from None
    spec = Groups.__new__(Groups)
    object.__setattr__(spec, "under", under)
    spec.tree(called)
    return spec


def write_tree(tree: Tree, path: str | Path) -> None:
    """Write a tree by the path's suffix. The file appears whole or not at all."""
    suffix = Path(path).suffix.lower()
    if suffix == ".toml":
        text = tomli_w.dumps(nested(tree))
    elif suffix == ".json":
        text = json.dumps(nested(tree), ensure_ascii=False, indent=2) + "\n"
    elif suffix in _LEVEL_SUFFIXES:
        text = level_csv(tree, "\t" if suffix in (".tsv", ".tab") else ";")
    else:
        known = ", ".join((*_LEVEL_SUFFIXES, *_NESTED_SUFFIXES))
        raise TreeError(f"tree {tree.name!r}: a tree cannot be written as {str(path)!r}. Use one of {known}.")
    try:
        with replacing(Path(path)) as part:
            part.write_text(text, encoding="utf-8", newline="")
    except TableError as error:
        raise TreeError(f"tree {tree.name!r}: {error}") from None


def level_csv(tree: Tree, delimiter: str = ";") -> str:
    """One line a leaf, its label on every level from left to right."""
    out = io.StringIO()
    columns = [[level.labels[code] for code in level.codes.tolist()] for level in tree.levels]
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(zip(*columns, strict=True))
    return out.getvalue()


def nested(tree: Tree) -> dict[str, Any]:
    """The nodes as nested groups under the label of the highest level.

    >>> nested(Tree.from_paths("q", [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]]))
    {'*': [{'q12': ['q1', 'q2']}, 'q3']}
    """
    below: list[Any] = [None] * tree.n_nodes
    for node in range(tree.n_leaves, tree.n_nodes):  # children have lower numbers than their parents
        parts: list[Any] = []
        for child in tree.children(node).tolist():
            label = tree.labels[child]
            parts.append(label if child < tree.n_leaves else {label: below[child]})
        if all(isinstance(part, dict) for part in parts):
            below[node] = {label: under for part in parts for label, under in part.items()}
        else:
            below[node] = parts
    return {tree.top: below[tree.root]}


def _level_rows(name: str, text: str, delimiter: str | None) -> tuple[list[list[str]], list[int]]:
    """The rows of a level CSV and where each stands in the file."""
    try:
        rows, at = _parsed(text, delimiter or _sniffed(text))
    except csv.Error as error:
        raise TreeError(f"tree {name!r}: the file is no CSV ({error}). Correct it there.") from None
    if not rows:
        raise TreeError(f"tree {name!r}: the file is empty. Give one row for each value.")
    tops = [row[-1] for row in rows]
    if len(rows) > 1 and tops[0] != ROOT_LABEL and set(tops[1:]) == {ROOT_LABEL} and len(rows[0]) == len(rows[1]):
        raise TreeError(
            f"tree {name!r}: row {at[0]} ends in {quote(tops[0])} and all others in {ROOT_LABEL!r}. "
            "If it is a header, remove it; else end it in the same label."
        )
    first = {tuple(row): i for i, row in reversed(list(enumerate(rows)))}
    kept = sorted(first.values())  # a row that is written again says nothing new
    return _apart([rows[i] for i in kept]), [at[i] for i in kept]


def _apart(rows: list[list[str]]) -> list[list[str]]:
    """Rows whose groups have other names than the values in them: `33.1` over 33.1 and 33.11 is called `33.1 (group)`.
    Published, it could not be told from the value."""
    values = {row[0] for row in rows}
    taken = {label for row in rows for label in row}
    renamed: dict[tuple[int, str], str] = {}
    for height in range(1, max(len(row) for row in rows)):
        under: dict[str, set[str]] = {}
        for row in rows:
            if height < len(row):
                under.setdefault(row[height], set()).add(row[0])
        for label, inside in under.items():
            if label in values and label in inside and len(inside) > 1:
                name = f"{label} (group)"
                while name in taken:
                    name = f"{name}'"
                renamed[height, label] = name
    if not renamed:
        return rows
    return [[renamed.get((height, label), label) for height, label in enumerate(row)] for row in rows]


def _parsed(text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, at = [], []
    for row in reader:
        if row:
            rows.append([cell.strip() if cell.isspace() else cell for cell in row])
            at.append(reader.line_num)
    return rows, at


def _sniffed(text: str) -> str:
    """The first delimiter that gives every row the same number of levels, at least two; else the most frequent one."""
    for delimiter in _DELIMITERS:
        try:
            widths = {len(row) for row in _parsed(text, delimiter)[0]}
        except csv.Error:
            continue
        if len(widths) == 1 and widths != {1}:
            return delimiter
    return max(_DELIMITERS, key=text.count)


def _text_of(path: str | Path, name: str) -> str:
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        raise TreeError(f"tree {name!r}: there is no file {str(path)!r}. Check the path.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "the path is not valid"
        raise TreeError(f"tree {name!r}: the file {str(path)!r} cannot be opened ({why}). Check the path.") from None
    if b"\0" in raw:
        raise TreeError(f"tree {name!r}: the file holds NUL bytes and is no text. Save it as UTF-8 text.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = raw.count(b"\n", 0, error.start) + 1
        raise TreeError(f"tree {name!r}: row {row} is not UTF-8. Save the file as UTF-8 text.") from None


def _unique(name: str) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for label, under in pairs:
            if label in found:
                raise TreeError(f"tree {name!r}: label {quote(label)} names two groups. Give each a label of its own.")
            found[label] = under
        return found

    return collect


def _reason(error: Exception) -> str:
    """The parser's complaint without the words of the file."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, line {error.lineno}"
    return str(error).split("(at ")[-1].rstrip(")") if "(at " in str(error) else "not TOML"

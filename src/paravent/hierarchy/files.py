"""Tree files: the level CSV of other tools, and nested groups in TOML or JSON.

A level CSV (`level_file.py`) carries the whole tree with all its levels. Nested groups carry the nodes alone: on
reading, a group stands on the lowest level above its parts.
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
from paravent.hierarchy.level_file import level_tree
from paravent.hierarchy.tree import Tree
from paravent.table.atomic import replacing

_LEVEL_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
_NESTED_SUFFIXES = (".toml", ".json")


def read_tree(path: str | Path, *, name: str | None = None, delimiter: str | None = None) -> Tree:
    """The tree in a file, by its suffix: level CSV (.csv, .tsv, .tab, .txt) or nested groups (.toml, .json)."""
    called = str(path) if name is None else name
    if Path(path).suffix.lower() in _NESTED_SUFFIXES:
        return read_groups(path, name=called).tree(called)
    return level_tree(called, _text_of(path, called), delimiter)


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

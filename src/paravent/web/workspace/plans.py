"""The plan of a document: edited trees become files of the project, and no other file can be named."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import paravent as pv
from paravent.errors import PlanError, TreeError
from paravent.plan import from_document, paths_in
from paravent.table import replacing
from paravent.web.workspace.files import private_folder

_OURS = re.compile(r"(trees/[0-9a-f]{32}\.csv|sources/[0-9a-f]{16}\.[a-z0-9.]{2,9}|keys/[0-9a-f]{32}\.key)")


def plan_of(document: Mapping[str, Any], trees: Mapping[str, Mapping[str, Any]], folder: Path) -> pv.Plan:
    """The plan of a document, with edited trees by column, in the folder of a project."""
    if not document:
        raise PlanError("nothing says what is wanted yet. Give the columns their roles first.")
    told = dict(document)
    columns = told.get("columns")
    columns = dict(columns) if isinstance(columns, Mapping) else {}
    for name, tree in trees.items():
        role = columns.get(name)
        if isinstance(role, Mapping) and role.get("role") == "quasi":
            columns[name] = {**role, "tree": _tree_file(folder, name, tree)}
    if columns:
        told["columns"] = columns
    plan = from_document(told, folder=folder)
    for path in paths_in(plan):
        if not _OURS.fullmatch(path):
            raise PlanError(
                f"the plan names a file, {path!r}; here it can only use what was uploaded. Upload the tree or table."
            )
    return plan


def _tree_file(folder: Path, name: str, tree: Mapping[str, Any]) -> str:
    """Write the rows of an edited tree, under a name that follows from them."""
    rows = tree.get("rows")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
        raise TreeError(
            f"tree of column {name!r}: it has no rows. Give one row for each value, its label on every level."
        )
    out = io.StringIO()
    csv.writer(out, delimiter=";", lineterminator="\n").writerows([[str(cell) for cell in row] for row in rows])
    text = out.getvalue()
    own = f"trees/{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:32]}.csv"
    path = private_folder(folder / "trees") / Path(own).name
    if not path.exists():
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", errors="replace", newline="")
    return own

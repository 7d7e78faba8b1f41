"""Plan files: a plan as TOML, and the paths of trees that it names."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from paravent.errors import PlanError, TableError
from paravent.hierarchy.spec import TreeSpec
from paravent.methods.method import Method
from paravent.plan.document import from_document, to_document
from paravent.plan.plan import Plan
from paravent.plan.roles import Identifier, Quasi, Role
from paravent.plan.toml_text import plan_text
from paravent.privacy.promise import Promise
from paravent.table.atomic import replacing
from paravent.treatments.treatment import Treatment


def dumps(plan: Plan) -> str:
    """The plan as the text of its file."""
    return plan_text(to_document(plan))


def loads(text: str, *, folder: str | os.PathLike[str] | None = None) -> Plan:
    """
    >>> loads("[[protect]]\\nmodel = 'KAnonymity'\\nk = 3\\n[columns.age]\\nrole = 'quasy'")
    Traceback (most recent call last):
    ...
    paravent.errors.PlanError: columns.age.role: there is no role 'quasy'. Did you mean 'quasi'?
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise PlanError(f"the plan is not TOML: {error}.") from None
    except RecursionError:
        raise PlanError("the plan is nested too deeply to be read.") from None
    return from_document(document, folder=folder)


def load(path: Path) -> Plan:
    """Read a plan. Relative paths of trees start at its folder."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanError(f"plan {str(path)!r}: byte {error.start} is not UTF-8. Save it as UTF-8 text.") from None
    except OSError as error:
        raise PlanError(f"plan {str(path)!r} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise PlanError(f"plan {str(path)!r} is not the name of a file.") from None
    try:
        return loads(text.replace("\r\n", "\n"), folder=path.resolve().parent)
    except PlanError as error:
        raise PlanError(f"plan {str(path)!r}: {error.raw}") from None


def save(plan: Plan, path: Path) -> None:
    """Write a plan, whole or not at all."""
    write_text(dumps(relocated(plan, path.resolve().parent)), path)


def write_text(text: str, path: Path) -> None:
    """Write the text of a plan, whole or not at all."""
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    except TableError as error:
        raise PlanError(f"plan {str(path)!r} cannot be written: {error}") from None


def relocated(plan: Plan, folder: Path) -> Plan:
    """The plan as a file in `folder` holds it: its relative paths start there."""
    start = Path.cwd() if plan.folder is None else plan.folder

    def moved(name: str) -> str:
        return name if os.path.isabs(name) else os.path.relpath(start / name, folder)

    return _with_paths(plan, moved)


def paths_in(plan: Plan) -> list[str]:
    """The files that a plan names, as it names them: trees, populations and keys.

    >>> paths_in(loads("protect = [{model = 'KAnonymity', k = 3}]\\ncolumns.job = {role = 'quasi', tree = 'job.csv'}"))
    ['job.csv']
    """
    found: list[str] = []

    def noted(name: str) -> str:
        found.append(name)
        return name

    _with_paths(plan, noted)
    return found


def resolved(plan: Plan) -> Plan:
    """The plan with every path absolute where it is relative to the plan's folder."""
    folder = plan.folder
    return plan if folder is None else _with_paths(plan, lambda name: os.fspath(folder / name))


def _with_paths(plan: Plan, change: Callable[[str], str]) -> Plan:
    return plan.replace(
        columns={name: _role_with_paths(role, change) for name, role in plan.columns.items()},
        protect=[_promise_with_paths(promise, change) for promise in plan.protect],
        method=_method_with_paths(plan.method, change),
        treat=[_treatment_with_paths(treatment, change) for treatment in plan.treat],
    )


def _tree_with_path(thing: object, change: Callable[[str], str]) -> dict[str, Any]:
    """The entry of a tree that is a file, changed; nothing where there is none."""
    tree = getattr(thing, "tree", None)
    if isinstance(tree, str):
        return {"tree": change(tree)}
    if isinstance(tree, TreeSpec) and isinstance(getattr(tree, "path", None), str):
        return {"tree": dataclasses.replace(tree, path=change(tree.path))}  # type: ignore[attr-defined]
    return {}


def _treatment_with_paths(treatment: Treatment, change: Callable[[str], str]) -> Treatment:
    changes = _tree_with_path(treatment, change)
    key_file = getattr(treatment, "key_file", None)
    if key_file is not None:
        changes["key_file"] = change(key_file)
    return dataclasses.replace(treatment, **changes) if changes else treatment  # type: ignore[type-var]


def _method_with_paths(method: Method, change: Callable[[str], str]) -> Method:
    """Tree files that say what a column can hold."""
    domains = getattr(method, "domains", None)
    if not isinstance(domains, Mapping) or not any(isinstance(told, str) for told in domains.values()):
        return method
    moved = {name: change(told) if isinstance(told, str) else told for name, told in domains.items()}
    return dataclasses.replace(method, domains=moved)  # type: ignore[type-var]


def _promise_with_paths(model: Promise, change: Callable[[str], str]) -> Promise:
    """Trees of sensitive columns, and populations that are files; a population without an ending is a name."""
    changes, population = _tree_with_path(model, change), getattr(model, "population", None)
    if isinstance(population, str) and (Path(population).suffix or os.sep in population):
        changes["population"] = change(population)
    return dataclasses.replace(model, **changes) if changes else model  # type: ignore[type-var]


def _role_with_paths(role: Role, change: Callable[[str], str]) -> Role:
    if isinstance(role, Identifier) and role.key_file is not None:
        return dataclasses.replace(role, key_file=change(role.key_file))
    if isinstance(role, Quasi):
        return dataclasses.replace(role, **_tree_with_path(role, change))
    return role

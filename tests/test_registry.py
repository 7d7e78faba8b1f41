"""The registry: everything is found where it lives, and what is put there is known everywhere."""

from __future__ import annotations

import inspect
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from paravent import registry
from paravent.hierarchy.spec import TreeSpec
from paravent.methods.method import Method
from paravent.privacy.promise import Promise
from paravent.utility.family import Family


def defined_in(room: str) -> Iterator[tuple[str, Any]]:
    """Every public object that a module of a room holds, by loading all of them."""
    for each in pkgutil.walk_packages(import_module(room).__path__, f"{room}."):
        yield from ((name, thing) for name, thing in vars(import_module(each.name)).items() if not name.startswith("_"))


@pytest.mark.parametrize(("kind", "base"), [("method", Method), ("model", Promise)])
def test_the_classes_found_in_the_text_are_those_that_are_there(kind: str, base: type) -> None:
    there = {
        found
        for _, found in defined_in(registry.KINDS[kind].room)
        if inspect.isclass(found) and issubclass(found, base) and not inspect.isabstract(found)
        if getattr(found, "listed", True)
    }
    assert {registry.load(kind, name) for name in registry.entries(kind)} == there


def test_the_builders_found_in_the_text_are_those_that_are_there() -> None:
    there = {
        found.call
        for _, found in defined_in("paravent.hierarchy.builders")
        if inspect.isclass(found) and issubclass(found, TreeSpec) and found is not TreeSpec
    }
    assert set(registry.entries("builder")) == there
    assert all(inspect.isfunction(registry.load("builder", name)) for name in there)


def test_the_families_found_in_the_text_are_those_that_are_there() -> None:
    there = {name for name, found in defined_in("paravent.utility") if isinstance(found, Family)}
    assert set(registry.entries("family")) == there
    assert {registry.load("family", name).name for name in there} == there


METHOD = '''
"""Everybody in one class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.methods.labelling import tree_cells
from paravent.methods.method import Method, Recoding, Task


@dataclass(frozen=True, kw_only=True)
class Together(Method):
    """Everybody in one class."""

    rounds: int = 1

    title: ClassVar[str] = "Together"
    source: ClassVar[str] = "nobody"

    def run(self, task: Task) -> Recoding:
        ends = {axis.name: (axis.codes.min(keepdims=True), axis.codes.max(keepdims=True)) for axis in task.axes}
        cells = {axis.name: tree_cells(axis, *ends[axis.name]) for axis in task.axes}
        return Recoding(np.zeros(task.n_rows, dtype=np.int64), 1, cells)
'''

MODEL = '''
"""Even classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.privacy.classes import Classes
from paravent.privacy.model import Model


@dataclass(frozen=True, repr=False)
class EvenClasses(Model):
    """Every class has an even number of rows."""

    of: int = 2

    protects: ClassVar[str] = "Nobody is the odd one out."
    leaves_open: ClassVar[str] = "Everything else."

    key = "privacy.even"

    def holds(self, classes: Classes) -> np.ndarray:
        return classes.sizes % self.of == 0

    def level(self, classes: Classes) -> float:
        return float(np.gcd.reduce(classes.sizes))

    def check_feasible(self, whole: Classes) -> None:
        pass

    def describe(self) -> str:
        return "even classes"
'''

BUILDER = '''
"""No groups at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paravent.hierarchy.spec import TreeSpec, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain


@dataclass(frozen=True, repr=False)
class Bare(TreeSpec):
    call: ClassVar[str] = "bare"

    def build(self, domain: Domain) -> Tree:
        return tree_over(domain)


def bare() -> Bare:
    return Bare()
'''

FAMILY = '''
"""One number."""

from __future__ import annotations

from paravent.measures import Measure
from paravent.utility.family import Found, family
from paravent.utility.subject import Subject


@family
def answer(subject: Subject) -> Found:
    yield Measure("answer", 42.0, "Answer", "The answer.")
'''

SCRIPT = """
import json, sys
from importlib.util import find_spec, module_from_spec

for package in ("methods", "privacy", "hierarchy.builders", "utility"):  # each has one more folder
    spec = find_spec(f"paravent.{package}")
    spec.submodule_search_locations.append(f"{sys.argv[1]}/{package}")
    sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])

import polars as pl
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.plan.document import schema

table = pl.DataFrame({"age": [1, 1, 2, 2]})
plan = pv.Plan({"age": pv.Quasi(pv.bare())}, [pv.KAnonymity(2), pv.EvenClasses()], pv.methods.Together(rounds=3))
release = pv.anonymize(table, pv.Plan.from_document(plan.to_document()))
table.write_csv(f"{sys.argv[1]}/table.csv")
asked = ["-q", "age", "-k", "2", "--tree", "age=bare()", "--protect", "EvenClasses(4)", "--method", "Together()"]
done = CliRunner().invoke(app, ["anonymize", f"{sys.argv[1]}/table.csv", *asked, "--json"])
said = CliRunner().invoke(app, ["anonymize", "--help"], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"}).output
print(json.dumps({
    "public": [name in pv.__all__ and name in dir(pv) for name in ("EvenClasses", "bare")],
    "methods": "Together" in pv.methods.__all__,
    "schema": sorted(set(schema()["$defs"]) & {"EvenClasses", "Together"}),
    "released": [release.frame["age"].to_list(), repr(release.plan.method), release.verdict.levels["privacy.even"]],
    "measured": release.measure()["answer"],
    "command": [done.exit_code, json.loads(done.stdout)["measures"]["privacy.even"]],
    "help": [name in said for name in ("EvenClasses", "Together", "bare")],
}))
"""


def test_a_file_in_its_room_is_all_it_takes(tmp_path: Path) -> None:
    """Public names, plans, the schema, measures and the command line know a method, a model, a builder and a family."""
    files = {"methods": METHOD, "privacy": MODEL, "hierarchy.builders": BUILDER, "utility": FAMILY}
    for room, source in files.items():
        (tmp_path / room).mkdir()
        (tmp_path / room / "new_one.py").write_text(source, encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "public": [True, True],
        "methods": True,
        "schema": ["EvenClasses", "Together"],
        "released": [["*"] * 4, "Together(rounds=3)", 4.0],
        "measured": 42.0,
        "command": [0, 4.0],
        "help": [True, True, True],
    }


def test_without_the_file_it_is_unknown() -> None:
    assert "Together" not in registry.classes("method")
    assert "EvenClasses" not in registry.classes("model")
    assert "bare" not in registry.entries("builder")
    assert "answer" not in registry.entries("family")

"""The rooms of the package lie in layers: none imports a room above it, be it in a function or for type checkers alone.

The order is that of the table in docs/architecture.md. What goes upwards all the same is listed one by one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "paravent"

ROOMS = (
    "errors", "near", "notebook", "registry", "public", "arguments", "measures", "kernels", "table", "hierarchy",
    "profiling", "published", "privacy", "utility", "private", "methods", "treatments", "plan", "engine", "cautions",
    "comparison", "data", "knowledge", "guide", "report", "web", "cli",
)  # fmt: skip
"""From low to high."""

TOP = "paravent"
"""The package itself: its public names come from all rooms, so only what stands above them may ask for them."""

UPWARDS = {
    ("plan/release.py", "paravent.cautions.caution"): "Release.cautions gives them",
    ("plan/release.py", "paravent.cautions.case"): "Release.cautions finds them",
    ("plan/release.py", "paravent.cautions.cautions"): "Release.cautions finds them",
    ("plan/release.py", "paravent.report.page"): "Release.report draws the page",
    ("private/__init__.py", "paravent.engine.spark.questions"): "pv.private asks a Spark frame on its cluster",
    ("comparison/comparison.py", "paravent.report.comparison_page"): "Comparison.report draws the page",
    ("comparison/comparison.py", "paravent.report.ru_map"): "Comparison.map draws the map",
}
"""Conveniences of objects that users hold: method chaining ends in a room above. (file, module): why."""


def imports_of(path: Path, top: Path = SOURCE) -> Iterator[str]:
    """The modules of the package that a file imports, wherever the import stands; `import_module` with a text too."""
    package = [TOP, *path.relative_to(top).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module != TOP:
                yield module
            else:  # `from paravent import kernels` is a room, `from paravent import Plan` a public name
                yield from (f"{TOP}.{each.name}" if each.name in ROOMS else TOP for each in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module":
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


def room_of(module: str) -> str:
    """
    >>> room_of("paravent.plan.file"), room_of("paravent")
    ('plan', 'paravent')
    """
    return module.split(".")[1] if "." in module else module


def upward(path: Path, top: Path = SOURCE) -> list[str]:
    """What a file imports from rooms above its own."""
    own = path.relative_to(top).parts[0].removesuffix(".py")
    height = {room: place for place, room in enumerate((*ROOMS, TOP))}
    height["web"] = height[TOP]
    height["cli"] = height[TOP] + 1
    found = (module for module in imports_of(path, top) if module.split(".")[0] == TOP)
    return [module for module in found if height[room_of(module)] > height[own]]


FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem in ROOMS)


def test_every_file_lies_in_a_room() -> None:
    outside = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in SOURCE.rglob("*.py")} - set(ROOMS)
    assert outside == {"__init__"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_room_imports_one_above_it(path: Path) -> None:
    name = path.relative_to(SOURCE).as_posix()
    assert [module for module in upward(path) if (name, module) not in UPWARDS] == []


def test_the_command_line_uses_public_names() -> None:
    """Names of the package, or names that a room offers to those above it (its `__all__`)."""
    private = []
    for path in sorted((SOURCE / "cli").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == TOP:
                module = str(node.module)
                if module.startswith("paravent.cli"):
                    continue
                offered = {*dir(import_module(module)), *ROOMS} if module.count(".") < 2 else set()
                private += [f"{path.name}: {module}.{each.name}" for each in node.names if each.name not in offered]
                private += [f"{path.name}: {module}.{each.name}" for each in node.names if each.name.startswith("_")]
    assert private == []


def test_every_exception_is_in_use() -> None:
    used = {(path.relative_to(SOURCE).as_posix(), module) for path in FILES for module in upward(path)}
    assert set(UPWARDS) == used


@pytest.mark.parametrize(
    "source",
    [
        "from paravent.plan.plan import Plan",
        "import paravent.plan.plan",
        "from ..plan import plan",
        "from paravent import plan",
        "from paravent import Plan",
        "import paravent",
        "def late():\n    from paravent.plan.plan import Plan",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from paravent.plan.plan import Plan",
        "from importlib import import_module\nimport_module('paravent.plan.plan')",
    ],
)
def test_an_import_upwards_is_seen(tmp_path: Path, source: str) -> None:
    inside = tmp_path / "methods" / "new.py"
    inside.parent.mkdir()
    inside.write_text(f"import numpy\nfrom paravent.table.kinds import Kind\nfrom paravent import kernels\n{source}\n")
    assert len(upward(inside, tmp_path)) == 1


def test_the_architecture_shows_the_same_order() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("## The rooms")[1].split("\n## ")[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    shown = [name.strip("`/").removesuffix(".py") for cell in first for name in re.findall(r"`[^`]+`", cell)]
    assert shown == list(ROOMS)

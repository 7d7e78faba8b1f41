"""Stubs of the packages whose names are loaded when they are first used, for type checkers and editors.

`python -m tools.stubs` writes them as the registry has it (`make format` does that too); a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from paravent import public
from paravent.registry import KINDS, entries

ROOMS = (
    "cautions",
    "engine",
    "guide",
    "hierarchy",
    "knowledge",
    "methods",
    "plan",
    "privacy",
    "private",
    "table",
    "treatments",
)
"""The rooms that load names when they are first used."""
SOURCE = Path(__file__).parents[1] / "src"
_HEAD = "# Written by `make format` (tools/stubs.py).\n# ruff: noqa\n# fmt: off\n"


def stubs() -> dict[Path, str]:
    """Every stub with what should stand in it."""
    modules = {name: module.rpartition(".")[0] for name, module in public.MODULES.items()}
    found = {
        "paravent": _stub({**public.homes(), **modules}, "__version__: str\n"),
        KINDS["builder"].room: _stub(entries("builder")),
        **{f"paravent.{room}": _stub(import_module(f"paravent.{room}").homes()) for room in ROOMS},
    }
    return {SOURCE.joinpath(*package.split("."), "__init__.pyi"): text for package, text in found.items()}


def _stub(homes: Mapping[str, str], more: str = "") -> str:
    lines = sorted(f"from {module} import {name}\n" for name, module in homes.items())
    names = "".join(f"    {name!r},\n" for name in sorted(homes)).replace("'", '"')
    return f"{_HEAD}{''.join(lines)}\n{more}__all__ = [\n{names}]\n"


def main() -> None:
    for path, text in stubs().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(SOURCE.parent)}")


if __name__ == "__main__":
    main()

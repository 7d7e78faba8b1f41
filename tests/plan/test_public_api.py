"""The public names: all there, all typed the same way, none loaded before it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import paravent as pv
from tools.stubs import ROOMS


@pytest.mark.parametrize("name", [*pv.__all__, "__version__"])
def test_every_name_is_there(name: str) -> None:
    assert getattr(pv, name) is not None
    assert name in dir(pv)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="anonymise"):
        pv.anonymise  # noqa: B018


def test_importing_is_free() -> None:
    heavy = "{'polars', 'numpy', 'pydantic', 'typer', 'jinja2', 'altair'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, paravent; print(sorted({heavy}))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("package", ["", "hierarchy/builders", *ROOMS])
def test_type_checkers_see_the_same_names(package: str) -> None:
    """A stub imports each name from where it comes from, and lists those that are there and no others."""
    stub = ast.parse(Path(pv.__file__).parent.joinpath(package, "__init__.pyi").read_text(encoding="utf-8"))
    module = import_module(".".join(["paravent", *package.split("/")]).rstrip("."))
    homes = {name.name: each.module for each in stub.body if isinstance(each, ast.ImportFrom) for name in each.names}
    (listed,) = [ast.literal_eval(each.value) for each in stub.body if isinstance(each, ast.Assign)]
    assert listed == sorted(homes) == sorted(module.__all__)
    for name, home in homes.items():
        assert getattr(import_module(str(home)), name) is getattr(module, name)


def test_no_public_name_is_that_of_a_room() -> None:
    """The import system would put the room in its place."""
    assert [name for name in pv.__all__ if find_spec(f"paravent.{name}")] == [
        "data",
        "guide",
        "knowledge",
        "methods",
        "private",
        "treatments",
    ]


def test_star_imports_give_the_public_names() -> None:
    found: dict[str, object] = {}
    exec("from paravent import *\nfrom paravent.methods import *", found)
    assert set(pv.__all__) | set(pv.methods.__all__) == set(found) - {"__builtins__"}

"""The public names: all there, all typed the same way, none loaded before it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import paravent as pv


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


def test_type_checkers_see_the_same_names() -> None:
    source = Path(pv.__file__).read_text()
    imported = source.split("if TYPE_CHECKING:")[1].split("_ROOMS")[0]
    for name in pv.__all__:
        assert name in imported, name

"""The reference page says what the models say."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from paravent import privacy
from paravent.cli.app import app
from paravent.privacy import Model

PAGE = (Path(__file__).parents[2] / "docs/reference/models.md").read_text(encoding="utf-8")
MODELS = [getattr(privacy, name) for name in privacy.__all__ if getattr(privacy, name) is not Model]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_is_on_the_page(model: type[Model]) -> None:
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| `{model.__name__}("))
    assert model.protects in line
    assert model.leaves_open in line


def test_every_model_is_in_the_help() -> None:
    said = CliRunner().invoke(app, ["anonymize", "--help"]).output
    listed = " ".join(said.split()).split("Models: ")[1].split(". Repeatable")[0]
    assert listed.split(", ") == sorted(model.__name__ for model in MODELS)

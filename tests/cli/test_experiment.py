"""paravent experiment: there with its package, and a sentence without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from paravent.cli import experiment
from paravent.cli.door import Door

CORE = Path(experiment.__file__).parents[1]


def commands(monkeypatch: pytest.MonkeyPatch, package: str) -> typer.Typer:
    monkeypatch.setattr(experiment, "PACKAGE", package)
    app = typer.Typer(cls=Door, rich_markup_mode=None)
    app.callback()(lambda: None)
    experiment.add_to(app)
    return app


def test_the_experiments_are_commands_where_they_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(commands(monkeypatch, "paravent_experiments"), ["experiment", "--help"])
    assert done.exit_code == 0
    for name in ("metrics", "trees", "metric-search", "strategies", "construction"):
        assert f"  {name} " in done.output


def test_without_them_every_experiment_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    app = commands(monkeypatch, "paravent_experiments_that_are_elsewhere")
    for asked in (["experiment"], ["experiment", "metrics"], ["experiment", "metrics", "--table", "adult", "--json"]):
        done = CliRunner().invoke(app, asked)
        assert done.exit_code == 2
        assert "pip install ./experiments" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_the_core_starts_without_them() -> None:
    """No module of the package imports them, and the command line starts where they cannot be found."""
    script = (
        "import sys; sys.modules['paravent_experiments'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'paravent_experiments' else find(name, *more)\n"
        "from paravent.cli import main; sys.argv = ['paravent', 'experiment', 'trees']; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "experiment trees: the experiments are a package of their own" in done.stderr
    named = [path for path in CORE.rglob("*.py") if "paravent_experiments" in path.read_text(encoding="utf-8")]
    assert named == [CORE / "cli" / "experiment.py"]

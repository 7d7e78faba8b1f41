"""A small table that looks like real ones: a comma in a name, an accent, a dash, a missing value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from paravent.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `paravent …` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """48 people; age and zip code together single most of them out."""
    lines = ["name,age,zip code,naïve-job,disease,fax"]
    for i in range(48):
        job = ("clerk", "nurse", "cook", "pilot")[i % 4]
        disease = ("flu", "ulcer", "asthma")[i * 7 % 3]
        lines.append(f"Person {i},{20 + i * 5 % 47},{10000 + i * 37 % 90},{job},{disease},")
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `paravent demo` makes."""
    folder = tmp_path_factory.mktemp("demo")
    result = CliRunner().invoke(app, ["demo", "--out", str(folder)])
    assert result.exit_code == 0, result.output
    return folder

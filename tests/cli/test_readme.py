"""The code in README.md and docs/ runs as it stands there, in order, in one folder."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(sh|python|toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _run_shell(block: str) -> None:
    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words and words[0] == "paravent":
            assert words[1:2] != ["serve"], "a server never ends: write its block as console"
            result = CliRunner().invoke(app, words[1:])
            assert result.exit_code == 0, f"{line}\n{result.output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for language, block in blocks:
        if language == "sh":
            _run_shell(block)
        elif language == "python":
            exec(compile(block, str(page), "exec"), names)
        else:
            _keep_file(block)


def _keep_file(block: str) -> None:
    """A TOML block that begins with its name as a comment (`# plan.toml`) is a file of the page."""
    first, _, rest = block.partition("\n")
    if found := re.fullmatch(r"# (\S+\.toml)", first):
        Path(found[1]).write_text(rest, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_measure_is_explained(demo_folder: Path) -> None:
    page = (ROOT / "docs" / "reference" / "measures.md").read_text(encoding="utf-8")
    release = pv.anonymize(demo_folder / "adult.csv", demo_folder / "plan.toml")
    columns = "|".join(map(re.escape, release.table.names))
    for name in release.measure():
        entry = re.sub(rf"\.({columns})$", ".COLUMN", name).replace("risk.before.", "risk.")
        assert f"`{entry}`" in page, name

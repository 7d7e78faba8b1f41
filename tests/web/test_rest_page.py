"""docs/how-to/rest.md: its commands, run as they stand against a real server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.conftest import Server
from tests.web.test_api import PATIENTS

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "rest.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    server = Server(tmp_path / "projects").start()
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    script = "set -euo pipefail\n" + "\n".join(blocks).replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "paravent").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from paravent.cli import main; main()" "$@"\n'
    )
    (tools / "paravent").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    try:
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    finally:
        server.stop()
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "48"
    assert "'model': 'KAnonymity', 'k': 4" in lines[1]
    assert lines[2] == "done"
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Person" not in (tmp_path / "release.csv").read_text(encoding="utf-8")
    assert not list((tmp_path / "projects").rglob("sources"))


def test_every_address_of_the_page_is_there() -> None:
    from paravent.web.api.api import make_api

    known = [re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for path in make_api().openapi()["paths"]]
    for path in set(re.findall(r"\$API(/[^\"?]+)", PAGE.read_text(encoding="utf-8"))):
        assert any(each.fullmatch(path) for each in known), path

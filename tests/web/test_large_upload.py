"""Files that are too large for the page: a sentence, and nothing of them stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.web.browsing import new_project
from tests.web.conftest import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize(("size", "said"), [(10 << 30, "larger than the 1 MB"), (2 << 20, "larger than the 1 MB")])
def test_a_file_that_is_too_large_is_refused_in_a_sentence(
    size: int, said: str, chromium: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(size)  # a hole takes no room on the disk
    server = Server(tmp_path / "served", ("--upload-limit", "1MB")).start()
    try:
        page = chromium.new_context(base_url=server.base).new_page()
        page.goto(server.url)
        new_project(page, "Large")
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="or choose one").click()
        chooser.value.set_files(path)
        page.locator(".pv-note--warn", has_text=said).wait_for()
        assert page.get_by_role("heading", name="Drop a file here").is_visible()
        page.context.close()
    finally:
        server.stop()
    assert [each.name for each in server.folder.rglob("*.csv*")] == []
    assert [each.name for each in server.folder.rglob("*.part")] == []


def test_a_browser_that_does_not_ask_is_refused_all_the_same(tmp_path: Path) -> None:
    """A body of 10 GB in pieces: the server hears no more of it than it may keep."""
    server = Server(tmp_path / "served", ("--upload-limit", "1MB")).start()
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        yield b"a,b\n"
        while sent < 10 << 10:
            sent += 1
            yield b"1,2\n" * (1 << 18)

    try:
        with server.client() as client:
            project = client.post("/api/v1/projects", json={"name": "Large"}).json()["id"]
            try:
                answer = client.put(f"/api/v1/projects/{project}/table", params={"name": "large.csv"}, content=pieces())
                assert answer.status_code == 413
                assert "larger than the 1 MB" in answer.json()["error"] or "more than 1 MB" in answer.json()["error"]
            except (OSError, httpx.TransportError):  # the server hung up in the middle
                pass
            assert client.get(f"/api/v1/projects/{project}").json()["document"]["source"] is None
    finally:
        server.stop()
    assert sent < 200
    assert [each.name for each in server.folder.rglob("*") if each.suffix in (".csv", ".part")] == []


def test_what_a_killed_server_had_half_received_is_erased(tmp_path: Path) -> None:
    server = Server(tmp_path / "served").start()
    held = server.folder / "incoming"
    assert held.stat().st_mode & 0o777 == 0o700
    (held / "tmp1234").write_text("name,age\nAnn,31\n", encoding="utf-8")
    server.kill()
    assert (held / "tmp1234").exists()
    server.start()
    try:
        assert list(held.iterdir()) == []
    finally:
        server.stop()
    assert not held.exists()

"""A real server in a process of its own: free port, folder of its own, and the key that programs send."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.web.browsing import CHROMIUM, OPTIONS

pytest.importorskip("nicegui", reason="the extra `web` is not installed")


@dataclass
class Server:
    """`paravent serve` at work. `url` is an address that opens the page, a new one each time it is asked for."""

    folder: Path
    options: tuple[str, ...] = ()
    process: subprocess.Popen[str] | None = None
    port: int = 0
    printed: list[str] = field(default_factory=list)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        return (self.folder / "key").read_text(encoding="ascii").strip()

    @property
    def url(self) -> str:
        answer = self.client().post("/api/v1/tickets")
        assert answer.status_code == 201, answer.text
        return str(answer.json()["url"])

    def client(self, **options: object) -> httpx.Client:
        """A client that sends the key."""
        return httpx.Client(base_url=self.base, headers={"Authorization": f"Bearer {self.key}"}, timeout=120, **options)

    def browser(self) -> httpx.Client:
        """A client that came in by the printed address, as a browser does."""
        client = httpx.Client(base_url=self.base, timeout=60, headers={"Origin": self.base})
        assert client.get(self.url).status_code == 200
        return client

    def start(self) -> Server:
        command = [
            sys.executable,
            "-c",
            "from paravent.cli import main; main()",
            "serve",
            "--port",
            str(self.port),
            "--folder",
            str(self.folder),
        ]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*command, *self.options], stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment
        )
        assert self.process.stdout is not None
        self.printed = []
        for line in self.process.stdout:
            self.printed.append(line.rstrip("\n"))
            if " is at http" in line and "--behind-proxy" not in self.options:
                self.port = int(line.split("//")[1].split("/")[0].rsplit(":", 1)[1])
            if "Projects lie in" in line:
                break
        assert self.printed, "the server has not started"
        return self

    def kill(self) -> None:
        """kill -9: nothing is tidied up."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ctrl-C."""
        assert self.process is not None
        self.process.send_signal(2)
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def wait_for(self, project: str, job: str, seconds: float = 120.0) -> dict[str, object]:
        """The job when it is over."""
        end = time.monotonic() + seconds
        with self.client() as client:
            while time.monotonic() < end:
                told: dict[str, object] = client.get(f"/api/v1/projects/{project}/jobs/{job}").json()
                if told["state"] not in ("waiting", "running"):
                    return told
                time.sleep(0.1)
        raise AssertionError("the job is not over")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a module."""
    found = Server(tmp_path_factory.mktemp("served")).start()
    yield found
    if found.process is not None and found.process.poll() is None:
        found.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a process."""
    if not CHROMIUM.exists():
        pytest.skip("there is no chromium to look at the page with")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(OPTIONS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def visit(server: Server, chromium: Browser) -> Iterator[BrowserContext]:
    """A person who came in by the printed address. Requests to anywhere else fail, and are remembered."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, base_url=server.base, accept_downloads=True)
    context.set_default_timeout(30_000)
    context.route(lambda url: not url.startswith(server.base), lambda route: route.abort())
    page = context.new_page()
    page.goto(server.url)
    page.close()
    yield context
    context.close()


@pytest.fixture
def tab(visit: BrowserContext) -> Iterator[Page]:
    """A tab. What its console calls an error fails the test."""
    page = visit.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield page
    page.close()
    assert wrong == []

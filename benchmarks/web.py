"""How fast the web page answers. `python -m benchmarks.web [--part pages|job|crowd] [--users 20] [--seconds 300]`

Everything is measured against real servers with chromium, and set beside a page of NiceGUI that says hello, served and
loaded in the same run: the ratio says what is ours, whatever else the machine has to do. First usable screen, upload of
Adult to its profile, preview of a large table, latency of clicks while a job runs, and many people clicking at once,
with the memory of the server after each fifth of the time: the first two fill what is kept for the next click.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl
import socketio

import paravent as pv
from benchmarks.printing import print_table

ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
HELLO = """
import sys
from nicegui import ui
@ui.page("/")
def hello():
    ui.label("hello")
    count = ui.label("0")
    ui.button("count", on_click=lambda: count.set_text(str(int(count.text) + 1)))
ui.run(host="127.0.0.1", port=int(sys.argv[1]), show=False, reload=False, show_welcome_message=False)
"""


def free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextlib.contextmanager
def served(command: list[str], base: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server, from its first answer to its end."""
    process = subprocess.Popen([sys.executable, *command], cwd=folder, stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            with contextlib.suppress(httpx.TransportError):
                httpx.get(base, timeout=10)
                break
            time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait(20)


class Page:
    """`paravent serve`, as a program reaches it."""

    def __init__(self, base: str, folder: Path) -> None:
        self.base = base
        key = (folder / "key").read_text(encoding="ascii").strip()
        self.client = httpx.Client(base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=300)

    def address(self) -> str:
        return str(self.client.post("/api/v1/tickets").json()["url"])

    def project(self) -> str:
        return str(self.client.post("/api/v1/projects", json={"name": "Measured"}).json()["id"])

    def upload(self, project: str, path: Path) -> None:
        with path.open("rb") as file:
            where = f"/api/v1/projects/{project}/table"
            self.client.put(where, params={"name": path.name}, content=file).raise_for_status()

    def job(self, project: str, kind: str, **arguments: Any) -> str:
        sent = {"kind": kind, "arguments": arguments}
        return str(self.client.post(f"/api/v1/projects/{project}/jobs", json=sent).json()["id"])

    def wait(self, project: str, job: str) -> None:
        path = f"/api/v1/projects/{project}/jobs/{job}"
        while self.client.get(path, params={"wait": 30}).json()["state"] in ("waiting", "running"):
            pass


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def loading(browser: Any, addresses: Callable[[], str], seen: str, times: int) -> float:
    """Seconds from the address to a page that can be used, in a browser that has nothing of it: the median."""
    found = []
    for _ in range(times):
        context = browser.new_context()
        page = context.new_page()
        address = addresses()

        def load(page: Any = page, address: str = address) -> None:
            page.goto(address)
            page.wait_for_selector(seen, timeout=60_000)

        found.append(timed(load))
        context.close()
    return statistics.median(found)


def clicks(page: Any, count: int, click: Callable[[Any, int], None]) -> list[float]:
    return [timed(lambda at=at: click(page, at)) for at in range(count)]  # type: ignore[misc]


def count_hello(page: Any, at: int) -> None:
    page.click("text=count")
    page.wait_for_selector(f"text=/^{at + 1}$/", timeout=60_000)


PARTS = 5
SCREENS = ("data", "trees", "constraints", "preferences")
"""What people look at in turn."""
SLIDER = '[data-keep="pair-security-quality"]'


def step(page: Any, at: int) -> None:
    """One step on a slider, until the weight that follows from it is shown."""
    weight = page.locator('[data-name="weight-security"]')
    was = weight.inner_text()
    page.press(SLIDER, "ArrowLeft" if at % 2 == 0 else "ArrowRight")
    page.wait_for_function(
        "was => document.querySelector('[data-name=\"weight-security\"]').innerText !== was", arg=was, timeout=60_000
    )


def p95(found: list[float]) -> float:
    return float(np.quantile(found, 0.95))


def memory(process: subprocess.Popen[bytes]) -> int:
    text = Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii")
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


async def crowd(page: Page, projects: list[str], seconds: float) -> tuple[int, int, float]:
    """People who look at their projects and change them, each as fast as they get answers: requests, errors and p95.

    Every page is met by a socket, as a browser meets it, and left for the next one."""
    end, latencies, errors = time.monotonic() + seconds, list[float](), 0

    async def one(project: str) -> None:
        nonlocal errors
        turn = 0
        async with httpx.AsyncClient(base_url=page.base, headers=page.client.headers, timeout=60) as client:
            while time.monotonic() < end:
                turn += 1
                change = {"context": {"risk": turn % 50 / 100 + 0.01}}
                begun = time.perf_counter()
                try:
                    looked = await client.get(f"/p/{project}/{SCREENS[turn % len(SCREENS)]}")
                    async with met(page, looked.text):
                        answers = [
                            looked,
                            await client.patch(f"/api/v1/projects/{project}", json=change),
                            await client.get(f"/api/v1/projects/{project}/table/rows", params={"offset": turn}),
                        ]
                    errors += sum(answer.status_code >= 400 for answer in answers)
                except (httpx.TransportError, socketio.exceptions.SocketIOError):
                    errors += 1
                latencies.append((time.perf_counter() - begun) / 3)
                await asyncio.sleep(0.2)

    await asyncio.gather(*(one(project) for project in projects))
    return len(latencies) * 3, errors, p95(latencies)


@contextlib.asynccontextmanager
async def met(page: Page, text: str) -> AsyncIterator[None]:
    """The socket of a page that was loaded."""
    found = re.search(r"client_id\W+([0-9a-f-]{36})", text)
    assert found is not None
    own, socket = found[1], socketio.AsyncClient(reconnection=False)

    query = f"client_id={own}&implicit_handshake=true&document_id={own}&tab_id={own}&next_message_id=0"
    await socket.connect(
        f"{page.base}?{query}",
        headers={"Authorization": page.client.headers["Authorization"]},
        socketio_path="/_nicegui_ws/socket.io",
        transports=["websocket"],
        wait_timeout=60,
    )
    try:
        yield
    finally:
        await socket.disconnect()


def large_table(folder: Path, rows: int) -> Path:
    draw = np.random.default_rng(1)
    path = folder / "large.csv"
    pl.DataFrame(
        {
            "age": draw.integers(17, 90, rows),
            "zip": draw.integers(10_000, 99_999, rows),
            "job": draw.choice(["clerk", "nurse", "cook", "pilot", "smith"], rows),
            "pay": draw.normal(40_000, 9_000, rows).round(0),
        }
    ).write_csv(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("all", "pages", "job", "crowd"), default="all")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=5)
    asked = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        folder = Path(name)
        hello, ours = (f"http://127.0.0.1:{free_port()}" for _ in "ab")
        (folder / "hello.py").write_text(HELLO, encoding="utf-8")
        command = [
            "-c",
            "from paravent.cli import main; main()",
            "serve",
            "--no-open",
            "--folder",
            str(folder / "served"),
        ]
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        with (
            served(["hello.py", hello.rsplit(":", 1)[1]], hello, folder),
            served([*command, "--port", ours.rsplit(":", 1)[1]], ours, folder) as server,
        ):
            page = Page(ours, folder / "served")
            measure(browser, page, server, hello, folder, asked)
        browser.close()


def measure(
    browser: Any, page: Page, server: subprocess.Popen[bytes], hello: str, folder: Path, asked: argparse.Namespace
) -> None:
    rows: list[tuple[object, ...]] = []

    def row(what: str, seconds: float, baseline: float, goal: str) -> None:
        rows.append((what, f"{seconds:.3f} s", f"{seconds / baseline:.1f}", goal))
        print(*rows[-1], sep="   ", flush=True)

    if asked.part in ("all", "pages"):
        pages(browser, page, hello, folder, asked, row)
    if asked.part in ("all", "job"):
        beside_a_job(browser, page, hello, row)
    if rows:
        print_table("The web page", ["what", "seconds", "ratio", "wanted"], rows)
        rows = []
    if asked.part in ("all", "crowd"):
        projects = [page.project() for _ in range(asked.users)]
        for project in projects:
            page.client.post(f"/api/v1/projects/{project}/sample", json={"name": "adult"}).raise_for_status()
        print("memory when it has started", memory(server), "MB", flush=True)
        beside = ThreadPoolExecutor(1)  # the browser has the loop of this thread
        for at in range(PARTS):
            part = beside.submit(lambda: asyncio.run(crowd(page, projects, asked.seconds / PARTS)))
            requests, errors, late = part.result()
            rows.append((at + 1, requests, errors, f"{late:.3f} s", f"{memory(server)} MB"))
            print(*rows[-1], sep="   ", flush=True)
        print_table(
            f"{asked.users} people clicking for {asked.seconds:g} seconds",
            ["part", "requests", "errors", "p95", "memory after it"],
            rows,
        )


Row = Callable[[str, float, float, str], None]


def pages(browser: Any, page: Page, hello: str, folder: Path, asked: argparse.Namespace, row: Row) -> None:
    """From an address or a file to something to look at."""
    first = loading(browser, lambda: hello, "text=hello", asked.times)
    row("hello world of NiceGUI, loaded", first, first, "the baseline")
    row("first usable screen", loading(browser, page.address, ".pv-body h1", asked.times), first, "below 1.5 s")
    adult, large = folder / "adult.csv", large_table(folder, asked.rows)
    pv.write(pv.data.adult().frame, adult)
    project = page.project()

    def to_profile() -> None:
        page.upload(project, adult)
        page.wait(project, page.job(project, "profile"))

    row("upload of Adult to its profile, the first time", timed(to_profile), first, "below 2 s")
    row("the same file again", min(timed(to_profile) for _ in range(2)), first, "below 2 s")

    def to_preview() -> None:
        other = page.project()
        page.upload(other, large)
        page.client.get(f"/api/v1/projects/{other}/table/rows").raise_for_status()

    row(f"upload of {asked.rows} rows to a preview", timed(to_preview), first, "below 5 s")


def beside_a_job(browser: Any, page: Page, hello: str, row: Row) -> None:
    """Clicks and changes while a job has a core to itself."""
    project = page.project()
    page.client.post(f"/api/v1/projects/{project}/sample", json={"name": "adult"})
    tab = browser.new_page()
    tab.goto(hello)
    tab.wait_for_selector("text=count")
    still = p95(clicks(tab, 40, count_hello))
    row("hello world, a click, p95", still, still, "the baseline")
    slow = page.project()
    page.client.post(f"/api/v1/projects/{slow}/sample", json={"name": "adult"})
    page.client.post(f"/api/v1/projects/{slow}/plan/draft", json={"k": 5}).raise_for_status()
    plan = page.client.get(f"/api/v1/projects/{slow}/plan").json()
    job = page.job(slow, "anonymize", plan={**plan, "method": {"name": "LocalRecoding", "effort": "high"}})

    def change(at: int) -> float:
        sent = {"context": {"risk": (at % 50 + 1) / 100}}
        return timed(lambda: page.client.patch(f"/api/v1/projects/{project}", json=sent).raise_for_status())

    busy = [change(at) for at in range(100)]
    row("a change while a job runs, p95", p95(busy), still, "below 0.15 s")
    own = browser.new_context().new_page()
    own.goto(page.address())
    own.goto(f"{page.base}/p/{slow}/preferences")
    own.wait_for_selector(SLIDER)
    own.focus(SLIDER)
    row("a step on a slider while the job runs, p95", p95(clicks(own, 40, step)), still, "below 0.15 s")
    row("hello world, a click while the job runs, p95", p95(clicks_again(tab)), still, "the same load")
    page.client.post(f"/api/v1/projects/{slow}/jobs/{job}/stop")
    page.wait(slow, job)


def clicks_again(tab: Any) -> list[float]:
    begun = 40
    return [timed(lambda at=at: count_hello(tab, at)) for at in range(begun, begun + 40)]  # type: ignore[misc]


if __name__ == "__main__":
    main()

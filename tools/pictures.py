"""The pictures of the web page in docs/web, taken anew: `python -m tools.pictures [NAME …]`.

A server is started in a folder of its own, the sample goes through all steps, and every screen is taken at 1440 and at
390 pixels. Look at them before you commit them.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import paravent as pv
from tests.web.browsing import CHROMIUM, OPTIONS, settled
from tests.web.conftest import Server
from tests.web.scenario import found, kept
from tools.palette import shrink

FOLDER = Path(__file__).parents[1] / "docs" / "web"
SIZES = {1440: (900, 2000), 390: (844, 2400)}
"""By width: the height of the window, and how much of a long screen is shown."""
QUASI = {"age": {"intervals": [5, 10, 20]}, "education": {}, "marital-status": {}, "race": {}, "sex": {}}
LEFT_OUT = ("fnlwgt", "education-num", "relationship", "capital-gain", "capital-loss", "hours-per-week", "workclass")
CONTEXT = {
    "risk": 0.1,
    "suppression": 0.05,
    "use": "classification",
    "target": "salary-class",
    "preferences": {
        "security : quality": 1,
        "precision : usage": 3,
        "precision : completeness": 7,
        "usage : completeness": 7,
    },
}
SCREENS = {
    "projects": "/",
    "data": "data",
    "cleaning": "data/cleaning",
    "trees": "trees",
    "constraints": "constraints",
    "inputs": "inputs",
    "filters": "filters",
    "descriptors": "descriptors",
    "preferences": "preferences",
    "signatures": "signatures",
    "drawer": "signatures",
    "method": "method/datafly",
    "criterion": "criterion/precision",
    "direct": "direct",
    "run": "run",
    "results": "results",
    "analysis": "analysis",
    "beside": "analysis/table",
    "export": "export",
    "knowledge": "knowledge",
    "learn": "learn",
    "decisions": "decisions",
}


def project(server: Server) -> str:
    """A project of the sample with its roles; gives the path of its screens."""
    columns: dict[str, object] = {name: {"role": "drop"} for name in LEFT_OUT}
    columns |= {name: {"role": "quasi", **({"tree": tree} if tree else {})} for name, tree in QUASI.items()}
    columns |= {
        "native-country": {"role": "drop"},
        "occupation": {"role": "insensitive"},
        "salary-class": {"role": "sensitive"},
    }
    with server.client() as client, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        pv.data.adult().frame.write_csv(path)
        made = client.post("/api/v1/projects", json={"name": "Census 1994"}).json()["id"]
        base = f"/api/v1/projects/{made}"
        client.put(f"{base}/table", params={"name": "adult.csv"}, content=path.read_bytes()).raise_for_status()
        plan = {"columns": columns, "protect": [{"model": "KAnonymity", "k": 10}]}
        client.put(f"{base}/plan", json=plan).raise_for_status()
        client.patch(base, json={"mode": "full", "expert": True, "context": CONTEXT}).raise_for_status()
    return f"/p/{made}"


def finish(page: Page, home: str) -> None:
    """Run the first three candidates and choose the best, as a person does."""
    page.goto(f"{home}/signatures")
    found(page)
    kept(page, "top-three").click()
    kept(page, "run-selected").click()
    page.get_by_role("link", name="See the results").click(timeout=600_000)
    settled(page, "Results")
    kept(page, "choose-best").click()
    page.get_by_role("link", name="Go to the export").wait_for()


def take(
    browser: Browser, server: Server, width: int, home: str, names: list[str], before: Callable[[Page], None]
) -> None:
    """Take the screens of these names at one width."""
    tall, most = SIZES[width]
    page = browser.new_context(base_url=server.base, viewport={"width": width, "height": tall}).new_page()
    page.set_default_timeout(120_000)
    page.goto(server.url)
    before(page)
    for name in names:
        screen = SCREENS[name]
        page.goto(screen if screen == "/" else f"{home}/{screen}")
        settled(page)
        found(page)
        if name == "drawer":
            page.get_by_role("button", name="Why?").first.click()
        high = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({"width": width, "height": tall if name == "drawer" else min(max(high, tall), most)})
        page.wait_for_timeout(600)
        path = FOLDER / f"{name}-{width}.png"
        page.screenshot(path=path)
        shrink(path)
        page.set_viewport_size({"width": width, "height": tall})
        print(f"{name}-{width}.png", flush=True)


def main() -> None:
    names = sys.argv[1:] or list(SCREENS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder)).start()
        try:
            home = project(server)
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(OPTIONS))
            take(browser, server, 1440, home, names, lambda page: finish(page, home))
            take(browser, server, 390, home, names, lambda _: None)
        finally:
            server.stop()


if __name__ == "__main__":
    main()

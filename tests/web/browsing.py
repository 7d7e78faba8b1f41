"""What tests do in a browser: open a project, wait for a screen, and ask axe-core whether everybody can use it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = Path("/usr/bin/chromium")
OPTIONS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
"""WCAG 2.2, levels A and AA."""
AT_REST = """() => !document.querySelector('[class*="-enter-active"], [class*="-leave-active"]')
    && document.getAnimations().every(each => each.effect.getComputedTiming().endTime === Infinity)"""
"""Nothing fades in or out: a notice that is half gone has no contrast, and nobody is asked to read it."""


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong, one line an element. The script is evaluated: the page's own policy stays as it is."""
    page.wait_for_function(AT_REST)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate(
        "(rules) => axe.run(document, {runOnly: {type: 'tag', values: rules}, resultTypes: ['violations']})",
        list(RULES),
    )
    return [
        f"{each['id']}: {node['html'][:160]} | {(node.get('failureSummary') or '')[:240]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def shown(page: Page, path: str, heading: str | None = None) -> None:
    """Open an address of the server and wait until its screen stands."""
    page.goto(path)
    settled(page, heading)


def settled(page: Page, heading: str | None = None) -> None:
    """Wait until a screen stands, nothing turns any more and what is typed reaches the server in its order."""
    if heading is None:
        page.locator(".pv-body h1").first.wait_for()
    else:
        page.locator(".pv-body h1", has_text=heading).first.wait_for()
    page.wait_for_function("() => window.did_handshake && !document.querySelector('.pv-loading')")


def new_project(page: Page, name: str) -> str:
    """Make a project on the first page; gives the path of its screens, `/p/<id>`."""
    page.goto("/")
    page.get_by_label("What is it about?").fill(name)
    page.get_by_role("button", name="Create the project").click()
    page.wait_for_url("**/p/*/data")
    settled(page, "Data")
    return "/" + "/".join(page.url.split("/")[3:5])

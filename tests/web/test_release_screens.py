"""Trees, direct mode, analysis and export in a real browser: edit a tree, run a job, reload, export, verify."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.web.browsing import settled, shown, violations

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page

    from tests.web.conftest import Server

JOBS = ("clerk", "nurse", "judge", "carer")
PEOPLE = "age,job,disease\n" + "".join(
    f"{20 + i % 40},{JOBS[i % 4]},{('flu', 'ulcer', 'cold')[i % 3]}\n" for i in range(120)
)


@pytest.fixture(scope="module")
def home(server: Server) -> str:
    """A project with a table and a plan, for experts."""
    with server.client() as client:
        project = client.post("/api/v1/projects", json={"name": "Releases"}).json()["id"]
        sent = client.put(f"/api/v1/projects/{project}/table", params={"name": "people.csv"}, content=PEOPLE.encode())
        assert sent.status_code < 300, sent.text
        assert client.patch(f"/api/v1/projects/{project}", json={"expert": True}).is_success
    return f"/p/{project}"


@pytest.fixture
def ready(tab: Page, home: str) -> str:
    """The project after its data were looked at once, so that roles are proposed."""
    shown(tab, f"{home}/data", "Data")
    return home


def test_a_tree_is_edited_by_keyboard_and_by_dragging_and_undone(tab: Page, ready: str) -> None:
    shown(tab, f"{ready}/trees/1", "Trees")
    tab.get_by_role("heading", name="Tree of job").wait_for()
    assert "covers every value" in tab.get_by_test_id("validity").inner_text()
    for name in ("clerk", "judge"):
        tab.get_by_role("checkbox", name=f"Choose {name}").focus()
        tab.keyboard.press("Space")
    tab.get_by_label("Name of the group").fill("office")
    tab.get_by_role("button", name="Make the group").focus()
    tab.keyboard.press("Enter")
    tab.get_by_role("checkbox", name="Choose office").wait_for()
    tab.get_by_text("Edited by you.").wait_for()
    rows = tab.locator(".pv-tree__row")
    rows.filter(has_text="nurse").drag_to(rows.filter(has_text="office"))
    tab.get_by_role("button", name="Undo: Moved nurse in the tree of job").wait_for()
    rows.filter(has_text="office").filter(has_text="90 rows").wait_for()
    tab.get_by_role("button", name="Undo: Moved nurse in the tree of job").click()
    tab.locator(".pv-tree__row", has_text="office").filter(has_text="60 rows").wait_for()
    assert violations(tab) == []


def test_intervals_are_cut_by_hand(tab: Page, ready: str) -> None:
    shown(tab, f"{ready}/trees/0", "Trees")
    tab.get_by_role("combobox", name="How the values are grouped").click()
    tab.get_by_role("option", name="Intervals with ends of your own").click()
    tab.get_by_label("Interval begins at").wait_for()
    tab.get_by_label("Interval begins at").fill("33")
    tab.get_by_label("Interval begins at").press("Enter")
    tab.get_by_role("slider", name="Move the cut at 33").wait_for()
    tab.get_by_role("button", name="Remove 33").click()
    tab.get_by_role("slider", name="Move the cut at 33").wait_for(state="detached")
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Export as CSV").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert len(lines) == 40
    assert lines[0].startswith("20;")
    assert lines[0].endswith(";*")


def test_a_plan_runs_in_the_background_survives_a_reload_and_is_exported_and_verified(
    tab: Page, ready: str, server: Server, tmp_path: Path
) -> None:
    shown(tab, f"{ready}/direct", "Direct mode")
    tab.get_by_text("The plan is complete.").wait_for()
    tab.get_by_role("button", name="Anonymize", exact=True).click()
    tab.reload()
    settled(tab, "Direct mode")
    project = ready.rsplit("/", maxsplit=1)[-1]
    with server.client() as client:
        (job,) = client.get(f"/api/v1/projects/{project}/jobs").json()
    assert server.wait_for(project, job["id"])["state"] == "done"
    shown(tab, f"{ready}/export", "Export")
    tab.locator(".pv-list--ticks").get_by_text("5-anonymity").wait_for()
    assert tab.get_by_role("link", name="Download the release").count() == 0
    for box in tab.get_by_role("checkbox").all():
        box.click()
    files = (("release.csv", "release"), ("plan.toml", "plan"), ("report.html", "report"))
    for name, word in files:
        with tab.expect_download() as download:
            tab.get_by_role("link", name=f"Download the {word}").click()
        download.value.save_as(tmp_path / name)
    assert violations(tab) == []
    shown(tab, f"{ready}/export", "Export")
    tab.get_by_role("link", name="Download the release").wait_for()  # what was ticked stays so
    assert tab.locator(".pv-step--here.pv-step--done").inner_text().endswith("(done)")
    command = "from paravent.cli import main; main()"
    verified = subprocess.run(
        [sys.executable, "-c", command, "verify", str(tmp_path / "release.csv"), "--plan", str(tmp_path / "plan.toml")],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "Anonymization report" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("part", ["overview", "table", "columns", "risk", "cost", "figures"])
def test_everybody_can_use_the_analysis(visit: BrowserContext, home: str, part: str) -> None:
    page = visit.new_page()
    page.set_viewport_size({"width": 390 if part in ("overview", "risk") else 1440, "height": 900})
    shown(page, f"{home}/analysis/{part}", "Analysis")
    assert violations(page) == []
    page.close()


def test_plans_are_compared_and_seen_as_a_lattice(tab: Page, ready: str) -> None:
    shown(tab, f"{ready}/direct", "Direct mode")
    tab.get_by_role("button", name="Add to the comparison").click()
    shown(tab, f"{ready}/direct/compare", "Direct mode")
    tab.get_by_role("button", name="Compare", exact=True).click()
    tab.get_by_role("columnheader", name="Plan").wait_for(timeout=120_000)
    shown(tab, f"{ready}/direct/lattice", "Direct mode")
    tab.get_by_role("button", name="Draw the lattice").click()
    tab.get_by_test_id("lattice").wait_for(timeout=120_000)
    assert violations(tab) == []
    tab.locator(".pv-node:not([disabled])").first.click()
    tab.locator('.pv-node[aria-pressed="true"]').wait_for()
    shown(tab, f"{ready}/direct/plan", "Direct mode")
    assert tab.get_by_role("combobox", name="Method").input_value().startswith("Filter")
    assert violations(tab) == []


def test_k_is_swept_and_the_workbench_draws_its_curves(tab: Page, ready: str) -> None:
    shown(tab, f"{ready}/direct/sweep", "Direct mode")
    tab.get_by_role("textbox", name="Values of k").fill("2, 5")
    tab.get_by_role("button", name="Sweep", exact=True).click()
    tab.get_by_role("columnheader", name="Plan").wait_for(timeout=120_000)
    told = tab.locator("[aria-label*='k = 2:'][aria-label*='k = 5:']")
    assert told.count() >= 2, "a picture says its values to those who do not see it"
    assert violations(tab) == []
    shown(tab, f"{ready}/direct/workbench", "Direct mode")
    tab.get_by_role("textbox", name="Values of k").fill("2, 5")
    tab.get_by_role("button", name="Sweep", exact=True).click()
    for title in ("Accuracy against k", "Distortion against k", "Failure rate against k"):
        tab.get_by_role("heading", name=title, exact=True).wait_for(timeout=120_000)
    assert violations(tab) == []

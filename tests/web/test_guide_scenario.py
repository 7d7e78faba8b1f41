"""The scenario clicked through: from an upload to an exported release that a stranger verifies; then by keys alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.browsing import new_project, settled
from tests.web.scenario import CONTEXT, figure, found, kept, project, table

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.web.conftest import Server

LAST = 120_000
CHOSEN = ("Datafly (k=5, MaxSup=200)", "Median Mondrian (k=5)", "Top-down specialization (k=5, MaxSup=200)")


@pytest.fixture(scope="module", autouse=True)
def layer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The knowledge as it is shipped, whatever the person who runs the tests has added to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARAVENT_LAYER", str(tmp_path_factory.mktemp("layer") / "layer.ttl"))
        yield


def onward(page: Page, title: str) -> None:
    page.get_by_role("link", name=f"Next: {title}").click()
    settled(page, title)


def steps(slider: Locator, count: int) -> None:
    """Move a slider by keys: to the left is towards the first of a pair."""
    slider.focus()
    for _ in range(abs(count)):
        slider.press("ArrowLeft" if count < 0 else "ArrowRight")


def verified(path: Path, k: int) -> str:
    """What the command line says of a release."""
    command = [sys.executable, "-c", "from paravent.cli import main; main()", "verify", str(path)]
    done = subprocess.run(
        [*command, "--quasi", "age,education,sex", "--k", str(k)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bring(tab: Page, path: Path) -> None:
    """Screen 1: upload the table, and say the roles of its columns."""
    path.write_text(table(), encoding="utf-8")
    with tab.expect_file_chooser() as chooser:
        tab.get_by_role("button", name="or choose one").click()
    chooser.value.set_files(path)
    tab.get_by_role("heading", name=path.name).wait_for()
    settled(tab, "Data")
    for column in ("age", "education", "sex", "salary"):
        role = "Sensitive" if column == "salary" else "Quasi-identifier"
        group = tab.get_by_role("group", name=f"Role of {column}")
        group.get_by_role("button", name=role, exact=True).click()
        group.locator('button[aria-pressed="true"]').filter(has_text=role).wait_for()


def constrain(tab: Page) -> None:
    """Screens 2 and 3."""
    onward(tab, "Constraints")
    tab.get_by_label("named people under a contract").check()
    tab.get_by_label("predicting a category").check()
    kept(tab, "target").wait_for()
    suppression = tab.get_by_role("spinbutton", name="Rows that may be left out")
    suppression.fill("20")
    suppression.press("Enter")
    assert tab.get_by_role("spinbutton", name="Highest tolerated risk").input_value() == "20"
    onward(tab, "Proposed inputs")
    assert figure(tab, "k") == "5"
    assert figure(tab, "MaxSup") == "200"
    assert tab.get_by_text("One over the tolerated risk of 20 %, rounded up").is_visible()


def filter_methods(tab: Page) -> None:
    """Screens 4 and 5."""
    onward(tab, "Methods that suit")
    tab.get_by_role("combobox", name="Size of the table").click()
    tab.get_by_role("option", name="Large").click()
    samarati = tab.locator('[data-method="samarati"]')
    samarati.wait_for(timeout=LAST)
    assert "not advised for large tables" in samarati.inner_text()
    assert "Rule F5" in samarati.inner_text()
    names = tab.locator(".pv-method:not(.pv-method--dropped) .pv-link").all_inner_texts()
    assert {"Datafly", "Median Mondrian", "Top-down specialization"} <= set(names)
    onward(tab, "What the table is like")
    assert figure(tab, "shape") == "uniform"
    assert tab.locator(".pv-tile", has_text="Quasi-identifiers").locator(".pv-tile__value").inner_text() == "3"


def compare(tab: Page) -> None:
    """Screen 6: precision slightly over usage, both much over completeness; the weights and the ratio of the source."""
    onward(tab, "What matters more")
    kept(tab, "node-quality").click()
    tab.get_by_role("slider", name="Completeness on the left or Precision on the right").wait_for()
    steps(tab.get_by_role("slider", name="Completeness on the left or Precision on the right"), 6)
    steps(tab.get_by_role("slider", name="Completeness on the left or Classification on the right"), 6)
    steps(tab.get_by_role("slider", name="Precision on the left or Classification on the right"), -2)
    tab.locator('[data-name="weight-precision"]', has_text="31.6 %").wait_for()
    assert [figure(tab, f"weight-{name}") for name in ("security", "usage", "completeness")] == [
        "50.0 %", "15.2 %", "3.1 %"
    ]  # fmt: skip
    assert figure(tab, "ratio") == "0.1169"
    assert "contradict one another" in tab.locator(".pv-consistency").inner_text()
    assert figure(tab, "doubt").startswith("Look at this one first")


def tick_candidates(tab: Page) -> None:
    """Screen 7."""
    onward(tab, "Candidates")
    found(tab)
    assert "0.1169" in tab.locator(".pv-hint--warn").inner_text()
    kept(tab, "show-all").click()
    kept(tab, "show-all").wait_for(state="detached")
    scores = [float(score) for score in tab.locator(".pv-score-cell .pv-figure").all_inner_texts() if score != "–"]
    assert tab.locator(".pv-candidates tbody tr").count() >= 60
    assert sum(scores) == pytest.approx(1, abs=0.01)
    assert scores == sorted(scores, reverse=True)
    for name in CHOSEN:
        kept(tab, f"tick-{name}").check()


def test_the_scenario_is_clicked_through(tab: Page, server: Server, tmp_path: Path) -> None:
    home = new_project(tab, "Original_DB")
    bring(tab, tmp_path / "people.csv")
    onward(tab, "Trees")
    constrain(tab)
    filter_methods(tab)
    compare(tab)
    tick_candidates(tab)
    tab.get_by_role("button", name="Run 3 candidates").click()
    tab.wait_for_url("**/run")
    tab.reload()  # the work goes on without the tab
    tab.get_by_role("link", name="See the results").click(timeout=LAST)
    settled(tab, "Results")
    best = figure(tab, "best")
    lines = tab.locator(".pv-candidates tbody tr")
    assert lines.count() == len(CHOSEN)
    assert best in lines.first.inner_text()
    assert best in CHOSEN
    tab.get_by_role("button", name=f"Choose this release: {best}").first.click()
    tab.get_by_role("link", name="Go to the export").wait_for()
    tab.get_by_role("link", name="Go to the export").click()
    settled(tab, "Export")
    for each in tab.locator(".pv-body").get_by_role("checkbox").all():
        each.click()
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Download the release").click()
    download.value.save_as(tmp_path / "release.csv")
    assert "holds" in verified(tmp_path / "release.csv", 5).lower()
    rows = len((tmp_path / "release.csv").read_text(encoding="utf-8").splitlines()) - 1
    assert 1000 - 200 <= rows <= 1000, "MaxSup is 200"
    with server.client() as client:
        process = client.get(f"/api/v1/projects/{home.split('/')[-1]}/guidance").json()
    assert process["chosen"] == best
    assert set(process["results"]) == set(CHOSEN)


def go_to(page: Page, name: str, most: int = 150) -> None:
    """Press Tab until the element of this name has the focus, as somebody without a mouse does."""
    for _ in range(most):
        page.keyboard.press("Tab")
        now = page.evaluate(
            "() => { const e = document.activeElement; const k = e.closest('[data-keep]');"
            " return [k ? k.dataset.keep : '', e.getAttribute('aria-label') || e.innerText || ''] }"
        )
        if name in (now[0], now[1].strip()):
            return
    raise AssertionError(f"no key leads to {name!r}")


def test_the_scenario_by_keys_alone(tab: Page, server: Server) -> None:
    context = {name: value for name, value in CONTEXT.items() if name not in ("preferences", "risk", "suppression")}
    home = project(server, context=context)
    tab.goto(f"{home}/constraints")
    settled(tab, "Constraints")
    go_to(tab, "limit-suppression")
    tab.keyboard.press("Control+a")
    tab.keyboard.type("20")
    tab.keyboard.press("Enter")
    tab.locator(".pv-step--done", has_text="Constraints").wait_for()
    for title in ("Proposed inputs", "Methods that suit", "What the table is like", "What matters more"):
        go_to(tab, f"Next: {title}")
        tab.keyboard.press("Enter")
        settled(tab, title)
    go_to(tab, "node-quality")
    tab.keyboard.press("Enter")
    tab.get_by_role("slider", name="Completeness on the left or Precision on the right").wait_for()
    go_to(tab, "pair-completeness-precision")
    for _ in range(6):
        tab.keyboard.press("ArrowRight")
    tab.locator(".pv-pair-words", has_text="Precision matters very strongly more than Completeness").wait_for()
    go_to(tab, "Next: Candidates")
    tab.keyboard.press("Enter")
    settled(tab, "Candidates")
    found(tab)
    go_to(tab, "top-three")
    tab.keyboard.press("Enter")
    kept(tab, "run-selected").wait_for()
    go_to(tab, "run-selected")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/run")
    tab.get_by_role("link", name="See the results").wait_for(timeout=LAST)
    go_to(tab, "See the results")
    tab.keyboard.press("Enter")
    settled(tab, "Results")
    go_to(tab, "choose-best")
    tab.keyboard.press("Enter")
    tab.get_by_role("link", name="Go to the export").wait_for()

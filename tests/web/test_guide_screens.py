"""Each screen of the guide, of the knowledge and of the lessons: what it does, and that everybody can use it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web.browsing import settled, shown, violations
from tests.web.scenario import CONTEXT, figure, found, kept, project

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from tests.web.conftest import Server

LAST = 120_000
CHOSEN = ("Datafly (k=5, MaxSup=200)", "Median Mondrian (k=5)")
SCREENS = {
    "constraints": "Constraints",
    "inputs": "Proposed inputs",
    "filters": "Methods that suit",
    "descriptors": "What the table is like",
    "preferences": "What matters more",
    "signatures": "Candidates",
    "run": "Run",
    "results": "Results",
    "method": "All methods",
    "method/datafly": "Datafly",
    "criterion": "Criterion",
    "criterion/classification": "Classification",
    "knowledge": "Knowledge",
    "knowledge/k-anonymity": "Knowledge",
    "knowledge/ask": "Knowledge",
    "knowledge/query": "Knowledge",
    "knowledge/edit": "Knowledge",
    "learn": "Learn",
    "learn/quiz": "Learn",
}


@pytest.fixture(scope="module", autouse=True)
def layer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A layer of knowledge of our own, empty at first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARAVENT_LAYER", str(tmp_path_factory.mktemp("layer") / "layer.ttl"))
        yield


@pytest.fixture(autouse=True)
def patient(tab: Page) -> None:
    """Candidates are looked for by several tests: on a busy machine that takes its time."""
    tab.set_default_timeout(LAST)


@pytest.fixture(scope="module")
def home(server: Server) -> str:
    """The scenario, with two candidates run."""
    path = project(server)
    base = f"/api/v1/projects/{path.split('/')[-1]}"
    with server.client() as client:
        client.patch(base, json={"selected": list(CHOSEN)})
    return path


@pytest.fixture(scope="module")
def run_home(home: str, visit: BrowserContext) -> str:
    """The scenario after two candidates have been run on its page."""
    page = visit.new_page()
    page.set_default_timeout(LAST)
    page.goto(f"{home}/run")
    found(page)
    page.get_by_role("button", name="Run 2 candidates").click()
    page.reload()  # the work goes on without the tab
    page.get_by_role("link", name="See the results").wait_for(timeout=LAST)
    assert page.get_by_role("heading", name="2 of 2 finished").is_visible()
    page.close()
    return home


@pytest.mark.parametrize("path", SCREENS)
def test_everybody_can_use_it(path: str, tab: Page, run_home: str) -> None:
    shown(tab, f"{run_home}/{path}")
    found(tab)
    assert tab.locator("h1").first.inner_text() == SCREENS[path]
    assert violations(tab) == []


@pytest.mark.parametrize("path", ["constraints", "filters", "preferences", "signatures", "results", "method/datafly"])
def test_nothing_is_cut_off_on_a_telephone(path: str, tab: Page, run_home: str) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    shown(tab, f"{run_home}/{path}")
    found(tab)
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert violations(tab) == []


def test_plain_answers_set_the_limits_and_can_be_undone(tab: Page, server: Server) -> None:
    path = project(server, context=None)
    shown(tab, f"{path}/constraints")
    tab.get_by_label("anybody: it is published").check()
    risk = tab.get_by_role("spinbutton", name="Highest tolerated risk")
    tab.wait_for_function("() => document.querySelector('[data-keep=\"limit-risk\"]')?.value === '9'")
    assert tab.get_by_text("European Medicines Agency").is_visible()
    tab.get_by_label("a suspicion alone").check()
    tab.wait_for_function("() => document.querySelector('[data-keep=\"limit-gain\"]')?.value === '20'")
    assert tab.get_by_role("spinbutton", name="Highest share of one sensitive value").input_value() == "34"
    tab.get_by_role("button", name="Undo").first.click()
    tab.wait_for_function("() => document.querySelector('[data-keep=\"limit-gain\"]')?.value === ''")
    assert risk.input_value() == "9"
    risk.fill("250")
    risk.press("Enter")
    tab.get_by_text("Give a number from 1 to 100.").wait_for()


def test_inputs_can_be_changed_and_the_constraint_follows(tab: Page, server: Server) -> None:
    path = project(server)
    shown(tab, f"{path}/inputs")
    field = tab.get_by_role("spinbutton", name="k", exact=True)
    field.fill("8")
    field.press("Enter")
    tab.locator('[data-name="k"]', has_text="8").wait_for()
    field = tab.get_by_role("spinbutton", name="MaxSup")
    field.fill("37")
    field.press("Enter")
    tab.locator('[data-name="MaxSup"]', has_text="37").wait_for()
    shown(tab, f"{path}/constraints")
    assert tab.get_by_role("spinbutton", name="Highest tolerated risk").input_value() == "13"
    assert tab.get_by_role("spinbutton", name="Rows that may be left out").input_value() == "3.7"


def test_help_comes_from_the_knowledge(tab: Page, home: str) -> None:
    shown(tab, f"{home}/constraints")
    tab.get_by_role("button", name="Help: Highest tolerated risk").click()
    dialog = tab.get_by_role("dialog")
    dialog.get_by_text("The highest chance of finding a row that you accept.").wait_for()
    assert violations(tab) == []


def test_the_judgement_to_look_at_can_be_taken_back(tab: Page, server: Server) -> None:
    path = project(server)
    shown(tab, f"{path}/preferences")
    kept(tab, "node-quality").click()
    tab.locator('[data-name="ratio"]', has_text="0.1169").wait_for()
    assert violations(tab) == []
    kept(tab, "take-implied").click()
    tab.locator(".pv-verdict--good").wait_for()
    assert float(figure(tab, "ratio")) <= 0.1
    tab.reload()
    settled(tab, "What matters more")
    kept(tab, "node-quality").click()
    tab.locator(".pv-verdict--good").wait_for()


def test_a_candidate_is_explained_by_parts_that_add_up(tab: Page, run_home: str) -> None:
    shown(tab, f"{run_home}/signatures")
    found(tab)
    kept(tab, "why").click()
    drawer = tab.get_by_role("dialog")
    drawer.get_by_role("heading", name="How firm the order is").wait_for()
    parts = [float(part) for part in drawer.locator(".pv-part").all_inner_texts()]
    assert sum(parts) == pytest.approx(float(figure(tab, "sum")), abs=0.0003)
    assert "opam:owns" in drawer.inner_text()
    assert "runs on other tables" in drawer.inner_text()
    tab.wait_for_timeout(400)
    assert violations(tab) == []


def test_what_is_tried_by_keys_can_be_dropped_and_kept(tab: Page, server: Server) -> None:
    path = project(server)
    shown(tab, f"{path}/signatures")
    found(tab)
    first = tab.locator('[data-name="first"]')
    was = first.inner_text()

    def try_security() -> None:
        slider = kept(tab, "pair-security-quality")
        slider.focus()
        for _ in range(8):
            slider.press("ArrowRight")
        tab.locator('[data-name="what-if"]', has_text="First now").wait_for()

    try_security()
    kept(tab, "drop-preferences").click()
    kept(tab, "drop-preferences").wait_for(state="hidden")
    tab.locator('[data-name="weight-security"]', has_text="50.0 %").wait_for()
    assert first.inner_text() == was
    assert kept(tab, "pair-security-quality").input_value() == "0"
    try_security()
    now = first.inner_text()
    assert now != was
    kept(tab, "keep-preferences").click()
    kept(tab, "keep-preferences").wait_for(state="hidden")
    found(tab)
    tab.locator('[data-name="weight-security"]', has_text="10.0 %").wait_for()
    assert first.inner_text() == now
    tab.get_by_role("button", name="Undo").first.click()
    tab.locator('[data-name="weight-security"]', has_text="50.0 %").wait_for()
    found(tab)
    assert first.inner_text() == was


def test_candidates_are_sorted_by_a_criterion(tab: Page, home: str) -> None:
    shown(tab, f"{home}/signatures")
    found(tab)
    kept(tab, "sort-completeness").click()
    tab.locator('th[aria-sort="descending"]', has_text="Completeness").wait_for()
    cells = tab.locator('td[data-label="Completeness"] > .pv-figure').all_inner_texts()
    values = [float(cell.removesuffix(" %")) for cell in cells]
    assert values == sorted(values, reverse=True)


def test_what_is_finished_is_kept_when_the_rest_is_stopped(tab: Page, server: Server) -> None:
    path = project(server)
    with server.client() as client:
        names = ["Median Mondrian (k=5)", "Median Mondrian (k=10)", "Local suppression (k=5)"]
        client.patch(f"/api/v1/projects/{path.split('/')[-1]}", json={"selected": names})
    tab.goto(f"{path}/run")
    found(tab)
    tab.get_by_role("button", name="Run 3 candidates").click()
    tab.locator(".pv-run", has_text="finished").first.wait_for(timeout=LAST)
    stop = kept(tab, "stop-runs")
    if stop.count():
        stop.click()
    tab.get_by_role("link", name="See the results").wait_for(timeout=LAST)
    done = tab.locator(".pv-chip--good").count()
    assert done >= 1
    tab.get_by_role("link", name="See the results").click()
    settled(tab, "Results")
    assert tab.locator(".pv-candidates tbody tr").count() >= done


def test_results_are_compared_side_by_side_and_one_is_chosen(tab: Page, run_home: str) -> None:
    shown(tab, f"{run_home}/results")
    found(tab)
    assert tab.get_by_role("region", name="First rows of Median Mondrian (k=5)").is_visible()
    assert tab.get_by_role("region", name="First rows of Datafly (k=5, MaxSup=200)").is_visible()
    tab.locator(".pv-tradeoff svg").wait_for()
    tab.get_by_role("button", name="Choose this release: Datafly").last.click()
    tab.get_by_role("link", name="Go to the export").wait_for()
    assert "Datafly (k=5, MaxSup=200)" in tab.locator("tr.pv-is-chosen").inner_text()
    tab.get_by_role("button", name="Undo").first.click()
    tab.get_by_role("link", name="Go to the export").wait_for(state="detached")


def test_a_method_is_replayed_on_the_table(tab: Page, home: str) -> None:
    shown(tab, f"{home}/method/datafly")
    alt = tab.locator("img.pv-process").get_attribute("alt")
    assert alt is not None
    assert alt.startswith("Picture of the process: 1. ")
    tab.get_by_role("button", name="Replay").click()
    tab.get_by_text("Before the first step").wait_for(timeout=LAST)
    before = tab.locator(".pv-replay-table tbody td").first.inner_text()
    tab.get_by_role("button", name="Next step").click()
    tab.get_by_text("Step 1 of").wait_for()
    slider = tab.get_by_role("slider", name="Step")
    slider.focus()
    slider.press("End")
    tab.wait_for_timeout(300)
    assert tab.locator(".pv-replay-table tbody td").first.inner_text() != before
    assert violations(tab) == []
    tab.reload()
    tab.get_by_text("Before the first step").wait_for()


def test_the_knowledge_is_browsed_asked_and_queried(tab: Page, home: str) -> None:
    shown(tab, f"{home}/knowledge/model")
    tab.get_by_label("Find").fill("closeness")
    tab.get_by_role("link", name="t-closeness", exact=True).click()
    tab.get_by_role("heading", name="t-closeness", exact=True).wait_for()
    shown(tab, f"{home}/knowledge/ask")
    tab.get_by_role("button", name="Ask", exact=True).click()
    tab.get_by_role("region", name="Answer").get_by_text("Slicing").first.wait_for()
    shown(tab, f"{home}/knowledge/query")
    query = tab.get_by_role("textbox", name="SPARQL")
    query.fill("SELECT ?a WHERE { ?a opam:registeredAs 'Datafly' }")
    tab.get_by_role("button", name="Ask", exact=True).click()
    tab.get_by_role("region", name="Answer").get_by_text("datafly").wait_for()
    query.fill("DELETE WHERE { ?s ?p ?o }")
    tab.get_by_role("button", name="Ask", exact=True).click()
    tab.get_by_role("alert").wait_for()
    assert violations(tab) == []


def test_an_expert_edits_the_knowledge_and_hears_what_does_not_fit(tab: Page, home: str) -> None:
    shown(tab, f"{home}/knowledge/edit")
    bounds = tab.get_by_role("textbox", name="Eight rising limits")
    bounds.fill("5 4 3 2 1 1 1 1")
    kept(tab, "knowledge.threshold").click()
    tab.get_by_role("alert").wait_for()
    assert "nothing was written" in tab.get_by_role("alert").inner_text()
    bounds.fill("1 2 3 4 5 6 7 8")
    kept(tab, "knowledge.threshold").click()
    tab.get_by_role("button", name="Undo the last change").wait_for()
    shown(tab, f"{home}/criterion/precision")
    assert "up to 8" in tab.locator(".pv-table").inner_text()
    shown(tab, f"{home}/knowledge/edit")
    tab.get_by_role("button", name="Undo the last change").click()
    tab.get_by_role("button", name="Undo the last change").wait_for(state="detached")
    shown(tab, f"{home}/criterion/precision")
    assert "up to 16" in tab.locator(".pv-table").inner_text()


def test_the_tutorial_and_the_quiz(tab: Page, home: str) -> None:
    shown(tab, f"{home}/learn")
    tab.get_by_role("heading", name="Why names are not enough").wait_for()
    tab.get_by_role("button", name="Next chapter").click()
    tab.get_by_role("heading", name="Four roles of columns").wait_for()
    shown(tab, f"{home}/learn/quiz")
    assert tab.locator(".pv-quiz").count() == 30
    tab.get_by_role("button", name="Not so: Every algorithm may leave out rows.").click()
    tab.get_by_text("Right.", exact=True).wait_for()
    tab.get_by_role("button", name="True: A larger k means a larger risk.").click()
    tab.get_by_text("Not quite.", exact=True).wait_for()
    assert figure(tab, "score") == "1 of 2 right so far"
    assert violations(tab) == []


STEPS = (
    "Constraints",
    "Proposed inputs",
    "Methods that suit",
    "What the table is like",
    "What matters more",
    "Candidates",
)


@pytest.mark.parametrize("mode", ["predefined", "informative", "suggestive", "full"])
def test_each_mode_shows_its_elements(mode: str, tab: Page, server: Server) -> None:
    """Ben Fredj 2017, ch. 7: tutorial and results always; help beside what is chosen; proposals; or both."""
    informs, suggests = mode in ("informative", "full"), mode in ("suggestive", "full")
    path = project(server, mode=mode)
    shown(tab, f"{path}/{'filters' if suggests else 'choose'}")
    found(tab)
    steps = tab.locator(".pv-step__title").all_inner_texts()
    assert (set(STEPS) <= set(steps)) is suggests
    assert (not set(STEPS) & set(steps)) is not suggests
    assert ("Methods and inputs" in steps) is not suggests
    assert ("Knowledge" in steps) is informs
    assert {"Run", "Results", "Learn"} <= set(steps)
    assert (tab.locator(".pv-help").count() > 0) is informs
    assert (tab.locator('.pv-methods a[href*="/method/"]').count() > 0) is informs
    assert violations(tab) == []
    if suggests:
        shown(tab, f"{path}/signatures")
        found(tab)
        kept(tab, "tick-Median Mondrian (k=5)").or_(kept(tab, "show-all")).first.wait_for()
        assert (tab.get_by_role("heading", name="About the methods").count() > 0) is informs
        kept(tab, "top-three").click()
    else:
        tab.get_by_label("Median Mondrian", exact=True).check()
        tab.get_by_label("Datafly", exact=True).check()
    kept(tab, "run-selected").click()
    tab.wait_for_url("**/run")
    tab.get_by_role("link", name="See the results").click(timeout=LAST)
    settled(tab, "Results")
    assert (tab.locator(".pv-score-cell").count() > 0) is suggests
    assert (tab.get_by_text("Best by what was measured").count() > 0) is suggests


def test_the_guide_in_french(tab: Page, server: Server) -> None:
    path = project(server, language="fr")
    shown(tab, f"{path}/constraints", "Contraintes")
    assert tab.get_by_text("Qui reçoit les données ?").is_visible()
    assert tab.locator("html").get_attribute("lang") == "fr"
    assert violations(tab) == []
    shown(tab, f"{path}/inputs", "Paramètres proposés")
    assert figure(tab, "k") == "5"
    assert tab.get_by_text("Un sur le risque toléré de 20 %").is_visible()
    shown(tab, f"{path}/filters", "Méthodes adaptées")
    found(tab)
    assert "grandes tables" in tab.locator('[data-method="samarati"]').inner_text()
    shown(tab, f"{path}/preferences", "Ce qui importe le plus")
    kept(tab, "node-quality").click()
    tab.locator('[data-name="ratio"]', has_text="0.1169").or_(
        tab.locator('[data-name="ratio"]', has_text="0,1169")
    ).wait_for()
    assert "se contredisent" in tab.locator(".pv-consistency").inner_text()
    shown(tab, f"{path}/signatures", "Candidats")
    found(tab)
    kept(tab, "why").click()
    tab.get_by_role("dialog").get_by_text("Solidité du classement").wait_for()
    shown(tab, f"{path}/learn", "Apprendre")
    assert tab.get_by_role("heading", name="Pourquoi retirer les noms ne suffit pas").is_visible()


def test_a_missing_target_and_missing_roles_are_said(tab: Page, server: Server) -> None:
    context = {name: value for name, value in CONTEXT.items() if name not in ("target", "preferences")}
    path = project(server, context={**context, "use": "any"})
    base = f"/api/v1/projects/{path.split('/')[-1]}"
    with server.client() as client:
        client.put(f"{base}/plan", json={"columns": {"salary": {"role": "sensitive"}}, "protect": []})
    shown(tab, f"{path}/signatures")
    tab.get_by_text("The columns have no roles yet").wait_for()

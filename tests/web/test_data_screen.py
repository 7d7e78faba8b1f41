"""Projects and data in a real browser: bring a table, look at it, correct roles, clean, undo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.browsing import new_project, settled, shown, violations

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from tests.web.conftest import Server

NASTY = '<img src=x onerror="window.hacked=1">'
JOBS, DISEASES = ("clerk", "nurse", "judge"), ("flu", "ulcer", "<b>cold</b>")
QUOTED = NASTY.replace('"', '""')
PEOPLE = f'name,age,job,disease\n"{QUOTED}",20,clerk,flu\n' + "".join(
    f"Ann {i},{20 + i % 40},{JOBS[i % 3]},{DISEASES[i % 3]}\n" for i in range(1, 60)
)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files") / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def upload(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="or choose one").click()
    chooser.value.set_files(path)
    page.get_by_role("heading", name=path.name).wait_for()
    settled(page, "Data")


def role_of(page: Page, column: str) -> str:
    return page.get_by_role("group", name=f"Role of {column}").locator('button[aria-pressed="true"]').inner_text()


def has_role(page: Page, column: str, role: str) -> None:
    pressed = page.get_by_role("group", name=f"Role of {column}").locator('button[aria-pressed="true"]')
    pressed.filter(has_text=role).wait_for()


def test_a_file_is_uploaded_its_roles_are_proposed_and_corrected_and_undone(tab: Page, people: Path) -> None:
    home = new_project(tab, "Patients")
    upload(tab, people)
    assert tab.get_by_text("60 rows, 4 columns").is_visible()
    assert [role_of(tab, name) for name in ("name", "age", "job", "disease")] == [
        "Identifier", "Quasi-identifier", "Quasi-identifier", "Sensitive"
    ]  # fmt: skip
    tab.get_by_role("group", name="Role of job").get_by_role("button", name="Insensitive").click()
    tab.get_by_text("Your choice; proposed was: Quasi-identifier").wait_for()
    assert role_of(tab, "job") == "Insensitive"
    tab.reload()
    settled(tab, "Data")
    assert role_of(tab, "job") == "Insensitive"
    tab.get_by_role("button", name="Undo: Role of job: Insensitive").click()
    has_role(tab, "job", "Quasi-identifier")
    tab.get_by_role("button", name="Redo: Role of job: Insensitive").wait_for()
    assert tab.url.endswith(f"{home}/data")


def test_a_file_can_be_dropped(tab: Page) -> None:
    new_project(tab, "Dropped")
    data = tab.evaluate_handle(
        "(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'dropped.csv')); return data; }",
        PEOPLE,
    )
    box = tab.locator(".pv-drop__upload")
    box.dispatch_event("dragenter", {"dataTransfer": data})
    box.dispatch_event("dragover", {"dataTransfer": data})
    tab.locator(".q-uploader__dnd").dispatch_event("drop", {"dataTransfer": data})
    tab.get_by_role("heading", name="dropped.csv").wait_for()


def test_rows_are_shown_and_nothing_in_them_is_run(tab: Page, people: Path) -> None:
    home = new_project(tab, NASTY)
    upload(tab, people)
    shown(tab, f"{home}/data/preview", "Data")
    assert tab.get_by_role("cell", name=NASTY).is_visible()
    assert tab.get_by_role("button", name="Later rows").is_enabled()
    tab.get_by_role("button", name="Later rows").click()
    tab.get_by_text("Rows 51 to 60 of 60").first.wait_for()
    assert tab.locator(".pv-project").inner_text() == NASTY
    assert tab.evaluate("window.hacked") is None
    tab.goto("/")
    tab.get_by_role("heading", name=NASTY).first.wait_for()
    assert tab.evaluate("window.hacked") is None


def test_a_name_with_html_is_a_name(tab: Page, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("<script>window.hacked=2</script>,{{7*7}},<i>\n1,2,3\n4,5,6\n1,2,9\n", encoding="utf-8")
    home = new_project(tab, "Names")
    upload(tab, path)
    assert tab.get_by_role("heading", name="<script>window.hacked=2</script>").is_visible()
    assert tab.get_by_role("heading", name="{{7*7}}").is_visible()
    for where in ("preview", "unique"):
        shown(tab, f"{home}/data/{where}", "Data")
    assert tab.evaluate("window.hacked") is None


def test_cleaning_says_what_goes_and_why_and_can_be_undone(tab: Page, tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("age,job,fax\n31,clerk,\n,nurse,\n31,clerk,\n40,judge,\n", encoding="utf-8")
    home = new_project(tab, "Gaps")
    upload(tab, path)
    shown(tab, f"{home}/data/cleaning", "Data")
    tab.get_by_text("Nothing is dropped or changed.").wait_for()
    tab.get_by_role("switch", name="Leave out columns without any value").click()
    tab.get_by_role("cell", name="'fax' holds no value").wait_for()
    tab.get_by_role("switch", name="Leave out rows with missing values").click()
    tab.get_by_role("cell", name="missing values in 'age' (1)").wait_for()
    assert tab.get_by_text("4 rows and 3 columns become 3 rows and 2 columns.").is_visible()
    tab.get_by_role("button", name="Undo: Cleaning: Leave out rows with missing values").click()
    tab.get_by_text("4 rows and 3 columns become 4 rows and 2 columns.").wait_for()


def test_people_who_stand_alone_are_counted(tab: Page, people: Path) -> None:
    home = new_project(tab, "Alone")
    upload(tab, people)
    shown(tab, f"{home}/data/unique", "Data")
    # 60 rows, ages repeat after 40 rows, jobs after 3: rows 0 to 19 and 40 to 59 have an age twice, never with one job
    tab.get_by_text("60 of 60 people (100 %) are the only one with their combination of these 2 columns.").wait_for()


def test_what_is_no_table_is_refused_in_a_sentence(tab: Page, tmp_path: Path) -> None:
    path = tmp_path / "broken.xlsx"
    path.write_bytes(b"this is no workbook")
    new_project(tab, "Broken")
    with tab.expect_file_chooser() as chooser:
        tab.get_by_role("button", name="or choose one").click()
    chooser.value.set_files(path)
    tab.locator(".pv-note--warn", has_text="broken.xlsx").wait_for()
    assert tab.get_by_role("heading", name="Drop a file here").is_visible()


def test_two_tabs_do_not_lose_changes(visit: BrowserContext, tab: Page, people: Path) -> None:
    home = new_project(tab, "Two tabs")
    upload(tab, people)
    other = visit.new_page()
    shown(other, f"{home}/data", "Data")
    other.get_by_role("group", name="Role of job").get_by_role("button", name="Left out").click()
    has_role(tab, "job", "Left out")
    tab.get_by_role("group", name="Role of age").get_by_role("button", name="Insensitive").click()
    has_role(other, "age", "Insensitive")
    assert role_of(other, "job") == "Left out"
    other.close()


def test_a_project_is_deleted_from_the_disk(tab: Page, server: Server) -> None:
    home = new_project(tab, "To be erased")
    folder = server.folder / "workspace" / "projects" / home.rsplit("/", 1)[1]
    assert folder.is_dir()
    tab.goto("/")
    tab.get_by_role("button", name="Delete To be erased").click()
    tab.get_by_role("button", name="Erase everything").click()
    tab.get_by_text("The project is erased.").wait_for()
    assert not folder.exists()


def test_french_is_spoken_on_request(tab: Page, people: Path) -> None:
    home = new_project(tab, "Français")
    upload(tab, people)
    tab.get_by_role("button", name="Settings").click()
    tab.get_by_role("combobox", name="Language").click()
    tab.get_by_role("option", name="Français").click()
    tab.get_by_role("heading", name="Données").wait_for()
    assert tab.evaluate("document.documentElement.lang") == "fr"
    assert tab.get_by_role("button", name="Annuler : Language").is_visible()
    shown(tab, f"{home}/trees", "Arbres")
    tab.context.clear_cookies(name="paravent-language")


def test_a_page_load_asks_nobody_else(visit: BrowserContext) -> None:
    page = visit.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    page.get_by_role("heading", name="Your projects").wait_for()
    page.wait_for_load_state("networkidle")
    outside = [
        url
        for url in asked
        if not url.startswith((page.url.split("/?")[0].rstrip("/"), "ws://127.0.0.1", "data:", "blob:"))
    ]
    assert asked
    assert outside == []
    page.close()


def test_the_script_of_the_screen_is_python_that_runs(tab: Page, people: Path, tmp_path: Path) -> None:
    home = new_project(tab, "Scripted")
    upload(tab, people)
    tab.get_by_role("button", name="Show me the script").click()
    script = tab.get_by_role("region", name="Python").inner_text()
    assert "pv.read('people.csv')" in script
    import subprocess
    import sys

    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "plan.toml").is_file()
    assert home


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1440, 390])
def test_everybody_can_use_projects_and_data(visit: BrowserContext, people: Path, width: int, dark: bool) -> None:
    page = visit.new_page()
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/")
    page.get_by_role("heading", name="Your projects").wait_for()
    assert violations(page) == []
    home = new_project(page, f"Everybody {width} {dark}")
    assert violations(page) == []
    upload(page, people)
    assert violations(page) == []
    for where in ("preview", "cleaning", "unique", "reading") if not dark else ("preview",):
        shown(page, f"{home}/data/{where}", "Data")
        assert violations(page) == [], where
    page.close()

"""The decision log on the page: kept by those who want it, in their project, and deleted when they say so."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from paravent.guide import sessions
from paravent.web.guiding.decisions import begin, delete, note, note_change, path_of, recorded, steps
from paravent.web.workspace import Workspace
from tests.web.browsing import new_project, settled, shown, violations
from tests.web.conftest import Server


def test_nothing_is_kept_until_it_is_switched_on(tmp_path: Path) -> None:
    project = Workspace(tmp_path).create("Patients")
    note_change(project, {"context": {"risk": 0.1}, "selected": ("Datafly (k=5)",)})
    note(project, "run", asked=1)
    assert not path_of(project).exists()
    assert recorded(project) == ()


def test_steps_are_kept_and_replayed_and_deleted(tmp_path: Path) -> None:
    project = Workspace(tmp_path).create("Patients")
    begin(project, "Switched it on")
    note_change(project, {"context": {"risk": 0.1}})
    note_change(project, {"selected": ("Datafly (k=5)", "TDS (k=5)")})
    note_change(project, {"selected": ()})
    note_change(project, {"chosen": "Datafly (k=5)"})  # nothing was run: how good it is cannot be told
    note(project, "quiz", right=7, count=12)
    assert [line["event"] for line in steps(project)] == ["begin", "context", "select", "quiz"]
    (found,) = recorded(project)
    assert (found.mode, found.effort, found.right, found.quality) == ("full", 2, 7, None)
    assert path_of(project).stat().st_mode & 0o077 == 0
    begin(project, "Switched it on again")
    assert len(recorded(project)) == 2
    project.change("Switched it off", log=None)
    note(project, "run", asked=1)
    assert len(steps(project)) == 5
    delete(project)
    assert not path_of(project).exists()


def test_those_who_only_look_leave_no_trace(tmp_path: Path) -> None:
    project = Workspace(tmp_path).create("Patients")
    begin(project, "Switched it on")
    before = path_of(project).read_bytes()
    note(Workspace(tmp_path, read_only=True).open(project.id), "export")
    assert path_of(project).read_bytes() == before


def test_the_log_on_the_page(server: Server, tab: Page) -> None:
    home = new_project(tab, "Logged")
    path = server.folder / "workspace" / "projects" / home.rsplit("/", 1)[1] / "decisions.jsonl"
    tab.get_by_role("button", name="Settings").click()
    tab.get_by_role("link", name="Decision log").click()
    settled(tab, "Decision log")
    expect(tab.get_by_text("Nothing was recorded.")).to_be_visible()
    expect(tab.get_by_text("Nothing is kept until you switch it on")).to_be_visible()
    assert not path.exists()
    tab.get_by_role("switch", name="Keep a log of my decisions").click()
    expect(tab.get_by_role("cell", name="The log began")).to_be_visible()
    with server.client() as client:
        client.patch(f"/api/v1/projects/{home.rsplit('/', 1)[1]}", json={"language": "fr"}).raise_for_status()
    shown(tab, f"{home}/decisions", "Journal des décisions")
    tab.get_by_label("Satisfaction de 0 à 10 ?").fill("8")
    tab.get_by_role("button", name="Noter").click()
    expect(tab.get_by_role("cell", name="Satisfaction notée")).to_be_visible()
    assert violations(tab) == []
    (found,) = sessions(path)
    assert found.satisfaction == 8.0
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Télécharger le journal").click()
    assert download.value.path().read_bytes() == path.read_bytes()
    tab.get_by_role("switch", name="Tenir un journal de mes décisions").click()
    expect(tab.get_by_label("Satisfaction de 0 à 10 ?")).to_be_hidden()
    tab.get_by_role("button", name="Supprimer le journal").click()
    expect(tab.get_by_text("Rien n’a été enregistré.")).to_be_visible()
    assert not path.exists()

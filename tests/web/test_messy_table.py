"""A messy table all the way: two encodings, a column without a name, several rows a person, dates in odd forms, names
with accents and HTML, 36 columns; from its upload to a release that a stranger verifies."""

from __future__ import annotations

import random
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tests.web.browsing import new_project, settled
from tests.web.scenario import found, kept

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import Server

LAST = 240_000
FIRST = ("Zoë", "André", "Łukasz", "<script>window.hacked=1</script>", "O'Neil", "François")
TOWNS = ("Besançon", "besançon", "Besançon ", "Köln", "Lyon")
PERSON = "N° dossier"
HEAD = (
    *(PERSON, "Prénom", "Sexe", "Date de naissance", "Code postal", "Ville", "Courriel", "Entrée", "Diagnostic"),
    *("Poids (kg)", "Montant €", "Remarques", '"<i>Note</i>"'),
    *(f"Q{at:02}" for at in range(1, 22)),
    *("Vide", ""),
)


def messy(path: Path) -> None:
    """600 rows of about 200 people: the first 400 rows by a program that writes cp1252, the rest in UTF-8."""
    draw = random.Random(11)
    people = [
        (
            f"D{at:04}",
            draw.choice(FIRST),
            draw.choice("MFfH"),
            f"{draw.randint(1, 28):02}/{draw.randint(1, 12):02}/{draw.randint(1940, 2005)}",
            draw.choice(("25000", "01000", "69001")),
            draw.choice(TOWNS),
        )
        for at in range(200)
    ]
    old, new = ";".join(HEAD) + "\n", ""
    for at in range(600):
        weight = f"{draw.uniform(40, 120):.1f}".replace(".", ",")
        email = draw.choice(("n/a", "?", f"a{at}@exemple.fr"))
        day = f"{draw.randint(1, 28)}{draw.choice('./')}{draw.randint(1, 12)}.2021"
        note = draw.choice(("", '"patient; allergique"', '"dit ""non"""', '"deux\nlignes"', '=HYPERLINK("x")'))
        cells = (
            *draw.choice(people),
            *(email, day, draw.choice(("I10", "E11.9", "J45", "NA")), weight, f"{draw.uniform(9, 900):.2f}"),
            *(note.replace('=HYPERLINK("x")', '"=HYPERLINK(""x"")"'), draw.choice("123-")),
            *(draw.choice(("1", "2", "3", "", "NSP")) for _ in range(21)),
            *("", ""),
        )
        line = ";".join(cells) + "\n"
        old, new = (old + line, new) if at < 400 else (old, new + line)
    path.write_bytes(old.encode("cp1252", errors="replace") + new.encode())


def read_otherwise(tab: Page) -> None:
    """It is refused for a column without a name, and read once somebody says how; then the encoding is mended."""
    wrong = tab.locator(".pv-dialog .pv-problem")
    wrong.filter(has_text="column 36 has no name").wait_for()
    tab.get_by_role("checkbox", name="Add the place to column names").click()
    tab.get_by_role("button", name="Read it this way").click()
    tab.get_by_role("heading", name="messy.csv").first.wait_for()
    settled(tab, "Data")
    tab.get_by_text("messy.csv mixes encodings: it is read as").wait_for()
    tab.get_by_role("link", name="How it is read").click()
    settled(tab, "Data")
    tab.get_by_role("textbox", name="Encoding").fill("mixed")
    tab.get_by_role("textbox", name="Texts that mean").fill("n/a\n?\nNSP")
    tab.get_by_role("button", name="Read it again this way").click()
    tab.get_by_text("mixes encodings").wait_for(state="detached")
    tab.get_by_role("link", name="Columns and roles").click()
    settled(tab, "Data")


def roles(tab: Page) -> None:
    """Whose each row is, and which columns somebody can know."""
    tab.get_by_text(f"{PERSON} names people and repeats").wait_for()
    tab.get_by_role("combobox", name="Whose each row is").click()
    tab.get_by_role("option", name=PERSON, exact=True).click()
    tab.get_by_text(f"{PERSON} names people and repeats").wait_for(state="detached")


def test_a_messy_table_goes_all_the_way(tab: Page, server: Server, tmp_path: Path) -> None:
    messy(tmp_path / "messy.csv")
    home = new_project(tab, "Messy")
    with tab.expect_file_chooser() as chooser:
        tab.get_by_role("button", name="or choose one").click()
    chooser.value.set_files(tmp_path / "messy.csv")
    read_otherwise(tab)
    roles(tab)
    project = home.rsplit("/", 1)[1]
    with server.client() as client:  # a person clicks through 21 questionnaire columns; here, a program does
        plan = client.get(f"/api/v1/projects/{project}").json()["document"]["plan"]
        assert len(plan["columns"]) == len(HEAD)
        assert plan["person"] == PERSON
        kept_as_quasi = ("Sexe", "Date de naissance", "Code postal", "Ville")
        for name, entry in plan["columns"].items():
            if entry["role"] == "quasi" and name not in kept_as_quasi:
                plan["columns"][name] = {"role": "drop"}
        assert client.put(f"/api/v1/projects/{project}/plan", json=plan).status_code == 200
    tab.goto(f"{home}/signatures")
    found(tab)
    if kept(tab, "try-them").count():
        kept(tab, "try-them").click()
        tab.locator(".pv-job--waiting, .pv-job--running").first.wait_for()
        found(tab)
    kept(tab, "top-three").click()
    kept(tab, "run-selected").click()
    tab.get_by_role("link", name="See the results").click(timeout=LAST)
    settled(tab, "Results")
    kept(tab, "choose-best").click()
    tab.get_by_role("link", name="Go to the export").click()
    settled(tab, "Export")
    for each in tab.locator(".pv-body").get_by_role("checkbox").all():
        each.click()
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Download the release").click()
    download.value.save_as(tmp_path / "release.csv")
    assert tab.evaluate("window.hacked") is None
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Download whose each row is").click()
    download.value.save_as(tmp_path / "persons.csv")
    verified(server, project, tmp_path)


def verified(server: Server, project: str, folder: Path) -> None:
    """The plan of the release, and what the command line says of both."""
    with server.client() as client:
        release = client.get(f"/api/v1/projects/{project}").json()["document"]["release"]
        told = client.get(f"/api/v1/projects/{project}/releases/{release}/plan").text
    (folder / "plan.toml").write_text(told, encoding="utf-8")
    command = [sys.executable, "-c", "from paravent.cli import main; main()", "verify", "release.csv", "--plan"]
    command += ["plan.toml", "--persons", "persons.csv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert tomllib.loads(told)["person"] == PERSON
    table = pl.read_csv(folder / "release.csv", separator=";", infer_schema=False)
    assert not {PERSON, "Prénom", "Courriel"} & set(table.columns)
    assert "�" not in (folder / "release.csv").read_text(encoding="utf-8")
    assert pytest.approx(600, rel=0.2) == table.height

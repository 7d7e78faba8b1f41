"""Ways out: a release in every format, treatments and noise by hand, and the guidance by programs alone."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import paravent as pv
from paravent.web.exporting import ENDINGS
from paravent.web.words import Words
from tests.web.browsing import settled, shown, violations
from tests.web.scenario import CONTEXT, PLAN, chosen, kept, project, table

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import Server

FORMULAS = "age,note\n" + "".join(f"{20 + i % 4},{('=1+1', '@x', 'plain')[i % 3]}\n" for i in range(24))
SPREADSHEET = ("csv", "tsv", "xlsx")
JOBS = ("clerk", "nurse", "judge", "carer")
VALUES = {"disease": ["flu", "ulcer", "cold"]}


@pytest.fixture(scope="module")
def release(server: Server) -> tuple[str, str]:
    """A release with texts that a spreadsheet would run: its project and its id."""
    plan = {
        "columns": {"age": {"role": "quasi"}, "note": {"role": "insensitive"}},
        "protect": [{"model": "KAnonymity", "k": 3}],
    }
    with server.client() as client:
        made = client.post("/api/v1/projects", json={"name": "Formats"}).json()["id"]
        client.put(f"/api/v1/projects/{made}/table", params={"name": "t.csv"}, content=FORMULAS.encode())
        assert client.put(f"/api/v1/projects/{made}/plan", json=plan).status_code == 200
        job = client.post(f"/api/v1/projects/{made}/releases", json={}).json()["id"]
    assert server.wait_for(made, job)["state"] == "done"
    return made, job


@pytest.mark.parametrize("format", sorted(ENDINGS))
def test_a_release_goes_out_in_every_format(
    format: str, server: Server, release: tuple[str, str], tmp_path: Path
) -> None:
    address = f"/api/v1/projects/{release[0]}/releases/{release[1]}/table"
    file = tmp_path / f"release{ENDINGS[format]}"
    with server.client() as client:
        answer = client.get(address, params={"format": format})
        kept_as_is = client.get(address, params={"format": format, "formulas": "keep"})
    assert (answer.status_code, kept_as_is.status_code) == (200, 200), answer.text
    assert f'filename="release{ENDINGS[format]}"' in answer.headers["content-disposition"]
    for content, guarded in ((answer.content, format in SPREADSHEET), (kept_as_is.content, False)):
        file.write_bytes(content)
        back = pv.read(file).frame
        assert back.columns == ["age", "note"]
        assert back.height == 24
        notes = set(back["note"].cast(pl.String).to_list())
        assert notes == ({"'=1+1", "'@x", "plain"} if guarded else {"=1+1", "@x", "plain"})


def test_what_must_be_read_before_the_export_is_french_on_a_french_page(
    tab: Page, server: Server, release: tuple[str, str]
) -> None:
    base = f"/api/v1/projects/{release[0]}"
    with server.client() as client:
        client.patch(base, json={"language": "fr"})
        cautions = client.get(f"{base}/jobs/{release[1]}").json()["result"]["cautions"]
    assert cautions
    say = Words("fr")
    shown(tab, f"/p/{release[0]}/export", "Exporter")
    for caution in cautions:
        for part in filter(caution.get, ("title", "sentence", "remedy")):
            said = say.said(caution[part])
            assert said not in (None, caution[part]), caution[part]
            tab.locator(".pv-caution").get_by_text(str(said)).first.wait_for()
    assert tab.locator('.pv-caution [lang="en"]').count() == 0
    assert "Chaque combinaison des quasi-identifiants" in tab.locator(".pv-list--ticks").inner_text()
    assert violations(tab) == []
    shown(tab, f"/p/{release[0]}/analysis", "Analyse")
    tab.get_by_role("heading", name="Chaque promesse tient").wait_for()


def expert(server: Server) -> str:
    """A project of an expert on 120 people."""
    people = "age,job,disease\n" + "".join(
        f"{20 + i % 40},{JOBS[i % 4]},{('flu', 'ulcer', 'cold')[i % 3]}\n" for i in range(120)
    )
    columns = {"age": {"role": "quasi"}, "job": {"role": "quasi"}, "disease": {"role": "sensitive"}}
    with server.client() as client:
        made = client.post("/api/v1/projects", json={"name": "By hand"}).json()["id"]
        base = f"/api/v1/projects/{made}"
        client.put(f"{base}/table", params={"name": "people.csv"}, content=people.encode())
        plan = {"columns": columns, "protect": [{"model": "KAnonymity", "k": 3}]}
        assert client.put(f"{base}/plan", json=plan).status_code == 200
        assert client.patch(base, json={"expert": True}).status_code == 200
    return f"/p/{made}"


def test_a_treatment_is_added_by_hand(tab: Page, server: Server) -> None:
    path = expert(server)
    shown(tab, f"{path}/direct", "Direct mode")
    chosen(tab, "add treat", "TopCode")
    tab.get_by_role("heading", name="TopCode").wait_for()
    chosen(tab, "treat 0 TopCode column", "age")
    tab.get_by_role("button", name="Undo: column of TopCode").wait_for()
    tab.get_by_role("button", name="Anonymize", exact=True).click()
    tab.wait_for_url("**/analysis", timeout=120_000)
    settled(tab, "Analysis")
    with server.client() as client:
        told: Any = client.get(f"/api/v1/projects/{path.split('/')[-1]}").json()["document"]
        entry = told["plan"]["treat"][0]
        assert (entry["treatment"], entry["column"]) == ("TopCode", "age")
        made = client.get(f"/api/v1/projects/{path.split('/')[-1]}/releases/{told['release']}/plan").text
    assert "TopCode" in made


def uploaded(tab: Page, name: str, tree: str) -> None:
    """Give a tree file for what a column can hold."""
    with tab.expect_file_chooser() as chooser:
        tab.get_by_role("button", name=f"Tree file of {name}").click()
    chooser.value.set_files({"name": "../tree.csv", "mimeType": "text/csv", "buffer": tree.encode()})


def told_what_columns_hold(tab: Page) -> None:
    """Bounds for the age, values for the disease, a tree for the job; what is wrong is said and not kept."""
    chosen(tab, "add domain", "age")
    kept(tab, "domain age from").fill("59")
    kept(tab, "domain age to").fill("20")
    tab.get_by_text("Write the lower bound first").wait_for()
    kept(tab, "domain age from").fill("20")
    kept(tab, "domain age to").fill("59")
    tab.get_by_text("Write the lower bound first").wait_for(state="hidden")
    chosen(tab, "add domain", "job")
    chosen(tab, "domain job kind", "The leaves of a tree file")
    uploaded(tab, "job", "clerk;office;*\nnurse;;*\n")
    tab.get_by_text("it has an empty label").wait_for()
    uploaded(tab, "job", "".join(f"{job};work;*\n" for job in JOBS))
    tab.get_by_text("The tree was read; it has 4 values.").wait_for()
    tab.get_by_text("columns.disease: nothing says what it can hold").wait_for()
    assert tab.get_by_role("button", name="Anonymize", exact=True).is_disabled()
    for name, values in VALUES.items():
        chosen(tab, "add domain", name)
        chosen(tab, f"domain {name} kind", "A list of values")
        field = tab.get_by_label(f"Values of {name}, one in each line")
        field.fill("\n".join([*values, values[0]]))
        tab.get_by_text(f"The value “{values[0]}” of {name} is there twice").wait_for()
        field.fill("\n".join(values))
        tab.get_by_text("is there twice").wait_for(state="hidden")
    tab.get_by_text("The plan is complete.").wait_for()


def test_noise_is_drawn_within_a_budget(tab: Page, server: Server) -> None:
    path = expert(server)
    shown(tab, f"{path}/direct", "Direct mode")
    tab.get_by_role("button", name="Remove KAnonymity").click()
    tab.get_by_role("heading", name="KAnonymity").wait_for(state="hidden")
    chosen(tab, "add protect", "DifferentialPrivacy")
    tab.get_by_role("heading", name="DifferentialPrivacy").wait_for()
    chosen(tab, "method", "MST")
    tab.get_by_text("Nothing was granted for this table yet").wait_for()
    told_what_columns_hold(tab)
    kept(tab, "grant-epsilon").fill("1.2")
    kept(tab, "grant").click()
    tab.locator('[data-name="left"]', has_text="1.2").wait_for()
    assert violations(tab) == []
    tab.get_by_role("button", name="Anonymize", exact=True).click()
    tab.wait_for_url("**/analysis", timeout=120_000)
    shown(tab, f"{path}/direct", "Direct mode")
    tab.get_by_text("in 1 release").wait_for()
    tab.get_by_role("button", name="Anonymize", exact=True).click()
    job = tab.locator(".pv-job--failed")
    job.get_by_text("the budget does not hold").first.wait_for(timeout=120_000)
    kept(tab, "grant-epsilon").fill("1")
    kept(tab, "grant").click()
    tab.locator(".q-notification", has_text="raised and not lowered").wait_for()
    kept(tab, "grant-epsilon").fill("4")
    kept(tab, "grant").click()
    tab.get_by_text("ε = 4").first.wait_for()
    made = path.split("/")[-1]
    with server.client() as client:
        method = client.get(f"/api/v1/projects/{made}/plan").json()["method"]
        tree = method["domains"].pop("job")
        assert method["domains"] == {"age": {"from": 20, "to": 59}, **VALUES}
        assert re.fullmatch(r"sources/[0-9a-f]{16}\.csv", tree), tree
        told = client.get(f"/api/v1/projects/{made}/budget").json()
        assert told["granted"]["epsilon"] == 4
        assert len(told["entries"]) == 1
        again = client.put(f"/api/v1/projects/{made}/budget", json={"epsilon": 2})
        assert (again.status_code, "not lowered" in again.text) == (400, True)


def test_programs_alone_are_guided_to_a_verified_release(server: Server, tmp_path: Path) -> None:
    with server.client() as client:
        made = client.post("/api/v1/projects", json={"name": "Programs"}).json()["id"]
        base = f"/api/v1/projects/{made}"
        client.put(f"{base}/table", params={"name": "people.csv"}, content=table().encode())
        client.put(f"{base}/plan", json={**PLAN, "protect": [{"model": "KAnonymity", "k": 2}]})
        early = client.get(f"{base}/guidance")
        assert (early.status_code, "POST to guidance first" in early.text) == (400, True)
        job = client.post(f"{base}/guidance", json={"context": CONTEXT}).json()["id"]
        assert server.wait_for(made, job)["state"] == "done"
        found = client.get(f"{base}/guidance").json()
        best = found["predicted"][0]["name"]
        assert found["dropped"]
        wrong = client.post(f"{base}/guidance/runs", json={"signatures": ["Datafly"]})
        assert wrong.status_code == 400
        ran = client.post(f"{base}/guidance/runs", json={"signatures": [best]}).json()[0]["id"]
        assert server.wait_for(made, ran)["state"] == "done"
        measured = client.get(f"{base}/guidance").json()
        assert measured["results"][best]["status"] == "done"
        client.patch(base, json={"chosen": best})
        assert client.get(f"{base}/guidance").json()["chosen"] == best
        for name, path in (("release.csv", "table"), ("plan.toml", "plan"), ("report.html", "report")):
            (tmp_path / name).write_bytes(client.get(f"{base}/releases/{ran}/{path}").content)
    command = [sys.executable, "-c", "from paravent.cli import main; main()", "verify", "release.csv"]
    done = subprocess.run([*command, "--plan", "plan.toml"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert pl.read_csv(io.BytesIO((tmp_path / "release.csv").read_bytes())).columns == [
        "age",
        "education",
        "sex",
        "salary",
    ]


def test_the_page_of_a_process_is_as_it_was(server: Server) -> None:
    path = project(server).split("/")[-1]
    with server.client() as client:
        saved = client.get(f"/api/v1/projects/{path}").content
        opened = client.post("/api/v1/projects/process", content=saved).json()["document"]
    assert opened["context"] == CONTEXT
    assert opened["plan"] == PLAN
    assert opened["source"] is None

"""Ways in: a database, a tree from a file, a process that was saved, and https."""

from __future__ import annotations

import json
import sqlite3
import ssl
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from websockets.sync.client import connect

from paravent.web.security.users import add_user
from tests.web.browsing import new_project, settled, shown, violations
from tests.web.conftest import Server
from tests.web.scenario import CONTEXT, PLAN, found, kept, project, table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WORD = "correct horse battery"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """120 people in a database."""
    path = tmp_path / "study.db"
    with sqlite3.connect(path) as link:
        link.execute("CREATE TABLE people (age INTEGER, job TEXT, disease TEXT)")
        rows = [(20 + i % 40, "clerk" if i % 2 else "nurse", ("flu", "ulcer", "cold")[i % 3]) for i in range(120)]
        link.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    link.close()
    return f"sqlite:///{path}"


def test_a_table_is_read_from_a_database(tab: Page, database: str) -> None:
    new_project(tab, "From a database")
    tab.get_by_label("Address").fill(database)
    tab.get_by_label("Query").fill("SELECT * FROM people WHERE age >")
    tab.get_by_role("button", name="Read it").click()
    tab.locator(".q-notification").get_by_text("incomplete input").first.wait_for()
    assert tab.get_by_label("Address").input_value() == ""  # no password stays on the screen
    tab.get_by_label("Address").fill(database)
    tab.get_by_label("Query").fill("SELECT age, disease FROM people WHERE age > 29")
    tab.get_by_role("button", name="Read it").click()
    tab.get_by_text("90 rows").first.wait_for()
    settled(tab, "Data")
    assert violations(tab) == []


def test_a_tree_goes_out_and_comes_back_as_a_file(tab: Page, server: Server, tmp_path: Path) -> None:
    path = project(server)
    shown(tab, f"{path}/trees/1", "Trees")
    tab.get_by_role("heading", name="Tree of education").wait_for()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Export as CSV").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "9th;secondary;*" in text.splitlines()
    other = tmp_path / "other.csv"
    other.write_text(text.replace("secondary", "school"), encoding="utf-8")

    def bring(file: Path) -> None:
        tab.get_by_role("button", name="Import a tree").click()
        with tab.expect_file_chooser() as chooser:
            tab.get_by_role("dialog").get_by_role("button").last.click()
        chooser.value.set_files(file)

    bring(other)
    tab.get_by_role("checkbox", name="Choose school").wait_for()
    assert tab.get_by_role("checkbox", name="Choose secondary").count() == 0
    tab.get_by_role("button", name="Undo").first.click()
    tab.get_by_role("checkbox", name="Choose secondary").wait_for()
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("\n".join(line for line in text.splitlines() if not line.startswith("9th")), encoding="utf-8")
    bring(wrong)
    tab.locator(".q-notification", has_text="9th").wait_for()
    assert str(tmp_path) not in tab.locator(".q-notification", has_text="9th").inner_text()


def test_a_process_that_was_saved_goes_on(tab: Page, server: Server, tmp_path: Path) -> None:
    path = project(server)
    chosen = ["Median Mondrian (k=5)"]
    base = f"/api/v1/projects/{path.split('/')[-1]}"
    with server.client() as client:
        job = client.post(f"{base}/guidance", json={}).json()["id"]
        assert server.wait_for(path.split("/")[-1], job)["state"] == "done"
        client.patch(base, json={"selected": chosen})
        guided, plain = client.get(f"{base}/guidance"), client.get(base)
    people = tmp_path / "people.csv"
    people.write_text(table(), encoding="utf-8")
    for answer in (guided, plain):
        file = tmp_path / "process.json"
        file.write_bytes(answer.content)
        tab.goto("/")
        with tab.expect_file_chooser() as chooser:
            tab.get_by_role("button", name="Open a process file").click()
        chooser.value.set_files(file)
        tab.wait_for_url("**/p/*/data")
        settled(tab, "Data")
        with tab.expect_file_chooser() as chooser:
            tab.get_by_role("button", name="choose").first.click()
        chooser.value.set_files(people)
        tab.get_by_text("1,000 rows").first.wait_for()
        made = tab.url.split("/p/")[1].split("/")[0]
        with server.client() as client:
            document = client.get(f"/api/v1/projects/{made}").json()["document"]
        assert document["context"]["preferences"] == CONTEXT["preferences"]
        assert document["plan"]["columns"] == PLAN["columns"]
        assert document["selected"] == chosen
    shown(tab, f"/p/{made}/signatures", "Candidates")
    found(tab)
    assert kept(tab, "run-selected").inner_text().strip().endswith("Run one candidate")


@pytest.mark.parametrize(
    "wrong", ["", "[]", "{}", '{"signatures": 7}', '{"document": {"name": "x", "plan": 3}}', "\x00"]
)
def test_what_is_no_process_is_said(server: Server, wrong: str) -> None:
    with server.client() as client:
        answer = client.post("/api/v1/projects/process", content=wrong.encode())
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"].rstrip().endswith(".")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of our own for this machine."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ]
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*made, *named, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key


def test_https_with_a_certificate(tmp_path: Path, certificate: tuple[Path, Path], chromium: Browser) -> None:
    cert, key = certificate
    users = tmp_path / "users.toml"
    add_user(users, "ann", "owner", WORD)
    options = ("--users", str(users), "--certificate", str(cert), "--key", str(key))
    server = Server(tmp_path / "served", options).start()
    base = f"https://127.0.0.1:{server.port}"
    trusted = ssl.create_default_context(cafile=str(cert))
    try:
        with httpx.Client(base_url=base, verify=trusted, headers={"Origin": base}, timeout=60) as client:
            answer = client.post("/login", data={"name": "ann", "password": WORD})
            cookie = answer.headers["set-cookie"]
            assert cookie.startswith("__Host-")
            assert {"Secure", "HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}
            first = client.get("/")
            assert first.status_code == 200
            assert first.headers["strict-transport-security"].startswith("max-age=")
            sent = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        address = f"wss://127.0.0.1:{server.port}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        with connect(address, ssl=trusted, origin=base, additional_headers={"Cookie": sent}) as link:
            assert json.loads(str(link.recv(timeout=60))[1:])["sid"]
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://127.0.0.1:{server.port}/", timeout=20)
        context = chromium.new_context(ignore_https_errors=True)
        page = context.new_page()
        page.goto(f"{base}/")
        page.get_by_label("Name").fill("ann")
        page.get_by_label("Password").fill(WORD)
        page.keyboard.press("Enter")
        page.get_by_label("What is it about?").fill("Over https")
        page.get_by_role("button", name="Create the project").click()  # this goes by the socket
        page.wait_for_url("**/p/*/data")
        assert [each["secure"] for each in context.cookies() if each["name"].startswith("__Host-")] == [True]
        context.close()
    finally:
        server.stop()


def test_a_certificate_that_is_none_is_said(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    import sys

    users = tmp_path / "users.toml"
    add_user(users, "ann", "owner", WORD)
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("not a certificate", encoding="utf-8")
    command = [sys.executable, "-c", "from paravent.cli import main; main()", "serve", "--folder", str(tmp_path / "s")]
    options = ["--users", str(users), "--certificate", str(wrong), "--key", str(certificate[1]), "--port", "0"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "--certificate cannot be used" in done.stderr
    assert "Traceback" not in done.stderr

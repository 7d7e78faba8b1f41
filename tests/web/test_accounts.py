"""Several people: they log in, each sees their own, and what they do is noted without a value of anybody."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from paravent.cli.app import app
from paravent.web.security.users import Users, add_user, read_users
from tests.web.conftest import Server

WORD = "correct horse battery"
PEOPLE = {"ann": "owner", "bob": "owner", "eve": "expert", "val": "viewer"}
TABLE = b"name,age\nAnn Miller,31\nBob Smith,32\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("people")
    users = folder / "users.toml"
    keys = {name: add_user(users, name, role, WORD, "ann" if role == "viewer" else "") for name, role in PEOPLE.items()}
    server = Server(folder / "served", ("--users", str(users), "--upload-limit", "1MB", "--space-limit", "3MB")).start()
    yield server, keys
    server.stop()


def keyed(server: Server, key: str) -> httpx.Client:
    return httpx.Client(base_url=server.base, headers={"Authorization": f"Bearer {key}"}, timeout=60)


def log_in(server: Server, name: str, password: str = WORD) -> httpx.Client:
    client = httpx.Client(base_url=server.base, headers={"Origin": server.base}, timeout=60)
    client.post("/login", data={"name": name, "password": password})
    return client


def test_a_stranger_gets_the_form_and_nothing_else(served: tuple[Server, dict[str, str]]) -> None:
    server, _ = served
    page = httpx.get(f"{server.base}/", timeout=60)
    assert (page.status_code, 'name="password"' in page.text) == (401, True)
    assert httpx.get(f"{server.base}/api/v1/projects", timeout=60).status_code == 401
    assert httpx.get(f"{server.base}/?token=x", timeout=60).status_code == 401
    assert httpx.post(f"{server.base}/api/v1/tickets", timeout=60).status_code == 401
    assert keyed(server, "pv_guess").get("/api/v1/projects").status_code == 401


def test_who_logs_in_is_in_until_they_log_out(served: tuple[Server, dict[str, str]]) -> None:
    server, _ = served
    client = log_in(server, "ann")
    assert client.get("/").status_code == 200
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    address = f"ws://127.0.0.1:{server.port}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    with connect(address, origin=server.base, additional_headers={"Cookie": cookie}) as link:
        link.recv(timeout=60)
        assert client.post("/logout").status_code == 200
        with pytest.raises(ConnectionClosed):  # what was open is closed with it
            [link.recv(timeout=20) for _ in range(9)]
    assert client.get("/").status_code == 401
    assert httpx.get(f"{server.base}/", headers={"Cookie": cookie}, timeout=60).status_code == 401


def test_people_do_not_see_one_another(served: tuple[Server, dict[str, str]]) -> None:
    server, keys = served
    ann, bob = keyed(server, keys["ann"]), keyed(server, keys["bob"])
    project = ann.post("/api/v1/projects", json={"name": "Ann's"}).json()["id"]
    assert ann.put(f"/api/v1/projects/{project}/table", params={"name": "t.csv"}, content=TABLE).status_code == 200
    assert project not in [each["id"] for each in bob.get("/api/v1/projects").json()]
    for method, path in (
        ("GET", ""),
        ("GET", "/table/rows"),
        ("DELETE", ""),
        ("DELETE", "/table"),
        ("POST", "/undo"),
        ("GET", "/jobs"),
        ("POST", "/sample"),
    ):
        answer = bob.request(method, f"/api/v1/projects/{project}{path}", json={"name": "adult"})
        assert answer.status_code == 404, (method, path)
    page = log_in(server, "bob").get(f"/p/{project}")
    assert "Ann" not in page.text
    assert ann.get(f"/api/v1/projects/{project}/table").json()["rows"] == 2


def test_a_viewer_looks_and_changes_nothing(served: tuple[Server, dict[str, str]]) -> None:
    server, keys = served
    ann, val = keyed(server, keys["ann"]), keyed(server, keys["val"])
    project = ann.post("/api/v1/projects", json={"name": "Shown"}).json()["id"]
    ann.put(f"/api/v1/projects/{project}/table", params={"name": "t.csv"}, content=TABLE)
    path = f"/api/v1/projects/{project}"
    assert val.get(f"{path}/table/rows").json()["rows"][0] == ["Ann Miller", 31]
    before = ann.get(path).json()
    for method, where, sent in (
        ("PATCH", path, {"language": "fr"}),
        ("POST", f"{path}/undo", None),
        ("DELETE", path, None),
        ("DELETE", f"{path}/table", None),
        ("POST", f"{path}/jobs", {"kind": "profile"}),
        ("POST", f"{path}/sample", {"name": "adult"}),
        ("POST", "/api/v1/projects", {"name": "mine"}),
    ):
        answer = val.request(method, where, json=sent)
        assert answer.status_code == 403, (method, where, answer.text)
        assert answer.json()["error"].startswith("you may look")
    assert val.put(f"{path}/table", params={"name": "x.csv"}, content=TABLE).status_code == 403
    assert ann.get(path).json() == before


def test_limits_are_held_while_it_comes(served: tuple[Server, dict[str, str]]) -> None:
    server, keys = served
    bob = keyed(server, keys["bob"])
    project = bob.post("/api/v1/projects", json={"name": "Large"}).json()["id"]
    path = f"/api/v1/projects/{project}/table"
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b"a\n"
        while sent < 10_000:  # 10 GB
            sent += 1
            yield b"1\n" * (1 << 19)

    try:
        answer = bob.put(path, params={"name": "endless.csv"}, content=endless())
        assert answer.status_code == 413
    except httpx.TransportError:  # the server hung up in the middle
        pass
    assert sent < 200
    refused = bob.put(path, params={"name": "x.csv"}, content=b"a\n" * (1 << 20))
    assert refused.status_code == 413
    assert list(refused.json()) == ["error"]
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as link:
        head = f"PUT {path}?name=x.csv HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {10 << 30}\r\n"
        link.sendall(f"{head}Authorization: Bearer {keys['bob']}\r\n\r\n".encode())
        assert link.recv(100).startswith(b"HTTP/1.1 413")
    folder = next(iter(server.folder.glob(f"people/*/projects/{project}")))
    assert [each for each in folder.rglob("*") if "sources" in each.parts and each.is_file()] == []
    database = bob.post(f"/api/v1/projects/{project}/database", json={"url": "sqlite:////etc/passwd", "query": "x"})
    assert (database.status_code, database.json()["error"][:27]) == (403, "databases are not read here")


def test_a_workspace_has_an_end(served: tuple[Server, dict[str, str]]) -> None:
    server, keys = served
    eve = keyed(server, keys["eve"])
    statuses = []
    for at in range(5):
        project = eve.post("/api/v1/projects", json={"name": f"p{at}"})
        statuses.append(project.status_code)
        if project.status_code == 201:
            content = b"a,b\n" + b"1234567,7654321\n" * 50_000
            where = f"/api/v1/projects/{project.json()['id']}/table"
            statuses.append(eve.put(where, params={"name": "t.csv"}, content=content).status_code)
    assert 413 in statuses
    assert set(statuses) <= {200, 201, 413}
    for each in eve.get("/api/v1/projects").json():
        assert eve.delete(f"/api/v1/projects/{each['id']}").status_code == 204
    assert eve.post("/api/v1/projects", json={"name": "again"}).status_code == 201


def test_the_log_names_people_and_acts_and_no_value(served: tuple[Server, dict[str, str]]) -> None:
    server, keys = served
    ann = keyed(server, keys["ann"])
    log_in(server, "eve", "guess")
    log_in(server, "eve").post("/logout")
    project = ann.post("/api/v1/projects", json={"name": "Secret study"}).json()["id"]
    ann.put(f"/api/v1/projects/{project}/table", params={"name": "Ann Miller.csv"}, content=TABLE)
    ann.delete(f"/api/v1/projects/{project}")
    path = server.folder / "audit.log"
    text = path.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    mine = [line["what"] for line in lines if line.get("project") == project]
    assert mine == ["project made", "table taken", "tables deleted", "project deleted"]
    acts = [line["what"] for line in lines if line["who"] == "eve"]
    assert [act for act in acts if "log" in act][-3:] == ["log in failed", "logged in", "logged out"]
    for word in ("Miller", "Secret study", WORD, "guess", keys["ann"]):
        assert word not in text
    assert path.stat().st_mode & 0o077 == 0


def test_wrong_passwords_take_longer_and_longer(served: tuple[Server, dict[str, str]]) -> None:
    """The last test of the module that logs in by the form: the address has to wait, too."""
    server, _ = served
    client = httpx.Client(base_url=server.base, headers={"Origin": server.base}, timeout=60)
    answers = [client.post("/login", data={"name": "nobody", "password": f"guess {i}"}) for i in range(9)]
    assert [answer.status_code for answer in answers[:5]] == [401] * 5
    assert "The name or the password is wrong." in answers[0].text
    limited = next(answer for answer in answers if answer.status_code == 429)
    assert int(limited.headers["retry-after"]) >= 1
    assert "Try again in" in limited.text
    assert not client.cookies
    assert '"what": "log in refused for a while"' in (server.folder / "audit.log").read_text()


def test_the_form_of_another_site_is_refused(served: tuple[Server, dict[str, str]]) -> None:
    server, _ = served
    for path, data in (("/login", {"name": "ann", "password": WORD}), ("/logout", {})):
        answer = httpx.post(f"{server.base}{path}", data=data, headers={"Origin": "http://evil.example"}, timeout=60)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_who_is_taken_out_is_out_at_once(tmp_path: Path) -> None:
    path = tmp_path / "users.toml"
    key = add_user(path, "ann", "owner", WORD)
    add_user(path, "bob", "owner", WORD)
    users = Users(path)
    assert users.by_key(key) == users.get("ann")
    assert users.check("ann", WORD) == users.get("ann")
    assert users.check("ann", "wrong") is None
    assert users.check("nobody", WORD) is None
    text = path.read_text()
    assert WORD not in text
    assert key not in text
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text(re.sub(r"\[users\.ann\][^\[]*", "", text))
    assert users.by_key(key) is None
    assert list(read_users(path)) == ["bob"]
    path.write_text("nonsense")
    assert users.get("bob") is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "without accounts the page is for this machine alone."),
        (["--host", "0.0.0.0", "--users", "USERS"], "passwords would travel in the clear."),
        (["--host", "somewhere"], "--host 'somewhere' is no address."),
        (["--users", "missing.toml"], "missing.toml cannot be read"),
        (["--add-user", "ann"], "--add-user: say where accounts are kept"),
        (["--upload-limit", "much"], "'much' is no size. Write it as 500MB or 2GB."),
        (["--behind-proxy", "data.example.org"], "--behind-proxy is the address that people see"),
        (["--certificate", "no.pem"], "--certificate: there is no file 'no.pem'."),
        (["--key", "USERS"], "--key belongs to a --certificate."),
        (["--certificate", "USERS", "--host", "0.0.0.0", "--users", "USERS"], "--certificate cannot be used"),
    ],
)
def test_what_would_be_unsafe_is_refused(tmp_path: Path, options: list[str], said: str) -> None:
    users = tmp_path / "users.toml"
    add_user(users, "ann", "owner", WORD)
    given = [option.replace("USERS", str(users)) for option in options]
    done = CliRunner().invoke(app, ["serve", "--folder", str(tmp_path / "f"), "--port", "0", *given])
    assert done.exit_code == 2
    assert said in done.output


def test_an_account_is_made_by_a_command(tmp_path: Path) -> None:
    users = tmp_path / "users.toml"
    run = CliRunner()
    command = ["serve", "--users", str(users), "--add-user"]
    made = run.invoke(app, [*command, "ann"], input=f"{WORD}\n{WORD}\n")
    assert made.exit_code == 0, made.output
    key = made.output.split("shown once: ")[1].strip()
    assert Users(users).by_key(key) is not None
    assert WORD not in made.output
    for name, more, text, said in (
        ("bob", [], "short\nshort\n", "the password must have 10 letters or more"),
        ("Bob Smith", [], f"{WORD}\n{WORD}\n", "a name is made of small letters"),
        ("bob", ["--role", "admin"], f"{WORD}\n{WORD}\n", "there is no role 'admin'"),
        ("bob", ["--role", "viewer"], f"{WORD}\n{WORD}\n", "name them with --views"),
    ):
        failed = run.invoke(app, [*command, name, *more], input=text)
        assert failed.exit_code == 2
        assert said in failed.output
    assert list(read_users(users)) == ["ann"]


def test_behind_a_proxy_the_public_name_counts(tmp_path: Path) -> None:
    users = tmp_path / "users.toml"
    key = add_user(users, "ann", "owner", WORD)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ("--users", str(users), "--behind-proxy", "https://data.example.org")
    server = Server(tmp_path / "served", options, port=port).start()
    try:
        client = keyed(server, key)
        public = {"Host": "data.example.org", "X-Forwarded-For": "10.9.8.7, 192.0.2.1"}
        assert client.get("/api/v1/projects", headers=public).status_code == 200
        assert client.get("/api/v1/projects", headers={"Host": "evil.example"}).status_code == 421
        answer = httpx.post(
            f"{server.base}/login",
            data={"name": "ann", "password": WORD},
            headers={**public, "Origin": "https://data.example.org"},
            timeout=60,
        )
        assert re.match(
            r"__Host-paravent_\d+=\S+; Path=/; HttpOnly; SameSite=Strict; Secure", answer.headers["set-cookie"]
        )
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert '"address": "192.0.2.1"' in (server.folder / "audit.log").read_text()
    finally:
        server.stop()


class Talking:
    """A socket as NiceGUI's page opens it, spoken by hand."""

    def __init__(self, server: Server, client: httpx.Client, query: str = "") -> None:
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        address = f"ws://127.0.0.1:{server.port}/_nicegui_ws/socket.io/?EIO=4&transport=websocket{query}"
        self._link = connect(address, origin=server.base, additional_headers={"Cookie": cookie})
        self.link = self._link.__enter__()
        self.link.recv(timeout=60)
        self.link.send("40")
        self.answer = str(self.link.recv(timeout=60))

    def __enter__(self) -> Talking:
        return self

    def __exit__(self, *_: object) -> None:
        self._link.__exit__(None, None, None)

    def ask(self, name: str, told: object) -> str:
        """Say something, and wait for what the server answers to it."""
        self.link.send("427" + json.dumps([name, told]))
        while not (heard := str(self.link.recv(timeout=60))).startswith("437"):
            pass
        return heard

    def unasked(self, seconds: float) -> list[str]:
        """What else is heard within some seconds."""
        heard = []
        with contextlib.suppress(TimeoutError):
            while True:
                heard.append(str(self.link.recv(timeout=seconds)))
        return heard


def test_nobody_speaks_for_the_page_of_another(served: tuple[Server, dict[str, str]]) -> None:
    server, keys = served
    ann, bob, program = log_in(server, "ann"), log_in(server, "bob"), keyed(server, keys["ann"])
    project = program.post("/api/v1/projects", json={"name": "Hers alone"}).json()["id"]
    program.patch(f"/api/v1/projects/{project}", json={"mode": "informative"})
    text = ann.get(f"/p/{project}/data").text
    page = re.findall(r"'client_id': '([0-9a-f-]{36})'", text)[0]
    button, listener = re.findall(
        r'"(\d+)":\{"tag":"q-btn"[^{}]*\{[^{}]*"icon":"undo".*?"listener_id":"([0-9a-f-]{36})"', text
    )[0]
    greeting = {"client_id": page, "tab_id": "hers", "document_id": "1", "next_message_id": "0"}
    undo = {"client_id": page, "id": int(button), "listener_id": listener, "args": []}

    def mode() -> object:
        return program.get(f"/api/v1/projects/{project}").json()["document"]["mode"]

    with Talking(server, bob, f"&client_id={page}&implicit_handshake=true") as refused:
        assert refused.answer.startswith("44")
    with Talking(server, ann) as hers, Talking(server, bob) as his:
        assert his.ask("handshake", {**greeting, "tab_id": "his"}) == "437[false]"
        assert hers.ask("handshake", greeting) == "437[true]"
        assert his.ask("handshake", greeting) == "437[false]"
        his.ask("event", undo)
        for said in (None, [], "event", {"client_id": 7}, {}):
            assert his.ask("event", said) == "437[false]"
        assert mode() == "informative"
        assert hers.unasked(0.5)
        assert his.unasked(0.5) == []
        sent = bob.post(f"/_nicegui/client/{page}/upload/9", files={"f": ("t.csv", TABLE)})
        assert (sent.status_code, "no such page" in sent.text) == (404, True)
        hers.ask("event", undo)
        assert mode() == "full"

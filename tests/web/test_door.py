"""Who comes in: the printed address once, the key always, and nobody by another name or from another site's page."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect

from tests.web.conftest import Server


def cookie_of(client: httpx.Client) -> str:
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def raw(server: Server, request: str) -> str:
    """The first line of the answer to a request as it is typed."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as link:
        link.sendall(request.encode("latin-1"))
        return link.recv(65536).decode("latin-1").split("\r\n")[0]


def test_it_listens_on_this_machine_alone(server: Server) -> None:
    table = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    port = f":{server.port:04X}"
    assert {words[1] for words in table if words[1].endswith(port) and words[3] == "0A"} == {f"0100007F{port}"}


def test_without_the_printed_address_the_page_is_locked(server: Server) -> None:
    for path in ("/", "/p/anything", "/_nicegui/auto/static/x", "/?token=guess", "/favicon.ico"):
        answer = httpx.get(f"{server.base}{path}", timeout=60)
        assert answer.status_code == 401, path
        assert "paravent serve has printed" in answer.text


def test_the_printed_address_opens_the_page_once(server: Server) -> None:
    address = server.url
    with httpx.Client(base_url=server.base, timeout=60) as first, httpx.Client(timeout=60) as second:
        opened = first.get(address)
        assert opened.status_code == 200
        cookie = opened.headers["set-cookie"]
        assert re.fullmatch(r"paravent_\d+=[\w-]{43}; Path=/; HttpOnly; SameSite=Strict", cookie)
        assert address.split("token=")[1] not in opened.text
        assert first.get("/").status_code == 200
        assert second.get(address).status_code == 401


def test_the_printed_address_leads_nowhere_else(server: Server) -> None:
    token = server.url.split("token=")[1]
    answer = httpx.get(f"{server.base}//evil.example/x?token={token}", timeout=60)
    assert 'content="0;url=/evil.example/x"' in answer.text


@pytest.mark.parametrize("name", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]", ""])
def test_a_strange_name_is_refused(server: Server, name: str) -> None:
    """DNS rebinding: the page of another site points its own name to this machine."""
    host = name.format(port=server.port)
    answer = server.client().get("/api/v1/projects", headers={"Host": host})
    assert answer.status_code == 421
    assert "Key" not in answer.text


def test_two_names_are_no_name(server: Server) -> None:
    good = f"127.0.0.1:{server.port}"
    assert raw(server, f"GET / HTTP/1.1\r\nHost: {good}\r\nHost: evil.example\r\n\r\n").split()[1] in ("400", "421")
    assert raw(server, "GET / HTTP/1.0\r\n\r\n").split()[1] == "421"
    assert raw(server, f"GET http://evil.example/ HTTP/1.1\r\nHost: {good}\r\n\r\n").split()[1] in ("400", "401", "404")


def test_localhost_is_a_name(server: Server) -> None:
    answer = server.client().get("/api/v1/samples", headers={"Host": f"localhost:{server.port}"})
    assert answer.status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1"])
def test_another_sites_page_changes_nothing(server: Server, origin: str) -> None:
    """It has the browser's cookies, and the browser says where it comes from."""
    client = server.browser()
    headers = {"Origin": origin.format(port=server.port)}
    before = client.get("/api/v1/projects").json()
    for sent in ({"json": {"name": "x"}}, {"content": b'{"name": "x"}', "headers": {"Content-Type": "text/plain"}}):
        answer = client.post("/api/v1/projects", **{**sent, "headers": {**sent.get("headers", {}), **headers}})
        assert answer.status_code == 403
    assert (
        client.post("/api/v1/projects", json={"name": "x"}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    )
    assert client.get("/api/v1/projects").json() == before


def test_a_change_without_an_origin_needs_the_key(server: Server) -> None:
    client = server.browser()
    del client.headers["Origin"]
    assert client.post("/api/v1/projects", json={"name": "x"}).status_code == 403
    assert server.client().post("/api/v1/projects", json={"name": "x"}).status_code == 201


SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


@pytest.mark.parametrize(
    ("origin", "host", "known"),
    [
        ("http://evil.example", None, True),
        ("null", None, True),
        ("http://evil.example", "evil.example", True),
        (None, "evil.example", True),
        (None, None, False),
        ("http://127.0.0.1:{port}", None, False),
    ],
)
def test_a_strange_websocket_is_refused(server: Server, origin: str | None, host: str | None, known: bool) -> None:
    headers = {"Cookie": cookie_of(server.browser())} if known else {}
    given = None if origin is None else origin.format(port=server.port)
    name = host or f"127.0.0.1:{server.port}"
    link = socket.create_connection(("127.0.0.1", server.port))
    with pytest.raises((InvalidStatus, WebSocketException)):
        connect(f"ws://{name}{SOCKET}", sock=link, origin=given, additional_headers=headers).close()


def test_the_pages_own_websocket_is_let_in(server: Server) -> None:
    headers = {"Cookie": cookie_of(server.browser())}
    with connect(f"ws://127.0.0.1:{server.port}{SOCKET}", origin=server.base, additional_headers=headers) as link:
        assert str(link.recv(timeout=60)).startswith("0{")


def test_polling_is_guarded_too(server: Server) -> None:
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    assert httpx.get(f"{server.base}{path}", timeout=60).status_code == 401
    assert server.browser().get(path).status_code == 200
    assert server.browser().post(path, headers={"Origin": "http://evil.example"}).status_code == 403


def test_every_answer_says_what_a_browser_must_refuse(server: Server) -> None:
    client = server.browser()
    for path in ("/", "/api/v1/projects", "/nowhere", "/favicon.ico"):
        answer = client.get(path)
        told = answer.headers
        assert told["x-content-type-options"] == "nosniff", path
        assert told["referrer-policy"] == "same-origin"
        assert told["x-frame-options"] == "SAMEORIGIN"
        assert "access-control-allow-origin" not in told
        assert "server" not in told
        policy = dict(part.split(" ", 1) for part in told["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["connect-src"] == "'self'"
        assert policy["script-src-attr"] == "'none'"
        assert "http" not in told["content-security-policy"]
        assert "'unsafe-inline'" not in policy["script-src"]


def test_scripts_of_the_page_have_the_nonce_of_the_answer(server: Server) -> None:
    client = server.browser()
    pages = [client.get("/") for _ in range(2)]
    nonces = [re.findall(r"'nonce-([\w-]+)'", page.headers["content-security-policy"])[0] for page in pages]
    assert nonces[0] != nonces[1]
    for page, nonce in zip(pages, nonces, strict=True):
        scripts = re.findall(r"<script\b[^>]*>", page.text)
        assert scripts
        assert all(f'nonce="{nonce}"' in script or 'src="/' in script for script in scripts)
        assert not re.findall(r"https?://(?!127\.0\.0\.1)[\w.-]+", re.sub(r"http://www\.w3\.org\S*", "", page.text))


def test_a_path_in_a_header_is_not_believed(server: Server) -> None:
    answer = server.browser().get("/", headers={"X-Forwarded-Prefix": "/evil", "X-Forwarded-Host": "evil.example"})
    assert "evil" not in answer.text

"""Who comes in: the printed address once, the key always, and nobody by another name or from another site's page."""

from __future__ import annotations

import httpx

from tests.web.conftest import Server


def test_without_the_printed_address_the_page_is_locked(server: Server) -> None:
    answer = httpx.get(f"{server.base}/", timeout=60)
    assert answer.status_code == 401
    assert "paravent serve has printed" in answer.text


def test_the_printed_address_opens_the_page_once(server: Server) -> None:
    address = server.url
    with httpx.Client(base_url=server.base, timeout=60) as first, httpx.Client(timeout=60) as second:
        assert first.get(address).status_code == 200
        assert first.get("/").status_code == 200
        assert second.get(address).status_code == 401


def test_a_strange_name_is_refused(server: Server) -> None:
    """DNS rebinding: the page of another site points its own name to this machine."""
    for name in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", ""):
        answer = server.client().get("/", headers={"Host": name})
        assert answer.status_code == 421, name

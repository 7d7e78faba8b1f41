"""REST under nonsense: whatever is sent to whichever address, the answer is right, or one sentence as JSON."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx
import pytest

from tests.web.conftest import Server
from tests.web.test_api import made

CALLS = 400
PIECES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e308, 2**70, "", "a", "age", "\0", "../../etc/passwd", "<script>alert(1)</script>",
    "é" * 300, "=1+1", "\ud83d\ude00", "\ud800", [], {}, [[]], {"": {}}, "adult", "KAnonymity", "quasi", "guard",
)  # fmt: skip


def value(draw: random.Random, depth: int = 0) -> Any:
    if depth < 3 and draw.random() < 0.3:
        names = [
            draw.choice(["columns", "protect", "role", "model", "k", "age", "tree", "method", "name", "x"])
            for _ in "ab"
        ]
        return {name: value(draw, depth + 1) for name in names}
    if depth < 3 and draw.random() < 0.15:
        return [value(draw, depth + 1) for _ in range(draw.randint(0, 3))]
    return draw.choice(PIECES)


def body_of(draw: random.Random, schema: dict[str, Any] | None, parts: dict[str, Any]) -> Any:
    """Nearly what is asked for: the right names with any values, at times some names too few or too many."""
    if schema is None or draw.random() < 0.2:
        return value(draw)
    named = parts[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    found = {name: value(draw) for name in named.get("properties", {}) if draw.random() < 0.8}
    return {**found, "extra": 1} if draw.random() < 0.1 else found


@pytest.mark.parametrize("seed", [1, 2])
def test_no_call_brings_the_server_down(server: Server, seed: int) -> None:
    draw = random.Random(seed)
    client = server.client()
    told = client.get("/api/v1/openapi.json").json()
    parts = told["components"]["schemas"]
    calls = [(method, path, about) for path, methods in told["paths"].items() for method, about in methods.items()]
    ids = [made(client), "0123456789abcdef", "%2e%2e%2fx", "%00", "x" * 100]
    seen: dict[int, int] = {}
    for _ in range(CALLS):
        method, path, about = draw.choice(calls)
        if (method, path) == ("delete", "/projects/{project}"):
            continue
        for name in ("project", "job", "release", "name"):
            path = path.replace(
                f"{{{name}}}", ids[0] if name == "project" and draw.random() < 0.8 else draw.choice(ids)
            )
        query = {
            each["name"]: str(draw.choice(PIECES)).encode("utf-8", "replace").decode()
            for each in about.get("parameters", ())
            if each["in"] == "query" and draw.random() < 0.6 and each["name"] != "wait"
        }
        content = about.get("requestBody", {}).get("content", {})
        sent: dict[str, Any] = {}
        if "application/json" in content:
            body = json.dumps(body_of(draw, content["application/json"].get("schema"), parts)).encode()
            if draw.random() < 0.1:
                body = body[: len(body) // 2] + draw.choice([b"", b"\xff\xfe", b"{" * 2000])
            sent = {"content": body, "headers": {"Content-Type": "application/json"}}
        elif content:
            sent = {"content": bytes(draw.randrange(256) for _ in range(draw.randint(0, 300)))}
        answer = client.request(method.upper(), f"/api/v1{path}", params=query, **sent)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
        assert answer.status_code < 500, (method, path, query, sent, answer.text)
        if answer.status_code >= 400:
            assert list(answer.json()) == ["error"], (method, path)
            said = answer.json()["error"]
            assert said.endswith((".", "?", ")", "…")), said
            assert "Traceback" not in said
            assert str(server.folder) not in said
    assert len(seen) >= 4, seen
    assert client.get("/api/v1/samples").status_code == 200
    for job in client.get(f"/api/v1/projects/{ids[0]}/jobs").json():
        client.delete(f"/api/v1/projects/{ids[0]}/jobs/{job['id']}")


def test_what_is_no_request_is_refused(server: Server) -> None:
    with httpx.Client(base_url=server.base, timeout=60) as client:
        for headers in (
            {"Authorization": "Bearer \u00e9"},
            {"Cookie": "=;=;,"},
            {"Cookie": f"paravent_{server.port}=x"},
        ):
            encoded = {name: value.encode("latin-1") for name, value in headers.items()}
            assert client.get("/", headers=encoded).status_code == 401

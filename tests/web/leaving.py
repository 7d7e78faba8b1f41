"""A server in this process, people who come and go by real sockets and without, and what is left of them, as JSON.

It is a program of its own, since NiceGUI is one for a whole process: `python -m tests.web.leaving FOLDER`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import socketio
from nicegui import Client, background_tasks, core

from paravent.web import app, unwatched
from paravent.web.page import Page
from paravent.web.settings import Settings

PEOPLE = 12
SCREENS = ("data", "trees", "constraints", "preferences", "direct", "knowledge", "learn")


def served(folder: Path) -> str:
    """Serve in a thread; gives the address."""
    ready, found = threading.Event(), []

    def hear(address: str) -> None:
        found.append(address)
        ready.set()

    settings = Settings(folder=folder, port=0)
    threading.Thread(target=lambda: app.serve(settings, lambda _: None, ready=hear), daemon=True).start()
    assert ready.wait(120)
    return "/".join(found[0].split("/")[:3])


def until(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def pages() -> list[Page]:
    gc.collect()
    return [each for each in gc.get_objects() if type(each) is Page]


def building() -> int:
    return sum(task.get_name() == "build a screen" and not task.done() for task in list(background_tasks.running_tasks))


async def look_at(base: str, key: str, path: str, meanwhile: Callable[[], object]) -> int:
    """Load a page as a browser does, with its socket, and leave: how many updates came after `meanwhile`."""
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=base, headers=headers, timeout=60) as browser:
        answer = await browser.get(path)
    client = re.search(r"client_id\W+([0-9a-f-]{36})", answer.text)
    assert client is not None
    socket, updates = socketio.AsyncClient(reconnection=False), 0

    @socket.on("update")  # type: ignore[untyped-decorator]
    def update(_: Any) -> None:
        nonlocal updates
        updates += 1

    query = f"client_id={client[1]}&implicit_handshake=true&document_id=d&tab_id=t{client[1]}&next_message_id=0"
    where = f"{base}?{query}"
    await socket.connect(where, headers=headers, socketio_path="/_nicegui_ws/socket.io", transports=["websocket"])
    await asyncio.sleep(0.5)
    updates = 0
    await asyncio.to_thread(meanwhile)
    end = time.monotonic() + 20
    while not updates and time.monotonic() < end:
        await asyncio.sleep(0.05)
    await socket.disconnect()
    return updates


def main() -> None:
    folder = Path(sys.argv[1])
    base = served(folder)
    key = (folder / "key").read_text(encoding="ascii").strip()
    program = httpx.Client(base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=60)
    project = program.post("/api/v1/projects", json={"name": "Left"}).json()["id"]
    program.post(f"/api/v1/projects/{project}/sample", json={"name": "adult"})
    told: dict[str, Any] = {}

    # pages that no browser ever connects to: not built again when something changes, and only the latest stay
    for _ in range(PEOPLE):
        assert program.get(f"/p/{project}/data").status_code == 200
    until(lambda: building() == 0)
    told["loaded"] = len(pages())
    builds = [page._build for page in pages()]
    program.patch(f"/api/v1/projects/{project}", json={"context": {"risk": 0.3}})
    time.sleep(0.5)
    told["built again"] = sum(page._build for page in pages()) - sum(builds)
    unwatched.SOON, unwatched.MOST = 0.0, 3
    program.get(f"/p/{project}/data")
    told["kept"] = len(Client.instances)
    until(lambda: building() == 0)
    gone = [weakref.ref(page) for page in pages()]
    core.loop.call_soon_threadsafe(lambda: Client.prune_instances(client_age_threshold=0.0))  # type: ignore[union-attr]
    told["gone unseen"] = until(lambda: not pages() and all(each() is None for each in gone))

    # people with a browser: what others change is shown to them, and nothing stays when they leave
    unwatched.SOON, unwatched.MOST = 10.0, 32
    core.app.config.reconnect_timeout = 0.2
    turn = iter(range(1, 50))

    def change() -> None:
        risk = next(turn) / 100
        program.patch(f"/api/v1/projects/{project}", json={"context": {"risk": risk}}).raise_for_status()

    async def crowd() -> list[int]:
        paths = [f"/p/{project}/{path}" for path in SCREENS]
        shown = [await look_at(base, key, path, change) for path in paths]
        await asyncio.gather(*(look_at(base, key, paths[0], change) for _ in range(PEOPLE)))
        return shown

    told["shown"] = asyncio.run(crowd())
    told["gone"] = until(lambda: not Client.instances and not pages())
    opened = next(each for each in gc.get_objects() if type(each).__name__ == "Project" and each.id == project)
    told["listeners"] = len(opened._listeners)
    told["outboxes"] = sum(task.get_name().startswith("outbox") for task in list(background_tasks.running_tasks))
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()

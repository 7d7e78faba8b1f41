"""The application: guard, REST and screens in one, and the server around it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from paravent.errors import PlanError, TableError
from paravent.web.incoming import incoming
from paravent.web.jobs.pool import Pool
from paravent.web.lock import locked
from paravent.web.logs import note_defect, quieten
from paravent.web.security.accounts import Accounts
from paravent.web.security.audit import Audit
from paravent.web.security.doors import Doors, OnePerson
from paravent.web.security.guard import Guard
from paravent.web.security.names import LOCAL, Names
from paravent.web.security.pages import hold_sockets
from paravent.web.security.users import Users
from paravent.web.settings import Settings
from paravent.web.workspace.files import private_folder
from paravent.web.workspace.workspace import Workspace

Say = Callable[[str], None]

_TIDY = 60.0
"""Seconds between two looks for sessions and tables whose time is over."""


def serve(settings: Settings, say: Say = print, *, ready: Callable[[str], None] | None = None) -> None:
    """Serve the page until Ctrl-C. `say` is told what a person should read, `ready` an address that opens the page.

    It binds to this machine alone, unless there are accounts.
    """
    settings.check()
    private_folder(settings.folder)
    with locked(settings.folder), incoming(settings.folder), _listening(settings) as listening:
        port = listening.getsockname()[1]
        doors = _doors(settings, port)
        base = settings.behind_proxy or f"{settings.base}:{port}"
        guard = make(settings, doors, base)
        _run(settings, guard, listening, lambda: _greet(settings, doors, base, say, ready))


def make(settings: Settings, doors: Doors, base: str) -> Guard:
    """The application behind its guard."""
    os.environ["NICEGUI_STORAGE_PATH"] = str(settings.folder / "page")
    try:
        from fastapi import FastAPI
        from nicegui import ui
    except ModuleNotFoundError:
        raise TableError("the web page is not installed. Install it with `pip install 'paravent[web]'`.") from None
    quieten()
    from paravent.web import screens, template
    from paravent.web.api.api import ROOT, make_api

    @contextlib.asynccontextmanager
    async def life(_: Any) -> AsyncIterator[None]:
        pool = Pool.shared()
        threading.Thread(target=pool.warm, daemon=True).start()
        tidying = asyncio.create_task(_tidy(doors))
        yield
        tidying.cancel()
        pool.close()

    app = FastAPI(title="paravent", docs_url=None, redoc_url=None, openapi_url=None, lifespan=life)
    app.mount(ROOT, make_api((lambda: doors.address(base)) if isinstance(doors, OnePerson) else None))
    screens.mount()
    template.with_nonces()
    hold_sockets()
    ui.run_with(app, title="paravent", show_welcome_message=False, reconnect_timeout=30.0, tailwind=False)
    return Guard(app, doors)


def _doors(settings: Settings, port: int) -> Doors:
    names = Names(
        (*LOCAL, *settings.names), port=port, secure=settings.certificate is not None, public=settings.behind_proxy
    )
    cookie = f"{'__Host-' if settings.secure else ''}paravent_{port}"
    doors: Doors
    if settings.users is None:
        workspace = Workspace(settings.folder / "workspace", quota=settings.quota)
        doors = OnePerson(names, workspace, cookie=cookie, secure=settings.secure)
    else:
        people = private_folder(settings.folder / "people")
        audit = Audit(settings.folder / "audit.log")
        users = Users(settings.users)
        doors = Accounts(names, users, people, settings.quota, audit, cookie=cookie, secure=settings.secure)
    doors.proxied = settings.behind_proxy is not None
    return doors


async def _tidy(doors: Doors) -> None:
    """End sessions and delete tables whose time is over."""
    while True:
        try:
            doors.expire()
            for workspace in doors.workspaces():
                await asyncio.to_thread(workspace.retire)
        except Exception as error:
            note_defect(error)
        await asyncio.sleep(_TIDY)


def _greet(settings: Settings, doors: Doors, base: str, say: Say, ready: Callable[[str], None] | None) -> None:
    if isinstance(doors, OnePerson):
        key = settings.folder / "key"
        key.touch(mode=0o600)
        key.chmod(0o600)
        key.write_text(f"{doors.key}\n", encoding="ascii")
        say(f"paravent is at {doors.address(base)}")
        say("The address opens the page once; when it is used, the next one is printed here. Stop with Ctrl-C.")
        say(f"Projects lie in {settings.folder}. Programs send the key in {key}.")
        doors.on_ticket = lambda: say(f"To open it in another browser: {doors.address(base)}")
        if ready is not None:
            ready(doors.address(base))
    else:
        say(f"paravent is at {base}/ for the people of {settings.users}. Stop with Ctrl-C.")
        say(f"Projects lie in {settings.folder}, and the audit log beside them. Programs send the key of a person.")


@contextlib.contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    """The socket: the port that was asked for; where nobody asked and it is taken, any that is free."""
    listening = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            listening.bind((settings.host, settings.port))
        except OSError as error:
            if settings.port_is_asked or settings.users is not None:
                raise TableError(
                    f"port {settings.port} of {settings.host} cannot be used: {(error.strerror or '').lower()}. "
                    "Name another with --port."
                ) from None
            listening.bind((settings.host, 0))
        yield listening
    finally:
        listening.close()


def _run(settings: Settings, guard: Guard, listening: socket.socket, started: Callable[[], None]) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if not self.should_exit:
                started()

    config = uvicorn.Config(
        guard,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=16 << 20,
        timeout_graceful_shutdown=3,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
    )
    try:
        config.load()
    except (ssl.SSLError, OSError) as error:
        raise PlanError(f"--certificate cannot be used: {error}. Give a PEM file, and its --key.") from None
    with contextlib.suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])

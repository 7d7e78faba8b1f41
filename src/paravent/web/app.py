"""The application: guard, REST and screens in one, and the server around it."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from paravent.errors import TableError
from paravent.web.jobs.pool import Pool
from paravent.web.lock import locked
from paravent.web.logs import quieten
from paravent.web.security.doors import OnePerson
from paravent.web.security.guard import Guard
from paravent.web.security.names import LOCAL, Names
from paravent.web.settings import Settings
from paravent.web.workspace.files import private_folder
from paravent.web.workspace.workspace import Workspace

Say = Callable[[str], None]


def serve(settings: Settings, say: Say = print, *, ready: Callable[[str], None] | None = None) -> None:
    """Serve the page until Ctrl-C. `say` is told what a person should read, `ready` the address when it answers.

    It binds to this machine alone, unless there are accounts.
    """
    private_folder(settings.folder)
    with locked(settings.folder), _listening(settings) as listening:
        port = listening.getsockname()[1]
        guard, doors = make(settings, port)
        _run(settings, guard, listening, lambda: _greet(settings, doors, port, say, ready))


def make(settings: Settings, port: int) -> tuple[Guard, OnePerson]:
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

    names = Names(
        (*LOCAL, *settings.names), port=port, secure=settings.certificate is not None, public=settings.behind_proxy
    )
    workspace = Workspace(settings.folder / "workspace", quota=settings.quota)
    doors = OnePerson(names, workspace, cookie=f"paravent_{port}", secure=settings.secure)

    @contextlib.asynccontextmanager
    async def life(_: Any) -> AsyncIterator[None]:
        pool = Pool.shared()
        threading.Thread(target=pool.warm, daemon=True).start()
        yield
        pool.close()

    app = FastAPI(title="paravent", docs_url=None, redoc_url=None, openapi_url=None, lifespan=life)
    app.mount(ROOT, make_api(lambda: address(settings, doors, port)))
    screens.mount()
    template.with_nonces()
    ui.run_with(app, title="paravent", show_welcome_message=False, reconnect_timeout=30.0)
    return Guard(app, doors), doors


def address(settings: Settings, doors: OnePerson, port: int) -> str:
    """An address that opens the page once."""
    base = settings.behind_proxy or f"{'https' if settings.certificate else 'http'}://127.0.0.1:{port}"
    return f"{base}/?token={doors.tickets.draw()}"


def _greet(settings: Settings, doors: OnePerson, port: int, say: Say, ready: Callable[[str], None] | None) -> None:
    first = address(settings, doors, port)
    key = Path(settings.folder, "key")
    key.touch(mode=0o600)
    key.chmod(0o600)
    key.write_text(f"{doors.key}\n", encoding="ascii")
    say(f"paravent is at {first}")
    say("The address opens the page once; when it is used, the next one is printed here. Stop with Ctrl-C.")
    say(f"Projects lie in {settings.folder}. Programs send the key in {key}.")
    doors.on_ticket = lambda: say(f"To open it in another browser: {address(settings, doors, port)}")
    if ready is not None:
        ready(first)


@contextlib.contextmanager
def _listening(settings: Settings) -> Any:
    """The socket: the port that was asked for; where nobody asked and it is taken, any that is free."""
    listening = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            listening.bind((settings.host, settings.port))
        except OSError as error:
            if settings.port_is_asked:
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
    with contextlib.suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])

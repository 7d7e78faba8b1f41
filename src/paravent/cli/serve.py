"""paravent serve: the web page."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paravent.cli.console import Console
from paravent.cli.page import examples
from paravent.errors import PlanError

if TYPE_CHECKING:
    from paravent.web import Quota

EXAMPLES = examples(
    "paravent serve",
    "paravent serve --port 9000 --folder projects",
    "paravent serve --users users.toml --add-user ann",
    "paravent serve --users users.toml --behind-proxy https://data.example.org",
)
_people = partial(typer.Option, rich_help_panel="Several people")
_limit = partial(typer.Option, rich_help_panel="Limits")


def serve(
    ctx: typer.Context,
    port: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="The port (8080, or any that is free).", min=0, max=65535)
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where projects lie (~/.local/share/paravent).")
    ] = None,
    open_page: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open a browser (where there is a terminal).")
    ] = None,
    users: Annotated[
        Path | None, _people(metavar="FILE", help="Accounts, each with projects of its own (TOML).")
    ] = None,
    add_user: Annotated[
        str | None, _people(metavar="NAME", help="Add an account to the file, or give it a new password, and end.")
    ] = None,
    role: Annotated[str, _people(metavar="owner|viewer|expert", help="What the new account may do.")] = "owner",
    views: Annotated[str, _people(metavar="NAME", help="Whose projects a viewer looks at.")] = "",
    host: Annotated[str, _people(metavar="ADDRESS", help="Where to listen, for others to reach it.")] = "127.0.0.1",
    name: Annotated[
        list[str] | None, _people(metavar="NAME", help="A host name by which it may be called; several times.")
    ] = None,
    certificate: Annotated[Path | None, _people(metavar="FILE", help="The TLS certificate (PEM).")] = None,
    key: Annotated[Path | None, _people(metavar="FILE", help="The key of the certificate (PEM).")] = None,
    behind_proxy: Annotated[
        str | None, _people(metavar="URL", help="The address that people see, where a proxy stands before it.")
    ] = None,
    databases: Annotated[
        bool | None, _people(help="Whether the server reads databases for people (without accounts, it does).")
    ] = None,
    upload_limit: Annotated[str, _limit(metavar="SIZE", help="The largest upload.")] = "2GB",
    space_limit: Annotated[str, _limit(metavar="SIZE", help="What the projects of a person may take.")] = "20GB",
    memory_limit: Annotated[str, _limit(metavar="SIZE", help="The memory of one job.")] = "8GB",
    time_limit: Annotated[float, _limit(metavar="SECONDS", help="The time of one job.", min=1)] = 3600.0,
    retention: Annotated[
        float | None, _limit(metavar="DAYS", help="Delete tables of projects that nobody has changed for so long.")
    ] = None,
) -> None:
    """Open the workbench: a web page on which a table is published step by step.

    It runs on this machine alone, and nothing leaves it. The printed address opens the page once. With --users, it is
    for several people: each logs in and has projects of their own.
    """
    console = Console.of(ctx, json=False)
    from paravent.web import Quota, Settings, bytes_of
    from paravent.web import serve as serve_page

    if add_user is not None:
        _add(console, users, add_user, role, views)
        return
    quota: Quota = Quota(
        upload=bytes_of(upload_limit),
        workspace=bytes_of(space_limit),
        memory=bytes_of(memory_limit),
        seconds=time_limit,
        retention=retention,
        databases=users is None if databases is None else databases,
    )
    settings = Settings(
        host=host,
        port=8080 if port is None else port,
        port_is_asked=port is not None,
        users=users,
        quota=quota,
        certificate=certificate,
        key=key,
        behind_proxy=None if behind_proxy is None else behind_proxy.rstrip("/"),
        names=tuple(name or ()),
        **({} if folder is None else {"folder": folder.absolute()}),
    )
    wanted = sys.stdout.isatty() if open_page is None else open_page
    serve_page(settings, console.say, ready=partial(_open, settings.folder) if wanted else None)


def _add(console: Console, users: Path | None, name: str, role: str, views: str) -> None:
    from paravent.web import add_user

    if users is None:
        raise PlanError("--add-user: say where accounts are kept, with --users FILE.")
    password = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    given = add_user(users, name, role, password, views)
    console.say(f"{name} may log in. For programs, this key is shown once: {given}")


def _open(folder: Path, address: str) -> None:
    """Open a browser by way of a file that only its owner can read: arguments of processes can be read by all."""
    import html
    import threading
    import webbrowser

    page = folder / "open.html"
    page.touch(mode=0o600)
    page.chmod(0o600)
    page.write_text(f'<meta http-equiv="refresh" content="0;url={html.escape(address)}">\n', encoding="utf-8")

    def show() -> None:
        with contextlib.suppress(webbrowser.Error, OSError):
            webbrowser.open(page.as_uri())

    threading.Thread(target=show, daemon=True).start()

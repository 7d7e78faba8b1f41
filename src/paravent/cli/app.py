"""The commands of `paravent`, gathered. Each lives in a file of its own and imports what it needs when it runs."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any

import typer

from paravent.cli.door import Door
from paravent.cli.page import Page


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"paravent {version('paravent')}")
        raise typer.Exit


def paravent(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Anonymize a table about people, prove what the result protects against, and measure what it cost.

    A first look: `paravent demo`. Your own table: `paravent guide` asks what it is for and proposes what to do;
    `paravent profile` says what is in it, `paravent plan draft` writes down what could be done about it, `paravent
    anonymize` does it and proves it. `--help` after any of them says more.
    """


_EXIT_CODES = "Exit codes: 0 done, or it holds; 1 it does not hold, or the demand cannot be met; 2 the input is wrong."

COMMANDS = (
    "profile",
    "guide",
    "anonymize",
    "synthesize",
    "verify",
    "measure",
    "compare",
    "best-k",
    "attack",
    "risk",
    "query",
    "clean",
    "demo",
    "serve",
)
GROUPS = ("plan", "tree", "bench", "budget", "know", "experiment")


def made(names: Iterable[str] = (*COMMANDS, *GROUPS)) -> typer.Typer:
    """The command line with these commands. One that runs needs no other, and starts the sooner."""
    app = typer.Typer(
        name="paravent",
        cls=Door,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
        epilog=_EXIT_CODES,
    )
    app.callback()(paravent)
    for name in names:
        module = import_module(f"paravent.cli.{name.replace('-', '_')}")
        if name == "experiment":
            module.add_to(app)
        elif name in GROUPS:
            app.add_typer(module.app, name=name)
        else:
            app.command(name, cls=Page, epilog=module.EXAMPLES)(getattr(module, name.replace("-", "_")))
    return app


def run(arguments: list[str]) -> None:
    """Run the command that comes first among the arguments, or say which there are."""
    first = arguments[0] if arguments else ""
    (made([first]) if first in (*COMMANDS, *GROUPS) else made())()


def __getattr__(name: str) -> Any:
    """`app`: the command line with all commands."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = made()
    return globals()[name]

"""paravent serve: the web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paravent.cli.page import examples

EXAMPLES = examples("paravent serve", "paravent serve --port 9000 --folder projects")


def serve(
    port: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="The port (8080, or any that is free).", min=0, max=65535)
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where projects lie (~/.local/share/paravent).")
    ] = None,
) -> None:
    """Open the workbench: a web page on which a table is published step by step.

    It runs on this machine alone, and nothing leaves it. The printed address opens the page once.
    """
    from paravent.web import Settings
    from paravent.web import serve as serve_page

    told = Settings(port=8080 if port is None else port, port_is_asked=port is not None)
    if folder is not None:
        told = Settings(port=told.port, port_is_asked=told.port_is_asked, folder=folder.absolute())
    serve_page(told, typer.echo)

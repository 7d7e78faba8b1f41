"""paravent experiment: experiments of the literature, where the package with them is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated

import typer

from paravent.errors import PlanError

PACKAGE = "paravent_experiments"
HELP = "Run experiments of the literature again, beside their published numbers."


def add_to(app: typer.Typer) -> None:
    """Add the commands of the experiments, or one that says how to get them."""
    if find_spec(PACKAGE) is not None:
        app.add_typer(import_module(f"{PACKAGE}.command").app, name="experiment", help=HELP)
        return
    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command("experiment", help=HELP, context_settings=anything)(_absent)


def _absent(which: Annotated[str, typer.Argument(metavar="NAME", show_default=False)] = "") -> None:
    raise PlanError(
        f"experiment {which}".rstrip() + ": the experiments are a package of their own. Install it from a copy of "
        "paravent's repository: pip install ./experiments."
    )

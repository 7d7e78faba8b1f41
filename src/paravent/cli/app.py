"""The commands of `paravent`, gathered. Each lives in a file of its own and imports what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from paravent.cli import (
    anonymize,
    attack,
    bench,
    best_k,
    budget,
    clean,
    compare,
    demo,
    experiment,
    guide,
    know,
    measure,
    plan,
    profile,
    query,
    risk,
    serve,
    synthesize,
    tree,
    verify,
)
from paravent.cli.door import Door
from paravent.cli.page import Page


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"paravent {version('paravent')}")
        raise typer.Exit


app = typer.Typer(
    name="paravent",
    cls=Door,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="Exit codes: 0 done, or it holds; 1 it does not hold, or the demand cannot be met; 2 the input is wrong.",
)


@app.callback()
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


for command, function, epilog in (
    ("profile", profile.profile, profile.EXAMPLES),
    ("guide", guide.guide, guide.EXAMPLES),
    ("anonymize", anonymize.anonymize, anonymize.EXAMPLES),
    ("synthesize", synthesize.synthesize, synthesize.EXAMPLES),
    ("verify", verify.verify, verify.EXAMPLES),
    ("measure", measure.measure, measure.EXAMPLES),
    ("compare", compare.compare, compare.EXAMPLES),
    ("best-k", best_k.best_k, best_k.EXAMPLES),
    ("attack", attack.attack, attack.EXAMPLES),
    ("risk", risk.risk, risk.EXAMPLES),
    ("query", query.query, query.EXAMPLES),
    ("clean", clean.clean, clean.EXAMPLES),
    ("demo", demo.demo, demo.EXAMPLES),
    ("serve", serve.serve, serve.EXAMPLES),
):
    app.command(command, cls=Page, epilog=epilog)(function)
app.add_typer(plan.app, name="plan")
app.add_typer(tree.app, name="tree")
app.add_typer(bench.app, name="bench")
app.add_typer(budget.app, name="budget")
app.add_typer(know.app, name="know")
experiment.add_to(app)

"""paravent budget: what may be spent on a table, and what was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.console import Console
from paravent.cli.options import Json
from paravent.cli.page import Page, examples, group

if TYPE_CHECKING:
    from paravent import Budget

app = group("What may be spent on a table by differential privacy, and what was.")

Ledger = Annotated[Path, typer.Argument(metavar="LEDGER", help="The file of the budget.", show_default=False)]


@app.command(cls=Page, epilog=examples("paravent budget show patients.ledger"))
def show(ctx: typer.Context, ledger: Ledger, json: Json = False) -> None:
    """What was granted, what was spent on what, and what is left.

    It is for the owner of the table: what was asked is no secret of people, but the fingerprint of their table is.
    """
    console = Console.of(ctx, json=json)
    import paravent as pv

    _tell(console, pv.Budget(ledger))


@app.command(
    cls=Page,
    epilog=examples(
        "paravent budget grant patients.ledger --epsilon 3 --delta 1e-6",
        "paravent budget grant patients.ledger --epsilon 3 --delta 1e-6 --outright 1e-7",
    ),
)
def grant(
    ctx: typer.Context,
    ledger: Ledger,
    epsilon: Annotated[str, typer.Option(metavar="NUMBER", help="The ε that may be spent in all.")],
    delta: Annotated[
        str, typer.Option(metavar="NUMBER", help="The δ in all, far below 1 / the number of people.")
    ] = "0",
    outright: Annotated[
        str, typer.Option(metavar="NUMBER", help="The part of δ for keys that are found by a threshold.")
    ] = "0",
    json: Json = False,
) -> None:
    """Say what may be spent in all: of a new ledger, or more than before of one that is there."""
    console = Console.of(ctx, json=json)
    import paravent as pv

    if ledger.exists():
        budget = pv.Budget(ledger)
        budget.grant(epsilon, delta, outright=outright)
    else:
        budget = pv.Budget(ledger, epsilon, delta, outright=outright)
    _tell(console, budget)


def _tell(console: Console, budget: Budget) -> None:
    console.say(str(budget))
    console.give(_document(budget))


def _document(budget: Budget) -> dict[str, Any]:
    state = budget.state
    entries = [{"what": spent.what, "at": spent.at, **spent.cost.to_dict()} for spent in state.entries]
    return {
        "granted": {name: float(value) for name, value in vars(state.grant).items()},
        "spent": {**state.spent.to_dict(), "epsilon_at_delta": float(state.epsilon)},
        "left": {name: float(value) for name, value in vars(state.left).items()},
        "entries": entries,
        "table": state.table,
    }

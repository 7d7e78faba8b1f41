"""paravent query: ask a table about people, within a privacy budget."""

from __future__ import annotations

import re
import warnings
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, pair
from paravent.cli.page import examples
from paravent.errors import PlanError

EXAMPLES = examples(
    "paravent query data.csv count --where 'sex=F' --where 'age=30..39' --budget data.ledger --epsilon 0.1",
    "paravent query data.csv mean age --domain age=17..90 --budget data.ledger --epsilon 0.2",
    "paravent query data.csv histogram job --domain 'job=clerk|cook|nurse' --budget data.ledger --epsilon 0.2",
)
_COLUMNS = {"count": 0, "correlation": 2}
_ENDS = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")

_DAYS = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)")

Question = Literal["count", "sum", "mean", "variance", "quantile", "correlation", "histogram", "top"]


@grouped
def query(
    ctx: typer.Context,
    source: Source,
    question: Annotated[Question, typer.Argument(metavar="QUESTION", help="What is asked.")],
    reading: Reading,
    columns: Annotated[list[str] | None, typer.Argument(metavar="[COLUMN]...", help="Of which column.")] = None,
    budget: Annotated[Path | None, typer.Option(metavar="LEDGER", help="The file of the budget.")] = None,
    epsilon: Annotated[str | None, typer.Option(metavar="NUMBER", help="The price, in ε.")] = None,
    rho: Annotated[str | None, typer.Option(metavar="NUMBER", help="The price, in ρ of zCDP, instead.")] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=WORDS", help="What a column can hold: 17..90, days, a|b|c, a tree file. Repeatable."
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=WORDS", help="Rows with this value, a|b for one of several, 30..39. Repeatable."),
    ] = None,
    person: Annotated[str | None, typer.Option(metavar="NAME", help="The column that says whose a row is.")] = None,
    rows: Annotated[int, typer.Option(metavar="NUMBER", help="With how many rows a person takes part.")] = 1,
    share: Annotated[float | None, typer.Option(metavar="SHARE", help="Of a quantile; the median is 0.5.")] = None,
    bins: Annotated[int | None, typer.Option(metavar="NUMBER", help="Of a histogram of numbers.")] = None,
    most: Annotated[int | None, typer.Option(metavar="NUMBER", help="How many values `top` names.")] = None,
    delta: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Beside ε: Gaussian noise; values by threshold, of a histogram unnamed."),
    ] = None,
    json: Json = False,
) -> None:
    """Ask a table about people. The answer has noise, an interval and a price, which the ledger holds.

    What columns can hold is said, never looked up. The answer may be passed on; the table and the ledger may not.
    """
    console = Console.of(ctx, json=json)
    import paravent as pv

    if budget is None:
        raise PlanError("Nothing says from which budget this is paid. Name its ledger with --budget.")
    named = list(columns or ())
    wanted = _COLUMNS.get(question, 1)
    if len(named) != wanted:
        raise PlanError(f"{question} is asked of {wanted} column{'' if wanted == 1 else 's'}, not of {len(named)}.")
    table = reading.open(source)
    domains = {name: _domain(words) for name, words in (pair("--domain", text, table.names) for text in domain or ())}
    asked: dict[str, Any] = {"where": dict(_condition(text, table.names) for text in where or ())}
    asked |= {"epsilon": epsilon, "rho": rho}
    own = {
        "share": ("quantile", share), "bins": ("histogram", bins), "most": ("top", most),
    }  # fmt: skip
    for option, (of, value) in own.items():
        if value is not None and of != question:
            raise PlanError(f"--{option} is for {of}, not for {question}. Leave it out.")
        if value is not None:
            asked["count" if option == "most" else option] = value
    if delta is not None:
        if question in ("quantile", "top"):
            raise PlanError(f"--delta is for Gaussian noise, which {question} has none of. Leave it out.")
        asked["delta"] = delta
    with warnings.catch_warnings(record=True) as cautions:
        warnings.simplefilter("always")
        questions = pv.private.Questions(table, pv.Budget(budget), domains, person=person, rows=rows)
    for caution in cautions:
        console.say(f"Caution: {caution.message}")
    with questions as q:
        answer = getattr(q, question)(*named, **asked)
        console.say(str(answer), "", f"left  {q.budget.left}")
        console.give(answer.to_dict())


def _domain(words: str) -> Any:
    ends = _ENDS.fullmatch(words)
    days = _DAYS.fullmatch(words)
    if days is not None:
        try:
            return date.fromisoformat(days[1]), date.fromisoformat(days[2])
        except ValueError:
            raise PlanError(f"--domain: {words!r} names a day that is none. Write 1950-01-01..2009-12-31.") from None
    if ends is None:
        return words if Path(words).exists() else _listed(words)
    if "." in ends[1] + ends[2]:
        return float(ends[1]), float(ends[2])
    low, high = int(ends[1]), int(ends[2])
    return range(low, high + 1) if low < high else (low, high)


def _condition(text: str, known: list[str]) -> tuple[str, Any]:
    name, words = pair("--where", text, known)
    ends = _ENDS.fullmatch(words)
    if ends is not None:
        return name, (float(ends[1]), float(ends[2]))
    return name, _listed(words) if words else None


def _listed(words: str) -> list[str]:
    return [word.strip() for word in words.split("|")]

"""paravent know: what is known about techniques, algorithms, models, attacks and measures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.know_edit import add_to
from paravent.cli.know_options import Language, LayerFile, literal, pairs, refuse_bad_text
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import Page, examples, group
from paravent.cli.targets import Force, check_targets
from paravent.errors import PlanError

if TYPE_CHECKING:
    from paravent.knowledge import Knowledge

app = group("Ask what is known about techniques, algorithms, models, attacks and measures, and edit it.")

Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A key, a registered name or a label.", show_default=False)]


@app.command(
    cls=Page,
    epilog=examples(
        "paravent know ask", "paravent know ask CQ2", "paravent know ask metrics-of requirement=precision --json"
    ),
)
def ask(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Its name; none lists all.")] = "",
    given: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=KEY", help="The entries that it is about.", show_default=False)
    ] = None,
    language: Language = "en",
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """Ask a question that has a name: the competency questions CQ1 to CQ6, and the ones that guidance asks."""
    console = Console.of(ctx, json=json)
    known = _known(layer, language)
    if not question:
        console.pairs(dict(known.questions()))
        console.give(dict(known.questions()))
        return
    answer = known.ask(question, **pairs(given))
    console.say(str(answer))
    console.give(answer.to_dicts())


@app.command(
    "list", cls=Page, epilog=examples("paravent know list algorithm", "paravent know list metric --language fr")
)
def list_(
    ctx: typer.Context,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="technique, algorithm, model, attack, metric, …")],
    language: Language = "en",
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """List the entries of a kind."""
    console = Console.of(ctx, json=json)
    entries = _known(layer, language).entries(kind)
    console.pairs({entry.key: entry.label for entry in entries})
    console.give([entry.to_dict() for entry in entries])


@app.command(cls=Page, epilog=examples("paravent know show datafly", "paravent know show k-anonymity --language fr"))
def show(
    ctx: typer.Context, name: Name, language: Language = "en", layer: LayerFile = None, json: Json = False
) -> None:
    """What is known about one thing: definition, help, characteristics, relations."""
    console = Console.of(ctx, json=json)
    entry = _known(layer, language).entry(name)
    console.say(str(entry))
    console.give(entry.to_dict())


@app.command(
    cls=Page, epilog=examples("paravent know query mine.rq", "paravent know query mine.rq --seconds 60 --json")
)
def query(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A SPARQL query.", show_default=False)],
    seconds: Annotated[float, typer.Option(metavar="NUMBER", help="How long it may take.")] = 10,
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """Answer a SPARQL query of your own. It reads the knowledge and nothing else; opam: and know: are known."""
    console = Console.of(ctx, json=json)
    answer = _known(layer, "en").query(refuse_bad_text(file), seconds=seconds)
    console.say(str(answer))
    console.give(answer.to_dicts())


@app.command(cls=Page, epilog=examples("paravent know export -o opam.ttl", "paravent know export --format json-ld"))
def export(
    ctx: typer.Context,
    format: Annotated[str, typer.Option(metavar="turtle|xml|json-ld", help="The format.")] = "turtle",
    output: Output = None,
    force: Force = False,
    layer: LayerFile = None,
) -> None:
    """The whole knowledge for other programs, on stdout or in a file."""
    console = Console.of(ctx, json=False)
    if output is not None:
        check_targets(output, force=force)
    text = _known(layer, "en").export(format)  # type: ignore[arg-type]  # it says which formats there are
    _give(console, text, output)


@app.command(cls=Page, epilog=examples("paravent know picture datafly -o datafly.svg"))
def picture(
    ctx: typer.Context,
    name: Name,
    output: Output = None,
    force: Force = False,
    language: Language = "en",
    layer: LayerFile = None,
) -> None:
    """The process of a technique or an algorithm as a picture (SVG)."""
    console = Console.of(ctx, json=False)
    if output is not None:
        check_targets(output, force=force)
    _give(console, _known(layer, language).picture(name), output)


@app.command(
    cls=Page,
    epilog=examples(
        "paravent know how datafly data.csv",
        "paravent know how mondrian-infogain data.csv --with target=salary",
        "paravent know how samarati data.csv --plan plan.toml --json",
    ),
)
@grouped
def how(
    ctx: typer.Context,
    method: Annotated[str, typer.Argument(metavar="METHOD", help="An algorithm of the knowledge.", show_default=False)],
    source: Source,
    reading: Reading,
    plan: Annotated[
        Path | None, typer.Option("--plan", "-p", metavar="FILE", help="A plan; else one is drafted.")
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with", metavar="NAME=VALUE", help="An input that the method needs: target=salary, l=2. Repeatable."
        ),
    ] = None,
    rows: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="How many rows of your table to show.")] = 6,
    language: Language = "en",
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """How a method works: its steps on your own table. It shows values of the table, so it is for its owner."""
    console = Console.of(ctx, json=json)
    import paravent as pv

    table = reading.open(source)
    given: dict[str, Any] = {name: literal(value) for name, value in pairs(with_).items()}
    wanted = None if plan is None else pv.Plan.load(plan)
    walk = _known(layer, language).how(method, table, wanted, rows=rows, **given)
    console.say(str(walk))
    console.give(walk.to_dict())


@app.command(cls=Page, epilog=examples("paravent know tutorial", "paravent know tutorial 3 --language fr"))
def tutorial(
    ctx: typer.Context,
    lesson: Annotated[int, typer.Argument(metavar="NUMBER", help="One page of it; none shows all.", min=0)] = 0,
    language: Language = "en",
    json: Json = False,
) -> None:
    """Read the tutorial: what anonymization is, what to decide, and how the guide helps."""
    console = Console.of(ctx, json=json)
    import paravent as pv

    lessons = pv.guide.tutorial(language=language)
    if lesson > len(lessons):
        raise PlanError(f"know tutorial: there is no page {lesson}. Pages go from 1 to {len(lessons)}.")
    told = lessons if not lesson else lessons[lesson - 1 : lesson]
    for number, each in enumerate(told, lesson or 1):
        console.say(f"{number}. {each}", "")
    console.give([asdict(each) for each in told])


@app.command(cls=Page, epilog=examples("paravent know quiz", "paravent know quiz k-anonymity --language fr"))
def quiz(
    ctx: typer.Context,
    about: Annotated[str, typer.Argument(metavar="NAME", help="Statements about this alone.")] = "",
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="KEY=yes|no", help="What you hold of a statement. Repeatable."),
    ] = None,
    language: Language = "en",
    json: Json = False,
) -> None:
    """Statements to judge true or false; with --answer, how you did and why."""
    console = Console.of(ctx, json=json)
    import paravent as pv

    items = pv.guide.quiz(about or None, language=language)
    if not answer:
        console.pairs({each.key: each.statement for each in items})
        console.give([{"key": each.key, "statement": each.statement, "about": list(each.about)} for each in items])
        return
    said = {key: _judged(key, word) for key, word in pairs(answer).items()}
    marks = pv.guide.mark(said, language=language)
    console.say(str(marks))
    console.give({"right": list(marks.right), "wrong": list(marks.wrong), "reasons": dict(marks.reasons)})


def _judged(key: str, word: str) -> bool:
    if word not in ("yes", "no"):
        raise PlanError(f"know quiz: {key} is yes or no, not {word!r}.")
    return word == "yes"


def _known(layer: Path | None, language: str) -> Knowledge:
    """The knowledge; what is to be said about the user's layer goes to stderr."""
    from paravent.knowledge import load

    known = load(layer, language=language)
    for note in known.notes:
        typer.echo(f"paravent: {note}", err=True)
    return known


def _give(console: Console, text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
        return
    from paravent.table import replacing

    with replacing(output) as part:
        part.write_text(text, encoding="utf-8")
    console.say(f"Wrote {output}.")


add_to(app)

"""paravent know add, change, …: an expert's layer over the shipped knowledge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.console import Console
from paravent.cli.know_options import Language, LayerFile, literal, pairs
from paravent.cli.options import Json
from paravent.cli.page import Page, examples
from paravent.errors import PlanError

if TYPE_CHECKING:
    from paravent.knowledge import Layer

Key = Annotated[str, typer.Argument(metavar="KEY", help="The key of the entry.", show_default=False)]
Label = Annotated[str | None, typer.Option(metavar="TEXT", help="What it is called.")]
Definition = Annotated[str | None, typer.Option(metavar="TEXT", help="What it is, in a sentence.")]
HelpText = Annotated[str | None, typer.Option("--text", metavar="TEXT", help="The help text that is shown.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="RELATION=VALUE",
        help="A relation of it: implements=clustering-technique, owns=any-use. Repeatable; repeated names gather.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands that edit."""
    for name, function, lines in (
        ("add", add, ("paravent know add algorithm flock --label Flock --set implements=table-recoding "
                      "--set requires=table --set requires=k --set source='Ann 2026'",)),
        ("change", change, ("paravent know change datafly --text 'Ask Ann before you take it.'",
                            "paravent know change large-table --set value=50000")),
        ("evaluate", evaluate, ("paravent know evaluate datafly precision utility.dm 4e8 --source 'Ann' --given k=5",)),
        ("threshold", threshold, ("paravent know threshold classification 1 3 5 7 9 11 13 15",)),
        ("withdraw", withdraw, ("paravent know withdraw k-anonymity counters singling-out",)),
        ("remove", remove, ("paravent know remove flock",)),
        ("undo", undo, ("paravent know undo",)),
        ("versions", versions, ("paravent know versions",)),
        ("patch", patch, ("paravent know patch > mine.rdfp",)),
        ("conflicts", conflicts, ("paravent know conflicts", "paravent know conflicts --keep help-datafly")),
        ("check", check, ("paravent know check", "paravent know check --layer mine.ttl")),
    ):  # fmt: skip
        app.command(name, cls=Page, epilog=examples(*lines))(function)


def add(
    ctx: typer.Context,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="technique, algorithm, metric, …", show_default=False)],
    key: Key,
    label: Label = None,
    definition: Definition = None,
    text: HelpText = None,
    set_: Set = None,
    language: Language = "en",
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """Add an entry to your layer. An algorithm without a registered name is known and not executable."""
    console = Console.of(ctx, json=json)
    _done(console, _layer(layer).add(kind, key, language=language, **_said(label, definition, text, set_)))


def change(
    ctx: typer.Context,
    key: Key,
    label: Label = None,
    definition: Definition = None,
    text: HelpText = None,
    set_: Set = None,
    language: Language = "en",
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """Change what is said of an entry. The shipped file stays as it is; your layer stands over it."""
    console = Console.of(ctx, json=json)
    _done(console, _layer(layer).change(key, language=language, **_said(label, definition, text, set_)))


def evaluate(
    ctx: typer.Context,
    algorithm: Annotated[str, typer.Argument(metavar="ALGORITHM", show_default=False)],
    requirement: Annotated[str, typer.Argument(metavar="REQUIREMENT", show_default=False)],
    metric: Annotated[str, typer.Argument(metavar="METRIC", show_default=False)],
    value: Annotated[float, typer.Argument(metavar="VALUE", show_default=False)],
    source: Annotated[str, typer.Option(metavar="TEXT", help="Who measured it, and where.")],
    given: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An input or a descriptor: k=5. Repeatable.")
    ] = None,
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """Add an evaluation of an algorithm that was measured or published."""
    console = Console.of(ctx, json=json)
    under = {name: literal(text) for name, text in pairs(given).items()}
    _done(console, _layer(layer).evaluate(algorithm, requirement, metric, value, source=source, given=under))


def threshold(
    ctx: typer.Context,
    requirement: Annotated[str, typer.Argument(metavar="REQUIREMENT", show_default=False)],
    bounds: Annotated[list[float], typer.Argument(metavar="NUMBERS", help="Eight that rise.", show_default=False)],
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """Change from which difference on one of two alternatives counts as better, and how much."""
    console = Console.of(ctx, json=json)
    _done(console, _layer(layer).threshold(requirement, bounds))


def withdraw(
    ctx: typer.Context,
    key: Key,
    relation: Annotated[str, typer.Argument(metavar="RELATION", show_default=False)],
    value: Annotated[str, typer.Argument(metavar="VALUE", show_default=False)],
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """Take one shipped statement back, for you."""
    console = Console.of(ctx, json=json)
    _done(console, _layer(layer).withdraw(key, relation, value))


def remove(ctx: typer.Context, key: Key, layer: LayerFile = None, json: Json = False) -> None:
    """Remove from your layer whatever it says of an entry."""
    console = Console.of(ctx, json=json)
    _done(console, _layer(layer).remove(key))


def undo(ctx: typer.Context, layer: LayerFile = None, json: Json = False) -> None:
    """Take the last change of your layer back."""
    console = Console.of(ctx, json=json)
    version = _layer(layer).undo()
    console.say(f"Taken back: {version.change}.")
    console.give({"undone": version.change})


def versions(ctx: typer.Context, layer: LayerFile = None, json: Json = False) -> None:
    """The changes of your layer, the last one last."""
    console = Console.of(ctx, json=json)
    found = _layer(layer).versions
    console.pairs({str(version.number): f"{version.at}  {version.change}" for version in found})
    console.give([{"number": each.number, "at": each.at, "change": each.change} for each in found])


def patch(ctx: typer.Context, layer: LayerFile = None) -> None:
    """Your layer as a patch of the shipped knowledge (RDF Patch), to send to others."""
    Console.of(ctx, json=False)
    typer.echo(_layer(layer).patch(), nl=False)


def conflicts(
    ctx: typer.Context,
    keep: Annotated[str | None, typer.Option(metavar="KEY", help="Settle it: your layer's word stands.")] = None,
    take: Annotated[str | None, typer.Option(metavar="KEY", help="Settle it: the shipped word stands.")] = None,
    layer: LayerFile = None,
    json: Json = False,
) -> None:
    """Where what is shipped now differs from what your layer was made over."""
    console = Console.of(ctx, json=json)
    held = _layer(layer)
    if keep is not None and take is not None:
        raise PlanError("conflicts: give --keep or --take, not both.")
    if keep is not None or take is not None:
        _done(console, held.keep(keep) if keep is not None else held.take(str(take)))
        return
    found = held.conflicts()
    console.say(*(map(str, found) if found else ["There are no conflicts."]))
    console.give([vars(each) for each in found])


def check(ctx: typer.Context, layer: LayerFile = None, json: Json = False) -> None:
    """Whether your layer is sound: one sentence for each thing that is wrong with it."""
    console = Console.of(ctx, json=json)
    held = _layer(layer)
    if layer is not None and not Path(layer).exists():
        raise PlanError(f"{layer}: there is no such layer of knowledge.")
    faults = held.faults()
    console.say(*(faults or [f"{held.path} is sound." if held.path.exists() else "There is no layer yet."]))
    console.give({"layer": str(held.path), "faults": list(faults)})
    if faults:
        raise typer.Exit(1)


def _layer(path: Path | None) -> Layer:
    from paravent.knowledge import Layer

    return Layer(path)


def _said(label: str | None, definition: str | None, text: str | None, relations: list[str] | None) -> dict[str, Any]:
    said: dict[str, Any] = {
        name: value
        for name, value in (("label", label), ("definition", definition), ("help", text))
        if value is not None
    }
    for each in relations or ():
        for name, value in pairs([each]).items():
            said[name] = [*said[name], value] if isinstance(said.get(name), list) else [value]
    return {name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in said.items()}


def _done(console: Console, version: Any) -> None:
    console.say(f"Version {version.number}: {version.change}.")
    console.give({"version": version.number, "change": version.change})

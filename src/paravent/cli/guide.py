"""paravent guide: from a person's words to a release, with the reasons."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.asking import Ask, ask_all
from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import examples
from paravent.cli.targets import check_targets
from paravent.cli.writing import Writing
from paravent.errors import PlanError

if TYPE_CHECKING:
    from paravent import Context, Guidance, Plan, Table
    from paravent.guide import Ranking
    from paravent.knowledge import Knowledge

EXAMPLES = examples(
    "paravent guide patients.csv",
    "paravent guide patients.csv --context context.toml --seconds 5",
    "paravent guide patients.csv --context context.toml --run 3 -o release.csv --save process.json",
)
_out = partial(typer.Option, rich_help_panel="What to write")
_step = partial(typer.Option, rich_help_panel="How far to go")


@grouped
def guide(
    ctx: typer.Context,
    source: Source,
    reading: Reading,
    writing: Writing,
    context: Annotated[
        Path | None, typer.Option("--context", "-c", metavar="FILE", help="Your answers (TOML): nothing is asked then.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", "-p", metavar="FILE", help="Roles and trees of the columns (proposed).")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", metavar="NAME", help="Look at these alone. Repeatable.")
    ] = None,
    seconds: Annotated[
        float, _step(metavar="NUMBER", help="Try candidates on the table itself, for so long, before ranking them.")
    ] = 0.0,
    run: Annotated[int, _step(metavar="NUMBER", help="Run the first so many, and rank them by what was measured.")] = 0,
    budget: Annotated[float | None, _step(metavar="NUMBER", help="Seconds that running may take.")] = None,
    explain: Annotated[int, _step(metavar="RANK", help="Explain this one.")] = 1,
    guidance: Annotated[
        str, typer.Option(metavar="MODE", help="What is shown: predefined, informative, suggestive or full.")
    ] = "full",
    language: Annotated[
        str, typer.Option(metavar="en|fr", help="The language of questions, reasons and results.")
    ] = "en",
    save: Annotated[Path | None, _out(metavar="FILE", help="The whole process (JSON), to go on with later.")] = None,
    save_context: Annotated[Path | None, _out(metavar="FILE", help="Your answers (TOML), for --context.")] = None,
    save_plan: Annotated[Path | None, _out(metavar="FILE", help="The plan of the one that comes first.")] = None,
    ask: Annotated[
        bool | None, typer.Option("--ask/--no-ask", help="Ask questions (on a terminal, unless --context is given).")
    ] = None,
    json: Json = False,
) -> None:
    """Be guided from what you want to a release: questions, candidates with reasons, results.

    On a terminal you are asked one question at a time (? helps, < goes back). Candidates are ranked by what is
    predicted, those that you choose are run, and ranked again by what was measured. Everything that was dropped has its
    reason. With --context nothing is asked.
    """
    console = Console.of(ctx, json=json)
    writing.check(save, save_context, save_plan, source=source)
    check_targets(save, save_context, save_plan, source=source, force=writing.force)
    import paravent as pv

    table = reading.open(source)
    writing.check_source(table)
    roles = None if plan is None else pv.Plan.load(plan)
    asking = (context is None and not json and sys.stdin.isatty()) if ask is None else ask
    if asking and (context is not None or json):
        raise PlanError("--ask: with --context or --json nothing is asked. Leave one of them out.")
    said = _said(console, table, roles, context, asking=asking, language=language)
    with console.progress():
        found = pv.guide(  # type: ignore[operator]  # a room that can be called
            table, said, roles, seconds=seconds, methods=method, guidance=guidance, language=language
        )
    _show(console, found)
    if pv.guide.shows(guidance, "explanation"):
        console.heading(found.known.say("heading-why"))
        console.say(str(found.explain(explain)))
    if asking:
        run = _how_many(console, found)
    if run or writing.output is not None:
        _run(console, found, max(run, 1), budget)
        for caution in found.release.cautions:
            console.say(str(caution))
        writing.write(found.release.write)
    for path, kept in ((save, found), (save_context, said), (save_plan, _first(found).plan)):
        if path is not None:
            kept.save(path)
    console.give(_document(found))


def _said(
    console: Console, table: Table, roles: Plan | None, path: Path | None, *, asking: bool, language: str
) -> Context:
    import paravent as pv

    if path is not None:
        return pv.Context.load(path)
    if not asking:
        return pv.Context()
    from paravent.guide import drafted

    plan, known = drafted(table) if roles is None else roles, pv.knowledge.load(language=language)
    console.say(known.say("quasi-columns", columns=", ".join(plan.quasi)))
    console.say(known.say("sensitive-columns", columns=", ".join(plan.sensitive) or known.say("no-columns")))
    return context_of(ask_all(console, questions(plan, table.names, known)))


def questions(plan: Plan, columns: list[str], known: Knowledge) -> list[Ask]:
    """What is asked: the situation in plain words, and what follows from it, which can be changed."""
    from paravent.guide import questions as plain_questions

    say, keys = known.say, known.say("ask-help")
    plain = [
        Ask(
            each.name,
            each.asks,
            each.help,
            next(iter(each.choices)) if each.name != "audience" else "contract",
            {word: choice.reads for word, choice in each.choices.items()},
            keys=keys,
        )
        for each in plain_questions(language=known.language).values()
    ]
    predicts = ("classification", "regression")
    outputs = ("any", "full-domain", "multidimensional", "subtree")
    return [
        *plain,
        Ask(
            "target",
            say("ask-target"),
            say("ask-target-help", columns=", ".join(columns)),
            next(iter(plan.sensitive), columns[-1]),
            dict.fromkeys(columns, ""),
            keys=keys,
            when=lambda answers: answers.get("purpose") in predicts,
        ),
        Ask("suppression", say("ask-suppression"), say("ask-suppression-help"), "0.05", read=_share, keys=keys),
        Ask(
            "output",
            say("ask-output"),
            say("ask-output-help"),
            "any",
            {word: say(f"answer-output-{word}") for word in outputs},
            keys=keys,
        ),
        *(
            Ask(
                f"{first} : {second}",
                say(f"ask-{first}-{second}"),
                say(f"ask-{first}-{second}-help"),
                proposed,
                read=_judgement,
                keys=keys,
            )
            for first, second, proposed in (("security", "quality", "1"), ("precision", "completeness", "3"))
        ),
    ]


def context_of(answers: dict[str, Any]) -> Context:
    """The context that answers to `questions` stand for."""
    import paravent as pv

    plain = {name: answers[name] for name in ("audience", "knowledge", "harm", "purpose")}
    pairs = {tuple(name.split(" : ")): said for name, said in answers.items() if " : " in name}
    return pv.Situation(**plain, target=answers.get("target")).context(
        suppression=answers["suppression"], output=answers["output"], preferences=pairs
    )


def _share(text: str) -> float:
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise PlanError(f"{text!r} is no number. Write 0.05 or 5%.") from None
    if not 0 <= found < 1:
        raise PlanError(f"a share lies between 0 and 1, not {found:g}. Write 0.05 or 5%.")
    return found


def _judgement(text: str) -> float:
    above, _, below = text.partition("/")
    try:
        found = float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        raise PlanError(f"{text!r} is no number. Write 3 or 1/3.") from None
    if not 1 / 9 - 1e-9 <= found <= 9:
        raise PlanError(f"a judgement lies between 1/9 and 9, not {found:g}.")
    return found


def _show(console: Console, found: Guidance) -> None:
    import paravent as pv

    context, say = found.context, found.known.say
    if pv.guide.shows(found.mode, "inputs"):
        console.heading(say("heading-inputs"))
        inputs = {
            "k": say("input-k", k=context.k, risk=f"{context.risk:g}"),
            say("input-rows"): say("input-max-sup", max_sup=context.max_sup(found.rows), rows=found.rows),
        }
        if context.l is not None:
            inputs["l"] = say("input-l", l=context.l, share=f"{1 / context.l:.0%}")
        if context.t is not None:
            inputs["t"] = say("input-t", t=f"{context.t:g}")
        weights = ", ".join(
            f"{pv.guide.title(found.known, name)} {weight:.0%}" for name, weight in context.goals.weights.items()
        )
        console.pairs({**inputs, say("input-weights"): weights})
    for note in found.notes:
        console.say(say("note", note=note))
    if pv.guide.shows(found.mode, "filter"):
        console.heading(say("heading-dropped", count=len(found.dropped)))
        console.pairs({key: reasons[0].sentence for key, reasons in found.dropped.items()})
    if pv.guide.shows(found.mode, "ranking"):
        console.heading(say("heading-candidates", count=len(found.signatures)))
        _table(console, found.ranking, found.known)


def _table(console: Console, ranking: Ranking, known: Knowledge) -> None:
    from paravent.guide import metric_title, shown

    columns = list(ranking.weights)
    titles = [metric_title(known, name) for name in columns]
    rows = [["", known.say("column-candidate"), known.say("column-score"), *titles]]
    rows += [
        [f"{p.rank}.", p.name, f"{p.score:.4f}", *(shown(c, p.values[c]) for c in columns)] for p in ranking.top(10)
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        console.say("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _how_many(console: Console, found: Guidance) -> int:
    most = len(found.ranking)
    question = Ask(
        "run",
        found.known.say("ask-run"),
        found.known.say("ask-run-help"),
        str(min(3, most)),
        read=lambda text: int(text) if text.isdigit() else _no_number(text),
        keys=found.known.say("ask-help"),
    )
    return min(int(ask_all(console, [question])["run"]), most)


def _no_number(text: str) -> int:
    raise PlanError(f"{text!r} is no number.")


def _run(console: Console, found: Guidance, count: int, budget: float | None) -> None:
    found.select(*range(1, min(count, len(found.ranking)) + 1))
    with console.progress() as progress:
        found.run(budget=budget, progress=progress)
    for name, result in found.finished.items():
        if result.status != "done":
            console.say(f"{name}: {result.status}: {result.reason}")
    if not len(found.results):
        raise PlanError("none of the candidates could be run: see the reasons above. Run more of them with --run.")
    console.heading(found.known.say("heading-measured"))
    _table(console, found.results, found.known)
    console.say("", str(found.explain(1)))
    found.choose(1)


def _first(found: Guidance) -> Any:
    return found.signature(found.chosen or found.ranking.best.name)


def _document(found: Guidance) -> dict[str, Any]:
    from paravent.guide import process_document

    return process_document(found)

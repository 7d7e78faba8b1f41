"""paravent experiment: experiments of the literature, run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading
from paravent.cli.page import Page, examples, group
from paravent.cli.plan_options import PlanOptions
from paravent.cli.summary import written
from paravent.cli.targets import Force, check_targets, refuse_existing_files

app = group("Run experiments of the literature again, beside their published numbers.")

Tables = Annotated[
    list[str] | None, typer.Option("--table", metavar="NAME", help="adult or voters. Repeatable; both by default.")
]
PagePath = Annotated[Path, typer.Option(metavar="FILE", help="The page (Markdown); its figures lie beside it.")]
Kept = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Keep what is finished here (JSON), and take it up again from here.")
]


@app.command(
    cls=Page,
    epilog=examples(
        "paravent experiment metrics", "paravent experiment metrics --table adult --results metrics.json --page m.md"
    ),
)
def metrics(
    ctx: typer.Context,
    table: Tables = None,
    other_trees: Annotated[
        bool, typer.Option("--other-trees", help="Adult also with other trees of the published size.")
    ] = False,
    other_draws: Annotated[bool, typer.Option("--other-draws", help="The voters also drawn anew, four times.")] = False,
    page: PagePath = Path("experiments/metrics.md"),
    results: Kept = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Which metric to merge by: seven metrics, fourteen k, on Adult and a made-up voter register.

    Prints the normalised mean value of the average alteration beside the published ones, and writes a page with every
    criterion and its curves. It takes about half a minute.
    """
    console = Console.of(ctx, json=json)
    refuse_existing_files([page], force=force)
    from paravent.methods.method import silent
    from paravent_experiments import metrics as experiment
    from paravent_experiments import metrics_page

    with console.progress() as progress:
        names = table or tuple(experiment.TABLES)
        found = experiment.run(
            names, other_trees=other_trees, other_draws=other_draws, results=results, progress=progress or silent
        )
    for name in table or experiment.TABLES:
        console.heading(experiment.TITLES[name])
        console.say(*metrics_page.sentences(found, name), "", metrics_page.comparison(found, name, "average"))
    console.say("", *metrics_page.headlines(found))
    files = [str(path) for path in metrics_page.write(found, page)]
    written(console, {"page": files[0]})
    console.give({"protocol": found.protocol, "parts": found.parts, "files": files})


@app.command(cls=Page, epilog=examples("paravent experiment techniques", "paravent experiment techniques --page t.md"))
def techniques(
    ctx: typer.Context,
    page: PagePath = Path("experiments/techniques.md"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Generalization, microaggregation, anatomy, slicing, rank swapping, PRAM and noise over Adult, on one R-U map.

    Prints what each reaches and why they are no equals, and writes a page with the map. It takes some minutes.
    """
    console = Console.of(ctx, json=json)
    refuse_existing_files([page], force=force)
    from paravent_experiments import techniques as experiment

    with console.progress() as progress:
        found = experiment.run(progress=progress)
    console.say(str(found))
    files = [str(path) for path in experiment.write(found, page)]
    written(console, {"page": files[0]})
    console.give({"files": files, "comparison": found.to_document()})


@app.command(
    cls=Page,
    epilog=examples(
        "paravent experiment workbench", "paravent experiment workbench --pima pima.csv --results w.json --page w.md"
    ),
)
def workbench(
    ctx: typer.Context,
    pima: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The Pima diabetes table (9 columns); it is not shipped.", show_default=False
        ),
    ] = None,
    page: PagePath = Path("experiments/workbench.md"),
    results: Kept = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Accuracy, distortion, hidden failure and rows kept against k, l and epsilon, on Adult and Pima.

    Prints what each release keeps beside what was printed, over three seeds where chance has a part, and writes a page
    that says what is not the same and why. It takes a few minutes.
    """
    console = Console.of(ctx, json=json)
    refuse_existing_files([page], force=force)
    from paravent.methods.method import silent
    from paravent_experiments import workbench as experiment
    from paravent_experiments import workbench_page

    benches = [experiment.adult(), *([experiment.pima(pima)] if pima is not None else [])]
    with console.progress() as progress:
        found = experiment.run(benches, results=results, progress=progress or silent)
    for bench in benches:
        console.heading(workbench_page.TITLES[bench.name])
        for kind in workbench_page.KINDS:
            console.say(workbench_page.comparison(found, bench.name, kind), "")
        console.say(*workbench_page.sentences(found, bench.name))
    if pima is None:
        console.say("Pima is not shipped with paravent: name its file with --pima, and it is run too.")
    files = [str(path) for path in workbench_page.write(found, page)]
    written(console, {"page": files[0]})
    console.give({"protocol": found.protocol, "parts": found.parts, "files": files})


@app.command(
    cls=Page,
    epilog=examples("paravent experiment trees", "paravent experiment trees --table adult --results trees.json"),
)
def trees(
    ctx: typer.Context,
    table: Tables = None,
    page: PagePath = Path("experiments/trees.md"),
    results: Kept = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Trees with meaning against balanced ones: what merging by each leaves open, at fourteen k.

    Prints normalised mean values for both, and writes a page with the curves. It takes about half a minute.
    """
    console = Console.of(ctx, json=json)
    refuse_existing_files([page], force=force)
    from paravent.methods.method import silent
    from paravent_experiments import trees as experiment
    from paravent_experiments import trees_page
    from paravent_experiments.metrics import TABLES, TITLES

    with console.progress() as progress:
        found = experiment.run(table or tuple(TABLES), results=results, progress=progress or silent)
    for name in table or TABLES:
        console.heading(TITLES[name])
        console.say(*trees_page.sentences(found, name), "", trees_page.comparison(found, name))
    files = [str(path) for path in trees_page.write(found, page)]
    written(console, {"page": files[0]})
    console.give({"protocol": found.protocol, "parts": found.parts, "files": files})


@app.command(
    "metric-search",
    cls=Page,
    epilog=examples(
        "paravent experiment metric-search --k 100 --seconds 100 --save-plan found.toml",
        "paravent experiment metric-search people.csv --plan plan.toml --trials 300 --results search.json",
    ),
)
@grouped
def metric_search(
    ctx: typer.Context,
    options: PlanOptions,
    reading: Reading,
    source: Annotated[
        str | None,
        typer.Argument(metavar="[TABLE]", help="A table of your own; Adult where none is named.", show_default=False),
    ] = None,
    aim: Annotated[str, typer.Option(metavar="NAME", help="What to lower: average, generalized or root.")] = "average",
    start: Annotated[str, typer.Option(metavar="METRIC", help="The metric to begin with.")] = "nllm",
    trials: Annotated[int, typer.Option(metavar="NUMBER", help="How many weights to try.", min=0)] = 100,
    seconds: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="End after so many seconds, whatever was tried.")
    ] = None,
    save_plan: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A plan that merges by the found weights (TOML).")
    ] = None,
    results: Kept = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """A metric made for a table: edge weights that lower a criterion for this table, these trees and one k.

    Each trial is a run of GkAA with changed weights; what is better stays, so the result is never worse than the metric
    it began with. With --results it can be stopped at any time and taken up again.
    """
    console = Console.of(ctx, json=json)
    check_targets(save_plan, source=source, force=force)
    check_targets(save_plan, results, source=source, force=True)  # results that are there are taken up again
    from paravent.methods.method import silent
    from paravent_experiments import metric_search as experiment

    table, plan = experiment.subject(reading.open(source) if source else None, options)
    with console.progress() as progress:
        found = experiment.search_metric(
            table,
            plan,
            k=experiment.k_of(plan),
            aim=aim,  # type: ignore[arg-type]
            start=start,
            trials=trials,
            seconds=seconds,
            seed=plan.seed,
            results=results,
            progress=progress or silent,
        )
    console.heading(f"k = {experiment.k_of(plan)}, {aim}")
    console.say(
        f"  {found.start:.4f} % with {start}, {found.value:.4f} % with the found weights, {found.trials} trials"
    )
    files: dict[str, str] = {}
    if save_plan is not None:
        experiment.plan_with(plan, found).save(save_plan)
        files["plan"] = str(save_plan)
    written(console, files or {"nothing": "was written; name a file with --save-plan"})
    console.give({**vars(found), "files": files})


@app.command(
    cls=Page,
    epilog=examples(
        "paravent experiment strategies",
        "paravent experiment strategies --of adult-age --scope class",
        "paravent experiment strategies --simulated --results strategies.json",
    ),
)
def strategies(
    ctx: typer.Context,
    of: Annotated[
        list[str] | None,
        typer.Option("--of", metavar="NAME", help="adult-age, adult-marital-status, voters-party, adult-normal-50, …"),
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="class or table. Repeatable; both by default.")
    ] = None,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="The 42 made-up sensitive columns too; about ten minutes.")
    ] = False,
    page: PagePath = Path("experiments/strategies.md"),
    results: Kept = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Which strategy to merge by when a sensitive column matters: nine strategies, three real columns.

    Prints the normalised mean values of alteration, diversity and distance beside the published ones, and writes a page
    with the curves. The real columns take a few minutes.
    """
    console = Console.of(ctx, json=json)
    refuse_existing_files([page], force=force)
    from paravent.errors import PlanError
    from paravent.methods.method import silent
    from paravent_experiments import strategies as experiment
    from paravent_experiments import strategies_page
    from paravent_experiments.reconstructions import caveat

    names = [*(of or experiment.REAL), *(experiment.SIMULATED if simulated else ())]
    for name in scope or ():
        if name not in ("class", "table"):
            raise PlanError(f"--scope: must be class or table, not {name!r}.")
    scopes: list[Any] = scope or ["class", "table"]
    with console.progress() as progress:
        found = experiment.run(names, scopes=scopes, results=results, progress=progress or silent)
    for name in names:
        for one in scopes:
            console.heading(f"{name}, {one}")
            console.say(strategies_page.comparison(found, name, one), *strategies_page.within(found, name, one))
            if name.startswith("adult"):
                console.say(caveat())
    files = [str(path) for path in strategies_page.write(found, page)]
    written(console, {"page": files[0]})
    console.give({"protocol": found.protocol, "parts": found.parts, "files": files})


@app.command(
    cls=Page,
    epilog=examples(
        "paravent experiment construction",
        "paravent experiment construction --table voters --results construction.json --page c.md",
    ),
)
def construction(
    ctx: typer.Context,
    table: Annotated[
        list[str] | None, typer.Option("--table", metavar="NAME", help="adult or voters. Repeatable; adult by default.")
    ] = None,
    effort: Annotated[str, typer.Option(metavar="NAME", help="Of our best method: fast, normal or high.")] = "fast",
    page: PagePath = Path("experiments/construction.md"),
    results: Kept = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Better tables by splitting classes again: five construction algorithms and our best method, fourteen k.

    Prints the normalised mean value of the alteration beside the published ones, and how far from the optimum the best
    tables can be at most; writes a page with every k and the curves. It takes about ten minutes.
    """
    console = Console.of(ctx, json=json)
    refuse_existing_files([page], force=force)
    from paravent.methods.method import silent
    from paravent_experiments import construction as experiment
    from paravent_experiments import construction_page
    from paravent_experiments.metrics import TITLES

    with console.progress() as progress:
        found = experiment.run(
            table or ("adult",), effort=cast(Any, effort), results=results, progress=progress or silent
        )
    for name in table or ("adult",):
        console.heading(TITLES[name])
        console.say(*construction_page.sentences(found, name), "", construction_page.comparison(found, name))
        console.say("", construction_page.by_k(found, name))
    files = [str(path) for path in construction_page.write(found, page)]
    written(console, {"page": files[0]})
    console.give({"protocol": found.protocol, "parts": found.parts, "files": files})


@app.command(
    cls=Page,
    epilog=examples("paravent experiment guidance", "paravent experiment guidance --results cases.jsonl --page g.md"),
)
def guidance(
    ctx: typer.Context,
    contexts: Annotated[int, typer.Option(metavar="NUMBER", help="How many contexts are drawn (120).")] = 120,
    jobs: Annotated[int, typer.Option(metavar="NUMBER", help="Tables that are worked on side by side (2).")] = 2,
    page: PagePath = Path("experiments/guidance.md"),
    results: Kept = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """How good the guide's choices are: every candidate is run, and what the guide would have chosen is judged by it.

    Prints decision quality, by the thesis' measure and by a strict one, for the guide and for simpler ways to choose.
    It takes about half an hour.
    """
    console = Console.of(ctx, json=json)
    refuse_existing_files([page], force=force)
    if contexts < 1:
        from paravent.errors import PlanError

        raise PlanError(f"--contexts: {contexts} are none. Give 1 or more.")
    import time

    from paravent.methods.method import silent
    from paravent_experiments import guidance as experiment

    begun = time.monotonic()
    with console.progress() as progress:
        found = experiment.run(count=contexts, jobs=jobs, results=results, progress=progress or silent)
    for label, count, thesis, strict, worst, best in experiment.table_of(found):
        console.say(f"{label:<36} {count:>5}  {thesis:.3f}  {strict:.3f}  {worst:.3f}  {best:.0%}")
    experiment.write(found, page, (time.monotonic() - begun) / 60)
    written(console, {"page": str(page)})
    console.give([vars(case) for case in found])

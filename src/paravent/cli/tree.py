"""paravent tree: look at generalization trees, have them proposed, check and convert them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, Vocabularies, names
from paravent.cli.page import Page, examples, group
from paravent.cli.targets import Force, check_targets, refuse_existing_files
from paravent.errors import TableError

if TYPE_CHECKING:
    from paravent.hierarchy import Tree
    from paravent.table import Domain

app = group("Look at generalization trees, have them proposed, check and convert them.")

TreeText = Annotated[
    str,
    typer.Argument(
        metavar="TREE", help="A tree file (.csv, .tsv, .toml, .json), or a builder such as 'intervals(5, 10, 20)'."
    ),
]
Of = Annotated[str | None, typer.Option("--of", metavar="TABLE", help="The table whose values it is for.")]
ColumnName = Annotated[str | None, typer.Option("--column", "-c", metavar="NAME", help="The column of the table.")]


@app.command(
    epilog="Examples: paravent tree show trees/job.csv   |   paravent tree show 'intervals(5, 10)' --of data.csv -c age"
)
@grouped
def show(
    ctx: typer.Context,
    tree: TreeText,
    reading: Reading,
    of: Of = None,
    column: ColumnName = None,
    lines: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="How much of it to draw.")] = 60,
    json: Json = False,
) -> None:
    """Draw a tree, with its height and the number of its values and nodes."""
    console = Console.of(ctx, json=json)
    built = _built(tree, _domain(of, column, reading))
    console.say(_size(built))
    for line in _drawn(built, lines):
        console.say(line)
    console.give({**_facts(built), "tree": _nested(built)})


@app.command(cls=Page, epilog=examples("paravent tree propose data.csv -c age,zip -o trees"))
@grouped
def propose(
    ctx: typer.Context,
    source: Source,
    reading: Reading,
    column: Annotated[
        list[str] | None, typer.Option("--column", "-c", metavar="NAMES", help="Only these columns. Repeatable.")
    ] = None,
    vocabulary: Vocabularies = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Write each tree there, as a level CSV.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Propose a tree for each column, with the reason."""
    console = Console.of(ctx, json=json)
    if output is not None and output.exists() and not output.is_dir():
        raise TableError(f"{output} is a file. Name a folder for the trees.")
    from paravent.hierarchy import propose as proposal
    from paravent.hierarchy import write_tree
    from paravent.table import Domain, together

    table = reading.open(source)
    found: list[dict[str, Any]] = []
    trees: list[tuple[Path, Tree]] = []
    for name in names("--column", column, table.names) if column else table.names:
        domain = Domain.of(table, name)
        spec, reason = proposal(domain, vocabulary or ())
        entry = {"column": name, "tree": repr(spec), "reason": reason, "document": spec.to_document()}
        console.say(f"{name}: {repr(spec).removeprefix('pv.')}\n    {reason}")
        if output is not None and len(domain):
            path = output / f"{name.replace('/', '_')}.csv"
            trees.append((path, spec.build(domain)))
            entry["file"] = str(path)
        found.append(entry)
    refuse_existing_files((path for path, _ in trees), force=force)
    check_targets(*(path for path, _ in trees if path.parent.is_dir()), source=source, force=force)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    with together():
        for path, tree in trees:
            write_tree(tree, path)
    if trees:
        console.say(f"\n{len(trees)} trees lie in {output}.")
    console.give({"columns": found})


@app.command(cls=Page, epilog=examples("paravent tree check trees/job.csv --of data.csv -c job"))
@grouped
def check(
    ctx: typer.Context, tree: TreeText, reading: Reading, of: Of = None, column: ColumnName = None, json: Json = False
) -> None:
    """Check that a tree is one and, with --of, that it covers every value of a column.

    Exit code 0: it does; 2: it does not, with the first value that it misses.
    """
    console = Console.of(ctx, json=json)
    domain = _domain(of, column, reading)
    built = _built(tree, domain)
    facts = _facts(built)
    if domain is not None:
        from paravent.hierarchy import fit

        fitted = fit(built, domain).tree
        facts |= {"covered": len(domain), "unused": built.n_leaves - fitted.n_leaves}
        console.say(f"It covers all {len(domain)} values of {domain.name}; {facts['unused']} of its own do not occur.")
    console.say(_size(built))
    console.give(facts)


@app.command(cls=Page, epilog=examples("paravent tree convert trees/job.csv trees/job.toml"))
def convert(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FROM", help="A tree file.", show_default=False)],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="Another: .csv, .tsv (levels), .toml, .json.", show_default=False)
    ],
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a tree file in another format. Level CSVs are what other tools read."""
    console = Console.of(ctx, json=json)
    check_targets(target, source=source, force=force)
    from paravent.hierarchy import read_tree, write_tree

    tree = read_tree(source)
    write_tree(tree, target)
    console.say(f"{_size(tree)} It lies in {target}.")
    console.give({**_facts(tree), "files": {"tree": target}})


def _domain(of: str | None, column: str | None, reading: Reading) -> Domain | None:
    """The values of the column that the options name, if they name one."""
    from paravent.errors import PlanError

    if of is None:
        if column is not None:
            raise PlanError("--column needs the table it is in. Name it with --of.")
        return None
    from paravent.table import Domain

    table = reading.open(of)
    if column is None:
        raise PlanError("--of needs a column to look at. Name it with --column.")
    chosen = names("--column", [column], table.names)
    if len(chosen) > 1:
        raise PlanError("--column: a tree is for one column. Name one.")
    return Domain.of(table, chosen[0])


def _built(tree: str, domain: Domain | None) -> Tree:
    """The tree of a file or a builder. A builder needs the values it is built for."""
    from paravent.cli.plan_options import tree_from_text
    from paravent.errors import PlanError

    spec = tree_from_text("TREE", tree)
    if domain is not None:
        return spec.build(domain)
    path = getattr(spec, "path", None)
    if path is None:
        raise PlanError(f"TREE: {tree} is built from the values of a column. Name them with --of and --column.")
    from paravent.hierarchy import read_tree

    return read_tree(path)


def _facts(tree: Tree) -> dict[str, Any]:
    return {
        "name": tree.name,
        "values": tree.n_leaves,
        "nodes": tree.n_nodes,
        "height": tree.height,
        "levels": len(tree.levels),
    }


def _size(tree: Tree) -> str:
    return (
        f"{tree.name}: {tree.n_leaves} values, {tree.n_nodes} nodes, height {tree.height}, {len(tree.levels)} levels."
    )


def _nested(tree: Tree) -> dict[str, Any]:
    from paravent.hierarchy import nested

    return nested(tree)


def _drawn(tree: Tree, most: int) -> Iterator[str]:
    """The nodes from the root down, one a line, leaves beside each other."""
    waiting = [(tree.root, "")]
    shown = 0
    while waiting:
        node, indent = waiting.pop()
        children = tree.children(node).tolist() if node >= tree.n_leaves else []
        leaves = [tree.labels[child] for child in children if child < tree.n_leaves]
        groups = [child for child in children if child >= tree.n_leaves]
        listed = "  ".join(leaves[:12]) + (f"  … {len(leaves) - 12} more" if len(leaves) > 12 else "")
        yield f"{indent}{tree.labels[node]}" + (f":  {listed}" if leaves else "")
        shown += 1
        if shown == most and (waiting or groups):
            yield f"… (--lines {2 * most} draws more)"
            return
        waiting += [(child, indent + "  ") for child in reversed(groups)]

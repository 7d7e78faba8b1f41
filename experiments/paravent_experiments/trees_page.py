"""The page of the experiment on trees."""

from __future__ import annotations

from pathlib import Path

from paravent.table.atomic import replacing
from paravent_experiments import metrics, trees
from paravent_experiments.drawing import draw
from paravent_experiments.metrics_page import interval_names, markdown
from paravent_experiments.reconstructions import caveat
from paravent_experiments.results import Results


def write(results: Results, path: Path) -> list[Path]:
    """Write the page and its figures beside it; the files, the page first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files, text = [path], [_HEAD]
    for table in metrics.TABLES:
        found = trees.curves(results, table)
        if len(found) < len(trees.KINDS):
            continue
        text.append(f"\n## {metrics.TITLES[table]}\n")
        text += sentences(results, table)
        figure = path.with_name(f"{path.stem}-{table}-covered.svg")
        title = trees.MEASURES["covered"]
        draw({kind: c["covered"] for kind, c in found.items()}, figure, title=f"{table}: {title} by k, in %")
        files.append(figure)
        text += [f"\n![{title} by k]({figure.name})\n", comparison(results, table), "", _sizes(results, table)]
    with replacing(path) as part:
        part.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    return files


def sentences(results: Results, table: str) -> list[str]:
    """What the numbers say, worked out from them."""
    open_ = trees.means(results, table, "covered")
    names = interval_names()
    better = [name for name, a, b in zip(names, open_["semantic"], open_["balanced"], strict=True) if b < a]
    said = [f"- Balanced trees leave fewer values open on {', '.join(better)}." if better else ""]
    worse = [name for name in names if name not in better]
    said.append(f"- Semantic trees leave fewer values open on {', '.join(worse)}." if worse else "")
    for kind in trees.KINDS:
        a, b = (trees.means(results, table, kind)[which][-2] for which in trees.KINDS)
        said.append(f"- Judged on the {kind} trees, on [3, 2000]: {a:.2f} % merged by meaning, {b:.2f} % by balance.")
    if table == "adult":
        said.append(f"- {caveat()}")
    return [sentence for sentence in said if sentence]


def comparison(results: Results, table: str) -> str:
    """The VMN of every measure for both kinds of trees, and their difference."""
    rows = []
    for measure, title in trees.MEASURES.items():
        found = trees.means(results, table, measure)
        for kind in trees.KINDS:
            cells = [
                f"{x:.2f}" if kind == "semantic" else f"{x:.2f} ({x - y:+.2f})"
                for x, y in zip(found[kind], found["semantic"], strict=True)
            ]
            rows.append([f"{title}, merged by {kind} trees", *cells])
    return markdown(["VMN, %", *interval_names()], rows)


def _sizes(results: Results, table: str) -> str:
    """Nodes and height of the trees, as far as values occur."""
    parts = {kind: results.parts[f"{table} {kind}"]["trees"] for kind in trees.KINDS}
    rows = [
        [
            column,
            *(f"{nodes} nodes, height {height}" for nodes, height in (parts[kind][column] for kind in trees.KINDS)),
        ]
        for column in parts["semantic"]
    ]
    return markdown(["column", *trees.KINDS], rows)


_HEAD = """# Trees with meaning or balanced ones

Written by `paravent experiment trees`; run it again to make it anew.

A generalization tree says which values may be told together. It is usually built from what the values mean; it could
as well be a balanced binary tree over the values in their order (2^n values, height n + 1), without a meaning. Does
that lose less? GkAA (NLLM) merges a table once by each kind of trees, at fourteen k. *Values left open* is how many
of the values that occur in a column a cell covers beyond one, as a share of all others: it takes no side. Alteration
is counted on both kinds of trees: what the classes would cost if they were told in the words of the other. Columns of
names have no order of their own: their balanced trees follow the alphabet. The question is one that Mauger (thesis,
Amiens 2021) leaves open; no numbers were published. The normalised mean value (VMN) of a curve over k is its area
over the length of the interval; in brackets the difference to semantic trees (less than nothing: balanced trees lose
less)."""

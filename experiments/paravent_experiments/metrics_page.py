"""The page of the experiment on metrics: what was found beside what was published, and the curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from paravent.table.atomic import replacing
from paravent.utility.cost import METRICS
from paravent_experiments import metrics, reconstructions
from paravent_experiments.drawing import draw
from paravent_experiments.results import Results

_JUDGED = ("average", "generalized", "root")


def write(results: Results, path: Path) -> list[Path]:
    """Write the page and its figures beside it; the files, the page first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files = [path]
    text = [_HEAD, *(f"\n{sentence}" for sentence in headlines(results))]
    for table in metrics.TABLES:
        found = metrics.curves(results, table)
        if not found:
            continue
        text.append(f"\n## {metrics.TITLES[table]}\n")
        text += sentences(results, table)
        for criterion in _JUDGED:
            title = metrics.CRITERIA[criterion]
            figure = path.with_name(f"{path.stem}-{table}-{criterion}.svg")
            draw({m.upper(): c[criterion] for m, c in found.items()}, figure, title=f"{table}: {title} by k, in %")
            files.append(figure)
            text.append(f"\n### {title.capitalize()}\n\n![{title} by k]({figure.name})\n")
            text.append(comparison(results, table, criterion))
        text.append(f"\n### {metrics.CRITERIA['alteration'].capitalize()}\n")
        text.append(_own(results, table))
        text += other_trees(results) if table == "adult" else other_draws(results)
    with replacing(path) as part:
        part.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    return files


def headlines(results: Results) -> list[str]:
    """Which of the published winners win here, table by table."""
    said, at = [], metrics.INTERVALS.index((3, 2000))
    for table in metrics.TABLES:
        here, known = metrics.means(results, table, "average"), metrics.published()[table]["average"]
        if not here:
            continue
        first, then = (min(means, key=lambda m: means[m][at]) for means in (here, known))
        place = sorted(here, key=lambda m: here[m][at]).index(then) + 1
        if first == then:
            said.append(f"**{metrics.TITLES[table]}: the published winner, {then.upper()}, wins here too.**")
        else:
            said.append(
                f"**{metrics.TITLES[table]}: the published headline is not reproduced.** There {then.upper()} serves "
                f"best on [3, 2000]; here {first.upper()} does ({here[first][at]:.2f} %), and {then.upper()} is number "
                f"{place} of {len(here)} ({here[then][at]:.2f} %, published {known[then][at]:.2f} %)."
            )
    return said


def sentences(results: Results, table: str) -> list[str]:
    """What the numbers say, worked out from them."""
    here = metrics.means(results, table, "average")
    known = metrics.published()[table]["average"]
    at = metrics.INTERVALS.index((3, 2000))
    ranked = sorted(here, key=lambda m: here[m][at])
    then = sorted((m for m in METRICS if m in here), key=lambda m: known[m][at])
    gaps = {m: here[m][at] - known[m][at] for m in here}
    far = [f"{m.upper()} {gap:+.1f}" for m, gap in gaps.items() if abs(gap) > 5]
    said = [
        f"- Ranked by average alteration on [3, 2000]: {', '.join(m.upper() for m in ranked)}.",
        f"- Published: {', '.join(m.upper() for m in then)}.",
        f"- More than 5 points from the published value there: {', '.join(far) if far else 'none'}.",
    ]
    seconds = [results.parts[f"{table} {m}"]["seconds"] for m in here]
    if table == "adult":
        said.append(f"- {reconstructions.caveat()}")
    said.append(f"- One run over all {len(metrics.KS)} k took {min(seconds):.1f} to {max(seconds):.1f} s.")
    return said


def comparison(results: Results, table: str, criterion: str) -> str:
    """The VMN of every metric, and how far it is from the published one."""
    here, known = metrics.means(results, table, criterion), metrics.published()[table][criterion]
    rows = [
        [m.upper(), *(f"{x:.2f} ({x - y:+.2f})" for x, y in zip(here[m], known[m], strict=True))]
        for m in sorted(here, key=lambda m: here[m][-2])
    ]
    return markdown(["VMN (difference to published)", *interval_names()], rows)


def _own(results: Results, table: str) -> str:
    here = metrics.means(results, table, "alteration")
    known: dict[str, Any] = metrics.published().get(table, {}).get("own", {})
    rows = [[m.upper(), *(f"{x:.2f}" for x in here[m])] for m in sorted(here, key=lambda m: here[m][-2])]
    if known:
        rows.append(["NLLM, published", *(f"{known[n]:.2f}" if n in known else "" for n in interval_names("{}-{}"))])
    return markdown(["VMN", *interval_names()], rows)


def other_trees(results: Results) -> list[str]:
    """How far the levels and the ranking hang on the choice among trees of the published size."""
    rows = []
    at = [metrics.INTERVALS.index(interval) for interval in ((3, 2000), (3, 15_000))]
    known = metrics.published()["adult"]["average"]
    for name in reconstructions.variants():
        table = f"adult, {name}"
        if not metrics.curves(results, table):
            continue
        here = metrics.means(results, table, "average")
        own = metrics.means(results, table, "alteration").get("nllm")
        ranked = ", ".join(m.upper() for m in sorted(here, key=lambda m: here[m][at[0]]))
        gaps = ["{:+.1f} to {:+.1f}".format(*_ends(here[m][i] - known[m][i] for m in here)) for i in at]
        mine = [f"{own[i]:.2f}" for i in at] if own else ["", ""]
        rows.append([f"**{name}**" if name == reconstructions.CHOSEN else name, *gaps, ranked, *mine])
    if not rows:
        return []
    intervals = [interval_names()[i] for i in at]
    head = [
        "trees",
        *(f"gaps on {i}" for i in intervals),
        "ranking on [3, 2000]",
        *(f"NLLM's own on {i}" for i in intervals),
    ]
    published = metrics.published()["adult"]["own"]
    rows.append(["published", "", "", "", f"{published['3-2000']:.2f}", f"{published['3-15000']:.2f}"])
    return ["\n### How much hangs on the trees\n", _TREES, "", markdown(head, rows)]


def other_draws(results: Results) -> list[str]:
    """How far the ranking hangs on the draw of the stand-in."""
    from paravent.data import simulated

    rows, at = [], metrics.INTERVALS.index((3, 2000))
    known = metrics.published()["voters"]["average"]
    for seed in metrics.DRAWS:
        here = metrics.means(results, f"voters, draw {seed}", "average")
        if not here:
            continue
        frame = simulated.voters(seed=seed).frame
        sizes = frame.group_by(frame.columns).len()["len"]
        parties = simulated.effective_values(frame["party"].value_counts()["count"].to_numpy())
        gaps = "{:+.1f} to {:+.1f}".format(*_ends(here[m][at] - known[m][at] for m in here))
        ranked = ", ".join(m.upper() for m in sorted(here, key=lambda m: here[m][at]))
        rows.append([str(seed), f"{len(sizes)}", f"1 to {int(str(sizes.max()))}", f"{parties:.2f}", gaps, ranked])
    if not rows:
        return []
    order = ", ".join(m.upper() for m in sorted(known, key=lambda m: known[m][at]))
    rows.append(["published", "28896", "1 to 6", "3.16", "", order])
    head = ["draw", "classes", "their rows", "parties' effective number", "gaps on [3, 2000]", "ranking on [3, 2000]"]
    return ["\n### How much hangs on the draw\n", _DRAWS, "", markdown(head, rows)]


def _ends(values: Iterable[float]) -> tuple[float, float]:
    found = list(values)
    return min(found), max(found)


def interval_names(form: str = "[{}, {}]") -> list[str]:
    return [form.format(low, high) for low, high in metrics.INTERVALS]


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of a Markdown page.

    >>> print(markdown(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("|" + "|".join(cell if line is lines[1] else f" {cell} " for cell in line) + "|" for line in lines)


_HEAD = """# Which metric to merge by

Written by `paravent experiment metrics`; run it again to make it anew.

GkAA merges the classes of a table until each has k rows, and a metric says what a merge costs. Which of the seven
metrics serves best? One run of GkAA for each, judged at fourteen k by three criteria that take no side: the average
alteration under all seven metrics, the share of cells that are generalized, and the share that show the root, all in
percent (lower is better). The normalised mean value (VMN) of a curve over k is its area over the length of the
interval. Published values: C. Mauger, *Optimising data utility during a k-anonymisation process*, thesis, Amiens
2021, chapter 3.

The published trees are only known as pictures, so the trees here are others of the same size and height (for Adult
the bundled ones, occupations in technical and non-technical ones), and the order in which ties are broken was not
published. The voter register cannot be had again: its stand-in is made up, with the published number of values, trees
and classes, and columns that hang together as in an electorate. Rankings and levels can be compared, digits cannot.
Settings: a leaf counts 0 leaves, ties go to the class that came first."""

_TREES = """Of each tree the source says how many values, nodes and levels it has (Table 2.1). Several trees fit, and
each row is Adult with one choice: how far the average alteration of the seven metrics is from the published one, from
the lowest gap to the highest. All have the published sizes. Those of marital status and workclass that come with ARX
have them too, which suggests where the source's trees come from; its tree of occupations has one group more, *Other*.
Without that group (its values hang on the root) all seven metrics come within five points of the published ones on
both intervals and rank as published, so this one was chosen; no other number was fitted. Groups of office and manual
work, as in the bundled tree, leave occupations half-generalized where the published tables have them at the root.
Ties count too: with another order of equal classes a mean on [3, 2000] moves by one or two points, and beyond k =
5000, where three to five classes are left, by up to ten. The leaves stand in ARX's order; with another one NCP and
WLLM may change places."""

_DRAWS = """The stand-in is drawn by chance, and five metrics lie within a few points of one another: which of them
comes first changes from draw to draw. The numbers above are of draw 1. Draw 14 is, of the first forty, the nearest to
what is published of the sample itself: the number of its classes, their largest, and how evenly the parties are spread.
It was found by these three, before any metric was run on it."""

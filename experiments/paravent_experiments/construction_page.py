"""The page of the experiment on constructions: what was found beside what was published, the curves and the gaps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from paravent.table.atomic import replacing
from paravent_experiments import construction
from paravent_experiments.drawing import draw
from paravent_experiments.metrics import INTERVALS, KS, TITLES
from paravent_experiments.metrics_page import markdown
from paravent_experiments.reconstructions import caveat
from paravent_experiments.results import Results

_INTERVALS = [f"[{low}, {high}]" for low, high in INTERVALS]
_JUDGED = {
    name: INTERVALS.index(interval) for name, interval in (("[3, 2000]", (3, 2000)), ("[3, 15000]", (3, 15_000)))
}


def write(results: Results, path: Path) -> list[Path]:
    """Write the page and its figures beside it; the files, the page first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files, text = [path], [_HEAD]
    for table, title in TITLES.items():
        found = construction.curves(results, table)
        if not found:
            continue
        text.append(f"\n## {title}\n")
        text += sentences(results, table)
        figure = path.with_name(f"{path.stem}-{table}.svg")
        draw(found, figure, title=f"{table}: alteration (NLLM) by k, in %")
        files.append(figure)
        text.append(f"\n![alteration by k]({figure.name})\n\n### Means over k\n")
        text.append(comparison(results, table))
        text.append("\n### Every k\n")
        text.append(by_k(results, table))
        text.append("\n### How it went\n")
        text.append(rounds(results, table))
    with replacing(path) as part:
        part.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    return files


def sentences(results: Results, table: str) -> list[str]:
    """What the numbers say, worked out from them."""
    here, known = construction.means(results, table), construction.published()[table]
    said = []
    if "GkAA" in here:
        for interval, at in _JUDGED.items():
            gains = {name: here[name][at] - here["GkAA"][at] for name in here if name != "GkAA"}
            then = {name: known[name][at] - known["GkAA"][at] for name in known if name != "GkAA"}
            if gains:
                best, theirs = min(gains, key=gains.__getitem__), min(then, key=then.__getitem__)
                said.append(
                    f"- On {interval}, {best} is {-gains[best]:.2f} points below GkAA "
                    f"(published: {theirs}, {-then[theirs]:.2f} points below)."
                )
                said.append(f"- Ranked on {interval}: {_ranked(here, at)}.")
                said.append(f"- Published: {_ranked(known, at)}.")
    gaps = construction.gaps(results, table)
    if gaps:
        widest = max(gaps, key=gaps.__getitem__)
        said.append(
            f"- {construction.BEST} is at most {min(gaps.values()):.1f} to {gaps[widest]:.1f} % above the optimum "
            f"(widest at k = {widest})."
        )
    if table == "adult":
        said.append(f"- {caveat()}")
    mine = [part for name, part in results.parts.items() if name.startswith(f"{table} ")]
    seconds, cpu = (sum(float(part[what]) for part in mine) for what in ("seconds", "cpu"))
    said.append(f"- All of it took {seconds:.0f} s on a shared machine, {cpu:.0f} s of them of its processors.")
    return said


def _ranked(means: Mapping[str, list[float]], at: int) -> str:
    return ", ".join(sorted(means, key=lambda name: means[name][at]))


def comparison(results: Results, table: str) -> str:
    """The VMN of every algorithm, and how far it is from the published one."""
    here, known = construction.means(results, table), construction.published()[table]
    rows = []
    for name, values in here.items():
        cells = [f"{x:.2f}" for x in values]
        if name in known:
            cells = [f"{x} ({y - z:+.2f})" for x, y, z in zip(cells, values, known[name], strict=True)]
        rows.append([name, *cells])
    return markdown(["VMN (difference to published)", *_INTERVALS], rows)


def by_k(results: Results, table: str) -> str:
    """The alteration at every k, and what no table can go below."""
    found, bounds = construction.curves(results, table), construction.bounds(results, table)
    gaps = construction.gaps(results, table)
    head = ["k", *found]
    if bounds:
        head += ["no table below", f"{construction.BEST} above the optimum by at most"]
    rows = []
    for k in KS:
        row = [str(k), *(f"{curve[k]:.3f}" for curve in found.values())]
        if bounds:
            row += [f"{bounds[k]:.3f}" if k in bounds else "", f"{gaps[k]:.1f} %" if k in gaps else ""]
        rows.append(row)
    return markdown(head, rows)


def rounds(results: Results, table: str) -> str:
    """Rounds, the best one, and seconds of the constructions."""
    rows = []
    for k in KS:
        row = [str(k)]
        for name in construction.NAMES[1:]:
            part = results.parts.get(f"{table} {name} {k}", {})
            took = f"{part['seconds']:.1f} s" if part else ""
            row.append(f"{part['best']} of {part['rounds']}, {took}" if "rounds" in part else took)
        rows.append(row)
    return markdown(["k: best round of all, time", *construction.NAMES[1:]], rows)


_HEAD = """# Better tables by splitting classes again

Written by `paravent experiment construction`; run it again to make it anew.

GkAA merges classes until each has k rows; some get far larger than they need be. The construction algorithms make
classes too large on purpose and split them again in the best way: `GkPk` and `G3kPk` once, the convergent ones again
and again on their own result. All are judged by their alteration in percent (NLLM, lower is better), over k by its
normalised mean value (VMN). Published values: C. Mauger, *Optimising data utility during a k-anonymisation process*,
thesis, Amiens 2021, Tables 5.1 to 5.3; there each point took up to 24 hours.

Trees and ties differ from the source, as said on the page about metrics; and where the source asked a solver for 120
seconds a class, classes are split here by our own search over their minimal groups, which is exact where it ends within
its limits. So what can be compared is the order, and how far each is below GkAA.

Settings: the convergent ones run for up to 25 rounds, with two restarts from their best table (classes twice as large,
then random merges), which the source only asks for; the best table of all rounds counts, as there. `Polish` begins with
the best table of the five at each k, so its time comes on top of theirs. The bound counts what rows must pay under any
labels that k rows share; no k-anonymous table with labels of these trees goes below it."""

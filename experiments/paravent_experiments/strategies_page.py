"""The page of the experiment on strategies."""

from __future__ import annotations

from pathlib import Path

from paravent.methods.merging.gaa import Strategy
from paravent.table.atomic import replacing
from paravent_experiments import metrics, strategies
from paravent_experiments.drawing import draw
from paravent_experiments.metrics_page import markdown
from paravent_experiments.reconstructions import caveat
from paravent_experiments.results import Results

_TITLES = {"alteration": "alteration", "diversity": "diversity l", "closeness": "distance t"}
_SCOPES = {"class": "measures of the merged class", "table": "measures of the whole table"}


def write(results: Results, path: Path) -> list[Path]:
    """Write the page and its figures beside it; the files, the page first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files, text = [path], [_HEAD]
    for name in strategies.REAL:
        done = [scope for scope in _SCOPES if strategies.means(results, name, scope)["alteration"]]
        if not done:
            continue
        text.append(f"\n## {name}\n")
        if name.startswith("adult"):
            text.append(caveat())
        for scope in done:
            text.append(f"\n### {_SCOPES[scope].capitalize()}\n")
            text.append(comparison(results, name, scope))
            text += [f"\n{sentence}" for sentence in within(results, name, scope)]
            picked = strategies.chosen(results, name, scope)
            if picked is not None:
                text.append(f"\nChosen by calculation among the seven: strategy {picked}.")
            text += [f"\n{sentence}" for sentence in mistaken(results, name, scope)]
            for measure, title in _TITLES.items():
                figure = path.with_name(f"{path.stem}-{name}-{scope}-{measure}.svg")
                parts = {s: results.parts.get(f"{name} {scope} {s}") for s in strategies.NINE}
                curves = {
                    f"{s}": {int(k): float(y) for k, y in part[measure].items()}
                    for s, part in parts.items()
                    if part is not None
                }
                draw(curves, figure, title=f"{name}, {scope}: {title} by k", percent=measure == "alteration")
                files.append(figure)
                text.append(f"\n![{title} by k]({figure.name})")
    text += simulated(results)
    with replacing(path) as part:
        part.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    return files


def simulated(results: Results) -> list[str]:
    """The made-up sensitive columns: means over the 21 of a table, and which strategy is chosen for each."""
    text: list[str] = []
    for table in metrics.TABLES:
        for scope, title in _SCOPES.items():
            found = strategies.simulated_means(results, table, scope)
            if not found["alteration"]:
                continue
            text.append(f"\n### {table}, {title}\n")
            text.append(mean_comparison(found, f"{table}-simulated"))
            if table == "adult":
                text.append(f"\n{caveat()}")
            first = found["alteration"].get(1)
            if first is not None and max(first) == min(first):
                text.append(f"\nStrategy 1 looks at no value: its alteration is {first[0]:.2f} for all 21 columns.")
            text += ["", choices(results, table, scope)]
    return ["\n## Made-up sensitive columns\n", _SIMULATED, *text] if text else []


def mean_comparison(found: dict[str, dict[Strategy, list[float]]], published: str) -> str:
    """The mean VMN over several columns, with their range, beside the published mean."""
    known = strategies.published()[published]
    rows = []
    for strategy in found["alteration"]:
        row = [str(strategy)]
        for measure in strategies.MEASURES:
            values = found[measure][strategy]
            row.append(f"{sum(values) / len(values):.2f} ({min(values):.1f}–{max(values):.1f})")
            row.append(f"{known[measure][strategy - 1]:.2f}" if isinstance(strategy, int) else "")
        rows.append(row)
    return markdown(_head("mean VMN % (range)"), rows)


def choices(results: Results, table: str, scope: str) -> str:
    """The strategy that the calculation chooses for each made-up column, here and in the source."""
    known = strategies.published()["chosen"][table]
    rows = []
    for law, then in known.items():
        names = [f"{table}-{law}-{values}" for values in strategies.VALUES]
        rows.append([law, *(str(strategies.chosen(results, name, scope) or "") for name in names)])
        rows.append([f"{law}, published", *map(str, then)])
    return markdown(["chosen by calculation", *(f"{values} values" for values in strategies.VALUES)], rows)


def within(results: Results, name: str, scope: str, points: float = 5) -> list[str]:
    """How many of the alterations lie within some points of the published ones."""
    found, known = strategies.means(results, name, scope)["alteration"], strategies.published().get(name)
    if known is None:
        return []
    gaps = {s: found[s] - known["alteration"][int(s) - 1] for s in strategies.SEVEN if s in found}
    near = [s for s, gap in gaps.items() if abs(gap) <= points]
    far = ", ".join(f"{s} ({gap:+.1f})" for s, gap in gaps.items() if s not in near)
    return [
        f"{len(near)} of {len(gaps)} alterations lie within {points:g} points of the published ones"
        + (f"; not those of strategies {far}." if far else ".")
    ]


def mistaken(results: Results, name: str, scope: str) -> list[str]:
    """Published numbers of one strategy that are those of another one here, in alteration and t, to 0.001 points."""
    found, known = strategies.means(results, name, scope), strategies.published().get(name)
    if known is None:
        return []
    said = []
    for published in strategies.SEVEN:
        alike = [
            str(s)
            for s in found["alteration"]
            if s != published
            and all(abs(found[m][s] - known[m][int(published) - 1]) < 0.001 for m in ("alteration", "closeness"))
        ]
        if alike:
            said.append(
                f"The published alteration and t of strategy {published} are those of {' and '.join(alike)} here."
            )
    return said


def comparison(results: Results, name: str, scope: str) -> str:
    """The VMN of every strategy, with the published one where there is one."""
    found, known = strategies.means(results, name, scope), strategies.published().get(name)
    rows = []
    for strategy in found["alteration"]:
        row = [str(strategy)]
        for measure in strategies.MEASURES:
            row.append(f"{found[measure][strategy]:.2f}")
            numbered = known is not None and isinstance(strategy, int)
            row.append(f"{known[measure][strategy - 1]:.2f}" if numbered else "")  # type: ignore[index, operator]
        rows.append(row)
    return markdown(_head("VMN %"), rows)


def _head(what: str) -> list[str]:
    head = ["strategy"]
    for measure in strategies.MEASURES:
        head += [f"{_TITLES[measure]}, {what}", "published"]
    return head


_HEAD = """# Which strategy to merge by

Written by `paravent experiment strategies`; run it again to make it anew.

GAA merges the classes of a table until each has k rows, and a strategy says which class the smallest one joins: 1 least
cost; 2 cost, then diversity l; 3 l, then cost; 4 cost / l; 5 cost, then distance t; 6 t, then cost; 7 cost × t; `l` and
`t` alone as controls. l and t may be taken of the merged class or of the whole table after the merge; the source
defines the second and sometimes speaks of the first. The normalised mean value (VMN) is the mean over k: alteration
(NLLM, lower is better), l as a share of the most it could be (higher is better), t as half the L1 distance (lower is
better). Published values: C. Mauger, thesis, Amiens 2021, Tables 4.1 to 4.3.

Trees, ties and the voter register differ from the source, as said on the page about metrics. Published numbers of
strategy 5 contradict its definition: it breaks ties of cost by t, so it must stay near strategy 1, as it does here.
With t first, on the merged class, every small class joins one that grows until it looks like the whole table; where
that class is always the closest, neither trees nor ties matter, and the published digits can be compared."""

_SIMULATED = """The sensitive column is made up: 5 to 500 possible values, all equally frequent, geometric (p = 1/2)
or normal, drawn without regard to the other columns, which are all quasi-identifiers. Twelve k up to 5000. How the
source cut the geometric and the normal law is not known, so its columns are others. Published: figures 4.9 and 4.11.
By the merged class, strategies 1, 2, 4 and 7 come out on Adult as published, within three points of alteration; the
published numbers of strategy 5 are again those of t first. Strategies 3 and 6 alter more here than in the source, by
either scope. Where cost counts first or in a product, l and t hardly differ between the strategies, because the values
have nothing to do with the quasi-identifiers: alteration decides, as the source finds too."""

"""Ways to protect one table side by side: generalization, averages, groups, slices, and values that are perturbed."""

from __future__ import annotations

from pathlib import Path

import paravent as pv
from paravent.comparison.comparison import Comparison
from paravent.methods.method import Progress
from paravent.table.atomic import replacing

QUASI = ("age", "education", "marital-status", "sex")
SENSITIVE = "occupation"
L, K, LINKED = 4, 10, 0.1
RISK, UTILITY = "risk.relinked.distance", "utility.queries.are"

_COLUMNS = (RISK, "risk.relinked.probability", f"risk.attribute.belief.{SENSITIVE}", UTILITY, "utility.distortion")


def plans(columns: list[str]) -> dict[str, pv.Plan]:
    """The candidates, each with the promise that suits it; columns beyond those of the experiment are left out."""
    roles: dict[str, pv.Quasi | pv.Sensitive | pv.Drop] = dict.fromkeys(columns, pv.Drop())
    roles |= {**dict.fromkeys(QUASI, pv.Quasi()), SENSITIVE: pv.Sensitive()}
    names = QUASI[1:]
    treat, methods = pv.treatments, pv.methods
    diverse, alike = pv.LDiversity(L, SENSITIVE), pv.KAnonymity(K)
    linked = pv.LinkageRisk(LINKED)

    def plan(promises: list[pv.LDiversity | pv.KAnonymity | pv.LinkageRisk], **more: object) -> pv.Plan:
        return pv.Plan(roles, promises, person=None, **more)  # type: ignore[arg-type]

    return {
        "generalization": plan([alike, diverse], method=methods.Mondrian()),
        "microaggregation": plan([alike], method=methods.MDAV()),
        "anatomy": plan([diverse], method=methods.Anatomy()),
        "slicing": plan([diverse], method=methods.Slicing()),
        "rank swapping": plan([linked], treat=[treat.Swap("age", kind="rank", window=0.1)]),
        "PRAM": plan([linked], treat=[treat.PRAM(names, minimum=0.5)]),
        "noise": plan([linked], treat=[treat.Noise("age", scale=0.5)]),
    }


def run(source: object = None, progress: Progress | None = None) -> Comparison:
    """All candidates over Adult, or over another table with its columns."""
    table = pv.read(pv.data.adult_path() if source is None else source)
    return pv.compare(
        table,
        plans(table.names),
        measures=["relinking", "queries"],
        by=UTILITY,
        risk=RISK,
        utility=UTILITY,
        progress=progress,
    )


def text(found: Comparison, figure: str) -> str:
    """The page."""
    rows = ["| technique | promise | " + " | ".join(f"`{name}`" for name in _COLUMNS) + " |", "|---" * 7 + "|"]
    for entry in found.entries:
        asked = ", ".join(promise.describe() for promise in entry.plan.protect) if entry.plan is not None else ""
        rows.append(f"| {entry.name} | {asked} | " + " | ".join(entry.text(name) for name in _COLUMNS) + " |")
    return "\n".join([_HEAD, *rows, "", f"![the R-U map]({figure})", "", *(f"- {said}" for said in found.sentences)])


def write(found: Comparison, path: Path) -> list[Path]:
    """Write the page and the map beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure = path.with_name(f"{path.stem}-map.svg")
    found.map(figure)
    with replacing(path) as part:
        part.write_text(text(found, figure.name).rstrip() + "\n", encoding="utf-8")
    return [path, figure]


_HEAD = f"""# Techniques side by side

Written by `paravent experiment techniques`; run it again to make it anew.

Adult with four quasi-identifiers ({", ".join(QUASI)}) and {SENSITIVE} as the sensitive column,
protected in seven ways. They do not promise the same, so that no order among them follows from one number:
generalization hides who is who and what they do, averages the former, anatomy and slices only which
{SENSITIVE} is whose, and swapping, PRAM and noise what an attack was measured to find, no more. What all of them
can be measured by is on the map: the share of rows that somebody with the original quasi-identifiers of everybody links
back (`{RISK}`), and the mean relative error of COUNT queries (`{UTILITY}`). A dash: the
measure does not apply to such a release. A technique without figures was refused: its promise did not hold.
"""

"""How often the proposed roles are right, on public tables whose roles were written down by hand.

`python -m benchmarks.roles FOLDER` takes the folder that the tables lie in; without it, it says where they can be had.
Nothing is downloaded, and no row of a table is printed.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import paravent as pv
from benchmarks.printing import print_table
from paravent.profiling.lexicon import Role

TRUTH = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Judged:
    """One column: the roles that are right, the likeliest first, and the one that was proposed."""

    table: str
    column: str
    right: tuple[Role, ...]
    proposed: Role
    held_out: int = 0

    @property
    def hit(self) -> bool:
        return self.proposed in self.right

    @property
    def true(self) -> Role:
        """The role it has: the proposed one where that is right too."""
        return self.proposed if self.hit else self.right[0]


def judged(entry: dict[str, Any], folder: Path) -> list[Judged]:
    """Every column of a table beside what is proposed for it; a table of which a column has no role is refused."""
    right = {
        column: tuple(Role(role) for role in roles.split(" or "))
        for roles, columns in entry["roles"].items()
        for column in columns
    }
    found = pv.profile(folder / entry["file"], max_subset=1)
    answers = []
    for column in found:
        name = column.name.strip()
        known = right.get(name) or right.get(name.rsplit("_", 1)[0])  # a header that appears twice is numbered
        if known is None:
            raise SystemExit(f"{entry['file']}: {TRUTH.name} gives column {name!r} no role.")
        answers.append(Judged(entry["name"], name, known, column.role, entry.get("held_out", 0)))
    return answers


def scores(answers: Sequence[Judged], role: Role) -> tuple[float, float]:
    """Precision and recall of one role."""
    hits = sum(answer.hit for answer in answers if answer.proposed is role)
    proposed = sum(answer.proposed is role for answer in answers)
    true = sum(answer.true is role for answer in answers)
    return hits / proposed if proposed else 1.0, hits / true if true else 1.0


def print_scores(title: str, answers: Sequence[Judged]) -> None:
    rows = []
    for role in Role:
        precision, recall = scores(answers, role)
        rows.append((role.value, sum(answer.true is role for answer in answers), f"{precision:.3f}", f"{recall:.3f}"))
    right = sum(answer.hit for answer in answers) / max(len(answers), 1)
    rows.append(("all", len(answers), f"{right:.3f}", f"{right:.3f}"))
    print_table(title, ("role", "columns", "precision", "recall"), rows)


def print_tables(answers: Sequence[Judged]) -> None:
    names = dict.fromkeys((answer.table, answer.held_out) for answer in answers)
    rows = []
    for name, held_out in names:
        those = [answer for answer in answers if answer.table == name]
        wrong = [f"{a.column} ({a.proposed}, not {a.right[0]})" for a in those if not a.hit]
        right = len(those) - len(wrong)
        rows.append((name, f"round {held_out}" if held_out else "", len(those), right, "; ".join(wrong)))
    print_table("Table by table", ("table", "held out", "columns", "right", "wrong"), rows)


def print_sources(entries: Iterable[dict[str, Any]]) -> None:
    print_table("Where the tables can be had", ("file", "source"), [(e["file"], e["source"]) for e in entries])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where the tables lie")
    given = parser.parse_args()
    entries = tomllib.loads(TRUTH.read_text(encoding="utf-8"))["table"]
    if given.folder is None:
        print_sources(entries)
        return
    answers = [answer for entry in entries for answer in judged(entry, given.folder)]
    print_tables(answers)
    for number, title in enumerate(("The tables it was made with", "Held out, round 1", "Held out, round 2")):
        print_scores(title, [answer for answer in answers if answer.held_out == number])
    print_scores("All tables", answers)


if __name__ == "__main__":
    main()

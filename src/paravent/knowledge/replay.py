"""How it works: the steps of a method on the user's own table, with a few rows as they stood after each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paravent.errors import PlanError
from paravent.knowledge.base import Knowledge
from paravent.knowledge.drawing import in_words, steps_of
from paravent.knowledge.entry import Entry
from paravent.methods.named import method_named
from paravent.methods.trace import Step, replay
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.privacy import LDiversity

_MOST = 40


@dataclass(frozen=True)
class Stage:
    """A step in words, what it was decided by, and the quasi-identifiers of the rows shown, as they stood after it.
    None in place of a row: it is suppressed."""

    words: str
    figures: dict[str, float]
    rows: tuple[tuple[str, ...] | None, ...]


@dataclass(frozen=True)
class Walk:
    """A method at work on a table. It shows values of the table: it is for its owner.

    `columns` are the quasi-identifiers, `before` the rows shown as they were, `stages` what was done one by one. Where
    a method tells its steps in words alone, `trace` has them and `stages` is empty.
    """

    entry: Entry
    process: str
    columns: tuple[str, ...]
    before: tuple[tuple[str, ...], ...]
    stages: tuple[Stage, ...]
    trace: tuple[str, ...]
    release: Release

    def __str__(self) -> str:
        parts = [self.entry.label, self.entry.definition, f"In general: {self.process}", "On your table:"]
        if self.stages:
            parts.append(_table(self.columns, self.before))
            for number, stage in enumerate(self.stages, 1):
                figures = ", ".join(f"{name} {value:g}" for name, value in stage.figures.items())
                parts.append(f"{number}. {stage.words}{f' [{figures}]' if figures else ''}")
                parts.append(_table(self.columns, stage.rows))
        else:
            parts += [f"{number}. {words}" for number, words in enumerate(self.trace, 1)]
        return "\n\n".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        return {
            "key": self.entry.key,
            "label": self.entry.label,
            "definition": self.entry.definition,
            "process": self.process,
            "columns": list(self.columns),
            "before": [list(row) for row in self.before],
            "steps": [
                {
                    "words": stage.words,
                    "figures": stage.figures,
                    "rows": [None if r is None else list(r) for r in stage.rows],
                }
                for stage in self.stages
            ],
            "trace": list(self.trace),
        }


def walk(known: Knowledge, name: str, table: Any, plan: Plan | None = None, *, rows: int = 6, **more: Any) -> Walk:
    """Run an algorithm of the knowledge on a table by a plan (or a drafted one) and tell its steps. `more` are values
    for its inputs: `target="salary"`, `l=2`, `levels={…}`."""
    from paravent.plan.draft import draft
    from paravent.plan.prepare import prepare
    from paravent.plan.runner import anonymize, as_table

    entry = known.entry(name)
    if entry.kind not in ("algorithm",) or not entry.executable or entry.value("call") is None:
        raise PlanError(f"how: {name!r} is no algorithm that paravent runs on a table. {_others(known)}")
    held = as_table(table)
    call = called(entry, more)
    plan = (_promising(draft(held), entry, more) if plan is None else plan).replace(method=method_named("how", call))
    release = anonymize(held, plan)
    steps: tuple[Step, ...] = tuple(release.steps)[:_MOST]
    process = in_words(steps_of(known, entry.value("describedBy") or ""))
    if not steps:
        return Walk(entry, process, (), (), (), release.trace, release)
    axes = prepare(held, plan, releasing=False).task.axes
    if any(len(axis.codes) != len(held) for axis in axes):  # rows with missing values are out: words alone
        return Walk(entry, process, (), (), (), release.trace, release)
    columns = tuple(axis.name for axis in axes)
    before = [dict(zip(columns, row, strict=True)) for row in zip(*(_cells(axis) for axis in axes), strict=True)]
    stages = []
    for step, state in replay(axes, steps):
        shown = [tuple(state[column][at] for column in columns) for at in range(min(rows, len(before)))]
        kept = tuple(None if any(cell is None for cell in row) else tuple(str(cell) for cell in row) for row in shown)
        stages.append(Stage(step.words, dict(step.figures), kept))
    first = tuple(tuple(str(row[column]) for column in columns) for row in before[:rows])
    return Walk(entry, process, columns, first, tuple(stages), release.trace, release)


def _promising(plan: Plan, entry: Entry, given: dict[str, Any]) -> Plan:
    """A drafted plan asks for k-anonymity; of methods that leave quasi-identifiers as they are, it asks for the l that
    is given."""
    if "l" not in given or "l" not in entry.values("requires") or not plan.sensitive:
        return plan
    return plan.replace(protect=[LDiversity(given["l"], next(iter(plan.sensitive)))])


def called(entry: Entry, given: dict[str, Any]) -> str:
    """The call of an algorithm with the values of its inputs filled in, as a plan writes it."""
    text = entry.value("call") or ""
    names = {"class-attribute": "target", "numeric-target": "target"}
    for key in entry.values("requires"):
        mark = f"{{{key}}}"
        if mark not in text:
            continue
        name = names.get(key, key)
        if name not in given:
            raise PlanError(f"how: {entry.key!r} needs {name!r}. Give it, such as {name}={_example(key)}.")
        value = given[name]
        text = text.replace(f"'{mark}'", repr(str(value))).replace(mark, repr(value))
    return text


def _example(key: str) -> str:
    return {"class-attribute": "'salary'", "numeric-target": "'income'", "l": "2", "levels": "{'age': 1}"}.get(key, "…")


def _others(known: Knowledge) -> str:
    able = [entry.key for entry in known.entries("algorithm") if entry.executable and entry.value("call")]
    return f"Take one of {', '.join(able[:8])}, …"


def _cells(axis: Any) -> list[str]:
    return [str(axis.values[code]) for code in axis.codes]


def _table(columns: tuple[str, ...], rows: tuple[tuple[str, ...] | None, ...]) -> str:
    cells = [columns, *(("(suppressed)",) + ("",) * (len(columns) - 1) if row is None else row for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    lines = ("   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells)
    return "\n".join(f"   {line}" for line in lines)

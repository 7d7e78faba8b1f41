"""How it works: the steps of a method on the user's own table, with a few rows as they stood after each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.hierarchy.axis import Axis
from paravent.knowledge.base import Knowledge
from paravent.knowledge.drawing import in_words, steps_of
from paravent.knowledge.entry import Entry
from paravent.methods.named import method_named
from paravent.methods.trace import Step
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.privacy import LDiversity

_MOST, _LAST = 40, 10
"""Of more stages than these, the first and the last ten are shown."""


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

    `columns` are the quasi-identifiers, `before` the rows shown as they were, `stages` what was done one by one, as far
    as it is about these rows: the steps of the method or, where it tells none one by one, the classes that it made.
    `trace` tells the whole in words; methods that change no quasi-identifier have nothing else.
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
    process = in_words(steps_of(known, entry.value("describedBy") or ""))
    shown = np.arange(min(rows, len(held)))
    axes = _axes_of(release, prepare(held, plan, releasing=False).task.axes)
    columns = tuple(axis.name for axis in axes) if axes else tuple(name for name in plan.quasi if name in held.columns)
    before = _rows(held.frame, columns, shown)
    if len(release.steps) and axes:
        stages = list(by_steps(axes, release.steps, shown))
    elif release.kept is not None and plan.method.makes_classes and plan.method.derivation is None:
        stages = list(_by_class(known, release, columns, before, shown))
    else:
        return Walk(entry, process, (), (), (), release.trace, release)
    return Walk(entry, process, columns, before, tuple(_fewer(stages)), release.trace, release)


def by_steps(axes: Sequence[Axis], steps: Sequence[Step], shown: np.ndarray) -> Iterator[Stage]:
    """The steps that say something in general, or that change one of the rows shown, with these rows after each."""
    codes = {axis.name: axis.codes[shown] for axis in axes}
    cells = {axis.name: [str(axis.values[code]) for code in axis.codes[shown]] for axis in axes}
    gone = np.zeros(len(shown), dtype=bool)
    for step in steps:
        touched = not step.changes and not len(step.suppressed)
        for change in step.changes:
            own = codes[change.column]
            met = (own >= change.first) & (own <= change.last)
            if change.rows is not None:
                met &= np.isin(shown, change.rows)
            for at in np.flatnonzero(met).tolist():
                touched = touched or cells[change.column][at] != change.label
                cells[change.column][at] = change.label
        lost = np.isin(shown, step.suppressed)
        gone |= lost
        if touched or lost.any() or (step.changes and step.changes[0].rows is None):
            yield Stage(step.words, dict(step.figures), _stand(cells, gone))
    if len(steps) and steps[-1].suppressed.size and not gone.any():
        yield Stage(steps[-1].words, dict(steps[-1].figures), _stand(cells, gone))


def _stand(cells: dict[str, list[str]], gone: np.ndarray) -> tuple[tuple[str, ...] | None, ...]:
    rows = zip(*cells.values(), strict=True)
    return tuple(None if out else row for out, row in zip(gone.tolist(), rows, strict=True))


def _by_class(
    known: Knowledge, release: Release, columns: tuple[str, ...], before: Sequence[tuple[str, ...]], shown: np.ndarray
) -> Iterator[Stage]:
    """Of a method that tells no steps one by one: the classes of the rows shown, each with what it is published as."""
    assert release.kept is not None
    place = {int(row): at for at, row in enumerate(release.kept.tolist())}
    of_row, sizes = release.subject.of_row, release.subject.classes.sizes
    stand: list[tuple[str, ...] | None] = list(before)
    published = {row: place[row] for row in shown.tolist() if row in place}
    cells = _rows(release.frame, columns, np.array(list(published.values()), dtype=np.int64))
    classes = {row: int(of_row[at]) for row, at in published.items()}
    for number in dict.fromkeys(classes.values()):
        together = [row for row, own in classes.items() if own == number]
        for row in together:
            stand[row] = cells[list(published).index(row)]
        told = ", ".join(str(row + 1) for row in together)
        words = known.say("replay-class", count=int(sizes[number]), rows=told)
        yield Stage(words, {"rows": float(sizes[number])}, tuple(stand))
    missing = [row for row in shown.tolist() if row not in place]
    for row in missing:
        stand[row] = None
    if missing:
        words = known.say("replay-left-out", rows=", ".join(str(row + 1) for row in missing))
        yield Stage(words, {"suppressed": float(len(missing))}, tuple(stand))


def _rows(frame: pl.DataFrame, columns: Sequence[str], at: np.ndarray) -> tuple[tuple[str, ...], ...]:
    part = frame.select(columns)[at.tolist()]
    return tuple(tuple("" if cell is None else str(cell) for cell in row) for row in part.iter_rows())


def _axes_of(release: Release, encoded: Sequence[Axis]) -> tuple[Axis, ...]:
    """All rows of the original by the codes that steps speak of; nothing where these are others."""
    whole = {axis.name: axis for axis in release.axes}
    for axis in encoded:
        own = whole.get(axis.name)
        if own is None or own.values[: len(axis.values)] != axis.values:
            return ()
    return tuple(whole[axis.name] for axis in encoded)


def _fewer(stages: list[Stage]) -> list[Stage]:
    return stages if len(stages) <= _MOST else [*stages[: _MOST - _LAST], *stages[-_LAST:]]


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


def _table(columns: tuple[str, ...], rows: tuple[tuple[str, ...] | None, ...]) -> str:
    cells = [columns, *(("(suppressed)",) + ("",) * (len(columns) - 1) if row is None else row for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    lines = ("   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells)
    return "\n".join(f"   {line}" for line in lines)

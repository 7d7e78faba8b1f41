"""Neutral values: what a suppressed cell (`*`) shows where a plan wants it filled.

A blank is honest and hard to compute with; some who publish fill it with a value that says nothing about its row: the
column's median, mode or mean, or one that they name (Domingo-Ferrer: k-anonymity by microaggregation). The cell is then
no longer true of its row. So the release is measured and attacked as it was labelled, what is published is verified
once more, and its verdict says which columns are filled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.plan.finished import Finished
from paravent.plan.plan import Plan
from paravent.table.kinds import Kind
from paravent.table.text import is_text

RULES = ("median", "mode", "mean")


def check_neutral(plan: Plan) -> None:
    """Refuse what cannot be filled without breaking what the plan asks."""
    wanted = [name for name, role in plan.quasi.items() if role.neutral is not None]
    if not wanted:
        return
    if plan.method.wildcards:
        raise PlanError(
            f"columns.{wanted[0]}: neutral fills cells that {type(plan.method).__name__} reads as wildcards, and a "
            "filled cell is none. Leave neutral out, or say counting='strict'."
        )
    for model in plan.models:
        if model.people is not None:
            raise PlanError(
                f"columns.{wanted[0]}: neutral hides what a cell covers, and {model.describe()} counts the people whom "
                "cells cover. Leave one of them out."
            )


def check_rules(plan: Plan, axes: Sequence[Axis]) -> None:
    """Refuse a rule that its column cannot follow, before any work."""
    for axis in axes:
        rule = plan.quasi[axis.name].neutral
        if rule is not None:
            neutral_value(rule, axis, np.arange(len(axis.codes)))


def filled(finished: Finished, plan: Plan, axes: Sequence[Axis]) -> tuple[Finished, Mapping[str, int]]:
    """The frame with neutral values in place of `*`, but for rows that only stand for suppressed ones, and how many
    cells of each column were filled; itself where there are none."""
    if finished.rows is None:
        return finished, {}
    columns, counts = [], {}
    axis_of = {axis.name: axis for axis in axes}
    for name in finished.frame.columns:
        cells = finished.frame[name]
        rule = plan.quasi[name].neutral if name in plan.quasi else None
        if rule is not None and is_text(cells.dtype):
            text = cells.alias("cells").cast(pl.String)
            blank = (text == ROOT_LABEL).fill_null(False) & pl.Series(~finished.marked)
            if blank.any():
                counts[name] = int(blank.sum())
                text = text.set(blank, neutral_value(rule, axis_of[name], finished.rows[~finished.marked]))
                cells = text.cast(pl.Enum(text.drop_nulls().unique(maintain_order=True)))
        columns.append(cells.alias(name))
    return (replace(finished, frame=pl.DataFrame(columns)), counts) if counts else (finished, counts)


def neutral_value(rule: str, axis: Axis, rows: np.ndarray) -> str:
    """The value of a rule over some rows of the original; a value that was given is taken as it is.

    >>> from paravent.table.kinds import Kind
    >>> axis = Axis("age", Kind.INTEGER, np.array([0, 1, 1, 2]), ("20", "30", "70"), positions=np.array([20.0, 30, 70]))
    >>> [neutral_value(rule, axis, np.arange(4)) for rule in ("median", "mode", "mean", "unknown")]
    ['30', '30', '38', 'unknown']
    """
    if rule not in RULES:
        return rule
    codes = axis.codes[rows] if axis.unknown is None else axis.codes[rows][~axis.unknown[rows]]
    where = f"columns.{axis.name}: neutral={rule!r}"
    if rule == "mode" or not len(codes):
        return axis.values[int(np.argmax(np.bincount(codes, minlength=len(axis))))]
    if axis.positions is not None:
        places = axis.positions[codes]
        known = codes[np.isfinite(places)]
        if rule == "median" and len(known):
            order = np.argsort(axis.positions[known], kind="stable")
            return axis.values[int(known[order[(len(known) - 1) // 2]])]
        if axis.kind in (Kind.INTEGER, Kind.FLOAT) and len(known):
            mean = float(np.mean(axis.positions[known]))
            return str(round(mean)) if axis.kind is Kind.INTEGER else f"{mean:.6g}"
        raise PlanError(f"{where} is for numbers. Take 'median' or 'mode', or name a value.")
    if rule == "median" and axis.kind.is_ordered and axis.tree is None:
        return axis.values[int(np.sort(codes)[(len(codes) - 1) // 2])]
    raise PlanError(f"{where} needs values on a line. Take 'mode', or name a value.")


def words(counts: Mapping[str, int], plan: Plan) -> str:
    """What a verdict says about filled cells."""
    parts = []
    for name, count in counts.items():
        rule = str(plan.quasi[name].neutral)
        parts.append(f"{name!r} in {count} rows ({rule if rule in RULES else 'a given value'})")
    return (
        f"Suppressed cells show a neutral value in place of `*`: {', '.join(parts)}. "
        "These cells say nothing about their rows, and cannot be told from those that do."
    )

"""Treatments that coarsen, for any table: not every one fits, and the plan then says so."""

from __future__ import annotations

import polars as pl

import paravent as pv
from paravent.treatments import BottomCode, Mask, Recode, Round, Sample, Suppress, TopCode, Treatment

from .dice import Dice, chance, one_of


def treatments(dice: Dice, frame: pl.DataFrame, plan: pv.Plan) -> list[Treatment]:
    """One to three treatments of columns that may be treated."""
    free = [name for name in frame.columns if name not in plan.identifiers and name not in ("note", plan.person)]
    return [_treatment(dice, one_of(dice, free)) for _ in range(dice.number(1, 3))]


def _treatment(dice: Dice, name: str) -> Treatment:
    share = one_of(dice, [0.05, 0.2, 0.5, 0.9])
    choices: list[Treatment] = [
        TopCode(name, share=share, replace=one_of(dice, ["label", "limit", "limit", "mean"])),
        BottomCode(name, share=share, replace=one_of(dice, ["label", "limit", "limit", "mean"])),
        Recode(name, groups=dice.number(2, 4), by=one_of(dice, ["frequency", "width"])),
        Recode(name, width=one_of(dice, [0.1, 1, 2.5, 10])),
        Recode(name, mapping={"flu": "lung", "cold": "lung", "1000": "low"}, other="other"),
        Round(name, base=one_of(dice, [0.1, 1, 3, 500])),
        Mask(name, first=dice.number(0, 2), last=dice.number(1, 3)),
        Suppress(name, rarer=dice.number(2, 3)),
        Suppress(name, risk=one_of(dice, [0.1, 0.5])),
        Suppress(name, where={"note": "1"}),
        Sample(share=one_of(dice, [0.5, 0.8, 1.0]), strata=("note",) if chance(dice, 20) else ()),
    ]
    return one_of(dice, choices)

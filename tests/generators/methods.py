"""All methods, with parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paravent as pv

from .dice import Dice, chance, one_of

MONDRIANS: list[Callable[[Dice], Any]] = [
    lambda dice: pv.methods.Mondrian(
        cut=one_of(dice, ["loss", "median"]),
        labels=one_of(dice, ["tree", "interval", "set"]),
        strict=chance(dice, 70),
    ),
    lambda dice: pv.methods.Mondrian(labels=one_of(dice, ["tree", "interval", "set"])),
]
TABLES: list[Callable[[Dice], Any]] = [
    lambda dice: pv.methods.Anatomy(l=one_of(dice, [None, 2, 3])),
    lambda dice: pv.methods.Bucketization(l=one_of(dice, [None, 2, 3])),
    lambda dice: pv.methods.Slicing(l=one_of(dice, [None, 2, 3]), permute=one_of(dice, ["blocks", "blocks", "values"])),
]
"""Methods that leave quasi-identifiers as they are, and hide one sensitive column."""
METHODS: list[Callable[[Dice], Any]] = [
    *MONDRIANS,
    lambda _: pv.methods.Datafly(),
    lambda _: pv.methods.Samarati(),
    lambda _: pv.methods.Incognito(),
    lambda dice: pv.methods.Optimal(metric=one_of(dice, ["loss", "cavg", "dm", "entropy", "gcp"])),
    lambda _: pv.methods.MuArgus(),
    lambda _: pv.methods.BottomUp(target="disease"),
    lambda _: pv.methods.TopDown(target="disease"),
    lambda _: pv.methods.LocalRecoding(),
    lambda dice: pv.methods.GkAA(metric=one_of(dice, ["nllm", "ncp", "distortion"]), stubs=chance(dice, 30)),
    lambda dice: pv.methods.GAA(strategy=one_of(dice, [1, "size"])),
    lambda _: pv.methods.GkPk(nodes=200),
    lambda _: pv.methods.Polish(),
    lambda dice: pv.methods.KMember(labels=one_of(dice, ["tree", "interval", "set"])),
    lambda dice: pv.methods.OKA(labels=one_of(dice, ["tree", "interval", "set"])),
    lambda _: pv.methods.KACA(),
    lambda _: pv.methods.GCCG(),
    lambda _: pv.methods.NearestNeighbour(),
    lambda dice: pv.methods.MDAV(
        publish=one_of(dice, ["average", "interval", "ancestor"]), median=one_of(dice, ["median", "convex"])
    ),
    lambda _: pv.methods.MDAV(rescale=True),
    lambda dice: pv.methods.MDAV(whole=True, nominal=one_of(dice, ["equal", "tree"])),
    lambda dice: pv.methods.VMDAV(gain=one_of(dice, [0.2, 1.1])),
    lambda _: pv.methods.RefinedMDAV(effort=20),
    lambda _: pv.methods.UnivariateOptimal(),
    lambda _: pv.methods.FixedSize(),
    lambda _: pv.methods.LocalSuppression(),
    lambda _: pv.methods.MinGen(),
]

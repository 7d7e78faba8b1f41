"""What a synthesis spent, worked out from its transcript alone. It shares nothing with the code that wrote it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from paravent.errors import UnsafeReleaseError
from paravent.privacy.promise import Entry


def account_of(document: Mapping[str, Any]) -> tuple[Entry, ...]:
    """An entry for each step of a transcript, as its file holds it; costs are rounded up to floats.

    Discrete Gaussian noise of variance s on counts that a person changes by m in one cell at most: rho = m² / 2s
    (Canonne, Kamath, Steinke 2020); discrete Laplace noise of scale b: epsilon = m / b; a choice by the exponential
    mechanism at epsilon: epsilon, or rho = epsilon² / 8 (Cesar, Rogers 2021).
    """
    names = [str(column["name"]) for column in document["columns"]]
    return tuple(_entry(step, names) for step in document["steps"])


def _entry(step: Mapping[str, Any], names: Sequence[str]) -> Entry:
    if "noise" in step:
        what = "counts of " + ", ".join(names[i] for i in step["measured"])
        scale, most = Fraction(step["scale"]), Fraction(int(step["rows_each"]))
        if scale > 0 and most >= 1:
            if step["noise"] == "gaussian":
                return Entry(what, {"rho": _up(most * most / scale / 2)})
            if step["noise"] == "laplace":
                return Entry(what, {"epsilon": _up(most / scale)})
    elif "selected" in step:
        what, epsilon = f"choice of {step['selected']}", Fraction(step["epsilon"])
        if epsilon > 0 and step["composition"] == "zcdp":
            return Entry(what, {"rho": _up(epsilon * epsilon / 8)})
        if epsilon > 0 and step["composition"] == "pure":
            return Entry(what, {"epsilon": _up(epsilon)})
    raise UnsafeReleaseError("the transcript has a step whose cost is not known. Nothing is released.")


def _up(cost: Fraction) -> float:
    near = float(cost)
    return near if Fraction(near) >= cost else math.nextafter(near, math.inf)

"""Models, several at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paravent as pv

from .dice import Dice, one_of


def models(dice: Dice, sensitive: Sequence[str]) -> list[Any]:
    """k-anonymity or another promise about who is who, and none to three about sensitive columns."""
    k = dice.number(1, 5)
    first = [
        pv.KAnonymity(k),
        pv.KAnonymity(k),
        pv.KAnonymity(k),
        pv.MaximumRisk(one_of(dice, [0.5, 0.34, 0.2])),
        pv.AverageRisk(one_of(dice, [0.5, 0.25])),
        pv.SampleUniqueness(one_of(dice, [0.0, 0.1, 0.5])),
    ]
    found: list[Any] = [one_of(dice, first)]
    for _ in range(one_of(dice, [0, 0, 1, 1, 1, 2, 3])):
        model = _about(dice, one_of(dice, sensitive))
        if model.key not in {other.key for other in found}:
            found.append(model)
    return found


def _about(dice: Dice, name: str) -> Any:
    """A promise about a sensitive column."""
    match dice.number(0, 7):
        case 0:
            return pv.LDiversity(dice.number(1, 3), name)
        case 1:
            return pv.LDiversity(one_of(dice, [1, 1.5, 2, 2.2]), name, kind="entropy")
        case 2:
            return pv.LDiversity(dice.number(1, 3), name, kind="recursive", c=one_of(dice, [1, 2.5, 4]))
        case 3:
            return pv.TCloseness(one_of(dice, [0.1, 0.25, 0.4, 0.6]), name)
        case 4:
            return pv.TCloseness(one_of(dice, [0.1, 0.25, 0.4]), "pay", distance="ordered")
        case 5:
            return pv.AlphaKAnonymity(one_of(dice, [0.5, 0.75, 0.9]), dice.number(1, 3), name)
        case 6:
            return pv.BetaLikeness(one_of(dice, [0.5, 1, 3]), name, kind=one_of(dice, ["basic", "enhanced"]))
        case _:
            return pv.DeltaDisclosure(one_of(dice, [0.7, 1.5]), name)

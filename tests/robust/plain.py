"""The promises of a plan checked again in plain Python, from the definitions of the literature alone.

Written for the tests: it shares no line with the product. Rows are dictionaries of texts, shares are fractions,
logarithms have fifty digits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal, getcontext
from fractions import Fraction
from typing import Any

getcontext().prec = 50
_DIGITS = Decimal("1e-40")

Holders = Mapping[Hashable, set[int]]
"""For each sensitive value, the people who hold it."""


def _ln(share: Fraction) -> Decimal:
    return (Decimal(share.numerator) / Decimal(share.denominator)).ln()


def written(number: Any) -> Fraction:
    """A parameter as it is written: 0.1 is a tenth."""
    return Fraction(str(number))


class Group:
    """People who look alike, and who of them holds which sensitive value."""

    def __init__(self, rows: Iterable[int], people: Sequence[int], values: Mapping[str, Sequence[Hashable]]) -> None:
        rows = list(rows)
        self.people = {people[row] for row in rows}
        self.size = len(self.people)
        self.holders: dict[str, dict[Hashable, set[int]]] = {name: defaultdict(set) for name in values}
        for name, column in values.items():
            for row in rows:
                self.holders[name][column[row]].add(people[row])

    def shares(self, name: str) -> dict[Hashable, Fraction]:
        return {value: Fraction(len(held), self.size) for value, held in self.holders[name].items()}


def broken(model: Any, groups: Sequence[Group], table: Group, columns: Sequence[Sequence[Hashable]]) -> str | None:
    """Why a promise does not hold; None where it does, or where this page does not know the model."""
    kind = type(model).__name__
    if kind == "AverageRisk":
        risk = Fraction(len(groups), table.size)
        return f"average risk {risk}" if risk > written(model.risk) else None
    if kind == "SampleUniqueness":
        alone = Fraction(sum(group.size == 1 for group in groups), table.size)
        return f"{alone} of all stand alone" if alone > written(model.share) else None
    if kind == "ColumnAnonymity":
        least = min((column.count(cell) for column in map(list, columns) for cell in column), default=model.k)
        return f"a cell of {least} rows" if least < model.k else None
    for group in groups:
        why = _broken_class(kind, model, group, table)
        if why is not None:
            return why
    return None


def _broken_class(kind: str, model: Any, group: Group, table: Group) -> str | None:
    if kind == "KAnonymity":
        return f"a class of {group.size}" if group.size < model.k else None
    if kind == "MaximumRisk":
        return f"a class of {group.size}" if Fraction(1, group.size) > written(model.risk) else None
    if kind == "LDiversity":
        return _diversity(model, group)
    if not hasattr(model, "column"):
        return None
    here, everywhere = group.shares(model.column), table.shares(model.column)
    if kind == "AlphaKAnonymity":
        if group.size < model.k or max(here.values()) > written(model.alpha):
            return f"a class of {group.size} with a share of {max(here.values())}"
    elif kind == "TCloseness":
        away = _distance(model, here, everywhere)
        if away > written(model.t):
            return f"distance {away}"
    elif kind == "BetaLikeness":
        for value, share in here.items():
            rise = (share - everywhere[value]) / everywhere[value]
            if rise > written(model.beta):
                return f"a share rises by {rise}"
            if model.kind == "enhanced" and rise > 0:
                limit = -_ln(everywhere[value])
                if Decimal(rise.numerator) / Decimal(rise.denominator) > limit + _DIGITS:
                    return f"a share rises by {rise}, more than -ln q"
    elif kind == "DeltaDisclosure":
        for value, share in everywhere.items():
            if here.get(value, 0) == 0:
                return "a value is ruled out"
            if abs(_ln(here[value] / share)) >= Decimal(str(model.delta)) + _DIGITS:
                return f"|ln p/q| of {here[value] / share}"
    return None


def _diversity(model: Any, group: Group) -> str | None:
    counts = sorted((len(held) for held in group.holders[model.column].values()), reverse=True)
    if model.kind == "distinct":
        return f"{len(counts)} values" if len(counts) < model.l else None
    if model.kind == "entropy":
        shares = group.shares(model.column).values()
        entropy = -sum((Decimal(s.numerator) / Decimal(s.denominator) * _ln(s) for s in shares), Decimal(0))
        return f"entropy {entropy}" if entropy + _DIGITS < Decimal(str(model.l)).ln() else None
    if model.kind == "recursive":
        tail = sum(counts[int(model.l) - 1 :])
        return f"counts {counts}" if not counts[0] < written(model.c) * tail else None
    return None


def _distance(model: Any, here: Mapping[Hashable, Fraction], everywhere: Mapping[Hashable, Fraction]) -> Fraction:
    if model.distance == "equal":
        return sum((abs(here.get(v, Fraction(0)) - q) for v, q in everywhere.items()), Fraction(0)) / 2
    assert model.distance == "ordered"
    order = sorted(everywhere, key=float)  # type: ignore[arg-type]
    if len(order) == 1:
        return Fraction(0)
    total, sofar = Fraction(0), Fraction(0)
    for value in order:
        sofar += here.get(value, Fraction(0)) - everywhere[value]
        total += abs(sofar)
    return total / (len(order) - 1)

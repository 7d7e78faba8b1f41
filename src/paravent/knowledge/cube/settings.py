"""Settings: every method of the registry, with the parameters that make another algorithm of it.

A setting is called as the reference calls it: `Mondrian(cut="median")`. The columns that it names are those of the
table at hand, so a setting makes a method when the table is known. A method that is added to the registry is run as it
comes; one that needs something said gets an entry here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from paravent import registry
from paravent.errors import PlanError
from paravent.methods.method import Method
from paravent.near import suggest
from paravent.privacy import ColumnAnonymity, DifferentialPrivacy, KAnonymity, LDiversity
from paravent.privacy.promise import Promise

Demand = Literal["k", "l", "epsilon", "column"]
"""What a method is asked for: k-anonymity, l-diversity, differential privacy, k-anonymity of each column by itself."""


@dataclass(frozen=True)
class Named:
    """The columns that methods may be told about."""

    quasi: Sequence[str]
    sensitive: str
    number: str | None = None
    domains: Callable[[], Mapping[str, Any]] = dict
    ordered: Sequence[str] = ()
    """The quasi-identifiers whose values have an order."""


@dataclass(frozen=True)
class Setting:
    """A method with its own parameters: what it is called, what it is asked for, and how it is made for a table."""

    label: str
    method: str
    demand: Demand
    make: Callable[[Named], Method]
    suppresses: bool = False
    """Whether it may leave out some of the rows, and keeps all others."""

    def promises(self, value: float, sensitive: str, seed: int = 0) -> list[Promise]:
        """What a release of it has to keep. Noise is drawn from `seed`: what it measures can be repeated, and such a
        release is for no other use."""
        if self.method == "NaiveBayesColumns":  # it promises nothing
            return []
        if self.demand == "epsilon":
            return [DifferentialPrivacy(epsilon=float(value), delta=1e-6, unsafe_seed=seed)]
        if self.demand == "l":
            return [LDiversity(int(value), sensitive)]
        return [ColumnAnonymity(int(value)) if self.demand == "column" else KAnonymity(int(value))]

    def with_value(self, method: Method, value: float) -> Method:
        """The method with the parameter that it is asked by, where it has one of its own."""
        return replace(method, epsilon=float(value)) if self.method == "NaiveBayesColumns" else method  # type: ignore[type-var]


def _number(named: Named) -> str:
    if named.number is None:
        raise PlanError("the table has no column of numbers to predict. Name one, or leave this method out.")
    return named.number


_TOLD: Mapping[str, Mapping[str, Callable[[Named], Mapping[str, Any]]]] = {
    "Mondrian": {
        'Mondrian(cut="median")': lambda _: {"cut": "median"},
        'Mondrian(cut="median", strict=False)': lambda _: {"cut": "median", "strict": False},
        'Mondrian(cut="loss")': lambda _: {"cut": "loss"},
        'Mondrian(cut="infogain")': lambda named: {"cut": "infogain", "target": named.sensitive},
        'Mondrian(cut="lsd")': lambda named: {"cut": "lsd", "target": _number(named)},
    },
    "BottomUp": {"BottomUp()": lambda named: {"target": named.sensitive}},
    "TopDown": {"TopDown()": lambda named: {"target": named.sensitive}},
    "NaiveBayes": {"NaiveBayes()": lambda named: {"target": named.sensitive, "domains": named.domains()}},
    **{name: {f"{name}()": lambda named: {"domains": named.domains()}} for name in ("AIM", "MST", "PrivBayes")},
    "Filter": {"Filter(levels=1)": lambda named: {"levels": dict.fromkeys(named.quasi, 1)}},
    "Polish": {'Polish(effort="fast")': lambda _: {"effort": "fast", "bound": False}},
    "FixedSize": {"FixedSize()": lambda named: {"by": next(iter(named.ordered), None)}},
}
_DEMANDS: Mapping[str, Demand] = {
    "Anatomy": "l",
    "Bucketization": "l",
    "Slicing": "l",
    "IndividualRanking": "column",
    "SafePub": "epsilon",
}


@cache
def settings() -> Mapping[str, Setting]:
    """Every setting by what it is called, in the order of the registry.

    >>> [name for name in settings() if name.startswith("Mondrian")][0]
    'Mondrian(cut="median")'
    """
    found: dict[str, Setting] = {}
    for name in registry.entries("method"):
        made = registry.load("method", name)
        demand = _DEMANDS.get(name, "epsilon" if made.draws_rows or "epsilon" in _parameters(made) else "k")
        told = _TOLD.get(name, {f"{name}()": lambda named: {}})  # noqa: ARG005
        for label, parameters in told.items():
            suppresses = made.suppresses == "rows" and not made.samples_rows
            found[label] = Setting(label, name, demand, _maker(made, parameters), suppresses)
    return found


def setting(label: str) -> Setting:
    """A setting by what it is called; the name of a method stands for its first setting."""
    known = settings()
    if label in known:
        return known[label]
    for each in known.values():
        if each.method == label:
            return each
    raise PlanError(f"there is no method {label!r}. {suggest(label, [*known, *registry.entries('method')])}")


def setting_of(name: str, call: str = "") -> Setting:
    """The setting of a method by its name and by how the ontology calls it.

    >>> setting_of("Mondrian", "Mondrian(cut='lsd', target='{numeric-target}')").label, setting_of("Datafly").label
    ('Mondrian(cut="lsd")', 'Datafly()')
    """
    cut = re.search(r"cut='(\w+)'", call)
    return setting(f'Mondrian(cut="{cut[1]}")' if cut else name)


def _maker(made: Any, parameters: Callable[[Named], Mapping[str, Any]]) -> Callable[[Named], Method]:
    def make(named: Named) -> Method:
        method = made(**parameters(named))
        assert isinstance(method, Method)
        return method

    return make


def _parameters(made: Any) -> Sequence[str]:
    return tuple(getattr(made, "__dataclass_fields__", {}))


def label_of(method: Method) -> str:
    """What the setting is called that a method is nearest to.

    >>> from paravent.methods import Mondrian
    >>> label_of(Mondrian(cut="lsd", target="pay")), label_of(Mondrian(cut="median", strict=False))
    ('Mondrian(cut="lsd")', 'Mondrian(cut="median", strict=False)')
    """
    name = type(method).__name__
    if name != "Mondrian":
        return setting(name).label
    cut = getattr(method, "cut", "loss")
    relaxed = 'Mondrian(cut="median", strict=False)'
    return relaxed if cut == "median" and not getattr(method, "strict", True) else f'Mondrian(cut="{cut}")'

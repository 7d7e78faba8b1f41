"""Goals: the tree of what a person may prefer, and the weights that their judgements give its leaves.

The root asks for security and quality, and for little cost where anybody speaks of it. Quality is completeness,
precision and fitness for the use. Children of a goal are compared with one another only; the weight of a leaf is the
product of the weights on the way to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from paravent.arguments import Checked
from paravent.errors import PlanError
from paravent.guide.deciding.judgements import Judgements, Pairs
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.near import suggest

USES: Mapping[str, str | None] = MappingProxyType(
    {
        "classification": "classification",
        "regression": "regression",
        "counting": "queries",
        "distributions": "distributions",
        "any": None,
    }
)
"""What a table may be for, and the criterion that says how well it still serves."""
USAGE = "usage"
"""What preferences call the criterion of the use, whichever it is."""
ROOT = "goal"


@dataclass(frozen=True, eq=False)
class Goals(Checked):
    """The tree for a use, and the judgements about its nodes."""

    use: str
    children: Mapping[str, tuple[str, ...]]
    pairs: Pairs

    @classmethod
    def of(cls, use: str, preferences: Pairs) -> Goals:
        """The goals of a use. Cost is among them where a preference names it, or time or memory.

        >>> found = Goals.of("classification", {("security", "quality"): 1, ("precision", "usage"): 2,
        ...     ("precision", "completeness"): 5, ("usage", "completeness"): 5})
        >>> {name: round(weight, 4) for name, weight in found.weights.items()}
        {'security': 0.5, 'completeness': 0.0444, 'precision': 0.2795, 'classification': 0.1761}
        """
        if use not in USES:
            raise PlanError(f"use: there is no {use!r}. {suggest(use, USES)}")
        criterion = USES[use]
        named = {name for pair in preferences for name in pair}
        quality = ("completeness", "precision", *((criterion,) if criterion else ()))
        cost = tuple(name for name in ("time", "memory") if name in named) or (("time",) if "cost" in named else ())
        children = {ROOT: ("security", "quality", *(("cost",) if cost else ())), "quality": quality}
        if cost:
            children["cost"] = cost
        own = {USAGE: criterion} if criterion else {}
        renamed = {(own.get(a, a) or a, own.get(b, b) or b): said for (a, b), said in preferences.items()}
        found = cls(use, MappingProxyType(children), renamed)
        found.check()
        return found

    def check(self) -> None:
        known = [name for names in self.children.values() for name in names]
        for first, second in self.pairs:
            for name in (first, second):
                if name in known:
                    continue
                if name == USAGE or name in USES.values():
                    raise PlanError(
                        f"preferences: {name!r} is compared, but the data are for {self.use!r} use. "
                        "Say what they are for, or leave the comparison out."
                    )
                raise PlanError(f"preferences: there is no criterion {name!r}. {suggest(name, known)}")
            if self.parent(first) != self.parent(second):
                raise PlanError(
                    f"preferences: {first} and {second} are not compared with each other: {first} is part of "
                    f"{self._called(self.parent(first))}, {second} of {self._called(self.parent(second))}. Compare "
                    f"{_listed(self.children[self.parent(first)])} with one another."
                )
        _ = [self.judgements(node) for node in self.children]

    def parent(self, name: str) -> str:
        return next(node for node, names in self.children.items() if name in names)

    def judgements(self, node: str) -> Judgements:
        """The judgements about the children of a goal."""
        names = self.children[node]
        return Judgements.of(names, {pair: said for pair, said in self.pairs.items() if pair[0] in names})

    @property
    def nodes(self) -> Iterator[tuple[str, Judgements]]:
        """The goals that have parts, from the root down."""
        return ((node, self.judgements(node)) for node in self.children)

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The weight of each leaf; they sum to 1."""
        found: dict[str, float] = {}

        def down(node: str, share: float) -> None:
            for name, weight in self.judgements(node).weights.items():
                if name in self.children:
                    down(name, share * weight)
                else:
                    found[name] = share * weight

        down(ROOT, 1.0)
        return MappingProxyType(found)

    def title(self, name: str) -> str:
        more = {"quality": "Quality", "cost": "Little cost"}
        return CRITERIA[name].title if name in CRITERIA else more.get(name, name)

    def _called(self, node: str) -> str:
        return "the whole" if node == ROOT else node


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(([", ".join(names[:-1])] if names[:-1] else []) + [names[-1]])

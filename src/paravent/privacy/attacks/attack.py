"""Attack: something a person with bad intentions could do with a release. Finding: what it brings them."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from paravent.arguments import Checked, check_call
from paravent.errors import PlanError, TableError
from paravent.measures import Measure, Measures
from paravent.privacy.attacks.scene import Scene
from paravent.privacy.confidence import Interval, Rate


@dataclass(frozen=True)
class Trial(Checked):
    """A sampled attack: how often it succeeds, how often a guess without the release does, and how often the same
    attack does on people who are not in the release (`control`, if there are any). `risk` is what being in the release
    adds: (attack − control) / (1 − control), or the rate of the attack where nothing is known of others."""

    attack: Rate
    baseline: Rate
    control: Rate | None
    risk: Interval
    confidence: float

    @property
    def is_strong(self) -> bool:
        """Whether the attack beats the guess. One that does not says nothing about the release."""
        return self.attack.value > self.baseline.value


@dataclass(frozen=True, eq=False)
class Finding(Checked):
    """What an attack brings.

    `exposed` are the positions of released rows (ascending) and `degree` how exposed each is, as a probability: they
    are for the person at work alone, and so are `people`, positions in the table of people where the attack names any,
    and `beliefs`, how likely the values of sensitive columns became.
    `measures` and `sentence` hold no value of the table and speak of nobody in particular.
    """

    attack: Attack
    sentence: str
    measures: tuple[Measure, ...]
    exposed: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    degree: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    people: np.ndarray | None = field(default=None, repr=False)
    trial: Trial | None = None
    beliefs: Mapping[str, Mapping[Any, float]] = field(default_factory=dict, repr=False)

    @property
    def key(self) -> str:
        return self.attack.key

    @property
    def value(self) -> float:
        """The first figure: how much."""
        return self.measures[0].value

    def __getitem__(self, name: str) -> float:
        """A figure by its dotted name, or by what follows the key of the attack.

        >>> class Peek(Attack):
        ...     key = "attack.peek"
        ...     def run(self, scene):
        ...         return Finding(self, "…", (self.figure("", 0.5, "…", "…"), self.figure("rare", 0.25, "…", "…")))
        >>> found = Peek().run(None)
        >>> found["attack.peek"], found["attack.peek.rare"], found["rare"]
        (0.5, 0.25, 0.25)
        >>> found["peek"]
        Traceback (most recent call last):
        ...
        KeyError: 'peek'
        """
        for measure in self.measures:
            if name in (measure.name, measure.name.removeprefix(f"{self.key}.")):
                return measure.value
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(name in (m.name, m.name.removeprefix(f"{self.key}.")) for m in self.measures)

    def __iter__(self) -> Iterator[str]:
        return (measure.name for measure in self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __str__(self) -> str:
        return self.sentence


class Attack(Checked, ABC):
    """A way to learn about people from a release. Subclasses are frozen dataclasses with keyword-only parameters.

    `key` is the dotted name under which figures are reported. `stopped_by` says what would prevent it.
    """

    title: ClassVar[str]
    stopped_by: ClassVar[str]
    on_synthetic: ClassVar[bool] = False
    """Whether it can be tried on rows that are nobody's."""

    @property
    @abstractmethod
    def key(self) -> str: ...

    @property
    def heading(self) -> str:
        """Its title, told apart from that of others of its kind."""
        return self.title

    def concrete(self, scene: Scene) -> Sequence[Attack]:  # noqa: ARG002
        """The attacks to run: itself, or one for each column where none was named."""
        return (self,)

    def lacks(self, scene: Scene) -> str | None:  # noqa: ARG002
        """What the scene would need to have for this attack; None where it can run."""
        return None

    def looks_at(self, scene: Scene) -> Scene:
        """The part of a scene that it needs."""
        return scene

    @abstractmethod
    def run(self, scene: Scene) -> Finding: ...

    def figure(self, name: str, value: float, title: str, meaning: str, **more: Any) -> Measure:
        """A measure of this attack: a share, and the lower the better, unless `more` says otherwise."""
        full = f"{self.key}.{name}" if name else self.key
        return Measure(full, float(value), title, meaning, **{"unit": "share", **more})


class ColumnAttack(Attack):
    """An attack on one sensitive column; without a name, on every sensitive column of the scene."""

    short: ClassVar[str]
    column: str | None

    @property
    def key(self) -> str:
        return f"attack.{self.short}" if self.column is None else f"attack.{self.short}.{self.column}"

    @property
    def named(self) -> str:
        if self.column is None:
            raise PlanError(f"{type(self).__name__}: no column is named. Say column=….")
        return self.column

    def concrete(self, scene: Scene) -> Sequence[Attack]:
        if self.column is not None:
            return (self,)
        return [dataclasses.replace(self, column=name) for name in scene.sensitive]  # type: ignore[type-var]

    def lacks(self, scene: Scene) -> str | None:
        if self.column is None and not scene.sensitive:
            return "a sensitive column whose cells are true of their rows, or all tables of the release"
        return None

    def looks_at(self, scene: Scene) -> Scene:
        """The view in which classes show."""
        return scene if scene.told is None else scene.told


class Findings(Mapping[str, Finding]):
    """What all attacks brought, by the keys of the attacks. `skipped` tells what those lacked that could not run.

    `measures` is one flat mapping of dotted names to numbers, as in reports and `--json`.
    """

    def __init__(self, found: Sequence[Finding], skipped: Mapping[str, str] | None = None) -> None:
        check_call(Findings.__init__, locals())
        self._found = {finding.key: finding for finding in found}
        self.skipped: Mapping[str, str] = dict(skipped or {})

    def __getitem__(self, key: str) -> Finding:
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def measures(self) -> Measures:
        return Measures(measure for finding in self._found.values() for measure in finding.measures)

    def to_dict(self) -> dict[str, Any]:
        """Figures and sentences, ready for JSON. Nobody is in it: rows and people are left out."""
        return {
            "measures": self.measures.to_dict(),
            "attacks": [
                {
                    "key": finding.key,
                    "title": finding.attack.heading,
                    "sentence": finding.sentence,
                    "stopped_by": finding.attack.stopped_by,
                    **({} if finding.trial is None else {"trial": dataclasses.asdict(finding.trial)}),
                }
                for finding in self._found.values()
            ],
            "skipped": dict(self.skipped),
        }

    def __str__(self) -> str:
        lines = [f"{finding.attack.heading}: {finding.sentence}" for finding in self._found.values()]
        lines += [f"{title}: not tried; it needs {lack}." for title, lack in self.skipped.items()]
        return "\n".join(lines) if lines else "(nothing was tried)"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from paravent import notebook

        rows = [
            (finding.attack.heading, finding.sentence, finding.attack.stopped_by) for finding in self._found.values()
        ]
        untried = [f"{title}: not tried; it needs {lack}." for title, lack in self.skipped.items()]
        return notebook.shown(
            f"{len(self)} attacks were tried",
            notebook.table(["attack", "what it brings", "what stops it"], rows),
            notebook.sentences(untried),
        )


def run_all(attacks: Sequence[Attack], scene: Scene, *, strict: bool = True) -> Findings:
    """Run every attack that the scene has all for. With `strict=False` one that fails is skipped like the others."""
    check_call(run_all, locals())
    found: list[Finding] = []
    skipped: dict[str, str] = {}
    for attack in attacks:
        seen = attack.looks_at(scene)
        lack = attack.lacks(seen)
        if scene.synthetic and not attack.on_synthetic:
            lack = "rows that are somebody's, and these are synthetic"
        if lack is not None:
            skipped[attack.title] = lack
            continue
        for one in attack.concrete(seen):
            lack = one.lacks(seen)
            try:
                if lack is None:
                    found.append(one.run(seen))
            except TableError as error:
                if strict:
                    raise
                lack = f"tables that fit together ({error.redacted.rstrip('.')})"
            if lack is not None:
                skipped[f"{one.title} ({one.key})"] = lack
    return Findings(found, skipped)

"""Background knowledge: somebody knows more than the release says, and puts the two together.

What is left of a class after ruling out what cannot be, or weighing what is unlikely, may be one value: heart trouble
is rare among the Japanese, so a young Japanese woman in a class of heart trouble and infections has an infection
(Machanavajjhala et al. 2007, §2 and the belief of its Theorem 3.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError, TableError, quote
from paravent.measures import as_percent
from paravent.privacy.attacks.attack import ColumnAttack, Finding
from paravent.privacy.attacks.scene import Scene
from paravent.privacy.classes import Histogram
from paravent.privacy.model import check_number
from paravent.table.text import as_text


@dataclass(frozen=True, kw_only=True)
class BackgroundKnowledge(ColumnAttack):
    """What a class gives away to somebody with beliefs of their own.

    `prior` says how likely sensitive values are for the victim and `base` how likely they are for people at large, both
    as weights of values; those not named weigh 1. `exclude` lists values that the victim cannot have. The posterior of
    a value is its count in the class times prior / base, scaled to 1. Without any of them the worst case is taken:
    the attacker rules out `rule_out` values, those that help most. A row is exposed when the posterior of a value
    reaches `belief`.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": ["2*"] * 4, "disease": ["heart", "heart", "viral", "viral"]})
    >>> found = BackgroundKnowledge(column="disease", prior={"heart": 0.01}).run(Scene(frame, ("age",)))
    >>> round(found["belief"], 4)
    0.9901
    """

    column: str | None = None
    prior: Mapping[Any, float] = field(default_factory=dict)
    base: Mapping[Any, float] = field(default_factory=dict)
    exclude: Sequence[Any] = ()
    rule_out: int = 1
    belief: float = 0.9

    title: ClassVar[str] = "Background knowledge"
    short: ClassVar[str] = "background"
    stopped_by: ClassVar[str] = "l-diversity with a larger l: the attacker has to rule out l − 1 values"

    def __post_init__(self) -> None:
        check_number("BackgroundKnowledge: belief", self.belief, low=0, high=1, open_low=True)
        if isinstance(self.rule_out, bool) or not isinstance(self.rule_out, int) or self.rule_out < 0:
            raise PlanError(f"BackgroundKnowledge: rule_out must be a whole number from 0 on, not {self.rule_out!r}.")
        for option, weights, open_low in (("prior", self.prior, False), ("base", self.base, True)):
            if not isinstance(weights, Mapping):
                raise PlanError(f"BackgroundKnowledge: {option} must map values to weights, such as {{'flu': 0.2}}.")
            for weight in weights.values():
                check_number(
                    f"BackgroundKnowledge: a weight in {option}", weight, low=0, high=float("inf"), open_low=open_low
                )

    def lacks(self, scene: Scene) -> str | None:
        if self.column is None or self.column not in scene.released.columns or self.has_beliefs:
            return super().lacks(scene)
        if scene.released[self.column].alias("cells").n_unique() <= self.rule_out + 1:
            return "more values: with so few, ruling out the others is certainty whatever the release says"
        return None

    @property
    def has_beliefs(self) -> bool:
        return bool(self.prior or self.base or self.exclude)

    def run(self, scene: Scene) -> Finding:
        column, histogram = self.named, scene.histogram(self.named)
        if self.has_beliefs:
            weights = self.weights(scene.values(column)[1])
            belief = strongest(histogram, weights)
            knows = "Somebody with the beliefs that were given"
        else:
            belief = _worst_case(histogram, self.rule_out)
            knows = f"Somebody who can rule out {self.rule_out} value{'' if self.rule_out == 1 else 's'}"
        marked = belief >= self.belief
        exposed = scene.exposed(marked)
        share = scene.share(exposed)
        needed = np.diff(histogram.start) - 1
        return Finding(
            self,
            f"{knows} becomes at least {as_percent(self.belief)} sure of “{column}” for {as_percent(share)} of the "
            f"{scene.counted}.",
            (
                self.figure(
                    "", share, f"Rows whose {column} is nearly certain with background knowledge",
                    f"The share of rows in classes where such knowledge leaves a {column} at least "
                    f"{as_percent(self.belief)} likely.",
                ),
                self.figure(
                    "belief", float(belief.max(initial=0.0)), f"Surest guess of {column} with background knowledge",
                    f"The strongest belief in a {column} that such knowledge leads to in any class.",
                ),
                self.figure(
                    "withstands", int(needed.min()) if len(needed) else 0, f"Values of {column} to rule out",
                    f"How many values of {column} must be ruled out to be certain, in the weakest class.",
                    better="higher", unit="count",
                ),
            ),
            exposed=scene.positions(exposed),
            degree=belief[scene.of_row[exposed]],
        )  # fmt: skip

    def weights(self, values: pl.Series) -> np.ndarray:
        """How much likelier each value is for the victim than for people at large."""
        texts = as_text(values).to_list()
        place = {text: code for code, text in enumerate(texts) if text is not None}
        found = np.ones(len(texts))

        def at(value: Any) -> int:
            text = as_text(pl.Series([value]))[0] if value is not None else None
            code = 0 if value is None and texts[:1] == [None] else place.get(text, -1)
            if code < 0:
                raise TableError(
                    f"BackgroundKnowledge: no row of the release has the {self.named} {quote(value)}. "
                    "Leave it out, or write it as the release does."
                )
            return code

        for value, weight in self.prior.items():
            found[at(value)] = weight
        for value, weight in self.base.items():
            found[at(value)] /= weight
        for value in self.exclude:
            found[at(value)] = 0.0
        return found


def posterior(histogram: Histogram, weights: np.ndarray) -> np.ndarray:
    """The belief in each pair of class and value; 0 throughout a class whose every value is ruled out."""
    weighed = histogram.count * weights[histogram.value]
    total = histogram.summed(weighed)[histogram.owner]
    return np.asarray(np.divide(weighed, total, out=np.zeros(len(weighed)), where=total > 0))


def strongest(histogram: Histogram, weights: np.ndarray) -> np.ndarray:
    """The strongest belief in each class."""
    return histogram.highest(posterior(histogram, weights))


def _worst_case(histogram: Histogram, rule_out: int) -> np.ndarray:
    """The strongest belief in each class after ruling out that many values: the most frequent ones but the first."""
    order = np.lexsort((-histogram.count, histogram.owner))
    count = histogram.count[order]
    rank = np.arange(len(count)) - histogram.start[histogram.owner]
    left = np.where((rank >= 1) & (rank <= rule_out), 0, count)
    most = np.where(rank == 0, count, 0)
    return np.asarray(histogram.summed(most) / histogram.summed(left)) if len(count) else np.zeros(0)

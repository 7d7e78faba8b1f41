"""Sampled attacks: the three questions of the Article 29 Working Party (opinion 05/2014), tried out on people.

Is it possible to single out a person, to link what is held about a person in two places, to infer something about a
person? Each is tried on a sample, beside two others: a guess without the release (the baseline) tells whether the
attack is worth anything, and the same attack on people who are not in the release (the control) tells what can be
learned about anybody, which is statistics and no breach. The risk is what remains: (attack − control) / (1 − control),
with its interval (Stadler, Oprisanu, Troncoso 2022; Giomi et al. 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError, TableError
from paravent.measures import Measure, as_percent
from paravent.privacy.attacks.attack import Attack, Trial
from paravent.privacy.attacks.scene import Population, Scene
from paravent.privacy.confidence import Interval, excess, wilson
from paravent.privacy.model import check_number


@dataclass(frozen=True, kw_only=True)
class SampledAttack(Attack):
    """`attempts` people or guesses are drawn at most, by `seed`; intervals hold at `confidence`."""

    attempts: int = 2000
    confidence: float = 0.95
    seed: int = 0

    question: ClassVar[str]
    on_synthetic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number(f"{type(self).__name__}: confidence", self.confidence, low=0, high=1, open_low=True)
        if self.confidence >= 1:
            raise PlanError(f"{type(self).__name__}: confidence must be less than 1, such as 0.95.")
        for name, least in (("attempts", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise PlanError(f"{type(self).__name__}: {name} must be a whole number from {least} on, not {value!r}.")

    def lacks(self, scene: Scene) -> str | None:
        if scene.original is None:
            return "the original, or a table of the people in the release"
        if not scene.n_rows or not len(scene.original.members):
            return "a row in the release"
        return None

    def dice(self, purpose: int) -> np.random.Generator:
        """Chance for one purpose: what is drawn for one does not change with another."""
        return np.random.default_rng([self.seed, purpose])

    def drawn(self, population: Population, purpose: int) -> np.ndarray:
        """The people to be attacked, ascending: members of the release, or all of a control group."""
        members = population.members
        if len(members) <= self.attempts:
            return members
        return np.sort(self.dice(purpose).choice(members, self.attempts, replace=False))

    def control(self, scene: Scene) -> Population | None:
        if scene.control is not None and not len(scene.control):
            raise TableError("the control group is empty. Give people who are not in the release, or no control group.")
        return scene.control

    def trial(self, attack: np.ndarray, baseline: np.ndarray, control: np.ndarray | None) -> Trial:
        """The rates of three series of attempts, each an array of successes."""
        rates = [
            None if tried is None else wilson(int(tried.sum()), len(tried), self.confidence)
            for tried in (attack, baseline, control)
        ]
        of_attack, of_baseline, of_control = rates
        assert of_attack is not None
        assert of_baseline is not None
        risk = Interval(of_attack.value, of_attack.low, of_attack.high)
        if of_control is not None:
            risk = excess(of_attack, of_control)
        return Trial(of_attack, of_baseline, of_control, risk, self.confidence)

    def figures(self, trial: Trial, what: str) -> tuple[Measure, ...]:
        """The risk with its interval, and the rates it comes from. `what` ends the sentence `… by which …`."""
        sure = f"{100 * self.confidence:g} %"
        found = [
            self.figure(
                "", trial.risk.value, f"{self.title}: risk",
                f"How much oftener than among others {what}: (attack − control) / (1 − control), or the rate of the "
                "attack where there is no control group.",
            ),
            self.figure("low", trial.risk.low, f"{self.title}: risk, low", f"The low end of its {sure} interval."),
            self.figure("high", trial.risk.high, f"{self.title}: risk, high", f"The high end of its {sure} interval."),
            self.figure("attack", trial.attack.value, f"{self.title}: success", f"How often {what}."),
            self.figure(
                "baseline", trial.baseline.value, f"{self.title}: blind guess",
                "How often a guess without knowledge of the person succeeds.", better="neither",
            ),
        ]  # fmt: skip
        if trial.control is not None:
            found.append(
                self.figure(
                    "control", trial.control.value, f"{self.title}: control",
                    "How often the same attack succeeds on people who are not in the release.", better="neither",
                )
            )  # fmt: skip
        found.append(
            self.figure(
                "attempts", trial.attack.attempts, f"{self.title}: attempts", "How many attempts were made.",
                better="neither", unit="count",
            )
        )  # fmt: skip
        return tuple(found)

    def sentence(self, trial: Trial, what: str) -> str:
        """The question and its answer. `what` is what happens in so many of the attempts."""
        rate = trial.attack
        answer = (
            f"{self.question} In {as_percent(rate.value)} of {rate.attempts} attempts {what} "
            f"({as_percent(rate.low)} to {as_percent(rate.high)} with {100 * self.confidence:g} % confidence); "
            f"a blind guess succeeds in {as_percent(trial.baseline.value)}"
        )
        if not trial.is_strong:
            answer += ", no less than the attack"
        if trial.control is None:
            return f"{answer}."
        risk = trial.risk
        return (
            f"{answer}, the same attack on people who are not in the release in {as_percent(trial.control.value)}. "
            f"Being in it adds {as_percent(risk.value)} ({as_percent(risk.low)} to {as_percent(risk.high)})."
        )

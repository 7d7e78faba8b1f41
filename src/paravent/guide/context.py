"""Context: what a person says about a publication, as far as it cannot be measured.

A context can be a TOML file:

    risk = 0.2
    suppression = 0.05
    use = "classification"
    target = "salary"
    [preferences]
    "security : quality" = 1
    "precision : usage" = 2
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from paravent.arguments import Checked, check_call
from paravent.errors import PlanError
from paravent.guide.deciding.judgements import spoken
from paravent.guide.deciding.methods import METHODS
from paravent.guide.goals import Goals
from paravent.knowledge.generators import k_from_risk, l_from_belief, max_suppressed, t_from_gain
from paravent.knowledge.predicting.learners import JOINT, LEARNERS
from paravent.near import suggest
from paravent.table.atomic import replacing

OUTPUTS = ("any", "full-domain", "subtree", "multidimensional")
ATTACKS: Mapping[str, tuple[str, str]] = {
    "record-linkage": ("", "k-anonymity"),
    "singling-out": ("", "k-anonymity"),
    "homogeneity": ("belief", "l-diversity"),
    "background-knowledge": ("belief", "l-diversity"),
    "skewness": ("gain", "t-closeness"),
    "similarity": ("gain", "t-closeness"),
}
"""Attacks that a context can name, with the field that says how far each may get and the model that stops it."""
USUAL = {"belief": 0.5, "gain": 0.3}
"""How far an attack may get where a context names it and says nothing more."""


@dataclass(frozen=True, kw_only=True)
class Context(Checked):
    """What is tolerated, what the data are for, and what matters more.

    `risk` is the highest chance of being found that is tolerated, `suppression` the share of rows that may be left out,
    `use` what the data are for ("classification" and "regression" of a `target`, "counting", "distributions" or "any"),
    `output` the type of generalization, `size` "small", "large" or None for what the table is. `preferences` compare
    criteria by pairs: ("security", "quality"): 3 says that security matters moderately more; 1/3 the reverse.
    `time` are seconds that a run may take, `interactive` says whether somebody can take part in every step, `attacks`
    name what must not work, `belief` and `gain` how sure of a sensitive value somebody may become, and by how much
    surer. `truthful=False` allows values that nobody has. `decision` and `learner` are how it is decided and predicted.

    >>> context = Context(risk=0.2, suppression=0.2, use="classification", target="salary")
    >>> context.k, context.max_sup(1000)
    (5, 200)
    """

    risk: float = 0.2
    suppression: float = 0.05
    use: str = "any"
    target: str | None = None
    output: str = "any"
    size: Literal["small", "large"] | None = None
    preferences: Mapping[tuple[str, str], float] = field(default_factory=dict)
    time: float | None = None
    interactive: bool = False
    attacks: tuple[str, ...] = ()
    belief: float | None = None
    gain: float | None = None
    truthful: bool = True
    decision: str = "ahp"
    learner: str = JOINT

    def __post_init__(self) -> None:
        object.__setattr__(self, "attacks", tuple(self.attacks))
        object.__setattr__(self, "preferences", {pair: float(said) for pair, said in self.preferences.items()})
        for name in ("risk", "belief", "gain"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 1:
                raise PlanError(f"context: {name} must lie above 0 and not above 1, not {value:g}: write 20 % as 0.2.")
        if not 0 <= self.suppression < 1:
            raise PlanError(
                f"context: suppression must lie between 0 and 1, not {self.suppression:g}: write 5 % as 0.05."
            )
        if self.time is not None and not 0 < self.time < float("inf"):
            raise PlanError(f"context: time must be seconds above 0, not {self.time:g}.")
        for name, known in (("output", OUTPUTS), ("decision", tuple(METHODS)), ("learner", tuple(LEARNERS))):
            if getattr(self, name) not in known:
                raise PlanError(
                    f"context: {name} cannot be {getattr(self, name)!r}. {suggest(getattr(self, name), known)}"
                )
        for attack in self.attacks:
            if attack not in ATTACKS:
                raise PlanError(
                    f"context: attacks: there is no {attack!r} to guard against. {suggest(attack, ATTACKS)}"
                )
        if self.use in ("classification", "regression") and self.target is None:
            raise PlanError(f"context: {self.use} needs a target. Name the column with target=.")
        if self.use not in ("classification", "regression") and self.target is not None:
            raise PlanError(
                f"context: target={self.target!r} is given, but the data are for {self.use!r} use. "
                "Use 'classification' or 'regression', or leave it out."
            )
        _ = self.goals

    @property
    def goals(self) -> Goals:
        """The criteria of this use, weighted by the preferences."""
        return Goals.of(self.use, self.preferences)

    @property
    def k(self) -> int:
        """The smallest k that the risk allows."""
        return k_from_risk(self.risk)

    def max_sup(self, rows: int) -> int:
        """The most rows that may be left out."""
        return max_suppressed(rows, self.suppression)

    @property
    def l(self) -> int | None:  # noqa: E743 (the name it has in the literature)
        """The l that is asked for: by `belief`, or by an attack."""
        said = self._limit("belief")
        return None if said is None else l_from_belief(said)

    @property
    def t(self) -> float | None:
        """The t that is asked for: by `gain`, or by an attack."""
        said = self._limit("gain")
        return None if said is None else t_from_gain(said)

    def _limit(self, name: str) -> float | None:
        if getattr(self, name) is not None:
            return float(getattr(self, name))
        return USUAL[name] if any(ATTACKS[attack][0] == name for attack in self.attacks) else None

    def replace(self, **changes: Any) -> Context:
        """The context with other answers."""
        for name in changes:
            if name not in _FIELDS:
                raise PlanError(f"context: there is no {name!r}. {suggest(name, _FIELDS)}")
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """The context as a document; what is at its default is left out."""
        found: dict[str, Any] = {}
        for own in fields(self):
            value = getattr(self, own.name)
            if own.name == "preferences":
                if value:
                    found["preferences"] = {f"{a} : {b}": said for (a, b), said in value.items()}
            elif value != own.default:
                found[own.name] = list(value) if isinstance(value, tuple) else value
        return found

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Context:
        """The context of a document."""
        check_call(Context.from_dict, locals())
        said = dict(document)
        for name in said:
            if name not in _FIELDS:
                raise PlanError(f"context: there is no {name!r}. {suggest(name, _FIELDS)}")
        if "preferences" in said:
            said["preferences"] = _preferences(said["preferences"])
        if isinstance(said.get("attacks"), list):
            said["attacks"] = tuple(said["attacks"])
        return cls(**said)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Context:
        """The context of a TOML file."""
        check_call(Context.load, locals())
        try:
            document = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise PlanError(f"context {str(path)!r} cannot be read: {why}.") from None
        try:
            return cls.from_dict(document)
        except PlanError as error:
            raise PlanError(f"context {str(path)!r}: {error.raw.removeprefix('context: ')}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as a TOML file."""
        check_call(Context.save, locals())
        import tomli_w

        with replacing(Path(path)) as part:
            part.write_text(tomli_w.dumps(self.to_dict()), encoding="utf-8")

    def __str__(self) -> str:
        said = [f"{name} = {value}" for name, value in self.to_dict().items() if name != "preferences"]
        said += [f"{a} : {b} = {spoken(each)}" for (a, b), each in self.preferences.items()]
        return "; ".join(said) or "nothing said: every answer is at its default"


_FIELDS = tuple(own.name for own in fields(Context))


def _preferences(document: Any) -> dict[tuple[str, str], float]:
    """Preferences of a document: "security : quality" = 3, or "1/3"."""
    if not isinstance(document, Mapping):
        raise PlanError('context: preferences must be a table such as "security : quality" = 3.')
    found: dict[tuple[str, str], float] = {}
    for name, said in document.items():
        pair = [part.strip() for part in str(name).split(":")]
        if len(pair) != 2:
            raise PlanError(f'context: preferences: {name!r} names no pair. Write "security : quality" = 3.')
        found[pair[0], pair[1]] = _number(str(name), said)
    return found


def _number(name: str, said: Any) -> float:
    if isinstance(said, str) and said.count("/") == 1:
        above, below = said.split("/")
        if above.strip().isdigit() and below.strip().isdigit() and int(below) > 0:
            return int(above) / int(below)
    if isinstance(said, bool) or not isinstance(said, int | float):
        raise PlanError(f"context: preferences: {name} must be a number from 1/9 to 9, not {said!r}.")
    return float(said)

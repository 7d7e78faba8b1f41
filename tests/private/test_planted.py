"""Planted errors, one by one: each is put into the code, and the check that is there for it turns red; without it, the
check is green. An audit that finds nothing says "no violation found"; that it can find one is shown here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.methods.synthetic.coding import Listed
from paravent.methods.synthetic.synthesis import Synthesis
from paravent.private import above, curator, keys, mechanisms
from paravent.private.graphical import sample as sampling
from paravent.private.graphical.fit import fit
from paravent.private.price import Price
from paravent.private.transcript import Measured, Transcript
from paravent.table.text import as_text
from tests.private.graphical.test_sampling import STAR, given_the_first
from tests.private.laws import discrete_gaussian, discrete_laplace, p_value
from tools.audit import questions, synthesis
from tools.audit.trials import DOUBT, tried

Plant = Callable[[pytest.MonkeyPatch], None]
REACH = 60
PEOPLE = pl.DataFrame(
    {"sex": ["f", "m"] * 400, "job": ["cook", "vet", "vet", "cook"] * 200, "age": [30, 40, 50, 60] * 200}
)
DOMAINS: dict[str, Any] = {"sex": ["f", "m"], "job": ["cook", "vet"], "age": range(18, 66)}


def audited(name: str, runs: int = 20_000) -> Callable[[], bool]:
    """Whether the audit finds a violation."""
    trials = [*questions.trials(), *synthesis.trials()]
    trial = next(trial for trial in trials if trial.name.startswith(name))
    return lambda: tried(trial, runs, DOUBT / len(trials)).violated


def scaled(name: str, by: Fraction) -> Plant:
    """A mechanism whose noise (scale or variance) or epsilon is another than it is told."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        honest = getattr(mechanisms, name)
        for module in (mechanisms, keys, above):
            if getattr(module, name, None) is honest:
                monkeypatch.setattr(module, name, lambda x, size, *rest, **named: honest(x, size * by, *rest, **named))

    return plant


def another_law(name: str, law: Callable[[float, int], np.ndarray], size: int) -> Callable[[], bool]:
    """Whether 100 000 draws of a noise are from another law than they are told, by χ² at one in ten million."""

    def noticed() -> bool:
        drawn = getattr(mechanisms, name)(np.zeros(100_000, dtype=np.int64), Fraction(size))
        return p_value(np.clip(drawn, -REACH, REACH) + REACH, law(size, REACH)) < 1e-7

    return noticed


def no_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Price, "part", lambda self, parts: self)  # noqa: ARG005


def nobody_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curator.Purse, "left", property(lambda self: self.allowed))


def synthesized(**options: Any) -> Transcript:
    plan = pv.Plan({}, [pv.DifferentialPrivacy(epsilon=1, delta=1e-6)], pv.methods.MST(domains=DOMAINS), person=None)
    found = pv.anonymize(options.get("table", PEOPLE), plan).transcript
    assert found is not None
    return found


def refused_by_the_account() -> bool:
    """Whether what the transcript says was spent, worked out anew, is more than was promised."""
    try:
        synthesized()
    except pv.UnsafeReleaseError:
        return True
    return False


def one_step_under_noised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that pays for a third of the noise that it should have: three times less σ, nine times the price."""
    honest, seen = Measured.cost.fget, []  # type: ignore[attr-defined]
    cheap = property(lambda self: honest(self) / 9 if len(seen) == 3 else honest(self))
    measure = curator.Curator.measure

    def planted(self: curator.Curator, columns: tuple[int, ...], cost: Fraction) -> Any:
        seen.append(columns)
        return measure(self, columns, cost * 9 if len(seen) == 3 else cost)

    monkeypatch.setattr(Measured, "cost", cheap)
    monkeypatch.setattr(curator.Curator, "measure", planted)


def domain_of_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values are those that occur."""
    monkeypatch.setattr(
        Synthesis,
        "_codings",
        lambda self, task, cells: [  # noqa: ARG005
            Listed(name, tuple(sorted(as_text(own).drop_nulls().unique()))) for name, own in cells.items()
        ],
    )


def codings_tell_neighbours_apart() -> bool:
    one = pl.DataFrame({"sex": ["x"], "job": ["pope"], "age": [65]})
    return synthesized().codings != synthesized(table=pl.concat([PEOPLE, one])).codings


def every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are those that occur, at the price of none."""
    monkeypatch.setattr(keys, "threshold", lambda *_: -(10**9))


def at_the_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that equals the threshold is shown as well."""
    honest = keys.threshold
    monkeypatch.setattr(keys, "threshold", lambda *told: honest(*told) - 1)


def in_row_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a parent's cell are dealt in the order in which they stand."""

    def dealt(chances: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        out = np.empty(len(group), dtype=np.int64)
        for value in np.unique(group):
            rows = np.flatnonzero(group == value)
            counts = sampling.rounded(chances[[value]] * len(rows), np.array([len(rows)]), rng)[0]
            out[rows] = np.repeat(np.arange(len(counts)), counts)
        return out

    monkeypatch.setattr(sampling, "dealt", dealt)


def columns_in_step() -> bool:
    """Whether columns hang together that are independent given a third one."""
    beliefs = fit((2, 2, 2), STAR, steps=500).beliefs
    return given_the_first(sampling.sample(beliefs, 10_000, np.random.default_rng(7))) < 1e-6


@dataclass(frozen=True)
class Bug:
    """An error, how it is planted, and the check that notices it."""

    name: str
    plant: Plant
    noticed: Callable[[], bool]


HALF, SHORT = Fraction(1, 2), Fraction(97, 100)
BUGS = [
    Bug("noise 3 % short: Laplace", scaled("laplace", SHORT), another_law("laplace", discrete_laplace, 3)),
    Bug("noise 3 % short: Gaussian", scaled("gaussian", SHORT**2), another_law("gaussian", discrete_gaussian, 9)),
    Bug("noise 10 % short", scaled("laplace", Fraction(9, 10)), audited("count: geometric", 200_000)),
    Bug("halved noise: count", scaled("laplace", HALF), audited("count: geometric")),
    Bug("halved noise: histogram", scaled("laplace", HALF), audited("histogram: geometric")),
    Bug("halved noise: sum", scaled("laplace", HALF), audited("sum: Laplace")),
    Bug("halved noise: Gaussian, by rho", scaled("gaussian", HALF**2), audited("count: Gaussian")),
    Bug("halved noise: Gaussian, by epsilon and delta", scaled("gaussian", HALF**2), audited("histogram: Gaussian")),
    Bug("halved noise: keys", scaled("laplace", HALF), audited("keys by threshold: a value that others")),
    Bug("halved noise: synthesis, Gaussian", scaled("gaussian", HALF**2), audited("synthesis: measured counts, Gauss")),
    Bug("halved noise: synthesis, pure", scaled("laplace", HALF), audited("synthesis: measured counts, geom")),
    Bug("a choice for twice its price", scaled("select", Fraction(2)), audited("exponential mechanism", 10_000)),
    Bug("halved noise: first above", scaled("laplace", HALF), audited("first above")),
    Bug("missing split: answers", no_split, audited("count and sum together")),
    Bug("missing split: synthesis", nobody_counts, audited("NaiveBayes", 2000)),
    Bug("missing split: the account", nobody_counts, refused_by_the_account),
    Bug("one step with a third of its noise: the account", one_step_under_noised, refused_by_the_account),
    Bug("data-derived domain: keys", every_key, audited("keys by threshold: a value of one")),
    Bug("data-derived domain: synthesis", domain_of_the_data, codings_tell_neighbours_apart),
    Bug("row-order sampling", in_row_order, columns_in_step),
    Bug(">= threshold", at_the_threshold, audited("keys by threshold: a value of one", 120_000)),
]  # fmt: skip


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_turns_a_check_red(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not bug.noticed()
    bug.plant(monkeypatch)
    assert bug.noticed()

"""Entries of several kinds in one ledger: what the grant holds, worked out a second time, and never more than it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import optimize

import paravent as pv
from paravent.private.accounting import Cost, epsilon_of, rho_of
from paravent.private.composition import Grant, Total, together
from paravent.private.ledger import Budget

MILLIONTH = Fraction(1, 10**6)


def table_at(epsilon: float | str, delta: float | str = "1e-6") -> Cost:
    """What a synthetic table of AIM or MST costs."""
    return Cost.zcdp(rho_of(Fraction(str(epsilon)), Fraction(str(delta))))


def spend_all(path: Path, costs: Sequence[Cost], epsilon: float, delta: float = 1e-6) -> Budget:
    budget = Budget(path, epsilon=epsilon, delta=delta)
    for cost in costs:
        budget.spend("one", cost)
    return budget


def test_a_question_and_a_synthetic_table_share_a_budget(tmp_path: Path) -> None:
    people = pl.DataFrame({"sex": ["f", "m"] * 300, "ill": ["no", "no", "yes"] * 200})
    domains = {"sex": ["f", "m"], "ill": ["no", "yes"]}
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=2, delta=1e-6)
    with pv.private(people, budget, domains) as q:
        q.count(epsilon=0.5)
    plan = pv.Plan({}, [pv.DifferentialPrivacy(epsilon=1, delta=1e-6)], pv.methods.AIM(domains=domains))
    pv.anonymize(people, plan, budget=budget)
    assert budget.state.epsilon == Fraction(3, 2)
    assert Fraction(7, 20) < budget.left.epsilon < Fraction(1, 2)
    with pv.private(people, budget, domains) as q:
        q.count(epsilon="0.35")
        with pytest.raises(pv.InfeasibleError, match=r"or ρ = [\d.]+ \(zCDP: a table at ε = [\d.]+, δ = 1e-06\)"):
            q.count(epsilon="0.5")


@pytest.mark.parametrize(
    ("epsilon", "costs"),
    [
        (1.5, [Cost.pure("0.5"), table_at(1)]),
        (2, [Cost.pure(1), table_at(1)]),
        (3, [Cost.pure("0.3"), Cost.pure("0.7"), Cost.selection("0.5"), table_at("1.5")]),
        (1, [table_at(1)]),
        (2, [table_at(1), Cost.pure("0.5")]),
        (3, [Cost.pure("0.5"), table_at(1), table_at(1), Cost.pure("0.25")]),
        (1, [Cost.pure("1/100")] * 200),
    ],
    ids=["exactly", "half each", "several", "alone", "table first", "two tables", "many small"],
)
def test_plans_that_a_grant_holds(tmp_path: Path, epsilon: float, costs: list[Cost]) -> None:
    budget = spend_all(tmp_path / "x.ledger", costs, epsilon)
    assert len(budget.entries) == len(costs)
    again = Budget(budget.path).state  # as another process reads it
    assert again.grant.covers(again.total)
    assert again.epsilon <= Fraction(str(epsilon))


@pytest.mark.parametrize("bit", [Fraction(1, 10**12), Fraction(1, 10**18)])
def test_the_last_bit_is_refused(tmp_path: Path, bit: Fraction) -> None:
    half = Cost.pure("0.5")
    for number, costs in enumerate(([half, table_at(1) + Cost.zcdp(bit)], [half + Cost.pure(bit), table_at(1)])):
        with pytest.raises(pv.InfeasibleError):
            spend_all(tmp_path / f"{number}.ledger", costs, 1.5)


def test_small_entries_after_a_table_cost_less_than_their_epsilon(tmp_path: Path) -> None:
    budget = spend_all(tmp_path / "x.ledger", [table_at(1)], 2)
    before = budget.left.epsilon
    for _ in range(20):
        budget.spend("small", Cost.pure("1/20"))
    assert float(before - budget.left.epsilon) == pytest.approx(0.308, abs=5e-4)  # 20 · 12.32 / 800, and not 1


def plain_order(epsilon: float, delta: float) -> tuple[float, float]:
    """The order that holds the most ρ, and what ε is beyond αρ there: where (ε − b) / α is flat, with b of Proposition
    12 and b′ = −(ln(1/δ) − ln α) / (α − 1)²."""

    def beyond(alpha: float) -> float:
        return math.log(1 / (delta * alpha)) / (alpha - 1) + math.log1p(-1 / alpha)

    def slope(alpha: float) -> float:
        return alpha * math.log(1 / (delta * alpha)) / (alpha - 1) ** 2 - (epsilon - beyond(alpha))

    alpha = float(optimize.brentq(slope, 1.5, 1 / delta, xtol=1e-13, rtol=1e-14))
    return alpha, beyond(alpha)


class Plain:
    """The rule of the ledger once more, in floats, by one entry after the other."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.order: tuple[float, float] | None = None
        self.spent = 0.0

    def room(self) -> float:
        return self.epsilon - self.spent - (self.order[1] if self.order else 0.0)

    def tries(self, epsilon: float | None, rho: float) -> float:
        """What is left after an entry, which is entered where that is not below 0."""
        rest = self.epsilon - self.spent
        if self.order is None:
            order = plain_order(rest, self.delta) if rest > 1e-12 else (math.inf, 0.0)
            if epsilon is None or min(epsilon, order[0] * rho) * rest < epsilon * (rest - order[1]):
                own = order[0] * rho if epsilon is None else min(epsilon, order[0] * rho)
                if rest - order[1] - own >= 0:
                    self.order, self.spent = order, self.spent + own
                    return self.room()
                if epsilon is None:
                    return rest - order[1] - own
            assert epsilon is not None
            own = epsilon
        else:
            own = self.order[0] * rho if epsilon is None else min(epsilon, self.order[0] * rho)
        after = self.room() - own
        if after >= 0:
            self.spent += own
        return after


COSTS = st.one_of(
    st.sampled_from(["0.01", "0.05", "0.1", "0.25", "0.5", "1"]).map(Cost.pure),
    st.sampled_from(["0.1", "0.5"]).map(Cost.selection),
    st.sampled_from(["0.0001", "0.002", "0.01"]).map(Cost.zcdp),
    st.sampled_from(["0.3", "1"]).map(table_at),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(COSTS, min_size=1, max_size=12), st.sampled_from([1, 2, 3]), st.sampled_from([5, 6, 9]))
@example([Cost.pure("0.05")] * 12, 3, 6)
@example([Cost.pure("0.5"), table_at(1), Cost.pure("0.1")], 2, 6)
def test_what_is_left_agrees_with_a_second_reckoning(costs: list[Cost], epsilon: int, digits: int) -> None:
    grant, plain, total = Grant.of(epsilon, Fraction(1, 10**digits)), Plain(epsilon, 10.0**-digits), Total()
    for cost in costs:
        how = grant.admits(total, cost)
        after = plain.tries(None if cost.epsilon is None else float(cost.epsilon), float(cost.rho))
        assume(abs(after) > 1e-9)  # within that, floats may see it otherwise
        assert (how is not None) == (after > 0)
        if how is not None:
            total = total.plus(cost, begins=how == "first")
        assert bool(total.ordered) == (plain.order is not None)
        room = grant.room(total)
        left = float(grant.epsilon - total.epsilon) if not total.ordered or room is None else float(room[1])
        assert left == pytest.approx(plain.room(), abs=1e-9)
        assert grant.covers(total)


@settings(max_examples=60, deadline=None)
@given(st.lists(COSTS, min_size=1, max_size=7))
def test_planned_entries_cost_the_least_of_all_partitions(costs: list[Cost]) -> None:
    """Over every way to read some entries as ε and the others as ρ, with Proposition 12 by a grid of orders."""

    def bound(rho: float, log: float) -> float:
        alpha = 1 + math.exp(log)
        return alpha * rho + math.log1p(-1 / alpha) + math.log(1e6 / alpha) / (alpha - 1)

    def converted(rho: float) -> float:
        if not rho:
            return 0.0
        at = min((i / 10 for i in range(-60, 200)), key=lambda log: bound(rho, log))
        wide = {"bounds": (at - 0.2, at + 0.2), "method": "bounded", "options": {"xatol": 1e-12}}
        return float(optimize.minimize_scalar(lambda log: bound(rho, log), **wide).fun)

    least = math.inf
    for plain in product([False, True], repeat=len(costs)):
        if not any(cost.epsilon is None and as_epsilon for cost, as_epsilon in zip(costs, plain, strict=True)):
            epsilon = sum(float(cost.epsilon or 0) for cost, own in zip(costs, plain, strict=True) if own)
            rho = sum(float(cost.rho) for cost, own in zip(costs, plain, strict=True) if not own)
            least = min(least, epsilon + converted(rho))
    found = together(costs, MILLIONTH)
    assert found is not None
    assert float(found) == pytest.approx(least, abs=1e-9)


def test_planned_entries_without_delta() -> None:
    assert together([Cost.pure("0.1")] * 3, 0) == Fraction(3, 10)
    assert together([Cost.pure("0.1"), Cost.zcdp(1)], 0) is None
    assert together([Cost.approximate(1, MILLIONTH)], MILLIONTH) == 1
    assert together([Cost.approximate(1, MILLIONTH)], MILLIONTH / 2) is None
    assert together([Cost.pure(1)], MILLIONTH) == 1  # as zCDP it would be 5.2
    assert together([Cost.pure("1/10")] * 200, MILLIONTH) == epsilon_of(Fraction(1), MILLIONTH) < 20
    assert together([], MILLIONTH) == 0


Account = Callable[[Total, Cost], Total | None]


def worst_delta(grant: Grant, menu: Sequence[tuple[Cost, int]], account: Account, fine: Fraction) -> float:
    """The largest δ at the grant's ε that anybody reaches who asks whatever the account lets through, each question
    chosen by the answers before it. Answers are true or false with odds of e^x, which costs x as pure ε and x² / 2 as
    zCDP. Exact, by going through all states of the account and all losses so far (in steps of `fine`)."""
    found: dict[tuple[object, int], float] = {}
    after: dict[object, list[tuple[int, Total, object]]] = {}

    def key(total: Total) -> object:
        return total.epsilon, tuple(sorted((cost.rho, cost.epsilon is None) for cost in total.ordered))

    def value(total: Total, here: object, loss: int) -> float:
        if (here, loss) not in found:
            if here not in after:
                after[here] = [
                    (step, then, key(then)) for cost, step in menu if (then := account(total, cost)) is not None
                ]
            best = max(0.0, 1 - math.exp(float(grant.epsilon - loss * fine)))
            for step, then, there in after[here]:
                odds = math.exp(float(step * fine))
                worse, better = value(then, there, loss + step), value(then, there, loss - step)
                best = max(best, (odds * worse + better) / (odds + 1))
            found[here, loss] = best
        return found[here, loss]

    return value(Total(), key(Total()), 0)


MENU = [(Cost.pure("1/4"), 5), (Cost.zcdp("1/32"), 5), (Cost.zcdp("1/200"), 2)]


@pytest.mark.parametrize(("epsilon", "delta"), [("1/2", "0.1"), ("3/4", "0.03")])
def test_nobody_who_asks_by_the_answers_gets_more_than_was_granted(epsilon: str, delta: str) -> None:
    grant = Grant.of(epsilon, delta)

    def ours(total: Total, cost: Cost) -> Total | None:
        how = grant.admits(total, cost)
        return None if how is None else total.plus(cost, begins=how == "first")

    def careless(total: Total, cost: Cost) -> Total | None:
        """One that takes ρ for ε: the test sees it."""
        then = total.plus(cost, begins=True)
        return then if sum(each.rho for each in then.ordered) <= grant.epsilon else None

    granted = float(Fraction(delta))
    assert 0.1 * granted < worst_delta(grant, MENU, ours, Fraction(1, 20)) <= granted
    assert worst_delta(grant, MENU[:2], careless, Fraction(1, 20)) > granted


def test_a_grant_that_is_raised_counts_from_the_beginning(tmp_path: Path) -> None:
    budget = spend_all(tmp_path / "x.ledger", [Cost.pure("0.5"), table_at("0.5")], 1)
    budget.grant(2, 1e-6)
    left = budget.left
    assert left.rho == grant_room(2, [Cost.pure("0.5"), table_at("0.5")])
    budget.spend("more", Cost.zcdp(left.rho))
    with pytest.raises(pv.InfeasibleError):
        budget.spend("more", Cost.pure("0.01"))


def grant_room(epsilon: int, costs: Sequence[Cost]) -> Fraction:
    found = Grant.of(epsilon, MILLIONTH).room(Total.of((cost, False) for cost in costs))
    assert found is not None
    return found[1] / found[0].alpha

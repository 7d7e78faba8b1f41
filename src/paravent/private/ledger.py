"""Ledger: what was granted for a table, what was spent of it, and the refusal of more.

A spend is written before anything is drawn (`journal.py`), and is never given back: not where the answer failed, nor
where the process died. What entries of several kinds come to, and whether the grant covers one more, is worked out in
`composition.py`.

A ledger knows its table by the fingerprint. A copy of the ledger, or the same people in another file, is beyond it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path

from paravent.arguments import check_call
from paravent.errors import InfeasibleError, PlanError, TableError, either
from paravent.private.accounting import Cost, short
from paravent.private.composition import Grant, Left, Total, together
from paravent.private.journal import Page, Record, locked


@dataclass(frozen=True)
class Spent:
    """One entry: what for, at what cost, and when (UTC)."""

    what: str
    cost: Cost
    at: str
    begins: bool = False
    """Whether the account at an order begins here, though the cost has an ε."""


@dataclass(frozen=True)
class State:
    """What a ledger says at one moment."""

    grant: Grant
    entries: tuple[Spent, ...]
    table: str | None

    @property
    def spent(self) -> Cost:
        return reduce(add, (entry.cost for entry in self.entries), Cost())

    @property
    def total(self) -> Total:
        """The entries as they count against the grant."""
        return Total.of((entry.cost, entry.begins) for entry in self.entries)

    @property
    def epsilon(self) -> Fraction:
        """What was spent, as the ε that goes with the δ of the grant: that of the entries together, as if they had been
        planned. What is left is less than the rest where they are of several kinds."""
        costs = [entry.cost for entry in self.entries]
        found = together(costs, self.spent.delta + self.grant.converting)
        return self.grant.epsilon if found is None else min(found, self.grant.epsilon)

    @property
    def left(self) -> Left:
        return self.grant.left(self.total)


class Budget:
    """A privacy budget in a file that outlives the process: what is granted, what is spent, and no more.

    The first use makes the file, and says what is granted; later ones may leave that out.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/patients.ledger"
    >>> budget = Budget(path, epsilon=1, delta=1e-6)
    >>> budget.spend("how many are ill", Cost.pure(0.75))
    >>> Budget(path).spend("how old they are", Cost.pure(0.5))
    Traceback (most recent call last):
    ...
    paravent.errors.InfeasibleError: the budget does not hold ε = 0.5 for how old they are: what is left is ε = 0.25 \
for one more entry, or ρ = 0.001801 (zCDP: a table at ε = 0.25, δ = 1e-06). Ask for less, \
or grant more with budget.grant(…).
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        epsilon: float | Fraction | str | None = None,
        delta: float | Fraction | str | None = None,
        *,
        outright: float | Fraction | str | None = None,
    ) -> None:
        check_call(Budget.__init__, locals(), PlanError)
        self.path = Path(path)
        if epsilon is None:
            if delta is not None or outright is not None:
                raise PlanError("a budget of a delta alone grants nothing. Give epsilon too.")
            if not self.path.exists():
                raise PlanError(
                    f"there is no ledger {str(self.path)!r} yet, so what may be spent is unknown. Say it: "
                    f"{either('pv.Budget(path, epsilon=1, delta=1e-6)', 'paravent budget grant FILE --epsilon 1')}."
                )
            self.state  # noqa: B018  (whether the file is a ledger is said now)
            return
        wanted = Grant.of(epsilon, delta or 0, outright or 0)
        with locked(self.path, create=True) as page:
            if not page.records:
                page.append({"ledger": 1, "grant": _grant_record(wanted), "at": _now()})
            granted = _state(page).grant
        if granted != wanted:
            raise PlanError(
                f"ledger {str(self.path)!r} grants {granted}, and not {wanted}. Leave them out, or raise the grant "
                f"with {either('budget.grant(…)', 'paravent budget grant')}."
            )

    @property
    def state(self) -> State:
        """What the file says now."""
        with locked(self.path) as page:
            return _state(page)

    @property
    def granted(self) -> Grant:
        return self.state.grant

    @property
    def entries(self) -> tuple[Spent, ...]:
        return self.state.entries

    @property
    def spent(self) -> Cost:
        return self.state.spent

    @property
    def left(self) -> Left:
        return self.state.left

    def bind(self, fingerprint: str) -> None:
        """Say which table the ledger is of. Another table has another ledger."""
        with locked(self.path) as page:
            known = _state(page).table
            if known is None:
                page.append({"table": fingerprint, "at": _now()})
            elif known != fingerprint:
                raise PlanError(
                    f"ledger {str(self.path)!r} is of another table: this one was changed, or is not the one that was "
                    "asked before. Take its own ledger; people who are in both tables lose what both spend."
                )

    def spend(self, what: str, cost: Cost) -> None:
        """Enter a cost, or raise InfeasibleError with what is left. When this returns, the disk has the entry."""
        with locked(self.path) as page:
            state = _state(page)
            entered = state.grant.admits(state.total, cost)
            if entered is None:
                raise InfeasibleError(_refusal(what, cost, state))
            begins = {"begins": True} if entered == "first" and cost.epsilon is not None else {}
            page.append({"what": what, "cost": cost.to_dict(), "at": _now(), **begins})

    def grant(
        self,
        epsilon: float | Fraction | str,
        delta: float | Fraction | str = 0,
        *,
        outright: float | Fraction | str = 0,
    ) -> None:
        """Raise what may be spent in all to these totals. A grant cannot be lowered: that would be a promise made after
        the answers were seen."""
        wanted = Grant.of(epsilon, delta, outright)
        with locked(self.path) as page:
            state = _state(page)
            old, total = state.grant, state.total
            less = wanted.epsilon < old.epsilon or wanted.outright < old.outright or wanted.rho < old.rho
            if less or (old.covers(total) and not wanted.covers(total)):
                raise PlanError(f"a grant can be raised and not lowered: it is {old}, and {wanted} is less.")
            page.append({"grant": _grant_record(wanted), "at": _now()})

    def __repr__(self) -> str:
        return f"Budget({str(self.path)!r})"

    def __str__(self) -> str:
        state = self.state
        lines = [f"granted  {state.grant}", f"spent    {_in_words(state)}", f"left     {state.left}", ""]
        return "\n".join([*lines, *(f"  {spent.at}  {spent.cost!s:<24}  {spent.what}" for spent in state.entries)])


def _in_words(state: State) -> str:
    amount = "nothing" if not state.entries else f"ε = {short(state.epsilon)}"
    return f"{amount} in {len(state.entries)} {'entry' if len(state.entries) == 1 else 'entries'}"


def _refusal(what: str, cost: Cost, state: State) -> str:
    raised = either("budget.grant(…)", "paravent budget grant")
    if cost.delta > state.grant.outright - state.spent.delta:
        return (
            f"the budget does not hold δ = {short(cost.delta)} outright for {what}: {short(state.grant.outright)} was "
            f"set aside for that, and {short(state.grant.outright - state.spent.delta)} is left. Name the keys or "
            f"domains yourself, or set more aside: {either('outright=1e-7', '--outright 1e-7')} of the grant."
        )
    return (
        f"the budget does not hold {cost} for {what}: what is left is {state.left}. Ask for less, or grant more with "
        f"{raised}."
    )


def _state(page: Page) -> State:
    grant: Grant | None = None
    entries: list[Spent] = []
    table: str | None = None
    try:
        for record in page.records:
            if "grant" in record:
                grant = Grant.of(*(record["grant"][name] for name in ("epsilon", "delta", "outright")))
            elif "table" in record:
                table = record["table"]
            else:
                cost = Cost.from_dict(record["cost"])
                entries.append(Spent(record["what"], cost, record["at"], bool(record.get("begins"))))
        if grant is None or page.records[0].get("ledger") != 1:
            raise KeyError
    except (KeyError, TypeError, PlanError):
        raise TableError(f"{str(page.path)!r} is no ledger that this version of paravent reads.") from None
    return State(grant, tuple(entries), table)


def _grant_record(grant: Grant) -> Record:
    return {"epsilon": str(grant.epsilon), "delta": str(grant.delta), "outright": str(grant.outright)}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

"""The ledger: never more spent than granted, nothing answered without an entry, whatever dies in between."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.errors import InfeasibleError, PlanError, TableError
from paravent.private.accounting import Cost, epsilon_of, rho_of
from paravent.private.composition import Grant, Total
from paravent.private.ledger import Budget

SPENDER = """
import sys
from paravent.errors import InfeasibleError
from paravent.private.accounting import Cost
from paravent.private.ledger import Budget
budget, name = Budget(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
try:
    for number in range(100_000):
        budget.spend(f"{name}.{number}", Cost.pure("1/100"))
        print(f"{name}.{number}", flush=True)
except InfeasibleError:
    print("refused", flush=True)
"""


def spender(path: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", SPENDER, str(path), name], stdout=subprocess.PIPE, text=True)


def test_two_processes_cannot_overspend_together(tmp_path: Path) -> None:
    budget = Budget(tmp_path / "a.ledger", epsilon=1)
    both = [spender(budget.path, name) for name in ("left", "right")]
    said = [process.communicate()[0].split()[1:] for process in both]
    assert [words[-1] for words in said] == ["refused", "refused"]
    answered = [word for words in said for word in words[:-1]]
    assert sorted(answered) == sorted(entry.what for entry in budget.entries)
    assert len(answered) == 100  # all of it, and no more
    assert budget.spent == Cost.pure("1/100") * 100


def test_a_process_killed_at_any_moment_leaves_no_answer_without_an_entry(tmp_path: Path) -> None:
    budget = Budget(tmp_path / "a.ledger", epsilon=30)
    answered: list[str] = []
    for number in range(6):
        pair = [spender(budget.path, f"{number}{side}") for side in "ab"]
        for process in pair:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        time.sleep(0.05 + 0.013 * number)
        for process in pair:
            process.send_signal(signal.SIGKILL)
        answered += [line for process in pair for line in process.communicate()[0].splitlines(keepends=True)]
    whole = {line.strip() for line in answered if line.endswith("\n")} - {"refused"}
    entered = [entry.what for entry in budget.entries]
    assert len(whole) > 10
    assert whole <= set(entered)
    assert len(entered) == len(set(entered))
    assert budget.granted.covers(budget.state.total)
    budget.spend("afterwards", Cost.pure("1/100"))
    assert budget.entries[-1].what == "afterwards"


ASKER = """
import sys
import paravent as pv
import polars as pl
people = pl.DataFrame({"age": [30, 40, 50] * 20})
with pv.private(people, sys.argv[1], {"age": range(18, 66)}, epsilon="1/100") as q:
    print("ready", flush=True)
    try:
        for number in range(100_000):
            where = {"age": (18, 19 + number)}
            answer = q.count(where) if sys.argv[2] == "a" else q.mean("age", where)
            print(answer.what, flush=True)
    except pv.InfeasibleError:
        print("refused", flush=True)
"""


def asker(path: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", ASKER, str(path), name], stdout=subprocess.PIPE, text=True)


def test_questions_of_two_processes_killed_while_they_ask_are_all_in_the_ledger(tmp_path: Path) -> None:
    budget = Budget(tmp_path / "a.ledger", epsilon=1)
    pair = [asker(budget.path, name) for name in "ab"]
    told: list[str] = []
    for process in pair:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    assert pair[0].stdout is not None
    told += [pair[0].stdout.readline() for _ in range(5)]
    for process in pair:
        process.send_signal(signal.SIGKILL)
    told += [line for process in pair for line in process.communicate()[0].splitlines(keepends=True)]
    answered = [line.strip() for line in told if line.endswith("\n") and line != "refused\n"]
    entered = [entry.what for entry in budget.entries]
    assert 5 <= len(answered) <= len(entered) <= 100
    assert set(answered) <= set(entered)
    last = asker(budget.path, "b").communicate()[0].splitlines()  # the rest is asked to the end, and not a bit more
    assert last[-1] == "refused"
    assert budget.spent == Cost.pure("1/100") * 100
    assert len(budget.entries) == 100


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.ledger"
    budget = Budget(path, epsilon=1, delta=1e-6)
    budget.spend("first", Cost.pure("1/4"))
    budget.spend("second", Cost.pure("1/4"))
    return path.read_bytes()


@settings(max_examples=60)
@given(data=st.data())
def test_a_line_cut_short_was_never_answered(
    tmp_path_factory: pytest.TempPathFactory, written: bytes, data: st.DataObject
) -> None:
    """A crash between the write and the disk leaves any beginning of the last line."""
    last = written.rstrip(b"\n").rfind(b"\n") + 1
    cut = data.draw(st.integers(min_value=last, max_value=len(written) - 2))
    path = tmp_path_factory.mktemp("cut") / "a.ledger"
    path.write_bytes(written[:cut])
    budget = Budget(path)
    assert [entry.what for entry in budget.entries] == ["first"]
    budget.spend("third", Cost.pure("3/4"))
    assert [entry.what for entry in budget.entries] == ["first", "third"]
    with pytest.raises(InfeasibleError):
        budget.spend("fourth", Cost.pure("1/4"))


@settings(max_examples=60)
@given(data=st.data())
def test_a_changed_line_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, written: bytes, data: st.DataObject
) -> None:
    place = data.draw(st.integers(min_value=0, max_value=len(written) - 2))
    byte = data.draw(st.integers(min_value=32, max_value=126).filter(lambda byte: byte != written[place]))
    changed = written[:place] + bytes([byte]) + written[place + 1 :]
    path = tmp_path_factory.mktemp("changed") / "a.ledger"
    path.write_bytes(changed)
    with pytest.raises(TableError, match=r"is not what was written there|is no ledger"):
        Budget(path).spend("next", Cost.pure("1/10"))
    assert path.read_bytes() == changed


def test_an_end_of_line_that_an_editor_took_is_no_refund(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "a.ledger"
    path.write_bytes(written[:-1])
    budget = Budget(path)
    assert [entry.what for entry in budget.entries] == ["first", "second"]
    budget.spend("third", Cost.pure("1/2"))
    assert [entry.what for entry in Budget(path).entries] == ["first", "second", "third"]
    assert path.read_bytes().startswith(written)
    with pytest.raises(InfeasibleError):
        budget.spend("fourth", Cost.pure("1/100"))


def test_a_line_taken_out_is_noticed(tmp_path: Path, written: bytes) -> None:
    lines = written.splitlines(keepends=True)
    path = tmp_path / "a.ledger"
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(TableError, match="line 2 is not what was written"):
        Budget(path)


def test_threads_of_one_process_cannot_overspend(tmp_path: Path) -> None:
    budget = Budget(tmp_path / "a.ledger", epsilon=1)

    def spend() -> None:
        with contextlib.suppress(InfeasibleError):
            while True:
                budget.spend("thread", Cost.pure("1/20"))

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.spent == Cost.pure("1/20") * 20


def test_the_entry_is_on_the_disk_before_spend_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(tmp_path / "a.ledger", epsilon=1)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    budget.spend("it", Cost.pure("1/2"))
    assert synced[-1] == budget.path.stat().st_size


def test_a_full_disk_answers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(tmp_path / "a.ledger", epsilon=1)
    before = budget.path.read_bytes()
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, line, at: write(file, line[:5], at))
    with pytest.raises(TableError, match="cannot be written: the disk is full"):
        budget.spend("it", Cost.pure("1/2"))
    assert budget.path.read_bytes() == before


def holds(grant: Grant, *costs: Cost) -> bool:
    total = Total()
    for cost in costs:
        how = grant.admits(total, cost)
        if how is None:
            return False
        total = total.plus(cost, begins=how == "first")
    assert grant.covers(total)
    return True


def test_both_readings_of_a_total_are_tried() -> None:
    grant = Grant.of(1, 1e-6)
    assert holds(grant, Cost.pure(1))
    assert not holds(grant, Cost.pure("1.000000000000000000001"))
    assert holds(grant, Cost.zcdp(rho_of(Fraction(1), Fraction(1, 10**6))))
    assert not holds(grant, Cost.zcdp(rho_of(Fraction(1), Fraction(1, 10**6)) + Fraction(1, 10**20)))
    assert holds(grant, *[Cost.pure("1/100")] * 400)  # ε = 4 by basic composition, below 1 as zCDP
    assert not holds(Grant.of(1), Cost.zcdp("1e-9"))
    assert not holds(Grant.of(1), *[Cost.pure("1/100")] * 101)


def test_failures_of_entries_have_a_part_of_delta_of_their_own() -> None:
    grant = Grant.of(1, "1e-6", "1e-7")
    assert grant.rho == rho_of(Fraction(1), Fraction(9, 10**7))
    assert holds(grant, Cost.approximate("1/2", "1e-7"))
    assert not holds(grant, Cost.approximate("1/2", "1.01e-7"))
    assert not holds(Grant.of(1, "1e-6"), Cost.approximate("1/2", "1e-9"))


def test_what_is_left_can_be_spent(tmp_path: Path) -> None:
    for number, first in enumerate((Cost.pure("1/3"), Cost.zcdp("1/100"), Cost.pure("1/50") * 30, Cost.pure("1/50"))):
        budget = Budget(tmp_path / f"{number}.ledger", epsilon=1, delta=1e-6)
        budget.spend("first", first)
        left = budget.left
        with pytest.raises(InfeasibleError):
            budget.spend("too much", Cost.pure(left.epsilon + Fraction(1, 10**6)))
        if left.rho:
            with pytest.raises(InfeasibleError):
                budget.spend("too much", Cost.zcdp(left.rho + Fraction(1, 10**12)))
        budget.spend("all", Cost.pure(left.epsilon))


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["1/10", "1/7", "0.03"]), min_size=1, max_size=12))
def test_totals_are_those_of_a_second_reckoning(tmp_path_factory: pytest.TempPathFactory, amounts: list[str]) -> None:
    budget = Budget(tmp_path_factory.mktemp("sum") / "a.ledger", epsilon=100, delta=1e-6)
    for amount in amounts:
        budget.spend("pure", Cost.pure(amount))
        budget.spend("gaussian", Cost.zcdp(amount))
    floats = [float(Fraction(amount)) for amount in amounts]
    assert float(budget.spent.rho) == pytest.approx(sum(x * x / 2 + x for x in floats), abs=1e-9)
    assert budget.spent.epsilon is None
    assert f"in {2 * len(amounts)} entries" in str(budget)


def test_a_ledger_is_of_one_table(tmp_path: Path) -> None:
    budget = Budget(tmp_path / "a.ledger", epsilon=1)
    budget.bind("ab12")
    budget.bind("ab12")
    with pytest.raises(PlanError, match="is of another table"):
        Budget(budget.path).bind("cd34")
    assert sum(b'"table"' in line for line in budget.path.read_bytes().splitlines()) == 1


def test_a_grant_is_raised_and_not_lowered(tmp_path: Path) -> None:
    budget = Budget(tmp_path / "a.ledger", epsilon=1, delta=1e-6)
    budget.spend("first", Cost.pure(1))
    budget.grant(2, 1e-6)
    budget.spend("second", Cost.pure(1))
    with pytest.raises(PlanError, match="raised and not lowered"):
        budget.grant(1.5, 1e-6)
    with pytest.raises(PlanError, match="raised and not lowered"):
        budget.grant(2, 1e-7)
    assert budget.granted == Grant.of(2, "1e-6")
    assert float(epsilon_of(budget.spent.rho, Fraction(1, 10**6))) > 2  # so it was let through as pure ε


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "there is no ledger"),
        ({"delta": 1e-6}, "of a delta alone"),
        ({"epsilon": 0}, "epsilon must be above 0"),
        ({"epsilon": -1}, "epsilon must be a number from 0"),
        ({"epsilon": float("nan")}, "epsilon must be a number"),
        ({"epsilon": 1, "delta": 1}, "delta must be below 1"),
        ({"epsilon": 1, "delta": 1e-6, "outright": 1e-5}, "a part of delta"),
        ({"epsilon": [1]}, "epsilon must be"),
    ],
)
def test_bad_budgets_get_a_sentence(tmp_path: Path, given: dict[str, float], sentence: str) -> None:
    with pytest.raises(PlanError, match=sentence):
        Budget(tmp_path / "a.ledger", **given)
    assert list(tmp_path.iterdir()) == []


def test_other_files_and_other_grants_get_a_sentence(tmp_path: Path) -> None:
    Budget(tmp_path / "a.ledger", epsilon=1)
    with pytest.raises(PlanError, match="grants ε = 1, δ = 0, and not ε = 2"):
        Budget(tmp_path / "a.ledger", epsilon=2)
    (tmp_path / "b.csv").write_text("age\n3\n")
    with pytest.raises(TableError, match="line 1 is not what was written there"):
        Budget(tmp_path / "b.csv")
    with pytest.raises(TableError, match="cannot be opened"):
        Budget(tmp_path / "nowhere" / "a.ledger", epsilon=1)

"""The judge of mutations: what ran out of time is not noticed, and an interrupted run goes on."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tools.mutation import judge as judging
from tools.mutation.__main__ import drawn
from tools.mutation.equivalent import LIST, Equivalent
from tools.mutation.judge import ROOT, Judgement, Run, judge, run_tests
from tools.mutation.operators import NEVER_TAKEN, Mutation, mutations
from tools.mutation.reach import SOURCE as SOURCES
from tools.mutation.reach import in_stages, mixed, nearest, statement_of
from tools.mutation.results import Results, digest_of


def file_with(folder: Path, body: str) -> list[str]:
    path = folder / "test_given.py"
    path.write_text(f"import subprocess, time\n\n\ndef test_it():\n    {body}\n")
    return [str(path)]


@pytest.mark.parametrize(
    ("body", "ended"),
    [
        ("assert True", "passed"),
        ("assert False", "failed"),
        ("while True: pass", "used up"),
    ],
)
def test_how_a_run_ends(tmp_path: Path, body: str, ended: str) -> None:
    run = run_tests(file_with(tmp_path, body), "", 5, root=tmp_path)
    assert run.ended == ended
    assert run.failed.endswith("::test_it") == (ended == "failed")
    assert not run.late


def test_waiting_uses_no_processor_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_tests(file_with(tmp_path, "time.sleep(6)"), "", 5, root=tmp_path).ended == "passed"
    monkeypatch.setattr(judging, "_PATIENCE", 1)
    assert run_tests(file_with(tmp_path, "time.sleep(60)"), "", 5, root=tmp_path).ended == "stuck"


def test_a_late_helper_is_told_from_a_failure(tmp_path: Path) -> None:
    late = 'subprocess.run(["sleep", "9"], timeout=0.1)'
    run = run_tests(file_with(tmp_path, late), "", 10, root=tmp_path)
    assert (run.ended, run.late) == ("failed", True)
    assert judge("", [file_with(tmp_path, late)], 10, root=tmp_path).verdict == "undecided"


STAGES = [["a.py"], ["b.py"]]
PASSED, FAILED = Run("passed", seconds=2), Run("failed", "b.py::test_b")
LATE = Run("failed", "a.py::test_a", late=True)


@pytest.mark.parametrize(
    ("runs", "judgement"),
    [
        ({("a.py", 1): [PASSED], ("b.py", 1): [PASSED]}, Judgement("survives")),
        ({("a.py", 1): [PASSED], ("b.py", 1): [FAILED]}, Judgement("noticed", "b.py::test_b")),
        # Out of time: noticed where the tests are quick without the change, unknown where they are slow anyway.
        ({("a.py", 1): [Run("used up")], ("a.py", 0): [PASSED]}, Judgement("noticed", "it does not end")),
        (
            {("a.py", 1): [Run("used up")], ("a.py", 0): [Run("passed", seconds=11)], ("b.py", 1): [PASSED]},
            Judgement("undecided", "its tests take longer than the limit"),
        ),
        (
            {("a.py", 1): [Run("used up")], ("a.py", 0): [Run("used up")], ("b.py", 1): [FAILED]},
            Judgement("noticed", "b.py::test_b"),
        ),
        ({("a.py", 1): [Run("stuck")], ("b.py", 1): [PASSED]}, Judgement("undecided", "it was given up")),
        # Late: the test is run again by itself.
        (
            {("a.py", 1): [LATE], ("a.py::test_a", 1): [Run("failed", "a.py::test_a")]},
            Judgement("noticed", "a.py::test_a"),
        ),
        (
            {("a.py", 1): [LATE], ("a.py::test_a", 1): [PASSED], ("b.py", 1): [PASSED]},
            Judgement("undecided", "a test that waits was late"),
        ),
        (
            {("a.py", 1): [LATE], ("a.py::test_a", 1): [LATE], ("b.py", 1): [FAILED]},
            Judgement("noticed", "b.py::test_b"),
        ),
    ],
)
def test_judgements(
    monkeypatch: pytest.MonkeyPatch, runs: dict[tuple[str, int], list[Run]], judgement: Judgement
) -> None:
    def ran(tests: list[str], mutant: str, limit: float, *, root: Path) -> Run:  # noqa: ARG001
        return runs[tests[0], int(mutant != "")].pop(0)

    monkeypatch.setattr(judging, "run_tests", ran)
    assert judge("module.py:3", STAGES, 100) == judgement
    assert not any(runs.values())


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "build" / "mutation.jsonl"
    first = Results(path)
    first.add("m.py:1 Lt -> LtE #0", "d1", Judgement("noticed", "t.py::test_m"))
    first.add("m.py:2 Eq -> NotEq #1", "d1", Judgement("survives"))
    first.add("m.py:3 0 -> 1 #2", "d1", Judgement("undecided", "it was given up"))
    whole = path.read_text()
    path.write_text(whole + '{"change": "m.py:4 0 -> 1 #3", "dig')  # as a kill leaves it
    again = Results(path)
    assert again.get("m.py:1 Lt -> LtE #0", "d1") == Judgement("noticed", "t.py::test_m")
    assert again.get("m.py:2 Eq -> NotEq #1", "d1") == Judgement("survives")
    assert again.get("m.py:3 0 -> 1 #2", "d1") is None  # judged again
    assert again.get("m.py:4 0 -> 1 #3", "d1") is None
    assert again.get("m.py:2 Eq -> NotEq #1", "d2") is None  # the module or its tests are others now
    again.add("m.py:4 0 -> 1 #3", "d1", Judgement("survives"))
    assert Results(path).get("m.py:4 0 -> 1 #3", "d1") == Judgement("survives")


def test_a_changed_test_file_changes_the_digest(tmp_path: Path) -> None:
    module, test = tmp_path / "m.py", tmp_path / "t.py"
    module.write_text("a")
    test.write_text("b")
    before = digest_of([module, test])
    assert before == digest_of([module, test])
    test.write_text("c")
    assert before != digest_of([module, test])


SOURCE = """def f(x):
    if (
        x > 1
    ):
        y = g(
            x,
            2,
        )
        return y
    return 0
"""


@pytest.mark.parametrize(
    ("line", "lines"),
    [(3, range(2, 5)), (7, range(5, 9)), (9, range(9, 10)), (10, range(10, 11))],
)
def test_a_change_belongs_to_the_innermost_statement(tmp_path: Path, line: int, lines: range) -> None:
    path = tmp_path / "module.py"
    path.write_text(SOURCE)
    assert statement_of(Mutation(path, 0, line, "a change")) == lines
    assert statement_of(Mutation(path, 0, 2, NEVER_TAKEN)) == range(5, 9)  # those who take it


def test_quick_tests_come_first_and_every_file_has_a_turn() -> None:
    seconds = {"a.py::slow": 9.0, "a.py::quick": 0.1, "b.py::only": 3.0, "a.py::quicker": 0.05}
    assert mixed(seconds, seconds) == ["a.py::quicker", "b.py::only", "a.py::quick", "a.py::slow"]


def test_tests_run_in_stages_until_there_has_been_enough() -> None:
    names = [f"a.py::{i}" for i in range(200)]
    stages = in_stages(names, dict.fromkeys(names, 1.0))
    assert [len(stage) for stage in stages] == [9, 32]  # 8 and 40 seconds, each passed by one test
    assert [name for stage in stages for name in stage] == names[:41]


def test_single_tests_run_in_the_order_in_which_they_are_asked_for(tmp_path: Path) -> None:
    body = "def test_a():\n    assert True\n\ndef test_b():\n    assert False\n\ndef test_c():\n    assert False\n"
    (tmp_path / "test_given.py").write_text(body)
    run = run_tests(["test_given.py::test_c", "test_given.py::test_b"], "", 5, root=tmp_path)
    assert run.failed == "test_given.py::test_c"
    assert run_tests(["test_given.py::test_a"], "", 5, root=tmp_path).ended == "passed"


def test_a_few_files_that_are_near_come_first() -> None:
    module = SOURCES / "privacy" / "k_anonymity.py"
    tests = [f"tests/plan/test_{i}.py::test_it" for i in range(9)]
    tests += ["tests/privacy/test_laws.py::test_a", "tests/methods/test_k_anonymity.py::test_b"]
    found = nearest(tests, module, {})
    assert len(found) == 6
    assert {"tests/privacy/test_laws.py::test_a", "tests/methods/test_k_anonymity.py::test_b"} < set(found)


def test_what_is_listed_as_equivalent_is_still_there() -> None:
    """A line that has changed is judged anew: it leaves the list."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["change"]
    equivalent = Equivalent()
    for one in listed:
        path = ROOT / one["file"]
        found = [change for change in mutations(path) if equivalent.why(change) == one["why"]]
        assert found, f"{one['file']}: {one['line']}"


def test_the_same_changes_are_drawn_while_their_lines_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "privacy"
    room.mkdir()
    path = room / "module.py"
    body = "def f(a, b):\n" + "".join(f"    x{i} = a < {i + 4}\n" for i in range(40)) + "    return b\n"
    monkeypatch.setattr("tools.mutation.__main__.SOURCE", tmp_path)

    def lines_drawn(seed: int) -> list[str]:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [lines[change.line - 1] for change in drawn(10, seed, ("privacy",))]

    path.write_text(body)
    before = lines_drawn(1)
    assert len(set(before)) == 10
    assert lines_drawn(2) != before
    path.write_text("def other(a):\n    return [a for a in a if a]\n\n\n" + body)
    assert lines_drawn(1) == before

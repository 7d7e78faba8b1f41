"""Every public callable with wrong arguments: a result or one clear sentence, never a traceback.

The callables are found by looking at the package, so that a new one is tried without a change here. Python itself may
say that a keyword is unknown or missing (TypeError).
"""

from __future__ import annotations

import datetime
import inspect
import io
import re
import traceback
from collections import ChainMap, Counter, UserDict, deque
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from tests.drawing import generator, runs

ROWS = 12
FRAME = pl.DataFrame(
    {
        "age": [20 + i % 5 for i in range(ROWS)],
        "zip": [f"{13000 + i % 3}" for i in range(ROWS)],
        "born": [datetime.date(1990, 1, 1 + i % 4) for i in range(ROWS)],
        "pay": [1000.5 * (i % 4) for i in range(ROWS)],
        "disease": ["flu", "cold", "flu", "gout"] * (ROWS // 4),
    }
)
PLAN = pv.Plan(
    {
        "age": pv.Quasi(pv.intervals(5, 10)),
        "zip": pv.Quasi(pv.prefixes()),
        "born": pv.Insensitive(),
        "pay": pv.Insensitive(),
        "disease": pv.Sensitive(),
    },
    [pv.KAnonymity(2)],
)
OPTIONS = ["k", "study", "x", "against", "seed", "format"]
_PYTHONS_OWN = re.compile(
    r"unexpected keyword argument|missing \d+ required|takes \d+ positional|takes from \d+ to|takes no arguments"
    r"|positional argument|multiple values for|instantiate abstract class|got some positional-only"
)


def all_junk() -> list[Any]:
    """What somebody might hand over by mistake, made anew: iterators are used up."""
    return [
        None, True, False, 0, 1, -1, 2, 3, 7, 3.5, -0.5, 0.1, 1.0, float("nan"), float("inf"), -float("inf"), 10**30,
        -(10**30), 10**400, 1e308, "", "x", "age", "disease", "*", " ", "0", "nan", "\x00", "\ud800", "a" * 5000,
        "line\nbreak", b"age", [], ["age"], ["age", "age"], [1], [None], [[]], [1.5, "x"], (), ("age",), ("disease",),
        (1, 2), {}, {"age": 1}, {"age": None}, {1: 2}, {"age": "nominal"}, {"x": {}}, set(), {"age"}, frozenset({1}),
        object(), len, int, str, lambda *_: None, np.int64(3), np.float64(0.5), np.array([1, 2]), np.array([]),
        np.zeros((2, 2)), np.array(["a"]), pl.Series([1]), pl.DataFrame(), FRAME, FRAME.head(0), pl.lit(1), PLAN,
        pv.Quasi, pv.Quasi(), pv.Sensitive(), [pv.KAnonymity], pv.KAnonymity, pv.KAnonymity(2), [pv.KAnonymity(2)],
        pv.methods.Mondrian, pv.methods.Mondrian(), pv.Kind.INTEGER, pv.attacks.Homogeneity, [pv.attacks.Homogeneity()],
        pv.intervals(5), datetime.date(2020, 1, 1), range(3), iter([1, 2]), Path("nowhere"), Path("."), Decimal("1.5"),
        Fraction(1, 2), 1j, slice(1), Ellipsis, NotImplemented, Exception("x"), memoryview(b"x"), pv, "privacy.k",
        "utility.gcp", "risk.prosecutor.max",
        deque([1]), deque(["age"]), {1: 2}.keys(), UserDict({1: 2}), range(10**15),
        {"age": pv.Quasi()}, {"k": [2, 3]}, "plan.toml", "out.csv", "out.html",
    ]  # fmt: skip


def junk(rng: np.random.Generator) -> Any:
    """Something that somebody might hand over by mistake."""
    values = all_junk()
    return values[int(rng.integers(len(values)))]


def public() -> dict[str, Any]:
    """Every public callable by its name: functions, classes and what the rooms hold."""
    found: dict[str, Any] = {}
    for name in pv.__all__:
        thing = getattr(pv, name)
        if isinstance(thing, ModuleType):
            names = getattr(thing, "__all__", [n for n in vars(thing) if not n.startswith("_")])
            within = {f"{name}.{inner}": getattr(thing, inner) for inner in names}
            found |= {n: t for n, t in within.items() if callable(t) and _is_ours(t)}
        elif callable(thing):
            found[name] = thing
    return found


def _is_ours(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("paravent")


def methods_of(instance: Any, name: str) -> dict[str, Any]:
    """The public methods of a result."""
    return {
        f"{name}.{word}": getattr(instance, word)
        for word in dir(type(instance))
        if not word.startswith("_") and callable(getattr(type(instance), word))
    }


@pytest.fixture(scope="module")
def callables() -> dict[str, Any]:
    release = pv.anonymize(FRAME, PLAN)
    table = pv.read(FRAME)
    comparison = pv.compare(FRAME, {"a": PLAN, "b": PLAN.replace(protect=[pv.KAnonymity(3)])})
    results: dict[str, Any] = {
        "Release": release,
        "Table": table,
        "Plan": PLAN,
        "Comparison": comparison,
        "Measures": release.measure(),
        "Verdict": release.verdict,
        "Findings": pv.attack(release, PLAN),
        "Assessment": pv.risk(release, PLAN),
        "Profile": pv.profile(FRAME),
        "Context": pv.Context(),
        "Guidance": pv.guide(FRAME, pv.Context(risk=0.5), PLAN, methods=["mondrian-median"]),
    }
    found = public()
    for name, result in results.items():
        found |= methods_of(result, name)
    return found


GIVEN: dict[str, Any] = {
    "source": FRAME, "table": FRAME, "frame": FRAME, "released": FRAME, "plan": PLAN, "plans": {"a": PLAN},
    "columns": {"age": pv.Quasi()}, "protect": [pv.KAnonymity(2)], "k": 2, "l": 2, "column": "disease", "alpha": 0.5,
    "beta": 1.0, "delta": 1.0, "t": 0.5, "risk": 0.5, "share": 0.5, "high": 0.5, "population": "people",
    "target": "disease", "path": "out.html", "under": {"a": ["x", "y"]}, "knows": {"age": 20}, "over": {"k": [2, 3]},
}  # fmt: skip


def call_of(rng: np.random.Generator, name: str, thing: Any) -> tuple[list[Any], dict[str, Any]]:
    """Arguments for a callable: what it needs, some of it wrong, and some options."""
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return [junk(rng)], {}
    wrong = {int(i) for i in rng.integers(0, max(len(parameters), 1), int(rng.integers(1, 3)))}
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for i, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += [junk(rng) for _ in range(int(rng.integers(0, 3)))]
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= {str(rng.choice(OPTIONS)): junk(rng)} if i in wrong else {}
        elif parameter.default is parameter.empty or i in wrong:
            value = junk(rng) if i in wrong or parameter.name not in GIVEN else GIVEN[parameter.name]
            if parameter.name in ("progress", "encoder") and callable(value):
                continue  # what a caller's own function raises is the caller's
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            elif name in ("write", "Release.write", "Table.write") and parameter.name == "target":
                named["target"] = value if i in wrong else "out.csv"
            else:
                named[parameter.name] = value
    return positional, named


def attempt(thing: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> str | None:
    """None where the call ends well; else what was raised and where."""
    try:
        with redirect_stdout(io.StringIO()):
            result = thing(*positional, **named)
            if isinstance(result, Iterator):
                next(result, None)
            str(result)
            repr(result)
    except pv.ParaventError as error:
        message = str(error)
        if not message or "\n" in message or len(message) > 800:
            return f"message {message[:300]!r}"
    except TypeError as error:
        asked = getattr(thing, "__name__", "") == "get" and "unhashable" in str(error)  # as of any mapping
        if not asked and not _PYTHONS_OWN.search(str(error)):
            return _told(error)
    except Exception as error:
        return _told(error)
    return None


def _told(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    ours = [f for f in traceback.extract_tb(error.__traceback__) if "paravent" in f.filename]
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else f"{frame.filename}:{frame.lineno}"
    return f"{type(error).__name__} at {where}: {str(error)[:120]}"


def shown(value: Any) -> str:
    try:
        return repr(value)[:80]
    except Exception:
        return type(value).__name__


# Errors are raised by the package alone, and an enumeration says in Python's own words that it has no such member.
NOT_CALLED = {"Kind"} | {name for name in pv.__all__ if name.endswith("Error")}


def test_wrong_arguments_give_one_sentence(
    callables: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = sorted(set(callables) - NOT_CALLED)
    assert len(names) > 100
    bad: dict[str, str] = {}
    ends: Counter[str] = Counter()
    for run in runs(600, 20_000):
        rng = generator(3, run)
        name = names[run % len(names)]
        positional, named = call_of(rng, name, callables[name])
        told = attempt(callables[name], positional, named)
        ends["bad" if told else "fine"] += 1
        if told:
            arguments = ", ".join([*map(shown, positional), *(f"{n}={shown(v)}" for n, v in named.items())])
            bad.setdefault(f"{name}: {told}", f"run {run}: {name}({arguments})")
    assert not bad, f"{ends['bad']} of {sum(ends.values())} calls:\n" + "\n".join(
        f"{told}\n    {call}" for told, call in sorted(bad.items())
    )


def with_one_wrong(name: str, parameters: list[inspect.Parameter], place: int, value: Any) -> tuple[list[Any], Any]:
    """The arguments of a call that is right but for one."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    writes = name in ("write", "Release.write", "Table.write")
    for i, parameter in enumerate(parameters):
        if i != place and (parameter.kind in _STARRED or parameter.default is not parameter.empty):
            continue
        right = "out.csv" if writes and parameter.name == "target" else GIVEN.get(parameter.name, 2)
        given = value if i == place else right
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            positional.append(given)
        else:
            named[parameter.name] = given
    return positional, named


_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def test_every_wrong_value_in_every_place(
    callables: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One argument wrong, each in turn, by each value: all of them in an exploration, every hundredth else."""
    monkeypatch.chdir(tmp_path)
    places = []
    for name in sorted(set(callables) - NOT_CALLED):
        with suppress(TypeError, ValueError):
            parameters = list(inspect.signature(callables[name]).parameters.values())
            places += [(name, parameters, i) for i, p in enumerate(parameters) if p.kind is not p.VAR_KEYWORD]
    bad: dict[str, str] = {}
    step = 100 // len(runs(1, 100))
    count = len(all_junk())
    assert len(places) * count > 50_000
    for number in range(0, len(places) * count, step):
        (name, parameters, place), which = places[number // count], number % count
        value = all_junk()[which]
        if parameters[place].name in ("progress", "encoder") and callable(value):
            continue  # what a caller's own function raises is the caller's
        told = attempt(callables[name], *with_one_wrong(name, parameters, place, value))
        if told:
            bad.setdefault(f"{name}: {told}", f"{parameters[place].name}={shown(value)}")
    assert not bad, "\n".join(f"{told}\n    {call}" for told, call in sorted(bad.items()))


@pytest.mark.parametrize(
    ("name", "named"),
    [
        *(
            (name, {"released": FRAME, "plan": PLAN, "persons": persons})
            for name in ("risk", "verify")
            for persons in (
                {"age": 1}, 5, object(), {1, 2}, [1.5, "x"] * 6, [object()] * ROWS, [[1]] * ROWS, b"x" * ROWS, FRAME,
                np.zeros((ROWS, 2)), [float("nan")] * ROWS, [None] * ROWS, len, "x" * ROWS,
                range(10**15), range(10**30), range(ROWS - 1),
            )
        ),
        *(
            ("quasi_identifiers", {"source": FRAME, "columns": columns})
            for columns in (range(3), range(10**15), deque([1]), {1: 2}.keys(), {1: 2}.values(), {1})
        ),
        *(
            ("Plan", {"columns": {"age": pv.Quasi()}, "protect": [pv.KAnonymity(2)], share: given})
            for share in ("suppression", "cell_suppression")
            for given in (10**400, -(10**400), float("nan"), float("inf"), Fraction(1, 2), True)
        ),
        ("Plan", {"columns": {"age": pv.Quasi()}, "protect": range(10**15)}),
        ("attacks.wilson", {"successes": 2, "attempts": 10**400}),
        *(("risk", {"released": FRAME, "plan": PLAN, "population": given}) for given in (10**400, float("nan"), True)),
        ("write", {"frame": FRAME, "target": "out.csv", "delimiter": "\ud800"}),
        ("read", {"source": FRAME, "kinds": UserDict({1: 2})}),
        ("read", {"source": FRAME, "kinds": ChainMap({"age": 1})}),
    ],
)  # fmt: skip
def test_calls_that_an_exploration_found(callables: dict[str, Any], name: str, named: dict[str, Any]) -> None:
    with pytest.raises(pv.ParaventError):
        callables[name](**named)
    assert attempt(callables[name], [], named) is None


def test_an_interval_closed_by_a_series() -> None:
    with pytest.raises(pv.TreeError, match="closed a Series must be one of left, right, both"):
        pv.intervals(5, closed=pl.Series([1]))  # type: ignore[arg-type]

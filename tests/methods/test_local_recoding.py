"""Local recoding: never worse than its start, near the optimum of tiny tables, safe under every model."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.methods import Axis, LocalRecoding, Mondrian, Task
from paravent.methods.local.space import Space
from paravent.plan.encode import encode
from tests.generators.tasks import tree_axis
from tests.methods.conftest import sizes_of

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def tiny(seed: int, n: int) -> tuple[Axis, ...]:
    rng = random.Random(seed)
    frame = pl.DataFrame(
        {
            "age": [rng.randint(20, 29) for _ in range(n)],
            "town": [rng.choice(["aa", "ab", "ba", "bb"]) for _ in range(n)],
        }
    )
    plan = pv.Plan(
        columns={"age": pv.Quasi(pv.intervals(2, 4)), "town": pv.Quasi(pv.prefixes())}, protect=[pv.KAnonymity(2)]
    )
    return encode(pv.read(frame), plan)


def partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """All partitions into classes of at least k."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for chosen in range(1 << len(rest)):
        group = [first] + [row for i, row in enumerate(rest) if chosen >> i & 1]
        left = [row for i, row in enumerate(rest) if not chosen >> i & 1]
        if len(group) >= k and (not left or len(left) >= k):
            for others in partitions(left, k):
                yield [group, *others]


def optimum(axes: tuple[Axis, ...], k: int) -> int:
    space, n, best = Space(axes), len(axes[0].codes), None
    for groups in partitions(list(range(n)), k):
        of_row = np.empty(n, dtype=np.int32)
        for c, group in enumerate(groups):
            of_row[group] = c
        cost = space.cost(of_row, len(groups))
        best = cost if best is None else min(best, cost)
    assert best is not None
    return best


@pytest.mark.parametrize("k", [2, 3])
def test_nearly_always_finds_the_optimum_of_tiny_tables(k: int) -> None:
    reached = 0
    for seed in range(25):
        axes = tiny(seed, 5 + seed % 4)
        task = Task(len(axes[0].codes), axes, (pv.KAnonymity(k),))
        found = LocalRecoding().run(task)
        cost, least = Space(axes).cost(found.of_row, found.n_classes), optimum(axes, k)
        assert cost >= least
        reached += cost == least
    assert reached >= 23  # a search, no proof


@QUICK
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), k=st.integers(1, 6))
def test_never_worse_than_mondrian(seed: int, n: int, k: int) -> None:
    axes = tiny(seed, n)
    task = Task(n, axes, (pv.KAnonymity(min(k, n)),), seed=seed % 5)
    space = Space(axes)
    found, start = LocalRecoding(effort="fast").run(task), Mondrian(strict=False).run(task)
    assert space.cost(found.of_row, found.n_classes) <= space.cost(start.of_row, start.n_classes)
    assert sizes_of(found)[0] >= min(k, n)


@st.composite
def cases(draw: st.DrawFn) -> tuple[pl.DataFrame, pv.Plan]:
    n = draw(st.integers(2, 50))
    rng = random.Random(draw(st.integers(0, 2**32)))
    gaps = draw(st.booleans())
    frame = pl.DataFrame(
        {
            "age": [None if gaps and rng.random() < 0.1 else rng.randint(18, 40) for _ in range(n)],
            "town": [rng.choice(["aa", "ab", "ba", "bb", "bc", "ca"]) for _ in range(n)],
            "sick": [rng.choice(["yes", "no", "often"]) for _ in range(n)],
        },
        schema={"age": pl.Int64, "town": pl.String, "sick": pl.String},
    )
    trees: dict[str, Any] = {"age": [None, pv.intervals(5, 10), pv.balanced()], "town": [None, pv.prefixes()]}
    roles: dict[str, Any] = {
        name: pv.Quasi(
            draw(st.sampled_from(trees[name])), weight=draw(st.sampled_from([1.0, 3.0])), missing="own value"
        )
        for name in draw(st.lists(st.sampled_from(["age", "town"]), min_size=1, max_size=2, unique=True))
    }
    roles["sick"] = pv.Sensitive()
    more = [
        [],
        [pv.LDiversity(2, "sick")],
        [pv.LDiversity(2, "sick", kind="entropy")],
        [pv.TCloseness(0.3, "sick")],
    ]
    models: list[Any] = [pv.KAnonymity(draw(st.integers(1, 5))), *draw(st.sampled_from(more))]
    effort = draw(st.sampled_from(["fast", "normal"]))
    return frame, pv.Plan(
        columns=roles, protect=models, method=LocalRecoding(effort=effort), seed=draw(st.integers(0, 3))
    )


@QUICK
@given(cases())
def test_releases_hold_and_cover(drawn: tuple[pl.DataFrame, pv.Plan]) -> None:
    frame, plan = drawn
    try:
        release = pv.anonymize(pv.read(frame), plan)
    except pv.InfeasibleError:
        with pytest.raises(pv.InfeasibleError):
            pv.anonymize(pv.read(frame), plan.replace(method=Mondrian(strict=False)))
        return
    assert release.frame.height == frame.height
    again = pv.anonymize(pv.read(frame), plan)
    assert again.frame.equals(release.frame)


@pytest.mark.parametrize(
    "model",
    [
        pv.LDiversity(2, "sick"),
        pv.LDiversity(1.8, "sick", kind="entropy"),
        pv.LDiversity(2, "sick", kind="recursive", c=3),
        pv.TCloseness(0.25, "sick"),
        pv.AlphaKAnonymity(0.7, 3, "sick"),
    ],
    ids=lambda model: model.describe(),
)
def test_models_are_searched_for(model: Any) -> None:
    """The search asks the models of every move, and loses clearly less than Mondrian under them."""
    axes = tiny(7, 120)
    rng = np.random.default_rng(2)
    sick = rng.choice(4, size=120, p=[0.5, 0.3, 0.1, 0.1]).astype(np.int32)
    task = Task(120, axes, (pv.KAnonymity(3), model), {"sick": sick})
    space = Space(axes)
    found, start = LocalRecoding().run(task), Mondrian(strict=False).run(task)
    assert "less loss than relaxed Mondrian" in found.trace[0]
    assert task.holds(task.classes(found.of_row, found.n_classes)).all()
    assert space.loss(found.of_row, found.n_classes) < 0.95 * space.loss(start.of_row, start.n_classes)


def test_many_columns_are_searched() -> None:
    rng = np.random.default_rng(3)
    group = rng.integers(0, 9, 600)
    paths = [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(16)]
    axes = []
    for j in range(24):
        codes = np.where(rng.random(600) < 0.7, rng.integers(0, 16, 9)[group], rng.integers(0, 16, 600))
        axes.append(tree_axis(f"c{j}", [f"v{i}" for i in codes.tolist()], paths))
    task = Task(600, tuple(axes), (pv.KAnonymity(3),))
    found, start = LocalRecoding(effort="fast").run(task), Mondrian(strict=False).run(task)
    space = Space(task.axes)
    assert "neighbouring classes made anew" in found.trace[0]
    assert space.cost(found.of_row, found.n_classes) < space.cost(start.of_row, start.n_classes)


def test_many_columns_under_a_model_that_no_move_is_asked_for() -> None:
    """Classes of twice k are searched for, and Mondrian's are smaller."""
    rng = np.random.default_rng(3)
    paths = [[f"v{i}", f"g{i // 2}", "*"] for i in range(8)]
    axes = tuple(tree_axis(f"c{j}", [f"v{i}" for i in rng.integers(0, 8, 300).tolist()], paths) for j in range(16))
    sick = rng.integers(0, 3, 300).astype(np.int32)
    task = Task(300, axes, (pv.KAnonymity(3), pv.BetaLikeness(2.0, "sick")), {"sick": sick})
    found = LocalRecoding(effort="fast").run(task)
    assert task.holds(task.classes(found.of_row, found.n_classes)).all()


def test_progress_and_trace() -> None:
    axes = tiny(3, 60)
    stages: list[tuple[str, float]] = []
    task = Task(60, axes, (pv.KAnonymity(3),), progress=lambda stage, done: stages.append((stage, done)))
    found = LocalRecoding().run(task)
    assert "searching" in {stage for stage, _ in stages}
    assert found.trace


def test_empty_table_and_bad_effort() -> None:
    axes = tuple(Axis(a.name, a.kind, a.codes[:0], a.values, a.tree, a.positions) for a in tiny(1, 6))
    assert LocalRecoding().run(Task(0, axes, (pv.KAnonymity(2),))).n_classes == 0
    with pytest.raises(pv.PlanError, match="effort"):
        LocalRecoding(effort="most")  # type: ignore[arg-type]
    with pytest.raises(pv.PlanError, match="budget must be a number of seconds above 0, not 0"):
        LocalRecoding(budget=0)


def test_the_trace_tells_the_gain_over_mondrian() -> None:
    axes = tiny(3, 40)
    task, space = Task(40, axes, (pv.KAnonymity(3),)), Space(axes)
    found, start = LocalRecoding().run(task), Mondrian(strict=False).run(task)
    after, before = space.cost(found.of_row, found.n_classes), space.cost(start.of_row, start.n_classes)
    assert after < before
    assert f", {1 - after / before:.1%} less loss than relaxed Mondrian." in found.trace[0]


def test_labels_are_searched_as_demanded_and_not_where_moves_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, opened = [], Space.opened

    def noted(space: Space, *given: Any, **more: Any) -> Any:
        tried.append(given)
        return opened(space, *given, **more)

    monkeypatch.setattr(Space, "opened", noted)
    sick = {"sick": np.arange(40, dtype=np.int32) % 4}
    for model, searched in ((pv.LDiversity(2, "sick"), True), (pv.BetaLikeness(5, "sick"), False)):
        tried.clear()
        task = Task(40, tiny(3, 40), (pv.KAnonymity(3), model), sick)
        found = LocalRecoding(effort="fast").run(task)
        assert task.holds(task.classes(found.of_row, found.n_classes)).all()
        assert bool(tried) is searched


def test_what_says_nothing_loses_all() -> None:
    frame = pl.DataFrame({"age": [1, 2, 4, 9], "town": ["a", "b", "c", "d"], "zip": ["aa", "ab", "ba", "bb"]})
    roles = {"age": pv.Quasi(), "town": pv.Quasi(weight=2.0), "zip": pv.Quasi(pv.prefixes())}
    space = Space(encode(pv.read(frame), pv.Plan(columns=roles, protect=[pv.KAnonymity(2)])))
    assert space.loss(np.zeros(4, dtype=np.int32), 1) == 1.0
    assert space.loss(np.arange(4, dtype=np.int32), 4) == 0.0

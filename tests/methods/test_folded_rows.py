"""A task whose equal rows were folded before is searched like the rows: the same levels, the same rows gone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent import kernels
from paravent.methods.method import Method, Recoding, Task
from paravent.methods.rule import Levels
from paravent.plan.prepare import prepare

PROMISES = {
    "k": [pv.KAnonymity(5)],
    "diversity": [pv.KAnonymity(3), pv.LDiversity(3, "disease")],
    "closeness": [pv.KAnonymity(3), pv.TCloseness(0.4, "disease")],
}
METHODS: list[Method] = [
    pv.methods.Datafly(),
    pv.methods.Datafly(complementary=True),
    pv.methods.Samarati(),
    pv.methods.Incognito(),
    pv.methods.MinGen(),
    *(
        pv.methods.Optimal(metric=metric)
        for metric in ("loss", "gcp", "nllm", "dm", "cavg", "ambiguity", "entropy", "kl")
    ),
]


def folded_task(task: Task) -> tuple[Task, np.ndarray]:
    """The task with equal rows as one, and the place of each row among them."""
    columns = [*(axis.codes for axis in task.axes), *task.sensitive.values()]
    found = kernels.fold([column.astype(np.int32) for column in columns], [int(c.max()) + 1 for c in columns])
    here, times = found.representative, found.weight
    axes = tuple(replace(axis, codes=np.ascontiguousarray(axis.codes[here]), times=times) for axis in task.axes)
    sensitive = {name: codes[here] for name, codes in task.sensitive.items()}
    return replace(task, axes=axes, sensitive=sensitive, times=times), found.tuple_of_row


def plan_of(method: Method, protect: list[pv.KAnonymity | pv.LDiversity | pv.TCloseness]) -> pv.Plan:
    columns = {
        "age": pv.Quasi(pv.intervals(10, 20, 40)),
        "zip": pv.Quasi(pv.prefixes()),
        "sex": pv.Quasi(pv.flat()),
        "disease": pv.Sensitive(),
    }
    return pv.Plan(columns, protect, method=method, suppression=0.1)


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    draw = np.random.default_rng(7)
    n = 600
    return pl.DataFrame(
        {
            "age": draw.integers(20, 60, n),
            "zip": [f"{code:03d}" for code in draw.choice([100, 101, 110, 120, 200, 210], n)],
            "sex": draw.choice(["f", "m"], n),
            "disease": draw.choice(["flu", "cold", "ulcer", "asthma"], n, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )


@pytest.mark.parametrize("promises", PROMISES)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_folded_rows_are_searched_like_rows(people: pl.DataFrame, method: Method, promises: str) -> None:
    plan = plan_of(method, PROMISES[promises])
    task = prepare(pv.read(people), plan).task
    folded, place = folded_task(task)
    assert len(folded.axes[0].codes) < task.n_rows  # something was folded
    by_row, by_tuple = method.run(task), method.run(folded)
    assert levels(by_row) == levels(by_tuple)
    assert ((by_row.of_row < 0) == (by_tuple.of_row[place] < 0)).all()
    assert by_row.trace == by_tuple.trace


def levels(recoding: Recoding) -> dict[str, int]:
    assert isinstance(recoding.rule, Levels)
    return dict(recoding.rule.levels)

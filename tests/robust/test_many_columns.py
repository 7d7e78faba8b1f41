"""Many quasi-identifiers: searches try less, or refuse. `python -m benchmarks.many_columns` prints what 2000 take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paravent as pv
from benchmarks.many_columns import method_of, wide_table
from paravent.methods.partition.repartition import MANY_COLUMNS, Limits
from paravent.methods.partition.search import BUDGETS, Search
from paravent.methods.partition.space import Space
from paravent.plan.encode import encode


@pytest.mark.parametrize("name", ["GkPk", "G3kPk", "KMember", "GCCG"])
def test_a_method_ends(name: str) -> None:
    frame, roles = wide_table(2 * MANY_COLUMNS, 40)
    plan = pv.Plan(roles, [pv.KAnonymity(5)], method_of(name))
    assert pv.anonymize(frame, plan).verdict.strict_k >= 5


def test_blanking_cells_of_too_many_columns_is_refused() -> None:
    frame, roles = wide_table(1_001, 12)
    plan = pv.Plan(roles, [pv.KAnonymity(5)], pv.methods.LocalSuppression())
    with pytest.raises(pv.PlanError, match=r"1001 quasi-identifiers, and it searches at most 1000\. Name fewer"):
        pv.anonymize(frame, plan)


def space_of(columns: int) -> Any:
    frame, roles = wide_table(columns, 30)
    return Space.of(encode(pv.read(frame), pv.Plan(roles, [pv.KAnonymity(3)])), "nllm")


def test_searches_try_less_the_more_columns_there_are() -> None:
    assert Limits().for_columns(MANY_COLUMNS) == Limits()
    assert Limits().for_columns(2_000).lookups * 2_000 <= Limits().lookups * MANY_COLUMNS


def test_searches_of_polish_take_as_much_work_however_many_columns_there_are() -> None:
    few, many = Search(space_of(8), 3), Search(space_of(16 * MANY_COLUMNS), 3)
    most = BUDGETS["normal"].work
    assert few._work(most) < many._work(most) == most
    of_row = np.arange(30) // 3
    assert few.cost(few.opened(of_row)) <= few.cost(of_row)

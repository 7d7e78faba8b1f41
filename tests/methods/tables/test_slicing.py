"""Slicing: the tables of the literature, associations and medoids by brute force, and what the source promises."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError, TableError, UnsafeReleaseError
from paravent.methods.tables.association import Measured, associations, contingency
from paravent.methods.tables.medoids import medoids
from paravent.privacy.slices import Slices, blocks_table
from paravent.privacy.verify import verify_frame
from tests.generators import TABLES, Case, cases

from ..conftest import oracle
from .serving import attempt, original, served

WORKED = oracle("tables")


@pytest.mark.parametrize("worked", WORKED.values(), ids=WORKED)
def test_the_printed_slices(worked: dict[str, Any]) -> None:
    """Each bucket has the parts of its rows: of blocks, or of single columns where the source permuted these."""
    frame = original(worked)
    sliced = pl.DataFrame(worked["sliced"], schema=worked["columns"], orient="row")
    released = sliced.with_columns(pl.Series("bucket", worked["groups"]))
    single, blocks = ({"blocks": blocks_table(found)} for found in ([[n] for n in worked["columns"]], worked["blocks"]))
    derivation = Slices("bucket")
    derivation.check_truth(released, single, frame, ["disease"])
    promise = pv.LDiversity(1, "disease")
    verdict = verify_frame(released, worked["columns"][:-1], [promise], derivation=derivation, beside=single)
    assert verdict.levels == {"privacy.distinct_l.disease": worked["distinct"]}
    if worked["permuted"] == "blocks":
        derivation.check_truth(released, blocks, frame, ["disease"])
    else:
        with pytest.raises(UnsafeReleaseError, match="not those of its rows"):
            derivation.check_truth(released, blocks, frame, ["disease"])
    moved = released.with_columns(pl.Series("bucket", [3 - number for number in worked["groups"]]))
    with pytest.raises(UnsafeReleaseError, match="not those of its rows"):
        derivation.check_truth(moved, single, frame.reverse(), ["disease"])


def plain_belief(released: pl.DataFrame, blocks: list[list[str]], t: dict[str, Any], column: str) -> dict[Any, float]:
    """p(t, s) of Li et al. 2012, §3.2: over the buckets that hold every part of t, weighed by how often they do, the
    values that stand beside its part of the sensitive block."""
    weight: dict[Any, float] = {}
    told: dict[Any, Counter] = {}
    for bucket in released["bucket"].unique().to_list():
        rows = released.filter(pl.col("bucket") == bucket).rows(named=True)
        f, values = 1.0, Counter()
        for block in blocks:
            known = [name for name in block if name != column]
            fits = [row for row in rows if all(row[name] == t[name] for name in known)]
            f *= len(fits) / len(rows)
            if column in block:
                values = Counter(row[column] for row in fits)
        if f > 0:
            weight[bucket], told[bucket] = f, values
    belief: dict[Any, float] = defaultdict(float)
    for bucket, f in weight.items():
        for value, count in told[bucket].items():
            belief[value] += f / sum(weight.values()) * count / told[bucket].total()
    return belief


def test_the_plain_belief_on_the_example_of_the_source() -> None:
    """Li et al. 2012, Table 1: t1 = (22, M, 47906) fits the first bucket, and is told dyspepsia or flu."""
    rows = [
        (22, "M", "47905", "flu", 1), (22, "F", "47906", "dyspepsia", 1), (33, "F", "47905", "bronchitis", 1),
        (52, "F", "47906", "flu", 1), (54, "M", "47304", "gastritis", 2), (60, "M", "47302", "flu", 2),
        (60, "M", "47302", "dyspepsia", 2), (64, "F", "47304", "dyspepsia", 2),
    ]  # fmt: skip
    released = pl.DataFrame(rows, schema=["age", "sex", "zip", "disease", "bucket"], orient="row")
    t = {"age": 22, "sex": "M", "zip": "47906"}
    found = plain_belief(released, [["age", "sex"], ["zip", "disease"]], t, "disease")
    assert found == {"dyspepsia": 0.5, "flu": 0.5}


@settings(max_examples=150)
@given(cases(TABLES[2:]))
def test_laws_over_random_tables(case: Case) -> None:
    plan = served(case)
    release = attempt(case.frame, plan)
    if release is None:
        return
    event("released")
    table, frame, kept = release.table.frame, release.frame, release.kept.tolist()
    blocks = release.tables["blocks"].group_by("block", maintain_order=True).agg("column")["column"].to_list()
    assert sorted(chain.from_iterable(blocks)) == sorted([*plan.quasi, "disease"])
    assert len(blocks) > 1
    buckets = frame["bucket"].to_list()
    assert set(buckets) == set(range(1, max(buckets) + 1))
    for block in blocks:  # the parts of each bucket, each as often
        shown, was = [[table[name].cast(pl.String).to_list() for name in block] for table in (frame, table)]
        after = Counter((buckets[i], *(cells[i] for cells in shown)) for i in range(frame.height))
        before = Counter((buckets[i], *(cells[kept[i]] for cells in was)) for i in range(frame.height))
        assert after == before
    for name in ("note", "remark"):
        assert frame[name].to_list() == [table[name][row] for row in kept]
    own = next(block for block in blocks if "disease" in block)
    classes = defaultdict(Counter)
    parts = [frame[name].cast(pl.String).to_list() for name in own if name != "disease"]
    for i, value in enumerate(frame["disease"].to_list()):
        classes[buckets[i], *(cells[i] for cells in parts)][value] += 1
    surest = max(max(held.values()) / held.total() for held in classes.values())
    if plan.method.l is not None:
        assert surest <= 1 / plan.method.l + 1e-12
    texts = frame.with_columns(pl.col(list(plan.quasi)).cast(pl.String).fill_null("?")) if not odd(plan) else None
    if texts is not None:
        people = table.with_columns(pl.col(list(plan.quasi)).cast(pl.String).fill_null("?"))
        for t in people.rows(named=True)[:8]:  # the source's probability is a mean of the shares that were judged
            assert max(plain_belief(texts, blocks, t, "disease").values(), default=0) <= surest + 1e-9
    again = pv.anonymize(case.frame, plan)
    assert all(again.tables[name].equals(shown) for name, shown in release.tables.items())
    assert pv.verify(release, plan)
    assert release.measure()["rows.original"] == case.frame.height


def odd(plan: pv.Plan) -> bool:
    """Whether polars would read a name as a pattern."""
    return any(name.startswith("^") or name == "*" for name in plan.columns)


codes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


@given(codes)
def test_contingency_by_its_definition(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    n, in_a, in_b, both = len(pairs), Counter(a.tolist()), Counter(b.tolist()), Counter(pairs)
    total = sum(
        (both[x, y] / n - in_a[x] * in_b[y] / n**2) ** 2 / (in_a[x] * in_b[y] / n**2) for x in in_a for y in in_b
    )
    smaller = min(len(in_a), len(in_b))
    assert contingency(a, b) == pytest.approx(total / (smaller - 1) if smaller > 1 else 0, abs=1e-12)


def test_numbers_are_correlated_and_others_counted() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    ranks = np.argsort(np.argsort(x))
    word = (x > 0).astype(np.int64)
    found = associations([Measured(ranks, x), Measured(np.argsort(np.argsort(y)), y), Measured(word)])
    assert found[0, 1] == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
    tenths = np.searchsorted(np.quantile(x, np.arange(0.1, 0.95, 0.1)), x)
    assert found[0, 2] == pytest.approx(contingency(tenths, word))
    assert found[0, 2] > found[1, 2] > 0.1
    binary = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    as_numbers = associations([Measured(codes, codes.astype(float)) for codes in binary])[0, 1]
    assert as_numbers == pytest.approx(contingency(*binary))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=7), st.integers(1, 4))
def test_no_exchange_of_medoids_is_better(points: list[tuple[int, int]], k: int) -> None:
    places = np.array(points, dtype=float)
    distance = np.abs(places[:, None] - places[None]).sum(axis=2)
    k = min(k, len(points))
    group = medoids(distance, k)
    assert sorted(set(group.tolist())) == list(range(k))
    members = [np.flatnonzero(group == g) for g in range(k)]
    chosen = [int(held[distance[np.ix_(held, held)].sum(axis=1).argmin()]) for held in members]
    total = distance[:, chosen].min(axis=1).sum()
    for place in range(k):
        for other in range(len(points)):
            trial = [*chosen[:place], other, *chosen[place + 1 :]]
            assert total <= distance[:, trial].min(axis=1).sum() + 1e-9


FRAME = pl.DataFrame(
    {
        "age": [31, 32, 38, 39, 45, 47, 52, 58, 61, 62, 66, 69],
        "zip": ["A", "A", "B", "B", "A", "B", "A", "B", "A", "A", "B", "B"],
        "disease": ["flu", "cold", "flu", "ulcer", "cold", "flu", "ulcer", "cold", "flu", "gout", "gout", "ulcer"],
        "note": range(12),
    }
)
ROLES = {"age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Sensitive(), "note": pv.Insensitive()}


def plan_of(method: pv.methods.Slicing, *promises: Any) -> pv.Plan:
    return pv.Plan(ROLES, promises or [pv.LDiversity(2, "disease")], method, person=None)


def test_blocks_stay_together_or_not() -> None:
    given = [["age"], ["zip", "disease"]]
    whole = pv.anonymize(FRAME, plan_of(pv.methods.Slicing(columns=given)))
    assert whole.tables["blocks"].rows() == [("age", 1), ("zip", 2), ("disease", 2)]
    real = set(FRAME.select("zip", "disease").rows())
    assert set(whole.frame.select("zip", "disease").rows()) == real
    single = pv.anonymize(FRAME, plan_of(pv.methods.Slicing(columns=given, permute="values")))
    assert single.tables["blocks"]["block"].to_list() == [1, 2, 3]
    assert sorted(single.frame["zip"]) == sorted(FRAME["zip"])


def test_what_stands_beside_a_value_counts() -> None:
    """Classes are rows that share a bucket and what stands in one block with the value."""
    release = pv.anonymize(FRAME, plan_of(pv.methods.Slicing(l=2, columns=[["age"], ["zip", "disease"]])))
    for _, held in release.frame.group_by("bucket", "zip"):
        assert held["disease"].value_counts()["count"].max() * 2 <= held.height
    assert "No k-anonymity" in str(release.verdict)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"columns": [["age"], ["disease"]]}, "'zip' is in no block"),
        ({"columns": [["age", "zip"], ["zip", "disease"]]}, "names 'zip' twice"),
        ({"columns": [["age", "zip"], ["ilness"]]}, "names 'ilness', which is neither"),
        ({"columns": [["age", "zip", "disease"]]}, "two blocks or more"),
        ({"columns": [["age", "zip"], [], ["disease"]]}, "two blocks or more"),
        ({"blocks": 4}, "4 blocks cannot be made of 3 columns"),
        ({"bucket": "note"}, "adds a column 'note'"),
    ],
)
def test_blocks_that_cannot_be(method: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        pv.anonymize(FRAME, plan_of(pv.methods.Slicing(**method)))


def test_what_is_refused() -> None:
    # 4 of 12 rows have the flu
    with pytest.raises(InfeasibleError, match=r"frequency 5-diversity.* The largest l possible is 3"):
        pv.anonymize(FRAME, plan_of(pv.methods.Slicing(l=5, columns=[["age", "zip"], ["disease"]])))
    with pytest.raises(InfeasibleError, match=r"among the rows that share 'age', .* The largest l possible is 1\. Put"):
        pv.anonymize(FRAME, plan_of(pv.methods.Slicing(columns=[["zip"], ["age", "disease"]])))
    tolerant = pv.LDiversity(2, "disease", kind="tolerance", epsilon=0.1)
    with pytest.raises(PlanError, match="cannot be told of somebody who fits several buckets"):
        pv.anonymize(FRAME, plan_of(pv.methods.Slicing(), tolerant))
    with pytest.raises(InfeasibleError, match="2-anonymity cannot be reached by Slicing"):
        pv.anonymize(FRAME, plan_of(pv.methods.Slicing(l=2), pv.KAnonymity(2)))
    with pytest.raises(PlanError, match="nothing says how many values"):
        pv.anonymize(FRAME, plan_of(pv.methods.Slicing(), pv.KAnonymity(1)))
    for said, wished in {"l must": {"l": 1}, "blocks must": {"blocks": 1}, "permute must": {"permute": "rows"}}.items():
        with pytest.raises(PlanError, match=said):
            pv.methods.Slicing(**wished)
    visits = FRAME.with_columns(patient=pl.Series([1, 1, *range(2, 12)]))
    with pytest.raises(PlanError, match="Slicing cannot count people with several rows"):
        pv.anonymize(visits, plan_of(pv.methods.Slicing(l=2)).replace(person="patient"))
    release = pv.anonymize(FRAME, plan_of(pv.methods.Slicing(l=2)))
    with pytest.raises(TableError, match="has no table 'blocks'"):
        pv.verify(release.frame, release.plan)


def test_columns_that_tell_too_much_leave_the_sensitive_block() -> None:
    """`age` tells the disease of everybody, so it is nearest to it, and may not stand beside it."""
    rows = 120
    frame = pl.DataFrame(
        {
            "age": range(rows),
            "zip": [f"z{i % 2}" for i in range(rows)],
            "disease": [["flu", "cold", "gout", "ulcer"][i * 4 // rows] for i in range(rows)],
        }
    )
    roles = {"age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Sensitive()}
    release = pv.anonymize(frame, pv.Plan(roles, [pv.LDiversity(2, "disease")], pv.methods.Slicing(), person=None))
    assert any("'age' left the block of 'disease'" in step for step in release.trace)
    blocks = dict(release.tables["blocks"].rows())
    assert blocks["age"] != blocks["disease"]


def test_plans_with_slicing_are_written_and_read() -> None:
    plan = plan_of(pv.methods.Slicing(l=2, columns=[["age"], ["zip", "disease"]], permute="values"))
    assert pv.Plan.from_document(plan.to_document()) == plan
    assert eval(repr(plan), {"pv": pv}) == plan

"""Anatomy and bucketization: the tables of the literature, the guarantees of the source, and what is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError, TableError, UnsafeReleaseError
from paravent.methods.tables.anatomy import tally
from paravent.methods.tables.bucketization import permuted
from paravent.methods.tables.dealing import deal, largest_l, least_error, most_groups, reconstruction_error, suppressed
from paravent.privacy.groups import Groups, same_tallies
from paravent.privacy.verify import verify_frame
from paravent.published import Permuted, Place, Source
from tests.generators import TABLES, Case, cases

from ..conftest import oracle
from .serving import attempt, original, served

WORKED = oracle("tables")
PRINTED = pytest.mark.parametrize("worked", WORKED.values(), ids=WORKED)
counts_of_values = st.lists(st.integers(0, 9), min_size=1, max_size=7).filter(any)


@PRINTED
def test_the_printed_anatomy(worked: dict[str, Any]) -> None:
    frame = original(worked)
    groups = pl.Series("group", worked["groups"])
    assert [list(row) for row in tally(groups, frame["disease"]).rows()] == worked["tally"]
    first = frame.drop("disease").with_columns(groups)
    told = {"sensitive": pl.DataFrame(worked["tally"], schema=["group", "disease", "count"], orient="row")}
    derivation = Groups("group", "sensitive")
    derivation.check_truth(first, told, frame, ["disease"])
    promises = [pv.LDiversity(2, "disease"), pv.LDiversity(1, "disease", kind="frequency")]
    verdict = verify_frame(first, worked["columns"][:-1], promises, derivation=derivation, beside=told)
    assert verdict.levels["privacy.distinct_l.disease"] == worked["distinct"]
    assert verdict.levels["privacy.frequency_l.disease"] == worked["frequency"]
    assert verdict.notes[0].startswith("No k-anonymity")
    other = told["sensitive"].with_columns(pl.Series("disease", ["flu"] * len(worked["tally"])))
    with pytest.raises(UnsafeReleaseError, match="not those of its rows"):
        derivation.check_truth(first, {"sensitive": other}, frame, ["disease"])


@PRINTED
def test_the_printed_buckets(worked: dict[str, Any]) -> None:
    frame = original(worked)
    cells = pl.Series("disease", worked["bucketized"])
    groups = np.array(worked["groups"])
    assert [np.flatnonzero(groups == number).tolist() for number in (1, 2)] == worked["buckets"]
    source, rows = Source("disease", frame["disease"].alias("cells")), Place.of(np.arange(frame.height))
    Permuted(cells, groups).check(source, cells, rows)
    with pytest.raises(UnsafeReleaseError, match="not those it had"):
        Permuted(cells, 1 - groups % 2 + np.arange(frame.height) // 2).check(source, cells, rows)
    released = frame.with_columns(cells, pl.Series("bucket", groups))
    Groups("bucket").check_truth(released, {}, frame, ["disease"])
    promise = pv.LDiversity(2, "disease")
    verdict = verify_frame(released, worked["columns"][:-1], [promise], derivation=Groups("bucket"))
    assert verdict.levels == {"privacy.distinct_l.disease": worked["distinct"]}


def plain_most_groups(counts: list[int], l: int) -> int:  # noqa: E741
    return max(g for g in range(sum(counts) + 1) if sum(min(count, g) for count in counts) >= g * l)


@given(counts_of_values, st.integers(1, 5), st.integers(0, 3))
def test_dealing_by_brute_force(counts: list[int], l: int, seed: int) -> None:  # noqa: E741
    """As many groups of l different values as can be, and nobody is left out without need."""
    codes = np.repeat(np.arange(len(counts)), counts)
    dealt = deal(codes, l, np.random.default_rng(seed))
    best = plain_most_groups(counts, l)
    assert dealt.n_groups == most_groups(np.array(counts), l) == best
    assert int((dealt.of_row < 0).sum()) == suppressed(np.array(counts), l) == sum(max(0, c - best) for c in counts)
    members = defaultdict(list)
    for group, code in zip(dealt.of_row.tolist(), codes.tolist(), strict=True):
        members[group].append(code)
    members.pop(-1, None)
    assert sorted(members) == list(range(best))
    for held in members.values():
        assert len(held) == len(set(held)) >= l
    if max(counts) <= sum(counts) // l:
        assert best == sum(counts) // l


@given(counts_of_values, st.integers(0, 6))
def test_the_largest_l_is_the_largest(counts: list[int], allowed: int) -> None:
    best = largest_l(np.array(counts), allowed)
    assert suppressed(np.array(counts), best) <= allowed
    different = sum(count > 0 for count in counts)
    assert best == different or suppressed(np.array(counts), best + 1) > allowed


def plain_error(groups: dict[int, list[int]]) -> float:
    """Xiao and Tao's definition, row by row: the squared distance of the told shares from the row's own value."""
    error = 0.0
    for held in groups.values():
        shares = {value: count / len(held) for value, count in Counter(held).items()}
        for value in held:
            error += sum((share - (other == value)) ** 2 for other, share in shares.items())
    return error


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=5))
def test_reconstruction_error_by_its_definition(groups: list[list[int]]) -> None:
    pairs = [(count, len(held)) for held in groups for count in Counter(held).values()]
    counts, sizes = np.array(pairs).T
    assert reconstruction_error(counts, sizes) == pytest.approx(plain_error(dict(enumerate(groups))))


@given(counts_of_values, st.integers(2, 4), st.integers(0, 3))
def test_the_bound_of_the_source(counts: list[int], l: int, seed: int) -> None:  # noqa: E741
    """Theorem 2: no l-diverse groups err less than n (1 − 1/l). Theorem 4: these err by a factor of 1 + 1/n more."""
    codes = np.repeat(np.arange(len(counts)), counts)
    dealt = deal(codes, l, np.random.default_rng(seed))
    groups = defaultdict(list)
    for group, code in zip(dealt.of_row.tolist(), codes.tolist(), strict=True):
        groups[group].append(code)
    groups.pop(-1, None)
    n = sum(map(len, groups.values()))
    if n:
        least = least_error(n, l)
        assert least - 1e-9 <= plain_error(groups) <= least * (1 + 1 / n) + 1e-9


def test_permutations_inside_groups_are_equally_likely() -> None:
    found = Counter()
    for seed in range(1200):
        source = permuted(np.array([1, 0, 1, 1, 0]), np.random.default_rng(seed))
        found[tuple(source.tolist())] += 1
    assert len(found) == 12  # 3! · 2!
    assert all({key[i] for i in (0, 2, 3)} == {0, 2, 3} for key in found)
    assert min(found.values()) > 60  # 100 expected, σ = 9.6


@settings(max_examples=150)
@given(cases(TABLES[:2]))
def test_laws_over_random_tables(case: Case) -> None:
    plan = served(case)
    release = attempt(case.frame, plan)
    if release is None:
        return
    event("released")
    table, frame, kept = release.table.frame, release.frame, release.kept.tolist()
    (named,) = plan.method.adds
    real = [i for i in range(frame.height) if frame["note"][i] is not None]
    for name in plan.quasi:  # as they are
        shown, was = frame[name].cast(pl.String).to_list(), table[name].cast(pl.String).to_list()
        assert [shown[i] for i in real] == [was[kept[i]] for i in real]
    groups = defaultdict(list)
    for i in real:
        groups[frame[named][i]].append(table["disease"][kept[i]])
    assert sorted(groups) == list(range(1, len(groups) + 1))
    told = defaultdict(list)
    if isinstance(plan.method, pv.methods.Anatomy):
        assert "disease" not in frame.columns
        for number, value, count in release.tables["sensitive"].rows():
            told[number] += [value] * count
    else:
        for i in real:
            told[frame[named][i]].append(frame["disease"][i])
    assert {key: Counter(values) for key, values in told.items()} == {
        key: Counter(values) for key, values in groups.items()
    }
    for values in groups.values():
        assert len(set(values)) == len(values) >= (plan.method.l or 2)
    again = pv.anonymize(case.frame, plan)
    assert all(again.tables[name].equals(shown) for name, shown in release.tables.items())
    assert pv.verify(release, plan)
    assert release.measure()["rows.original"] == case.frame.height
    assert release.cautions[0].kind == "no-k" or release.cautions[0].serious


PEOPLE = pl.DataFrame(
    {
        "age": [31, 32, 38, 39, 45, 47, 52, 58],
        "zip": ["A", "A", "B", "B", "A", "B", "A", "B"],
        "disease": ["flu", "cold", "flu", "ulcer", "cold", "flu", "ulcer", "cold"],
    }
)
ROLES = {"age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Sensitive()}
BOTH = pytest.mark.parametrize("method", [pv.methods.Anatomy, pv.methods.Bucketization])


@BOTH
def test_every_kind_of_l_diversity_is_derived(method: Any) -> None:
    asked = [
        pv.LDiversity(2, "disease"),
        pv.LDiversity(2, "disease", kind="entropy"),
        pv.LDiversity(2, "disease", kind="recursive", c=1.01),
        pv.LDiversity(2, "disease", kind="frequency"),
        pv.AlphaKAnonymity(0.5, 2, "disease"),
    ]
    release = pv.anonymize(PEOPLE, pv.Plan(ROLES, asked, method(), person=None))
    assert release.verdict
    assert {check.promise.known_by for check in release.verdict.checks} == {"derived"}
    with pytest.raises(PlanError, match="makes no labels"):
        release.proportions()
    assert "No k-anonymity" in str(release.verdict)
    assert len(release.classes) == 4


@BOTH
def test_c_of_1_takes_a_larger_group(method: Any) -> None:
    asked = pv.LDiversity(2, "disease", kind="recursive", c=1)
    release = pv.anonymize(PEOPLE, pv.Plan(ROLES, [asked], method(), person=None, suppression=0.3))
    assert release.classes.sizes.min() == 3


@BOTH
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"l": 3}, r"one value of 'disease' has 3 of the 8 rows.*The largest l possible is 2"),
        ({"l": 4}, r"'disease' has 3 different values.*The largest l possible is 2"),
    ],
)
def test_an_l_that_the_values_do_not_allow(method: Any, given: dict[str, int], message: str) -> None:
    with pytest.raises(InfeasibleError, match=message):
        pv.anonymize(PEOPLE, pv.Plan(ROLES, [pv.LDiversity(2, "disease")], method(**given), person=None))


@BOTH
def test_few_rows_are_suppressed_where_a_value_is_too_frequent(method: Any) -> None:
    plan = pv.Plan(ROLES, [pv.LDiversity(3, "disease")], method(), person=None, suppression=0.25)
    release = pv.anonymize(PEOPLE, plan)  # 3, 3 and 2 rows: 2 groups of 3, and 2 rows are left
    assert release.verdict.suppressed == 2
    assert release.classes.sizes.tolist() == [3, 3]


@BOTH
def test_what_is_refused(method: Any) -> None:
    name = method.__name__
    diverse = pv.LDiversity(2, "disease")
    with pytest.raises(InfeasibleError, match=f"2-anonymity cannot be reached by {name}"):
        pv.anonymize(PEOPLE, pv.Plan(ROLES, [diverse, pv.KAnonymity(2)], method(), person=None))
    with pytest.raises(PlanError, match="names 2: 'zip', 'disease'"):
        pv.anonymize(PEOPLE, pv.Plan({**ROLES, "zip": pv.Sensitive()}, [diverse], method(), person=None))
    plain = {"age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Insensitive()}
    with pytest.raises(PlanError, match="names no sensitive column"):
        pv.anonymize(PEOPLE, pv.Plan(plain, [pv.KAnonymity(1)], method(l=2), person=None))
    with pytest.raises(PlanError, match="nothing says how many values"):
        pv.anonymize(PEOPLE, pv.Plan(ROLES, [pv.KAnonymity(1)], method(), person=None))
    with pytest.raises(InfeasibleError, match=r"0\.1-closeness.* does not hold in groups of 2 different values"):
        pv.anonymize(PEOPLE, pv.Plan(ROLES, [diverse, pv.TCloseness(0.1, "disease")], method(), person=None))
    with pytest.raises(PlanError, match="l must be a whole number of at least 2"):
        method(l=1)
    named = method(group="zip") if method is pv.methods.Anatomy else method(bucket="zip")
    with pytest.raises(PlanError, match=f"{name} adds a column 'zip'"):
        pv.anonymize(PEOPLE, pv.Plan(ROLES, [diverse], named, person=None))
    visits = PEOPLE.with_columns(patient=pl.Series([1, 1, 2, 3, 4, 5, 6, 7]))
    with pytest.raises(PlanError, match=f"{name} cannot count people with several rows"):
        pv.anonymize(visits, pv.Plan(ROLES, [diverse], method(), person="patient"))


@BOTH
def test_people_of_one_row_each_are_served(method: Any) -> None:
    visits = PEOPLE.with_columns(patient=pl.Series([4, 1, 2, 3, 0, 5, 6, 7]))
    release = pv.anonymize(visits, pv.Plan(ROLES, [pv.LDiversity(2, "disease")], method(), person="patient"))
    assert release.verdict
    assert "patient" not in release.frame.columns


def test_group_numbers_and_orders_do_not_follow_the_source() -> None:
    """Neither the numbers of the groups nor the order of rows is that of the source, and no seed alone tells them."""
    rows = 300
    frame = pl.DataFrame({"age": range(rows), "disease": [f"d{i % 6}" for i in range(rows)]})
    roles = {"age": pv.Quasi(), "disease": pv.Sensitive()}
    plan = pv.Plan(roles, [pv.LDiversity(3, "disease")], pv.methods.Anatomy(), person=None, order="source")
    groups = pv.anonymize(frame, plan).frame["group"].to_numpy()
    assert abs(np.corrcoef(groups, np.arange(rows))[0, 1]) < 0.2
    other = frame.with_columns(pl.when(pl.col("age") == 7).then(1000).otherwise(pl.col("age")).alias("age"))
    assert (pv.anonymize(other, plan).frame["group"].to_numpy() == groups).mean() < 0.1


def test_tables_that_do_not_belong_together_are_not_judged(tmp_path: Path) -> None:
    plan = pv.Plan(ROLES, [pv.LDiversity(2, "disease")], pv.methods.Anatomy(), person=None)
    release = pv.anonymize(PEOPLE, plan)
    with pytest.raises(TableError, match="has no table 'sensitive'"):
        pv.verify(release.frame, plan)
    release.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release.csv", "sensitive.csv"]
    assert pv.verify(tmp_path / "release.csv", plan)  # the second table lies beside the first
    (tmp_path / "sensitive.csv").unlink()
    with pytest.raises(TableError, match="sensitive"):
        pv.verify(tmp_path / "release.csv", plan)


@pytest.mark.parametrize("method", [pv.methods.Anatomy, pv.methods.Bucketization, pv.methods.Slicing])
def test_l_may_be_given_without_its_name(method: Any, tmp_path: Path) -> None:
    assert method(3) == method(l=3)
    plan = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, [pv.LDiversity(3, "ill")], method=method(3))
    plan.save(tmp_path / "plan.toml")
    assert "l = 3" in (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert pv.Plan.load(tmp_path / "plan.toml").method == method(l=3)
    assert eval(repr(plan), {"pv": pv}) == plan
    with pytest.raises(PlanError, match="l must be a whole number"):
        method("3")


def test_numbers_and_their_texts_are_the_same_rows() -> None:
    numbers, texts = pl.Series([1, 2, 2]), pl.Series(["2", "1", "2"])
    assert same_tallies((numbers,), (texts,))
    assert not same_tallies((numbers,), (pl.Series(["1", "1", "2"]),))

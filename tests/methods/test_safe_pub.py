"""SafePub: what comes out is k-anonymous in all columns, depends on rows one by one, and is paid for first."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.hierarchy.axis import Axis
from paravent.methods.full_domain.level_scores import candidates, lasting, scores
from paravent.plan.sampled import check_sample
from paravent.private.sampling import Sampled, Sampling, least_sampling
from paravent.table.kinds import Kind

DP = pv.DifferentialPrivacy(epsilon=1, delta=1e-5)
K = least_sampling(Fraction(1), Fraction(1, 10**5)).k


def people(rows: int = 2000, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "town": rng.choice(["Nice", "Paris", "Rome", "Turin"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "ill": rng.choice(["yes", "no"], rows, p=[0.2, 0.8]),
        }
    )


def plan(method: Any = None, protect: Any = (DP,), **options: Any) -> pv.Plan:
    columns: dict[str, Any] = {
        "age": pv.Quasi(pv.intervals(10, 20)),
        "town": pv.Quasi(pv.groups({"France": ["Nice", "Paris"], "Italy": ["Rome", "Turin"]})),
        "ill": pv.Sensitive(),
    }
    own = options.pop("columns", {})
    told = method or pv.methods.SafePub(levels={"age": 2, "town": 1})
    return pv.Plan({**columns, **own}, list(protect), told, **options)


def test_rows_are_alike_with_k_others_in_every_column() -> None:
    release = pv.anonymize(people(), plan())
    sizes = release.frame.group_by(pl.all()).len()["len"]
    assert K == 46
    assert int(sizes.min()) >= K  # type: ignore[arg-type]
    assert release.verdict.strict_k >= K
    assert set(release.frame["town"].cast(str)) <= {"France", "Italy"}
    assert [check.promise for check in release.verdict.checks] == [DP]
    assert release.verdict.checks[0].known_by.startswith("by construction")


def test_every_released_row_is_true() -> None:
    table = people()
    release = pv.anonymize(table, plan())
    assert release.kept is not None
    real = table[release.kept]
    assert release.frame["ill"].to_list() == real["ill"].to_list()
    lows = [int(label[1:].split(",")[0]) for label in release.frame["age"].cast(str)]
    assert all(low <= age < low + 20 for low, age in zip(lows, real["age"], strict=True))


def test_the_order_tells_nothing() -> None:
    frame = pv.anonymize(people(), plan()).frame
    texts = frame.select(pl.all().cast(pl.String)).rows()
    assert texts == sorted(texts)
    with pytest.raises(pv.PlanError, match="order='source'"):
        pv.anonymize(people(), plan(order="source"))


def test_levels_can_be_chosen_by_the_mechanism() -> None:
    release = pv.anonymize(people(), plan(pv.methods.SafePub()))
    assert release.account[0].what.startswith("choice of levels among 12")
    spent = sum(Fraction(entry.spent["epsilon"]) for entry in release.account)
    assert Fraction(999_999_999, 10**9) * Fraction(999, 1000) < spent <= 1
    assert release.account[0].spent["epsilon"] == pytest.approx(0.1, abs=1e-8)
    part = pv.methods.SafePub(levels={"age": "search", "town": "top"}, search=0.2)
    assert set(pv.anonymize(people(), plan(part)).frame["town"].cast(str)) == {"*"}


def test_the_ledger_is_charged_first_and_refuses(tmp_path: Path) -> None:
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=1.5, delta=1e-4, outright=2e-5)
    release = pv.anonymize(people(), plan(), budget=budget)
    assert budget.spent.epsilon == 1
    assert budget.spent.delta == Fraction(1, 10**5)
    assert any("in the ledger" in note for note in release.verdict.notes)
    with pytest.raises(pv.InfeasibleError, match="the budget does not hold"):
        pv.anonymize(people(), plan(), budget=budget)
    assert len(budget.entries) == 1


def test_nothing_left_is_said_and_spent(tmp_path: Path) -> None:
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=1, delta=1e-4, outright=1e-5)
    with pytest.raises(pv.InfeasibleError, match="what was spent is spent"):
        pv.anonymize(people(60), plan(pv.methods.SafePub()), budget=budget)
    assert len(budget.entries) == 1


def test_a_seed_marks_the_release_as_not_private() -> None:
    seeded = pv.DifferentialPrivacy(epsilon=1, delta=1e-5, unsafe_seed=7)
    first, second = (pv.anonymize(people(), plan(protect=[seeded])) for _ in range(2))
    assert first.frame.equals(second.frame)
    assert any(note.startswith("NOT PRIVATE") for note in first.verdict.notes)


@pytest.mark.secure
def test_without_a_seed_no_two_samples_are_alike() -> None:
    first, second = (pv.anonymize(people(), plan(seed=3)) for _ in range(2))
    assert not first.frame.equals(second.frame)


def test_k_anonymity_beside_raises_k() -> None:
    release = pv.anonymize(people(), plan(protect=[DP, pv.KAnonymity(150)]))
    assert release.verdict.strict_k >= 150


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (plan(protect=[DP, pv.LDiversity(2, "ill")]), "would break differential privacy"),
        (plan(protect=[pv.KAnonymity(5)]), "spends a budget"),
        (plan(protect=[pv.DifferentialPrivacy(epsilon=1, delta=0)]), "delta above 0"),
        (plan(suppressed="mark"), "how many rows there were"),
        (plan(missing="impute"), "looks at the others"),
        (plan(columns={"age": pv.Quasi(pv.quantiles(4, 2))}), "depend on which values occur"),
        (plan(columns={"age": pv.Quasi(pv.balanced())}), "depend on which values occur"),
        (plan(columns={"town": pv.Quasi(pv.prefixes(1))}), "depend on which values occur"),
        (plan(pv.methods.SafePub(levels={"age": 9})), "levels 0 to 3"),
        (plan(pv.methods.SafePub(levels={"agee": 1})), "no quasi-identifier"),
        (plan(pv.methods.SafePub(levels={}, sampling=0.9)), "up to 0.6321"),
    ],
)
def test_what_would_break_the_promise_is_refused_in_one_sentence(wanted: pv.Plan, words: str) -> None:
    with pytest.raises(pv.PlanError, match=words.replace("(", r"\(")):
        pv.anonymize(people(), wanted)


def test_replaced_identifiers_are_refused() -> None:
    table = people().with_columns(name=pl.Series([f"n{i}" for i in range(2000)]))
    wanted = plan(columns={"name": pv.Identifier("random")})
    with pytest.raises(pv.PlanError, match="tell them apart"):
        pv.anonymize(table, wanted)


def test_the_first_row_of_a_person_counts() -> None:
    table = people().with_columns(who=pl.Series([i // 2 for i in range(2000)]))
    release = pv.anonymize(table, plan(columns={"who": pv.Identifier()}, person="who"))
    assert release.kept is not None
    assert not (release.kept % 2).any()
    assert "who" not in release.frame.columns


def test_missing_and_unforeseen_values_are_values() -> None:
    table = people(4000).with_columns(
        town=pl.when(pl.int_range(4000) % 3 == 0).then(None).when(pl.int_range(4000) % 3 == 1).then(pl.lit("Oslo"))
        .otherwise("town")
    )  # fmt: skip
    release = pv.anonymize(table, plan(missing="own value"))
    assert {"(missing)", "Oslo"} <= set(release.frame["town"].cast(str))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=60),
    one=st.tuples(st.integers(0, 3), st.integers(0, 2)),
    k=st.integers(1, 8),
    beta=st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]),
)
def test_one_row_changes_no_score_by_more_than_the_sensitivity(
    rows: list[tuple[int, int]], one: tuple[int, int], k: int, beta: Fraction
) -> None:
    frames = [pl.DataFrame(each, schema=["a", "b"], orient="row") for each in (rows, [*rows, one])]
    found = []
    for frame in frames:
        axes = []
        for name, size in (("a", 4), ("b", 3)):
            tree = pv.hierarchy.Tree.from_paths(name, [[str(i), str(i // 2 + 10), "*"] for i in range(size)])
            axes.append(Axis(name, Kind.NOMINAL, frame[name].to_numpy().astype(np.int32), tree.leaves, tree))
        options = [range(3), range(3)]
        every = np.arange(frame.height)
        found.append(scores(axes, options, [2, 2], [], every, Sampling(beta, k)))
        assert len(found[-1].values) == len(candidates(options))
    assert int(np.abs(found[0].values - found[1].values).max()) <= found[0].sensitivity


def test_a_class_counts_in_full_from_k_over_beta_on() -> None:
    assert [lasting(np.array([size]), 40) for size in (30, 31, 39, 40, 41)] == [0, 4, 36, 40, 41]


def test_one_row_that_is_alone_is_enough_to_stop_a_release() -> None:
    sampled = Sampled(Sampling(Fraction(1, 10), 3), Fraction(1), Fraction(1, 100), Fraction(0), 0, ())
    alike = ["a"] * 4
    assert check_sample(sampled, pl.DataFrame({"x": alike}))
    with pytest.raises(pv.UnsafeReleaseError, match="like fewer than 3"):
        check_sample(sampled, pl.DataFrame({"x": [*alike, "b"]}))

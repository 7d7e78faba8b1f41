"""Synthetic releases: what goes in, what comes out, what was spent, and errors that must not pass."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import InfeasibleError, PlanError, UnsafeReleaseError
from paravent.private import curator, mechanisms
from paravent.private.accounting import Cost, rho_of
from paravent.private.transcript import Measured, Selected, Transcript

JOBS = ["clerk", "judge", "nurse", "vet"]
DOMAINS: dict[str, Any] = {
    "sex": ["f", "m"],
    "age": range(18, 66),
    "job": [*JOBS, "miner"],
    "pay": {"from": 0, "to": 9999, "bins": 8},
    "ill": [True, False],
}
DP = pv.DifferentialPrivacy(epsilon=1, delta=1e-6)
M = pv.methods
METHODS = [M.AIM, M.MST, M.PrivBayes, lambda **told: M.NaiveBayes(target="ill", **told)]


def people(rows: int = 1500, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    job = rng.integers(0, 4, rows)
    pay = rng.normal(2000 + 1500 * job, 500)
    return pl.DataFrame(
        {
            "sex": [("f", "m")[i] for i in ((job + (rng.random(rows) < 0.2)) % 2).tolist()],
            "age": rng.integers(18, 66, rows),
            "job": [JOBS[i] for i in job.tolist()],
            "pay": np.where(rng.random(rows) < 0.3, 0, np.clip(pay, 0, 9999)).astype(np.int64),
            "ill": (job == 2) ^ (rng.random(rows) < 0.1),
        }
    )


def plan(method: Any = None, *promises: Any, **options: Any) -> pv.Plan:
    columns = {"sex": pv.Quasi(), "age": pv.Quasi(), "job": pv.Quasi(), "pay": pv.Insensitive(), "ill": pv.Sensitive()}
    chosen = M.MST(domains=DOMAINS) if method is None else method
    return pv.Plan(columns, promises or [DP], chosen, **{"person": None, **options})


@pytest.mark.parametrize("make", METHODS)
def test_a_release_is_of_the_plans_domains_and_spends_what_was_promised(make: Any) -> None:
    table = people()
    release = pv.anonymize(table, plan(make(domains=DOMAINS)))
    frame = release.frame
    assert frame.schema == table.schema
    assert release.kept is None
    assert 1400 < frame.height < 1600
    assert set(frame["job"].drop_nulls()) <= {*JOBS, "miner"}
    assert frame["age"].drop_nulls().is_between(18, 65).all()
    assert frame["pay"].drop_nulls().is_between(0, 9999).all()
    (check,) = release.verdict.checks
    assert check.promise.known_by == "constructed"
    assert 0.999 < check.level <= 1
    share = [table.filter(job="nurse")["ill"].mean(), frame.filter(job="nurse")["ill"].mean()]
    assert share[0] == pytest.approx(0.9, abs=0.03)
    assert share[1] > 0.6  # the strongest tie of the table survives
    assert pv.verify(release, release.plan)


def rho(step: Measured | Selected) -> float:
    """What a step costs, by the textbook."""
    if isinstance(step, Measured):
        return float(step.rows_each**2 / (2 * step.scale))
    return float(step.epsilon**2 / 8)


def test_the_accounting_is_worked_out_again_by_other_means() -> None:
    """rho-zCDP is (rho + 2 sqrt(rho ln(1/delta)), delta)-DP, which is looser than what the release is held to; and the
    tighter bound is found by trying orders one by one."""
    release = pv.anonymize(people(), plan(M.AIM(domains=DOMAINS)))
    assert release.transcript is not None
    total = sum(map(rho, release.transcript.steps))
    orders = 1 + np.geomspace(1e-2, 1e4, 200_000)
    bound = orders * total + np.log1p(-1 / orders) - (math.log(1e-6) + np.log(orders)) / (orders - 1)
    level = release.verdict.checks[0].level
    assert level == pytest.approx(float(bound.min()), rel=1e-6)
    assert level <= 1 < total + 2 * math.sqrt(total * math.log(1e6))
    assert sum(entry.spent["rho"] for entry in release.account) == pytest.approx(total, rel=1e-9)


def test_pure_epsilon_adds_up_and_needs_no_delta() -> None:
    pure = pv.DifferentialPrivacy(epsilon=0.5, delta=0)
    release = pv.anonymize(people(), plan(M.NaiveBayes(target="ill", domains=DOMAINS), pure))
    assert release.transcript is not None
    spent = [step.epsilon if isinstance(step, Selected) else 1 / step.scale for step in release.transcript.steps]
    assert Fraction(1, 2) * Fraction(999, 1000) < sum(spent) <= Fraction(1, 2)
    with pytest.raises(PlanError, match="needs a delta above 0"):
        pv.anonymize(people(), plan(None, pure))


def test_the_noise_is_as_wide_as_the_transcript_says_and_halved_noise_is_seen() -> None:
    """The planted error: a mechanism that draws half the noise. Residuals of exact counts tell."""
    table = people()

    def width() -> float:
        steps = [pv.anonymize(table, plan()).transcript for _ in range(6)]
        left = []
        for transcript in steps:
            assert transcript is not None
            for step in transcript.measured:
                if transcript.names[step.columns[0]] == "age" and len(step.columns) == 1 and step.counts is not None:
                    exact = np.bincount(table["age"].to_numpy() - 18, minlength=49)
                    left.append((step.counts - exact) / step.sigma)
        return float(np.std(np.concatenate(left)))

    assert width() == pytest.approx(1, abs=0.25)  # 294 draws: six standard errors
    plain = mechanisms.gaussian
    with mock.patch.object(mechanisms, "gaussian", lambda counts, sigma2: plain(counts, sigma2 / 4)):
        assert width() == pytest.approx(0.5, abs=0.125)


def test_a_budget_that_is_not_split_is_not_released() -> None:
    """The planted error: every answer takes what is there, and nobody counts."""
    with (
        mock.patch.object(curator.Purse, "pay"),
        pytest.raises(UnsafeReleaseError, match="differential privacy fails"),
    ):
        pv.anonymize(people(), plan())
    with (
        mock.patch.object(curator.Purse, "left", property(lambda self: self.allowed)),
        pytest.raises(UnsafeReleaseError, match="fails"),
    ):
        pv.anonymize(people(), plan())


def test_nothing_of_the_domains_comes_from_the_data() -> None:
    """The planted error would be a cell for a value that only one person has, and none in the neighbouring table."""
    table = people()
    one = pl.DataFrame({"sex": ["x"], "age": [99], "job": ["pope"], "pay": [10**6], "ill": [None]}, schema=table.schema)
    cut = {**DOMAINS, "pay": {"from": 0, "to": 9999, "cuts": [1, 2000, 5000]}}
    coded = [
        pv.anonymize(each, plan(M.MST(domains=cut))).transcript
        for each in (table, pl.concat([table, one, one]), table.head(3))
    ]
    assert all(found is not None and found.codings == coded[0].codings for found in coded)  # type: ignore[union-attr]


def test_unforeseen_and_missing_values_have_a_cell_of_their_own() -> None:
    table = people(3000).with_columns(job=pl.when(pl.int_range(3000) % 3 == 0).then(None).otherwise("job"))
    table = table.with_columns(job=pl.when(pl.int_range(3000) % 3 == 1).then(pl.lit("pope")).otherwise("job"))
    release = pv.anonymize(table, plan())
    assert release.frame["job"].null_count() == pytest.approx(2 * release.frame.height / 3, rel=0.1)
    assert "pope" not in release.frame["job"].to_list()
    assert release.frame["sex"].null_count() == 0  # nobody is without one, as far as noise can tell


@pytest.mark.parametrize("make", METHODS)
def test_what_cannot_be_does_not_occur(make: Any) -> None:
    never = [{"age": {"to": 24}, "job": ["judge", "vet"]}, {"sex": "m", "job": "nurse"}, {"pay": {"from": 5001}}]
    frame = pv.anonymize(people(), plan(make(domains=DOMAINS, impossible=never, rows=4000))).frame
    assert frame.height == 4000
    assert frame.filter((pl.col("age") < 25) & pl.col("job").is_in(["judge", "vet"])).height == 0
    assert frame.filter((pl.col("sex") == "m") & (pl.col("job") == "nurse")).height == 0
    assert frame.filter(pl.col("pay") > 5000).height == 0
    assert frame.filter((pl.col("sex") == "f") & (pl.col("job") == "nurse")).height > 100


@pytest.mark.parametrize("make", METHODS)
def test_what_leaves_nothing_to_a_later_column_does_not_occur_either(make: Any) -> None:
    """Young people have no job that could be, so nobody is young, whichever column is drawn first."""
    never = [{"age": {"to": 40}, "job": JOBS}, {"sex": "f", "job": "miner"}]
    frame = pv.anonymize(people(), plan(make(domains=DOMAINS, impossible=never, rows=3000))).frame
    young = frame.filter(pl.col("age") <= 40)
    assert frame.height == 3000
    assert set(young["job"]) <= {"miner", None}
    assert frame.filter(sex="f", job="miner").height == 0


@pytest.mark.parametrize("make", METHODS)
def test_constraints_that_leave_nobody_are_refused_before_anything_is_spent(make: Any) -> None:
    never = [{"sex": "f", "job": JOBS}, {"sex": ["f", "m"], "job": "miner"}, {"sex": "m", "age": {"from": 18}}]
    with (
        mock.patch.object(curator.Purse, "pay", side_effect=AssertionError),
        pytest.raises(InfeasibleError, match="no row is left that could be"),
    ):
        pv.anonymize(people(), plan(make(domains=DOMAINS, impossible=never)))


def test_the_transcript_makes_the_release_again(tmp_path: Path) -> None:
    release = pv.anonymize(people(), plan())
    assert release.transcript is not None
    release.write(tmp_path / "out.csv")
    release.transcript.save(tmp_path / "out.json")
    told = tmp_path / "out.json"
    assert pv.verify(tmp_path / "out.csv", release.plan, transcript=told)
    assert not pv.verify(tmp_path / "out.csv", release.plan)  # nobody can see it in a table
    changed = release.frame.with_columns(sex=release.frame["sex"].reverse())
    assert "not those of their transcript" in str(pv.verify(changed, release.plan, transcript=told))
    dearer = release.plan.replace(protect=[pv.DifferentialPrivacy(epsilon=0.9, delta=1e-6)])
    assert not pv.verify(release.frame, dearer, transcript=told)
    again = Transcript.load(told).redrawn(rows=10, seed=3)
    assert again.rows == 10


def test_noise_has_no_seed_unless_it_is_called_unsafe() -> None:
    first, second = (pv.anonymize(people(), plan(seed=4)).frame for _ in range(2))
    assert not first.equals(second)
    known = plan(None, pv.DifferentialPrivacy(epsilon=1, unsafe_seed=7))
    first, second = (pv.anonymize(people(), known) for _ in range(2))  # type: ignore[assignment]
    assert first.frame.equals(second.frame)  # type: ignore[attr-defined]
    assert "NOT private" in str(first.verdict)  # type: ignore[attr-defined]
    assert "privacy.epsilon" not in first.verdict.levels  # type: ignore[attr-defined]


def test_the_ledger_is_written_before_anything_is_drawn(tmp_path: Path) -> None:
    budget = pv.Budget(tmp_path / "people.ledger", epsilon=1.2, delta=1e-6)
    whole = plan(M.MST(domains={**DOMAINS, "pay": range(10)}))
    with mock.patch.object(mechanisms, "gaussian", side_effect=RuntimeError), pytest.raises(RuntimeError):
        pv.anonymize(people(), whole, budget=budget)
    assert [entry.what for entry in budget.entries] == ["MST: a synthetic table of 5 columns"]
    assert budget.spent == Cost.zcdp(rho_of(Fraction(1), Fraction(1, 10**6)))  # and is not given back
    with (
        mock.patch.object(mechanisms, "gaussian", side_effect=RuntimeError),
        pytest.raises(InfeasibleError, match="the budget does not hold"),
    ):
        pv.anonymize(people(), whole, budget=budget)
    cheap = plan(M.NaiveBayes(target="ill", domains=DOMAINS), pv.DifferentialPrivacy(epsilon=0.1, delta=0))
    release = pv.anonymize(people(), cheap, budget=budget)
    assert "What was spent is in the ledger." in str(release.verdict)
    with pytest.raises(PlanError, match="is of another table"):
        pv.anonymize(people(seed=2), cheap, budget=budget)


def test_people_with_several_rows_count_with_as_many_as_are_said() -> None:
    visits = people(400).with_columns(who=pl.int_range(400) // 4)
    for most in (1, 3):
        method = M.MST(domains=DOMAINS, rows_each=most)
        release = pv.anonymize(visits, plan(method, person="who"))
        assert release.transcript is not None
        assert {step.rows_each for step in release.transcript.measured} == {most}
        assert "who" not in release.frame.columns
        assert release.frame.height < 100 * most + 150
    alone = visits.filter(pl.col("who") * 4 == pl.int_range(400))  # one row each: the noise must not show it
    steps = pv.anonymize(alone, plan(M.MST(domains=DOMAINS, rows_each=3), person="who")).transcript
    assert steps is not None
    assert {step.rows_each for step in steps.measured} == {3}


def test_a_plan_survives_its_file(tmp_path: Path) -> None:
    wanted = plan(M.AIM(domains=DOMAINS, impossible=[{"age": {"to": 24}, "job": "judge"}], rows=50))
    wanted.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml").method == wanted.method
    assert eval(repr(wanted), {"pv": pv}).method == wanted.method


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"method": M.MST(domains={k: v for k, v in DOMAINS.items() if k != "job"})}, "columns.job: nothing says what"),
        ({"method": M.MST(domains={**DOMAINS, "zip": [1]})}, "column 'zip' is not in the release"),
        ({"method": M.MST(domains={**DOMAINS, "pay": {"from": 9, "to": 1}})}, "Write the lower bound first"),
        ({"method": M.MST(domains={**DOMAINS, "pay": {"low": 9}})}, "has no entry 'low'"),
        ({"method": M.MST(domains={**DOMAINS, "pay": {"from": 0, "to": 9, "bins": 0}})}, "bins must be from 2"),
        ({"method": M.MST(domains={**DOMAINS, "pay": {"from": 0, "to": 9, "bins": -3}})}, "bins must be from 2"),
        (
            {"method": M.MST(domains={**DOMAINS, "pay": {"from": 0, "to": 9, "cuts": [12]}})},
            "is cut at 12, which is not",
        ),
        ({"method": M.MST(domains={**DOMAINS, "pay": {"from": 0, "to": 99, "cuts": "12"}})}, "needs two numbers"),
        ({"method": M.MST(domains={**DOMAINS, "sex": ["f", None]})}, "column 'sex' names a missing value"),
        ({"method": M.MST(domains={**DOMAINS, "sex": ["f", float("nan")]})}, "column 'sex' names a missing value"),
        ({"method": M.MST(domains=DOMAINS, impossible=[{"zip": 1}])}, "the release has no column 'zip'"),
        ({"method": M.MST(domains=DOMAINS, impossible=[{"job": "pope"}])}, "has no value 'pope'"),
        ({"method": M.MST(domains=DOMAINS, rows_each=2)}, "the plan names no"),
        ({"method": M.NaiveBayes(target="jobb", domains=DOMAINS)}, "no column 'jobb'"),
        ({"protect": [pv.DifferentialPrivacy(epsilon=1e-7)]}, "the number of rows would be off by 100000 and more"),
        ({"protect": [pv.DifferentialPrivacy(epsilon=1e-300)]}, "the number of rows would be off by 100000 and more"),
        ({"method": M.Mondrian()}, "cannot be made by Mondrian"),
        ({"protect": []}, "spends a budget that the plan must name"),
        ({"treat": [pv.treatments.TopCode("age", share=0.1)]}, "TopCode as given looks at other rows"),
    ],
)
def test_what_cannot_be_done_is_said(change: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        pv.anonymize(people(50), plan().replace(**change))


@pytest.mark.parametrize(
    ("told", "words"),
    [({"epsilon": 0}, "above 0"), ({"epsilon": float("inf")}, "finite"), ({"delta": 1}, "below 1"),
     ({"unsafe_seed": -1}, "from 0 upwards"), ({"delta": 5e-324}, "0 or at least 1e-300")],
)  # fmt: skip
def test_a_promise_that_cannot_be_is_refused(told: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        pv.DifferentialPrivacy(**told)


def test_a_delta_that_allows_to_publish_a_row_is_warned_of() -> None:
    release = pv.anonymize(people(100), plan(None, pv.DifferentialPrivacy(epsilon=1, delta=0.02)))
    assert "delta = 0.02 is not below 1 / rows" in str(release.verdict)
    assert "Neighbouring tables differ by one row" in str(release.verdict)
    assert "for the owner of the table" in release.provenance["for_the_owner"]
    fewer = pv.anonymize(people(100), plan(None, pv.DifferentialPrivacy(epsilon=1, delta=0.009)))
    assert "is not below 1 / rows" not in str(fewer.verdict)


def test_the_generator_of_the_thesis_leaves_most_rows_recognisable() -> None:
    table = people(600)
    weak = plan(M.NaiveBayesColumns(epsilon=10)).replace(protect=[])
    release = pv.anonymize(table, weak)
    assert not release.verdict.guarantees
    columns = ["sex", "age", "job", "pay"]
    assert release.frame.select(columns).sort(columns).equals(table.select(columns).sort(columns))
    assert release.frame.join(table, on=table.columns, how="semi").height > 400
    with pytest.raises(PlanError, match="cannot be made by NaiveBayesColumns"):
        pv.anonymize(table, plan(M.NaiveBayesColumns()))


def numbers(table: pl.DataFrame) -> np.ndarray:
    jobs = [(table["job"] == job).fill_null(False).to_numpy().astype(float) for job in JOBS]
    sex, ill = (table["sex"] == "f").fill_null(False).to_numpy(), table["ill"].fill_null(False).to_numpy()
    age, pay = table["age"].fill_null(0).to_numpy() / 48, table["pay"].fill_null(0).to_numpy() / 5000
    return np.column_stack([*jobs, sex.astype(float), ill.astype(float), age, pay])


def membership(frame: pl.DataFrame, inside: pl.DataFrame, outside: pl.DataFrame) -> float:
    """How often somebody who was in the table is nearer to the release than somebody who was not (AUC)."""
    rows = numbers(frame)

    def nearest(table: pl.DataFrame) -> np.ndarray:
        return np.array([np.abs(rows - row).sum(axis=1).min() for row in numbers(table)])

    near, far = nearest(inside), nearest(outside)
    return float((near[:, None] < far).mean() + 0.5 * (near[:, None] == far).mean())


@pytest.mark.parametrize("make", METHODS)
def test_canaries_are_not_found_in_the_release(make: Any) -> None:
    """No violation found: people are no nearer to the rows if they were in the table. The attack works on the table
    itself, and on the generator of the thesis."""
    inside, outside = people(400, seed=5), people(400, seed=6)
    assert membership(inside, inside, outside) > 0.95
    weak = pv.anonymize(inside, plan(M.NaiveBayesColumns(epsilon=1)).replace(protect=[])).frame
    assert membership(weak, inside, outside) > 0.65
    for epsilon in (1, 10):
        promise = pv.DifferentialPrivacy(epsilon=epsilon, delta=1e-6)
        frame = pv.anonymize(inside, plan(make(domains=DOMAINS), promise)).frame
        assert membership(frame, inside, outside) < 0.6


def test_a_column_that_is_misspelt_costs_nothing(tmp_path: Path) -> None:
    budget = pv.Budget(tmp_path / "people.ledger", epsilon=1.2, delta=1e-6)
    before = (tmp_path / "people.ledger").read_bytes()
    with pytest.raises(PlanError, match="no column 'jobb'"):
        pv.anonymize(people(50), plan(M.NaiveBayes(target="jobb", domains=DOMAINS)), budget=budget)
    text = (tmp_path / "people.ledger").read_bytes()
    assert text.startswith(before)
    assert b"synthetic table" not in text


class Exact:
    """Mechanisms without noise, to see what is asked of them."""

    def gaussian(self, counts: np.ndarray, sigma2: Fraction) -> np.ndarray:  # noqa: ARG002
        return counts

    def laplace(self, counts: np.ndarray, scale: Fraction) -> np.ndarray:  # noqa: ARG002
        return counts

    def select(self, scores: np.ndarray, epsilon: Fraction, sensitivity: int) -> int:  # noqa: ARG002
        return int(np.argmax(scores))


def rounds_of_aim(codes: list[np.ndarray], sizes: tuple[int, ...], **told: Any) -> list[tuple[tuple[int, ...], float]]:
    """What AIM measures round by round after the single columns, and what each round costs, of a budget of 15."""
    purse = curator.Purse(Fraction(15), Exact())
    M.AIM(**told).learn(curator.Curator(codes, sizes, purse), {})
    steps = purse.steps[len(sizes) :]
    return [
        (counted.columns, float(chosen.cost + counted.cost))
        for chosen, counted in zip(steps[::2], steps[1::2], strict=True)
        if isinstance(counted, Measured)
    ]


def test_rounds_of_aim_that_teach_nothing_grow_dearer_until_all_is_spent() -> None:
    """Three columns that do not depend on one another. A fifth of a column's share is 1: the single columns take 0.9
    each, and leave 12.3. The first round takes 1 and the second 4; then 7.3 are left, less than two rounds of 16."""
    every = np.arange(8).repeat(10)
    found = rounds_of_aim([every >> j & 1 for j in range(3)], (2, 2, 2))
    assert [cost for _, cost in found] == pytest.approx([1, 4, 7.3], rel=1e-4)


def test_the_tables_of_aim_stay_within_their_share_of_the_cells() -> None:
    """Three equal columns of 30 values: a pair of them takes 900 of 1000 cells, which is too much until the last
    round, and then there is room for one."""
    same = np.arange(30).repeat(10)
    found = [columns for columns, _ in rounds_of_aim([same] * 3, (30, 30, 30), cells=1000)]
    assert [len(columns) for columns in found] == [1] * (len(found) - 1) + [2]


@pytest.mark.parametrize("make", [M.PrivBayes, lambda **told: M.NaiveBayes(target="ill", **told)])
def test_noise_that_would_fill_the_memory_with_rows_costs_nothing(make: Any, tmp_path: Path) -> None:
    budget = pv.Budget(tmp_path / "people.ledger", epsilon=1)
    little = plan(make(domains=DOMAINS), pv.DifferentialPrivacy(epsilon=1e-12, delta=0))
    with pytest.raises(PlanError, match="say how many to draw"):
        pv.anonymize(people(50), little, budget=budget)
    assert budget.entries == ()
    told = pv.anonymize(people(50), plan(make(domains=DOMAINS, rows=20), *little.protect), budget=budget)
    assert told.frame.height == 20

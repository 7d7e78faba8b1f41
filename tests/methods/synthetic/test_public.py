"""Public columns: their rows stay as they are, nothing is spent on them, and the others are drawn given them."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.private.graphical.fit import Noisy, fit
from paravent.private.graphical.sample import sample_given
from paravent.private.public_rows import PublicRows, exact_counts, first_parameters
from paravent.private.transcript import Transcript

M = pv.methods
JOBS = ["cook", "judge", "vet"]
DOMAINS: dict[str, Any] = {"job": JOBS, "ill": [True, False], "pay": {"from": 0, "to": 9999, "cuts": [2500, 5000]}}
BOTH = [M.AIM, M.MST]


def people(rows: int = 2000, seed: int = 1) -> pl.DataFrame:
    """The job follows from the region, the illness from sex and job."""
    rng = np.random.default_rng(seed)
    region, sex = rng.integers(0, 3, rows), rng.integers(0, 2, rows)
    job = np.where(rng.random(rows) < 0.85, region, rng.integers(0, 3, rows))
    return pl.DataFrame(
        {
            "sex": [("f", "m")[i] for i in sex.tolist()],
            "region": [("north", "south", None)[i] for i in region.tolist()],
            "job": [JOBS[i] for i in job.tolist()],
            "ill": (rng.random(rows) < 0.1 + 0.7 * ((job == 2) & (sex == 1))),
            "pay": np.clip(rng.normal(2000 + 2000 * job, 600), 0, 9999).astype(np.int64),
        }
    )


def plan(method: Any, **options: Any) -> pv.Plan:
    roles: dict[str, Any] = {"sex": pv.Quasi(), "region": pv.Quasi(), "ill": pv.Sensitive(), "pay": pv.Insensitive()}
    roles |= options.pop("columns", {})
    promise = [pv.DifferentialPrivacy(epsilon=options.pop("epsilon", 2), delta=1e-6)]
    return pv.Plan(roles, promise, method, **{"person": None, **options})


@pytest.mark.parametrize("make", BOTH)
def test_public_rows_stay_as_they_are_and_the_others_follow_them(make: Any) -> None:
    table = people()
    release = pv.anonymize(table, plan(make(domains=DOMAINS, public=["sex", "region"])))
    kept = ["sex", "region"]
    assert release.frame.columns == table.columns
    assert release.frame.schema == table.schema
    assert release.frame.select(kept).sort(kept).equals(table.select(kept).sort(kept))
    for region, job in (("north", "cook"), ("south", "judge"), (None, "vet")):
        inside = pl.col("region").eq_missing(region)
        real, drawn = (each.filter(inside)["job"].eq(job).mean() for each in (table, release.frame))
        assert real == pytest.approx(0.9, abs=0.03)
        assert drawn == pytest.approx(real, abs=0.06)
    assert release.transcript is not None
    assert pv.verify(release, release.plan)


@pytest.mark.parametrize("make", BOTH)
def test_nothing_is_spent_on_public_columns_alone(make: Any) -> None:
    release = pv.anonymize(people(), plan(make(domains=DOMAINS, public=["sex", "region"])))
    assert release.transcript is not None
    public = {release.transcript.names.index(name) for name in ("sex", "region")}
    measured = [set(step.columns) for step in release.transcript.measured]
    chosen = [set(step.chosen) for step in release.transcript.selections]
    assert measured
    assert not any(columns <= public for columns in [*measured, *chosen])
    assert {frozenset(columns) for columns in measured if len(columns) == 1} == {
        frozenset([at]) for at in range(5) if at not in public
    }
    if make is M.MST:  # three columns to hang on what is public, and no more
        assert len([columns for columns in measured if len(columns) == 2]) == 3
    assert 1.99 < release.verdict.checks[0].level <= 2  # all of it is for the others


@pytest.mark.parametrize("make", BOTH)
def test_the_verdict_the_trace_and_the_transcript_say_what_is_not_protected(make: Any, tmp_path: Path) -> None:
    release = pv.anonymize(people(300), plan(make(domains=DOMAINS, public=("sex", "region"))))
    verdict = str(release.verdict)
    assert "NOT PROTECTED: 'sex', 'region'. Their real rows are released" in verdict
    assert "the same public columns" in verdict
    assert "differ by one row" not in verdict
    assert any("Kept sex, region as they are" in line for line in release.trace)
    assert release.transcript is not None
    release.transcript.save(tmp_path / "t.json")
    again = Transcript.load(tmp_path / "t.json")
    assert again.public == release.transcript.public
    assert sum(again.public.counts) == again.rows == 300  # type: ignore[union-attr]
    with pytest.raises(pv.TableError, match="300 public rows"):
        again.redrawn(rows=10)
    release.write(tmp_path / "out.csv")
    assert pv.verify(tmp_path / "out.csv", release.plan, transcript=tmp_path / "t.json")
    moved = release.frame.with_columns(region=release.frame["region"].reverse())
    assert "not those of their transcript" in str(pv.verify(moved, release.plan, transcript=tmp_path / "t.json"))


def test_a_plan_without_public_columns_says_nothing_of_them() -> None:
    release = pv.anonymize(
        people(300), plan(M.MST(domains={**DOMAINS, "sex": ["f", "m"], "region": ["north", "south"]}))
    )
    assert "NOT PROTECTED" not in str(release.verdict)
    assert release.transcript is not None
    assert release.transcript.public is None
    assert "public" not in release.transcript.to_document()


def test_the_order_of_public_rows_does_not_follow_from_the_others() -> None:
    """A table sorted by its secret column gives the same public rows in the same order as one that is not."""
    table = people(500)
    found = [
        pv.anonymize(each, plan(M.MST(domains=DOMAINS, public=["sex", "region"]))).frame.select("sex", "region")
        for each in (table, table.sort("ill", "pay", "job"))
    ]
    assert found[0].equals(found[1])


@pytest.mark.parametrize("make", BOTH)
def test_what_cannot_be_is_kept_to_beside_public_rows(make: Any) -> None:
    never = [{"sex": "m", "job": "cook"}, {"region": ["south"], "job": ["judge", "cook"]}]
    frame = pv.anonymize(people(), plan(make(domains=DOMAINS, public=["sex", "region"], impossible=never))).frame
    assert frame.filter(sex="m", job="cook").height == 0
    assert set(frame.filter(region="south")["job"]) == {"vet"}
    assert frame.height == 2000


def test_numbers_may_be_public_in_cells_and_are_kept_one_by_one() -> None:
    table = people()
    told = {**DOMAINS, "pay": {"from": 0, "to": 9999, "bins": 4}, "sex": ["f", "m"], "region": ["north", "south"]}
    release = pv.anonymize(table, plan(M.AIM(domains=told, public=["pay"])))
    assert release.frame["pay"].sort().equals(table["pay"].sort())
    assert release.transcript is not None
    assert len(release.transcript.codings[4]["starts"]) == 4  # at exact quarters, which cost nothing
    assert not any("medians" in step.what for step in release.transcript.selections)
    rich = release.frame.filter(pl.col("pay") > 5500)["job"]
    assert (rich == "vet").mean() > 0.7  # type: ignore[operator]


def test_of_people_with_several_rows_those_that_count_are_kept() -> None:
    table = people(900).with_columns(who=pl.int_range(900) // 3)
    method = M.MST(domains=DOMAINS, public=["sex"], rows_each=2)
    wanted = plan(method, columns={"who": pv.Identifier(), "region": pv.Drop()}, person="who")
    release = pv.anonymize(table, wanted)
    assert release.frame.height == 600
    kept = table.filter(pl.int_range(900) % 3 < 2)["sex"]
    assert release.frame["sex"].sort().equals(kept.sort())
    assert "the others of one person of 'who' (2 rows at most)" in str(release.verdict)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"public": ["sexx"]}, "no column 'sexx'"),
        ({"public": ["ill"]}, "'ill' is sensitive in the plan"),
        ({"public": ["sex", "sex"]}, "named twice"),
        ({"public": ["sex"], "rows": 100}, "Leave rows out"),
        ({"public": ["sex", "region"], "impossible": [{"sex": "f", "region": "north"}]}, "are public"),
        ({"public": "sex"}, "public must be"),
        ({"public": ["sex", "region", "job", "pay", "ill"]}, "'ill' is sensitive"),
    ],
)
@pytest.mark.parametrize("make", BOTH)
def test_what_cannot_be_public_is_said_and_costs_nothing(
    make: Any, told: dict[str, Any], words: str, tmp_path: Path
) -> None:
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=2, delta=1e-6)
    with pytest.raises(pv.PlanError, match=words):
        pv.anonymize(people(50), plan(make(domains=DOMAINS, **told)), budget=budget)
    assert budget.entries == ()


def test_a_public_row_beside_which_nothing_can_be_is_said_before_anything_is_spent(tmp_path: Path) -> None:
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=2, delta=1e-6)
    never = [{"sex": "m", "job": JOBS}]
    with pytest.raises(pv.InfeasibleError, match="beside a public row"):
        pv.anonymize(
            people(50), plan(M.MST(domains=DOMAINS, public=["sex", "region"], impossible=never)), budget=budget
        )
    assert budget.entries == ()


def test_all_public_and_too_many_cells_are_refused() -> None:
    table = pl.DataFrame({"a": range(3000), "b": [i * 7 for i in range(3000)], "c": [0, 1, 2] * 1000})
    roles, promise = dict.fromkeys("abc", pv.Insensitive()), [pv.DifferentialPrivacy(epsilon=1, delta=1e-6)]
    with pytest.raises(pv.PlanError, match="nothing to protect"):
        pv.anonymize(table, pv.Plan(roles, promise, M.MST(public=["a", "b", "c"]), person=None))
    with pytest.raises(pv.PlanError, match="9006001 cells together"):
        pv.anonymize(table, pv.Plan(roles, promise, M.MST(public=["a", "b"], domains={"c": [0, 1, 2]}), person=None))


def test_a_plan_with_public_columns_survives_its_file(tmp_path: Path) -> None:
    wanted = plan(M.AIM(domains=DOMAINS, public=["sex", "region"]))
    wanted.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml").method == wanted.method
    assert eval(repr(wanted), {"pv": pv}).method == wanted.method


def test_other_methods_know_no_public_columns() -> None:
    with pytest.raises(TypeError, match="public"):
        M.PrivBayes(public=["sex"])  # type: ignore[call-arg]


def test_rows_are_drawn_by_the_conditional_law_of_the_model() -> None:
    """The oracle: every cell of a model of four columns, summed by hand. Columns 0 and 2 are known; the chances of the
    others given them come from the whole table."""
    sizes = (2, 3, 2, 2)
    rng = np.random.default_rng(3)
    known = {0: rng.integers(0, 2, 6000), 2: rng.integers(0, 2, 6000)}
    exact = exact_counts(known, sizes)
    truth = rng.dirichlet(np.ones(6), size=(2, 2)).reshape(2, 2, 3, 2).transpose(0, 2, 1, 3)
    truth = truth * exact[-1].counts[:, None, :, None]
    measured = [Noisy((0, 1), truth.sum(axis=(2, 3)), 5.0), Noisy((1, 3), truth.sum(axis=(0, 2)), 5.0)]
    measured += [Noisy((2, 3), truth.sum(axis=(0, 1)), 5.0)]
    fitted = fit(sizes, [*exact, *measured], total=6000.0, start=first_parameters(exact, 6000.0), steps=500)
    whole = np.zeros(sizes)
    for cell in product(*map(range, sizes)):
        logs = (table[tuple(cell[at] for at in columns)] for columns, table in fitted.parameters.items())
        whole[cell] = np.exp(sum(logs))
    codes = sample_given(fitted.beliefs, known, 6000, rng)
    assert codes[0] is known[0]
    assert codes[2] is known[2]
    for first, third in product(range(2), repeat=2):
        chances = whole[first, :, third, :] / whole[first, :, third, :].sum()
        inside = (known[0] == first) & (known[2] == third)
        drawn = np.bincount(codes[1][inside] * 2 + codes[3][inside], minlength=6).reshape(3, 2) / inside.sum()
        np.testing.assert_allclose(drawn, chances, atol=4.5 * np.sqrt(0.25 / inside.sum()))
    together = whole.sum(axis=(1, 3)) / whole.sum()
    np.testing.assert_allclose(together, exact[-1].counts / 6000, atol=1e-3)  # what is public is met exactly


def test_public_rows_are_those_of_the_table_whatever_their_type() -> None:
    cells = [pl.Series([2.5, float("nan"), 2.5, None]), pl.Series(["b", "a", "b", "a"])]
    rows = PublicRows.of((0, 3), cells)
    assert rows.values == (("2.5", "b"), (None, "a"))
    assert rows.counts == (2, 2)
    assert [column.to_list() for column in rows.texts()] == [["2.5", "2.5", None, None], ["b", "b", "a", "a"]]
    assert PublicRows.from_document(rows.to_document()) == rows

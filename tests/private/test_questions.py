"""Questions: what they answer, what they cost, and what they refuse before anything is charged."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.private.accounting import Cost
from paravent.private.domains import Bounds
from paravent.private.price import Noise, Price
from paravent.private.quantiles import quantile
from paravent.private.sums import Summing, averaged, correlated, spread, summed

DOMAINS = {"age": range(101), "pay": (0.0, 1000.0), "job": ["cook", "nurse", "pilot"]}
PEOPLE = pl.DataFrame(
    {
        "who": [1, 1, 1, 2, 3, 4, None, 5],
        "age": [30, 40, 50, None, 60, 200, 20, -7],
        "pay": [10.0, float("nan"), 500.0, float("inf"), float("-inf"), 20.0, 30.0, None],
        "job": ["cook", "nurse", "nurse", None, "queen", "nurse", "cook", "cook"],
    }
)
HIGH = "100000"
"""A price that buys almost no noise: the answers are those of the table."""


@pytest.fixture
def budget(tmp_path: Path) -> pv.Budget:
    return pv.Budget(tmp_path / "people.ledger", epsilon=10**9, delta=1e-6, outright=5e-7)


Ask = Callable[..., Any]


@pytest.fixture
def ask(budget: pv.Budget) -> Ask:
    return lambda **named: pv.private(PEOPLE, budget, DOMAINS, epsilon=HIGH, **named)


def counts(answers: Any) -> dict[tuple[str | None, str], int]:
    frame = answers.frame
    return {(row[0], row[1]): round(row[2]) for row in frame.rows()}


def test_cells_that_are_no_value_have_a_meaning(ask: Ask) -> None:
    with ask() as q:
        assert q.count().estimate == 8
        assert q.sum("age").estimate == 30 + 40 + 50 + 60 + 100 + 20 + 0  # clamped; the missing one adds nothing
        assert q.mean("age").estimate == pytest.approx(300 / 7, abs=1e-3)
        assert q.sum("pay").estimate == pytest.approx(10 + 500 + 1000 + 0 + 20 + 30, abs=0.1)  # NaN is missing
        assert q.mean("pay").estimate == pytest.approx(1560 / 6, abs=0.1)
        assert counts(q.histogram("job")) == {
            ("cook", "value"): 3, ("nurse", "value"): 3, ("pilot", "value"): 0, (None, "other"): 1,
            (None, "missing"): 1,
        }  # fmt: skip
        ages = counts(q.histogram("age"))
        assert (ages["100", "value"], ages["0", "value"], ages[None, "missing"], len(ages)) == (1, 1, 1, 102)


def test_other_statistics_are_those_of_the_table(ask: Ask) -> None:
    known = np.array([30, 40, 50, 60, 100, 20, 0])
    with ask() as q:
        assert q.variance("age").estimate == pytest.approx(known.var(), rel=1e-3)
        assert q.quantile("age").estimate == 40
        assert q.quantile("age", 0.9).estimate == 100
        assert q.top("job", 2).frame["job"].sort().to_list() == ["cook", "nurse"]
        both = np.array([[30, 10], [50, 500], [60, 0], [100, 20], [20, 30]])
        assert q.correlation("age", "pay").estimate == pytest.approx(np.corrcoef(both.T)[0, 1], abs=0.01)
        frame = q.group_by("job").agg(n="count", age=("mean", "age")).frame
    rows = {(row["job"], row["job.cell"]): row for row in frame.to_dicts()}
    assert round(rows["nurse", "value"]["n.estimate"]) == 3
    assert rows["nurse", "value"]["age.estimate"] == pytest.approx((40 + 50 + 100) / 3, abs=0.01)
    assert set(rows) == {
        ("cook", "value"), ("nurse", "value"), ("pilot", "value"), (None, "other"), (None, "missing"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"job": "nurse"}, 3),
        ({"job": ["nurse", "cook"]}, 6),
        ({"job": None}, 1),
        ({"age": (40, 60)}, 3),
        ({"age": range(40, 60)}, 2),
        ({"age": 40}, 1),
        ({"age": (0, 999), "job": "nurse"}, 3),
        ({"job": "pilot"}, 0),
        ({"who": ["1", 99]}, 3),  # nobody said what it can hold: any value may be asked for
    ],
)
def test_conditions(ask: Ask, where: dict[str, Any], rows: int) -> None:
    with ask() as q:
        assert q.count(where).estimate == rows


def test_people_take_part_with_so_many_rows(ask: Ask) -> None:
    with ask(person="who", rows=2) as q:
        assert q.count().estimate == 2 + 1 + 1 + 1 + 1  # the third row of 1 and the row of nobody are left out
    with ask(person="who") as q:
        assert counts(q.histogram("job"))["nurse", "value"] == 1
        assert q.count().scale == pytest.approx(1 / 100_000)
    with ask(person="who", rows=4) as q:
        assert q.count().scale == pytest.approx(4 / 100_000)


def test_groups_without_a_domain_need_enough_rows(budget: pv.Budget) -> None:
    many = pl.DataFrame({"job": ["cook"] * 400 + ["queen"], "age": [50] * 401})
    with pv.private(many, budget, {"age": range(101)}) as q:
        found = q.histogram("job", epsilon=1, delta=1e-8)
        assert found.frame["job"].to_list() == ["cook"]
        assert found.cost == Cost.approximate(1, 1e-8)
        grouped = q.group_by("job").agg(n="count", age=("mean", "age"), epsilon=3, delta=1e-8)
        assert grouped.frame["job"].to_list() == ["cook"]
        assert grouped.frame["age.estimate"][0] == pytest.approx(50, abs=5)
        assert grouped.cost == Cost.approximate(1, 1e-8) + Cost.pure(1) * 2
        with pytest.raises(PlanError, match="no domain, so which values it has is a secret"):
            q.histogram("job", epsilon=1)
        with pytest.raises(InfeasibleError, match="outright"):
            q.histogram("job", epsilon=1, delta=1e-6)


def test_the_ledger_has_what_the_answers_say(budget: pv.Budget) -> None:
    with pv.private(PEOPLE, budget, DOMAINS, epsilon=0.3) as q:
        answers = [
            q.count(), q.sum("age"), q.mean("age", rho=0.01), q.variance("age"), q.correlation("age", "pay", rho="1/7"),
            q.quantile("pay"), q.histogram("job", rho=0.02), q.top("job", 3), q.top("job", 3, rho=0.01),
            q.group_by("job").agg(n="count", m=("mean", "age")),
        ]  # fmt: skip
    total = sum((answer.cost for answer in answers), Cost())
    assert budget.spent == total
    by_hand = 5 * 0.3**2 / 2 + 0.01 + 1 / 7 + 0.02
    by_hand += 3 * (0.15 / 3) ** 2 / 8 + 0.15**2 / 2 + 0.01  # top: three choices at a third of one half, and counts
    assert float(total.rho) == pytest.approx(by_hand, abs=1e-9)
    assert [entry.what for entry in budget.entries] == [answer.what for answer in answers]
    assert all(answer.private for answer in answers)


def test_an_answer_is_charged_before_it_is_drawn(budget: pv.Budget, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> np.ndarray:
        assert [entry.what for entry in budget.entries] == ["count of rows"]
        raise KeyboardInterrupt

    monkeypatch.setattr(Noise, "add", broken)
    with pv.private(PEOPLE, budget, epsilon=1) as q, pytest.raises(KeyboardInterrupt):
        q.count()
    assert len(budget.entries) == 1  # and it stays charged


def test_overspending_is_refused_with_what_is_left(tmp_path: Path) -> None:
    budget = pv.Budget(tmp_path / "small.ledger", epsilon=1)
    with pv.private(PEOPLE, budget, DOMAINS) as q:
        q.count(epsilon=0.8)
        with pytest.raises(InfeasibleError, match=r"does not hold ε = 0.3 for mean of age: what is left is ε = 0.2 "):
            q.mean("age", epsilon=0.3)
        q.count(epsilon="0.2")


def test_a_ledger_is_bound_to_the_table(budget: pv.Budget) -> None:
    pv.private(PEOPLE, budget)
    with pytest.raises(PlanError, match="of another table"):
        pv.private(PEOPLE.head(3), budget)


def test_a_seed_marks_what_is_not_private(budget: pv.Budget) -> None:
    drawn = []
    for _ in range(2):
        with pv.private(PEOPLE, budget, DOMAINS, epsilon=0.1, unsafe_seed=7) as q:
            drawn.append(q.count())
    assert drawn[0] == drawn[1]
    assert not drawn[0].private
    assert "NOT PRIVATE" in str(drawn[0])
    assert "not private" in budget.entries[0].what
    with pv.private(PEOPLE, budget, DOMAINS, epsilon=0.001) as q:
        assert len({q.count().estimate for _ in range(5)}) > 1


BAD: list[tuple[Callable[[Any], Any], str]] = [
    (lambda q: q.count(epsilon=0), "epsilon must be above 0"),
    (lambda q: q.count(epsilon=-1), "epsilon must be a number from 0"),
    (lambda q: q.count(epsilon=1, rho=1), "an epsilon or a rho"),
    (lambda q: q.count(), "what may the answer cost"),
    (lambda q: q.count({"jobb": "x"}, epsilon=1), "no column 'jobb'"),
    (lambda q: q.count({"job": "nursse"}, epsilon=1), "'nursse' is not among the values .* Did you mean 'nurse'"),
    (lambda q: q.first_above(3, [{"job": "queen"}], epsilon=1), "'queen' is not among the values"),
    (lambda q: q.group_by("job").agg({"job": ["cook", "queen"]}, n="count", epsilon=1), "'queen' is not among"),
    (lambda q: q.count({"age": (60, 40)}, epsilon=1), "The lower one comes first"),
    (lambda q: q.mean("who", epsilon=1), "column 'who' has no domain"),
    (lambda q: q.mean("job", epsilon=1), "has categories, not bounds"),
    (lambda q: q.mean("nowhere", epsilon=1), "no column 'nowhere'"),
    (lambda q: q.quantile("age", 1.5, epsilon=1), "between 0 and 1"),
    (lambda q: q.histogram("pay", epsilon=1), "bins=10"),
    (lambda q: q.histogram("job", bins=3, epsilon=1), "Leave bins out"),
    (lambda q: q.histogram("age", bins=0, epsilon=1), "1 to 101 bins, not 0"),
    (lambda q: q.histogram("who", rho=1, delta=1e-9), "in epsilon, not in rho"),
    (lambda q: q.top("job", 4, epsilon=1), "count must be from 1 to 3"),
    (lambda q: q.top("age", epsilon=1), "has bounds, not categories"),
    (lambda q: q.group_by(), "at least one column"),
    (lambda q: q.group_by("job").agg(epsilon=1), "say what is wanted"),
    (lambda q: q.group_by("job").agg(n="cuont", epsilon=1), 'must be "count"'),
    (lambda q: q.group_by("job").agg(n=("maen", "age"), epsilon=1), "no statistic 'maen'"),
    (lambda q: q.mean(3, epsilon=1), "column must be a text"),
]


@pytest.mark.parametrize(("question", "sentence"), BAD, ids=[sentence for _, sentence in BAD])
def test_bad_questions_get_a_sentence_and_cost_nothing(
    budget: pv.Budget, question: Callable[[Any], Any], sentence: str
) -> None:
    with pv.private(PEOPLE, budget, DOMAINS) as q, pytest.raises(PlanError, match=sentence):
        question(q)
    assert budget.entries == ()


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ({"domains": {"agee": (0, 1)}}, "no column 'agee'"),
        ({"domains": {"age": (90, 17)}}, "The lower bound comes first"),
        ({"domains": {"age": (17, float("inf"))}}, "are not finite"),
        ({"domains": {"age": 5}}, "must be two bounds"),
        ({"domains": {"job": []}}, "names no values"),
        ({"domains": {"job": ["a", "a"]}}, "twice"),
        ({"domains": {"age": range(5, 5)}}, "at least two numbers"),
        ({"domains": {"age": range(2**40)}}, "beyond 2\\^30"),
        ({"person": "whom"}, "person: the table has no column 'whom'"),
        ({"person": "who", "rows": 0}, "at least 1 row"),
        ({"rows": 3}, "each row is a person"),
    ],
)
def test_bad_words_get_a_sentence(budget: pv.Budget, named: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlanError, match=sentence):
        pv.private(PEOPLE, budget, **named)


def test_nothing_is_asked_after_the_end(ask: Ask) -> None:
    with ask() as q:
        pass
    with pytest.raises(PlanError, match="the questions are over"):
        q.count()


COLUMN = st.one_of(
    *(
        st.lists(st.none() | cells, min_size=1, max_size=6)
        for cells in (st.floats(), st.integers(-(2**62), 2**62), st.text(max_size=4), st.booleans(), st.dates())
    )
)


@settings(max_examples=12)
@given(cells=COLUMN)
def test_no_cell_makes_a_question_fail_or_moves_the_others(
    tmp_path_factory: pytest.TempPathFactory, cells: list[Any]
) -> None:
    """A refusal that depends on somebody's cell would tell of it, and so would labels taken from the data."""
    column = pl.Series("x", cells)
    budget = pv.Budget(tmp_path_factory.mktemp("any") / "a.ledger", epsilon=10**9)
    for domain in ((0, 10), ["a", "1", "true"], range(5)):
        with pv.private(column.to_frame(), budget, {"x": domain}, epsilon=1, unsafe_seed=1) as q:
            labels = q.histogram("x", bins=2 if isinstance(domain, tuple) else None).frame.height
            assert labels == {tuple: 3, list: 5, range: 6}[type(domain)]
            if not isinstance(domain, list):
                for answer in (q.sum("x"), q.mean("x"), q.variance("x"), q.quantile("x"), q.correlation("x", "x")):
                    assert np.isfinite([answer.estimate, answer.low, answer.high]).all()


def test_one_cell_does_not_change_how_others_are_read() -> None:
    from paravent.private.domains import Categories
    from paravent.private.matching import plain_text

    whole, with_half = pl.Series([1, 2, 3]), pl.Series([1.0, 2.0, 3.5])
    domain = Categories(("1", "2"))
    assert domain.codes(whole)[:2].tolist() == domain.codes(with_half)[:2].tolist() == [0, 1]
    assert plain_text(pl.Series(["1", "2.0", "x"])).to_list() == ["1", "2", "x"]


def cell_of(values: np.ndarray, price: Price, chance: np.random.Generator) -> Summing:
    return Summing(np.zeros(len(values), dtype=np.int64), 1, 1, price, chance)


@pytest.mark.parametrize("price", [Price(epsilon=Fraction(1, 2)), Price(rho=Fraction(1, 50))], ids=str)
def test_intervals_hold_as_often_as_they_say(price: Price) -> None:
    """100 drawings of a fixed seed; 95 % confidence leaves 5 misses, and 16 are past all likelihood."""
    chance = np.random.default_rng(5)
    values, more = chance.gamma(3, 10, 300), chance.normal(50, 20, 300)
    bounds = Bounds(0, 100)
    seen, beside = np.clip(values, 0, 100), np.clip(more, 0, 100)
    truths = {
        "sum": seen.sum(), "mean": seen.mean(), "variance": seen.var(), "correlation": np.corrcoef(seen, beside)[0, 1],
        "quantile": np.quantile(seen, 0.25, method="inverted_cdf"),
    }  # fmt: skip
    missed = dict.fromkeys(truths, 0)
    for _ in range(100):
        found = {
            "sum": summed(cell_of(values, price, chance), values, bounds),
            "mean": averaged(cell_of(values, price, chance), values, bounds),
            "variance": spread(cell_of(values, price, chance), values, bounds),
            "correlation": correlated(cell_of(values, price, chance), (values, more), (bounds, bounds)),
            "quantile": quantile(values, bounds, 0.25, price, 1, chance),
        }
        for name, estimate in found.items():
            missed[name] += not estimate.low[0] - 1e-3 <= truths[name] <= estimate.high[0] + 1e-3
    assert max(missed.values()) < 16, missed


def test_nothing_that_is_shown_holds_a_cell(tmp_path: Path) -> None:
    """Whoever looks at a question in a notebook sees what it is, and nobody's row."""
    frame = pl.DataFrame({"sex": ["f", "m"] * 20, "name": [f"Quilla{i}" for i in range(40)]})
    with pv.private(frame, pv.Budget(tmp_path / "l", epsilon=1), {"sex": ["f", "m"]}) as q:  # type: ignore[operator]
        for shown in (q, q.group_by("sex"), q.group_by("sex").asking, q.group_by("sex").asking.rows):
            assert "Quilla" not in repr(shown) + str(shown)
        assert repr(q.group_by("sex")) == "Groups(columns=('sex',))"

"""The laws of every model, on random tables: brute force in fractions, monotonicity where it is claimed, bounds, and
indifference to the order of rows, classes and categories."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paravent.hierarchy.builders import groups
from paravent.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    MaximumRisk,
    Model,
    PopulationUniqueness,
    SampleUniqueness,
    TCloseness,
)
from paravent.privacy.classes import Classes

Make = Callable[..., Classes]
Lists = list[list[int]]
VALUES = range(5)
TREE = groups({"low": ["0", "1"], "mid": ["2"], "high": ["3", "4"]})
ORDER = ("3", "0", "4", "1", "2")
held = st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=9)
tables = st.lists(held, min_size=1, max_size=5)
shares = st.sampled_from([0, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 1 / 3, 0.3333, 0.4, 0.5, 0.6, 0.75, 1])


def share(count: int, of: int) -> Fraction:
    return Fraction(count, of)


def distributions(lists: Lists) -> tuple[list[list[Fraction]], list[Fraction]]:
    rows = [value for held in lists for value in held]
    of_class = [[share(held.count(v), len(held)) for v in VALUES] for held in lists]
    return of_class, [share(rows.count(v), len(rows)) for v in VALUES]


def written(number: float) -> Fraction:
    return Fraction(str(number))


def texts(lists: Lists) -> list[list[str]]:
    return [[str(value) for value in held] for held in lists]


def emd(p: Sequence[Fraction], q: Sequence[Fraction], order: Sequence[int]) -> Fraction:
    cumulated, total = Fraction(0), Fraction(0)
    for v in order:
        cumulated += p[v] - q[v]
        total += abs(cumulated)
    return total


class TestBruteForce:
    """Every threshold against fractions. The fixture is shared by all examples: it has no state."""

    @given(lists=tables, t=shares)
    def test_equal_distance(self, lists: Lists, t: float, classes_of: Make) -> None:
        of_class, q = distributions(lists)
        expected = [sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2 for p in of_class]
        classes = classes_of(texts(lists))
        assert TCloseness(t, "s").holds(classes).tolist() == [d <= written(t) for d in expected]
        doubled = TCloseness(t, "s", normalised=False)
        assert doubled.holds(classes).tolist() == [2 * d <= written(t) for d in expected]
        assert TCloseness(t, "s").level(classes) == pytest.approx(float(max(expected)))

    @given(lists=tables, t=shares, by_name=st.booleans())
    def test_ordered_distance(self, lists: Lists, t: float, by_name: bool, classes_of: Make) -> None:
        of_class, q = distributions(lists)
        line = [int(v) for v in ORDER] if by_name else list(VALUES)
        line = [v for v in line if q[v] > 0]
        steps = max(len(line) - 1, 1)
        expected = [emd(p, q, line) / steps for p in of_class]
        classes = classes_of(texts(lists) if by_name else lists)
        model = TCloseness(t, "s", distance="ordered", order=ORDER if by_name else None)
        assert model.holds(classes).tolist() == [d <= written(t) for d in expected]
        assert model.level(classes) == pytest.approx(float(max(expected)))

    @given(lists=tables, t=shares)
    def test_hierarchical_distance(self, lists: Lists, t: float, classes_of: Make) -> None:
        of_class, q = distributions(lists)
        parts = [(0,), (1,), (2,), (3,), (4,)], [(0, 1), (2,), (3, 4)]
        expected = [
            sum((abs(sum((p[v] - q[v] for v in part), Fraction(0))) for level in parts for part in level), Fraction(0))
            / 4
            for p in of_class
        ]
        model = TCloseness(t, "s", distance="hierarchical", tree=TREE)
        assert model.holds(classes_of(texts(lists))).tolist() == [d <= written(t) for d in expected]

    @given(lists=tables, beta=st.sampled_from([0, 0.1, 0.25, 0.5, 2 / 3, 1, 1.5, 2, 4]))
    def test_beta_likeness(self, lists: Lists, beta: float, classes_of: Make) -> None:
        of_class, q = distributions(lists)
        gains = [[((a - b) / b, b) for a, b in zip(p, q, strict=True) if b and a > b] for p in of_class]
        classes = classes_of(texts(lists))
        basic = [all(gain <= written(beta) for gain, _ in of) for of in gains]
        assert BetaLikeness(beta, "s", kind="basic").holds(classes).tolist() == basic
        enhanced = [
            kept and all(float(gain) <= -math.log(float(b)) for gain, b in of)
            for kept, of in zip(basic, gains, strict=True)
        ]
        assert BetaLikeness(beta, "s").holds(classes).tolist() == enhanced

    @given(lists=tables, delta=st.sampled_from([0.05, 0.1, 0.5, 0.7, 1, 1.5, 3]))
    def test_delta_disclosure(self, lists: Lists, delta: float, classes_of: Make) -> None:
        of_class, q = distributions(lists)
        found = [max(abs(math.log(a / b)) if a else math.inf for a, b in zip(p, q, strict=True) if b) for p in of_class]
        classes = classes_of(texts(lists))
        assert DeltaDisclosure(delta, "s").holds(classes).tolist() == [d < delta for d in found]
        assert DeltaDisclosure(delta, "s").level(classes) == pytest.approx(max(found))

    @given(lists=tables, alpha=shares, k=st.integers(1, 6))
    def test_alpha_k(self, lists: Lists, alpha: float, k: int, classes_of: Make) -> None:
        assume(alpha > 0)
        expected = [len(h) >= k and share(max(Counter(h).values()), len(h)) <= written(alpha) for h in lists]
        assert AlphaKAnonymity(alpha, k, "s").holds(classes_of(lists)).tolist() == expected

    @given(lists=tables, least=st.integers(1, 5), epsilon=shares)
    def test_tolerance(self, lists: Lists, least: int, epsilon: float, classes_of: Make) -> None:
        expected = []
        for h in lists:
            ranked = sorted(Counter(h).values(), reverse=True)
            close = len(ranked) >= least and share(ranked[0] - ranked[least - 1], len(h)) <= written(epsilon)
            expected.append(close)
        model = LDiversity(least, "s", kind="tolerance", epsilon=epsilon)
        assert model.holds(classes_of(lists)).tolist() == expected

    @given(lists=tables, risk=shares)
    def test_risks(self, lists: Lists, risk: float, classes_of: Make) -> None:
        assume(risk > 0)
        classes, rows = classes_of(lists), sum(map(len, lists))
        assert MaximumRisk(risk).holds(classes).tolist() == [share(1, len(h)) <= written(risk) for h in lists]
        assert AverageRisk(risk).holds(classes).all() == (share(len(lists), rows) <= written(risk))
        uniques = sum(len(h) == 1 for h in lists)
        assert SampleUniqueness(risk).holds(classes).all() == (share(uniques, rows) <= written(risk))


def of_columns() -> list[Model]:
    return [
        LDiversity(2, "s"),
        LDiversity(1.8, "s", kind="entropy"),
        LDiversity(2, "s", kind="recursive", c=1.6),
        LDiversity(2, "s", kind="tolerance", epsilon=0.2),
        LDiversity(2, "s", kind="tolerance", epsilon=1),
        AlphaKAnonymity(0.6, 2, "s"),
        TCloseness(0.3, "s"),
        TCloseness(0.2, "s", distance="ordered", order=ORDER),
        TCloseness(0.25, "s", distance="hierarchical", tree=TREE),
        BetaLikeness(0.8, "s"),
        BetaLikeness(1, "s", kind="basic"),
        DeltaDisclosure(0.9, "s"),
        KAnonymity(3),
        MaximumRisk(0.34),
        AverageRisk(0.3),
        SampleUniqueness(0.1),
        PopulationUniqueness(0.01, 1000),
        KMap(3, "p"),
        DeltaPresence(0.6, "p"),
        DeltaPresence(0.6, "p", low=0.2),
    ]


def peopled(classes: Classes, people: Sequence[int]) -> Classes:
    return Classes(classes.sizes, classes.histograms, {"p": np.array(people)})


cases = st.tuples(held, st.integers(0, 12))
MODELS = [pytest.param(model, id=repr(model)) for model in of_columns()]
MERGEABLE = [pytest.param(model, id=repr(model)) for model in of_columns() if model.monotone_under_generalization]
DROPPABLE = [pytest.param(model, id=repr(model)) for model in of_columns() if model.monotone_under_suppression]
NAMELESS = [pytest.param(model, id=repr(model)) for model in of_columns() if not model.reads_values]


@pytest.mark.parametrize("model", MERGEABLE)
@given(left=cases, right=cases, rest=held)
def test_the_union_of_two_good_classes_is_good(
    model: Model, left: tuple, right: tuple, rest: list[int], classes_of: Make
) -> None:
    """Where a model says it is monotone. The rest of the table stands by, so that classes differ from it."""
    among = [str(value) for value in (*left[0], *right[0], *rest)]
    people = [len(part[0]) + part[1] for part in (left, right)]
    both = peopled(classes_of(texts([left[0], right[0]]), among=among), people)
    one = peopled(classes_of(texts([left[0] + right[0]]), among=among), [sum(people)])
    if model.holds(both).all():
        assert model.holds(one).all()
    if model.holds_in_part(both).all():
        assert model.holds_in_part(one).all()


@pytest.mark.parametrize("model", DROPPABLE)
@given(lists=st.lists(held, min_size=2, max_size=5), extra=st.lists(st.integers(0, 9), min_size=5, max_size=5))
def test_dropping_classes_breaks_no_other(model: Model, lists: Lists, extra: list[int], classes_of: Make) -> None:
    people = [len(h) + more for h, more in zip(lists, extra, strict=False)]
    before = model.holds(peopled(classes_of(texts(lists)), people))
    after = model.holds(peopled(classes_of(texts(lists[1:])), people[1:]))
    assert all(new or not old for old, new in zip(before[1:], after, strict=True))


@pytest.mark.parametrize(
    ("model", "claims"),
    [
        (LDiversity(2, "s", kind="tolerance", epsilon=0), "generalization"),
        (TCloseness(0.3, "s"), "suppression"),
        (BetaLikeness(0.8, "s", kind="basic"), "suppression"),
        (DeltaDisclosure(0.7, "s"), "suppression"),
        (AverageRisk(0.3), "suppression"),
        (SampleUniqueness(0.1), "suppression"),
    ],
    ids=repr,
)
def test_what_is_not_claimed_has_a_counterexample(model: Model, claims: str, classes_of: Make) -> None:
    assert not getattr(model, f"monotone_under_{claims}")
    rng = np.random.default_rng(0)
    for _ in range(4000):
        lists = [rng.integers(0, 3, rng.integers(1, 9)).tolist() for _ in range(3)]
        classes = classes_of(texts(lists))
        if claims == "generalization":
            merged = classes_of(texts([lists[0] + lists[1], lists[2]]))
            if model.holds(classes).all() and not model.holds(merged).all():
                return
        elif model.holds(classes).all() and not model.holds(classes_of(texts(lists[1:]))).all():
            return
    pytest.fail("no counterexample: the model could claim more")


@pytest.mark.parametrize("model", MODELS)
@given(lists=tables, shuffled=st.randoms(use_true_random=False))
def test_order_does_not_matter(model: Model, lists: Lists, shuffled: object, classes_of: Make) -> None:
    place = list(range(len(lists)))
    shuffled.shuffle(place)  # type: ignore[attr-defined]
    moved = [sorted(lists[i], key=lambda value: (value * 7 + i) % 5) for i in place]
    people = [len(h) + h[0] for h in lists]
    first = peopled(classes_of(texts(lists)), people)
    second = peopled(classes_of(texts(moved)), [people[i] for i in place])
    assert model.holds(second).tolist() == model.holds(first)[place].tolist()
    assert model.level(second) == pytest.approx(model.level(first), nan_ok=True)


@pytest.mark.parametrize("model", NAMELESS)
@given(lists=tables, shift=st.integers(1, 4))
def test_names_of_categories_do_not_matter(model: Model, lists: Lists, shift: int, classes_of: Make) -> None:
    renamed = [[(value + shift) % 5 for value in h] for h in lists]
    people = [len(h) + 1 for h in lists]
    first, second = (peopled(classes_of(texts(table)), people) for table in (lists, renamed))
    assert model.holds(second).tolist() == model.holds(first).tolist()
    assert model.level(second) == pytest.approx(model.level(first))


@given(lists=tables)
def test_bounds(lists: Lists, classes_of: Make) -> None:
    classes = classes_of(texts(lists))
    distinct, effective = LDiversity(1, "s").level(classes), LDiversity(1, "s", kind="entropy").level(classes)
    assert 1 <= effective <= distinct + 1e-9  # Gibbs
    t = TCloseness(1, "s").level(classes)
    hierarchical = TCloseness(1, "s", distance="hierarchical", tree=TREE).level(classes)
    ordered = TCloseness(1, "s", distance="ordered", order=ORDER).level(classes)
    assert 0 <= t <= 1
    assert 0 <= hierarchical <= t + 1e-12
    assert 0 <= ordered <= t + 1e-12  # no two values are farther apart than 1
    assert AverageRisk(1).level(classes) <= MaximumRisk(1).level(classes)
    assert AlphaKAnonymity(1, 1, "s").level(classes) >= 1 / distinct - 1e-12 or distinct == 0


@pytest.mark.parametrize("model", MODELS)
def test_a_model_says_what_it_does(model: Model) -> None:
    for sentence in (model.protects, model.leaves_open):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert sentence.count(". ") == 0
    assert model.describe()
    assert model.key.startswith("privacy.")
    assert eval(repr(model), {name: cls for cls in (type(model),) for name in (cls.__name__,)} | {"pv": _Pv()}) == model


class _Pv:
    groups = staticmethod(groups)


@pytest.mark.parametrize("model", MODELS)
def test_no_class_is_no_failure(model: Model, classes_of: Make) -> None:
    empty = peopled(classes_of([], among=["0", "1"]), [])
    assert model.holds(empty).tolist() == []
    assert model.level(empty) == 0 or isinstance(model, PopulationUniqueness)

"""What models say of themselves, against brute force: the smallest class that can hold, whether its size alone decides,
whether more rows can break it, and what a search may ask in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.kernels.demands import demand_holds
from paravent.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    ColumnAnonymity,
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
from paravent.privacy.k_anonymity import beside_k, k_asked, with_k
from paravent.privacy.people import OfPeople
from paravent.privacy.statistics import Statistics

Make = Callable[..., Classes]

LEAST = [
    (KAnonymity(1), 1),
    (KAnonymity(4), 4),
    (ColumnAnonymity(3), 3),
    (MaximumRisk(1), 1),
    (MaximumRisk(0.34), 3),
    (MaximumRisk(0.25), 4),
    (MaximumRisk(0.2499), 5),
    (AlphaKAnonymity(0.6, 1, "s"), 2),
    (AlphaKAnonymity(0.3, 2, "s"), 4),
    (AlphaKAnonymity(0.5, 5, "s"), 5),
    (LDiversity(3, "s"), 3),
    (LDiversity(2.3, "s", kind="entropy"), 3),
    (LDiversity(2, "s", kind="recursive", c=1.6), 2),
    (LDiversity(2, "s", kind="recursive", c=1), 3),
    (LDiversity(1, "s", kind="recursive", c=0.5), 3),
    (LDiversity(2, "s", kind="recursive", c=0.3), 5),
    (LDiversity(2, "s", kind="tolerance", epsilon=0), 2),
    (SampleUniqueness(0), 2),
    (SampleUniqueness(0.1), 1),
    (AverageRisk(0.3), 1),
    (PopulationUniqueness(0.007, 1000), 1),
    (TCloseness(0.3, "s"), 1),
    (TCloseness(0.6, "s", normalised=False), 1),
    (BetaLikeness(0.8, "s"), 1),
    (DeltaDisclosure(0.9, "s"), 1),
    (KMap(3, "p"), 1),
    (DeltaPresence(0.6, "p"), 1),
]
MODELS = [model for model, _ in LEAST]
ABSORBING = [model for model in MODELS if model.absorbs]
HARMED = [
    AlphaKAnonymity(0.6, 2, "s"),
    LDiversity(1.8, "s", kind="entropy"),
    LDiversity(2, "s", kind="recursive", c=1.6),
    LDiversity(2, "s", kind="tolerance", epsilon=0.2),
    TCloseness(0.3, "s"),
    BetaLikeness(0.8, "s", kind="basic"),
    DeltaDisclosure(0.9, "s"),
    DeltaPresence(0.6, "p"),
]
values = st.lists(st.integers(0, 5), min_size=1, max_size=7)


def peopled(classes: Classes, people: Sequence[int]) -> Classes:
    return Classes(classes.sizes, classes.histograms, {"p": np.array(people)})


def counts_of(total: int, most: int | None = None) -> Iterator[list[int]]:
    """All ways of writing a number as a falling sum: how often the values of a class of so many rows can occur."""
    if total == 0:
        yield []
    for first in range(min(total, most or total), 0, -1):
        for rest in counts_of(total - first, first):
            yield [first, *rest]


def some_class_holds(model: Model, size: int, classes_of: Make) -> bool:
    """Whether any class of so many rows holds: alone in the table, or beside a large one, with a large population."""
    for counts in counts_of(size):
        rows = [value for value, count in enumerate(counts) for _ in range(count)]
        alone = peopled(classes_of([rows]), [99])
        beside = peopled(classes_of([rows, list(range(8)) * 20]), [99, 999])
        if model.holds(alone)[0] or model.holds(beside)[0]:
            return True
    return False


@pytest.mark.parametrize(("model", "least"), LEAST, ids=repr)
def test_no_class_below_the_least_size_holds_and_one_of_it_does(model: Model, least: int, classes_of: Make) -> None:
    assert model.least_size == least
    assert not any(some_class_holds(model, size, classes_of) for size in range(1, least))
    assert some_class_holds(model, least, classes_of)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(lists=st.lists(values, min_size=1, max_size=4), extra=st.integers(0, 9))
def test_random_classes_below_the_least_size_fail(
    model: Model, lists: list[list[int]], extra: int, classes_of: Make
) -> None:
    classes = peopled(classes_of(lists), [len(held) + extra for held in lists])
    assert not model.holds(classes)[classes.sizes < model.least_size].any()
    if model.size_only:
        assert model.holds(classes).tolist() == (classes.sizes >= model.least_size).tolist()
        assert model.holds_in_part(classes).tolist() == (classes.sizes >= model.least_size).tolist()


def test_only_models_of_the_size_say_that_it_decides(classes_of: Make) -> None:
    """For every other model here there are classes of one size of which one holds and one does not."""
    rng = np.random.default_rng(0)
    for model in MODELS:
        verdicts: dict[int, set[bool]] = {}
        for _ in range(300):
            lists = [rng.integers(0, 6, rng.integers(1, 8)).tolist() for _ in range(3)]
            classes = peopled(classes_of(lists), [len(held) + int(rng.integers(0, 4)) for held in lists])
            for size, held in zip(classes.sizes.tolist(), model.holds(classes).tolist(), strict=True):
                verdicts.setdefault(size, set()).add(held)
        differs = any(len(found) == 2 for found in verdicts.values())
        assert differs != model.size_only, model


@pytest.mark.parametrize("model", ABSORBING, ids=repr)
@given(held=values, more=values, rest=values, extra=st.integers(0, 6))
def test_rows_that_join_break_nothing(
    model: Model, held: list[int], more: list[int], rest: list[int], extra: int, classes_of: Make
) -> None:
    among = [*held, *more, *rest]
    before = peopled(classes_of([held], among=among), [len(held) + extra])
    after = peopled(classes_of([held + more], among=among), [len(held) + extra + len(more)])
    assert model.holds(after)[0] or not model.holds(before)[0]


@pytest.mark.parametrize("model", HARMED, ids=repr)
def test_rows_that_join_can_break_the_others(model: Model, classes_of: Make) -> None:
    assert not model.absorbs
    rng = np.random.default_rng(1)
    for _ in range(3000):
        held, more, rest = (rng.integers(0, 3, rng.integers(1, 8)).tolist() for _ in range(3))
        among = [*held, *more, *rest]
        people = len(held) + int(rng.integers(0, 4))
        before = peopled(classes_of([held], among=among), [people])
        after = peopled(classes_of([held + more], among=among), [people + len(more)])
        if model.holds(before)[0] and not model.holds(after)[0]:
            return
    pytest.fail("no rows break it: the model could claim more")


def test_what_is_known_beside_makes_rows_that_join_harmful() -> None:
    """Two values of `s` among those of one `t`; a third row brings a `t` of its own."""
    model = LDiversity(2, "s", knowing=("t",))
    assert not model.absorbs
    statistics = Statistics((model,), {"s": np.array([0, 1, 0]), "t": np.array([0, 0, 1])})
    assert statistics.holds(statistics.classes(np.array([0, 0, -1]), 1)).tolist() == [True]
    assert statistics.holds(statistics.classes(np.array([0, 0, 0]), 1)).tolist() == [False]


STRICTER = [
    (LDiversity(2, "s"), LDiversity(2, "s")),
    (LDiversity(1.8, "s", kind="entropy"), LDiversity(1.8001, "s", kind="entropy")),
    (LDiversity(2, "s", kind="recursive", c=1.6), LDiversity(2, "s", kind="recursive", c=1.5999)),
    (LDiversity(2, "s", kind="recursive", c=1), LDiversity(2, "s", kind="recursive", c=0.9999)),
    (AlphaKAnonymity(0.6, 3, "s"), AlphaKAnonymity(0.5999, 3, "s")),
    (TCloseness(0.3, "s"), TCloseness(0.2999, "s")),
    (TCloseness(0.5, "s", normalised=False), TCloseness(0.4999, "s", normalised=False)),
]


@pytest.mark.parametrize(("model", "stricter"), STRICTER, ids=repr)
@given(held=values, rest=values)
def test_a_demand_asks_what_its_model_does(
    model: Model, stricter: Model, held: list[int], rest: list[int], classes_of: Make
) -> None:
    """Never less; and no more than a trace."""
    table = [*held, *rest]
    codes = np.searchsorted(np.unique(table), table)
    demand = model.as_demand({"other": codes, "s": codes})
    assert demand is not None
    assert demand.column == 1
    counts = np.bincount(codes[: len(held)], minlength=int(codes.max()) + 1)
    asked = demand_holds(demand, counts) and len(held) >= model.least_size
    classes = classes_of([held], among=table)
    assert model.holds(classes)[0] or not asked
    assert asked or not stricter.holds(classes)[0]


@pytest.mark.parametrize(
    "model",
    [
        LDiversity(2, "s", knowing=("t",)),
        AverageRisk(0.2),
        KMap(3, "p"),
        OfPeople(LDiversity(2, "s")),
    ],
    ids=repr,
)
def test_what_a_search_cannot_ask(model: Model) -> None:
    assert model.as_demand({"s": np.array([0, 1]), "t": np.array([0, 1])}) is None


OF_PEOPLE = [model for model in MODELS if model.people is None and not isinstance(model, PopulationUniqueness)]


@pytest.mark.parametrize("model", OF_PEOPLE, ids=repr)
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=14))
def test_of_people(model: Model, rows: list[tuple[int, int, int]]) -> None:
    """Rows are (person, value, class). People have several rows in one class or more."""
    asked = OfPeople(model)
    persons, codes, of_row = (np.unique(column, return_inverse=True)[1].reshape(-1) for column in np.array(rows).T)
    statistics = Statistics((asked,), {"s": codes}, persons=persons)
    n_classes = int(of_row.max()) + 1
    held = statistics.holds(statistics.classes(of_row, n_classes))
    assert not held[np.bincount(of_row) < asked.least_size].any()
    assert not asked.size_only
    if asked.absorbs and n_classes > 1:
        joined = np.where(of_row == 1, 0, np.maximum(of_row - 1, 0))
        assert not held[:2].any() or statistics.holds(statistics.classes(joined, n_classes - 1))[0]


def test_the_size_of_a_class_says_little_of_its_people() -> None:
    statistics = Statistics((OfPeople(KAnonymity(2)),), {}, persons=np.array([0, 0, 1, 2]))
    assert statistics.holds(statistics.classes(np.array([0, 0, 1, 1]), 2)).tolist() == [False, True]


def test_another_k() -> None:
    diverse = LDiversity(2, "s")
    asked = [KAnonymity(3), diverse, KAnonymity(5), MaximumRisk(0.1)]
    assert k_asked(asked) == 5
    assert k_asked([diverse, MaximumRisk(0.1)]) is None
    assert beside_k(asked) == (diverse, MaximumRisk(0.1))
    assert with_k(asked, 2) == (KAnonymity(2), diverse, MaximumRisk(0.1))


def test_a_part_needs_the_counts_of_every_column() -> None:
    statistics = Statistics((KAnonymity(2),), {"s": np.array([0, 1, 0])})
    with pytest.raises(ValueError, match="zip"):
        statistics.part(np.array([3]), [])

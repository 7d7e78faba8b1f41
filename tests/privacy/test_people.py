"""Statistics of people against sets of people: who holds which value in a class, where something else is known."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.people import OfPeople
from paravent.privacy.statistics import Statistics

ROW = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 3))


@given(rows=st.lists(ROW, min_size=1, max_size=14), knows=st.booleans())
def test_people_and_holders_of_a_class(rows: list[tuple[int, int, int, int]], knows: bool) -> None:
    """Rows are (class, what is known, sensitive value, person); a person with several rows is one."""
    there = sorted({row[0] for row in rows})  # every class has rows
    rows = [(there.index(c), *rest) for c, *rest in rows]  # type: ignore[misc]
    of_row, known, ill, persons = (np.array(column) for column in zip(*rows, strict=True))
    model = OfPeople(pv.LDiversity(2, "ill", knowing=("job",) if knows else ()))
    statistics = Statistics((model,), {"ill": ill, "job": known}, persons=persons)
    seen, first = statistics.seen_by(model, statistics.classes(of_row, len(there)))
    wanted: dict[tuple[int, int], dict[int, set[int]]] = {}
    for c, other, value, person in rows:
        wanted.setdefault((c, other if knows else 0), {}).setdefault(value, set()).add(person)
    found = seen.histograms["ill"]
    assert seen.sizes.tolist() == [len(set().union(*wanted[key].values())) for key in sorted(wanted)]
    for i, key in enumerate(sorted(wanted)):
        part = slice(found.start[i], found.start[i + 1])
        counted = dict(zip(found.value[part].tolist(), found.count[part].tolist(), strict=True))
        assert counted == {value: len(who) for value, who in wanted[key].items()}
    for c in set(of_row.tolist()):
        assert int(first[c]) == sorted(wanted).index(min(key for key in wanted if key[0] == c))


def test_merging_classes_may_break_a_share_of_people_who_are_in_both() -> None:
    """Of people, as of rows: shares stay below where everybody is in one class, diversity in numbers always does, and
    what merging rows can break it can break for people."""
    share, number = pv.TCloseness(0.2, "ill"), pv.LDiversity(2, "ill")
    assert not OfPeople(share).monotone_under_generalization
    assert OfPeople(share, apart=True).monotone_under_generalization
    assert OfPeople(number).monotone_under_generalization
    broken = pv.PopulationUniqueness(0.1, 1000)
    assert not broken.monotone_under_generalization
    assert not OfPeople(broken, apart=True).monotone_under_generalization
    assert not OfPeople(broken).monotone_under_generalization


def test_shares_are_of_people() -> None:
    """Four people, two of them in two classes: 1 and 2 in the first, 2, 3 and 4 in the second, 1 in the third."""
    of_row, persons = np.array([0, 0, 1, 1, 1, 2]), np.array([0, 1, 1, 2, 3, 0])
    members = Histogram.of(of_row, 3, persons, np.bincount(persons))
    classes = Classes(np.diff(members.start), {}, members=members)
    assert classes.counted == "people"
    wanted = {(0,): 0.5, (1,): 0.75, (2,): 0.25, (0, 1): 1.0, (0, 2): 0.5, (): 0.0}
    for chosen, share in wanted.items():
        assert classes.share(np.isin(np.arange(3), chosen)) == share


def test_the_table_of_classes_is_without_suppressed_rows() -> None:
    """Closeness is to the distribution that is released: of values 0, 0, 1, 2, 2 the last is left out."""
    ill = np.array([0, 0, 1, 2, 2])
    statistics = Statistics((pv.TCloseness(0.5, "ill"),), {"ill": ill})
    assert statistics.classes(np.array([0, 0, 1, 1, -1]), 2).histograms["ill"].table.tolist() == [2, 1, 1]
    assert statistics.classes(np.array([0, 0, 1, 1, 1]), 2).histograms["ill"].table.tolist() == [2, 1, 2]

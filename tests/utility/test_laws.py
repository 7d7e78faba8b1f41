"""Laws that hold for every table and every kind of release, and counting by hand on tiny ones."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.utility.family import Study, known_families
from paravent.utility.measure import measure
from paravent.utility.queries import relative_errors, workload
from paravent.utility.reading import Reading
from paravent.utility.subject import Subject

from ..plain_trees import METRICS, Node, PlainCosts, PlainTree
from .small import KINDS, PATHS, Small, climbed, releases, tables

SLOW = ("queries", "score")
LOSSES = (
    "utility.gcp",
    "utility.lm",
    "utility.genloss",
    "utility.arx_loss",
    "utility.entropy",
    "utility.ambiguity",
    "utility.cells.changed",
    "utility.alteration.mean",
    "utility.alteration.generalized",
    "utility.alteration.root",
    *(f"utility.alteration.{m}" for m in ("distortion", "ncp", "total", "llm", "nllm", "wllm", "wnllm")),
)
FULL_DOMAIN_LOSSES = ("utility.kl", "utility.dm", "utility.cavg")


@settings(max_examples=35, deadline=None)
@given(releases())
def test_every_measure_has_a_sentence_a_direction_and_keeps_to_its_range(made: tuple[Small, Subject, str]) -> None:
    _, subject, kind = made
    found = measure(subject, *SLOW, study=Study(queries=40))
    for each in found.details():
        low, high = each.range
        assert low - 1e-9 <= each.value <= high + 1e-9, (kind, each)
        assert each.meaning.endswith((".", "2007).", "2008)."))
        assert each.title
        assert each.better in ("lower", "higher", "neither")
    for name, why in found.absent.items():
        assert why.endswith("."), name
        with pytest.raises(KeyError, match="does not apply"):
            found[name]


@settings(max_examples=35, deadline=None)
@given(tables())
def test_nothing_is_lost_where_nothing_is_changed(table: Small) -> None:
    found = measure(table.subject({"age": table.ages, "job": table.jobs}), "queries")
    for name in (*LOSSES, "utility.kl", "utility.distortion", "utility.contingency", "utility.queries.are"):
        if name in found:
            expected = 1 if name == "utility.ambiguity" else 0
            assert found[name] == pytest.approx(expected, abs=1e-9), name
    assert found["utility.prec"] == 1
    assert found["utility.granularity"] == 1
    assert found["risk.hidden_failure.rate"] == 1
    if "utility.il" in found:
        assert found["utility.il"] == pytest.approx(0, abs=1e-9)


@settings(max_examples=35, deadline=None)
@given(tables(), st.data())
def test_measures_never_fall_along_a_chain_of_generalizations(table: Small, data: st.DataObject) -> None:
    levels = {name: [0] * len(table.ages) for name in ("age", "job")}
    before = None
    for _ in range(3):
        shown = {
            name: [climbed(name, v, h) for v, h in zip(table.cells(name), levels[name], strict=True)] for name in levels
        }
        found = measure(table.subject(shown))
        if before is not None:
            for name in LOSSES:
                assert found[name] >= before[name] - 1e-9, name
            assert found["utility.granularity"] <= before["utility.granularity"] + 1e-9
        before = found
        levels = {name: [min(h + data.draw(st.integers(0, 2)), 3) for h in heights] for name, heights in levels.items()}


@settings(max_examples=35, deadline=None)
@given(tables())
def test_full_domain_chains_move_class_sizes_and_precision_one_way(table: Small) -> None:
    before = None
    for levels in ((0, 0), (1, 0), (1, 2), (2, 2), (3, 2), (3, 3)):
        shown = {
            "age": [climbed("age", value, levels[0]) for value in table.ages],
            "job": [climbed("job", value, levels[1]) for value in table.jobs],
        }
        found = measure(table.subject(shown))
        if before is not None:
            for name in FULL_DOMAIN_LOSSES:
                assert found[name] >= before[name] - 1e-9, name
            assert found["utility.prec"] <= before["utility.prec"] + 1e-9
        before = found


# -- counted by hand ---------------------------------------------------------------------------------------------------


def covered(reading: Reading, row: int) -> list[int]:
    return list(reading.covers[reading.codes[row]])


@settings(max_examples=35, deadline=None)
@given(releases(tuple(kind for kind in KINDS if kind not in ("perturbed", "microaggregated"))))
def test_information_by_hand(made: tuple[Small, Subject, str]) -> None:
    table, subject, _ = made
    n = len(table.ages)
    assert subject.kept is not None
    if subject.false_share:  # an interval as written may miss every value that occurs
        return
    rows = {int(row): i for i, row in enumerate(subject.kept)}
    lost = worst = 0.0
    for reading in subject.readings:
        counts = Counter(reading.axis.codes.tolist())
        for row, code in enumerate(reading.axis.codes.tolist()):
            inside = range(len(reading.axis)) if row not in rows else covered(reading, rows[row])
            lost += math.log2(sum(counts[rank] for rank in inside) / counts[code])
            worst += math.log2(n / counts[code])
    found = measure(subject)
    assert found["utility.entropy"] == pytest.approx(lost / worst if worst else 0, abs=1e-9)

    tuples = Counter(zip(*(axis.codes.tolist() for axis in subject.axes), strict=True))
    classes = Counter(subject.of_row.tolist())
    everything = math.prod(len(axis) for axis in subject.axes)
    divergence = ambiguity = 0.0
    for row, key in enumerate(zip(*(axis.codes.tolist() for axis in subject.axes), strict=True)):
        if row in rows:
            area = math.prod(len(covered(reading, rows[row])) for reading in subject.readings)
            share = classes[int(subject.of_row[rows[row]])] / n / area
        else:
            area, share = everything, (n - len(rows)) / n / everything
        divergence += math.log(tuples[key] / n / share) / n
        ambiguity += area / n
    assert found["utility.kl"] == pytest.approx(divergence, abs=1e-9)
    assert found["utility.ambiguity"] == pytest.approx(ambiguity)


@settings(max_examples=35, deadline=None)
@given(releases())
def test_classes_by_hand(made: tuple[Small, Subject, str]) -> None:
    table, subject, _ = made
    n = len(table.ages)
    assert subject.kept is not None
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, row in enumerate(subject.kept.tolist()):
        key = tuple(str(subject.released[name][i]) for name in ("age", "job"))
        groups.setdefault(key, []).append(table.disease[row])
    everyone = Counter(table.disease)
    penalty = n - sum(max(Counter(group).values()) for group in groups.values())
    gain = 0.0
    for group in groups.values():
        here = Counter(group)
        distance = sum(abs(here[v] / len(group) - everyone[v] / n) for v in everyone) / 2
        gain += len(group) / len(subject.kept) * distance
    found = measure(subject)
    assert found["utility.cm.disease"] == pytest.approx(penalty / n)
    assert found["utility.a_know.disease"] == pytest.approx(gain)
    assert found["utility.dm"] == sum(len(g) ** 2 for g in groups.values()) + (n - len(subject.kept)) * n


@settings(max_examples=35, deadline=None)
@given(releases(("tree", "full-domain", "star", "untouched")))
def test_alteration_is_the_cost_of_the_rows(made: tuple[Small, Subject, str]) -> None:
    """Row by row from the definitions, on the trees as they are written; matched or not."""
    table, subject, _ = made
    assert subject.kept is not None
    trees = [PlainTree(PATHS[name]) for name in ("age", "job")]
    labels = [{name: node for path in PATHS[column] for name, node in named(tree, path)} for column, tree in
              zip(("age", "job"), trees, strict=True)]  # fmt: skip
    rows = list(zip(table.ages, table.jobs, strict=True))
    shown = [[tree.root for tree in trees] for _ in rows]
    for i, row in enumerate(subject.kept.tolist()):
        shown[row] = [labels[j][subject.released[name][i]] for j, name in enumerate(("age", "job"))]
    found = measure(subject)
    for metric in METRICS:
        costs = PlainCosts(trees, metric)
        spent = sum(costs.row(row, label) for row, label in zip(rows, shown, strict=True))
        assert found[f"utility.alteration.{metric}"] == pytest.approx(float(100 * spent / costs.most(rows))), metric
    cells = [
        (tree, frozenset([value]), node)
        for row, label in zip(rows, shown, strict=True)
        for tree, value, node in zip(trees, row, label, strict=True)
    ]
    raised = sum(before != after for _, before, after in cells)
    assert found["utility.alteration.generalized"] == pytest.approx(100 * raised / len(cells))
    at_root = sum(after == tree.root for tree, _, after in cells)
    assert found["utility.alteration.root"] == pytest.approx(100 * at_root / len(cells))
    unmatched = measure(Subject(subject.axes, subject.released, None, marked=subject.marked))
    assert unmatched.under("utility.alteration").to_dict() == pytest.approx(found.under("utility.alteration").to_dict())


def named(tree: PlainTree, path: list[str]) -> list[tuple[str, Node]]:
    """Every label on a path with the node that it names."""
    paths = PATHS["age"] if path in PATHS["age"] else PATHS["job"]
    covers = [frozenset(other[0] for other in paths if label in other) for label in path]
    return [(label, tree.lowest(node)) for label, node in zip(path, covers, strict=True)]


@settings(max_examples=35, deadline=None)
@given(releases(), st.integers(0, 5))
def test_queries_by_hand(made: tuple[Small, Subject, str], seed: int) -> None:
    table, subject, _ = made
    study = Study(queries=30, seed=seed, sanity=0.1)
    assert subject.kept is not None
    expected = []
    for _, asked in workload(subject, study):
        for query in asked:
            true = sum(
                all(wanted[subject.axes[j].codes[row]] for j, wanted in query.wanted.items())
                and (query.sensitive is None or bool(query.sensitive[table.disease[row]]))
                for row in range(len(table.ages))
            )
            told = 0.0
            for i, row in enumerate(subject.kept.tolist()):
                share = 1.0 if query.sensitive is None else float(query.sensitive[table.disease[row]])
                for j, wanted in query.wanted.items():
                    inside = covered(subject.readings[j], i)
                    share *= sum(bool(wanted[rank]) for rank in inside) / len(inside)
                told += share
            expected.append(abs(told - true) / max(true, 0.1 * len(table.ages)))
    assert relative_errors(subject, study) == pytest.approx(np.array(expected))
    assert relative_errors(subject, study).tolist() == relative_errors(subject, study).tolist()


@settings(max_examples=35, deadline=None)
@given(releases())
def test_tables_of_two_columns_by_hand(made: tuple[Small, Subject, str]) -> None:
    table, subject, _ = made
    a, b = subject.readings
    old, new = (np.zeros((len(a.axis), len(b.axis))) for _ in range(2))
    for row in range(len(table.ages)):
        old[a.axis.codes[row], b.axis.codes[row]] += 1
    for i in range(subject.released.height):
        left, right = covered(a, i), covered(b, i)
        new[np.ix_(left, right)] += 1 / len(left) / len(right)
    change = np.abs(old / old.sum() - new / new.sum()).sum() / 2
    assert measure(subject)["utility.contingency"] == pytest.approx(change, abs=1e-9)


def test_families_are_found_by_their_names() -> None:
    names = [family.name for family in known_families()]
    assert names[:2] == ["protection", "loss"]
    assert {"alteration", "learning", "queries", "score", "statistics"} <= set(names)
    assert [family.name for family in known_families() if not family.quick] == [
        "learning", "nearest", "queries", "regression", "relinking", "score", "transfer",
    ]  # fmt: skip

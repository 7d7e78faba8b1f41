"""Every attack against the plainest program that does the same, on tables small enough for it."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.privacy.attacks import (
    BackgroundKnowledge,
    Homogeneity,
    Inference,
    Linkability,
    Membership,
    Population,
    RecordLinkage,
    Scene,
    Similarity,
    SinglingOut,
    Skewness,
)
from paravent.privacy.attacks.covering import Covering
from paravent.privacy.attacks.links import Links

AGES = ["20", "21", "29", "[20, 24]", "[21;29[", "]20, 29]", "> 24", "<= 21", "{20, 29}", "20~25", "*", None]
JOBS = ["clerk", "nurse", "pilot", "{clerk, nurse}", "*", None]


def covers_age(label: str | None, age: int | None) -> bool:
    if label in (None, "*") or age is None:
        return True
    tests = {
        "[20, 24]": 20 <= age <= 24,
        "[21;29[": 21 <= age < 29,
        "]20, 29]": 20 < age <= 29,
        "> 24": age > 24,
        "<= 21": age <= 21,
        "{20, 29}": age in (20, 29),
        "20~25": 20 <= age <= 25,
    }
    return tests[label] if label in tests else int(label) == age


def covers_job(label: str | None, job: str | None) -> bool:
    if label in (None, "*") or job is None:
        return True
    return job in ("clerk", "nurse") if label.startswith("{") else label == job


releases = st.lists(
    st.tuples(st.sampled_from(AGES), st.sampled_from(JOBS), st.sampled_from("xyz")), min_size=1, max_size=12
)
populations = st.lists(
    st.tuples(
        st.sampled_from([20, 21, 24, 25, 29, 35, None]), st.sampled_from(["clerk", "nurse", "pilot", "cook", None])
    ),
    min_size=1,
    max_size=12,
)


def scene_of(release: list[tuple], people: list[tuple] | None = None) -> Scene:
    frame = pl.DataFrame(release, schema={"age": pl.String, "job": pl.String, "s": pl.String}, orient="row")
    population = None
    if people is not None:
        population = Population(pl.DataFrame(people, schema={"age": pl.Int64, "job": pl.String}, orient="row"))
    return Scene(frame, ("age", "job"), ("s",), people=population, original=population)


def fits(row: tuple, person: tuple) -> bool:
    return covers_age(row[0], person[0]) and covers_job(row[1], person[1])


@given(releases, populations)
def test_who_fits_what(release: list[tuple], people: list[tuple]) -> None:
    if not any(job is not None for _, job in people) or not any(age is not None for age, _ in people):
        return
    scene = scene_of(release, people)
    population = scene.people
    assert population is not None
    links = scene.links(population, ("age", "job"))
    assert links.rows_of_person.tolist() == [sum(fits(row, person) for row in release) for person in people]
    assert links.people_of_row.tolist() == [sum(fits(row, person) for person in people) for row in release]
    every = np.array(list(product(range(len(people)), range(len(release)))))
    assert links.fits(every[:, 0], every[:, 1]).tolist() == [fits(release[r], people[p]) for p, r in every]


@given(releases, populations)
def test_linkage_and_membership(release: list[tuple], people: list[tuple]) -> None:
    if not any(job is not None for _, job in people) or not any(age is not None for age, _ in people):
        return
    scene = scene_of(release, people)
    fitting = [[i for i, row in enumerate(release) if fits(row, person)] for person in people]
    found = RecordLinkage().run(scene)
    assert found.exposed.tolist() == sorted({rows[0] for rows in fitting if len(rows) == 1})
    assert found.people is not None
    assert found.people.tolist() == [j for j, rows in enumerate(fitting) if len(rows) == 1]
    assert found["max"] == max((1 / len(rows) for rows in fitting if rows), default=0.0)
    chances = [min(1.0, sum(1 / sum(fits(release[i], other) for other in people) for i in rows)) for rows in fitting]
    assert Membership().chances(scene) == pytest.approx(chances)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("cd")), min_size=1, max_size=10), populations)
def test_exact_linkage_is_a_join(release: list[tuple], people: list[tuple]) -> None:
    frame = pl.DataFrame(release, schema=["job", "other"], orient="row")
    population = pl.DataFrame({"job": [job[:1] if job else None for _, job in people]})
    found = RecordLinkage(exact=True).run(Scene(frame, ("job", "other"), people=Population(population)))
    counts = Counter(row[0] for row in release)
    matches = [counts.get(job, 0) for job in population["job"]]
    assert found["matched"] == pytest.approx(np.mean([m > 0 for m in matches]))
    assert found["unique"] == pytest.approx(np.mean([m == 1 for m in matches]))


@given(releases)
def test_attacks_on_classes(release: list[tuple]) -> None:
    scene = scene_of(release)
    held: dict[tuple, Counter] = {}
    for row in release:
        held.setdefault(row[:2], Counter())[row[2]] += 1
    table, n = Counter(row[2] for row in release), len(release)
    homogeneous = Homogeneity(column="s", common=0.3).run(scene)
    assert homogeneous.exposed.tolist() == [i for i, row in enumerate(release) if len(held[row[:2]]) == 1]
    common = {value for value, count in table.items() if count >= 0.3 * n}
    assert homogeneous["ruled_out"] == pytest.approx(np.mean([bool(common - set(held[row[:2]])) for row in release]))
    absent = [sum(c for v, c in table.items() if v not in held[row[:2]]) / n for row in release]
    assert homogeneous["absent"] == pytest.approx(np.mean(absent))

    def skewed(row: tuple) -> bool:
        own = held[row[:2]]
        size = own.total()
        return any(c * n >= 2 * table[v] * size and 2 * c >= size for v, c in own.items())

    assert Skewness(column="s").run(scene).exposed.tolist() == [i for i, row in enumerate(release) if skewed(row)]
    prior, exclude = {"x": 0.25}, [v for v in "y" if v in table]
    weights = {v: (0.25 if v == "x" else 0.0 if v in exclude else 1.0) for v in table}
    known = BackgroundKnowledge(
        column="s", prior={v: w for v, w in prior.items() if v in table}, exclude=exclude, belief=0.6
    ).run(scene)

    def surest(row: tuple) -> float:
        weighed = {v: c * weights[v] for v, c in held[row[:2]].items()}
        return max(weighed.values()) / sum(weighed.values()) if sum(weighed.values()) else 0.0

    if any(w != 1.0 for w in weights.values()):
        assert known.exposed.tolist() == [i for i, row in enumerate(release) if surest(row) >= 0.6]

    def worst(row: tuple) -> float:
        own = held[row[:2]]
        choices = [own.keys() - {out} for out in own] if len(own) > 1 else [set(own)]
        return max(max(own[v] for v in left) / sum(own[v] for v in left) for left in [*choices, set(own)])

    found = BackgroundKnowledge(column="s", belief=0.6).run(scene)
    assert found.exposed.tolist() == [i for i, row in enumerate(release) if worst(row) >= 0.6]
    groups = {"xy": ["x", "y"], "z": ["z"]}
    close = Similarity(column="s", tree=groups).run(scene)
    alike = [i for i, row in enumerate(release) if set(held[row[:2]]) <= {"x", "y"} or set(held[row[:2]]) == {"z"}]
    assert close.exposed.tolist() == alike


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9) | st.none()), min_size=1, max_size=12),
    st.integers(0, 4),
)
def test_numbers_within_a_radius(rows: list[tuple], radius: int) -> None:
    frame = pl.DataFrame(rows, schema={"q": pl.String, "s": pl.Int64}, orient="row")
    found = Similarity(column="s", radius=radius).run(Scene(frame, ("q",), ("s",)))
    expected = []
    for i, (q, _) in enumerate(rows):
        values = [s for other, s in rows if other == q]
        if None not in values and max(values) - min(values) <= 2 * radius:
            expected.append(i)
    assert found.exposed.tolist() == expected


@given(releases, populations, st.integers(0, 3))
def test_singled_out_means_one_person(release: list[tuple], people: list[tuple], seed: int) -> None:
    """All descriptions over all columns are tried here, so the rate can be counted."""
    if not any(job is not None for _, job in people) or not any(age is not None for age, _ in people):
        return
    found = SinglingOut(known=("age", "job"), combinations=1, seed=seed).run(scene_of(release, people))
    counts = Counter(row[:2] for row in release)
    rarest = [cells for cells, n in counts.items() if n == min(counts.values())]
    hits = [cells for cells in rarest if sum(fits(cells, person) for person in people) == 1]
    assert found["attempts"] == len(rarest)
    assert found["attack"] == len(hits) / len(rarest)
    assert {release[i][:2] for i in found.exposed} == set(hits)


@given(releases, populations, st.data())
def test_inference_votes(release: list[tuple], people: list[tuple], data: st.DataObject) -> None:
    if not any(job is not None for _, job in people) or not any(age is not None for age, _ in people):
        return
    secrets = [data.draw(st.sampled_from("xyz")) for _ in people]
    scene = scene_of(release, people)
    population = scene.original
    assert population is not None
    population = Population(population.frame.with_columns(pl.Series("s", secrets)))
    scene = Scene(scene.released, scene.quasi, scene.sensitive, original=population)
    ages, jobs = {age for age, _ in people} - {None}, {job for _, job in people} - {None}
    table = Counter(row[2] for row in release)
    right = []
    for person, secret in zip(people, secrets, strict=True):
        fitting = [row for row in release if fits(row, person)]
        if not fitting:
            both = [covers_age(row[0], person[0]) + covers_job(row[1], person[1]) for row in release]
            fitting = [row for row, columns in zip(release, both, strict=True) if columns == max(both)]
        votes: dict[str, float] = {}
        for row in fitting:
            width = max(1, sum(covers_age(row[0], a) for a in ages)) * max(1, sum(covers_job(row[1], j) for j in jobs))
            votes[row[2]] = votes.get(row[2], 0.0) + 1 / width
        top = max(votes.values())
        if sum(abs(v - top) < 1e-9 for v in votes.values()) > 1:
            return  # a tie: decided by rule, and tested below
        right.append(max(votes, key=votes.__getitem__) == secret)
    found = Inference(column="s").run(scene)
    assert found["attack"] == pytest.approx(np.mean(right))
    mode = min((value for value in table if table[value] == max(table.values())), default=None)
    assert found["baseline"] == pytest.approx(np.mean([secret == mode for secret in secrets]))


def test_a_tie_goes_to_the_commonest_value_then_to_the_first() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b", "b", "c"], "s": ["x", "y", "x", "y", "y"]})
    truth = Population(pl.DataFrame({"q": ["a", "b"], "s": ["y", "y"]}))
    assert Inference(column="s").run(Scene(frame, ("q",), ("s",), original=truth))["attack"] == 1.0
    even = frame[:4]
    assert Inference(column="s").run(Scene(even, ("q",), ("s",), original=truth))["attack"] == 0.0  # x stands first


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=8), st.integers(0, 5))
def test_linked_halves_share_a_row(jobs: list[str], seed: int) -> None:
    """With as many neighbours as rows, whoever fits a row in both halves is linked; with none shared, nobody."""
    frame = pl.DataFrame({"job": jobs, "town": [job.upper() for job in jobs]})
    scene = Scene(frame, ("job", "town"), original=Population(frame))
    assert Linkability(neighbours=len(jobs), seed=seed).run(scene)["attack"] == 1.0
    astray = Population(frame.with_columns(pl.Series("town", ["A" if job != "a" else "B" for job in jobs])))
    if {"a", "b"} <= set(jobs):
        apart = Linkability(seed=seed).run(Scene(frame, ("job", "town"), original=astray))
        fitting = {"a": "B", "b": "A", "c": "A"}
        assert all(fitting[job] != job.upper() for job in jobs)
        assert apart["attack"] == 0.0


def test_more_classes_than_fit_a_block() -> None:
    """Words of 64 bits, blocks of classes, chunks of people: every edge."""
    rng = np.random.default_rng(5)
    for n_classes, n_people in ((63, 10), (64, 10), (65, 10), (5000, 40), (130, 9000)):
        low = rng.integers(0, 90, n_classes)
        labels = [f"[{a}, {a + w}]" for a, w in zip(low, rng.integers(0, 30, n_classes), strict=True)]
        towns = rng.choice([*"abcdefghij", "*"], n_classes).tolist()
        ages, homes = rng.integers(0, 120, n_people), rng.choice([*"abcdefghij"], n_people)
        links = Links(
            (
                Covering.of(pl.Series("age", labels), pl.Series("age", ages)),
                Covering.of(pl.Series("town", towns), pl.Series("town", homes)),
            )
        )
        ends = np.array([label[1:-1].split(", ") for label in labels], dtype=int)
        dense = (ages[:, None] >= ends[:, 0]) & (ages[:, None] <= ends[:, 1])
        dense &= (homes[:, None] == np.array(towns)) | (np.array(towns) == "*")
        assert links.rows_of_person.tolist() == dense.sum(axis=1).tolist()
        assert links.people_of_row.tolist() == dense.sum(axis=0).tolist()


def test_a_value_alone_in_its_group_is_close_to_itself() -> None:
    frame = pl.DataFrame({"q": ["1", "1", "2", "2"], "s": ["a", "a", "a", "b"]})
    tree = {"alone": ["a"], "two": ["b", "c"]}
    assert Similarity(column="s", tree=tree).run(Scene(frame, ("q",), ("s",))).exposed.tolist() == [0, 1]

"""Every registered method, treatment, model, attack and measure has an entry, and entries name what exists."""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent import registry
from paravent.knowledge import Knowledge, load
from paravent.methods.method import Method

KNOWN = load(shipped_only=True)


def registered(kind: str) -> dict[str, list[str]]:
    """The registered names that entries of a kind have, each with the keys of those entries."""
    found: dict[str, list[str]] = {}
    for entry in KNOWN.entries(kind):
        if entry.registered is not None:
            found.setdefault(entry.registered, []).append(entry.key)
    return found


def test_every_method_and_treatment_has_an_entry_and_every_entry_a_method_or_treatment() -> None:
    treatments = set(registered("treatment"))
    assert treatments == set(registry.entries("treatment"))
    assert set(registered("algorithm")) - treatments == set(registry.entries("method"))


def test_every_model_has_an_entry() -> None:
    assert set(registered("model")) == set(registry.entries("model"))


def test_every_attack_has_an_entry() -> None:
    assert set(registered("attack")) == {attack.__name__ for attack in pv.attacks.ALL}


def test_a_missing_entry_would_be_seen() -> None:
    from paravent.knowledge.rdf import Graph, know

    less = Graph(bind_namespaces="none")
    less += KNOWN.graph
    less.remove((know("datafly"), None, None))
    assert "Datafly" not in {entry.registered for entry in Knowledge(less).entries("algorithm")}


@pytest.mark.parametrize("name", sorted(registered("model")))
def test_parameters_of_a_model_exist(name: str) -> None:
    model = registry.classes("model")[name]
    fields = {field.name for field in dataclasses.fields(model)}
    for key in registered("model")[name]:
        said = set(KNOWN.entry(key).values("parameterName"))
        assert said <= fields | ({"delta"} if name == "DeltaPresence" else set()), key


def method_of(key: str) -> Method:
    """The method that the call of an entry makes, with something in the place of each input."""
    inputs = {"target": "salary", "l": 2, "levels": {"age": 1}, "domains": {"salary": ["low", "high"]}}
    from paravent.knowledge.replay import called
    from paravent.methods.named import method_named

    return method_named("test", called(KNOWN.entry(key), inputs))


EXECUTABLE = [entry.key for entry in KNOWN.entries("algorithm") if entry.executable and entry.kind != "treatment"]


@pytest.mark.parametrize("key", EXECUTABLE)
def test_an_entry_says_what_its_method_says(key: str) -> None:
    method, entry = method_of(key), KNOWN.entry(key)
    owned = set(entry.values("owns"))
    assert type(method).__name__ == entry.registered
    assert method.gives in owned
    assert f"here-{method.suppresses}" in owned
    assert f"{method.use}-use" in owned
    assert ("many-outputs" if method.many else "one-output") in owned
    assert ("is-optimal" if method.optimal else "not-optimal") in owned
    assert ("hierarchy-required" in owned) == ("trees" in method.needs)
    assert bool({"differentially-private", "private-classes"} & owned) == method.is_mechanism()
    kinds = [KNOWN.entry(value).value("ofCharacteristic") for value in owned]
    assert len(kinds) == len(set(kinds)), "two values of one characteristic"
    targets = {"class-attribute", "numeric-target"} & set(entry.values("requires"))
    assert bool(targets) == bool(method.targets) or method.draws_rows
    assert entry.value("source") == method.source or entry.registered == "Mondrian"


def test_no_k_anonymity_where_the_reference_says_so() -> None:
    without = {
        "anatomy", "bucketization", "slicing", "individual-ranking", "aim", "mst", "priv-bayes", "naive-bayes",
        "naive-bayes-columns",
    }  # fmt: skip
    gives = {"k-anonymous-rows", "private-classes"}
    assert {key for key in EXECUTABLE if not gives & set(KNOWN.entry(key).values("owns"))} == without


@pytest.mark.parametrize(
    ("key", "reference"),
    [
        (entry.key, reference)
        for kind in ("generator", "metric", "attack")
        for entry in KNOWN.entries(kind)
        for reference in entry.values("codeReference")
    ],
)
def test_code_that_is_named_exists(key: str, reference: str) -> None:
    assert callable(resolved(reference)) or key == "execution-seconds"


def test_specifications_name_the_class_of_their_algorithm() -> None:
    for key in EXECUTABLE:
        entry = KNOWN.entry(key)
        (specification,) = entry.values("specifiedBy")
        reference = KNOWN.entry(specification).value("codeReference")
        assert reference is not None
        assert resolved(reference).__name__ == entry.registered


def resolved(reference: str) -> Any:
    module, _, name = reference.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        fields = getattr(found, "__dataclass_fields__", {})
        found = fields[part] if part in fields else getattr(found, part)
    return found


# Measures: names with a column, a model or a threshold in them are patterns.

_HOLES = {
    "COLUMN": r"[\w-]+", "MODEL": r"(?:naive_bayes|logistic|tree)", "T": r"[\d.]+", "WAYS": r"[123]",
    "METRIC": r"(?:distortion|ncp|total|llm|nllm|wllm|wnllm)", "ESTIMATOR": r"(?:pitman|zayatz|snb)",
    "NAME": r"[a-z_]+",
}  # fmt: skip


def pattern(name: str) -> re.Pattern[str]:
    return re.compile(r"\.".join(_HOLES.get(part, re.escape(part)) for part in name.split(".")))


@cache
def measured() -> frozenset[str]:
    """The names of all measures that paravent gives, from a few releases, attacks and risks of small tables."""
    return frozenset(_measured())


def _measured() -> Iterator[str]:
    rows = 240
    table = pl.DataFrame(
        {
            "age": [20 + i * 7 % 60 for i in range(rows)],
            "income": [1000.0 + i * 37 % 5000 for i in range(rows)],
            "job": [("clerk", "cook", "nurse", "pilot")[i % 4] for i in range(rows)],
            "disease": [("flu", "ulcer", "asthma")[i * 5 % 3] for i in range(rows)],
            "weight": [10.0 + i % 3 for i in range(rows)],
            "home": [i // 3 for i in range(rows)],
        }
    )
    drop = {"weight": pv.Drop(), "home": pv.Drop()}
    columns = {
        "age": pv.Quasi(pv.intervals(5, 10, 20)), "income": pv.Quasi(pv.intervals(500, 1000)),
        "job": pv.Quasi(pv.flat()), "disease": pv.Sensitive(), **drop,
    }  # fmt: skip
    models: list[Any] = [
        pv.KAnonymity(3), pv.LDiversity(2, "disease"), pv.LDiversity(1.2, "disease", kind="entropy"),
        pv.LDiversity(2, "disease", kind="recursive", c=5.0), pv.TCloseness(0.9, "disease"),
    ]  # fmt: skip
    release = pv.anonymize(table, pv.Plan(columns, models, pv.methods.Datafly(), suppression=0.1, person=None))
    for family in ((), ("learning",), ("queries",), ("score",), ("relinking",)):
        yield from release.measure(*family, target="disease")
    yield from release.measure("regression", target="income")
    yield from release.attack().measures
    near = pv.attacks.Similarity(column="disease", tree={"stomach": ["ulcer"], "lungs": ["flu", "asthma"]})
    for attacks in (None, [near], [pv.attacks.RecordLinkage(exact=True)]):
        found = pv.attack(release, release.plan, against=table, control=table.head(60), attacks=attacks, attempts=50)
        yield from found.measures
    bucket = {**columns, "age": pv.Quasi(), "income": pv.Quasi()}
    groups = pv.anonymize(table, pv.Plan(bucket, [], pv.methods.Bucketization(l=2), person=None))
    yield from groups.measure("queries")
    domains = {
        "job": ["clerk", "cook", "nurse", "pilot"],
        "disease": ["flu", "ulcer", "asthma"],
        "age": {"from": 0, "to": 99},
    }
    private = pv.DifferentialPrivacy(epsilon=5, delta=1e-6, unsafe_seed=1)
    kept = {"job": pv.Quasi(), "disease": pv.Sensitive(), "age": pv.Quasi(), "income": pv.Drop(), **drop}
    drawn = pv.anonymize(table, pv.Plan(kept, [private], pv.methods.MST(domains=domains), person=None))
    yield from drawn.measure("transfer", "nearest", target="disease")
    yield from drawn.attack(control=table.head(60), attempts=50).measures
    quasi = ["age", "job"]
    yield from pv.risk(table, quasi, population=50_000, weights="weight", household="home", suda=2, original=table)
    yield from pv.risk(table, quasi, population=table)


PATTERNS = {name: entry.key for entry in KNOWN.entries("metric") for name in entry.values("measureName")}


def test_every_measure_has_an_entry() -> None:
    known = [pattern(name) for name in PATTERNS if PATTERNS[name] != "privacy.level"]
    levels = [pattern(name) for name in PATTERNS]
    missing = {
        name
        for name in measured()
        if not any(each.fullmatch(name) for each in (levels if name.startswith("privacy.") else known))
    }
    assert missing == set()


def test_every_entry_of_a_measure_names_one_that_exists() -> None:
    absent = {name for name in PATTERNS if not any(pattern(name).fullmatch(found) for found in measured())}
    assert absent == set()


def test_families_exist_and_all_are_named() -> None:
    named = {entry.value("family") for entry in KNOWN.entries("metric")} - {None}
    assert named == set(registry.entries("family"))


def test_directions_are_those_of_the_measures() -> None:
    rows = pl.DataFrame({"age": [30, 31, 40, 41] * 5, "disease": ["flu", "ulcer"] * 10})
    columns = {"age": pv.Quasi(pv.intervals(5, 10)), "disease": pv.Sensitive()}
    release = pv.anonymize(rows, pv.Plan(columns, pv.KAnonymity(2), person=None))
    found = release.measure()
    for key in ("utility.gcp", "utility.dm", "utility.completeness", "utility.prec", "utility.classes", "risk.uniques"):
        assert KNOWN.entry(key).value("direction") == found.about(key).better

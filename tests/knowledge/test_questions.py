"""Competency questions and the queries of guidance, with answers written from the sources (Ben Fredj 2017)."""

from __future__ import annotations

import pytest

import paravent as pv
from paravent.knowledge import load
from paravent.knowledge.rdf import OPAM, RDF, RDFS, SKOS

KNOWN = load(shipped_only=True)
GRAPH = KNOWN.graph

PERTURBATIVE = {
    "generalization": False, "suppression": False, "microaggregation": True, "bucketization-technique": True,
    "anatomy-technique": False, "slicing-technique": True, "swapping-technique": True, "global-recoding": False,
    "top-coding": False, "bottom-coding": False, "random-noise": True,
}  # fmt: skip
"""The eleven techniques of the thesis (table 23)."""

MATRIX = {
    "mu-argus": "trt published-cells interactive bottom-up full-domain any-use one-output any-size",
    "datafly": "trt published-rows automatic bottom-up full-domain any-use one-output any-size distinct-values",
    "samarati": "lrt published-rows automatic binary-search full-domain any-use many-outputs small-size is-optimal",
    "incognito": "lrt published-none automatic bottom-up full-domain any-use many-outputs small-size is-optimal",
    "bottom-up-generalization": "trt published-none automatic bottom-up subtree classification-use loss-per-anonymity",
    "top-down-specialization": "trt published-none automatic top-down subtree classification-use gain-per-anonymity",
    "mondrian-median": "mrt published-none automatic top-down multidimensional any-use median-of-widest is-heuristic",
    "mondrian-infogain": "mrt published-none automatic top-down multidimensional classification-use weighted-entropy",
    "mondrian-lsd": "mrt published-none automatic top-down multidimensional regression-use weighted-squared-error",
}
"""The characterization of the nine algorithms."""


def test_cq1_techniques_and_whether_they_perturb() -> None:
    found = {row[0]: row[3] for row in KNOWN.ask("CQ1")}
    assert {key: found[key] for key in PERTURBATIVE} == PERTURBATIVE


def test_cq2_the_nine_algorithms_and_their_families() -> None:
    found = {row[0]: row[2] for row in KNOWN.ask("CQ2")}
    families = {"trt": "table-recoding", "lrt": "lattice-recoding", "mrt": "multidimensional-recoding"}
    assert {key: found[key] for key in MATRIX} == {key: families[text.split()[0]] for key, text in MATRIX.items()}


@pytest.mark.parametrize("key", MATRIX)
def test_cq3_characteristics_of_the_nine(key: str) -> None:
    answer = KNOWN.ask("CQ3", algorithm=key)
    assert {row[0] for row in answer} == {key}
    assert set(MATRIX[key].split()) <= {row[2] for row in answer}


def test_cq4_context_of_use() -> None:
    found = {row["algorithm"]: row for row in KNOWN.ask("CQ4").to_dicts()}
    assert found["mondrian-lsd"]["use"] == "regression-use"
    assert "Regression target" in found["mondrian-lsd"]["inputs"]
    assert found["samarati"]["size"] == "small-size"
    assert found["top-down-specialization"]["hierarchies"] == "hierarchy-optional"  # it builds its own for numbers


def test_cq5_every_rule_with_its_sentence() -> None:
    rules = {row["rule"]: row for row in KNOWN.ask("CQ5").to_dicts()}
    assert {f"F{number}" for number in range(1, 14)} <= set(rules)
    assert (rules["F5"]["when"], rules["F5"]["operand"], rules["F5"]["selects"]) == (
        "size-of-data",
        "large",
        "small-size",
    )
    assert all(row["explanation"] for row in rules.values())


def test_cq6_published_evaluations() -> None:
    found = {(row[1], row[3], row[4]) for row in KNOWN.ask("CQ6")}
    assert ("datafly", "utility.dm", 500_000_000.0) in found
    assert {("mondrian-median", "utility.cavg", 100.0), ("mondrian-median", "utility.cavg", 5.0)} <= found


def test_conditions_of_a_published_evaluation() -> None:
    found = {(row[2], row[3]) for row in KNOWN.ask("evaluations-of", algorithm="datafly", requirement="precision")}
    assert found == {("k", 5), ("quasi-identifier-count", 3), ("data-distribution", "dense")}


def test_which_model_counters_which_attack() -> None:
    """Table 21: k-anonymity record linkage, l-diversity homogeneity and background knowledge, t-closeness skewness,
    δ-presence table linkage; similarity is not countered by l-diversity."""
    found = {(row[0], row[1]): row[2] for row in KNOWN.ask("models-and-attacks")}
    for model, attack in (
        ("k-anonymity", "record-linkage"), ("l-diversity", "homogeneity"), ("l-diversity", "background-knowledge"),
        ("t-closeness", "skewness"), ("delta-presence", "table-linkage"),
    ):  # fmt: skip
        assert found[model, attack] is True
    for model, attack in (("l-diversity", "similarity"), ("k-anonymity", "homogeneity"), ("l-diversity", "skewness")):
        assert found[model, attack] is False


def test_context_parameters_of_generalization() -> None:
    found = {row[0]: row[2] for row in KNOWN.ask("context-of", technique="generalization")}
    assert found["tolerated-risk"] == "user"
    assert found["distribution"] == "automatic"
    assert {"suppression-rate", "usage-need", "expected-type", "size-of-data", "roles", "importance"} <= set(found)


def test_algorithms_of_a_technique_with_its_parts() -> None:
    found = {row[0] for row in KNOWN.ask("algorithms-of", technique="generalization")}
    assert set(MATRIX) <= found
    assert "mdav" not in found
    assert {row[0] for row in KNOWN.ask("algorithms-of", technique="multidimensional-recoding")} == {
        "mondrian-infogain", "mondrian-loss", "mondrian-lsd", "mondrian-median",
    }  # fmt: skip


def test_leaves_of_the_requirements_for_a_usage() -> None:
    found = {row[0] for row in KNOWN.ask("leaves-for", usage="classification")}
    assert {"classification", "precision", "completeness", "reidentification"} <= found
    assert found & {"regression", "queries", "correlation-preservation", "quality", "security"} == set()


def test_what_an_algorithm_keeps_because_its_technique_does() -> None:
    assert [row[0] for row in KNOWN.ask("kept-by", algorithm="datafly")] == ["consistency", "exactness", "truthfulness"]
    assert KNOWN.ask("kept-by", algorithm="mdav").rows == ()


def test_metrics_of_a_criterion() -> None:
    found = {row[0] for row in KNOWN.ask("metrics-of", requirement="precision")}
    assert {"utility.gcp", "utility.dm", "utility.cavg"} <= found


def test_attacks_countered_by_what_a_technique_satisfies() -> None:
    assert ("l-diversity", "homogeneity") in KNOWN.ask("attacks-countered", technique="anatomy-technique").rows


def test_a_help_page_has_definition_and_steps() -> None:
    rows = KNOWN.ask("explain", process="datafly").to_dicts()
    assert [row["position"] for row in rows] == list(range(1, 9))
    assert rows[3]["step"] == "Select the one with most distinct values"


def test_every_help_has_the_seven_descriptors() -> None:
    rows = KNOWN.ask("guidance").to_dicts()
    assert {row["help"] for row in rows} == {entry.key for entry in KNOWN.entries("help")}
    described = {row["about"] for row in rows}
    kinds = "technique algorithm model attack metric requirement input context abstraction"
    for kind in kinds.split():
        assert {entry.key for entry in KNOWN.entries(kind)} <= described, kind


def test_other_tools_are_compared() -> None:
    assert [row[0] for row in KNOWN.ask("tools")] == [
        "ARX", "CAT", "µ-Argus", "PARAT", "paravent", "SECRETA", "TIAMAT", "UTD toolbox",
    ]  # fmt: skip


def test_every_text_is_in_both_languages() -> None:
    for predicate in (RDFS.label, SKOS.definition, OPAM["text"], OPAM["question"], OPAM["explanation"]):
        for subject in set(GRAPH.subjects(predicate, None)):
            languages = sorted(str(text.language) for text in GRAPH.objects(subject, predicate))
            assert languages == ["en", "fr"], (subject, predicate)


def test_thirteen_abstractions_and_one_for_each_further_family() -> None:
    keys = set(KNOWN.keys("abstraction"))
    nine = {entry.value("describedBy") for entry in map(KNOWN.entry, MATRIX)}
    assert len(nine) == 9
    assert {"abstraction-trt", "abstraction-lrt", "abstraction-mrt", "abstraction-generalization"} | nine <= keys
    below = set(KNOWN.entry("abstraction-generalization").values("generalizes"))
    assert {"abstraction-trt", "abstraction-lrt", "abstraction-mrt"} <= below
    assert len(KNOWN.entry("abstraction-trt").values("generalizes")) == 4


def test_concepts_and_relations_are_declared() -> None:
    used = {predicate for predicate in GRAPH.predicates() if str(predicate).startswith(str(OPAM))}
    assert [predicate for predicate in used if (predicate, RDFS.label, None) not in GRAPH] == []
    for concept in GRAPH.objects(None, RDF.type):
        assert (concept, RDF.type, None) in GRAPH or not str(concept).startswith(str(OPAM))


def test_thresholds_are_those_of_the_criteria() -> None:
    names = {"distribution-preservation": "distributions", "execution-time": "time"}
    tables = KNOWN.entries("thresholds")
    assert len(tables) == len(pv.knowledge.CRITERIA)
    for entry in tables:
        requirement = entry.value("ofRequirement") or ""
        criterion = pv.knowledge.criterion(names.get(requirement, requirement))
        assert KNOWN.thresholds(requirement) == criterion.thresholds
        assert entry.value("scale") == criterion.gap


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: KNOWN.ask("CQ7"), "no question 'CQ7'. Did you mean"),
        (lambda: KNOWN.ask("metrics-of"), "needs the requirement"),
        (
            lambda: KNOWN.ask("metrics-of", requiremnt="precision"),
            "no parameter 'requiremnt'. Did you mean 'requirement'",
        ),
        (lambda: KNOWN.entry("datafli"), "no entry 'datafli'. Did you mean 'datafly'"),
        (lambda: KNOWN.entries("algoritm"), "no kind 'algoritm'. Did you mean 'algorithm'"),
        (lambda: load(language="de"), "not in 'de'"),
        (lambda: KNOWN.thresholds("security-of-all"), "no entry"),
    ],
)
def test_wrong_names_get_a_sentence(call: object, words: str) -> None:
    with pytest.raises(pv.ParaventError, match=words):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("technique", ["rank-swap", "global-suppression"])
def test_a_technique_without_an_algorithm_of_its_own_has_none(technique: str) -> None:
    assert pv.knowledge.ask("algorithms-of", technique=technique).rows == ()

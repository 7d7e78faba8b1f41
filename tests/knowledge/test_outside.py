"""SPARQL from users: it reads the knowledge, within its time, and nothing else."""

from __future__ import annotations

import pytest

import paravent as pv

CROSS = "SELECT * WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
VALUES = " ".join(f"VALUES ?v{i} {{ {' '.join(map(str, range(40)))} }}" for i in range(8))


def test_an_answer_is_sorted() -> None:
    found = pv.knowledge.query("SELECT ?a WHERE { ?a opam:implements know:multidimensional-recoding }")
    assert [row[0] for row in found] == ["mondrian-infogain", "mondrian-loss", "mondrian-lsd", "mondrian-median"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?a ?b ?c } }", "SERVICE"),
        (
            "SELECT * WHERE { OPTIONAL { { SELECT * { SERVICE SILENT <http://127.0.0.1:9/> { ?a ?b ?c } } } } }",
            "SERVICE",
        ),
        ("SELECT * FROM <http://127.0.0.1:9/x.ttl> WHERE { ?a ?b ?c }", "FROM"),
        ("SELECT * FROM NAMED <file:///etc/passwd> WHERE { GRAPH <file:///etc/passwd> { ?a ?b ?c } }", "FROM"),
        ("# a comment\nPREFIX x: <y:>\nLOAD <http://127.0.0.1:9/x>", "only read"),
        ("INSERT DATA { <a:b> <c:d> <e:f> }", "only read"),
        ("SELECT ?x\nWHERE { ?x a }", "line 2 is not valid SPARQL"),
    ],
)
def test_what_is_refused(query: str, words: str) -> None:
    with pytest.raises(pv.PlanError, match=words):
        pv.knowledge.query(query)


@pytest.mark.parametrize("query", [CROSS, f"SELECT (COUNT(*) AS ?n) WHERE {{ {VALUES} }}"], ids=["joins", "values"])
def test_a_query_without_an_end_is_stopped(query: str) -> None:
    with pytest.raises(pv.PlanError, match=r"stopped after 0\.5 seconds"):
        pv.knowledge.query(query, seconds=0.5)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_that_is_none(seconds: float) -> None:
    with pytest.raises(pv.PlanError, match="seconds must be a number above 0"):
        pv.knowledge.query("ASK { ?a ?b ?c }", seconds=seconds)

"""An expert's layer: changes that are checked, kept as versions, taken back, and held against a newer shipped file."""

from __future__ import annotations

from pathlib import Path

import pytest

import paravent as pv
from paravent.knowledge import Layer, load, shipped, validate
from paravent.knowledge.layer.conflicts import conflicts
from paravent.knowledge.rdf import OPAM, Graph, Literal, know

HEAD = "@prefix opam: <urn:paravent:opam:> .\n@prefix know: <urn:paravent:knowledge:> .\n"


@pytest.fixture
def layer(tmp_path: Path) -> Layer:
    return Layer(tmp_path / "mine.ttl")


def test_the_shipped_knowledge_fits_its_shapes() -> None:
    assert validate.by_shapes(shipped.graph()) == ()


def test_a_changed_help_text_is_shown_and_the_other_language_stays(layer: Layer) -> None:
    french = load(shipped_only=True, language="fr").help("datafly")
    layer.change("datafly", help="Ask Ann first.")
    assert load(layer.path).help("datafly") == "Ask Ann first."
    assert load(layer.path, language="fr").help("datafly") == french
    assert load(shipped_only=True).help("datafly") != "Ask Ann first."


def test_the_usual_layer_is_used_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    Layer().change("k", help="Our k is 10.")
    assert (tmp_path / "paravent" / "knowledge.ttl").exists()
    assert pv.knowledge.help_text("k") == pv.knowledge.show("k").help == "Our k is 10."


def test_an_external_algorithm_is_known_and_not_executable(layer: Layer) -> None:
    layer.add(
        "algorithm", "flock", label="Flock", definition="Herds rows.", implements="clustering-technique",
        requires=["table", "k"], owns=["clustering", "multidimensional", "any-use"], source="Ann 2026",
    )  # fmt: skip
    known = load(layer.path)
    assert not known.entry("flock").executable
    assert "flock" in {row[0] for row in known.ask("algorithms-of", technique="generalization")}
    found = known.suitable({})
    assert [reason.rule for reason in found.marks["flock"]] == ["F13"]
    assert found.marks["flock"][0].sentence == "Flock is known and not executable here."
    with pytest.raises(pv.PlanError, match="'flock' is no algorithm that paravent runs"):
        known.how("flock", None)


def test_evaluation_threshold_and_limit_can_be_changed(layer: Layer) -> None:
    layer.evaluate("datafly", "precision", "utility.gcp", 0.4, source="Ann 2026", given={"k": 5})
    layer.threshold("classification", [1, 2, 3, 4, 5, 6, 7, 8])
    layer.change("large-table", value=1000)
    known = load(layer.path)
    rows = known.ask("evaluations-of", algorithm="datafly", requirement="precision").rows
    assert ("utility.gcp", 0.4, "k", 5, "Ann 2026") in rows
    assert known.thresholds("classification") == (1, 2, 3, 4, 5, 6, 7, 8)
    assert "samarati" in known.suitable({"size-of-data": 1000}).dropped
    assert "samarati" in load(shipped_only=True).suitable({"size-of-data": 1000}).kept


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda layer: layer.add("algorithm", "x", label="X"), "It must implement exactly one technique"),
        (lambda layer: layer.add("algorithm", "datafly", label="X"), "there is an entry 'datafly' already"),
        (lambda layer: layer.add("algorithm", "a b", label="X"), "'a b' is no key"),
        (lambda layer: layer.change("datafly", implements="trees"), "leads to 'trees', which does not exist"),
        (lambda layer: layer.change("datafly", colour="red"), "there is no relation 'colour'"),
        (lambda layer: layer.change("datafly", owns=["any-size", "small-size"]), "two values of one characteristic"),
        (lambda layer: layer.change("datafly", owns="regression-use"), "for regression and must require the target"),
        (lambda layer: layer.threshold("classification", [1, 2, 3]), "eight numbers that rise"),
        (lambda layer: layer.threshold("classification", [1, 2, 3, 4, 5, 6, 7, 7]), "numbers that rise"),
        (lambda layer: layer.change("utility.gcp", direction="up"), "must be lower, higher or neither"),
        (lambda layer: layer.undo(), "no change to take back"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_not_written(layer: Layer, change: object, words: str) -> None:
    with pytest.raises(pv.PlanError, match=words):
        change(layer)  # type: ignore[operator]
    assert not layer.path.exists()


def test_versions_and_undo(layer: Layer) -> None:
    layer.change("datafly", help="One.")
    first = layer.path.read_bytes()
    layer.change("datafly", help="Two.")
    assert [version.number for version in layer.versions] == [1, 2]
    layer.undo()
    assert layer.path.read_bytes() == first
    layer.undo()
    assert not layer.path.exists()
    assert layer.versions == ()


def test_a_layer_edited_by_hand_is_a_version_too(layer: Layer) -> None:
    layer.change("datafly", help="One.")
    layer.path.write_text(layer.path.read_text("utf-8").replace("One.", "By hand."), "utf-8")
    layer.change("samarati", help="Two.")
    assert [version.change for version in layer.versions][1] == "edited by hand"
    layer.undo()
    assert load(layer.path).help("datafly") == "By hand."


def test_a_patch_gives_the_knowledge_with_the_layer(layer: Layer) -> None:
    layer.change("datafly", help="Ask Ann.")
    layer.withdraw("k-anonymity", "counters", "singling-out")
    lines = [line for line in layer.patch().splitlines() if line[:2] in ("A ", "D ")]
    assert [line[0] for line in lines] == ["D", "D", "A"]
    after = {" ".join(term.n3() for term in triple) + " ." for triple in load(layer.path).graph}
    before = {" ".join(term.n3() for term in triple) + " ." for triple in shipped.graph()}
    gone, new = ({line[2:] for line in lines if line[0] == sign} for sign in "DA")
    assert before - gone | new == after


def newer(text: str) -> Graph:
    """Shipped knowledge in which the help of Datafly is another one."""
    graph = Graph(bind_namespaces="none")
    graph += shipped.graph()
    old = next(each for each in graph.objects(know("help-datafly"), OPAM["text"]) if each.language == "en")
    graph.remove((know("help-datafly"), OPAM["text"], old))
    graph.add((know("help-datafly"), OPAM["text"], Literal(text, lang="en")))
    return graph


def test_a_newer_shipped_text_is_a_conflict(layer: Layer, monkeypatch: pytest.MonkeyPatch) -> None:
    layer.change("datafly", help="Mine.")
    assert layer.conflicts() == ()
    graph = newer("Shipped anew.")
    monkeypatch.setattr(shipped, "graph", lambda: graph)
    (conflict,) = layer.conflicts()
    assert (conflict.key, conflict.shipped, conflict.mine) == ("help-datafly", "Shipped anew.", "Mine.")
    layer.keep("help-datafly")
    assert layer.conflicts() == ()
    assert "Mine." in layer.path.read_text("utf-8")
    layer.undo()
    layer.take("help-datafly")
    assert "Mine." not in layer.path.read_text("utf-8")


def test_no_conflict_where_both_say_the_same(layer: Layer) -> None:
    layer.change("datafly", help="Mine.")
    assert conflicts(newer("Mine."), layer.graph()) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("know:a opam:b", "line 1 is not valid Turtle"),
        (HEAD + "know:help-datafly opam:text 'x'@en", "line 3 is not valid Turtle"),
        (HEAD + "know:x a opam:Algoritm .", "no concept 'Algoritm'. Did you mean 'Algorithm'"),
        (HEAD + "know:x opam:text 'x'@en .", "it says not what it is"),
        (HEAD + "know:datafly opam:implments know:table-recoding .", "Did you mean 'implements'"),
        (HEAD + "opam:Algorithm opam:text 'x'@en .", "a layer speaks of entries"),
        (HEAD + "[] a opam:Algorithm .", "a layer speaks of entries"),
        (HEAD + "know:datafly opam:executable 'perhaps' .", "executable is true or false"),
        ("\udcff", "not written in UTF-8"),
    ],
)
def test_a_broken_layer_is_not_loaded_and_the_shipped_knowledge_works(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "broken.ttl"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    known = load(path)
    assert any(words in note for note in known.notes), known.notes
    assert known.notes[-1] == "The shipped knowledge is used without it."
    assert known.help("datafly") == load(shipped_only=True).help("datafly")

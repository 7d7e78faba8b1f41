"""Inputs, rules, pictures and replays."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.knowledge import load
from tests.drawing import generator

KNOWN = load(shipped_only=True)
NINE = {
    "mu-argus", "datafly", "samarati", "incognito", "bottom-up-generalization", "top-down-specialization",
    "mondrian-median", "mondrian-infogain", "mondrian-lsd",
}  # fmt: skip


def test_inputs_from_risk_and_rate() -> None:
    """Ben Fredj 2017: 20 % gives 5, 10 % 10, 5 % 20; 1000 rows and 20 % give 200."""
    assert [pv.knowledge.k_from_risk(risk) for risk in (0.2, 0.1, 0.05, 0.3)] == [5, 10, 20, 4]
    assert pv.knowledge.max_suppressed(1000, 0.2) == 200
    for call in (lambda: pv.knowledge.k_from_risk(20), lambda: pv.knowledge.k_from_risk(0.0)):
        with pytest.raises(pv.PlanError, match="risk must lie above 0 and not above 1"):
            call()


@pytest.mark.parametrize(
    ("context", "kept"),
    [
        ({"expected-type": "multidimensional"}, {"mondrian-median"}),
        ({"expected-type": "full-domain"}, {"datafly", "mu-argus", "samarati", "incognito"}),
        ({"expected-type": "subtree", "target-column": "x"}, {"bottom-up-generalization", "top-down-specialization"}),
        ({"size-of-data": "large"}, {"mu-argus", "datafly", "mondrian-median"}),
        ({"interaction": False}, {"datafly", "samarati", "incognito", "mondrian-median"}),
        ({"target-column": "x"}, NINE),
        ({"target-column": "x", "usage-need": "classification"}, NINE - {"mondrian-lsd"}),
        (
            {"target-column": "x", "usage-need": "regression"},
            NINE - {"mondrian-infogain", "bottom-up-generalization", "top-down-specialization"},
        ),
        ({"target-column": "x", "suppression-rate": 0}, NINE - {"mu-argus"}),
        ({"target-column": "x", "target-nature": "category"}, NINE - {"mondrian-lsd"}),
    ],
)
def test_rules_on_the_nine(context: dict[str, object], kept: set[str]) -> None:
    assert set(KNOWN.suitable(context).kept) & NINE == kept


def test_the_scenario_of_the_thesis() -> None:
    """Large, classification on a salary: Datafly, Median Mondrian and TDS stay, Samarati goes for the size."""
    found = KNOWN.suitable({"size-of-data": "large", "usage-need": "classification", "target-column": "salary"})
    assert {"datafly", "mondrian-median", "top-down-specialization"} <= set(found.kept)
    (reason,) = found.dropped["samarati"]
    assert (reason.rule, "large" in reason.sentence) == ("F5", True)
    assert all(
        reason.sentence.endswith(".") and "{" not in reason.sentence
        for all_ in found.dropped.values()
        for reason in all_
    )


def test_no_suppression_forces_its_limit() -> None:
    assert KNOWN.suitable({"suppression-rate": 0}).forced["datafly"] == {"max-sup": 0}


def test_differential_privacy_is_kept_by_what_gives_it() -> None:
    found = KNOWN.suitable({"wanted-model": "differential-privacy"}, "synthetic-data")
    assert "mst" in found.kept
    assert "naive-bayes-columns" in found.dropped


def test_an_unknown_parameter_of_the_context() -> None:
    with pytest.raises(pv.PlanError, match="Did you mean 'size-of-data'"):
        KNOWN.suitable({"sise-of-data": "large"})


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("key", KNOWN.keys("abstraction"))
def test_every_process_is_drawn_and_told(key: str, language: str) -> None:
    known = load(shipped_only=True, language=language)
    picture = ElementTree.fromstring(known.picture(key))
    names = {"svg": "http://www.w3.org/2000/svg"}
    title, description = picture.find("svg:title", names), picture.find("svg:desc", names)
    assert title is not None
    assert description is not None
    shown = " ".join("".join(text.itertext()) for text in picture.findall("svg:text", names)).replace("- ", "-")
    for step in known.entry(key).values("hasStep"):
        label = known.entry(step).label
        assert label in str(description.text)
        assert label.replace("- ", "-") in shown
    assert picture.get("role") == "img"
    assert picture.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"


TABLE_24 = pl.DataFrame(
    {
        "sex": ["M", "F", "M", "M", "M", "F", "F", "F", "F", "M", "M", "M"],
        "zip": [
            "13050",
            "13051",
            "13050",
            "13050",
            "13051",
            "13050",
            "13061",
            "13061",
            "13060",
            "13061",
            "13060",
            "13061",
        ],
        "salary": [1200, 1300, 1200, 1300, 1500, 1500, 1600, 2000, 2100, 3000, 4000, 4500],
    }
)
COLUMNS = {"sex": pv.Quasi(pv.flat()), "zip": pv.Quasi(pv.prefixes(1, 2)), "salary": pv.Sensitive()}
PLAN = pv.Plan(COLUMNS, pv.KAnonymity(3), person=None)


def test_datafly_is_replayed_on_a_table() -> None:
    """Sex and zip of table 24, k = 3: the zip has most values and climbs first; then all classes have three rows."""
    walk = KNOWN.how("datafly", TABLE_24, PLAN, rows=2)
    assert walk.before == (("M", "13050"), ("F", "13051"))
    assert walk.stages[1].rows == (("M", "1305*"), ("F", "1305*"))
    assert walk.stages[-1].rows[0] is not None
    last = {row["zip"] for row in walk.release.frame.to_dicts()}
    assert walk.stages[-1].rows[0][1] in last
    assert "13050" in str(walk)


def test_a_method_that_needs_a_target_says_so() -> None:
    with pytest.raises(pv.PlanError, match="'mondrian-infogain' needs 'target'"):
        KNOWN.how("mondrian-infogain", TABLE_24, PLAN)
    assert KNOWN.how("mondrian-infogain", TABLE_24, PLAN, target="salary").stages


@pytest.mark.parametrize("format", ["turtle", "xml", "json-ld"])
def test_what_is_exported_is_the_same_knowledge(format: str) -> None:
    from paravent.knowledge.rdf import Graph

    text = KNOWN.export(format)  # type: ignore[arg-type]
    again = Graph().parse(data=text, format=format)
    assert len(again) == len(KNOWN.graph)


def test_the_command_line(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["know", *words])
        return done.exit_code, done.output

    layer = str(tmp_path / "mine.ttl")
    assert run("ask", "CQ6")[1].count("\n") == 4
    assert "Sweeney" in run("show", "datafly")[1]
    assert run("show", "nobody")[0] == 2
    assert run("change", "datafly", "--text", "Ask Ann.", "--layer", layer)[0] == 0
    assert "Ask Ann." in run("show", "datafly", "--layer", layer)[1]
    assert run("check", "--layer", layer)[0] == 0
    Path(layer).write_text("nonsense", encoding="utf-8")
    code, text = run("check", "--layer", layer)
    assert (code, text.startswith(f"{layer}: line 1 is not valid Turtle")) == (1, True)
    code, text = run("show", "datafly", "--layer", layer)
    assert code == 0
    assert "is not loaded" in text


def test_methods_of_diversity_are_shown_without_a_plan() -> None:
    """A drafted plan asks for k-anonymity, which groups of untouched quasi-identifiers cannot give."""
    people = pl.DataFrame({"age": list(range(20, 60)), "disease": ["flu", "ulcer", "cold", "asthma"] * 10})
    for name in ("anatomy", "bucketization"):
        walk = KNOWN.how(name, people, l=2)
        assert walk.release.verdict.holds
        assert [promise.l for promise in walk.release.plan.protect] == [2]


K_ANONYMOUS = [
    entry.key
    for entry in KNOWN.entries("algorithm")
    if entry.executable
    and entry.value("call")
    and "k-anonymous-rows" in entry.values("owns")
    and entry.key != "as-is"  # which generalizes nothing
]


def people() -> pl.DataFrame:
    rng = generator(17, 0)
    ages, codes = rng.integers(20, 60, 60), rng.choice(["13050", "13051", "13060", "13061"], 60)
    jobs, salary = rng.choice(["nurse", "clerk", "smith"], 60), rng.integers(10, 40, 60) * 100
    return pl.DataFrame({"age": ages, "zip": codes, "job": jobs, "salary": salary})


@pytest.mark.parametrize("key", K_ANONYMOUS)
def test_the_last_stage_of_a_replay_is_the_release(key: str) -> None:
    """Whatever a method does on the way, the rows that are shown end as they are released."""
    given = {"target": "salary", "levels": {"age": 1, "zip": 1, "job": 1}}
    columns = {"age": pv.Quasi(pv.intervals(5, 10)), "zip": pv.Quasi(pv.prefixes(1, 2)), "job": pv.Quasi(pv.flat())}
    plan = pv.Plan({**columns, "salary": pv.Sensitive()}, pv.KAnonymity(3), suppression=0.05, person=None)
    if key == "filter":
        plan = plan.replace(suppression=0.2)
    if key == "univariate-optimal":  # it is for one column
        plan = plan.replace(columns={"age": columns["age"]})
    walk = KNOWN.how(key, people(), plan, rows=9, **given)
    assert walk.stages
    assert len(walk.before) == 9
    place = {int(row): at for at, row in enumerate(walk.release.kept)}
    for row, stands in enumerate(walk.stages[-1].rows):
        released = walk.release.frame.select(walk.columns).row(place[row]) if row in place else None
        assert stands == (None if released is None else tuple(map(str, released))), row


def test_merges_are_told_one_by_one() -> None:
    """Two pairs of equal rows and a row alone, k = 2: the row alone joins the pair that is nearest, at the city."""
    zips = pl.DataFrame({"zip": ["13050", "13050", "13061", "13061", "13062"]})
    walk = KNOWN.how("gkaa", zips, pv.Plan({"zip": pv.Quasi(pv.prefixes(1, 2))}, pv.KAnonymity(2), person=None), rows=5)
    assert [stage.words for stage in walk.stages] == ["A class of 1 joined one of 2: together they have 3 rows."]
    assert walk.stages[0].rows == (("13050",), ("13050",), ("1306*",), ("1306*",), ("1306*",))


def test_groups_are_told_in_french() -> None:
    walk = load(shipped_only=True, language="fr").how("mdav", people(), rows=3)
    assert walk.stages[0].words.startswith("Une classe de ")

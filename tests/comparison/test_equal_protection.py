"""Candidates are compared at equal protection only, as their finished tables show it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.comparison.demands import check_demands, demands_of


def k(plan: pv.Plan, number: int, *more: object) -> pv.Plan:
    return plan.replace(protect=[pv.KAnonymity(number), *more])


def test_a_smaller_k_is_never_ranked_beside_a_larger_one_it_misses(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.compare(people, {"weak": k(plan, 2), "strong": k(plan, 10)})
    weak, strong = found["weak"].value("utility.gcp"), found["strong"].value("utility.gcp")
    assert weak is not None
    assert strong is not None
    assert weak < strong  # it loses less, because it protects less
    assert not found.comparable
    assert [level.members for level in found.levels()] == [("strong",), ("weak", "strong")]
    assert found.best == ("strong",)
    said = "\n".join(found.sentences)
    assert "do not protect equally" in said
    assert "weak misses 10-anonymity (privacy.k = 2" in said
    assert "which strong asks for" in said
    assert "1 of the others protects more" in said


def test_the_stronger_one_stands_in_the_weaker_level_and_is_marked(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.compare(people, {"weak": k(plan, 2), "strong": k(plan, 10)})
    level = found.levels()[1]
    document = found.to_document()["levels"][1]["ranking"]
    assert [place.name for place in found.ranking(level)] == ["weak", "strong"]
    assert [(line["name"], line["protects_more"]) for line in document] == [("weak", False), ("strong", True)]


def test_a_missing_l_diversity_is_named(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.compare(people, {"plain": k(plan, 4), "diverse": k(plan, 4, pv.LDiversity(3, "disease"))})
    plain = found["plain"]
    missed = [found.demands[place].describe() for place in found.missed(plain)]
    assert missed == ["distinct 3-diversity of 'disease'"]
    assert found.missed(found["diverse"]) == ()
    assert "plain misses distinct 3-diversity of 'disease'" in "\n".join(found.sentences)


def test_what_a_release_reaches_counts_and_not_what_was_asked(people: pl.DataFrame, plan: pv.Plan) -> None:
    """One class of all rows satisfies every k and every l that the other asks for."""
    whole = k(plan, len(people))
    found = pv.compare(people, {"asks little, gives all": whole, "diverse": k(plan, 5, pv.LDiversity(2, "disease"))})
    assert found.missed(found["asks little, gives all"]) == ()
    assert found.best == ("asks little, gives all",)
    equal = pv.compare(people, {"two": k(plan, 200), "more": k(plan, 240)})
    assert equal["two"].satisfied == equal["more"].satisfied
    assert equal.comparable
    assert "protect equally and can be compared" in equal.sentences[0]


def test_t_closeness_stronger_and_weaker(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.compare(
        people,
        {
            "close": k(plan, 5, pv.TCloseness(0.5, "disease")),
            "closer": k(plan, 5, pv.TCloseness(0.15, "disease")),
        },
    )
    assert [level.members for level in found.levels()] == [("closer",), ("close", "closer")]
    assert "close misses 0.15-closeness of 'disease'" in "\n".join(found.sentences)


def test_calling_fewer_columns_quasi_identifying_is_no_advantage(people: pl.DataFrame, plan: pv.Plan) -> None:
    fewer = plan.replace(columns={name: role for name, role in plan.columns.items() if name != "zip"})
    found = pv.compare(people, {"all": plan, "without zip": fewer})
    assert found.quasi == ("age", "zip", "sex")
    assert [level.members for level in found.levels()] == [("all",), ("all", "without zip")]
    assert "“without zip” misses 5-anonymity (privacy.k = 1" in "\n".join(found.sentences)
    without = found["without zip"]
    assert without.value("risk.prosecutor.max") == 1.0  # whoever knows the zip code finds people
    assert without.value("utility.loss.zip") == 0.0
    dropped = pv.compare(people, [plan, plan.replace(columns={**plan.columns, "zip": pv.Drop()})])
    last = dropped.entries[1]
    assert dropped.missed(last) == ()  # a column that is not there tells nobody anything
    assert last.value("utility.loss.zip") == 1.0


def test_an_identifier_left_in_the_table_is_a_demand_missed(people: pl.DataFrame, plan: pv.Plan) -> None:
    kept = plan.replace(columns={**plan.columns, "name": pv.Insensitive()})
    random = plan.replace(columns={**plan.columns, "name": pv.Identifier("random")})
    found = pv.compare(people, {"removed": plan, "random": random, "kept": kept})
    assert [level.members for level in found.levels()] == [
        ("removed",),
        ("removed", "random"),
        ("removed", "random", "kept"),
    ]
    assert "kept misses 'name' removed (it is released as it is)" in "\n".join(found.sentences)


def test_a_column_that_is_generalized_cannot_be_judged_as_sensitive(people: pl.DataFrame, plan: pv.Plan) -> None:
    diverse = k(plan, 5, pv.LDiversity(2, "disease"))
    generalized = plan.replace(columns={**plan.columns, "disease": pv.Quasi()})
    frame = pv.anonymize(people, generalized).frame
    met = check_demands(frame, generalized, demands_of(diverse))
    assert [one.holds for one in met] == [True, False, True]
    assert "cannot be judged" in met[1].words


def test_a_released_table_that_breaks_its_promise(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.compare(people, {"raw": (plan, people.drop("name")), "real": plan})
    assert "5-anonymity fails" in found["raw"].promise
    assert found.front() == ("real",)
    assert found.best == ("real",)
    assert any("does not hold what its own plan promises" in sentence for sentence in found.sentences)


def test_marked_rows_are_no_class(people: pl.DataFrame, plan: pv.Plan) -> None:
    """Blank rows in the place of suppressed ones are neither counted as a class nor as released."""
    release = pv.anonymize(people, plan)
    blank = release.frame.with_columns(
        pl.when(pl.int_range(pl.len()) < 3)
        .then(pl.lit("*") if name in plan.quasi else None)
        .otherwise(pl.col(name).cast(pl.String))
        .alias(name)
        for name in release.frame.columns
    )
    marked = plan.replace(suppressed="mark", suppression=0.1)
    met = check_demands(blank, marked, demands_of(plan))
    strict = check_demands(blank, plan, demands_of(plan))
    assert met[0].level != 3
    assert strict[0].level == 3


@pytest.mark.parametrize("missing", ["own value", "wildcard", "drop rows", "impute"])
def test_missing_values_do_not_cost_who_leaves_them(people: pl.DataFrame, plan: pv.Plan, missing: str) -> None:
    holes = people.with_columns(pl.when(pl.col("age") % 7 != 0).then(pl.col("age")))
    found = pv.compare(holes, [plan.replace(missing=missing)])
    assert found.reference is not None
    assert found.reference["utility.gcp"] == 0.0
    assert found.reference["risk.prosecutor.average"] == found.entries[0].value("risk.before.prosecutor.average")


def test_demands_about_a_population(people: pl.DataFrame, plan: pv.Plan, tmp_path: Path) -> None:
    """The population is given by name, or lies in a file beside a plan; either way every release is counted in it."""
    everybody = pl.concat([people.select("age", "zip", "sex")] * 3)
    (tmp_path / "here").mkdir()
    everybody.write_csv(tmp_path / "here" / "everybody.csv")
    columns = {**plan.columns, "zip": pv.Quasi()}
    named = plan.replace(columns=columns, protect=[pv.KMap(6, "everybody")])
    filed = plan.replace(columns=columns, protect=[pv.KMap(9, "everybody.csv")], folder=tmp_path / "here")
    found = pv.compare(
        people.with_columns(pl.col("zip").cast(pl.Int64)),
        {"named": named, "filed": filed, "k": plan.replace(columns=columns)},
        populations={"everybody": everybody.with_columns(pl.col("zip").cast(pl.Int64))},
    )
    assert [entry.status for entry in found.entries] == ["done"] * 3, found.sentences
    asked = [place for place, demand in enumerate(found.demands) if isinstance(demand.model, pv.KMap)]
    levels = [[found[name].checks[place].level for place in asked] for name in ("named", "filed")]
    assert all(one == other for one, other in levels)  # the same people, whichever way they were given
    assert levels[0][0] == 6
    assert levels[1][0] == 9
    assert "named misses 9-map" in "\n".join(found.sentences)
    found.save(tmp_path / "c.json")
    back = pv.Comparison.load(tmp_path / "c.json")
    assert back.demands == found.demands
    assert str(back) == str(found)

"""Plans with an epsilon beside plans that generalize: one map, and nobody is left out or stands at 0."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.errors import PlanError
from paravent.report.ru_map import points

DOMAINS = {"age": range(20, 60), "sex": ["f", "m"], "ill": ["no", "yes"]}
COLUMNS = {"age": pv.Quasi(), "sex": pv.Quasi(), "ill": pv.Sensitive()}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rows = [(20 + i % 30, "fm"[i % 2], "yes" if i % 30 > 15 else "no") for i in range(300)]
    return pl.DataFrame(rows, schema=["age", "sex", "ill"], orient="row")


def drawn(epsilon: float, **more: object) -> pv.Plan:
    return pv.Plan(COLUMNS, [pv.DifferentialPrivacy(epsilon=epsilon, **more)], pv.methods.MST(domains=DOMAINS))


PLANS = {"k=15": pv.Plan(COLUMNS, [pv.KAnonymity(15)]), "half": drawn(0.5), "eight": drawn(8)}


@pytest.fixture(scope="module")
def compared(table: pl.DataFrame) -> pv.Comparison:
    return pv.compare(table, PLANS, risk="privacy.epsilon")


def test_candidates_stand_at_their_epsilon_and_the_others_in_a_band_of_their_own(compared: pv.Comparison) -> None:
    found = {point.name: (point.kind, point.risk) for spot in points(compared) for point in (spot, *spot.others)}
    assert found["half"][1] == pytest.approx(0.5, rel=1e-6)
    assert found["eight"][1] == pytest.approx(8, rel=1e-6)
    assert found["k=15"] == ("without", math.inf)
    assert found["original"] == ("original", math.inf)
    assert set(compared.front()) <= {"half", "eight"}


def test_the_map_is_by_factors_where_epsilon_spans_them_and_names_the_band(compared: pv.Comparison) -> None:
    drawn_map = compared.map()
    assert "(logarithmic)" in drawn_map
    assert drawn_map.count(">no ε<") >= 1
    assert "k=15: Privacy loss (epsilon) none" in drawn_map
    alone = pv.compare(pl.DataFrame({"sex": ["f", "m"] * 50}), {
        "one": pv.Plan({}, [pv.DifferentialPrivacy(epsilon=1)], pv.methods.MST(domains={"sex": ["f", "m"]})),
        "two": pv.Plan({}, [pv.DifferentialPrivacy(epsilon=2)], pv.methods.MST(domains={"sex": ["f", "m"]})),
    }, utility="utility.marginals.1.mean", by="utility.marginals.1.mean").map()  # fmt: skip
    assert "(logarithmic)" not in alone


def test_table_and_page_say_who_has_none(compared: pv.Comparison, tmp_path: Path) -> None:
    lines = str(compared).splitlines()
    assert lines[0].split().count("epsilon") == 1
    by_name = {line[2:].split()[0]: line.split() for line in lines[1:5]}
    assert "none" in by_name["k=15"]
    assert "0.5" in by_name["half"]
    assert "none" in lines[1]
    compared.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Diamonds have no epsilon" in page
    assert "These are different protections, and none includes another: with 15-anonymity, k=15 has the lowest" in page
    assert "with (8, 1e-06)-differential privacy, " in page
    assert "epsilon = 8.5 together" in str(compared)


def test_differential_privacy_is_a_demand_that_generalization_misses_and_conversely(compared: pv.Comparison) -> None:
    places = {demand.describe(): place for place, demand in enumerate(compared.demands)}
    strict, loose, k = (places[f"({e:g}, 1e-06)-differential privacy"] for e in (0.5, 8)), None, places["15-anonymity"]
    strict, loose = tuple(strict)
    assert [compared[name].checks[strict].holds for name in PLANS] == [False, True, False]
    assert [compared[name].checks[loose].holds for name in PLANS] == [False, True, True]
    assert [compared[name].checks[k].holds for name in PLANS] == [True, False, False]
    assert "no noise was drawn" in compared["k=15"].checks[loose].words
    assert [level.members for level in compared.levels()] == [("k=15",), ("half",), ("half", "eight")]


def test_counts_and_descriptions_stand_in_where_nobody_says_by_what(table: pl.DataFrame) -> None:
    mixed = pv.compare(table, [PLANS["k=15"], PLANS["eight"]])
    assert mixed.wanted.by == mixed.wanted.utility == "utility.queries.are"
    assert mixed.wanted.risk == "attack.singling_out.all"
    assert all(entry.value(name) is not None for entry in mixed.done for name in vars(mixed.wanted).values())
    assert mixed.reference is not None
    assert mixed.reference["utility.queries.are"] == 0
    assert "control=" in str(mixed)
    synthetic = pv.compare(table, [PLANS["half"], PLANS["eight"]])
    assert (synthetic.wanted.by, synthetic.wanted.risk) == ("utility.marginals.2.mean", "privacy.epsilon")
    plain = pv.compare(table, [PLANS["k=15"]])
    assert (plain.wanted.by, plain.wanted.risk) == ("utility.gcp", "risk.prosecutor.average")


def test_a_measure_that_one_sort_lacks_is_said_and_one_that_nobody_has_is_refused(table: pl.DataFrame) -> None:
    found = pv.compare(table, [PLANS["eight"], PLANS["k=15"]], utility="utility.lm")
    assert "utility.lm does not apply, for the rows are synthetic" in str(found)
    with pytest.raises(
        PlanError, match=r"risk: there is no measure 'privacy.epsilonn'. Did you mean 'privacy.epsilon'"
    ):
        pv.compare(table, list(PLANS.values()), risk="privacy.epsilonn")


def test_noise_from_a_known_seed_has_no_epsilon(table: pl.DataFrame) -> None:
    seeded = drawn(8, unsafe_seed=1)
    found = pv.compare(table, {"seeded": seeded, "eight": PLANS["eight"]}, risk="privacy.epsilon")
    assert found["seeded"].value("privacy.epsilon") is None
    assert [point.kind for point in points(found) if point.name == "seeded"] == ["without"]
    asked = next(place for place in found["eight"].asked if found.demands[place].model is not None)
    assert not found["seeded"].checks[asked].holds
    assert "known seed" in found["seeded"].checks[asked].words


def test_rows_without_their_transcript_promise_nothing(table: pl.DataFrame) -> None:
    release = pv.anonymize(table, PLANS["eight"])
    found = pv.compare(table, {"file": (PLANS["eight"], release.frame), "release": release})
    assert found["file"].promise
    assert found["release"].promise == ""
    assert found["file"].value("utility.marginals.1.mean") == found["release"].value("utility.marginals.1.mean")
    kinds = {point.name: point.kind for spot in points(found) for point in (spot, *spot.others)}
    assert kinds["file"] == "without"
    assert kinds["release"] == "front"


def test_what_is_saved_is_the_same_map(compared: pv.Comparison, tmp_path: Path) -> None:
    compared.save(tmp_path / "c.json")
    again = pv.Comparison.load(tmp_path / "c.json")
    assert again == compared
    assert again.map() == compared.map()
    assert str(again) == str(compared)


def test_a_control_group_is_counted_off(table: pl.DataFrame) -> None:
    others = table.with_columns(age=pl.col("age") + 5)
    found = pv.compare(table, [PLANS["eight"], PLANS["k=15"]], control=others)
    assert all(entry.value("attack.singling_out.all.control") is not None for entry in found.done)
    assert "control=" not in str(found)


def test_nobody_has_an_epsilon(table: pl.DataFrame) -> None:
    found = pv.compare(table, [PLANS["k=15"]], risk="privacy.epsilon")
    assert "No candidate has an epsilon" in str(found)
    assert found.map() == ""


def test_the_command_line_shows_the_band_and_counts_a_control_group_off(table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_csv(tmp_path / "data.csv")
    table.with_columns(age=pl.col("age") + 5).write_csv(tmp_path / "others.csv")
    PLANS["k=15"].save(tmp_path / "k.toml")
    PLANS["eight"].save(tmp_path / "eight.toml")
    asked = ["compare", *(str(tmp_path / name) for name in ("data.csv", "k.toml", "eight.toml"))]
    done = CliRunner().invoke(app, [*asked, "--risk", "privacy.epsilon", "--map", str(tmp_path / "map.svg")])
    assert done.exit_code == 0, done.output
    assert "none" in done.output
    assert "no ε" in (tmp_path / "map.svg").read_text(encoding="utf-8")
    both = CliRunner().invoke(app, [*asked, "--control", str(tmp_path / "others.csv")])
    assert both.exit_code == 0, both.output
    assert "attack.singling_out.all" in both.output
    assert "control=" not in both.output


def test_a_sweep_of_epsilon_is_seen_by_what_synthetic_rows_have(table: pl.DataFrame) -> None:
    found = pv.sweep(table, PLANS["eight"], epsilon=[0.5, 8])
    assert [entry.value("privacy.epsilon") for entry in found.done] == pytest.approx([0.5, 8], rel=1e-6)
    assert found.wanted.risk == "privacy.epsilon"
    assert [len(curve.points) for curve in found.curves("epsilon")] == [2]


def test_a_measure_of_a_family_that_does_not_apply_gets_the_reason_of_the_family(table: pl.DataFrame) -> None:
    pytest.importorskip("sklearn")
    found = pv.compare(
        table, [PLANS["k=15"], PLANS["eight"]], measures=["transfer"], utility="utility.transfer.accuracy",
        risk="attack.inference.ill",
    )  # fmt: skip
    assert "utility.transfer.accuracy does not apply, for cells are generalized" in str(found)
    assert all(entry.value("attack.inference.ill") is not None for entry in found.done)

"""Cautions are part of the release: of the object, of --json, of the last lines and of the report's headline."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cautions.caution import counted
from paravent.cli.app import app
from paravent.report.page import render


def test_education_num_beside_a_generalized_education() -> None:
    table = pv.data.adult()
    columns = {
        "age": pv.Quasi(pv.intervals(5, 10, 20)),
        "sex": pv.Quasi(),
        **{name: pv.Quasi(pv.data.adult_tree_path(name)) for name in ("education", "race", "occupation")},
        "fnlwgt": pv.Identifier(),
    }
    release = pv.anonymize(table, pv.Plan(columns, pv.KAnonymity(50), person=None))
    found = [caution for caution in release.cautions if caution.kind == "redundant-column"]
    assert ("education-num", "education") in [caution.columns for caution in found]
    assert all(caution.serious for caution in found)
    dropped = pv.anonymize(table, pv.Plan({**columns, "education-num": pv.Drop()}, pv.KAnonymity(50), person=None))
    assert "redundant-column" not in [caution.kind for caution in dropped.cautions]


def test_a_column_that_runs_in_step_with_a_generalized_one() -> None:
    rng = np.random.default_rng(2)
    age = rng.integers(18, 90, 2000)
    year = 2024 - age - rng.integers(0, 2, 2000)
    frame = pl.DataFrame({"age": age, "x": year, "y": rng.integers(0, 70, 2000)})
    columns = {"age": pv.Quasi(pv.intervals(20)), "x": pv.Insensitive(), "y": pv.Insensitive()}
    release = pv.anonymize(frame, pv.Plan(columns, pv.KAnonymity(100)))
    assert [c.columns for c in release.cautions if c.kind == "redundant-column"] == [("x", "age")]


def test_a_column_that_was_not_generalized_is_repeated_by_none() -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 200, "title": ["Ms", "Mr"] * 200})
    release = pv.anonymize(frame, pv.Plan({"sex": pv.Quasi(), "title": pv.Insensitive()}, pv.KAnonymity(5)))
    assert "redundant-column" not in [caution.kind for caution in release.cautions]


def test_every_caution_says_what_it_is_about(release: pv.Release) -> None:
    assert release.cautions
    for caution in release.cautions:
        assert caution.severity in ("serious", "note")
        assert caution.sentence.endswith(".")
        assert set(caution.columns) <= set(release.table.names)
        assert caution.to_dict()["kind"] == caution.kind
        assert f"{caution.severity}: {caution.title}." in str(caution)


def test_json_and_the_last_lines_hold_the_cautions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [20] * 5 + [50] * 5, "illness": ["flu"] * 10}).write_csv("t.csv")
    words = ["anonymize", "t.csv", "-q", "age", "-s", "illness", "-k", "5"]
    document = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    kinds = [caution["kind"] for caution in document["cautions"]]
    assert kinds[0] == "given-away"
    assert {"kind", "severity", "columns", "title", "sentence", "remedy"} <= set(document["cautions"][0])
    told = CliRunner().invoke(app, words).stdout
    assert f"{len(kinds)} cautions, 1 of them serious" in told
    assert "SERIOUS: “illness” is given away for 100 % of the rows" in told


def test_what_everybody_of_a_group_has_beside_other_values_is_given_away_and_the_remedy_helps() -> None:
    """Five people of twenty have the flu and something else each: the group has six values, and one is everybody's."""
    rows = [
        (f"p{i}", 20 + 30 * (i // 5), illness)
        for i in range(10)
        for illness in (f"other {i % 5}", "flu" if i < 5 else "cough")
    ]
    table = pl.DataFrame(rows, schema=["who", "age", "illness"], orient="row")
    columns = {"who": pv.Identifier(), "age": pv.Quasi(), "illness": pv.Sensitive()}
    l_diverse = pv.LDiversity(2, "illness")
    plan = pv.Plan(columns, [pv.KAnonymity(5), l_diverse], person="who")
    release = pv.anonymize(table, plan)
    (found,) = (caution for caution in release.cautions if caution.kind == "given-away")
    assert release.measure()["privacy.distinct_l.illness"] >= 2
    assert "(α, k)-anonymity" in found.remedy
    asked = plan.replace(protect=[pv.KAnonymity(5), l_diverse, pv.AlphaKAnonymity(0.9, 5, "illness")])
    assert "given-away" not in {caution.kind for caution in pv.anonymize(table, asked).cautions}


def test_the_headline_is_amber_with_their_number(anonymized: Callable[..., pv.Release]) -> None:
    release = anonymized()
    serious = sum(caution.serious for caution in release.cautions)
    assert serious > 0
    page = render(release)
    assert 'class="verdict amber"' in page
    assert f"{serious} serious caution" in page


def test_the_headline_is_not_amber_without_a_serious_one() -> None:
    frame = pl.DataFrame({"age": np.repeat(np.arange(20, 40), 20), "ill": ["a", "b", "c", "d"] * 100})
    columns = {"age": pv.Quasi(), "ill": pv.Sensitive()}
    release = pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(5), pv.LDiversity(3, "ill")]))
    assert not any(caution.serious for caution in release.cautions)
    assert 'class="verdict holds"' in render(release)


def test_counting_in_words() -> None:
    assert counted([]) == "no caution"


def test_cells_that_were_moved_single_nobody_out_but_names_stay_names() -> None:
    rows = 60
    frame = pl.DataFrame(
        {
            "age": [20 + i % 3 for i in range(rows)],
            "name": [f"Ann Smith {i}" for i in range(rows)],
            "pay": [1000 + 17 * i for i in range(rows)],
            "hours": [i % 20 for i in range(rows)],
        }
    )
    roles = {"age": pv.Quasi(pv.intervals(10)), **dict.fromkeys(("name", "pay", "hours"), pv.Insensitive())}
    treat = [pv.treatments.Shuffle(name) for name in ("name", "pay", "hours")]
    told = {(one.kind, one.columns): one for one in pv.anonymize(frame, pv.Plan(roles, pv.KAnonymity(5))).cautions}
    assert ("identifying-column", ("pay",)) in told
    assert ("singling-out", ("hours",)) in told
    moved = pv.anonymize(frame, pv.Plan(roles, pv.KAnonymity(5), treat=treat)).cautions
    assert [one.columns for one in moved if one.kind in ("identifying-column", "singling-out")] == [("name",)]
    assert "may stand in other rows" in next(str(one) for one in moved if one.kind == "identifying-column")


def test_sensitive_values_that_differ_in_every_row_link_them_to_other_tables() -> None:
    frame = pl.DataFrame(
        {"age": [20 + i % 3 for i in range(60)], "bill": [12.5 + 7.31 * i for i in range(60)], "ill": ["a", "b"] * 30}
    )
    plan = pv.Plan(
        {"age": pv.Quasi(pv.intervals(10)), "bill": pv.Sensitive(), "ill": pv.Sensitive()},
        [pv.KAnonymity(5), pv.LDiversity(2, "bill"), pv.LDiversity(2, "ill")],
    )

    def linking(treated: pv.Plan) -> list[tuple[str, ...]]:
        return [one.columns for one in pv.anonymize(frame, treated).cautions if one.kind == "linking-values"]

    assert linking(plan) == [("bill",)]
    assert linking(plan.replace(treat=[pv.treatments.Round("bill", base=100)])) == []
    noisy = plan.replace(protect=[pv.KAnonymity(5)], treat=[pv.treatments.Noise("bill", scale=0.1)])
    assert linking(noisy) == []

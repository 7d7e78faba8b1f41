"""Rare values leave through labels: intervals end on a grid, groups are named neutrally, names are never listed."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.hierarchy.cells import read_interval
from paravent.table.text import as_text

N = 60


def columns(seed: int) -> dict[str, pl.Series]:
    """A column of every kind whose values lie on a line and of which single people hold one."""
    rng = np.random.default_rng(seed)
    day = dt.date(1940, 1, 1)
    moment = dt.datetime(2020, 1, 1)
    micros = rng.integers(0, 86_400_000_000, N).tolist()
    return {
        "income": pl.Series(rng.normal(30_000, 9_000, N).round(2)),
        "tiny": pl.Series(rng.normal(0, 1e-7, N)),
        "wide": pl.Series(rng.lognormal(8, 3, N).round(3)),
        "number": pl.Series(rng.integers(-50_000, 90_000, N)),
        "born": pl.Series([day + dt.timedelta(days=int(d)) for d in rng.integers(0, 25_000, N)]),
        "seen": pl.Series([day + dt.timedelta(days=int(d)) for d in rng.integers(0, 900, N)]),
        "when": pl.Series([moment + dt.timedelta(microseconds=40 * m) for m in micros]),
        "zoned": pl.Series([moment + dt.timedelta(microseconds=m) for m in micros]).dt.replace_time_zone("UTC"),
        "hour": pl.Series([(dt.datetime.min + dt.timedelta(microseconds=m)).time() for m in micros]),
    }


METHODS: list[Any] = [
    pv.methods.Mondrian(),
    pv.methods.Mondrian(labels="interval"),
    pv.methods.Mondrian(labels="set"),
    pv.methods.LocalRecoding(effort="fast"),
    pv.methods.MDAV(publish="interval"),
    pv.methods.KMember(),
]
TREES: list[Any] = [None, pv.balanced(), pv.quantiles(8, 4, 2), pv.ordered_groups(3, 2)]


@pytest.mark.parametrize("name", list(columns(0)))
@given(
    seed=st.integers(0, 10_000),
    method=st.sampled_from(METHODS),
    tree=st.sampled_from(TREES),
    missing=st.booleans(),
)
@settings(max_examples=8)
def test_every_label_can_be_read_and_no_interval_ends_at_a_value(
    name: str, seed: int, method: Any, tree: Any, missing: bool
) -> None:
    values = columns(seed)[name]
    if missing:
        values = pl.select(pl.when(pl.Series(np.arange(N) % 17 > 0)).then(values)).to_series()
    frame = pl.DataFrame({name: values, "sick": ["yes", "no"] * (N // 2)})
    plan = pv.Plan(
        {name: pv.Quasi(tree, missing="own value" if missing else None), "sick": pv.Sensitive()},
        pv.KAnonymity(4),
        method,
    )
    release = pv.anonymize(frame, plan)
    labels = [label for label in release.frame[name].cast(pl.String).unique().to_list() if label is not None]
    texts = set(as_text(values.drop_nulls()).to_list())
    for label in labels:
        if label in ("*", "(missing)") or label in texts:
            continue
        assert read_interval(label) is not None, label
        ends = re.fullmatch(r"\[(.+), (.+)[\]\[]", label)
        assert ends is not None, label
        alone = values.drop_nulls().is_unique()
        single = set(as_text(values.drop_nulls().filter(alone)).to_list())
        if name not in ("number", "seen", "born"):  # by chance one may lie on a bound of whole numbers or days
            assert not single & {ends[1], ends[2]}, label
    released = release.frame.with_columns(pl.col(name).cast(pl.String))
    assert pv.verify(released, plan)
    assert 0 <= pv.measure(frame, released, plan)["utility.gcp"] <= 1
    assert (
        pv.attack(released, plan, original=frame, attacks=[pv.attacks.RecordLinkage])["attack.linkage"]["max"]
        <= 0.25 + 1e-12
    )


def test_dates_do_not_end_at_birthdays() -> None:
    born = columns(3)["born"]
    release = pv.anonymize(pl.DataFrame({"born": born}), pv.Plan({"born": pv.Quasi()}, pv.KAnonymity(5)))
    for label in release.frame["born"].unique().to_list():
        assert re.fullmatch(r"\[\d{4}-01-01, \d{4}-12-31\]", label), label


def test_the_plan_may_ask_for_exact_bounds() -> None:
    pay = columns(3)["income"]
    plan = pv.Plan({"income": pv.Quasi(bounds="exact")}, pv.KAnonymity(5))
    assert pv.Plan.from_document(plan.to_document()) == plan
    texts = set(as_text(pay).to_list())
    for label in pv.anonymize(pl.DataFrame({"income": pay}), plan).frame["income"].unique().to_list():
        assert set(label[1:-1].split(", ")) <= texts


def test_whole_numbers_of_a_small_range_stay_exact() -> None:
    age = pl.Series(np.random.default_rng(1).integers(17, 91, 500))
    rounded, exact = (
        pv.anonymize(pl.DataFrame({"age": age}), pv.Plan({"age": pv.Quasi(bounds=bounds)}, pv.KAnonymity(5)))
        for bounds in ("rounded", "exact")
    )
    assert rounded.frame.equals(exact.frame)


def test_an_outlier_is_rounded_by_its_distance() -> None:
    pay = pl.Series([*np.random.default_rng(1).normal(30_000, 5_000, 200).round(2).tolist(), 987_654_321.0])
    release = pv.anonymize(pl.DataFrame({"pay": pay}), pv.Plan({"pay": pv.Quasi()}, pv.KAnonymity(5)))
    highest = max(read_interval(label).high for label in release.frame["pay"].unique().to_list())  # type: ignore[union-attr]
    assert 987_654_321 < highest <= 1_000_000_000
    assert highest % 1_000_000 == 0


NAMES = [f"{first}{i}" for i in range(150) for first in ("Fatima", "Jean", "Olga", "Wei")]


def test_a_near_unique_column_of_names_is_refused_with_a_proposal(tmp_path: Any, monkeypatch: Any) -> None:
    frame = pl.DataFrame({"who": NAMES, "age": [30, 31, 32, 33] * 150})
    with pytest.raises(pv.PlanError, match=r"pv\.Drop\(\).*pv\.prefixes\(\).*pv\.by_frequency\(\)"):
        pv.anonymize(frame, pv.Plan({"who": pv.Quasi(), "age": pv.Quasi()}, pv.KAnonymity(5)))
    monkeypatch.chdir(tmp_path)
    frame.write_csv("t.csv")
    done = CliRunner().invoke(app, ["anonymize", "t.csv", "-q", "who,age", "-k", "5", "-o", "out.csv"])
    assert done.exit_code == 2
    assert "--tree 'who=by_frequency()'" in done.stderr
    assert "pv." not in done.stderr


@pytest.mark.parametrize(
    "method", [pv.methods.Mondrian(), pv.methods.LocalRecoding(effort="fast"), pv.methods.Datafly()]
)
def test_groups_by_frequency_name_nobody(method: Any) -> None:
    frame = pl.DataFrame({"who": NAMES, "age": [30, 31, 32, 33] * 150})
    plan = pv.Plan(
        {"who": pv.Quasi(pv.by_frequency(16, 4)), "age": pv.Quasi(pv.flat())}, pv.KAnonymity(5), method, suppression=0.1
    )
    text = pv.anonymize(frame, plan).frame.write_csv()
    assert not any(name in text for name in NAMES)
    assert "#" in text or "*" in text


@pytest.mark.parametrize(
    "method",
    [
        pv.methods.Mondrian(labels="set"),
        pv.methods.Mondrian(labels="interval"),
        pv.methods.MDAV(),
        pv.methods.MDAV(publish="interval"),
    ],
    ids=repr,
)
def test_a_tree_that_a_method_does_not_publish_hides_nobody(method: Any) -> None:
    frame = pl.DataFrame({"who": NAMES, "age": [30, 31, 32, 33] * 150})
    plan = pv.Plan({"who": pv.Quasi(pv.by_frequency(16, 4)), "age": pv.Quasi()}, pv.KAnonymity(5), method)
    with pytest.raises(pv.PlanError, match="not its tree"):
        pv.anonymize(frame, plan)

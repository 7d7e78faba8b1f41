"""The report shows no value that fewer than k people hold.

Rare values are planted in every kind of column, and whatever a browser could find of them is looked for in the page, in
its drawings and in their descriptions."""

from __future__ import annotations

import html
import re
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.report.page import render

N, K = 600, 8

TEXTS = ["Xyzzy", "Quux Plugh", "Zz, Top", 'The "Rare"', "naïve-sign", "back\\slash", "Ω~μ", "{brace}", "<tag>", "a  b"]
"""Texts that one to k − 1 people hold, with every sign of the grammar of labels."""
WHOLE = [70_123, -4_987, 61_717]
PARTS = [7_123.4567, -981.125]
DAYS = [date(1899, 3, 17), date(2031, 7, 9)]
STAMPS = [datetime(1903, 3, 17, 11, 23, 47), datetime(2032, 7, 9, 1, 2, 3)]
TIMES = [time(3, 33, 33), time(4, 44, 44)]


def planted(kind: str) -> list[Any]:
    """A column in which a few people hold values of their own, among others that many share."""
    dice = np.random.default_rng(5)
    common: list[Any]
    rare: list[Any]
    if kind in ("text", "enum", "ordinal"):
        common, rare = ["Lyon", "Paris", "Nice", "Metz"], TEXTS
    elif kind == "names":
        return [f"Name{i:03}ofone" for i in range(N)]
    elif kind == "integer":
        common, rare = [int(x) for x in range(20, 40)], WHOLE
    elif kind == "float":
        common, rare = [round(float(x), 1) for x in np.linspace(1, 9, 17)], PARTS
    elif kind == "reals":
        return [round(float(x), 6) for x in dice.normal(50, 10, N)]
    elif kind == "date":
        common, rare = [date(1980, 1, 1) + timedelta(days=91 * i) for i in range(20)], DAYS
    elif kind == "birthdays":
        return [date(1950, 1, 1) + timedelta(days=int(d)) for d in dice.choice(20_000, N, replace=False)]
    elif kind == "datetime":
        common, rare = [datetime(2020, 1, 1) + timedelta(hours=7 * i) for i in range(20)], STAMPS
    else:
        common, rare = [time(h, 0, 0) for h in range(8, 20)], TIMES
    column = [common[i] for i in dice.integers(0, len(common), N)]
    for place, value in enumerate(rare):
        for i in range(1 + place % (K - 1)):
            column[place * 11 + i] = value
    assert all(column.count(value) >= K for value in common), "the others are held by many"
    return column


KINDS = ("text", "enum", "ordinal", "names", "integer", "float", "reals", "date", "birthdays", "datetime", "time")


def rare_texts(column: list[Any]) -> list[str]:
    """How the values of few people could be written on a page."""
    counts: dict[Any, int] = {}
    for value in column:
        counts[value] = counts.get(value, 0) + 1
    found: list[str] = []
    for value, held in counts.items():
        if held >= K:
            continue
        found.append(str(value))
        if isinstance(value, datetime):
            found += [value.isoformat(), value.strftime("%Y-%m-%d %H:%M:%S")]
        elif isinstance(value, float):
            found += [f"{value:g}", f"{value:,}"]
        elif isinstance(value, int):
            found += [f"{value:,}", f"{value:,}".replace(",", " "), f"{value:,}".replace(",", "\u202f")]
    return found


def told(page: str) -> str:
    """All that a browser could show or read out: the page without its style, entities and escapes decoded."""
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return body + "\n" + html.unescape(body) + "\n" + html.unescape(re.sub(r"<[^>]*>", "", body))


def shown_in(page: str, texts: list[str]) -> list[str]:
    body = told(page)
    words = set(re.findall(r"[^\s<>\"'(){}\[\],;:…]+", body))
    found = []
    for text in texts:
        if re.fullmatch(r"-?[0-9.]+", text):  # a number stands alone: 717 is not in 61717, nor is 2 in 12
            if text in words and re.search(rf"(?<![\w.,\u202f-]){re.escape(text)}(?![\w.]*\d)", body):
                found.append(text)
        elif text in body:
            found.append(text)
    return found


def table_of(kinds: tuple[str, ...]) -> pl.DataFrame:
    columns: dict[str, Any] = {f"c_{kind}": planted(kind) for kind in kinds}
    frame = pl.DataFrame(columns)
    if "c_enum" in frame.columns:
        frame = frame.with_columns(pl.col("c_enum").cast(pl.Enum(sorted(frame["c_enum"].unique()))))
    return frame


def judged(frame: pl.DataFrame, plan: pv.Plan) -> None:
    table = pv.read(frame)
    if "c_ordinal" in frame.columns:
        table = table.with_kinds({"c_ordinal": tuple(sorted(frame["c_ordinal"].unique()))})
    page = render(pv.anonymize(table, plan))
    for name in frame.columns:
        assert shown_in(page, rare_texts(frame[name].to_list())) == [], name


CROWD = [pl.Series("crowd", ["a", "b"] * (N // 2)), pl.Series("won", ["yes", "no", "no"] * (N // 3))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", ["quasi", "sensitive", "insensitive", "pseudonym"])
def test_the_report_shows_no_value_held_by_fewer_than_k_people(kind: str, role: str) -> None:
    frame = table_of((kind,)).with_columns(CROWD)
    name = f"c_{kind}"
    roles: dict[str, Any] = {
        "quasi": pv.Quasi(pv.by_frequency() if kind == "names" else None),  # names without a tree get no release
        "sensitive": pv.Sensitive(),
        "insensitive": pv.Insensitive(),
        "pseudonym": pv.Identifier("random"),
    }
    judged(frame, plan_of({name: roles[role], "crowd": pv.Quasi()}))


def plan_of(columns: dict[str, Any], method: Any = None) -> pv.Plan:
    more: dict[str, Any] = {"person": None} if "person" in pv.Plan.__dataclass_fields__ else {}
    return pv.Plan(columns, [pv.KAnonymity(K)], method, suppression=0.5, **more)


TREES: list[tuple[str, Any, Any]] = [
    ("text", pv.by_frequency(3), pv.methods.Mondrian(labels="set")),
    ("text", pv.by_frequency(3), pv.methods.TopDown(target="won")),
    ("text", pv.flat(), pv.methods.Datafly()),
    ("text", None, pv.methods.Mondrian(labels="set")),
    ("names", pv.by_frequency(4), pv.methods.BottomUp(target="won")),
    ("names", pv.prefixes(), pv.methods.Datafly()),
    ("ordinal", pv.balanced(), pv.methods.TopDown(target="won")),
    ("integer", pv.balanced(), pv.methods.BottomUp(target="won")),
    ("integer", None, pv.methods.Mondrian(labels="interval")),
    ("float", pv.quantiles(4), pv.methods.TopDown(target="won")),
    ("reals", pv.balanced(), pv.methods.TopDown(target="won")),
    ("reals", None, pv.methods.Mondrian(labels="interval")),
    ("date", pv.balanced(), pv.methods.BottomUp(target="won")),
    ("birthdays", pv.quantiles(5), pv.methods.Datafly()),
    ("birthdays", None, pv.methods.Mondrian(labels="interval")),
    ("datetime", pv.balanced(), pv.methods.Mondrian()),
]


@pytest.mark.parametrize(("kind", "tree", "method"), TREES, ids=[f"{a}-{b!r}-{c!r}"[:50] for a, b, c in TREES])
def test_no_label_step_or_group_of_a_tree_names_one_either(kind: str, tree: Any, method: Any) -> None:
    frame = table_of((kind,)).with_columns(CROWD)
    judged(frame, plan_of({f"c_{kind}": pv.Quasi(tree), "crowd": pv.Quasi(pv.flat())}, method))


@pytest.mark.parametrize("publish", ["average", "interval"])
def test_no_average_or_pick_names_one(publish: Any) -> None:
    frame = table_of(("text", "ordinal", "integer", "float", "reals", "birthdays"))
    method = pv.methods.MDAV(publish=publish)
    judged(frame, plan_of({name: pv.Quasi() for name in frame.columns}, method))


def test_people_are_counted_and_not_rows() -> None:
    """One person with many rows holds a value alone, however many rows show it."""
    people = [f"p{i}" for i in range(60) for _ in range(10)]
    town = ["Lyon" if i % 2 else "Nice" for i in range(60) for _ in range(10)]
    town[:10] = ["Ouessant"] * 10
    illness = ["flu", "cold"] * 300
    illness[10:20] = ["kuru"] * 10
    frame = pl.DataFrame({"who": people, "town": town, "illness": illness, "ward": ["a"] * 600})
    columns: dict[str, Any] = {
        "who": pv.Identifier(),
        "town": pv.Quasi(pv.flat()),
        "ward": pv.Quasi(),
        "illness": pv.Sensitive(),
    }
    options: dict[str, Any] = {"person": "who"}
    page = render(pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(5)], **options)))
    assert shown_in(page, ["Ouessant", "kuru"]) == []
    assert "flu" in told(page)


def test_the_search_would_find_them() -> None:
    """The finder finds what stands in a page, in an attribute or behind entities."""
    assert shown_in("<p>held by Quux&#32;Plugh</p>", TEXTS) == ["Quux Plugh"]
    assert shown_in('<svg aria-label="a: &#34;x&#34;; &lt;tag&gt;: 3 %"></svg>', TEXTS) == ["<tag>"]
    assert shown_in("<text>[20, 61717]</text>", ["61717", "717", "20.5"]) == ["61717"]

"""Specs as plan data: written out, read back, printed as Python."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.errors import TreeError
from paravent.hierarchy import builders as pv
from paravent.hierarchy.spec import TreeSpec, spec_from_document
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

SPECS = [
    (pv.intervals(5, 10, 20), {"intervals": [5, 10, 20]}),
    (
        pv.intervals(0.5, origin=1, closed="right", low=-3, high=9.5),
        {"intervals": [0.5], "origin": 1, "closed": "right", "low": -3, "high": 9.5},
    ),
    (pv.quantiles(8, 4), {"quantiles": [8, 4]}),
    (pv.ordered_groups(3, 4, 3), {"ordered_groups": [3, 4, 3]}),
    (pv.ordered_groups(cuts=[18, 65]), {"ordered_groups": [], "cuts": [[18, 65]]}),
    (pv.ordered_groups(cuts=[["b", "c"], ["c"]]), {"ordered_groups": [], "cuts": [["b", "c"], ["c"]]}),
    (pv.prefixes(), {"prefixes": []}),
    (pv.prefixes(2, 3, keep="right", mask="x"), {"prefixes": [2, 3], "keep": "right", "mask": "x"}),
    (pv.dates("quarter", "year"), {"dates": ["quarter", "year"]}),
    (pv.groups({"a b": ["x", 1, {"é": [2.5, True]}]}), {"groups": {"a b": ["x", 1, {"é": [2.5, True]}]}}),
    (pv.groups(["x", {"y": ["z", "w"]}]), {"groups": ["x", {"y": ["z", "w"]}]}),
    (pv.balanced(), {"balanced": True}),
    (pv.by_frequency(), {"by_frequency": []}),
    (pv.by_frequency(6, 2), {"by_frequency": [6, 2]}),
    (pv.flat(), {"flat": True}),
    (pv.tree_file("trees/job.csv"), "trees/job.csv"),
]


@pytest.mark.parametrize(("spec", "document"), SPECS, ids=[repr(spec) for spec, _ in SPECS])
def test_round_trips(spec: TreeSpec, document: Any) -> None:
    assert spec.to_document() == document
    assert spec_from_document(document) == spec
    through_toml = tomllib.loads(tomli_w.dumps({"tree": document}))["tree"]
    assert spec_from_document(through_toml) == spec
    namespace = SimpleNamespace(**{name: getattr(pv, name) for name in pv.__all__})
    assert eval(repr(spec), {"pv": namespace}) == spec
    assert hash(spec) == hash(spec_from_document(document))


def test_dates_as_cuts_stay_dates() -> None:
    spec = pv.ordered_groups(cuts=[date(2000, 1, 1)])
    document = tomllib.loads(tomli_w.dumps({"tree": spec.to_document()}))["tree"]
    assert spec_from_document(document) == spec


def test_shorthands() -> None:
    assert spec_from_document({"intervals": 5}) == pv.intervals(5)
    assert spec_from_document({"prefixes": True}) == pv.prefixes()
    assert spec_from_document(Path("trees/job.csv")) == pv.tree_file("trees/job.csv")
    assert spec_from_document(pv.flat()) == pv.flat()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (7, "it must be a path or a table"),
        ({}, "it names nothing; name exactly one builder of balanced, by_frequency"),
        ({"interval": [5]}, "it names 'interval'; name exactly one builder"),
        ({"intervals": [5], "flat": True}, "it names 'intervals' and 'flat'"),
        (
            {"intervals": [5], "step": 3},
            "intervals has no option 'step'. The choices are 'closed', 'high', 'low', 'origin'.",
        ),
        ({"flat": True, "x": 1}, "flat has no option 'x'. It takes none."),
        ({"flat": [3]}, "flat takes no numbers. Write { flat = true }."),
        ({"intervals": "wide"}, "must be one or more positive numbers"),
        ({"prefixes": {"a": 1}}, "must be a whole number"),
        ({"dates": [3]}, "3 is no unit"),
        ({"groups": 3}, "must be a mapping"),
        ({"tree_file": 3}, "3 is no path"),
        ({"ordered_groups": [], "cuts": [[]]}, "must be different values, at least one on each level"),
        ({"ordered_groups": [], "cuts": [{"a": 1}]}, "must be a value of the column"),
        ({"quantiles": [True]}, "must be a whole number"),
    ],
)
def test_documents_that_describe_no_tree(document: Any, message: str) -> None:
    with pytest.raises(TreeError) as error:
        spec_from_document(document, name="job")
    assert message in str(error.value)


Make = Callable[..., Domain]
ATOMS = (
    st.sampled_from([1, 2, 5, 10, -1, 0, 0.5, 10**30, True, False, None, "a", "month", "week", "both", "", "*", "soon"])
    | st.sampled_from([float("nan"), float("inf"), "2020-05-05", "none.csv"])
    | st.sampled_from([date(2020, 5, 5), datetime(2020, 5, 5, 3), datetime(2020, 5, 5, tzinfo=UTC), time(3)])
)
ANYTHING = st.recursive(
    ATOMS, lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from("abx"), x, max_size=3), max_leaves=6
)
OPTIONS = st.dictionaries(
    st.sampled_from(["origin", "closed", "low", "high", "cuts", "keep", "mask", "zz"]), ANYTHING, max_size=2
)


@settings(max_examples=500)
@given(st.sampled_from(pv.__all__), ANYTHING, OPTIONS)
def test_any_document_builds_or_gets_a_sentence(domain_of: Make, call: str, main: Any, options: Any) -> None:
    stamps = pl.Series([datetime(2020, 1, 1, 3), datetime(2021, 1, 1)])
    domains = [
        domain_of([1, 2, 30], Kind.INTEGER),
        domain_of([1.5, 2.0], Kind.FLOAT),
        domain_of(["a", "b"]),
        domain_of(["low", "high"], Kind.ORDINAL),
        domain_of([date(2020, 1, 1), date(2021, 1, 1)], Kind.DATE),
        domain_of(stamps, Kind.DATE),
        domain_of(stamps.dt.replace_time_zone("Europe/Paris"), Kind.DATE, dtype=pl.Datetime("us", "Europe/Paris")),
        domain_of([time(3), time(4)], Kind.DATE),
        domain_of([False, True]),
    ]
    try:
        spec = spec_from_document({call: main, **options}, name="q")
    except TreeError:
        return
    assert spec_from_document(spec.to_document()) == spec or "nan" in repr(spec)
    for domain in domains:
        with suppress(TreeError):
            assert set(spec.build(domain).levels[-1].codes) == {0}


def test_paths_are_read_from_the_plans_folder() -> None:
    assert pv.tree_file("job.csv").under("/plans/trees").path == "/plans/trees/job.csv"
    assert pv.tree_file("/trees/job.csv").under("/plans").path == "/trees/job.csv"

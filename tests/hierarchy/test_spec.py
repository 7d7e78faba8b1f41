"""Specs as plan data: written out, read back, printed as Python."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tomli_w

from paravent.errors import TreeError
from paravent.hierarchy import builders as pv
from paravent.hierarchy.spec import TreeSpec, spec_from_document

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
        ({"intervals": [5], "step": 3}, "intervals has no option 'step'. It takes closed, high, low, origin."),
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


def test_paths_are_read_from_the_plans_folder() -> None:
    assert pv.tree_file("job.csv").under("/plans/trees").path == "/plans/trees/job.csv"
    assert pv.tree_file("/trees/job.csv").under("/plans").path == "/trees/job.csv"

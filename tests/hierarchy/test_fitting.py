from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TreeError
from paravent.hierarchy.builders import groups
from paravent.hierarchy.fitting import fit
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

Make = Callable[..., Domain]
JOBS = groups({"health": ["nurse", "surgeon"], "law": ["judge", "clerk"]}).tree("job")


def test_a_tree_is_cut_down_to_the_values_that_occur(domain_of: Make) -> None:
    fitted = fit(JOBS, domain_of(["clerk", "judge", "surgeon"]))
    assert fitted.tree.labels == ("surgeon", "judge", "clerk", "law", "*")
    assert fitted.order.tolist() == [2, 1, 0]
    assert fitted.tree.levels[1].labels == ("health", "law")


@given(st.lists(st.sampled_from(["nurse", "surgeon", "judge", "clerk", "pilot", "cook"]), min_size=1, unique=True))
def test_the_order_is_a_permutation_to_the_leaves(domain_of: Make, values: list[str]) -> None:
    fitted = fit(JOBS, domain_of(values), outside="root")
    assert sorted(fitted.order.tolist()) == list(range(len(values)))
    assert [fitted.tree.leaves[leaf] for leaf in fitted.order] == values
    strangers = [value for value in values if value in ("pilot", "cook")]
    assert list(fitted.tree.leaves[len(values) - len(strangers) :]) == strangers
    for value in strangers:
        assert fitted.tree.parent[fitted.tree.leaf_of[value]] == fitted.tree.root


def test_a_named_root_does_not_speak_for_strangers(domain_of: Make) -> None:
    france = groups({"France": {"South": ["Nice", "Cannes"], "North": ["Paris"]}}).tree("town")
    fitted = fit(france, domain_of(["Cannes", "Nice", "Rome"]), outside="root")
    assert fitted.tree.labels == ("Nice", "Cannes", "Rome", "South", "*")
    assert [level.labels for level in fitted.tree.levels[1:]] == [("South", "Rome"), ("France", "Rome"), ("*",)]


def test_values_outside_the_tree(domain_of: Make) -> None:
    with pytest.raises(TreeError) as error:
        fit(JOBS, domain_of(["cook", "judge", "pilot"], counts=[4, 1, 2], name="job"))
    assert str(error.value) == (
        "column 'job': 2 values are not in its tree (first: 'cook', 6 rows). "
        "Add what is missing to the tree, or hang it on the root with outside='root'."
    )
    assert "cook" not in error.value.redacted


@pytest.mark.parametrize(
    ("leaf", "value", "kind", "message"),
    [
        ("1", "01", Kind.NOMINAL, "The tree writes it '1': the same number, but another text (the column is nominal)."),
        ("Nurse", "nurse ", Kind.NOMINAL, "The tree has 'Nurse': write both the same way (spaces, capitals)."),
    ],
)
def test_nearly_the_same_value_is_another_one(
    domain_of: Make, leaf: str, value: object, kind: Kind, message: str
) -> None:
    tree = Tree.from_paths("q", [[leaf, "*"], ["other", "*"]])
    with pytest.raises(TreeError) as error:
        fit(tree, domain_of([value], kind))
    assert message in str(error.value)
    assert "<value>" in error.value.redacted


@pytest.mark.parametrize(
    ("leaf", "value", "kind"),
    [("17", 17.0, Kind.FLOAT), ("17.0", 17, Kind.INTEGER), ("-124.30", -124.3, Kind.FLOAT), ("01", 1, Kind.INTEGER)],
)
def test_a_number_belongs_to_the_leaf_that_is_the_same_number(
    domain_of: Make, leaf: str, value: object, kind: Kind
) -> None:
    """The leaf is called as the column writes it, on every level."""
    tree = Tree.from_paths("q", [[leaf, leaf, "*"], ["900", "90x", "*"], ["901", "90x", "*"]])
    fitted = fit(tree, domain_of([value], kind))
    assert fitted.tree.leaves == (str(value),)
    assert fitted.given.labels == (str(value), "900", "901", "90x", "*")
    assert fitted.given.levels[1].labels == (str(value), "90x")


def test_what_is_written_alike_goes_before_what_is_the_same_number(domain_of: Make) -> None:
    tree = Tree.from_paths("q", [["1", "a", "*"], ["1.0", "b", "*"], ["2", "b", "*"]])
    assert fit(tree, domain_of([1.0], Kind.FLOAT)).given.labels[:2] == ("1", "1.0")
    with pytest.raises(TreeError, match="the same number, but another text"):
        fit(Tree.from_paths("q", [["1", "*"], ["1.00", "*"]]), domain_of([1.0], Kind.FLOAT))  # which of the two?


def test_an_integer_column_matches_by_its_text(domain_of: Make) -> None:
    tree = Tree.from_paths("q", [["17", "*"], ["18", "*"]])
    assert fit(tree, domain_of([17, 18], Kind.INTEGER)).order.tolist() == [0, 1]
    assert fit(tree, domain_of(["17", "18"])).order.tolist() == [0, 1]


def test_a_value_that_is_a_group(domain_of: Make) -> None:
    for outside in ("error", "root"):
        with pytest.raises(TreeError, match=r"column 'q': value 'law' \(1 row\) is a group of its tree"):
            fit(JOBS, domain_of(["law", "judge"]), outside=outside)


def test_what_cannot_be_fitted(domain_of: Make) -> None:
    with pytest.raises(TreeError, match="column 'q': it has no values"):
        fit(JOBS, domain_of([], dtype=pl.String))
    with pytest.raises(TreeError, match="outside='drop' must be 'error' or 'root'"):
        fit(JOBS, domain_of(["judge"]), outside="drop")  # type: ignore[arg-type]

"""The bundled table and its trees, against the published counts (Mauger 2021, §2.4.1 and Table 2.1)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from paravent.data import ADULT_TREES, adult, adult_path, adult_tree, adult_tree_path
from paravent.errors import TreeError
from paravent.hierarchy.fitting import fit
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "adult" / "adult.csv"

# column: values, height, nodes
TABLE_2_1 = {
    "sex": (2, 2, 3),
    "age": (72, 5, 105),
    "race": (5, 2, 6),
    "marital-status": (7, 3, 10),
    "education": (16, 4, 22),
    "native-country": (41, 3, 45),
    "workclass": (8, 3, 12),
    "occupation": (14, 3, 17),
    "salary-class": (2, 2, 3),
}


def test_the_table() -> None:
    table = adult()
    assert (len(table), len(table.names)) == (30_162, 15)
    assert sum(column.missing for column in table.columns.values()) == 0
    assert table.kind("age") is Kind.INTEGER
    assert table.kind("education") in (Kind.NOMINAL, Kind.ORDINAL)


def test_its_classes() -> None:
    sizes = pl.read_parquet(adult_path()).group_by(ADULT_TREES).len()["len"].to_numpy()
    assert (len(sizes), sizes.min(), sizes.max()) == (19_502, 1, 45)
    assert round(float((sizes == 1).mean()), 4) == 0.7954


@pytest.mark.skipif(not SHARED.exists(), reason="the comparison data (../shared/data/adult) are not here")
def test_the_nine_columns_are_those_that_others_use() -> None:
    theirs = pl.read_csv(SHARED, separator=";")
    assert pl.read_parquet(adult_path()).select(theirs.columns).equals(theirs)


@pytest.mark.parametrize("name", ADULT_TREES)
def test_trees(name: str) -> None:
    tree = adult_tree(name)
    assert (tree.n_leaves, tree.height, tree.n_nodes) == TABLE_2_1[name]
    domain = Domain.of(adult(), name)
    fitted = fit(tree, domain)
    assert [fitted.tree.leaves[leaf] for leaf in fitted.order] == domain.text
    if name == "workclass":  # the tree knows Never-worked, of which there is no complete row
        assert (fitted.tree.n_leaves, fitted.tree.n_nodes) == (7, 10)
    else:
        assert fitted.tree.n_nodes == tree.n_nodes


def test_age_is_grouped_by_rank() -> None:
    tree = adult_tree("age")
    assert np.bincount(tree.level).tolist() == [72, 24, 6, 2, 1]
    assert tree.levels[1].labels[-1] == "[86, 90]"


def test_a_column_without_a_tree() -> None:
    with pytest.raises(TreeError, match="Adult has no tree for column 'fnlwgt'"):
        adult_tree_path("fnlwgt")

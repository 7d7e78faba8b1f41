"""Fixed-size microaggregation: the worked example through `pv.anonymize`, and what cannot be sorted."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.methods import FixedSize

TABLE_7 = pl.DataFrame(
    {
        "id": range(1, 12),
        "Ville": ["Paris", "Pontoise", "Nice", "Cannes"] * 2 + ["Paris"] * 3,
        "Age": [33, 65, 21, 19, 36, 28, 46, 81, 58, 63, 19],
        "Température": [36.6, 37.2, 36.2, 38.5, 40.1, 37.5, 36.5, 37.6, 36.9, 38.2, 39.3],
    }
)  # fmt: skip


def released(method: FixedSize, k: int = 3, **roles: Any) -> pv.Release:
    columns: dict[str, Any] = {
        "Température": pv.Quasi(),
        **{n: pv.Insensitive() for n in ("id", "Ville", "Age")},
    } | roles
    return pv.anonymize(TABLE_7, pv.Plan(columns, [pv.KAnonymity(k)], method, order="source"))


def test_tables_10_and_11() -> None:
    """Sorted by age, k = 3: groups (11, 4, 3), (6, 1, 5), (7, 9, 2, 10, 8); temperatures 38.0, 38.0667, 37.28."""
    release = released(FixedSize(by="Age"))
    found = dict(zip(release.frame["id"], release.frame["Température"], strict=True))
    for group, mean in (((11, 4, 3), 38.0), ((6, 1, 5), 38.0667), ((7, 9, 2, 10, 8), 37.28)):
        for row in group:
            assert found[row] == pytest.approx(mean, abs=5e-5)
    assert release.frame["Age"].to_list() == TABLE_7["Age"].gather(release.kept).to_list()
    assert release.verdict.levels["privacy.k"] == 3


def test_the_sorting_column_is_averaged_where_it_is_a_quasi_identifier() -> None:
    release = released(FixedSize(by="Age"), Age=pv.Quasi())
    means = dict(zip(release.frame["id"], release.frame["Age"], strict=True))
    assert [means[row] for row in (11, 6, 7)] == pytest.approx([59 / 3, 97 / 3, 313 / 5])


def test_without_a_name_it_sorts_by_the_first_quasi_identifier() -> None:
    named, unnamed = (released(FixedSize(by=by), k=4).frame["Température"] for by in ("Température", None))
    assert named.to_list() == unnamed.to_list()


def test_a_table_of_fewer_than_2k_rows_is_one_group() -> None:
    assert released(FixedSize(by="Age"), k=6).frame["Température"].n_unique() == 1


def test_names_have_no_order_to_sort_by() -> None:
    with pytest.raises(pv.PlanError, match="'Ville' have no order"):
        released(FixedSize(by="Ville"))


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(pv.PlanError, match="'Ages'"):
        released(FixedSize(by="Ages"))


@pytest.mark.parametrize("options", [{"by": ""}, {"by": "Age", "own_k": "Age"}])
def test_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(pv.PlanError, match="FixedSize"):
        FixedSize(**options)

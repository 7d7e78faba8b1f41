"""Which type of generalization a table is: small ones by hand (Ben Fredj 2017, ch. 3, on levels of education)."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.methods import Labels, Recoding
from paravent.methods.output_types import is_full_domain, is_multidimensional, is_subtree, output_type

from ..generators.tasks import tree_axis
from .conftest import oracle

VALUES = ["5e", "3e", "C12", "Master", "C12"]
AXIS = tree_axis("education", VALUES, oracle("guided_table_24")["trees"]["education"])


def recoding(*labels: str) -> Recoding:
    distinct = tuple(dict.fromkeys(labels))
    of_row = np.array([distinct.index(label) for label in labels], dtype=np.int32)
    return Recoding(of_row, len(distinct), {"education": Labels(np.arange(len(distinct)), distinct)})


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Secondaire", "Secondaire", "Université", "Université", "Université"], "full-domain"),
        (["Collège", "Collège", "C12", "3e cycle", "C12"], "full-domain"),
        (["Collège", "Collège", "Université", "Université", "Université"], "subtree"),
        (["Collège", "Collège", "C12", "Université", "C12"], "multidimensional"),  # Université covers C12 too
        (["Collège", "Collège", "C12", "Université", "Université"], "multidimensional"),
        (["5e", "Collège", "C12", "Master", "C12"], "multidimensional"),
        (["5e", "3e", "C12", "Master", "*"], "multidimensional"),
    ],
)
def test_types(labels: list[str], expected: str) -> None:
    found = recoding(*labels)
    assert output_type(found, [AXIS]) == expected
    assert is_full_domain(found, [AXIS]) == (expected == "full-domain")
    assert is_subtree(found, [AXIS]) == (expected != "multidimensional")
    assert is_multidimensional(found, [AXIS]) == (expected == "multidimensional")


def test_blanked_cells_can_be_left_out() -> None:
    found = recoding("5e", "3e", "C12", "Master", "*")
    assert output_type(found, [AXIS], blanks=False) == "full-domain"


@pytest.mark.parametrize("suppressed", ["drop", "mark"])
def test_releases_are_read_too(suppressed: str) -> None:
    """C12 is alone in its level: it is suppressed, and its row is no part of the type."""
    paths = oracle("guided_table_24")["trees"]["education"]
    groups = {top: [] for _, _, top, _ in paths}
    for leaf, _, top, _ in paths:
        groups[top].append(leaf)
    frame = pl.DataFrame({"education": ["5e", "3e", "C12"], "note": [1, 2, 3]})
    plan = pv.Plan(
        {"education": pv.Quasi(pv.groups(groups))},
        pv.KAnonymity(2),
        pv.methods.Datafly(),
        suppression=0.4,
        suppressed=suppressed,
        order="source",
    )
    release = pv.anonymize(frame, plan)
    assert release.frame["education"].to_list()[:2] == ["Secondaire", "Secondaire"]
    assert output_type(release) == "full-domain"

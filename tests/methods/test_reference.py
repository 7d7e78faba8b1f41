"""The table of methods in the reference has every method of the registry, and says what the methods say."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import paravent as pv
from paravent import registry

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "methods.md"
COLUMNS = ("needs", "gives", "suppresses", "solutions", "use", "weights")
IN_WORDS = {
    ("Polish", "needs"): "trees, and what its base needs",
    ("Polish", "suppresses"): "what its base suppresses",
    ("UnivariateOptimal", "solutions"): "one, optimal for one column",
}
"""Cells that say more than a method says of itself."""


def rows() -> dict[str, dict[str, str]]:
    """The cells of each method by their columns; methods that share a row have it each."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    wide = [(names, rest) for names, *rest in cells if len(rest) == len(COLUMNS) + 1]  # other tables are narrower
    return {
        name.strip("`"): dict(zip(COLUMNS, rest, strict=False)) for names, rest in wide for name in names.split(", ")
    }


ROWS = rows()


def method_of(call: str) -> pv.methods.Method:
    """The method that a row names; one that cannot be without a target has one.

    >>> method_of("TopDown").targets
    ('t',)
    """
    tree = ast.parse(call, mode="eval").body
    given = {key.arg: ast.literal_eval(key.value) for key in tree.keywords} if isinstance(tree, ast.Call) else {}
    made = registry.load("method", call.split("(", maxsplit=1)[0])
    try:
        return made(**given)  # type: ignore[no-any-return]
    except (TypeError, pv.PlanError):
        return made(**given, target="t")  # type: ignore[no-any-return]


def test_the_table_has_every_method() -> None:
    assert {call.split("(")[0] for call in ROWS} == set(registry.entries("method"))


@pytest.mark.parametrize("call", ROWS)
def test_a_row_is_true(call: str) -> None:
    method = method_of(call)
    says = {
        "needs": ", ".join(method.needs),
        "gives": method.gives,
        "suppresses": method.suppresses,
        "solutions": ("many" if method.many else "one") + (", optimal" if method.optimal else ""),
        "use": method.use,
        "weights": "count" if method.weighs else "refused",
    }
    assert ROWS[call] == {column: IN_WORDS.get((call, column), says[column]) for column in COLUMNS}

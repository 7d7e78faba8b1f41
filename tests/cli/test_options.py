"""Options that say more than one word: names, pairs, constructors."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from paravent.cli.calls import read_call
from paravent.cli.groups import grouped
from paravent.cli.options import names, pair
from paravent.cli.targets import check_targets
from paravent.errors import ParaventError, PlanError, TableError

COLUMNS = ["age", "zip code", "naïve-col", "income, monthly", "a=b", "b"]


def test_names_are_separated_by_commas_or_repeated() -> None:
    assert names("--quasi", ["age,zip code", "naïve-col"], COLUMNS) == ["age", "zip code", "naïve-col"]


def test_a_name_with_a_comma_stands_alone_or_in_quotes() -> None:
    assert names("--quasi", ["income, monthly"], COLUMNS) == ["income, monthly"]
    assert names("--quasi", ['age,"income, monthly"'], COLUMNS) == ["age", "income, monthly"]


@pytest.mark.parametrize("wrong", [["agee"], ["age,age"], ["age", "age"], [""], [","], ["a\rb"]])
def test_wrong_names_are_refused(wrong: list[str]) -> None:
    with pytest.raises(PlanError, match="--quasi"):
        names("--quasi", wrong, COLUMNS)


def test_a_column_named_with_its_tree_is_told_the_option_for_trees() -> None:
    with pytest.raises(PlanError, match=r"write --quasi age --tree age=age\.csv\."):
        names("--quasi", ["age=age.csv"], COLUMNS)


def test_an_unknown_name_comes_with_the_known_ones() -> None:
    with pytest.raises(PlanError, match=r"no column 'agee'. Did you mean 'age'\?"):
        names("--quasi", ["agee"], COLUMNS)


def test_pairs_split_where_a_column_ends() -> None:
    assert pair("--tree", "age=f(x=1)", COLUMNS) == ("age", "f(x=1)")
    assert pair("--tree", "a=b=tree.csv", COLUMNS) == ("a=b", "tree.csv")
    for wrong in ("age", "", "=x", "agee=x"):
        with pytest.raises(PlanError, match="--tree"):
            pair("--tree", wrong, COLUMNS)


def _built(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs


@pytest.mark.parametrize(
    "text", ["f(5, 10, name='x')", "pv.f(5, 10, name='x')", " paravent.methods.f(5, 10, name='x') "]
)
def test_calls_are_read_as_python(text: str) -> None:
    assert read_call("--tree", text, {"f": _built}) == ((5, 10), {"name": "x"})
    assert read_call("--tree", "f", {"f": _built}) == ((), {})


@pytest.mark.parametrize(
    "text",
    [
        "", "f(", "g()", "f(open('x'))", "f(*[1])", "f(**{'a': 1})", "f()()", "f[0]", "1", "lambda: 1", "f(x)",
        "(f)(a.b)", "f(1)(2)", "__import__('os').system('true')", "f(" + "(" * 300 + ")" * 300 + ")", "f('\x00')",
    ],
)  # fmt: skip
def test_anything_else_is_refused_not_run(text: str) -> None:
    with pytest.raises(PlanError, match="--tree"):
        read_call("--tree", text, {"f": _built})


@given(st.text(max_size=40))
def test_no_text_gets_past_the_reader(text: str) -> None:
    with contextlib.suppress(ParaventError):
        assert read_call("--tree", text, {"f": _built})


def test_wrong_arguments_name_the_constructor() -> None:
    def one(width: int) -> int:
        return width

    with pytest.raises(PlanError, match="one does not take"):
        read_call("--tree", "one(1, 2)", {"one": one})


def test_targets_are_checked_before_the_work(tmp_path: Path) -> None:
    check_targets(tmp_path / "a.csv", None, "postgresql://host/db")
    for wrong in ((tmp_path,), (tmp_path / "no" / "a.csv",), (tmp_path / "a.csv", tmp_path / "." / "a.csv")):
        with pytest.raises(TableError):
            check_targets(*wrong)
    with pytest.raises(TableError, match="the table itself"):
        check_targets(tmp_path / "a.csv", source=str(tmp_path / "a.csv"))


@dataclass(frozen=True)
class _Group:
    colour: Annotated[str, typer.Option(help="Which.")] = "red"
    sizes: Annotated[list[int] | None, typer.Option()] = None


def test_a_group_becomes_its_options() -> None:
    app = typer.Typer()
    seen: list[tuple[str, _Group]] = []

    @app.command()
    @grouped
    def act(name: Annotated[str, typer.Argument()], group: _Group) -> None:
        seen.append((name, group))

    assert CliRunner().invoke(app, ["x", "--colour", "blue", "--sizes", "1", "--sizes", "2"]).exit_code == 0
    assert CliRunner().invoke(app, ["y"]).exit_code == 0
    assert seen == [("x", _Group("blue", [1, 2])), ("y", _Group())]
    assert "--colour" in CliRunner().invoke(app, ["--help"]).output

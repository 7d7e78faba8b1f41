"""Whatever a command raises ends as one sentence and an exit code."""

from __future__ import annotations

import json as json_module
from collections.abc import Callable

import pytest
import typer
from typer.testing import CliRunner

from paravent.cli.console import Console, plain
from paravent.cli.door import Door
from paravent.errors import CancelledError, InfeasibleError, PlanError, TableError, UnsafeReleaseError


def _command(error: BaseException) -> typer.Typer:
    app = typer.Typer(cls=Door, pretty_exceptions_enable=False)

    @app.callback()
    def root() -> None: ...

    @app.command()
    def fail(ctx: typer.Context, json: bool = False) -> None:
        Console.of(ctx, json=json)
        raise error

    return app


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PlanError("column 'x' is not there."), 2),
        (TableError("data.csv is empty."), 2),
        (InfeasibleError("5-anonymity cannot hold."), 1),
        (UnsafeReleaseError("the release does not hold."), 1),
        (CancelledError("stop"), 130),
        (KeyboardInterrupt(), 130),
        (FileNotFoundError(2, "No such file", "gone.csv"), 2),
        (MemoryError(), 2),
        (KeyError("Jane Doe"), 70),
        (RuntimeError("Jane Doe"), 70),
        (ZeroDivisionError("Jane Doe"), 70),
    ],
)
def test_every_error_is_one_sentence_with_its_code(error: BaseException, code: int) -> None:
    result = CliRunner().invoke(_command(error), ["fail"])
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("paravent: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output
    assert "Jane Doe" not in result.output


def test_a_defect_is_called_one() -> None:
    result = CliRunner().invoke(_command(KeyError("Jane Doe")), ["fail"])
    assert "defect of paravent (KeyError)" in result.stderr


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAVENT_DEBUG", "1")
    result = CliRunner().invoke(_command(KeyError("x")), ["fail"])
    assert isinstance(result.exception, KeyError)


def test_with_json_the_error_is_a_document_too() -> None:
    result = CliRunner().invoke(_command(PlanError("column 'x' is not there.")), ["fail", "--json"])
    assert json_module.loads(result.stdout) == {"error": {"kind": "PlanError", "message": "column 'x' is not there."}}
    assert result.exit_code == 2


@pytest.mark.parametrize("wrong", [["nothing"], ["fail", "--nonsense"], ["fail", "surplus"]])
def test_wrong_usage_is_2(wrong: list[str]) -> None:
    assert CliRunner().invoke(_command(PlanError("x")), wrong).exit_code == 2


def _scalar(value: float) -> Callable[[], float]:
    import numpy as np

    return np.float64(value)  # type: ignore[return-value]


def test_json_holds_no_nan() -> None:
    document = plain({"a": float("nan"), "b": [float("inf"), _scalar(0.5), True, None], 3: ("x",)})
    assert document == {"a": None, "b": ["inf", 0.5, True, None], "3": ["x"]}
    assert json_module.dumps(document, allow_nan=False)


def test_a_name_cannot_take_over_the_terminal() -> None:
    result = CliRunner().invoke(_command(TableError("column '\x1b[2Jage\x07\x9b' is odd.")), ["fail"])
    assert result.stderr == "paravent: column '\ufffd[2Jage\ufffd\ufffd' is odd.\n"

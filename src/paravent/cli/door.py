"""Where every command ends: exit codes, and one sentence instead of a traceback.

0    done, or it holds
1    it does not hold, no release can meet the demand, or columns that could name people have no role
2    the input, the plan or an option is wrong
70   a defect of paravent
130  stopped with Ctrl-C
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import Any, Final

import typer
from typer.core import TyperGroup

from paravent.cli.console import Console
from paravent.errors import CancelledError, InfeasibleError, ParaventError, RoleError, UnsafeReleaseError

DOES_NOT_HOLD: Final = 1
WRONG_INPUT: Final = 2
DEFECT: Final = 70
STOPPED: Final = 130


class Door(TyperGroup):
    """The group of all commands. Whatever one of them raises leaves through here."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (ParaventError, KeyboardInterrupt, MemoryError, OSError) as error:
            if isinstance(error, BrokenPipeError):  # `paravent … | head`: the reader has seen enough
                _close_quietly()
                raise typer.Exit(0) from None
            _speak(ctx, error, sentence(error))
            raise typer.Exit(exit_code(error)) from None
        except Exception as error:
            if isinstance(error, _TYPERS_OWN) or type(error).__module__.startswith("typer."):
                raise
            if os.environ.get("PARAVENT_DEBUG") == "1":
                raise
            _speak(ctx, error, sentence(error))
            raise typer.Exit(DEFECT) from None


_TYPERS_OWN = (typer.Exit, typer.Abort, typer.TyperException)


def exit_code(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt | CancelledError):
        return STOPPED
    if isinstance(error, InfeasibleError | RoleError | UnsafeReleaseError):
        return DOES_NOT_HOLD
    return WRONG_INPUT if isinstance(error, ParaventError | OSError | MemoryError) else DEFECT


def sentence(error: BaseException) -> str:
    """What to tell the person. Only a ParaventError may speak of values: its author chose the words."""
    if isinstance(error, KeyboardInterrupt | CancelledError):
        return "Stopped. Nothing was written."
    if isinstance(error, ParaventError):
        return error.prompted
    if isinstance(error, MemoryError):
        return (
            "The memory of this machine is not enough for this table. Use fewer rows or columns, or a larger machine."
        )
    if isinstance(error, OSError):
        reason = (
            os.strerror(error.errno)
            if error.errno is not None and error.errno in errno.errorcode
            else type(error).__name__
        )
        place = f"{os.fspath(error.filename)}: " if isinstance(error.filename, str | os.PathLike) else ""
        return f"{place}{reason}. Nothing more was written."
    return (
        f"This is a defect of paravent ({type(error).__name__}), not of your data. "
        "Set PARAVENT_DEBUG=1 to see where it happened, and report it without your values."
    )


def _speak(ctx: Any, error: BaseException, text: str) -> None:
    console = ctx.obj if isinstance(ctx.obj, Console) else Console()
    console.complain(type(error).__name__, text)


def _close_quietly() -> None:
    """Point stdout at nothing, or Python would complain about the closed pipe when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

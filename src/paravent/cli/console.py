"""How a command speaks: tables and sentences for people, one JSON document for machines."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import typer

_UNPRINTABLE = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


@dataclass
class Console:
    """With `json`, stdout holds one document and nothing else; what is for people is left unsaid."""

    json: bool = False

    @classmethod
    def of(cls, ctx: typer.Context, *, json: bool) -> Console:
        """The console of a command, left where the door finds it when the command fails."""
        console = cls(json=json)
        ctx.find_root().obj = console
        return console

    def say(self, *texts: str) -> None:
        """Say something to a person."""
        if not self.json:
            for text in texts:
                typer.echo(printable(text))

    def heading(self, text: str) -> None:
        if not self.json:
            typer.secho(f"\n{text}", bold=True)

    def pairs(self, pairs: dict[str, str]) -> None:
        """Names and what they stand for, aligned."""
        width = max(map(len, pairs), default=0)
        for name, value in pairs.items():
            self.say(f"  {name:<{width}}  {value}")

    def give(self, document: Any) -> None:
        """Give a machine its document."""
        if self.json:
            typer.echo(json.dumps(plain(document), ensure_ascii=False, indent=2, allow_nan=False))

    def complain(self, kind: str, text: str) -> None:
        if self.json:
            self.give({"error": {"kind": kind, "message": text}})
        typer.echo(f"paravent: {printable(text)}", err=True)

    @contextlib.contextmanager
    def progress(self) -> Iterator[Callable[[str, float], None] | None]:
        """A progress bar on a terminal, and nothing elsewhere."""
        if self.json or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        with bar:
            task = bar.add_task("", total=1.0)
            yield lambda stage, done: bar.update(task, description=stage, completed=done)


def printable(text: str) -> str:
    """The text without the signs by which a name or label could take over the terminal.

    >>> printable("a\\x1b[2Jb")
    'a�[2Jb'
    """
    return text.translate(_UNPRINTABLE)


def plain(value: Any) -> Any:
    """The value in words of JSON: numbers that JSON cannot hold (NaN, infinity) become null or a string."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, bool | str | int) or value is None:
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else str(value)
    if hasattr(value, "item"):  # a NumPy scalar
        return plain(value.item())
    return str(value)

"""The help pages. They are plain text: importing what draws boxes would cost more than the rest of the start."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand


class Page(TyperCommand):
    """A command whose options are listed under the headings of their `rich_help_panel`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                sections.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(record)
        sections["Options"] = sections.pop("Options")  # last: --json and --help
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def examples(*lines: str) -> str:
    """The end of a help page: commands to copy, each on a line of its own."""
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *(f"  {line}" for line in lines)])


def group(help: str) -> typer.Typer:
    """A group of commands below `paravent`."""
    return typer.Typer(help=help, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)

"""The options of commands that write a table: where to, how it is spelled, and what may be replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.targets import check_table_target, check_targets
from paravent.errors import TableError

if TYPE_CHECKING:
    from paravent import Table

_out = partial(typer.Option, rich_help_panel="What to write")


@dataclass(frozen=True)
class Writing:
    """Where a table goes. Text files are spelled as the input, where nothing else is said."""

    output: Annotated[
        str | None,
        _out(
            "--output", "-o", metavar="FILE", help="In its ending's format; several tables may go into a folder, out/."
        ),
    ] = None
    output_table: Annotated[str | None, _out(metavar="NAME", help="The table to write, where -o is a database.")] = None
    output_delimiter: Annotated[
        str | None, _out(metavar="SIGN", help="Between two cells of a CSV (as the input has it).")
    ] = None
    output_decimal: Annotated[str | None, _out(metavar="SIGN", help="The decimal sign (as the input has it).")] = None
    output_encoding: Annotated[
        str | None, _out(metavar="NAME", help="utf-8, utf-8-sig, cp1252, … (as the input has it).")
    ] = None
    dialect: Annotated[
        str, _out(metavar="input|plain", help="Spell a CSV as the input, or with commas and points in UTF-8.")
    ] = "input"
    formulas: Annotated[
        str, _out(metavar="guard|keep", help="Texts that a spreadsheet would run get an apostrophe, or stay.")
    ] = "guard"
    force: Annotated[bool, _out("--force", help="Replace what is there already (never the table itself).")] = False

    @property
    def into_folder(self) -> bool:
        """Whether several tables are to lie in a folder, each under its own name."""
        if self.output is None:
            return False
        from paravent.plan import is_folder

        return is_folder(self.output)

    def check(self, *others: Path | None, source: str, folder: bool = False) -> None:
        """Before the work: everything can be written, and nothing is lost. A folder may be named where `check_folder`
        is asked about it later."""
        output = None if folder and self.into_folder else self.output
        above = [Path(self.output)] if self.output is not None and output is None else []
        check_targets(*others, output, *(each for each in above if not each.exists()), source=source, force=self.force)
        if output is not None:
            check_table_target(output, self.output_table, force=self.force)

    def check_folder(self, *, several: bool) -> None:
        """A folder is for releases of several tables."""
        if self.into_folder and not several:
            raise TableError(f"{self.output} is a folder. Name a file in it.")

    def check_source(self, table: Table) -> None:
        """The output is not what was read, however it is spelled."""
        if self.output is not None and not self.into_folder:
            from paravent.table import refuse_own_source, table_of_target

            refuse_own_source(table.origin.place, self.output, table_of_target(self.output, self.output_table))

    def further(self, tables: Iterable[str]) -> dict[str, str]:
        """Where the further tables of a release go, by their names. None replaces what is there already."""
        if self.output is None:
            return {}
        from paravent.plan import places

        names = list(tables)
        found = list(zip(names, places(names, self.output, self.output_table), strict=True))
        new = self.into_folder and not Path(self.output).exists()
        for _, (where, table) in () if self.force or new else found[0 if self.into_folder else 1 :]:
            check_targets(where)
            check_table_target(where, table, force=False)
        return {name: where if table is None else f"{where}, table {table}" for name, (where, table) in found[1:]}

    def write(self, writer: Callable[..., None], called: str = "release") -> dict[str, str]:
        """Write by a function that takes a target and the options of `pv.write`."""
        if self.output is None:
            return {}
        options: dict[str, Any] = {
            "table": self.output_table,
            "delimiter": self.output_delimiter,
            "decimal": self.output_decimal,
            "encoding": self.output_encoding,
        }
        said = {name: value for name, value in options.items() if value is not None}
        writer(self.output, **said, dialect=self.dialect, formulas=self.formulas)
        return {called: str(Path(self.output, f"{called}.csv")) if self.into_folder else self.output}

"""How a source is to be read: the arguments of `read`, kept so that the same source can be looked at again."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from paravent.table.names import Header

Missing = Sequence[str] | Mapping[str, Sequence[str] | str] | str | None
"""Texts that mean `missing`: for every column, or by column."""


@dataclass(frozen=True)
class Options:
    """What the user says about a source; None is left to its reader."""

    query: str | None = None
    table: str | None = None
    format: str | None = None
    sheet: str | int | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    header: Header = None
    quote: str | None = None

    def given(self) -> dict[str, Any]:
        """Those that are said.

        >>> Options(sheet=2).given()
        {'sheet': 2}
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class Address:
    """Where a source lies and how it was read."""

    source: str | os.PathLike[str]
    options: Options
    na: Missing = None

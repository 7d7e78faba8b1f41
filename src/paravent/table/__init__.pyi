# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.table.atomic import real_path
from paravent.table.atomic import replacing
from paravent.table.atomic import together
from paravent.table.database_write import has_table
from paravent.table.domain import Domain
from paravent.table.formats import Format
from paravent.table.formats import format_by_name
from paravent.table.packed import packed_table
from paravent.table.place import Place
from paravent.table.place import refuse_own_source
from paravent.table.released import read_released
from paravent.table.write import table_of_target

__all__ = [
    "Domain",
    "Format",
    "Place",
    "format_by_name",
    "has_table",
    "packed_table",
    "read_released",
    "real_path",
    "refuse_own_source",
    "replacing",
    "table_of_target",
    "together",
]

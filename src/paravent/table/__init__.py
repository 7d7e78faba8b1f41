"""Tables: reading, writing, kinds, missing values, cleaning. The names below are for the rooms above."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "atomic": "real_path replacing together",
        "database_write": "has_table",
        "domain": "Domain",
        "formats": "Format format_by_name",
        "packed": "packed_table",
        "place": "Place refuse_own_source",
        "released": "read_released",
        "write": "table_of_target",
    },
)

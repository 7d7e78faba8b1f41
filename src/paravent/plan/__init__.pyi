# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.plan.document import from_document
from paravent.plan.document import schema
from paravent.plan.document import to_document
from paravent.plan.draft import draft_text
from paravent.plan.draft import profiled
from paravent.plan.file import dumps
from paravent.plan.file import paths_in
from paravent.plan.file import relocated
from paravent.plan.file import write_text
from paravent.plan.fits import check_fits
from paravent.plan.judge import as_written
from paravent.plan.short_form import plan_of
from paravent.plan.write import is_folder
from paravent.plan.write import lying_beside
from paravent.plan.write import places

__all__ = [
    "as_written",
    "check_fits",
    "draft_text",
    "dumps",
    "from_document",
    "is_folder",
    "lying_beside",
    "paths_in",
    "places",
    "plan_of",
    "profiled",
    "relocated",
    "schema",
    "to_document",
    "write_text",
]

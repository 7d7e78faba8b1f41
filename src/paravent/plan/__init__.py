"""Plans, and the runner that turns a table and a plan into a release. The names below are for the rooms above."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "document": "from_document schema to_document",
        "draft": "draft_text profiled",
        "file": "dumps paths_in relocated write_text",
        "fits": "check_fits",
        "judge": "as_written",
        "short_form": "plan_of",
        "write": "is_folder lying_beside places",
    },
)

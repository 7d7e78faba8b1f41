"""Projects on disk: what was uploaded, decided and found, each change saved at once and undoable."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "document": "CleaningStep Document Source",
        "merge": "Conflict",
        "project": "Project",
        "quota": "Quota",
        "workspace": "Summary Workspace",
    },
)

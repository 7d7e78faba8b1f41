"""Long work, in processes of its own: it shows how far it is, can be stopped, and outlives the tab that started it."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__, {"job": "Job", "jobs": "Jobs", "pool": "Pool", "progress": "Progress Stages"}
)

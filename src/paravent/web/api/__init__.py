"""REST: the same projects, tables, plans, jobs, releases and guidance for programs, under `/api/v1`."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(__name__, {"api": "make_api"})

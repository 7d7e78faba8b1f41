"""The releases that reports are tested with have something to be said about."""

from __future__ import annotations

from ..report.conftest import NASTY, anonymized, people, release

__all__ = ["NASTY", "anonymized", "people", "release"]

"""What a careful colleague would say about a release before it is handed on."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(__name__, {"caution": "Caution counted"})

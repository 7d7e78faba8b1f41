"""The functions that describe trees. Each gives a TreeSpec, to be built against the values of a column.

They are loaded at once: some bear the name of their module, which would otherwise stand in their place.
"""

from __future__ import annotations

from paravent.registry import entries, load

__all__ = sorted(entries("builder"))  # noqa: PLE0605

globals().update({name: load("builder", name) for name in __all__})

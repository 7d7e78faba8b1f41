"""Generalization trees: builders, files, labels. The names below are for the rooms above."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "files": "nested read_tree write_tree",
        "fitting": "fit",
        "proposals": "propose",
        "spec": "TreeSpec",
        "tree": "Tree",
    },
)

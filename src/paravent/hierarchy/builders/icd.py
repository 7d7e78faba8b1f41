"""Codes of diseases, generalized as the International Classification of Diseases groups them.

`C50.1` → `C50.-` → `C50-C50` → `C00-D49 neoplasms`: the category, the block, the chapter.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from paravent.arguments import fits, shown
from paravent.errors import TreeError, quote
from paravent.hierarchy.levels import Level
from paravent.hierarchy.spec import TreeSpec, leaf_level, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

VERSIONS = (9, 10)
_OTHER = "other codes"
_SHAPES = {
    10: re.compile(r"([A-Z]\d[0-9A-Z])(?:\.?[0-9A-Z]{1,4})?[!*+†-]?"),
    9: re.compile(r"(\d{1,3}|V\d{2}|E\d{3})(?:\.\d{0,2})?|(\d{3}|V\d{2}|E\d{3})\d{1,2}"),
}


@dataclass(frozen=True)
class _Range:
    first: str
    last: str
    label: str


@cache
def _ranges(version: int) -> tuple[tuple[_Range, ...], tuple[_Range, ...]]:
    """The blocks and the chapters of a version, in the order of their first category."""
    document = tomllib.loads(Path(__file__).with_name("icd.toml").read_text(encoding="utf-8"))
    blocks: list[_Range] = []
    chapters: list[_Range] = []
    for chapter in document["chapter"]:
        if chapter["version"] == version:
            chapters.append(_range(chapter["range"], f"{chapter['range']} {chapter['title']}"))
            blocks.extend(_range(text, text) for text in chapter["blocks"].split())
    return tuple(sorted(blocks, key=lambda each: each.first)), tuple(sorted(chapters, key=lambda each: each.first))


def _range(text: str, label: str) -> _Range:
    first, _, last = text.partition("-")
    return _Range(first, last, label)


def category(code: str, version: int) -> str | None:
    """The category (three signs) of a code, with or without its dot; None where it is no code of this version.

    >>> category("c50.1", 10), category("E119", 10), category("250.83", 9), category("V2720", 9), category("8", 9)
    ('C50', 'E11', '250', 'V27', '008')
    >>> category("flu", 10) is None
    True
    """
    found = _SHAPES[version].fullmatch(code.strip().upper())
    if found is None:
        return None
    base = next(part for part in found.groups() if part)
    base = base.zfill(3) if base.isdigit() else base
    return base if _within(_ranges(version)[1], base) is not None else None


def _within(ranges: Sequence[_Range], base: str) -> _Range | None:
    """The range that a category lies in. Categories of one length and letter stand in the order of their text."""
    place = bisect_right([each.first for each in ranges], base) - 1
    return ranges[place] if place >= 0 and base <= ranges[place].last else None


def share_of_codes(values: Sequence[str], version: int) -> float:
    """Which part of the values are codes of a version."""
    return sum(category(value, version) is not None for value in values) / max(len(values), 1)


@dataclass(frozen=True, repr=False)
class Icd(TreeSpec):
    call: ClassVar[str] = "icd"
    main: ClassVar[str] = "version"

    version: int = 10

    def __post_init__(self) -> None:
        if self.version is True:  # in a plan file: { icd = true }
            object.__setattr__(self, "version", 10)
        if not fits(self.version, int) or self.version not in VERSIONS:
            raise TreeError(f"icd: the version must be 9 or 10, not {shown(self.version)}.")

    def fixed_levels(self, name: str, kind: Kind) -> int | None:  # noqa: ARG002
        return 4

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        bases = [category(text, self.version) for text in domain.text]
        if not any(bases):
            raise TreeError(
                f"tree {domain.name!r}: no value is a code of ICD-{self.version} (first: {quote(domain.text[0])}). "
                f"Take another builder, or version {19 - self.version}."
            )
        blocks, chapters = _ranges(self.version)
        levels: list[list[str]] = [[], [], []]
        for base in bases:
            chapter = _OTHER if base is None else getattr(_within(chapters, base), "label", _OTHER)
            block = None if base is None else _within(blocks, base)
            levels[0].append(_OTHER if base is None else f"{base}.-")
            # A category between two blocks, as some countries have: its node is not the whole chapter's.
            between = chapter if base is None else f"{chapter}, other blocks"
            levels[1].append(between if block is None else block.label)
            levels[2].append(chapter)
        return tree_over(domain, *(Level.of(labels) for labels in levels))


def icd(version: int = 10) -> Icd:
    """Codes of the International Classification of Diseases, version 10 or 9: by category, block and chapter.

    Codes may be written with or without their dot, in capitals or not; what is no code hangs under `other codes`.

    >>> import numpy as np
    >>> import polars as pl
    >>> from paravent.table.kinds import Kind
    >>> domain = Domain("diagnosis", Kind.NOMINAL, pl.Series(["C50.1", "C509", "I10"]), np.ones(3, dtype=np.int64))
    >>> for level in icd().build(domain).levels[1:]:
    ...     print(level.labels)
    ('C50.-', 'I10.-')
    ('C50-C50', 'I10-I16')
    ('C00-D49 neoplasms', 'I00-I99 circulation')
    ('*',)
    """
    return Icd(version)

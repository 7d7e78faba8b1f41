"""Transcript: what mechanisms were asked and what they answered. Whoever has it can work out what was spent, and make
the synthetic table again; it holds nothing that was not released by a mechanism."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from paravent.arguments import Checked
from paravent.errors import ParaventError, TableError
from paravent.private.graphical.fit import Noisy
from paravent.private.graphical.junction import Columns
from paravent.private.public_rows import PublicRows
from paravent.table.atomic import replacing

FORMAT = "paravent transcript 1"


@dataclass(frozen=True, eq=False)
class Measured:
    """Counts with noise. `scale` is the variance of the discrete Gaussian, or the scale of the discrete Laplace
    distribution where `pure`; one person adds at most `rows_each` to the counts."""

    columns: Columns
    scale: Fraction
    pure: bool
    rows_each: int
    counts: np.ndarray | None = None

    @property
    def cost(self) -> Fraction:
        """Pure epsilon, or rho of zero-concentrated differential privacy."""
        return Fraction(self.rows_each) / self.scale if self.pure else Fraction(self.rows_each**2) / (2 * self.scale)

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise, nearly."""
        return float(self.scale) * 2**0.5 if self.pure else float(self.scale) ** 0.5

    def noisy(self, sizes: Sequence[int]) -> Noisy:
        """The counts as a table."""
        assert self.counts is not None
        shape = [sizes[column] for column in self.columns]
        return Noisy(self.columns, self.counts.astype(np.float64).reshape(shape), self.sigma)

    def to_document(self) -> dict[str, Any]:
        assert self.counts is not None
        noise = "laplace" if self.pure else "gaussian"
        return {
            "measured": list(self.columns),
            "noise": noise,
            "scale": str(self.scale),
            "rows_each": self.rows_each,
            "counts": self.counts.tolist(),
        }


@dataclass(frozen=True)
class Selected:
    """One of several candidates, by the exponential mechanism at `epsilon`: sets of columns, or points of a column."""

    what: str
    candidates: int
    epsilon: Fraction
    pure: bool
    chosen: tuple[int, ...] = ()

    @property
    def cost(self) -> Fraction:
        """Pure epsilon, or epsilon² / 8 (Cesar, Rogers 2021)."""
        return self.epsilon if self.pure else self.epsilon**2 / 8

    def to_document(self) -> dict[str, Any]:
        return {
            "selected": self.what,
            "candidates": self.candidates,
            "epsilon": str(self.epsilon),
            "composition": "pure" if self.pure else "zcdp",
            "chosen": list(self.chosen),
        }


Step = Measured | Selected


@dataclass(frozen=True, eq=False)
class Transcript(Checked):
    """The steps of a synthesis and all that is needed to draw its rows again: how columns are coded, in which types
    they are written, what cannot occur, how a model is made of the counts, the number of rows, and the seed by which
    they are sampled."""

    method: str
    codings: tuple[Mapping[str, Any], ...]
    types: tuple[str, ...]
    steps: tuple[Step, ...]
    rows: int
    seed: int
    impossible: tuple[Mapping[str, Any], ...] = ()
    parents: tuple[tuple[int, Columns], ...] | None = None
    """The network that rows are drawn along; None: from a graphical model of all counts."""
    ruled_out: tuple[int, ...] = ()
    """Columns without a synthetic row in their last cell."""
    private: bool = True
    """False where the noise was drawn from a known seed."""
    public: PublicRows | None = None
    """The rows of columns that are released as they are. They are not protected."""

    refusal: ClassVar[type[ParaventError]] = TableError

    def __post_init__(self) -> None:
        if not all(isinstance(coding.get("name"), str) for coding in self.codings):
            raise TableError("Transcript: a coding names no column. Take the transcript of a release, or its file.")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(coding["name"] for coding in self.codings)

    @property
    def measured(self) -> tuple[Measured, ...]:
        return tuple(step for step in self.steps if isinstance(step, Measured))

    @property
    def selections(self) -> tuple[Selected, ...]:
        return tuple(step for step in self.steps if isinstance(step, Selected))

    def redrawn(self, *, rows: int | None = None, seed: int | None = None) -> Transcript:
        """The same with another number of rows or another sampling seed, which costs nothing. Where columns are public,
        their rows are all there are."""
        if self.public is not None and rows not in (None, self.public.rows):
            raise TableError(f"redrawn: there are {self.public.rows} public rows, and no others can be drawn.")
        return replace(self, rows=self.rows if rows is None else rows, seed=self.seed if seed is None else seed)

    def to_document(self) -> dict[str, Any]:
        """As plain data, for a file."""
        return {
            "format": FORMAT,
            "method": self.method,
            "private": self.private,
            "columns": [{**coding, "type": kind} for coding, kind in zip(self.codings, self.types, strict=True)],
            "impossible": [dict(each) for each in self.impossible],
            "steps": [step.to_document() for step in self.steps],
            "network": None if self.parents is None else [[child, list(given)] for child, given in self.parents],
            "ruled_out": list(self.ruled_out),
            "rows": self.rows,
            "seed": self.seed,
            **({} if self.public is None else {"public": self.public.to_document()}),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Transcript:
        """What a file holds; TableError where it is no transcript."""
        try:
            if document["format"] != FORMAT:
                raise ValueError(document["format"])
            columns = [dict(column) for column in document["columns"]]
            types = tuple(str(column.pop("type")) for column in columns)
            network = document["network"]
            return cls(
                str(document["method"]),
                tuple(columns),
                types,
                tuple(map(_step, document["steps"])),
                int(document["rows"]),
                int(document["seed"]),
                tuple(document["impossible"]),
                None if network is None else tuple((int(child), tuple(given)) for child, given in network),
                tuple(document["ruled_out"]),
                bool(document["private"]),
                PublicRows.from_document(document["public"]) if "public" in document else None,
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise TableError("this is no transcript that paravent wrote. Give the file of the release.") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all."""
        with replacing(Path(path)) as part:
            part.write_text(json.dumps(self.to_document()) + "\n", encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Transcript:
        try:
            return cls.from_document(json.loads(Path(path).read_text(encoding="utf-8")))
        except OSError as error:
            raise TableError(f"transcript {str(path)!r} cannot be read: {error.strerror}.") from None
        except ValueError:
            raise TableError(f"{str(path)!r} is no transcript that paravent wrote.") from None


def _step(document: Mapping[str, Any]) -> Step:
    if "measured" in document:
        return Measured(
            tuple(document["measured"]),
            Fraction(document["scale"]),
            document["noise"] == "laplace",
            int(document["rows_each"]),
            np.array(document["counts"], dtype=np.int64),
        )
    return Selected(
        str(document["selected"]),
        int(document["candidates"]),
        Fraction(document["epsilon"]),
        document["composition"] == "pure",
        tuple(document["chosen"]),
    )

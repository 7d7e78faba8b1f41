"""Finished rows in the order of the release, which is not that of the source: they are laid into as many heaps as it
takes to hold one of them, and each heap is put in order by itself."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl

from paravent.engine.streaming.codes import Encoded
from paravent.engine.streaming.source import Files
from paravent.hierarchy.axis import Axis
from paravent.methods.method import Recoding
from paravent.plan.plan import Plan
from paravent.published import Place, Source

_MOST_HEAPS = 256
_ROW, _RANK = "row of the source", "rank in the release"


@dataclass(frozen=True, eq=False)
class Heaps:
    """Rows by where they will stand in the release, in files."""

    folder: Path
    height: int
    count: int
    pieces: list[list[tuple[int, int]]] = field(default_factory=list)

    @classmethod
    def of(cls, source: Files, names: list[str], rank: np.ndarray, folder: Path, at_once: int) -> Heaps:
        """All rows that stay (rank −1: none), with the columns that pass as they are."""
        kept = int(rank.max(initial=-1)) + 1
        count = max(1, min(_MOST_HEAPS, -(-kept // at_once)))
        heaps = cls(folder, max(1, -(-kept // count)), count, [[] for _ in range(count)])
        files = [(folder / f"heap {i}").open("wb") for i in range(count)]
        try:
            heaps._fill(source, names, rank, files, at_once)
        finally:
            for file in files:
                file.close()
        return heaps

    def _fill(
        self, source: Files, names: list[str], rank: np.ndarray, files: Sequence[IO[bytes]], at_once: int
    ) -> None:
        done = 0
        for batch in source.batches(names or list(source.schema)[:1], at_once):
            here = rank[done : done + batch.height]
            number = pl.Series(_ROW, np.arange(done, done + batch.height))
            passing = [batch[name].alias(f"{i}") for i, name in enumerate(names)]
            whole = pl.DataFrame([number, pl.Series(_RANK, here), *passing])
            done += batch.height
            of_heap = here // self.height
            for heap in np.unique(of_heap[here >= 0]).tolist():
                out = io.BytesIO()
                whole.filter(pl.Series((of_heap == heap) & (here >= 0))).write_ipc(out, compression="lz4")
                data = out.getbuffer()
                self.pieces[heap].append((files[heap].tell(), len(data)))
                files[heap].write(data)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The heaps one after another, each in order."""
        for heap, pieces in enumerate(self.pieces):
            if not pieces:
                continue
            with (self.folder / f"heap {heap}").open("rb") as file:
                parts = []
                for begin, length in pieces:
                    file.seek(begin)
                    parts.append(pl.read_ipc(io.BytesIO(file.read(length))))
            yield pl.concat(parts).sort(_RANK)


def write_parts(
    heaps: Heaps,
    plan: Plan,
    order: list[str],
    encoded: Encoded,
    axes: Mapping[str, Axis],
    found: Recoding,
    classes: np.ndarray,
) -> list[Path]:
    """The rows of the release in files that follow one another. Every label is held to the value that it stands for."""
    passing = [name for name in order if name not in plan.quasi]
    written = []
    for number, heap in enumerate(heaps):
        rows = heap[_ROW].to_numpy()
        place = Place.of(np.arange(len(rows)), classes[rows])
        columns = []
        for name in order:
            if name in plan.quasi:
                codes = np.ascontiguousarray(encoded.files[name][rows], dtype=np.int32)
                source = Source(name, heap[_ROW], replace(axes[name], codes=codes, times=None))
                column = found.cells[name].column(source, place)
                found.cells[name].check(source, column, place)
            else:
                column = heap[f"{passing.index(name)}"]
            columns.append(column.alias(name))
        path = heaps.folder / f"part {number:04d}.parquet"
        pl.DataFrame(columns).write_parquet(path)
        written.append(path)
    return written

"""How long reading takes. `python -m benchmarks.reading [--columns N] [--megabytes N]`

Each row of the table is one file, written for the run: 100 rows of whole numbers, fractions and words in turn, with
ever more columns; and a file of quoted texts whose last quote but a few lines is never closed, which must be named.
Seconds are those of the clock and, on a machine that has other work, those of the processor.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import paravent as pv
from benchmarks.printing import print_table
from paravent.table.released import read_released


def wide_file(folder: Path, columns: int, rows: int = 100) -> Path:
    rng = np.random.default_rng(1)
    makers: list[Callable[[], np.ndarray]] = [
        lambda: rng.integers(0, 100, rows).astype(str),
        lambda: np.round(rng.normal(size=rows), 3).astype(str),
        lambda: rng.choice(["clerk", "nurse", "?"], rows),
    ]
    cells = [makers[i % 3]() for i in range(columns)]
    lines = [",".join(f"c{i}" for i in range(columns)), *(",".join(line) for line in zip(*cells, strict=True))]
    path = folder / "wide.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def unclosed_file(folder: Path, size: int) -> Path:
    block = b"".join(b'%d,"city %d",%d,"note %d",x\n' % (i, i % 97, i * 7, i) for i in range(100_000))
    path = folder / "unclosed.csv"
    with path.open("wb") as file:
        file.write(b"id,city,n,note,last\n")
        while file.tell() < size:
            file.write(block)
        file.write(b'1,"never closed,2,x,y\n' + b"1,a,2,b,c\n" * 1000)
    return path


def timed(work: Callable[[], object]) -> tuple[str, str, str]:
    """Seconds of the clock, of the processor, and what came of it."""
    clock, processor = time.perf_counter(), time.process_time()
    try:
        work()
        outcome = "read"
    except pv.TableError as error:
        outcome = str(error).rpartition("/")[2].partition(". ")[0]
    return f"{time.perf_counter() - clock:.2f}", f"{time.process_time() - processor:.2f}", outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=20_000)
    parser.add_argument("--megabytes", type=int, default=1024)
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for columns in sorted({asked.columns // 20, asked.columns // 4, asked.columns}):
            path = wide_file(folder, columns)
            rows.append((f"{columns} columns × 100 rows", *timed(lambda path=path: pv.read(path))))  # type: ignore[misc]
        rows.append(("the same, cell by cell", *timed(lambda: read_released(path))))
        large = unclosed_file(folder, asked.megabytes << 20)
        rows.append((f"{asked.megabytes} MB, unclosed quote", *timed(lambda: pv.read(large))))
    print_table("Reading", ["file", "s (clock)", "s (processor)", "outcome"], rows)


if __name__ == "__main__":
    main()

"""The reader against damaged and hostile files: a Table or a clear error, never anything else.

The files run in a process of their own, so that a crash or a hang of a library shows as a failure of the file that
caused it.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

import polars as pl

from paravent.table.write import write
from tests import drawing

N_MUTANTS = len(drawing.runs(170, 1_500))
HOSTILE_SIGNS = [
    b'"', b"'", b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\0", b"\\", b"\xff", b"\xfe", b"\xef\xbb\xbf",
]  # fmt: skip
HOSTILE_TEXTS = [
    b'""', b'"""', b',"', b'",', b"\xc3", b"\xe2\x82", b"1e999", b"-", b"NaN", b"=1+1", b"9" * 40, b" ",
    b"\xf0\x9f\x98\x80", b"0000-00-00", b"31/31/3131", b"99999-01-01", b"24:61:61", b"[", b"{", b"}", b"null",
    b"\x1f\x8b",
]  # fmt: skip


def seeds(folder: Path) -> dict[str, bytes]:
    """One valid file of every format."""
    frame = pl.DataFrame(
        {
            "zip": ["01234", "99999", None, "00001", "22222"] * 8,
            "age": [34, 51, None, 7, 99] * 8,
            "pay": [1.5, -2.25, 1e9, None, 0.0] * 8,
            "job": ["clerk", 'the "boss"', "a, b", "", "né"] * 8,
            "born": ["1999-01-31", "2001-12-01", None, "1950-06-15", "2020-02-29"] * 8,
        }
    ).with_columns(pl.col("born").str.to_date(), pl.col("job").cast(pl.Categorical).alias("kind"))
    files = {}
    names = ["a.csv", "a.tsv", "a.csv.gz", "a.parquet", "a.arrow", "a.xlsx", "a.jsonl", "a.sqlite"]
    for name in [*names, "a.sav", "a.zsav", "a.dta"]:
        write(frame, folder / name)
        files[name] = (folder / name).read_bytes()
    text = files["a.csv"].decode()
    files["u16.csv"] = text.encode("utf-16")
    files["latin.csv"] = text.encode("latin-1")
    files["semi.csv"] = text.replace(",", ";").replace(".", ",").encode()
    return files


def mutate(data: bytes, rng: random.Random) -> bytes:
    """A few of: cut, flip, insert, double, delete, swap."""
    damaged = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        place = rng.randrange(len(damaged) + 1)
        match rng.randrange(7):
            case 0:
                del damaged[place:]
            case 1 if damaged:
                damaged[place % len(damaged)] ^= 1 << rng.randrange(8)
            case 2:
                damaged[place:place] = rng.choice(HOSTILE_SIGNS)
            case 3:
                damaged[place:place] = rng.choice(HOSTILE_TEXTS)
            case 4:
                damaged[place:place] = damaged[place : place + rng.randrange(200)]
            case 5:
                del damaged[place : place + rng.randrange(50)]
            case _:
                damaged[place : place + 4] = rng.randbytes(4)
    return bytes(damaged)


def hostile_texts(rng: random.Random, n: int) -> list[bytes]:
    """Texts made of little but signs that mean something to a reader."""
    pieces = [*HOSTILE_SIGNS, *HOSTILE_TEXTS, b"a", b"1", b"x y", b"2020-01-01"]
    return [b"".join(rng.choices(pieces, k=rng.randrange(1, 80))) for _ in range(n)]


def test_damaged_files(tmp_path: Path) -> None:
    rng = random.Random(20_261_115 if drawing.SEED is None else drawing.SEED)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    count = 0
    for name, data in seeds(tmp_path).items():
        for _ in range(N_MUTANTS):
            (corpus / f"{count:05d}_{name}").write_bytes(mutate(data, rng))
            count += 1
    for data in hostile_texts(rng, 200):
        (corpus / f"{count:05d}_h.{rng.choice(['csv', 'txt', 'jsonl'])}").write_bytes(data)
        count += 1
    for name in ("r.csv", "r.parquet", "r.arrow", "r.xlsx", "r.jsonl", "r.sqlite", "r"):
        for _ in range(10):
            (corpus / f"{count:05d}_{name}").write_bytes(rng.randbytes(rng.randrange(2000)))
            count += 1
    assert count >= 1_500

    log = tmp_path / "log"
    runner = [sys.executable, str(Path(__file__).with_name("fuzz_worker.py")), str(corpus), str(log)]
    done = subprocess.run(runner, capture_output=True, timeout=300 if drawing.SEED is None else 3_600, check=False)
    results = [json.loads(line) for line in log.read_text().splitlines()]
    assert done.returncode == 0, f"the reader died of {results[-1]}: {done.stderr[-500:]!r}"
    ends = {result["file"]: result["end"] for result in results}
    assert len(ends) == count
    assert {file: end for file, end in ends.items() if end not in ("table", "error")} == {}
    # The fuzz is worth something only if it reaches both ends.
    assert sum(end == "table" for end in ends.values()) > 100
    assert sum(end == "error" for end in ends.values()) > 500
    messages = [result["message"] for result in results if result["end"] == "error"]
    assert all(message and "\n" not in message and "Traceback" not in message for message in messages)

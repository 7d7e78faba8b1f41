"""The other half of `benchmarks.records`: bounds, wide full-domain searches, models beside k, and Mondrian.

Seconds are processor seconds of all threads, the limits of searches too, so that others on the machine do not count.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import paravent as pv
from benchmarks import roofline
from benchmarks.generated import sparse, sparse_plan
from benchmarks.printing import print_table
from benchmarks.tables import QUASI, adult, enlarged, plan, tree_of
from benchmarks.wide import wide_task
from paravent.methods.full_domain.lattice_search import Found
from paravent.privacy.model import Model

M = pv.methods
HEAD = ["what", "figure", "target", "peers", "since the stored run"]
Line = tuple[str, float, str, str]
"""What, the figure, the target, and what others reach."""
SENSITIVE = "occupation"
MODELS: dict[str, Callable[[], Model]] = {
    "k alone": lambda: pv.KAnonymity(5),
    "3-diversity": lambda: pv.LDiversity(3, SENSITIVE),
    "entropy 3-diversity": lambda: pv.LDiversity(3, SENSITIVE, kind="entropy"),
    "0.2-closeness": lambda: pv.TCloseness(0.2, SENSITIVE),
    "2-likeness": lambda: pv.BetaLikeness(2, SENSITIVE),
}
ARX = {0.0: "ARX, k alone, 8 columns, warm: 0.08 s", 0.05: "ARX: 0.73 s", 1.0: "ARX: 1.5 s"}
MONDRIAN_ROWS = 1_000_000


def wide(columns: int, suppression: float, seconds: float = 20.0) -> Iterator[Line]:
    """The loss after 3 s and at the end, and how far below it the bound is."""
    task = wide_task(columns, 20_000, suppression=suppression)
    heard: list[tuple[float, float]] = []
    start = time.process_time()
    with patch("time.monotonic", time.process_time):

        def better(found: Found) -> None:
            heard.append((time.process_time() - start, found.loss))

        found = M.Optimal(time_limit=seconds).search(task, better)
    name = f"full-domain, 20 000 × {columns}, {suppression:.0%} may be suppressed"
    early, late = (min((loss for when, loss in heard if when <= mark), default=1.0) for mark in (3.0, seconds))
    bound = float(found.trace[-1].split("less than ")[1].split(" ")[0])
    yield f"{name}: loss after 3 s", early, "as after 13 (28) s", ""
    yield f"{name}: loss after {seconds:g} s", late, "no more than with less suppression", ""
    yield f"{name}: bound below it, %", 100 * (1 - bound / late), "25", ""


def beside_k() -> Iterator[Line]:
    """The whole call on Adult with seven quasi-identifiers, proven optimal; the second of two runs."""
    quasi = [name for name in QUASI if name != SENSITIVE]
    table = adult().select([*quasi, SENSITIVE])
    roles = {**{name: pv.Quasi(tree_of(name)) for name in quasi}, SENSITIVE: pv.Sensitive()}
    for suppression, peer in ARX.items():
        for words, model in MODELS.items():
            wanted = pv.Plan(roles, [pv.KAnonymity(5), model()], M.Optimal(), suppression=suppression)
            pv.anonymize(table, wanted)
            start = time.process_time()
            pv.anonymize(table, wanted)
            spent = time.process_time() - start
            yield f"full-domain, Adult, {words}, {suppression:.0%}: s", spent, "half of ARX", peer


def partitions() -> Iterator[Line]:
    """How far from the optimum Polish says that its table is at most."""
    method = M.Polish(base="LocalRecoding(budget=5)", metric="gcp", effort="fast")
    release = pv.anonymize(pv.read(adult()), plan(method, k=5))
    (said,) = (words for words in release.trace if words.startswith("Within"))
    yield "Adult, k = 5, Polish over LocalRecoding: within % of optimal", float(said.split()[1]), "10", ""


def mondrian() -> Iterator[Line]:
    limit = roofline.bandwidth()
    dense = roofline.row("", pv.read(enlarged(adult(), MONDRIAN_ROWS)), plan(M.Mondrian()), limit)
    with tempfile.TemporaryDirectory() as name:
        deep = roofline.row("", pv.read(sparse(MONDRIAN_ROWS)), sparse_plan(Path(name), M.Mondrian()), limit)
    for words, row, target in (("Adult, enlarged", dense, "0.8 at 10 M"), ("sparse", deep, "4 at 10 M")):
        seconds, busy = float(str(row[4])), float(str(row[5]))
        yield f"Mondrian, {words}, 1 M rows: s", seconds * busy, target, "script: 9.8 s"
        yield f"Mondrian, {words}, 1 M rows: share of the roofline", float(str(row[9])), "1", ""


PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "bounds": partitions,
    "wide": lambda: (line for columns in (16, 24) for share in (0.05, 1.0) for line in wide(columns, share)),
    "models": beside_k,
    "Mondrian": mondrian,
}


def print_searches(stored: dict[str, float], now: dict[str, float], only: list[str]) -> None:
    """The parts whose names are asked for (all, where none is), as one table; `now` gets their figures."""
    rows: list[list[object]] = []
    for name, part in PARTS.items():
        if only and not any(some in name for some in only):
            continue
        for what, figure, target, peer in part():
            before = stored.get(what)
            moved = f"{100 * (figure / before - 1):+.1f} %" if before else "new"
            rows.append([what, f"{figure:.4g}", target, peer, moved])
            now[what] = float(f"{figure:.6g}")
            print(what, f"{figure:.4g}", flush=True)
    if rows:
        print_table("Bounds, full-domain searches, Mondrian", HEAD, rows)

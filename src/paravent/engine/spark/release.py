"""A release that lies on a cluster: it exists only when every promise of its plan was found to hold in its files."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from paravent.arguments import Checked, check_call
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.measuring import measured
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.staging import Folder
from paravent.engine.spark.verify import without_blanks
from paravent.engine.spark.writing import reopened
from paravent.errors import TableError
from paravent.measures import Measures
from paravent.plan.plan import Plan
from paravent.privacy.promise import Entry
from paravent.privacy.verdict import Verdict


@dataclass(eq=False, repr=False)
class SparkRelease(Checked):
    """What `pv.anonymize` gives for a table on a cluster. Its files lie in a staging folder until `write` moves them;
    a release that is never written is removed when nobody holds it any more.

    `frame` is a Spark frame over the finished files, `verdict` what the verifying job found in them, `trace` how the
    method went (and first `treated`, the treatments of rows), `provenance` what is needed to repeat the run, `timings`
    the seconds of each stage, `account` what a method of differential privacy spent, entry by entry, and `tables` what
    is published beside the rows, by name: it is written with them, to `_tables` in their folder."""

    plan: Plan
    verdict: Verdict
    trace: tuple[str, ...]
    provenance: Mapping[str, Any]
    timings: Mapping[str, float]
    ready: Ready = field(repr=False)
    session: Any = field(repr=False)
    folder: Folder = field(repr=False)
    staging: Folder | None = field(repr=False)
    form: str = "parquet"
    limit: int = 2_000_000
    account: tuple[Entry, ...] = ()
    sizes: Mapping[int, int] = field(default_factory=dict, repr=False)
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    treated: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._remove = weakref.finalize(self, _removed, self.staging)

    @property
    def frame(self) -> Any:
        """The finished rows, as a Spark frame."""
        return reopened(self.session, self.folder, self.form)

    @cached_property
    def _measures(self) -> Measures:
        rows = self.frame
        if self.plan.suppressed == "mark":
            rows = without_blanks(rows, list(self.plan.quasi))[0]
        original = self.provenance["input"]["rows"]
        return measured(self.session, rows, self.ready, self.plan, self.verdict, self.sizes, self.limit, original)

    def measure(self) -> Measures:
        """Loss of detail, class sizes and risk, counted on the cluster: the figures that one machine would find."""
        return self._measures

    def summary(self) -> Measures:
        """The same as `measure`: all of it is counted, none of it is slow."""
        return self._measures

    def write(self, target: str | os.PathLike[str]) -> None:
        """Move the files of the release to a folder that is not there yet, in one step."""
        check_call(SparkRelease.write, locals())
        if self.staging is None:
            raise TableError(f"the release was written before, to {str(self.folder)!r}. Copy it from there.")
        place = Folder(self.session, os.fspath(target))
        with one_sentence("writing the release"):
            self.folder.rename(place)
        self._remove()
        self.folder, self.staging = place, None

    def close(self) -> None:
        """Remove what was not written."""
        self._remove()

    def __repr__(self) -> str:
        demands = ", ".join(promise.describe() for promise in self.plan.protect) or "nothing is guaranteed"
        return f"Release on Spark: {self.verdict.rows} rows, {len(self.verdict.classes)} classes, {demands}"


def _removed(staging: Folder | None) -> None:
    if staging is not None:
        try:
            staging.remove()
        except Exception:  # the session is gone, and with it the way to the folder
            return

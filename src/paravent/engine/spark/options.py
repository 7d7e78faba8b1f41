"""How a plan runs on Spark: which cluster, and how much of the table any one machine holds."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paravent.arguments import Checked
from paravent.errors import PlanError, TableError
from paravent.privacy.model import check_whole


@dataclass(frozen=True, kw_only=True)
class Spark(Checked):
    """Run on a Spark cluster: `pv.anonymize(frame, plan, engine=pv.Spark(…))`.

    `master` names the cluster (`spark://host:7077`); without it, the session that is open, or else this machine.
    `staging` is a folder that all machines reach, where the release waits until it is verified (without it, the
    session's warehouse folder); `settings` are settings of Spark for a session that is opened here.

    The driver holds the distinct values of each column that a plan speaks of (at most `values` a column), and for
    full-domain methods the distinct rows of these columns (at most `tuples`); about 120 bytes each. All other methods
    cut the table into blocks of about `block` rows, by cuts that are found in a sample of about `sample` rows; each
    block is worked on by one process. `files` is how many files the release has (None: one for 4 million rows).

    >>> Spark(master="spark://head:7077", block=200_000).block
    200000
    """

    master: str | None = None
    staging: str | None = None
    block: int | None = None
    sample: int = 200_000
    tuples: int = 20_000_000
    values: int = 2_000_000
    files: int | None = None
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, least in (("block", 100), ("sample", 1000), ("tuples", 1), ("values", 1), ("files", 1)):
            if getattr(self, name) is not None:
                check_whole(f"Spark: {name}", getattr(self, name), low=least)


def session(options: Spark) -> Any:
    """The Spark session: the one that is open, or one that is opened as the options say."""
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise TableError("PySpark is not installed. Install it with `pip install 'paravent[spark]'`.") from None
    found = SparkSession.getActiveSession()
    if found is not None:
        here = found.sparkContext.master
        if options.master is not None and options.master != here:
            raise PlanError(
                f"Spark: master is {options.master!r}, and a session with {here!r} is open. Stop it first, or leave "
                "master out."
            )
        return found
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise TableError("Spark needs Java 17, and there is none. On Debian or Ubuntu: apt-get install openjdk-17-jre.")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("paravent").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    for key, value in options.settings.items():
        builder = builder.config(key, value)
    try:
        made = builder.master(options.master or "local[*]").getOrCreate()
    except Exception as error:
        where = options.master or "local[*]"
        raise TableError(f"Spark did not start with master {where!r}: {_first_line(error)}") from None
    made.sparkContext.setLogLevel("ERROR")
    return made


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]

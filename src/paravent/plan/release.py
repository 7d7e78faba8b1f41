"""Release: a table that was anonymized and verified, with everything that is known about it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import polars as pl

from paravent.arguments import Checked, check_call
from paravent.errors import TableError
from paravent.methods.method import Axis, Step
from paravent.methods.rule import Rule
from paravent.plan.assemble import FIRST
from paravent.plan.encode import encode_original
from paravent.plan.persons import persons_in
from paravent.plan.plan import Plan
from paravent.plan.subject import subject_of
from paravent.plan.treat import Base, base_of
from paravent.privacy.classes import Classes
from paravent.privacy.language import Language
from paravent.privacy.promise import Entry, Evidence
from paravent.privacy.verdict import Verdict
from paravent.privacy.verify import blank_rows
from paravent.private.transcript import Transcript
from paravent.table.atomic import apart, replacing
from paravent.table.table import Table

if TYPE_CHECKING:
    import pandas

    from paravent.cautions.caution import Caution
    from paravent.measures import Measures
    from paravent.privacy.attacks import Findings
    from paravent.utility.subject import Subject


@dataclass(frozen=True, eq=False, repr=False)
class Release(Checked):
    """What `anonymize` returns: it exists only when every model of its plan holds.

    `frame` is the finished table, the first of `tables` where a method publishes several; row i comes from row
    `kept[i]` of `table`, the original, and `kept` is None where the rows are synthetic. With `suppressed="mark"`
    the rows that stand for suppressed ones are in both. `persons` says whose each released row is, by numbers of no
    meaning, where the plan counts people. `account` is what a mechanism spent, and `rule` the recoding without rows,
    where the method knows one. `transcript` says what mechanisms were asked and answered, of a synthetic release.
    """

    frame: pl.DataFrame
    table: Table
    plan: Plan
    kept: np.ndarray | None
    verdict: Verdict
    trace: tuple[str, ...]
    provenance: Mapping[str, Any]
    timings: Mapping[str, float]
    encoded: tuple[Axis, ...] | None = field(default=None, repr=False)
    steps: Sequence[Step] = field(default=(), repr=False)
    persons: np.ndarray | None = field(default=None, repr=False)
    unfilled: pl.DataFrame | None = field(default=None, repr=False)
    beside: Mapping[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    account: Sequence[Entry] = field(default=(), repr=False)
    rule: Rule | None = field(default=None, repr=False)
    treated: Base | None = field(default=None, repr=False)
    transcript: Transcript | None = field(default=None, repr=False)

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table of the release by its name; `frame` is the first of them."""
        return {FIRST: self.frame, **self.beside}

    @property
    def base(self) -> Base:
        """The table that was generalized: the original, as treatments left it."""
        return base_of(self.table, self.plan) if self.treated is None else self.treated

    @property
    def labelled(self) -> pl.DataFrame:
        """The frame before suppressed cells were filled with neutral values: what is measured and attacked."""
        return self.frame if self.unfilled is None else self.unfilled

    def proportions(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The release with the shares of values inside each class in place of labels, one column a value (`age=31`),
        for somebody who trains on it. k-anonymity and the other models hold as before, and are verified, but more is
        disclosed than by labels: the values that a class has. Values that few people hold share a column
        (`job=3 others`, `pay=below 20`), as in the report. `columns` names some quasi-identifiers only."""
        check_call(Release.proportions, locals())
        from paravent.plan.proportions import proportions

        return proportions(self, columns)

    @property
    def classes(self) -> Classes:
        """The classes as the verifier found them in the finished frame."""
        return self.verdict.classes

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The quasi-identifiers of the original, all rows, as codes; as treatments left them, where there were any."""
        return self.encoded if self.encoded is not None else encode_original(self.base, self.plan)

    @cached_property
    def subject(self) -> Subject:
        """The release beside its original, as measures see it."""
        marks = self.plan.suppressed == "mark" and self.verdict.suppressed > 0
        quasi = [name for name in self.plan.quasi if name in self.labelled.columns]
        marked = blank_rows(self.labelled, quasi) if marks else None
        return subject_of(
            self.base,
            self.labelled,
            self.plan,
            self.verdict,
            kept=self.kept,
            marked=marked,
            axes=self.axes,
            verified=True,
            persons=self.persons,
            synthetic=self.kept is None,
            beside=self.beside,
        )

    @cached_property
    def _measures(self) -> Measures:
        from paravent.utility.measure import measure

        return measure(self.subject)

    def measure(self, *more: str, **study: Any) -> Measures:
        """Utility, risk and model levels: a flat mapping that prints as a table.

        Families of measures that take longer run when they are named: `measure("learning", target="income")`,
        `measure("queries", queries=2000, seed=1)`. See `paravent.utility.family.Study` for what can be said.
        """
        check_call(Release.measure, locals())
        if not more and not study:
            return self._measures
        from paravent.utility.family import study_of
        from paravent.utility.measure import measure

        return measure(self.subject, *more, study=study_of(study), quick=self._measures)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the CSV file that `write` makes of the release, where no option says otherwise: whoever has the
        file can compare."""
        from paravent.table.fingerprint import FileStamp, fingerprint_of_file
        from paravent.table.formulas import begins_formula

        with apart(), tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "release.csv"
            refused = begins_formula(pl.Series(self.frame.columns, dtype=pl.String)).any()
            self.write(path, formulas="keep" if refused else "guard")
            return fingerprint_of_file(FileStamp.of(path))

    def summary(self) -> Measures:
        """The measures that everybody asks for first: loss, rows, risk. For large tables, where all of them
        take longer than the anonymization."""
        from paravent.utility.measure import summarize

        return summarize(self.subject)

    @cached_property
    def cautions(self) -> tuple[Caution, ...]:
        """What a careful colleague would say before it is handed on, the serious things first.

        >>> import paravent as pv
        >>> frame = pl.DataFrame({"age": [31, 34, 38, 45], "disease": ["flu", "flu", "flu", "flu"]})
        >>> plan = pv.Plan({"age": pv.Quasi(), "disease": pv.Sensitive()}, [pv.KAnonymity(2)])
        >>> print(pv.anonymize(frame, plan).cautions[0].title)
        “disease” is given away for 100 % of the rows
        """
        from paravent.cautions.case import Case
        from paravent.cautions.cautions import cautions
        from paravent.utility.measure import summarize

        return cautions(Case(self.plan, self.table, self.subject, summarize(self.subject, "disclosure")))

    def attack(self, **options: Any) -> Findings:
        """What somebody could do with the release: `pv.attack(release, release.plan, …)` with the same options."""
        from paravent.plan.attack import attack

        return attack(self, self.plan, **options)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report: one HTML page, whole or not at all."""
        check_call(Release.report, locals())
        from paravent.report.page import render

        page = render(self)
        if Path(path).is_dir():
            raise TableError(f"report {str(path)!r} is a folder. Name a file in it.")
        with replacing(Path(path)) as part:
            part.write_text(page, encoding="utf-8", newline="\n")

    def write(self, target: str | os.PathLike[str], **options: Any) -> None:
        """Write the release; the format follows from the name. Delimited text is spelled as that of the original
        was, unless `dialect="plain"` or other options of `pv.write` say otherwise. Several tables are written beside
        one another (`out.csv`, `out.groups.csv`), or into a folder (`out/`, made if it is not there), all of them or
        none."""
        check_call(Release.write, locals())
        from paravent.plan.write import write_tables

        write_tables(self.tables, self.table, target, options)

    def to_pandas(self) -> pandas.DataFrame:
        try:
            return self.frame.to_pandas()
        except ModuleNotFoundError:
            raise TableError("pandas is not installed. Install it with `pip install 'paravent[pandas]'`.") from None

    def __copy__(self) -> Release:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Release:
        """A release whose frame and provenance can be changed by themselves; the original is shared, for it is only
        read."""
        return replace(
            self,
            frame=self.frame.clone(),
            beside={name: frame.clone() for name, frame in self.beside.items()},
            provenance=deepcopy(dict(self.provenance), memo),
        )

    def __reduce__(self) -> NoReturn:
        raise TableError(
            "a release cannot be pickled, for the original table would leave with it. Pickle release.frame, or write "
            "it with release.write(…); release.plan and release.provenance can be kept beside it."
        )

    def __repr__(self) -> str:
        demands = ", ".join(promise.describe() for promise in self.plan.protect) or "nothing is guaranteed"
        if self.kept is None:
            return f"Release: {self.frame.height} synthetic rows, {demands}"
        return f"Release: {self.frame.height} rows, {len(self.classes)} classes, {demands}"

    def _repr_html_(self) -> str:
        from paravent import notebook
        from paravent.table.text import as_text

        first = self.frame.head(5)
        names = first.columns[:20]
        columns = (as_text(first[name].alias("cells")).to_list() for name in names)
        rows = [["" if cell is None else cell for cell in row] for row in zip(*columns, strict=True)]
        return notebook.shown(
            f"{self!r}; the first {first.height} rows",
            notebook.table(names, rows),
            notebook.table(
                ["", "asked for", "reached"],
                [
                    ("✓" if check.holds else "✗", check.promise.describe(), f"{check.level:g}")
                    for check in self.verdict.checks
                ],
                right=[2],
            ),
            notebook.sentences(self.cautions),
        )


def evidence_in(release: Release) -> Evidence:
    """A release beside its original, for whatever is measured of it."""
    languages = {axis.name: Language(axis) for axis in release.axes}
    quasi, sensitive = tuple(release.plan.quasi), tuple(release.plan.sensitive)
    marked = release.subject.placeholder if release.subject.placeholder.any() else None
    persons = persons_in(release.table, release.plan)
    frame, original = release.labelled, release.table.frame
    return Evidence(frame, original, release.kept, quasi, sensitive, marked, persons, release.beside, languages)

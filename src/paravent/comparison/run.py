"""compare: run or load every candidate, check each against the demands of all, measure all on one scale."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from paravent.arguments import check_call
from paravent.comparison.candidates import Candidate, candidates_of
from paravent.comparison.comparison import Comparison
from paravent.comparison.curves import Sweep
from paravent.comparison.demands import Demand, check_demands, demands_of
from paravent.comparison.encoding import SharedEncoding
from paravent.comparison.entry import Entry, Failure, TableFacts, Wanted
from paravent.comparison.file import continued, load
from paravent.comparison.scale import Scale, original_on_scale, subject_on_scale
from paravent.comparison.shared_measures import SINGLED_OUT, measures_for_all, sort_of
from paravent.errors import CancelledError, ParaventError, PlanError, TableError
from paravent.measures import Absent, Measures
from paravent.methods.method import Progress, silent
from paravent.plan.attack import attack
from paravent.plan.encode import without_missing_rows
from paravent.plan.judge import before_writing, beside_of, verify
from paravent.plan.plan import Plan
from paravent.plan.release import Release, evidence_in
from paravent.plan.runner import anonymize, as_table
from paravent.plan.treat import base_of
from paravent.privacy.attacks import SinglingOut
from paravent.privacy.model import Model
from paravent.privacy.verdict import Verdict
from paravent.table.table import Table
from paravent.utility.family import Study
from paravent.utility.measure import measure
from paravent.utility.subject import Subject

_STAGES = {
    "read": 0.0,
    "check": 0.02,
    "encode": 0.05,
    "anonymize": 0.1,
    "assemble": 0.7,
    "verify": 0.75,
    "measure": 0.85,
}
"""How much of a candidate's work lies behind it when a stage begins."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to compare: what `compare` and `sweep` take by name."""

    by: str = "utility.gcp"
    risk: str = "risk.prosecutor.average"
    utility: str = "utility.gcp"
    measures: Sequence[str] = ()
    study: Study | None = None
    populations: Mapping[str, Any] | None = None
    results: str | os.PathLike[str] | None = None
    releases: str | os.PathLike[str] | None = None
    suffix: str = ".csv"
    keep: bool = False
    overwrite: bool = True
    control: Any = None
    progress: Progress | None = None

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.by, self.risk, self.utility)


def compare(
    source: Any,
    plans: Any,
    *,
    by: str = Options.by,
    risk: str = Options.risk,
    utility: str = Options.utility,
    measures: Sequence[str] = (),
    study: Study | None = None,
    populations: Mapping[str, Any] | None = None,
    results: str | os.PathLike[str] | None = None,
    releases: str | os.PathLike[str] | None = None,
    suffix: str = Options.suffix,
    keep: bool = False,
    overwrite: bool = True,
    control: Any = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare candidates at equal protection.

    `plans` is a list, or a mapping from names: Plans, paths of plan files, Releases, or pairs of a plan and a table
    that was released by it. Each release is checked against the demands of all plans, and measured over the
    quasi-identifiers of all. A candidate that fails becomes an entry with the reason, and the others go on.

    `by` is the measure to rank by; `risk` and `utility` are the axes of the R-U map. With `risk="privacy.epsilon"` the
    candidates stand at what they spent, and those that have no epsilon apart. Where synthetic rows stand beside rows of
    people and nobody says by what, all are seen by the error of counts (`utility.queries.are`) and by how often a
    description taken from the release fits one person (`attack.singling_out.all`). Any figure of `pv.attack` can be
    named; `control` are people who are not in the table, as there. `measures` names families of measures that only run
    when asked for, `study` what they are told. `populations` are as for `anonymize`. `results`
    is a file that keeps what is finished: it is written after every candidate and taken up again by the next call.
    `releases` is a folder for the released tables, written as `suffix` files; `keep=True` keeps them in memory
    (`comparison["name"].release`). `overwrite=False` refuses to replace a file of `releases`. `progress`
    is called with what is being done and the share that is done. Ctrl-C, or a progress that raises CancelledError, ends
    the work: the comparison then holds what was finished, and `stopped` is true.

    >>> import paravent as pv
    >>> table = pl.DataFrame({"age": [21, 23, 34, 38], "disease": ["flu", "cold", "flu", "flu"]})
    >>> plan = pv.Plan({"age": pv.Quasi(), "disease": pv.Sensitive()}, [pv.KAnonymity(2)])
    >>> found = compare(table, {"two": plan, "four": plan.replace(protect=[pv.KAnonymity(4)])})
    >>> found.comparable, [level.members for level in found.levels()]
    (False, [('four',), ('two', 'four')])
    """
    check_call(compare, locals())
    options = Options(
        by=by,
        risk=risk,
        utility=utility,
        measures=measures,
        study=study,
        populations=populations,
        results=results,
        releases=releases,
        suffix=suffix,
        keep=keep,
        overwrite=overwrite,
        control=control,
        progress=progress,
    )
    return run(source, candidates_of(plans), options)


def run(source: Any, candidates: Sequence[Candidate], options: Options, *, sweep: Sweep | None = None) -> Comparison:
    """Work through candidates one by one."""
    table, encoding = as_table(source), SharedEncoding()
    candidates = [_fitting(candidate, table, encoding) for candidate in candidates]
    plans = [c.plan for c in candidates if c.plan is not None and c.problem is None]
    options = replace(options, **measures_for_all(options, plans))
    demands = tuple(dict.fromkeys(demand for plan in plans for demand in demands_of(plan)))
    scale = Scale.of(plans, table)
    entries = [Entry(c.name, c.plan, c.settings, c.made_by, asked=_positions(c, demands)) for c in candidates]
    comparison = Comparison(
        TableFacts.of(table), scale.quasi, demands, tuple(entries), wanted=options.wanted, sweep=sweep
    )
    worker = _Worker(table, demands, scale, options, encoding)
    comparison = _taken_up(comparison, options)
    _refuse_existing(comparison, candidates, options)
    for at, candidate in enumerate(candidates):
        if comparison.entries[at].status == "done":
            continue
        try:
            entry, reference = worker.work(
                candidate, comparison.entries[at], _shown(options, candidate, at, candidates)
            )
        except (KeyboardInterrupt, CancelledError):
            comparison = replace(comparison, stopped=True)
            break
        comparison = comparison.with_entry(at, entry, reference)
        _check_wanted(comparison)
        if options.results is not None:
            comparison.save(options.results)
    if options.results is not None:
        comparison.save(options.results)
    return comparison


def _check_wanted(comparison: Comparison) -> None:
    """Refuse a measure that nobody has as soon as that is known: when no candidate of another sort is to come."""
    done = comparison.done
    waiting = [entry for entry in comparison.entries if entry.status == "not run"]
    if done and {sort_of(entry.plan) for entry in waiting} <= {sort_of(entry.plan) for entry in done}:
        comparison.wanted.check(*(entry.measures for entry in done if entry.measures is not None))


def _fitting(candidate: Candidate, table: Table, encoding: SharedEncoding) -> Candidate:
    """The candidate, or why its plan does not fit the table: what cannot be run sets no standard for the others."""
    if candidate.plan is None:
        return candidate
    try:
        candidate.plan.check(table)
        present, _, _ = without_missing_rows(base_of(table, candidate.plan), candidate.plan)
        if len(present):
            encoding(present, candidate.plan)
    except ParaventError as error:
        return replace(candidate, problem=error)
    return candidate


def _positions(candidate: Candidate, demands: Sequence[Demand]) -> frozenset[int]:
    if candidate.plan is None or candidate.problem is not None:
        return frozenset()
    return frozenset(demands.index(demand) for demand in demands_of(candidate.plan))


def _shown(options: Options, candidate: Candidate, at: int, candidates: Sequence[Candidate]) -> Progress:
    tell = options.progress or silent

    def progress(stage: str, done: float) -> None:
        begin = _STAGES.get(stage, 0.1)
        later = [share for share in (*_STAGES.values(), 1.0) if share > begin]
        within = begin + done * (min(later) - begin)
        tell(f"{candidate.name}: {stage}", (at + within) / len(candidates))

    return progress


def _taken_up(comparison: Comparison, options: Options) -> Comparison:
    """The comparison with what an earlier, interrupted one has finished."""
    if options.results is None or not Path(options.results).exists():
        return comparison
    earlier = load(Path(options.results))
    if earlier.table.fingerprint != comparison.table.fingerprint:
        raise PlanError(f"results: {str(options.results)!r} holds a comparison of another table. Name another file.")
    return continued(comparison, earlier, lambda entry: _is_enough(entry, options))


def _refuse_existing(comparison: Comparison, candidates: Sequence[Candidate], options: Options) -> None:
    """Before the work: no released table that is there already would be lost."""
    if options.releases is None or options.overwrite:
        return
    for entry, candidate in zip(comparison.entries, candidates, strict=True):
        target = _target(options, candidate)
        if entry.status != "done" and candidate.released is None and target.exists():
            raise TableError(f"{target} is there already. Name another folder, or replace it with --force.")


def _target(options: Options, candidate: Candidate) -> Path:
    assert options.releases is not None
    return Path(options.releases) / f"{file_stem(candidate.name)}{options.suffix}"


def _is_enough(entry: Entry, options: Options) -> bool:
    """Whether an entry that was finished earlier has everything that is asked for now. A table that was released
    elsewhere may have changed since."""
    if options.keep or entry.made_by != "plan" or not set(options.measures) <= set(entry.families):
        return False
    tried = [name for name in (options.by, options.risk, options.utility) if name.startswith("attack.")]
    if any(entry.value(name) is None and not entry.why_not(name) for name in tried):
        return False
    return options.releases is None or bool(entry.file and (Path(options.releases) / entry.file).exists())


@dataclass(eq=False)
class _Worker:
    """Turns a candidate into an entry."""

    table: Table
    demands: tuple[Demand, ...]
    scale: Scale
    options: Options
    encoding: SharedEncoding

    def work(
        self, candidate: Candidate, entry: Entry, progress: Progress
    ) -> tuple[Entry, Callable[[], Measures] | None]:
        """The finished entry and, where it has a release, what measures the original on the same scale."""
        begun = time.perf_counter()
        try:
            if candidate.problem is not None:
                raise candidate.problem
            if candidate.plan is None:
                raise PlanError(f"{candidate.name}: there is no plan.")
            released, verdict = self._release(candidate, candidate.plan, progress)
            given = released if candidate.released is None else candidate.released
            beside = beside_of(given, candidate.plan)
            frame = released.frame if isinstance(released, Release) else released
            checks = check_demands(
                frame,
                candidate.plan,
                self.demands,
                populations=self.options.populations,
                source=self.table.frame[released.kept]
                if isinstance(released, Release) and released.kept is not None
                else None,
                beside=beside,
                evidence=evidence_in(released) if isinstance(released, Release) else None,
                account=released.account if isinstance(released, Release) else (),
            )
            made = time.perf_counter() - begun
            progress("measure", 0.0)
            subject = subject_on_scale(self.table, released, candidate.plan, verdict, self.scale, beside)
            measures = measure(subject, *self.options.measures, study=self.options.study)
            measures = self._attacked(given, candidate.plan, measures)
            written = self._write(candidate, released)
        except ParaventError as error:
            if isinstance(error, CancelledError):
                raise
            return replace(entry, status="failed", failure=Failure.of(error)), None
        progress("measure", 1.0)
        finished = replace(
            entry,
            status="done",
            promise="" if verdict.holds else verdict.why_not(),
            checks=checks,
            measures=measures,
            families=tuple(self.options.measures),
            seconds=made,
            file=written,
            release=released if self.options.keep and isinstance(released, Release) else None,
        )
        models = [demand.model for demand in self.demands if isinstance(demand.model, Model)]
        plan = candidate.plan
        return finished, lambda: self._reference(original_on_scale(subject, models, self.table, plan), plan)

    def _reference(self, original: Subject, plan: Plan) -> Measures:
        """The original as if it were released, by the measures that the map is drawn by."""
        families = [name for name in self.options.measures if name == "queries"]
        found = measure(original, *families, study=self.options.study)
        return self._attacked(self.table.frame.select(original.released.columns), plan, found)

    def _attacked(self, released: Any, plan: Plan, measures: Measures) -> Measures:
        """With the figures of attacks, where somebody wants to see the candidates by one."""
        wanted = self.options.wanted
        names = {name for name in (wanted.by, wanted.risk, wanted.utility) if name.startswith("attack.")}
        if not names:
            return measures
        tried = [SinglingOut(known="all", seed=plan.seed)] if names == {SINGLED_OUT} else None
        whole = None if isinstance(released, Release) else self.table
        found = attack(
            released, plan, original=whole, control=self.options.control, attacks=tried, seed=plan.seed, strict=False
        )
        absent = [Absent(name, f"it needs {found.skipped[name]}.") for name in names if name in found.skipped]
        return Measures([*measures.everything(), *found.measures.details(), *absent])

    def _release(self, candidate: Candidate, plan: Plan, progress: Progress) -> tuple[Release | pl.DataFrame, Verdict]:
        given = candidate.released
        if given is None:
            release = anonymize(
                self.table, plan, progress=progress, populations=self.options.populations, encoder=self.encoding
            )
            return release, release.verdict
        if isinstance(given, Release):
            own = given.table
            if own is not self.table and not own.frame.equals(self.table.frame):
                raise TableError("the release was made from another table. Compare releases of one table.")
            return given, given.verdict
        frame = before_writing(given, plan)
        if frame.height > len(self.table) and not plan.method.draws_rows:
            raise TableError(f"the release has {frame.height} rows, the table {len(self.table)}. Give its original.")
        progress("verify", 0.0)
        beside = beside_of(given, plan)
        return frame, verify(frame, plan, populations=self.options.populations, beside=beside)

    def _write(self, candidate: Candidate, released: Release | pl.DataFrame) -> str | None:
        if self.options.releases is None or not isinstance(released, Release) or candidate.released is not None:
            return None
        folder = Path(self.options.releases)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TableError(f"the folder {folder} cannot be made: {error.strerror or error}.") from None
        target = _target(self.options, candidate)
        released.write(target)
        return target.name


def file_stem(name: str) -> str:
    """A candidate's name as the name of a file.

    >>> file_stem("k=5, suppression=0.1")
    'k=5_suppression=0.1'
    """
    kept = "".join(sign if sign.isalnum() or sign in "=.-" else "_" for sign in name)
    while "__" in kept:
        kept = kept.replace("__", "_")
    return kept.strip("._") or "candidate"

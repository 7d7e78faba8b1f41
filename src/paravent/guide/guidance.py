"""Guidance: the whole way from a context to a release, in five steps that can be gone back.

1 the context; 2 candidates, filtered, predicted and ranked; 3 those to run; 4 what they gave, ranked again by what was
measured; 5 the choice. A later step that changes nothing of an earlier one keeps what that has found.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from paravent.arguments import check_call
from paravent.errors import Note, PlanError
from paravent.guide.context import Context
from paravent.guide.explaining import Explanation, explain
from paravent.guide.foreseeing import long_runs, too_slow
from paravent.guide.hoping import counted, shortlist
from paravent.guide.log import Log, decision_quality, strict_quality
from paravent.guide.modes import Mode
from paravent.guide.ranking import Place, Ranking, rank
from paravent.guide.running import DONE, Result, run_all
from paravent.guide.signatures import Reason, Relevant, Signature, context_of
from paravent.knowledge.base import Knowledge
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.knowledge.filtering import passed
from paravent.knowledge.predicting.prediction import Prediction
from paravent.methods.method import Progress
from paravent.near import suggest
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.plan.runner import as_table
from paravent.table.table import Table


class Guidance:
    """What was found on the way from a context to a release; `pv.guide` begins it."""

    def __init__(
        self,
        context: Context,
        plan: Plan,
        found: Relevant,
        predictions: Mapping[str, Mapping[str, Prediction]],
        *,
        table: Table | None,
        known: Knowledge,
        mode: Mode = "full",
        methods: tuple[str, ...] | None = None,
        fingerprint: str = "",
        rows: int = 0,
        log: Log | None = None,
    ):
        check_call(Guidance.__init__, locals())
        self.context = context
        self.plan = plan
        self.predictions = predictions
        self.mode = mode
        self.methods = methods
        self.table = table
        self.known = known
        self.fingerprint = fingerprint or (table.fingerprint if table is not None else "")
        self.rows = rows or (len(table) if table is not None else 0)
        self.finished: dict[str, Result] = {}
        self.selected: tuple[str, ...] = ()
        self.chosen: str | None = None
        self.log = log
        self.found = found
        self.note("begin", mode=mode, rows=self.rows, candidates=len(found.signatures))

    # step 2

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The candidates that conform to the context."""
        return self.found.signatures

    @property
    def combinations(self) -> tuple[Signature, ...]:
        """Those of the candidates that are a treatment and a method, or a method with other labels or another
        objective; each says why it is proposed. They are ranked when seconds are spent on the table, or when run."""
        return tuple(each for each in self.signatures if each.because)

    @cached_property
    def dropped(self) -> Mapping[str, tuple[Reason, ...]]:
        """Every algorithm that has no candidate, with the reasons."""
        return MappingProxyType({**self.found.dropped, **self._slow})

    @cached_property
    def ranking(self) -> Ranking:
        """The candidates by what is predicted."""
        return rank(self._predicted, self.context.goals, self.context.decision, self._thresholds)

    @property
    def top(self) -> tuple[Signature, ...]:
        """The three that come first."""
        return tuple(self.signature(place.name) for place in self.ranking.top())

    @property
    def shortlist(self) -> tuple[Signature, ...]:
        """The three to run: the first, and those with which the best of the three is likely the best of all. What
        is sure to be second is no gain; that of which less is known may be."""
        methods = {each.name: each.method for each in self.signatures}
        return tuple(self.signature(name) for name in shortlist(self.ranking, self.predictions, methods))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to look at: judgements that contradict one another, candidates of which nothing is known, runs that may
        take long."""
        from paravent.guide.telling import notes_of

        return notes_of(self)

    def explain(
        self, signature: str | int | Place = 1, *, by: Literal["predicted", "measured"] | None = None
    ) -> Explanation:
        """Why a candidate stands where it stands: by its name, its rank, or its place in the ranking. After a run,
        among what was measured, unless `by` asks for the predictions."""
        check_call(Guidance.explain, locals())
        if by == "measured" and not self.finished:
            raise PlanError("nothing has been run yet. Call run() first, or explain by='predicted'.")
        measured = bool(self.finished) and by != "predicted"
        ranking, alternatives = (self.results, self._measured) if measured else (self.ranking, self._predicted)
        name = self._named(signature, ranking)
        own = self.signature(name)
        predictions = {} if measured else self.predictions.get(name, {})
        return explain(
            name,
            ranking,
            alternatives,
            self.context.goals,
            self._thresholds,
            list(own.because) if measured else [*own.because, *self._rules(own.key), *own.marks],
            predictions,
            self.known.language,
        )

    # steps 3 to 5

    def select(self, *signatures: str | int) -> Guidance:
        """Choose candidates to run, by name or rank; the `shortlist` where none is named."""
        check_call(Guidance.select, locals())
        if signatures:
            self.selected = tuple(dict.fromkeys(self._named(each, self.ranking) for each in signatures))
        else:
            self.selected = tuple(each.name for each in self.shortlist) or (self._named(1, self.ranking),)
        self.note("select", selected=self.selected)
        return self

    def run(self, *, budget: float | None = None, progress: Progress | None = None) -> Guidance:
        """Run what is selected (the `shortlist`, where nothing is), for at most `budget` seconds, and measure it. What
        has been run already is kept; what was stopped can be run again."""
        check_call(Guidance.run, locals())
        if self.table is None:
            raise PlanError("guidance: this process was loaded without its table. Load it with table=.")
        if budget is not None and not budget > 0:
            raise PlanError(f"guidance: budget must be seconds above 0, not {budget:g}.")
        if not self.selected:
            self.select()
        waiting = [self.signature(name) for name in self.selected if not self._is_finished(name)]
        run_all(self.table, waiting, self.context, budget=budget, progress=progress, finished=self._keep)
        self.note("run", finished=len(self.finished))
        return self

    @property
    def results(self) -> Ranking:
        """What was run, ranked by what was measured."""
        if not self.finished:
            raise PlanError("guidance: nothing has been run. Call run() first.")
        return rank(self._measured, self.context.goals, self.context.decision, self._thresholds)

    def choose(self, signature: str | int = 1) -> Guidance:
        """Choose one of the results, by its name or its rank."""
        check_call(Guidance.choose, locals())
        ranking = self.results
        self.chosen = self._named(signature, ranking)
        quality, strict = decision_quality(ranking, self.chosen), strict_quality(ranking, self.chosen)
        self.note("choose", chosen=self.chosen, rank=ranking[self.chosen].rank, quality=quality, strict=strict)
        return self

    @property
    def release(self) -> Release:
        """The release that was chosen (the best, where none was)."""
        if self.chosen is None:
            self.choose()
        found = self.finished[str(self.chosen)].release
        if found is None:
            raise PlanError("guidance: the release is not here any more. Run it again: it gives the same bytes.")
        return found

    def export(self, target: str | os.PathLike[str], **options: Any) -> None:
        """Write the release that was chosen."""
        self.release.write(target, **options)
        self.note("export")

    # going back

    def with_context(self, context: Context | None = None, *, seconds: float = 0.0, **changes: Any) -> Guidance:
        """The guidance for another context, or for changes of this one. What was run is kept where its plan still is a
        candidate."""
        check_call(Guidance.with_context, locals())
        from paravent.guide.going_back import with_context

        said = context or self.context
        return with_context(self, said.replace(**changes) if changes else said, seconds)

    def preferring(self, preferences: Mapping[tuple[str, str], float], decision: str | None = None) -> Guidance:
        """The same candidates and results in the order of other preferences: nothing is predicted or run anew, and the
        table is not needed. Candidates of which some criterion is not known have no score."""
        check_call(Guidance.preferring, locals())
        from paravent.guide.going_back import preferring

        return preferring(
            self, self.context.replace(preferences=dict(preferences), decision=decision or self.context.decision)
        )

    # documents

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the process as one JSON document, without the table and the releases."""
        check_call(Guidance.save, locals())
        from paravent.guide.process import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], table: Any = None) -> Guidance:
        """The process of a document; `table` is the one that it was about, to go on with it."""
        check_call(Guidance.load, locals())
        from paravent.guide.process import load_process

        return load_process(Path(path), None if table is None else as_table(table))

    # words

    def signature(self, name: str) -> Signature:
        """A candidate by its name."""
        check_call(Guidance.signature, locals())
        for each in self.signatures:
            if each.name == name:
                return each
        raise PlanError(
            f"guidance: there is no signature {name!r}. {suggest(name, [each.name for each in self.signatures])}"
        )

    def __repr__(self) -> str:
        return f"<Guidance: {len(self.signatures)} signatures, {len(self.finished)} run>"

    def __str__(self) -> str:
        from paravent.guide.telling import summary_of

        return summary_of(self)

    # within

    @cached_property
    def _said(self) -> dict[str, object] | None:
        return None if self.table is None else context_of(self.table, self.plan, self.context)

    @cached_property
    def _slow(self) -> dict[str, tuple[Reason, ...]]:
        """Algorithms all of whose candidates are expected to take too long."""
        return too_slow(self.signatures, self.predictions, self.context, self.known)

    @cached_property
    def long_runs(self) -> Mapping[str, float]:
        """Those of the `shortlist` that may take long on this table, with seconds, where nobody says how long they may
        take."""
        if self.table is None:
            return MappingProxyType({})
        return MappingProxyType(long_runs(self.table, self.shortlist, self.predictions, self.context))

    @cached_property
    def _predicted(self) -> dict[str, dict[str, float]]:
        """What counts of the predictions, of candidates that are not expected to take too long."""
        values = counted(self.predictions)
        return {each.name: values[each.name] for each in self.signatures if each.key not in self._slow}

    @property
    def _measured(self) -> dict[str, Mapping[str, float]]:
        return {name: result.values for name, result in self.finished.items() if result.status == DONE}

    @cached_property
    def _thresholds(self) -> dict[str, tuple[float, ...]]:
        return {name: self.known.thresholds(CRITERIA[name].key) for name in self.context.goals.weights}

    def _rules(self, key: str) -> list[str]:
        """The rules of the knowledge that this context calls up, and what the algorithm has that lets it pass."""
        if self._said is None:
            return []
        return [each.says(self.known) for each in passed(self.known, self._said, key)]

    def note(self, event: str, **facts: Any) -> None:
        """Write a step into the log, where there is one."""
        if self.log is not None:
            self.log.note(event, **facts)

    def _is_finished(self, name: str) -> bool:
        return name in self.finished and self.finished[name].status != "stopped"

    def _keep(self, result: Result) -> None:
        self.finished[result.name] = result

    def _named(self, signature: str | int | Place, ranking: Ranking) -> str:
        if isinstance(signature, Place):
            return self.signature(signature.name).name
        if isinstance(signature, bool) or not isinstance(signature, int):
            return self.signature(str(signature)).name
        if not len(ranking):
            raise PlanError(
                "guidance: no candidate has a score, because too little is known about any of them. Give more seconds "
                "to try them on the table."
            )
        if not 1 <= signature <= len(ranking):
            raise PlanError(f"guidance: there is no rank {signature}. Ranks go from 1 to {len(ranking)}.")
        return ranking.places[signature - 1].name

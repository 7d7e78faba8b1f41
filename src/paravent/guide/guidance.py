"""Guidance: the whole way from a context to a release, in five steps that can be gone back.

1 the context; 2 candidates, filtered, predicted and ranked; 3 those to run; 4 what they gave, ranked again by what was
measured; 5 the choice. A later step that changes nothing of an earlier one keeps what that has found.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from paravent.arguments import check_call
from paravent.errors import Note, PlanError
from paravent.guide.combining import with_combinations
from paravent.guide.context import Context
from paravent.guide.deciding.judgements import Doubt, nearest, spoken
from paravent.guide.explaining import Explanation, explain, metric_title, shown, title
from paravent.guide.log import Log, decision_quality, strict_quality
from paravent.guide.modes import Mode, shows
from paravent.guide.ranking import Place, Ranking, rank
from paravent.guide.running import DONE, Result, run_all
from paravent.guide.signatures import Reason, Relevant, Signature, context_of, relevant
from paravent.knowledge.base import Knowledge
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.knowledge.filtering import passed
from paravent.knowledge.loading import load
from paravent.knowledge.predicting.models import Predictors
from paravent.knowledge.predicting.outlook import predict
from paravent.knowledge.predicting.prediction import Prediction
from paravent.methods.method import Progress
from paravent.near import suggest
from paravent.plan.draft import draft
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.plan.roles import Quasi
from paravent.plan.runner import as_table
from paravent.privacy.k_anonymity import KAnonymity
from paravent.profiling.profile import profile
from paravent.table.table import Table

FALLBACK, LEAST = 5.0, 1.0
"""Seconds in which an answer is there where the evaluations of other tables say nothing about any candidate, as about
very large tables: what is left of them, and no less than the second, is spent on the table."""


def guide(
    source: Any,
    context: Context | None = None,
    plan: Plan | None = None,
    *,
    seconds: float = 0.0,
    methods: Sequence[str] | None = None,
    guidance: Mode = "full",
    language: str = "en",
    log: str | os.PathLike[str] | Log | None = None,
) -> Guidance:
    """Candidates for publishing a table, ranked for a context and explained.

    `plan` holds the roles of the columns and their trees; without one they are proposed from the table, and trees that
    a plan lacks are, too. What a plan promises, every candidate promises. `seconds` may be spent on runs on the table,
    so that predictions rest on it and not on the evaluations of other tables alone (where these say nothing about any
    candidate, what is left of five, and one at least, is spent). `methods` are those to look at (all, and combinations
    of some with treatments, other labels or objectives, which have no score without seconds). `guidance` says what is
    shown: "predefined" and "informative" propose nothing, "suggestive" proposes without explaining, "full" does both.
    `log` is a file in which your steps and their times are noted, for a study of your own; without it nothing is.

    >>> import paravent as pv
    >>> found = guide(pv.data.adult().frame.head(2000), Context(risk=0.1), methods=["Datafly", "mondrian-median"])
    >>> found.signatures[0].name, len(found.signatures)
    ('Datafly (k=10, MaxSup=100)', 9)
    """
    check_call(guide, locals())
    begun = time.monotonic()
    table, said = as_table(source), context or Context()
    base = _with_trees(table, drafted(table) if plan is None else plan)
    known = load(language=language)
    found = candidates_of(table, base, said, known, methods)
    predictions = predictions_of(table, found, said, seconds)
    if not seconds and not any(_is_whole(told) for told in predictions.values()):
        left = max(LEAST, FALLBACK - (time.monotonic() - begun))
        predictions = predictions_of(table, found, said, left, told=predictions)
    return Guidance(
        said,
        base,
        found,
        predictions,
        table=table,
        known=known,
        mode=guidance,
        methods=None if methods is None else tuple(methods),
        log=log if isinstance(log, Log) or log is None else Log(log),
    )


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
        self._found = found
        self._note("begin", mode=mode, rows=self.rows, candidates=len(found.signatures))

    # step 2

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The candidates that conform to the context."""
        return self._found.signatures

    @property
    def combinations(self) -> tuple[Signature, ...]:
        """Those of the candidates that are a treatment and a method, or a method with other labels or another
        objective; each says why it is proposed. They are ranked when seconds are spent on the table, or when run."""
        return tuple(each for each in self.signatures if each.because)

    @cached_property
    def dropped(self) -> Mapping[str, tuple[Reason, ...]]:
        """Every algorithm that has no candidate, with the reasons."""
        return MappingProxyType({**self._found.dropped, **self._slow})

    @cached_property
    def ranking(self) -> Ranking:
        """The candidates by what is predicted."""
        return rank(self._predicted, self.context.goals, self.context.decision, self._thresholds)

    @property
    def top(self) -> tuple[Signature, ...]:
        """The three that come first."""
        return tuple(self.signature(place.name) for place in self.ranking.top())

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to look at: judgements that contradict one another, candidates that nothing is known about."""
        found = []
        for node, judgements in self.context.goals.nodes:
            if not judgements.consistent:
                where = "" if node == "goal" else self.known.say("about-node", node=title(self.known, node))
                ratio, doubt = f"{judgements.ratio:.4f}", self._doubt(judgements.doubt)
                found.append(Note(self.known.say("contradiction", where=where, ratio=ratio, doubt=doubt)))
        combined = {each.name for each in self.combinations}
        unscored = [name in combined for name in self.ranking.unscored]
        if not all(unscored):
            found.append(Note(self.known.say("unscored", count=unscored.count(False))))
        if any(unscored):
            found.append(Note(self.known.say("unscored-combinations", count=unscored.count(True))))
        return tuple(found)

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
        """Choose candidates to run, by name or rank; the first three where none is named."""
        check_call(Guidance.select, locals())
        wanted = signatures or tuple(range(1, min(3, len(self.ranking)) + 1))
        self.selected = tuple(dict.fromkeys(self._named(each, self.ranking) for each in wanted))
        self._note("select", selected=self.selected)
        return self

    def run(self, *, budget: float | None = None, progress: Progress | None = None) -> Guidance:
        """Run what is selected (the first three, where nothing is), for at most `budget` seconds, and measure it. What
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
        self._note("run", finished=len(self.finished))
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
        self._note("choose", chosen=self.chosen, rank=ranking[self.chosen].rank, quality=quality, strict=strict)
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
        self._note("export")

    # going back

    def with_context(self, context: Context | None = None, *, seconds: float = 0.0, **changes: Any) -> Guidance:
        """The guidance for another context, or for changes of this one. What was run is kept where its plan still is a
        candidate."""
        check_call(Guidance.with_context, locals())
        if self.table is None:
            raise PlanError("guidance: this process was loaded without its table. Load it with table=.")
        said = (context or self.context).replace(**changes) if changes else context or self.context
        found = candidates_of(self.table, self.plan, said, self.known, self.methods)
        same_use = (said.use, said.target, said.learner) == (
            self.context.use,
            self.context.target,
            self.context.learner,
        )
        plans = {each.name: each.plan for each in self.signatures}
        kept = {each.name for each in found.signatures if each.name in plans and plans[each.name] == each.plan}
        predictions = {name: told for name, told in self.predictions.items() if name in kept} if same_use else {}
        missing = replace(found, signatures=tuple(each for each in found.signatures if each.name not in predictions))
        criteria = set(said.goals.weights) - {name for told in predictions.values() for name in told}
        if criteria:
            predictions, missing = {}, found
        if missing.signatures:
            predictions = {**predictions, **predictions_of(self.table, missing, said, seconds)}
        other = Guidance(
            said,
            self.plan,
            found,
            predictions,
            table=self.table,
            known=self.known,
            mode=self.mode,
            methods=self.methods,
        )
        other.log = self.log
        other._note("context", candidates=len(found.signatures))
        names = {each.name for each in found.signatures}
        other.selected = tuple(name for name in self.selected if name in names)
        other.finished = {
            name: result
            for name, result in self.finished.items()
            if name in kept and set(said.goals.weights) <= set(result.values)
        }
        return other

    def preferring(self, preferences: Mapping[tuple[str, str], float], decision: str | None = None) -> Guidance:
        """The same candidates and results in the order of other preferences: nothing is predicted or run anew, and the
        table is not needed. Candidates of which some criterion is not known have no score."""
        check_call(Guidance.preferring, locals())
        said = self.context.replace(preferences=dict(preferences), decision=decision or self.context.decision)
        other = Guidance(
            said,
            self.plan,
            self._found,
            self.predictions,
            table=self.table,
            known=self.known,
            mode=self.mode,
            methods=self.methods,
            fingerprint=self.fingerprint,
            rows=self.rows,
        )
        other.log = self.log
        other.selected, other.finished, other.chosen = self.selected, dict(self.finished), self.chosen
        return other

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
        lines = []
        if shows(self.mode, "inputs"):
            k, most = self.context.k, self.context.max_sup(self.rows)
            lines.append(self.known.say("inputs", k=k, risk=f"{self.context.risk:g}", max_sup=most, rows=self.rows))
        if shows(self.mode, "ranking"):
            ranking = self.results if self.finished else self.ranking
            lines.append(self.known.say("measured" if self.finished else "predicted"))
            for place in ranking.top(10):
                told = ", ".join(f"{metric_title(self.known, c)} {shown(c, v)}" for c, v in place.values.items())
                lines.append(f"  {place.rank}. {place.name}  {place.score:.4f}  ({told})")
        if shows(self.mode, "filter"):
            lines.append(self.known.say("dropped", count=len(self.dropped)))
        return "\n".join([*lines, *(self.known.say("note", note=note) for note in self.notes)])

    # within

    @cached_property
    def _said(self) -> dict[str, object] | None:
        return None if self.table is None else context_of(self.table, self.plan, self.context)

    @cached_property
    def _slow(self) -> dict[str, tuple[Reason, ...]]:
        """Algorithms all of whose candidates are expected to take too long."""
        if self.context.time is None:
            return {}
        limit = self.context.time
        found: dict[str, tuple[Reason, ...]] = {}
        for key in dict.fromkeys(each.key for each in self.signatures):
            told = [self.predictions[each.name].get("time") for each in self.signatures if each.key == key]
            seconds = [each.value for each in told if each is not None and each.value is not None]
            if seconds and len(seconds) == len(told) and min(seconds) > limit:
                label, least = self.known.entry(key).label, f"{min(seconds):.2g}"
                found[key] = (Reason(self.known.say("slow", algorithm=label, seconds=least, limit=f"{limit:g}")),)
        return found

    @cached_property
    def _predicted(self) -> dict[str, dict[str, float]]:
        """What is predicted of the candidates that are not expected to take too long."""
        found = {}
        for each in self.signatures:
            if each.key not in self._slow:
                told = self.predictions[each.name]
                found[each.name] = {c: p.value for c, p in told.items() if p.value is not None}
        return found

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

    def _doubt(self, doubt: Doubt | None) -> str:
        if doubt is None:
            return ""
        return self.known.say(
            "judgement-doubt",
            first=doubt.first,
            second=doubt.second,
            said=spoken(doubt.said),
            implied=spoken(nearest(doubt.implied)),
        )

    def _note(self, event: str, **facts: Any) -> None:
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


def candidates_of(
    table: Table, base: Plan, context: Context, known: Knowledge, methods: Sequence[str] | None = None
) -> Relevant:
    """The signatures of every method and combinations of them; of methods that are named, these alone."""
    found = relevant(table, base, context, known, methods)
    return found if methods is not None else with_combinations(table, base, context, known, found)


def drafted(table: Table) -> Plan:
    """The roles and trees that are proposed for a table. What to promise is the context's to say."""
    return draft(table, k=2).replace(protect=[KAnonymity(2)])


def _with_trees(table: Table, plan: Plan) -> Plan:
    """The plan with the trees that the profile proposes where it has none."""
    lacking = [name for name, role in plan.quasi.items() if role.tree is None]
    if not lacking:
        return plan
    proposed = {column.name: column.tree for column in profile(table, max_subset=1).columns if column.name in lacking}
    columns = dict(plan.columns)
    for name in lacking:
        role = columns[name]
        if proposed.get(name) is not None and isinstance(role, Quasi):
            columns[name] = replace(role, tree=proposed[name])
    return plan.replace(columns=columns)


def predictions_of(
    table: Table,
    found: Relevant,
    context: Context,
    seconds: float = 0.0,
    cube: Predictors | None = None,
    clock: Callable[[], float] = time.monotonic,
    told: Mapping[str, Mapping[str, Prediction]] | None = None,
) -> dict[str, dict[str, Prediction]]:
    """What is predicted of each candidate, by criterion; `cube` are models of other evaluations than the shipped. With
    seconds, candidates are tried on the table in the order in which they seem best without (as `told`, if it is known
    already)."""
    first: list[int] = []
    if seconds > 0:
        begun = clock()
        told = told or predictions_of(table, found, context, cube=cube)
        values = {name: {c: p.value for c, p in by.items() if p.value is not None} for name, by in told.items()}
        place = {each.name: at for at, each in enumerate(found.signatures)}
        ranked = [place[each.name] for each in rank(values, context.goals, context.decision).places]
        first = [*(at for at, each in enumerate(found.signatures) if each.because), *ranked]
        seconds = max(0.0, seconds - (clock() - begun))
    criteria = [*context.goals.weights, *(["time"] if context.time is not None else [])]
    criteria = list(dict.fromkeys(criteria))
    outlooks = predict(
        table,
        [each.plan for each in found.signatures],
        criteria,
        seconds=seconds,
        learner=context.learner,
        target=context.target if context.use == "classification" else None,
        number=context.target if context.use == "regression" else None,
        cube=cube,
        first=first,
        clock=clock,
    )
    return {
        each.name: {name: _within_promise(outlook[name], each) for name in criteria}
        for each, outlook in zip(found.signatures, outlooks, strict=True)
    }


def _is_whole(told: Mapping[str, Prediction]) -> bool:
    return all(each.value is not None for each in told.values())


def _within_promise(told: Prediction, signature: Signature) -> Prediction:
    """A prediction of the highest risk, which is never above one over k: that much is promised."""
    if told.metric != CRITERIA["security"].metric.name or told.value is None:
        return told
    most = 1 / signature.k
    low, high = (None if end is None else min(end, most) for end in (told.low, told.high))
    return replace(told, value=min(told.value, most), low=low, high=high)

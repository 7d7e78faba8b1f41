"""The verifier: it reads finished tables as a stranger would and says what they protect.

It shares nothing with methods or with the encoding. Two rows are alike when the strings in their quasi-identifiers
are equal; classes are found by grouping the frame, or the view that a derivation gives of several tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.privacy.classes import Classes
from paravent.privacy.derivation import Derivation
from paravent.privacy.frame_cells import blank_rows, check_columns, suppressed_cells, without_stars
from paravent.privacy.frame_classes import CountPeople, Whose, derive_classes, with_people
from paravent.privacy.model import Model
from paravent.privacy.promise import Constructed, Entry, Evidence, Limit, Promise
from paravent.privacy.replaced import NOTE, faults_of_form
from paravent.privacy.verdict import Check, Verdict, counted
from paravent.privacy.wildcards import compatible_classes
from paravent.table.alike import with_folded

__all__ = ["CountPeople", "blank_rows", "derive_classes", "suppressed_cells", "verify_frame"]


def verify_frame(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    promises: Sequence[Promise],
    *,
    wildcard: Iterable[str] = (),
    marked: np.ndarray | None = None,
    allowed: int | None = None,
    dropped: int = 0,
    absent: Iterable[str] = (),
    alike: Iterable[str] = (),
    cells: float = 1.0,
    replaced: Mapping[str, int | None] | None = None,
    blanks: bool = False,
    count_people: CountPeople | None = None,
    persons: np.ndarray | None = None,
    links: np.ndarray | None = None,
    faults: Iterable[str] = (),
    derivation: Derivation | None = None,
    beside: Mapping[str, pl.DataFrame] | None = None,
    evidence: Evidence | None = None,
    account: Sequence[Entry] | None = None,
) -> Verdict:
    """Judge a finished frame.

    `wildcard` names the columns whose missing cells match anything. With `blanks` the cells `*` of quasi-identifiers
    do so too: a weaker promise, and the verdict says so. `marked` tells which rows stand for suppressed
    ones: they must be blank, and count as suppressed like the `dropped` rows that are not in the frame. At most
    `allowed` may be suppressed in all, and of the quasi-identifier cells of the other rows at most the share `cells`
    may be `*`. The columns `absent` must not be there, and those `replaced` must have their form (see
    `faults_of_form`). In the sensitive columns `alike`, values that look alike are one (`table.alike`), unless a model
    takes them as known. `count_people` tells, for the populations that models name, how many people each row covers and
    how many none does. `persons` says whose each row is: then people are counted, not rows. `links` is the group of
    rows that the frame itself shows each row to belong to: then all rows of a group together must be like those of
    others. `faults` were found before.

    `derivation` says how classes show in the frame and the tables `beside` it, where that is not by equal cells.
    A measured limit is measured on `evidence`, a guarantee by construction judged by the `account`; without them they
    cannot be told, and do not hold.

    >>> from paravent.privacy.k_anonymity import KAnonymity
    >>> frame = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "31"], "disease": ["flu", "cold", "flu"]})
    >>> print(verify_frame(frame, ["age"], [KAnonymity(2)]))
    FAILS  2-anonymity  (privacy.k = 1; 1 class short of it)
    3 rows, 2 classes, 0 rows suppressed
    """
    models = [promise for promise in promises if isinstance(promise, Model)]
    served = [] if derivation is None else [model for model in models if derivation.serves(model)]
    others = [model for model in models if model not in served]
    beside, absent = beside or {}, tuple(absent)
    check_columns(frame, (*quasi, *(name for model in others for name in model.needs)))
    faults = list(faults)
    for table in (frame, *beside.values()):
        faults += [f"column {name!r} must not be in the release" for name in absent if name in table.columns]
    faults += faults_of_form(frame, replaced or {})
    suppressed = dropped
    if marked is not None and marked.any():
        suppressed += int(marked.sum())
        if not bool(np.all(blank_rows(frame, quasi)[marked])):
            faults.append("a row that stands for a suppressed one is not blank")
        frame = frame.filter(~marked)
        persons = None if persons is None else persons[~marked]
        links = None if links is None else links[~marked]
    if allowed is not None and suppressed > allowed:
        faults.append(
            f"{counted(suppressed, 'row is', 'rows are')} suppressed, {counted(allowed, 'is', 'are')} allowed"
        )
    starred = suppressed_cells(frame, quasi)
    if starred > cells:
        faults.append(f"{starred:.2%} of the quasi-identifier cells are suppressed, {cells:.2%} are allowed")
    whose = None if persons is None else Whose.of(persons, links)
    linked = whose is not None and whose.links is not None
    if count_people is not None and linked:
        raise PlanError(
            "people of a population cannot be counted where the release shows which rows are one person's. "
            "Drop that column, or leave out the model of a population."
        )
    strict = _Classes(frame, tuple(quasi), tuple(others), frozenset(alike), whose, count_people)
    strict_k = strict.least
    reading = ""
    shown = replace(strict, wildcard=tuple(wildcard))
    if blanks and starred:
        shown = replace(strict, frame=without_stars(frame, quasi), wildcard=tuple(quasi))
        reading = "with blanked cells as wildcards (weaker)"
    shown = shown if shown.open else strict
    grouped = shown
    if derivation is not None and served:
        grouped = _derived(derivation, served, frame, beside, frozenset(alike), persons)
    notes = _notes(
        frame, strict_k, blanks=bool(reading), wildcards=bool(shown.open), replaced=replaced or {}, linked=linked
    )
    if derivation is not None and (said := derivation.note(strict_k)):
        notes = (said, *notes)

    def judged(promise: Promise) -> Check:
        if isinstance(promise, Model):
            return grouped.judge(promise) if promise in served else replace(shown.judge(promise), reading=reading)
        if isinstance(promise, Limit) and evidence is not None:
            found = promise.measure(evidence)
        elif isinstance(promise, Constructed) and account is not None:
            found = promise.judge(account)
        else:
            return Check(promise, float("nan"), False, 0, words=_untold(promise))
        return Check(promise, found.level, found.holds, 0, words=found.words)

    return Verdict(
        tuple(map(judged, promises)),
        rows=frame.height,
        suppressed=suppressed,
        allowed=allowed,
        strict_k=strict_k,
        faults=tuple(faults),
        notes=notes,
        people=None if persons is None else len(np.unique(persons)),
        classes=(grouped if served and not others else shown).all(),
    )


def _untold(promise: Promise) -> str:
    if isinstance(promise, Limit):
        return "it cannot be told without the original, which a Release brings along and a file does not"
    return "it cannot be told from the table, but from the ledger of the mechanism that made it"


def _derived(
    derivation: Derivation,
    models: Sequence[Model],
    frame: pl.DataFrame,
    beside: Mapping[str, pl.DataFrame],
    alike: frozenset[str],
    persons: np.ndarray | None,
) -> _Classes:
    """The classes of a view. Where it does not tell whose its rows are, nobody's are counted twice."""
    columns = tuple(dict.fromkeys(name for model in models for name in model.needs))
    view = derivation.view(frame, beside, columns)
    if persons is not None and len(np.unique(persons)) == len(persons):
        persons = None  # rows are people
    if persons is not None and view.rows is None:
        raise PlanError(
            "person: the tables of this release do not tell whose their rows are, so people cannot be counted. Choose "
            "another method, or person=None to insist that every row is another person."
        )
    check_columns(view.frame, (*view.apart, *columns))
    whose = None if persons is None or view.rows is None else Whose.of(persons[view.rows], None)
    return _Classes(view.frame, view.apart, tuple(models), alike, whose)


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of a frame as each model sees them: those of the columns `apart`, and of what it takes as known."""

    frame: pl.DataFrame
    apart: tuple[str, ...]
    models: tuple[Model, ...]
    alike: frozenset[str]
    whose: Whose | None
    count_people: CountPeople | None = None
    wildcard: tuple[str, ...] = ()
    _divided: dict[tuple[str, ...], Classes] = field(default_factory=dict, init=False)

    @property
    def least(self) -> int:
        """The size of the smallest class; 0 where there is none."""
        classes = self.all()
        return int(classes.sizes.min()) if len(classes) else 0

    @property
    def open(self) -> list[str]:
        """The columns with missing cells that match anything."""
        if self.whose is not None and self.whose.links is not None:
            return []
        return [name for name in self.wildcard if name in self.apart and self.frame[name].null_count()]

    @property
    def _persons(self) -> np.ndarray | None:
        return None if self.whose is None else self.whose.persons

    def all(self) -> Classes:
        """The classes for models that take nothing as known, with every column that any model needs."""
        if () not in self._divided:
            needed = list(dict.fromkeys(name for model in self.models for name in model.needs))
            classes = self._found(self.apart, needed, self.alike.difference(self.apart))
            if self.count_people is not None and len(classes):
                classes = with_people(classes, self.frame, self.apart, self.count_people, in_order=bool(self.open))
            self._divided[()] = classes
        return self._divided[()]

    def _found(self, apart: Sequence[str], needed: Sequence[str], alike: frozenset[str]) -> Classes:
        seen = with_folded(self.frame, alike)
        if self.open:
            return compatible_classes(seen, apart, self.open, needed, self._persons)
        asked = {model.needs[0] for model in self.models if model.reads_values}
        return derive_classes(seen, apart, needed, asked, self.whose)

    def seen_by(self, model: Model) -> Classes:
        """Columns that a model takes as known tell people apart like quasi-identifiers."""
        if not model.known:
            return self.all()
        if model.known not in self._divided:
            apart = [*self.apart, *(name for name in model.known if name not in self.apart)]
            needed = list(dict.fromkeys(other.needs[0] for other in self.models if other.known == model.known))
            # Who knows a value may know its spelling.
            same = self.alike.difference(self.apart, model.known)
            self._divided[model.known] = self._found(apart, needed, same)
        return self._divided[model.known]

    def judge(self, model: Model) -> Check:
        """A model of each column is judged for each of them, and holds where all do."""
        if not model.by_column:
            return _judged(model, self.seen_by(model))
        checks = []
        for name in self.apart:
            if name in self.open:
                found = compatible_classes(self.frame, [name], [name], [], self._persons)
            else:
                found = derive_classes(self.frame, [name], [], whose=self.whose)
            checks.append(_judged(model, found))
        return Check(
            model,
            min((check.level for check in checks), default=0),
            bool(checks) and all(check.holds for check in checks),
            sum(check.failing for check in checks),
        )


def _judged(model: Model, classes: Classes) -> Check:
    failing = int((~model.holds(classes)).sum())
    # A frame without a single row discloses nothing, but it is no release either.
    return Check(model, model.level(classes), failing == 0 and len(classes) > 0, failing)


def _notes(
    frame: pl.DataFrame, strict_k: int, *, blanks: bool, wildcards: bool, replaced: Iterable[str], linked: bool
) -> tuple[str, ...]:
    """What a reader of the verdict has to know about how it was reached."""
    notes = []
    if blanks:
        notes.append(
            "Blanked cells count as wildcards. That is weaker than k-anonymity: rows may be told apart by which cells "
            f"of theirs are blank, and where these match only one another, k is {strict_k}."
        )
    elif wildcards:
        notes.append(f"Missing cells count as wildcards; where they match only one another, k is {strict_k}.")
    if any(name in frame.columns for name in replaced):
        notes.append(NOTE)
    if linked:
        notes.append("The release shows which rows belong together: k counts people all of whose rows look the same.")
    return tuple(notes)

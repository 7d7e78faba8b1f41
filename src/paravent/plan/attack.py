"""Attacking any released table with the eyes of a plan: who could learn what about whom."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.errors import ParaventError, PlanError, TableError
from paravent.hierarchy.spec import TreeSpec, spec_from_document
from paravent.near import suggest
from paravent.plan.as_original import in_types_of
from paravent.plan.coded_people import coded_people
from paravent.plan.encode import encode
from paravent.plan.file import resolved
from paravent.plan.judge import before_writing, beside_of, marked_rows, persons_behind, uncounted
from paravent.plan.persons import persons_in
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.plan.runner import as_plan, as_table
from paravent.plan.told import told_by
from paravent.plan.treat import Base, base_of
from paravent.plan.truth import attackable
from paravent.privacy.attacks import ALL, Attack, Findings, Population, Scene, run_all
from paravent.privacy.attacks.sampled import SampledAttack
from paravent.privacy.language import Language
from paravent.table.alike import with_folded
from paravent.table.domain import Domain
from paravent.table.formulas import unguarded
from paravent.table.kinds import Kind
from paravent.table.table import Table
from paravent.table.text import as_text

if TYPE_CHECKING:
    from paravent.hierarchy.axis import Axis
    from paravent.hierarchy.tree import Tree

_SUPPRESSED = "suppressed"
_BY_VALUES = ("quantiles", "balanced", "by_frequency")
"""Builders whose labels depend on the values that occur: they say nothing about other tables."""


def attack(
    released: Any,
    plan: Plan | str | os.PathLike[str],
    *,
    against: Any = None,
    original: Any = None,
    control: Any = None,
    beside: Mapping[str, Any] | None = None,
    attacks: Iterable[Attack | type[Attack] | str] | None = None,
    attempts: int = 2000,
    seed: int | None = None,
    strict: bool = True,
) -> Findings:
    """Try attacks on a released table: all that there is enough for, or those that are named.

    `released` is a Release, a frame or a file. `against` is a table of people whom an attacker can name, in the release
    or not, with their values as they are: who has the plan codes them as its treatments code those of the release;
    `original` the table that the release was made from, which a Release brings along. Where only one of them is
    given it serves for both. `control` are people like those of the original who are not in the release; for a Release,
    `"suppressed"` takes its suppressed rows, who are unusual people. Sampled attacks make at most `attempts` attempts,
    by `seed` (the plan's). `beside` holds the further tables of a release by name, where its method publishes several
    and they are not files beside the first. With `strict=False` an attack that the tables do not allow is skipped
    instead of raising.

    >>> import paravent as pv
    >>> plan = pv.Plan({"age": pv.Quasi(), "disease": pv.Sensitive()}, [pv.KAnonymity(2)])
    >>> frame = pl.DataFrame({"age": ["[20, 29]"] * 2 + ["[30, 39]"] * 2, "disease": ["flu", "cold", "cold", "cold"]})
    >>> pv.attack(frame, plan)["attack.homogeneity.disease"].exposed.tolist()
    [2, 3]
    """
    check_call(attack, locals())
    plan = as_plan(plan)
    scene = scene_of(released, plan, against=against, original=original, control=control, beside=beside)
    return run_all(_chosen(attacks, attempts, plan.seed if seed is None else seed), scene, strict=strict)


def scene_of(
    released: Any,
    plan: Plan,
    *,
    against: Any = None,
    original: Any = None,
    control: Any = None,
    beside: Mapping[str, Any] | None = None,
) -> Scene:
    """What an attacker sees and knows."""
    frame = released.labelled if isinstance(released, Release) else before_writing(released, plan)
    for name in plan.quasi:
        if name not in frame.columns:
            raise TableError(
                f"the release has no column {name!r}, which its plan calls a quasi-identifier. "
                f"{suggest(name, frame.columns)}"
            )
    marked = marked_rows(frame, plan)
    frame = with_folded(frame, plan.alike)
    real = np.arange(frame.height) if marked is None else np.flatnonzero(~marked)
    source: Table | None = None
    base: Base | None = None
    row_of: np.ndarray | None = None
    axes: Sequence[Axis] = ()
    if isinstance(released, Release) and original is None:
        base = released.base
        source, axes = base.known, released.axes
        if released.kept is not None:
            row_of = np.full(len(source), -1, dtype=np.int64)
            row_of[released.kept[real]] = np.arange(len(real))
    elif original is not None:
        base = base_of(as_table(original), plan)
        source = base.known
        axes = _axes(source, plan)
    people = None
    if against is not None:
        people = _named(coded_people(as_table(against), plan, base, "table of people"), plan)
    whose = persons_behind(released, frame, plan)
    if whose is None and isinstance(plan.person, str):
        raise TableError(f"{uncounted(plan.person)}.")
    whole = None
    if source is not None:
        theirs = persons_in(source, plan)
        seen = with_folded(source.frame, plan.alike)
        whole = Population(seen, row_of, "original", is_original=True, persons=theirs)
    others = _control(control, source, row_of, plan, base)
    populations = [population for population in (people, whole, others) if population is not None]
    trees = _sensitive_trees(plan)
    shown = frame[real] if len(real) < frame.height else frame
    if plan.method.draws_rows and source is not None:
        shown = in_types_of(source.frame, shown)
    rows = real if len(real) < frame.height else None
    persons = None if whose is None else whose[real]
    tables = beside_of(released, plan, beside)
    if isinstance(released, str | os.PathLike):
        tables = {name: unguarded(table) for name, table in tables.items()}
    return Scene(
        shown,
        *_known_and_guarded(plan, frame.columns),
        _languages(plan, axes, populations, frame.columns),
        people=people or whole,
        original=whole or people,
        control=others,
        trees=trees,
        hidden=frozenset(plan.identifiers),
        rows=rows,
        persons=persons,
        groups=released.subject.of_row[real] if isinstance(released, Release) and _is_whole(released, plan) else None,
        told=told_by(shown, tables, plan, rows=rows, persons=persons, trees=trees),
        synthetic=plan.method.draws_rows,
    )


def _known_and_guarded(plan: Plan, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns that an attacker knows of people, and those that they would like to know. Of synthetic rows, every
    column that is not sensitive may be known where the plan names none."""
    if not plan.method.draws_rows:
        return tuple(plan.quasi), attackable(plan, names)
    known = tuple(plan.quasi) or tuple(name for name in names if name not in plan.sensitive)
    return known, tuple(name for name in plan.sensitive if name in names)


def _is_whole(released: Release, plan: Plan) -> bool:
    """Whether the classes that a release knows are those that the plan sees."""
    return tuple(released.plan.quasi) == tuple(plan.quasi) and not released.subject.synthetic


def _named(table: Table, plan: Plan) -> Population:
    """A table of people; where it has the column that says whose rows are whose, that counts."""
    knows = isinstance(plan.person, str) and plan.person in table.columns
    return Population(with_folded(table.frame, plan.alike), persons=persons_in(table, plan) if knows else None)


def _control(
    control: Any, source: Table | None, row_of: np.ndarray | None, plan: Plan, base: Base | None
) -> Population | None:
    if control is None:
        return None
    if isinstance(control, str) and control == _SUPPRESSED:
        if source is None or row_of is None:
            raise PlanError("control='suppressed' needs a Release, which knows the rows that it left out.")
        frame = source.frame.filter(row_of < 0)
        if not frame.height:
            raise PlanError("control='suppressed': no row was suppressed. Give a table of people as the control group.")
        return Population(with_folded(frame, plan.alike), called="control group")
    table = coded_people(as_table(control), plan, base, "control group")
    return Population(with_folded(table.frame, plan.alike), called="control group")


def _chosen(attacks: Iterable[Attack | type[Attack] | str] | None, attempts: int, seed: int) -> list[Attack]:
    found: list[Attack] = []
    for asked in ALL if attacks is None else attacks:
        if isinstance(asked, type) and issubclass(asked, Attack):
            sampled = issubclass(asked, SampledAttack)
            found.append(asked(attempts=attempts, seed=seed) if sampled else asked())  # type: ignore[call-arg]
        elif isinstance(asked, Attack):
            found.append(asked)
        else:
            raise PlanError(
                f"attacks: {asked!r} is no attack. {suggest(str(asked), [known.__name__ for known in ALL])} "
                "Name them as pv.attacks.Homogeneity, or with parameters."
            )
    return found


def _axes(table: Table, plan: Plan) -> Sequence[Axis]:
    """The quasi-identifiers that the original has, as the plan reads them."""
    present = {name: role for name, role in plan.columns.items() if name in table.columns}
    if not any(name in plan.quasi for name in present):
        return ()
    return encode(table, resolved(plan).replace(columns=present))


def _languages(
    plan: Plan, axes: Sequence[Axis], populations: Sequence[Population], names: Sequence[str]
) -> Mapping[str, Language]:
    """How the columns `names` of a release are meant."""
    if plan.method.draws_rows:
        return {name: Language(exact=True) for name in names}
    by_name = {axis.name: axis for axis in axes}
    roles = resolved(plan).quasi
    return {
        name: Language(
            by_name.get(name),
            _tree(name, role.tree, [c.frame[name] for c in populations if name in c.frame.columns]),
            generalized=role.tree is not None,
        )
        for name, role in roles.items()
    }


def _tree(name: str, tree: TreeSpec | str | None, columns: Sequence[pl.Series]) -> Tree | None:
    """The plan's tree over the values of everybody known, where it is the same for every table."""
    if tree is None or not columns:
        return None
    spec = spec_from_document(tree, name=name) if isinstance(tree, str) else tree
    if spec.call in _BY_VALUES:
        return None
    columns = [column.alias("values").drop_nulls().unique() for column in columns]
    if any(column.dtype != columns[0].dtype for column in columns):
        columns = [as_text(column) for column in columns]
    values = pl.concat(columns).unique().sort()
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        values = values.cast(pl.String)
    try:
        return spec.build(Domain(name, _kind(values), values, np.ones(len(values), dtype=np.int64)))
    except ParaventError:  # values that the tree cannot hold: the original's own reading has to do
        return None


def _kind(values: pl.Series) -> Kind:
    if values.dtype.is_integer():
        return Kind.INTEGER
    if values.dtype.is_numeric():
        return Kind.FLOAT
    return Kind.DATE if values.dtype.is_temporal() else Kind.NOMINAL


def _sensitive_trees(plan: Plan) -> dict[str, object]:
    """What belongs together in sensitive columns, where a model of the plan says it."""
    found: dict[str, object] = {}
    for model in resolved(plan).models:
        tree, column = getattr(model, "tree", None), getattr(model, "column", None)
        if tree is not None and isinstance(column, str):
            found.setdefault(column, tree)
    return found

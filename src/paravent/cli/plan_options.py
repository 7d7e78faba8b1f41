"""What is wanted, from options: a plan file, or the roles and models one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent import registry
from paravent.cli.calls import read_call
from paravent.cli.options import names, pair
from paravent.errors import PlanError

if TYPE_CHECKING:
    from paravent import Plan, Quasi
    from paravent.hierarchy import TreeSpec

_METHODS, _MODELS, _BUILDERS, _TREATMENTS = (
    ", ".join(registry.entries(kind)) for kind in ("method", "model", "builder", "treatment")
)

_option = partial(typer.Option, rich_help_panel="What is wanted (a plan file, or the options below)")


@dataclass(frozen=True)
class PlanOptions:
    """Roles, models and method of a plan."""

    plan: Annotated[Path | None, _option("--plan", "-p", metavar="FILE", help="A plan (TOML).")] = None
    quasi: Annotated[
        list[str] | None,
        _option(
            "--quasi",
            "-q",
            metavar="NAMES",
            help="Columns that together could single somebody out. Comma-separated and repeatable.",
        ),
    ] = None
    sensitive: Annotated[
        list[str] | None, _option("--sensitive", "-s", metavar="NAMES", help="Columns worth protecting.")
    ] = None
    identifier: Annotated[
        list[str] | None, _option("--identifier", "-i", metavar="NAMES", help="Columns that name people: left out.")
    ] = None
    drop: Annotated[
        list[str] | None,
        _option("--drop", metavar="NAMES", help="Columns to leave out although they name nobody."),
    ] = None
    insensitive: Annotated[
        list[str] | None,
        _option("--insensitive", metavar="NAMES", help="Columns to release as they are, on your word."),
    ] = None
    tree: Annotated[
        list[str] | None,
        _option(
            "--tree",
            metavar="NAME=TREE",
            help="How a column is generalized: a file, or a builder such as 'age=intervals(5, 10, 20)'. "
            f"Builders: {_BUILDERS}. Repeatable.",
        ),
    ] = None
    outside: Annotated[
        list[str] | None,
        _option(
            "--outside",
            metavar="NAMES",
            help="Columns whose tree need not know every value: what it does not know hangs on its root.",
        ),
    ] = None
    k: Annotated[int | None, _option("--k", "-k", metavar="NUMBER", help="Everybody hides among at least k rows.")] = (
        None
    )
    l: Annotated[  # noqa: E741  the name of the model's parameter
        float | None, _option("--l", "-l", metavar="NUMBER", help="At least l sensitive values in every class.")
    ] = None
    t: Annotated[
        float | None,
        _option("--t", metavar="NUMBER", help="Sensitive values are spread in every class as in the table, up to t."),
    ] = None
    protect: Annotated[
        list[str] | None,
        _option(
            metavar="MODEL",
            help=f"Any other demand, such as \"TCloseness(0.2, 'disease')\". Models: {_MODELS}. Repeatable.",
        ),
    ] = None
    no_promises: Annotated[
        bool | None,
        _option("--no-promises", help="Ask for no promise at all: nothing is guaranteed then, and the report says so."),
    ] = None
    method: Annotated[
        str | None,
        _option(
            metavar="METHOD",
            help=f"The algorithm, such as \"Mondrian(labels='set')\". Methods: {_METHODS}.",
        ),
    ] = None
    treat: Annotated[
        list[str] | None,
        _option(
            metavar="TREATMENT",
            help="A step that changes values before classes are made, such as \"TopCode('age', above=75)\". "
            f"Treatments: {_TREATMENTS}. Repeatable, and done in this order.",
        ),
    ] = None
    suppression: Annotated[
        float | None, _option(metavar="SHARE", help="The share of rows that may be suppressed, 0 to 1.")
    ] = None
    cell_suppression: Annotated[
        float | None, _option(metavar="SHARE", help="The share of quasi-identifier cells that may be *, 0 to 1.")
    ] = None
    suppressed: Annotated[str | None, _option(metavar="drop|mark", help="What becomes of suppressed rows.")] = None
    order: Annotated[str | None, _option(metavar="shuffled|source|sorted", help="The order of the released rows.")] = (
        None
    )
    missing: Annotated[
        str | None,
        _option(
            metavar="MEANING",
            help="What a missing quasi-identifier means: 'own value', wildcard, 'drop rows' or impute.",
        ),
    ] = None
    alike: Annotated[
        str | None,
        _option(metavar="apart|one", help="Whether sensitive values that look alike (flu, Flu) count as one."),
    ] = None
    seed: Annotated[int | None, _option(metavar="NUMBER", help="For whatever is drawn at random.")] = None
    person: Annotated[
        str | None,
        _option(metavar="NAME", help="The column that says whose each row is: people are counted then, not rows."),
    ] = None
    no_person: Annotated[
        bool | None, _option("--no-person", help="Every row is another person, even where an identifier repeats.")
    ] = None
    responsible: Annotated[
        str | None, _option(metavar="NAME", help="Who answers for the release, as its report says.")
    ] = None
    purpose: Annotated[str | None, _option(metavar="TEXT", help="What it is for, as its report says.")] = None

    @property
    def given(self) -> list[str]:
        """The options that were used."""
        return [
            f"--{field.name.replace('_', '-')}" for field in fields(self) if getattr(self, field.name) not in (None, [])
        ]

    def to_plan(self, names_of_columns: Callable[[], Sequence[str]]) -> Plan:
        """The plan; the columns of its table are asked for only where options name them."""
        import paravent as pv
        from paravent.plan import plan_of

        if self.plan is not None:
            said = ("--plan", "--responsible", "--purpose")  # the last two change no release, only its report
            others = [option for option in self.given if option not in said]
            if others:
                raise PlanError(
                    f"{others[0]} and --plan both say what is wanted. Put it into the plan, or leave --plan out."
                )
            plan = pv.Plan.load(self.plan)
            about = {"responsible": self.responsible, "purpose": self.purpose}
            return plan.replace(about=replace(plan.about, **{n: text for n, text in about.items() if text is not None}))
        columns = names_of_columns() if self.quasi else []
        wished = {
            "quasi": self._quasi(columns),
            "sensitive": names("--sensitive", self.sensitive or (), columns) if self.quasi else (),
            "identifiers": names("--identifier", self.identifier or (), columns) if self.quasi else (),
            "drop": names("--drop", self.drop or (), columns) if self.quasi else (),
            "insensitive": names("--insensitive", self.insensitive or (), columns) if self.quasi else (),
            "method": None if self.method is None else read_call("--method", self.method, known("method")),
            "treat": [read_call("--treat", text, known("treatment")) for text in self.treat or ()],
            "about": pv.About(responsible=self.responsible, purpose=self.purpose),
        }
        if self.no_promises and (self.protect or self.k or self.l or self.t):
            raise PlanError("--no-promises contradicts --k, --l, --t and --protect. Give it alone, or leave it out.")
        if self.protect or self.no_promises:
            wished["protect"] = [read_call("--protect", text, known("model")) for text in self.protect or ()]
        same = ("alike", "k", "l", "t", "suppression", "suppressed", "cell_suppression", "order", "missing", "seed")
        if self.person is not None and self.no_person:
            raise PlanError("--person and --no-person contradict each other. Give one of them.")
        if self.person is not None or self.no_person:
            wished["person"] = names("--person", [self.person], columns)[0] if self.person is not None else None
        return plan_of(wished | {name: getattr(self, name) for name in same}, columns, spelled=_as_option)

    def _quasi(self, columns: Sequence[str]) -> dict[str, Quasi | TreeSpec | None]:
        import paravent as pv

        trees = dict(_tree(text, columns) for text in self.tree or ()) if self.quasi else {}
        quasi = {name: trees.pop(name, None) for name in names("--quasi", self.quasi or (), columns)}
        for name in trees:
            raise PlanError(
                f"--tree: column {name!r} is no quasi-identifier. Name it with --quasi, or leave its tree out."
            )
        hung: dict[str, Quasi | TreeSpec | None] = dict(quasi)
        for name in names("--outside", self.outside or (), columns) if self.quasi else ():
            if quasi.get(name) is None:
                raise PlanError(f"--outside: column {name!r} has no tree. Name one with --tree, or leave it out.")
            hung[name] = pv.Quasi(quasi[name], outside="root")
        return hung


def _as_option(name: str) -> str:
    return "--identifier" if name == "identifiers" else f"--{name}"


def _tree(text: str, columns: Sequence[str]) -> tuple[str, TreeSpec]:
    name, tree = pair("--tree", text, columns)
    return name, tree_from_text("--tree", tree)


def tree_from_text(option: str, text: str) -> TreeSpec:
    """The tree that an option names: a file, or a builder with its arguments."""
    import paravent as pv

    if "(" not in text or Path(text).exists():
        return pv.tree_file(text)
    return read_call(option, text, {name: getattr(pv, name) for name in registry.entries("builder")})  # type: ignore[no-any-return]


def known(what: str) -> dict[str, Any]:
    """The models, methods or treatments that a plan can name."""
    return registry.classes(what)

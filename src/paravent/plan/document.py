"""The document of a plan: nested tables of plain values, as its TOML file holds them.

Roles, models and methods are dataclasses, and their fields are the keys of their tables: nothing is listed twice. The
same pydantic models check a document and give its JSON schema.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, Optional, Union, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, create_model

from paravent import registry
from paravent.errors import ParaventError, PlanError
from paravent.hierarchy.spec import TreeSpec, spec_from_document
from paravent.near import suggest
from paravent.plan.about import About
from paravent.plan.plan import UNSAID, Plan
from paravent.plan.roles import ROLES

_TAGS = {"columns": "role", "protect": "model", "method": "name", "treat": "treatment"}
"""The key that names the class of an entry, in each part of a document."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


def to_document(plan: Plan) -> dict[str, Any]:
    """
    >>> from paravent.privacy import KAnonymity
    >>> from paravent.plan.roles import Quasi
    >>> document = to_document(Plan({"age": Quasi(weight=2.0)}, KAnonymity(3), suppression=0.1))
    >>> document["suppression"], document["columns"], document["protect"]
    (0.1, {'age': {'role': 'quasi', 'weight': 2.0}}, [{'model': 'KAnonymity', 'k': 3}])
    """
    document: dict[str, Any] = {"seed": plan.seed, "suppression": plan.suppression, "suppressed": plan.suppressed}
    if plan.cell_suppression != 1:
        document["cell_suppression"] = plan.cell_suppression
    if plan.order != "shuffled":
        document["order"] = plan.order
    if plan.missing is not None:
        document["missing"] = plan.missing
    if plan.about:
        document["about"] = plan.about.to_document()
    if plan.person is not UNSAID:
        document["person"] = plan.person if plan.person is not None else False
    document["method"] = _entry("name", type(plan.method).__name__, plan.method)
    document["protect"] = [_entry("model", type(model).__name__, model) for model in plan.protect]
    if plan.treat:
        document["treat"] = [_entry("treatment", type(each).__name__, each, defaults=False) for each in plan.treat]
    document["columns"] = {name: _entry("role", role.name, role, defaults=False) for name, role in plan.columns.items()}
    return document


def from_document(document: Mapping[str, Any], *, folder: str | os.PathLike[str] | None = None) -> Plan:
    """The plan that a document describes; PlanError names the first entry that is wrong."""
    try:
        text = json.dumps(document, default=str)
    except (TypeError, ValueError, RecursionError):
        raise PlanError("the plan holds values that no plan can hold. Use texts, numbers, lists and tables.") from None
    classes = _classes_in(document)
    try:
        parsed: Any = _model_of(classes).model_validate_json(text)
    except ValidationError:
        classes = _classes()  # a mistake is told beside all that could have been meant
        try:
            parsed = _model_of(classes).model_validate_json(text)
        except ValidationError as error:
            raise PlanError(_sentence(error, document, classes)) from None
    roles, models, methods, treatments = classes
    columns = {name: _instance(f"columns.{name}", roles[entry.role], entry) for name, entry in parsed.columns.items()}
    protect = [_instance(f"protect[{i}]", models[entry.model], entry) for i, entry in enumerate(parsed.protect)]
    method = None if parsed.method is None else _instance("method", methods[parsed.method.name], parsed.method)
    treat = [_instance(f"treat[{i}]", treatments[entry.treatment], entry) for i, entry in enumerate(parsed.treat)]
    return Plan(
        columns,
        protect,
        method,
        treat=treat,
        suppression=parsed.suppression,
        suppressed=parsed.suppressed,
        missing=parsed.missing,
        seed=parsed.seed,
        cell_suppression=parsed.cell_suppression,
        order=parsed.order,
        about=None if parsed.about is None else _instance("about", About, parsed.about),
        person=UNSAID if parsed.person is None else None if parsed.person is False else parsed.person,
        folder=folder,
    )


def schema() -> dict[str, Any]:
    """The JSON schema of a plan document, for editors and other programs."""
    model = _model_of(_classes())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}


def _classes() -> tuple[dict[str, type], ...]:
    """What can be named in each part of a document, in the order of `_TAGS`."""
    roles: dict[str, type] = {role.name: role for role in ROLES}
    return roles, registry.classes("model"), registry.classes("method"), registry.classes("treatment")


def _classes_in(document: Any) -> tuple[dict[str, type], ...]:
    """Those of `_classes` that a document names, where it names known ones: only their files are loaded."""
    if not isinstance(document, Mapping):
        return _classes()
    parts = (
        (document.get("protect"), "model"),
        ([document.get("method")], "method"),
        (document.get("treat"), "treatment"),
    )
    found: list[dict[str, type]] = [{role.name: role for role in ROLES}]
    for (entries, kind), tag in zip(parts, list(_TAGS.values())[1:], strict=True):
        listed = entries if isinstance(entries, list) else []
        names = [str(entry.get(tag)) for entry in listed if isinstance(entry, Mapping)]
        if not all(name in registry.entries(kind) for name in names):
            return _classes()
        found.append({name: registry.load(kind, name) for name in names})
    return tuple(found)


Named = tuple[tuple[str, type], ...]


def _model_of(classes: Sequence[Mapping[str, type]]) -> type[BaseModel]:
    return _document_model(*(tuple(sorted(part.items())) for part in classes))


@lru_cache(maxsize=32)
def _document_model(*named: Named) -> type[BaseModel]:
    role, model, method, treatment = (_one_of(tag, part) for tag, part in zip(_TAGS.values(), named, strict=True))
    entries: dict[str, Any] = {
        "columns": (dict.__class_getitem__((str, role)), Field(description="The role of each column.")),
        "protect": (list.__class_getitem__(model), Field(description="The models that must hold.")),
        "method": (Optional[method], None),  # noqa: UP045 (an annotated union does not support |)
        "treat": (list.__class_getitem__(treatment), Field([], description="Steps that change values, in order.")),
        "suppression": (float, Field(0.0, description="The share of rows that may be suppressed.")),
        "suppressed": (str, Field("drop", description="What becomes of suppressed rows: drop or mark.")),
        "missing": (str | None, Field(None, description="What missing values mean where a column does not say so.")),
        "seed": (int, 0),
        "cell_suppression": (
            float,
            Field(1.0, description="The share of quasi-identifier cells that may be published as *."),
        ),
        "order": (str, Field("shuffled", description="The order of the rows: shuffled, source or sorted.")),
        "about": (_about_model() | None, Field(None, description="What the report says of the release.")),
        "person": (
            str | Literal[False] | None,
            Field(None, description="The column that says whose each row is; false: every row is another person."),
        ),
    }
    return create_model("Plan", __base__=_Entry, **entries)


@lru_cache(maxsize=1)
def _about_model() -> type[BaseModel]:
    keys: dict[str, Any] = {field.name: (str | None, None) for field in _fields(About)}
    return create_model("About", __base__=_Entry, **keys)


def _one_of(tag: str, named: Named) -> Any:
    entries = tuple(_entry_model(tag, name, cls) for name, cls in named)
    if len(entries) < 2:
        return entries[0] if entries else _Entry
    return Annotated[Union[entries], Field(discriminator=tag)]  # noqa: UP007


def _entry_model(tag: str, name: str, cls: type) -> type[BaseModel]:
    """The pydantic model of a dataclass: a tag with its name, and its fields."""
    hints = get_type_hints(cls)
    keys: dict[str, Any] = {tag: (Literal[name], ...)}
    for field in _fields(cls):
        wanted = JsonValue if _mentions_tree(hints[field.name]) else hints[field.name]
        if field.default is not dataclasses.MISSING:
            keys[field.name] = (wanted, field.default)
        elif field.default_factory is not dataclasses.MISSING:
            keys[field.name] = (wanted, Field(default_factory=field.default_factory))
        else:
            keys[field.name] = (wanted, ...)
    described = (cls.__doc__ or "").strip().split("\n")[0]
    return create_model(name, __base__=_Entry, __doc__=described, **keys)


def _fields(cls: type) -> list[dataclasses.Field[Any]]:
    found = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    return [field for field in found if field.init]


def _mentions_tree(hint: Any) -> bool:
    return hint is TreeSpec or any(_mentions_tree(part) for part in getattr(hint, "__args__", ()))


def _entry(tag: str, name: str, thing: object, *, defaults: bool = True) -> dict[str, Any]:
    entry: dict[str, Any] = {tag: name}
    for field in _fields(type(thing)):
        value = getattr(thing, field.name)
        if value is not None and (defaults or value != field.default):
            entry[field.name] = _plain(value)
    return entry


def _plain(value: Any) -> Any:
    if isinstance(value, TreeSpec):
        return value.to_document()
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    return value


def _instance(where: str, cls: type, entry: BaseModel) -> Any:
    try:
        given = {field.name: getattr(entry, field.name) for field in _fields(cls)}
        tree = given.get("tree")
        if tree is not None and not isinstance(tree, str):
            given["tree"] = spec_from_document(tree)
        return cls(**given)
    except ParaventError as error:
        raise PlanError(f"{where}: {error.raw}") from None
    except (TypeError, ValueError) as error:
        raise PlanError(f"{where}: {error}.") from None


def _sentence(error: ValidationError, document: Any, classes: Sequence[Mapping[str, type]]) -> str:
    """The first mistake in one sentence that names its entry."""
    first = error.errors(include_url=False, include_input=False, include_context=True)[0]
    kind, message = first["type"], str(first["msg"])
    path, thing = _place(first["loc"], document)
    where = _spelled(path)
    if kind == "extra_forbidden":
        known = _known_keys(path[:-1], document, classes)
        above = _spelled(path[:-1])
        return f"{above + ': ' if above else ''}there is no entry {str(path[-1])!r}. {suggest(str(path[-1]), known)}"
    if kind == "missing":
        above = _spelled(path[:-1])
        return f"{above + ': ' if above else 'the plan: '}the entry {str(path[-1])!r} is missing. Add it."
    if kind in ("union_tag_invalid", "literal_error", "union_tag_not_found"):
        part = str(path[0])
        tag = _TAGS.get(part, "name")
        entry = thing.get(tag) if isinstance(thing, Mapping) else thing
        if kind == "union_tag_not_found" or entry is None:
            return f"{where}: the entry {tag!r} is missing. Add it."
        known = list(classes[list(_TAGS).index(part)]) if part in _TAGS else []
        if isinstance(thing, Mapping):
            where = _spelled([*path, tag])
        what = "method" if tag == "name" else tag
        return f"{where}: there is no {what} {str(entry)[:60]!r}. {suggest(str(entry), known)}"
    if kind.startswith("json") or not where:
        return "the plan is no table of entries. Start from a plan that plan.save(…) wrote."
    return f"{where}: {message[0].lower()}{message[1:]}."


def _place(loc: Sequence[int | str], document: Any) -> tuple[list[int | str], Any]:
    """The way to an entry without the union tags that pydantic puts in between, and what stands there."""
    path: list[int | str] = []
    at = document
    for i, step in enumerate(loc):
        in_table = isinstance(at, Mapping) and step in at
        in_list = isinstance(at, list) and isinstance(step, int) and step < len(at)
        if in_table or in_list:
            at = at[step]
        elif i < len(loc) - 1 or not isinstance(at, Mapping):
            continue  # a tag; what is missing or too much stands last
        path.append(step)
    return path, at


def _spelled(path: Iterable[int | str]) -> str:
    """
    >>> _spelled(["columns", "age group", "weight"]), _spelled(["protect", 0, "k"])
    ("columns.'age group'.weight", 'protect[0].k')
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            bare = step.replace("_", "").replace("-", "").isalnum()
            text += f"{'.' if text else ''}{step if bare else repr(step)}"
    return text


def _known_keys(path: Sequence[int | str], document: Any, classes: Sequence[Mapping[str, type]]) -> list[str]:
    if not path:
        return list(_model_of(classes).model_fields)
    part = str(path[0])
    if part == "about":
        return [field.name for field in _fields(About)]
    at = document
    for step in path:
        at = at[step]
    tag = _TAGS[part]
    cls = classes[list(_TAGS).index(part)].get(at.get(tag))
    return [tag, *(field.name for field in _fields(cls))] if cls else [tag]

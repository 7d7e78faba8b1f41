"""Arguments: what a public function or class was given, held against the types that it declares.

Whoever calls us is told in one sentence what an argument must be. The declarations are the annotations themselves, so
nothing is said twice: a function begins with `check_call(function, locals())`, and the fields of a `Checked` dataclass
are checked before its `__post_init__` looks at their values.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import numbers
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

from paravent.errors import ParaventError, PlanError, quote

Path = Annotated[str, "path"]
"""A text that names a file; a path object is as welcome, and `__post_init__` makes it a text."""

_UNIONS = (Union, types.UnionType)


class Checked:
    """Dataclasses whose fields are what their annotations say, or an error that tells which is not.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Shelf(Checked):
    ...     boards: int = 3
    >>> Shelf("many")
    Traceback (most recent call last):
    ...
    paravent.errors.PlanError: Shelf: boards must be a whole number, not 'many'.
    """

    refusal: ClassVar[type[ParaventError]] = PlanError

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__post_init__")
        if own is not None:

            @functools.wraps(own)
            def __post_init__(self: Any) -> None:  # noqa: N807
                check_fields(self)
                own(self)

            cls.__post_init__ = __post_init__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        check_fields(self)


class Shown:
    """Dataclasses that `repr` shows as what recreates them: every field that is not at its default. They are made with
    `repr=False`.

    >>> @dataclasses.dataclass(frozen=True, repr=False)
    ... class Shelf(Shown):
    ...     boards: int = 3
    ...     wood: str = "oak"
    >>> Shelf(boards=4)
    Shelf(boards=4)
    """

    def __repr__(self) -> str:
        parts = []
        for own in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, own.name)
            if own.default is dataclasses.MISSING or value != own.default:
                parts.append(f"{own.name}={value!r}")
        return f"{type(self).__name__}({', '.join(parts)})"


def check_fields(instance: Checked) -> None:
    """Raise unless every field of a dataclass fits its annotation."""
    hints = _field_hints(type(instance))  # type: ignore[arg-type]  # a class can be hashed
    for field in dataclasses.fields(instance):  # type: ignore[arg-type]
        _check(type(instance).__name__, field.name, getattr(instance, field.name), hints[field.name], instance.refusal)


def check_call(
    function: Callable[..., Any], given: Mapping[str, Any], refusal: type[ParaventError] = PlanError
) -> None:
    """Raise unless every argument of a call fits its annotation. `given` is what `locals()` holds at the first line."""
    owner = function.__qualname__.removesuffix(".__init__")
    for name, (hint, many) in _call_hints(function).items():
        values = given[name] if many == "positional" else given[name].values() if many == "named" else (given[name],)
        for value in values:
            _check(owner, name, value, hint, refusal)


def _check(owner: str, name: str, value: Any, hint: Any, refusal: type[ParaventError]) -> None:
    if not fits(value, hint):
        raise refusal(f"{owner}: {name} must be {words(hint)}, not {shown(value)}.")


@functools.cache
def _field_hints(cls: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        room = vars(sys.modules.get(base.__module__, sys))
        found |= {name: _evaluated(hint, room) for name, hint in inspect.get_annotations(base).items()}
    return found


@functools.cache
def _call_hints(function: Callable[..., Any]) -> dict[str, tuple[Any, str]]:
    room = getattr(function, "__globals__", {})
    many: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "positional", inspect.Parameter.VAR_KEYWORD: "named"}
    return {
        name: (_evaluated(parameter.annotation, room), many.get(parameter.kind, ""))
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "self" and parameter.annotation is not parameter.empty
    }


def _evaluated(hint: Any, room: Mapping[str, Any]) -> Any:
    """What an annotation says. One whose names are only imported for type checkers, and not public, says nothing."""
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, {}, _Names(room))
    except (NameError, AttributeError, TypeError):
        return Any


class _Names(dict[str, Any]):
    """The names of a module, and the public ones of the package."""

    def __missing__(self, name: str) -> Any:
        from paravent import public

        if name in public.names():
            return public.load(name)
        raise KeyError(name)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what an annotation says.

    Lists serve as tuples; a single item as a tuple of one. A bool is no number, and a text is no list of texts.

    >>> fits(3, int), fits(True, int), fits(3, float), fits("3", float | None), fits(None, float | None)
    (True, False, True, False, True)
    >>> fits(["a"], tuple[str, ...]), fits("a", Sequence[str]), fits({"a": 1}, Mapping[str, int])
    (True, False, True)
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or isinstance(hint, TypeVar | str):
        return True
    if hint is None or hint is type(None):
        return value is None
    if origin is Annotated:
        return _is_path(value) if "path" in inner[1:] else any(fits(value, part) for part in _welcome(inner))
    if origin in _UNIONS:
        if any(_is_path_hint(part) for part in inner) and isinstance(value, str):
            return _is_path(value)
        return any(fits(value, part) for part in inner)
    if origin is Literal:
        return any(type(value) is type(choice) and value == choice for choice in inner)
    if origin is type:
        return isinstance(value, type)
    if origin is tuple:
        return _fits_tuple(value, inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        items = value.items() if isinstance(value, Mapping) and not _is_ours(value) else ()
        return isinstance(value, Mapping) and all(fits(key, inner[0]) and fits(item, inner[1]) for key, item in items)
    if isinstance(origin, type) and issubclass(origin, Sequence | Set):
        return _is_listed(value, origin) and all(fits(item, inner[0]) for item in _items(value))
    if origin is Iterable:
        return _is_iterable(value) and all(fits(item, inner[0]) for item in _items(value))
    if origin is Callable or hint is Callable:
        return callable(value)
    return _fits_class(value, origin or hint)


def _welcome(inner: tuple[Any, ...]) -> list[Any]:
    """What an annotated type takes: itself, and the classes beside it, of which `__post_init__` makes the type."""
    return [inner[0], *(part for part in inner[1:] if isinstance(part, type))]


def _fits_class(value: Any, kind: Any) -> bool:
    if kind is bool:
        return isinstance(value, bool)
    if kind is int:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if kind is float:
        number = isinstance(value, numbers.Real) and not isinstance(value, bool | Fraction)
        return number and abs(value) <= _LARGEST_FLOAT if isinstance(value, int) else number
    if kind is os.PathLike:
        return isinstance(value, os.PathLike) and _is_path(value)
    return isinstance(value, kind) if isinstance(kind, type) else True


_LARGEST_FLOAT = int(sys.float_info.max)


def _fits_tuple(value: Any, inner: tuple[Any, ...]) -> bool:
    if len(inner) == 2 and inner[1] is Ellipsis:
        if isinstance(value, list | tuple):
            return all(fits(item, inner[0]) for item in value)
        return fits(value, inner[0])
    return isinstance(value, tuple) and len(value) == len(inner) and all(map(fits, value, inner))


def _items(value: Any) -> Iterable[Any]:
    """What is in a list. What is only made when it is asked for is left unasked."""
    if isinstance(value, range):
        return value[:1]  # the others are of the same kind
    return value if isinstance(value, Sequence | Set) and not _is_ours(value) else ()


def _is_ours(value: Any) -> bool:
    """Whether it is a result of this package, which holds what it says and may be costly to look into."""
    return type(value).__module__.partition(".")[0] == __package__


def _is_listed(value: Any, origin: type) -> bool:
    return isinstance(value, origin) and not isinstance(value, str | bytes | bytearray | memoryview)


def _is_iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray | memoryview | Mapping)


def _is_path_hint(hint: Any) -> bool:
    return (get_origin(hint) or hint) is os.PathLike


def _is_path(value: Any) -> bool:
    """A path that the file system can be asked about."""
    if not isinstance(value, str | os.PathLike):
        return False
    text = os.fspath(value)
    try:
        return isinstance(text, str) and "\0" not in text and 0 < max(map(len, os.fsencode(text).split(b"/"))) < 256
    except UnicodeEncodeError:
        return False


_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    type(None): "None",
    os.PathLike: "a path",
    type: "a class",
}


def words(hint: Any) -> str:
    """An annotation in words.

    >>> words(float | None), words(Sequence[str]), words(Literal["a", "b"]), words(str | os.PathLike[str])
    ('a number or None', 'a list of texts', "'a' or 'b'", 'a path')
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return "a path" if "path" in inner[1:] else " or ".join(map(words, _welcome(inner)))
    if origin in _UNIONS:
        parts = inner
        if any(_is_path_hint(part) for part in inner):
            parts = tuple(part for part in inner if part is not str and getattr(part, "__name__", "") != "Path")
        return " or ".join(dict.fromkeys(words(part) for part in parts))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is tuple and not (len(inner) == 2 and inner[1] is Ellipsis):
        return f"a tuple of {len(inner)}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"a mapping of {_plural(inner[0])} to {_plural(inner[1])}"
    if origin in (tuple, Iterable) or (isinstance(origin, type) and issubclass(origin, Sequence | Set)):
        return f"a list of {_plural(inner[0])}"
    if origin is Callable or hint is Callable:
        return "a function"
    kind = origin or hint
    if kind in _WORDS:
        return _WORDS[kind]
    return _named(kind)


_EXAMPLES = {
    "TreeSpec": "a builder such as pv.intervals(5, 10)",
    "Method": "a method such as pv.methods.Mondrian()",
    "Treatment": "a treatment such as pv.treatments.TopCode('age', above=75)",
    "Model": "a model such as pv.KAnonymity(5)",
    "Role": "a role such as pv.Quasi()",
    "Attack": "an attack such as pv.attacks.Homogeneity()",
}


def _named(kind: Any) -> str:
    from paravent import public

    name = getattr(kind, "__name__", str(kind))
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    if name in public.names():
        return f"a pv.{name}"
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


def _plural(hint: Any) -> str:
    if hint is Any:
        return "values"
    singular = words(hint)
    article, _, rest = singular.partition(" ")
    plain = article in ("a", "an") and not any(word in rest for word in (" or ", " of ", " such as "))
    return f"{rest}s" if plain else singular


def shown(value: Any) -> str:
    """A value in one short line: itself where it is plain, else what kind of thing it is."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return quote(value) if not isinstance(value, int) or abs(value) < 10**40 else "an enormous number"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, list | tuple | set | frozenset | dict) and len(value) == 0:
        return repr(value)
    name = type(value).__name__
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"

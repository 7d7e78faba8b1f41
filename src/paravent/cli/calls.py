"""Constructors as options: `--tree "age=intervals(5, 10, 20)"`, `--method "Mondrian(labels='set')"`.

The text is the Python that `repr` prints, but it is read, not run: a known name and literal arguments.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from paravent.errors import ParaventError, PlanError
from paravent.near import suggest


def read_call(option: str, text: str, known: Mapping[str, Callable[..., Any]]) -> Any:
    """What the call in `text` builds.

    >>> read_call("--tree", "complex(1, imag=2)", {"complex": complex})
    (1+2j)
    >>> read_call("--tree", "complexe", {"complex": complex})
    Traceback (most recent call last):
    ...
    paravent.errors.PlanError: --tree: there is no 'complexe'. Did you mean 'complex'?
    """
    try:
        node: ast.expr = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise PlanError(f"{option}: {text!r} cannot be read. Write it as in Python: {_examples(known)}.") from None
    call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
    name = _name(call.func)
    if name is None:
        raise PlanError(f"{option}: {text!r} is no name with arguments. Write, for example, {_examples(known)}.")
    if name not in known:
        raise PlanError(f"{option}: there is no {name!r}. {suggest(name, known)}")
    try:
        args = [ast.literal_eval(arg) for arg in call.args]
        kwargs = {key.arg: ast.literal_eval(key.value) for key in call.keywords if key.arg is not None}
        starred = len(kwargs) < len(call.keywords)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        starred = True
    if starred:
        raise PlanError(f"{option}: the arguments in {text!r} must be numbers, quoted texts, lists or dictionaries.")
    takes = _parameters(known[name])
    for key in kwargs:
        if takes is not None and key not in takes:
            raise PlanError(f"{option}: {name} takes no {key!r}. {suggest(key, takes)}")
    try:
        return known[name](*args, **kwargs)
    except ParaventError:
        raise
    except (TypeError, ValueError) as error:
        raise PlanError(f"{option}: {text!r} has arguments that {name} does not take: {error}.") from None


def _parameters(call: Callable[..., Any]) -> list[str] | None:
    """The names of what a call takes; None where it takes any, or does not say."""
    try:
        found = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in found):
        return None
    return [parameter.name for parameter in found if parameter.kind is not parameter.VAR_POSITIONAL]


def _name(node: ast.expr) -> str | None:
    """The last name of `intervals` or `pv.methods.Mondrian`, so that what `repr` prints can be pasted."""
    if isinstance(node, ast.Attribute):
        return node.attr if _name(node.value) is not None else None
    return node.id if isinstance(node, ast.Name) else None


def _examples(known: Mapping[str, object]) -> str:
    return " or ".join(f"{name}(…)" for name in sorted(known)[:3])

"""A method inside another one, said as text: `GkPk(base="Mondrian(strict=False)")` can be written in a plan file."""

from __future__ import annotations

import ast
from typing import Annotated

from paravent.errors import ParaventError, PlanError
from paravent.methods.method import Method
from paravent.near import suggest

Written = Annotated[str, Method]
"""A text that names a method with its parameters; a method is as welcome, and `__post_init__` makes it a text."""


def method_named(owner: str, text: str) -> Method:
    """The method that a text names, with its parameters as literals; it is read, not run.

    >>> method_named("GkPk", "Mondrian(strict=False)").strict
    False
    >>> method_named("GkPk", "Mondrain")
    Traceback (most recent call last):
    ...
    paravent.errors.PlanError: GkPk: there is no method 'Mondrain'. Did you mean 'Mondrian'?
    """
    import paravent.methods as room

    rooms = {name: getattr(room, name) for name in room.__all__}
    known = {name: kind for name, kind in rooms.items() if issubclass(kind, Method) and kind is not Method}
    try:
        node: ast.expr = ast.parse(str(text).strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
        if name is None or call.args or any(word.arg is None for word in call.keywords):
            raise ValueError
        given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise PlanError(
            f"{owner}: {text!r} is no method with parameters. Write, say, 'Mondrian(strict=False)'."
        ) from None
    if name not in known:
        raise PlanError(f"{owner}: there is no method {str(name)!r}. {suggest(str(name), list(known))}")
    try:
        found: Method = known[name](**given)
        return found
    except ParaventError:
        raise
    except (TypeError, ValueError) as error:
        raise PlanError(f"{owner}: {text!r} has parameters that {name} does not take: {error}.") from None

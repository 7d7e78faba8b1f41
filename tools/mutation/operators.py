"""What a mutation changes: one place of a module, in a way that a good test notices."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CALLS = {
    "min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum",
    "floor": "ceil", "ceil": "floor", "logical_and": "logical_or", "cumsum": "asarray", "flatnonzero": "asarray",
}  # fmt: skip

NEVER_TAKEN = "the branch is never taken"


@dataclass(frozen=True)
class Mutation:
    """Change number `index` of a module, and what it is in words."""

    path: Path
    index: int
    line: int
    words: str


class Mutator(ast.NodeTransformer):
    """Walks a module, numbers the places that can be changed, and changes the one that is wanted.

    Texts, annotations, messages and what only speaks to people (`__repr__`, `describe`, doc strings) are left alone.
    """

    QUIET = ("__repr__", "__str__", "describe", "_repr_html_", "about", "words", "sentence")

    def __init__(self, wanted: int | None = None) -> None:
        self.wanted = wanted
        self.found: list[tuple[int, str]] = []
        self._inside = 0

    def _here(self, node: ast.AST, words: str) -> bool:
        if not self._inside:
            return False
        self.found.append((getattr(node, "lineno", 0), words))
        return len(self.found) - 1 == self.wanted

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name in self.QUIET or any("abstract" in ast.dump(mark) for mark in node.decorator_list):
            return node
        self._inside += 1
        node.body = [self.visit(part) for part in node.body]
        self._inside -= 1
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node  # that a message reads otherwise is no fault

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for i, sign in enumerate(node.ops):
            other = COMPARISONS.get(type(sign))
            if other is not None and self._here(node, f"{type(sign).__name__} -> {other.__name__}"):
                node.ops[i] = other()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        other = ARITHMETIC.get(type(node.op))
        if other is not None and self._here(node, f"{type(node.op).__name__} -> {other.__name__}"):
            node.op = other()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        if self._here(node, f"{type(node.op).__name__} -> {other.__name__}"):
            node.op = other()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not | ast.Invert | ast.USub) and self._here(
            node, f"without {type(node.op).__name__}"
        ):
            return node.operand
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self._here(node, f"{node.value} -> {not node.value}"):
                return ast.copy_location(ast.Constant(not node.value), node)
        elif (
            isinstance(node.value, int)
            and abs(node.value) <= 3
            and self._here(node, f"{node.value} -> {node.value + 1}")
        ):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        other = CALLS.get(name)
        if other is None or (other == "asarray" and not isinstance(node.func, ast.Attribute)):
            return node
        if self._here(node, f"{name}() -> {other}()"):
            if isinstance(node.func, ast.Attribute):
                node.func.attr = other
            elif isinstance(node.func, ast.Name):
                node.func.id = other
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if self._here(node, NEVER_TAKEN):
            node.test = ast.copy_location(ast.Constant(False), node.test)
        return node


def mutations(path: Path) -> Iterator[Mutation]:
    """Every change that can be made to a module."""
    walker = Mutator()
    walker.visit(ast.parse(path.read_text(encoding="utf-8")))
    for index, (line, words) in enumerate(walker.found):
        yield Mutation(path, index, line, words)


def mutated(source: str, index: int) -> ast.Module:
    """The module with one change."""
    tree = Mutator(index).visit(ast.parse(source))
    ast.fix_missing_locations(tree)
    assert isinstance(tree, ast.Module)
    return tree

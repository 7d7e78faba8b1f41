"""The sentences that the library can show on a screen, found in its source, and the catalogues of their French.

`python -m tools.french` writes what is new into `src/paravent/web/words/library/fr/`, without a translation, and takes
out what is gone; `--missing` only prints what has no French. A test fails for every sentence without.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from paravent.web.words.library import FOLDER
from paravent.web.words.library.catalogue import read, written

SOURCE = Path(__file__).parents[1] / "src" / "paravent"
UNSEEN = (
    *("cli", "kernels", "engine", "notebook.py"),
    *("web/__init__.py", "web/api", "web/app.py", "web/lock.py", "web/security", "web/settings.py", "web/start.py"),
    "web/words",
)
"""What speaks to somebody else than a person at the page: commands, programs, clusters, logs."""
SPOKEN = [
    "Note",
    "TableError",
    "TreeError",
    "PlanError",
    "RoleError",
    "InfeasibleError",
    "UnsafeReleaseError",
    "CancelledError",
    "ParaventError",
    "Missing",
    "Conflict",
    "NotAllowed",
    "TooLarge",
    "Absent",
    "Caution",
    "Measure",
    "Step",
    "Finding",
    "Attack",
    "Reason",
    "Result",
    "Proposal",
    "Warning_",
]
"""What is made of sentences: every text that one of these is given is one."""
WHOLE = [
    "report/verdict_words.py",
    "report/dangers.py",
    "profiling/detect.py",
    "profiling/column.py",
    "profiling/warnings.py",
    "hierarchy/proposals.py",
    "table/infer.py",
    "table/kinds.py",
    "comparison/words.py",
    "comparison/advice.py",
    "comparison/differences.py",
    "comparison/pareto.py",
    "privacy/verdict.py",
    "web/sentences.py",
]
"""Files of which every text is one."""
BY_HAND = ("composed", "concepts")
"""Catalogues that are written by hand: sentences that the source puts together from parts, and what columns hold."""


def template(node: ast.expr) -> str | None:
    """A text of the source, with a number in braces for whatever is put in; None for what is no text."""
    found = _pieces(node)
    if found is None:
        return None
    holes = iter(range(100))
    text = re.sub("\0+", lambda _: f"{{{next(holes)}}}", "".join(found))
    return text.replace("\ue000", "").replace("\n", " ")


def _pieces(node: ast.expr) -> list[str] | None:
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return [each.value if isinstance(each, ast.Constant) else "\0" for each in node.values]  # type: ignore[misc]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _pieces(node.left), _pieces(node.right)
        return None if left is None and right is None else [*(left or ["\0"]), *(right or ["\0"])]
    return None


def is_sentence(text: str) -> bool:
    """Whether it has words to put into another language: two at least, and not a format or a query."""
    words = re.findall(r"[a-z]{2,}", re.sub(r"\{\d+\}", " ", text))
    return len(words) >= 2 and " " in text.strip()


def sentences() -> dict[str, list[str]]:
    """By the name of a catalogue, the sentences of its part of the source."""
    found: dict[str, dict[str, None]] = {}
    known: set[str] = set()
    for path in sorted(SOURCE.rglob("*.py")):
        at = path.relative_to(SOURCE).as_posix()
        if at.startswith(UNSEEN):
            continue
        room = at.split("/")[0].removesuffix(".py")
        for text in _of_file(path, at):
            if text not in known and is_sentence(text):
                known.add(text)
                found.setdefault(room, {})[text] = None
    return {room: list(each) for room, each in found.items()}


def _of_file(path: Path, at: str) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {id(each) for each in _silent(tree)}
    if at in WHOLE:
        yield from _texts(tree, silent)
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in SPOKEN:
            for each in [*node.args, *(keyword.value for keyword in node.keywords)]:
                yield from _texts(each, silent)


def _texts(node: ast.AST, silent: set[int]) -> Iterator[str]:
    """The texts below a node, the largest whole ones; and those that are put into them."""
    if id(node) in silent:
        return
    if isinstance(node, ast.expr):
        text = template(node)
        if text is not None:
            yield text
            for each in ast.walk(node):
                if isinstance(each, ast.FormattedValue):
                    yield from _texts(each.value, silent)
            return
    for child in ast.iter_child_nodes(node):
        yield from _texts(child, silent)


def _silent(tree: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, and the texts that code compares or looks up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.Compare | ast.Subscript):
            yield node


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def main() -> None:
    wanted = sentences()
    french = {english: text for path in FOLDER.glob("*.po") for english, text in read(path).items()}
    if "--missing" in sys.argv:
        print(*(f"{room}: {each}" for room, all_ in wanted.items() for each in all_ if not french.get(each)), sep="\n")
        return
    for room, own in wanted.items():
        kept = {each: french.get(each, "") for each in own}
        (FOLDER / f"{room}.po").write_text(written(kept), encoding="utf-8")


if __name__ == "__main__":
    main()

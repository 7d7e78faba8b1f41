"""Bottom-up generalization and top-down specialization written straight from their definitions, row by row."""

from __future__ import annotations

import math
from collections import Counter

from paravent.methods import Task

Column = list[str]


def paths_of(task: Task) -> list[list[list[str]]]:
    """For each column and row: the labels of its value from the leaf to the root, each once."""
    found = []
    for axis in task.axes:
        assert axis.tree is not None
        columns = [[level.labels[level.codes[code]] for level in axis.tree.levels] for code in axis.codes.tolist()]
        found.append([list(dict.fromkeys(path)) for path in columns])
    return found


def entropy(classes: list[int]) -> float:
    return -sum(n / len(classes) * math.log2(n / len(classes)) for n in Counter(classes).values())


def gain(task: Task, groups: list[list[int]]) -> float:
    """What parting the union of some groups of rows tells about the class."""
    classes = task.targets["class"].codes.tolist()
    union = [classes[row] for rows in groups for row in rows]
    parts = sum(len(rows) / len(union) * entropy([classes[row] for row in rows]) for rows in groups)
    return max(0.0, round(entropy(union) - parts, 12)) + 0.0


def smallest(columns: list[Column]) -> int:
    return min(Counter(zip(*columns, strict=True)).values())


def rows_with(column: Column, label: str) -> list[int]:
    return [row for row, cell in enumerate(column) if cell == label]


def bottom_up(task: Task, k: int) -> list[tuple[int, str]]:
    """The steps: column and label."""
    paths, steps = paths_of(task), []
    columns = [[path[0] for path in column] for column in paths]
    while smallest(columns) < k:
        choices = []
        for j, column in enumerate(columns):
            above = {path[path.index(c) + 1] for path, c in zip(paths[j], column, strict=True) if c != path[-1]}
            for label in above:
                rows = [row for row, path in enumerate(paths[j]) if label in path]
                children = {paths[j][row][paths[j][row].index(label) - 1] for row in rows}
                if {column[row] for row in rows} != children:
                    continue
                after = [label if row in rows else cell for row, cell in enumerate(column)]
                grown = smallest([*columns[:j], after, *columns[j + 1 :]]) - smallest(columns)
                lost = gain(task, [rows_with(column, child) for child in sorted(children)])
                score = round(lost / grown, 12) if grown else lost
                first = min(int(task.axes[j].codes[row]) for row in rows)
                choices.append((grown <= 0, score, j, first, label, after))
        _, _, j, _, label, after = min(choices)
        columns[j] = after
        steps.append((j, label))
    return steps


def top_down(task: Task, k: int) -> list[tuple[int, str]]:
    """The steps: column and the label that is parted."""
    paths, steps = paths_of(task), []
    columns = [[path[-1] for path in column] for column in paths]
    while True:
        choices = []
        for j, column in enumerate(columns):
            for label in set(column):
                rows = rows_with(column, label)
                depth = 1
                while True:  # through groups of one
                    below = {row: paths[j][row][max(paths[j][row].index(label) - depth, 0)] for row in rows}
                    if len(set(below.values())) > 1 or all(below[row] == paths[j][row][0] for row in rows):
                        break
                    depth += 1
                after = [below.get(row, cell) for row, cell in enumerate(column)]
                told = gain(task, [rows_with(after, part) for part in sorted(set(below.values()))])
                left = smallest([*columns[:j], after, *columns[j + 1 :]])
                if told <= 0 or left < k:
                    continue
                lost = smallest(columns) - left
                first = min(int(task.axes[j].codes[row]) for row in rows)
                choices.append((-(round(told / lost, 12) if lost > 0 else told), j, first, label, after))
        if not choices:
            return steps
        _, j, _, label, after = min(choices)
        columns[j] = after
        steps.append((j, label))

"""The cells of a sheet as they stand in an .xlsx file: what readers of workbooks blur stays apart.

An error is not an empty cell, the text `1` not the number 1, and a number that is shown as a date not the bare number.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import polars as pl

from paravent.errors import TableError

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PLACE = re.compile(r"([A-Z]+)(\d+)")


def exact_sheet(path: Path, sheet: str) -> pl.DataFrame:
    """The used part of a sheet, its first row too. Columns that mix kinds of cells have their texts in quotes."""
    what = f"{path}, sheet {sheet!r}"
    data = path.read_bytes()
    if not data.startswith(b"PK\x03\x04"):
        raise TableError(f"{path}: only .xlsx can be compared cell by cell. Write the released table as .xlsx or .csv.")
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        if "xl/workbook.xml" not in book.namelist():
            raise TableError(
                f"{path}: only .xlsx can be compared cell by cell. Write the released table as .xlsx or .csv."
            )
        strings, formats = _strings(book), _formats(book)
        cells = dict(_cells(book, _part(book, sheet, what), strings, formats, what))
    if not cells:
        return pl.DataFrame()
    rows = range(min(row for row, _ in cells), max(row for row, _ in cells) + 1)
    places = range(min(place for _, place in cells), max(place for _, place in cells) + 1)
    return pl.DataFrame([_column(f"{place}", [cells.get((row, place)) for row in rows]) for place in places])


def _column(name: str, cells: list[tuple[str, str] | None]) -> pl.Series:
    kinds = {cell[0] for cell in cells[1:] if cell is not None}  # the first row holds names
    texts = [None if cell is None else _text(cell, mixed=len(kinds) > 1) for cell in cells]
    return pl.Series(name, texts, dtype=pl.String)


def _text(cell: tuple[str, str], *, mixed: bool) -> str:
    kind, text = cell
    if not mixed:
        return text
    return json.dumps(text) if kind == "text" else f"{kind} {text}" if kind else text


def _cells(
    book: zipfile.ZipFile, part: str, strings: list[str], formats: list[str], what: str
) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
    """Where each cell that holds something stands, its kind and its text."""
    row = place = 0
    for event, node in ElementTree.iterparse(book.open(part), events=("start", "end")):
        if event == "start" and node.tag == f"{_MAIN}row":
            row, place = int(node.get("r", row + 1)), 0
        if event == "end" and node.tag == f"{_MAIN}row":
            node.clear()
        if event != "end" or node.tag != f"{_MAIN}c":
            continue
        found = _PLACE.fullmatch(node.get("r", ""))
        place = _number(found[1]) if found else place + 1
        if node.find(f"{_MAIN}f") is not None:
            raise TableError(
                f"{what}, row {row}: a formula, which says more than the value that it shows. Write the value itself."
            )
        cell = _cell(node, strings, formats)
        if cell is not None:
            yield (row, place), cell


def _cell(node: ElementTree.Element, strings: list[str], formats: list[str]) -> tuple[str, str] | None:
    kind, value = node.get("t", "n"), node.findtext(f"{_MAIN}v")
    if kind == "inlineStr":
        return "text", _joined(node.find(f"{_MAIN}is"))
    if value is None:
        return None
    match kind:
        case "s":
            return "text", strings[int(value)]
        case "str":
            return "text", value
        case "b":
            return "boolean", "true" if value.strip() == "1" else "false"
        case "e":
            return "error", value
        case "d":
            return "date", value
    return formats[int(node.get("s", "0"))] if formats else "", value


def _strings(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    root = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
    return [_joined(node) for node in root.iter(f"{_MAIN}si")]


def _joined(node: ElementTree.Element | None) -> str:
    """The text of a cell, put together from its runs; how it is pronounced (`rPh`) is no part of it."""
    if node is None:
        return ""
    runs = [node, *node.findall(f"{_MAIN}r")]
    return "".join(run.findtext(f"{_MAIN}t") or "" for run in runs)


def _formats(book: zipfile.ZipFile) -> list[str]:
    """For each style the number format that it shows: nothing for the usual one."""
    if "xl/styles.xml" not in book.namelist():
        return []
    styles = ElementTree.fromstring(book.read("xl/styles.xml")).find(f"{_MAIN}cellXfs")
    numbers = [style.get("numFmtId", "0") for style in styles] if styles is not None else []
    return ["" if number == "0" else f"format{number}" for number in numbers]


def _part(book: zipfile.ZipFile, sheet: str, what: str) -> str:
    """The file of a sheet in the workbook."""
    relations = {
        node.get("Id"): node.get("Target", "")
        for node in ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels"))
    }
    for node in ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{_MAIN}sheet"):
        if node.get("name") == sheet:
            target = relations[node.get(_RELATION)]
            return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    raise TableError(f"{what}: the workbook does not say where the sheet is. Save it again.")


def _number(letters: str) -> int:
    """
    >>> _number("A"), _number("AB")
    (1, 28)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number

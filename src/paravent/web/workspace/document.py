"""Document: everything that a person has said about one table, as JSON. It is enough to make everything anew."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Mode = Literal["predefined", "informative", "suggestive", "full"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Source(_Frozen):
    """Where the table came from. `name` is what is shown and never a path; `id` is the file's name in the project.

    `options` are arguments of `pv.read` (`delimiter`, `encoding`, `na`, `sheet`, `kinds`, …). What a database gave is
    kept as a file: its password is not.
    """

    kind: Literal["file", "sample", "database"]
    name: str
    id: str = ""
    size: int = 0
    options: dict[str, Any] = Field(default_factory=dict)


class CleaningStep(_Frozen):
    """One step of cleaning, as `pv.clean` names them; without `columns` it is for all of them.

    `rules` say more by column: the (lowest, highest) number that is right, "iqr", "median" or "mode".
    """

    kind: Literal["empty_columns", "alike", "missing_rows", "impute", "duplicates", "outliers"]
    columns: tuple[str, ...] | None = None
    rules: dict[str, Any] = Field(default_factory=dict)


class Document(_Frozen):
    """
    >>> Document(name="Patients of 2024").model_dump(exclude_defaults=True)
    {'name': 'Patients of 2024'}
    """

    name: str = Field(min_length=1, max_length=200)
    language: Literal["en", "fr"] = "en"
    mode: Mode = "full"
    expert: bool = False
    source: Source | None = None
    cleaning: tuple[CleaningStep, ...] = ()
    plan: dict[str, Any] = Field(default_factory=dict)
    trees: dict[str, dict[str, Any]] = Field(default_factory=dict)
    context: dict[str, Any] = Field(default_factory=dict)
    guidance: str | None = None
    selected: tuple[str, ...] = ()
    chosen: str | None = None
    candidates: tuple[dict[str, Any], ...] = Field(default=(), max_length=12)
    release: str | None = None
    checked: str | None = None
    """The release for which the list before the export was ticked."""
    log: str | None = None
    """The session of the decision log that is being kept; without one, nothing is."""

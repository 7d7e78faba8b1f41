"""The script of a project: the Python and the commands that do what its screens did.

Names of files are those that people see; nothing of the server's disk is in them.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from paravent.errors import ParaventError
from paravent.web.workspace import CleaningStep

if TYPE_CHECKING:
    from paravent.web.workspace import Project, Source


def source_name(source: Source | None) -> str:
    """What the table is called in a script."""
    if source is None:
        return "table.csv"
    return str(source.name)


def read_call(source: Source | None) -> str:
    """
    >>> from paravent.web.workspace import Source
    >>> read_call(Source(kind="file", name="ages.csv", options={"delimiter": ";"}))
    "pv.read('ages.csv', delimiter=';')"
    """
    if source is not None and source.kind == "sample":
        return "pv.read(pv.data.adult_path())"
    if source is not None and source.kind == "database":
        return f"pv.read({source.name!r}, query='SELECT …')"
    options = "" if source is None else "".join(f", {name}={value!r}" for name, value in source.options.items())
    return f"pv.read({source_name(source)!r}{options})"


def read_options(source: Source | None) -> str:
    """The same as options of a command."""
    if source is None or source.kind == "sample":
        return ""
    parts: list[str] = []
    for name, value in source.options.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            parts.append(f" --{name} {shlex.quote(str(one))}")
    return "".join(parts)


def command_source(source: Source | None) -> str:
    if source is not None and source.kind == "sample":
        return "\"$(python -c 'import paravent; print(paravent.data.adult_path())')\""
    return shlex.quote(source_name(source))


def clean_arguments(steps: tuple[CleaningStep, ...]) -> dict[str, Any]:
    """The steps as arguments of `pv.clean`."""
    wanted: dict[str, Any] = {}
    for step in steps:
        if step.rules:
            wanted[step.kind] = dict(step.rules)
        elif step.columns is None or step.kind == "empty_columns":
            wanted[step.kind] = "iqr" if step.kind == "outliers" else True
        else:
            wanted[step.kind] = dict.fromkeys(step.columns, "iqr") if step.kind == "outliers" else list(step.columns)
    return wanted


def opening(project: Project) -> list[str]:
    """The lines that read and clean the table."""
    document = project.document
    lines = ["import paravent as pv", "", f"table = {read_call(document.source)}"]
    if document.cleaning:
        given = ", ".join(f"{name}={value!r}" for name, value in clean_arguments(document.cleaning).items())
        lines.append(f"table, cleaned = pv.clean(table, {given})")
    return lines


def clean_command(project: Project) -> str:
    """The command that cleans; empty where nothing is cleaned."""
    document = project.document
    if not document.cleaning:
        return ""
    parts, narrowed = [], False
    for name, value in clean_arguments(document.cleaning).items():
        option = f"--{name.replace('_', '-')}"
        narrowed = narrowed or not (value is True or value == "iqr")
        parts.append(f"{option} iqr" if name == "outliers" else option)
    source = document.source
    note = "  # in all columns; only Python names some" if narrowed else ""
    return f"paravent clean {command_source(source)} {' '.join(parts)} -o cleaned.parquet{read_options(source)}{note}"


def data_script(project: Project) -> tuple[str, str]:
    """What the data screen does."""
    source = project.document.source
    python = [
        *opening(project),
        "",
        "print(pv.profile(table))  # kinds, roles with reasons, who stands alone",
        "plan = pv.draft(table)  # roles, trees and promises to begin with",
        'plan.save("plan.toml")',
    ]
    shell = [
        clean_command(project),
        f"paravent profile {command_source(source)}{read_options(source)}",
        f"paravent plan draft {command_source(source)} -o plan.toml{read_options(source)}",
    ]
    return "\n".join(python), "\n".join(line for line in shell if line)


def trees_script(project: Project, now: Any) -> tuple[str, str]:
    """What the screen of trees does for the column that is shown."""
    source = project.document.source
    name = now.column
    if now.spec is None:
        tree = f'pv.tree_file("{_file(name)}.csv")'
        shell = f"paravent tree check {_file(name)}.csv --of {command_source(source)} -c {shlex.quote(name)}"
    else:
        tree = repr(now.spec)
        call = shlex.quote(tree.removeprefix("pv."))
        shell = f"paravent tree show {call} --of {command_source(source)} -c {shlex.quote(name)}"
    python = [*opening(project), "", f"columns = {{{name!r}: pv.Quasi({tree})}}"]
    return "\n".join(python), "\n".join(
        [f"paravent tree propose {command_source(source)} -c {shlex.quote(name)}", shell]
    )


def _file(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name)[:60] or "tree"


def release_script(project: Project, job: Any) -> tuple[str, str]:
    """What made the release that is looked at, and how it is checked by others."""
    from paravent.plan import from_document

    told = job.result or {}
    try:
        plan = repr(from_document(told["plan"]))
    except ParaventError:  # a plan with files of the server: the file says it
        plan = 'pv.Plan.load("plan.toml")'
    python = [
        *opening(project),
        f"plan = {plan}",
        "",
        "release = pv.anonymize(table, plan)  # verified, or an error",
        "print(release.measure())",
        "print(release.attack())",
        'release.write("release.csv")',
        'release.report("report.html")',
    ]
    source = command_source(project.document.source)
    shell = [
        clean_command(project),
        f"paravent anonymize {source} --plan plan.toml -o release.csv --report report.html",
        "paravent verify release.csv --plan plan.toml",
        f"paravent attack release.csv --plan plan.toml --original {source}",
    ]
    return "\n".join(python), "\n".join(line for line in shell if line)


def direct_script(project: Project, part: str) -> tuple[str, str]:
    """What a part of the screen of experts does."""
    source = command_source(project.document.source)
    try:
        plan = repr(project.plan())
    except ParaventError:  # not complete yet
        plan = 'pv.Plan.load("plan.toml")'
    calls = {
        "plan": "release = pv.anonymize(table, plan)\nprint(release.measure())",
        "compare": 'print(pv.compare(table, {"one": plan, "two": "other.toml"}))',
        "lattice": "release = pv.anonymize(table, plan.replace(method=pv.methods.Optimal()))\nprint(release.trace)",
        "sweep": "print(pv.sweep(table, plan, k=[2, 3, 5, 10, 20, 50]))",
        "workbench": 'print(pv.sweep(table, plan, k=[2, 5, 20], measures=["learning"]))',
    }
    commands = {
        "plan": f"paravent anonymize {source} --plan plan.toml -o release.csv",
        "compare": f"paravent compare {source} plan.toml other.toml",
        "lattice": f"paravent anonymize {source} --plan plan.toml --method 'Optimal()'",
        "sweep": f"paravent compare {source} plan.toml --sweep k=2,3,5,10,20,50",
        "workbench": f"paravent compare {source} plan.toml --sweep k=2,5,20 --measure learning",
    }
    python = [*opening(project), f"plan = {plan}", "", calls[part]]
    return "\n".join(python), "\n".join(line for line in (clean_command(project), commands[part]) if line)

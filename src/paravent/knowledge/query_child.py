"""The process that answers a query of a user: statements and a text come in, rows go out, nothing else is reachable.

It runs as a script, never imported by the package. It ends itself when its time is up.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from typing import Any

_FORBIDDEN = {
    "ServiceGraphPattern": "it asks another server (SERVICE), and queries here reach no network. Leave that part out.",
    "DatasetClause": "it names graphs to load (FROM), and queries here see the knowledge alone. Leave FROM out.",
}
_UPDATE = re.compile(r"^\s*(?:INSERT|DELETE|LOAD|CLEAR|CREATE|DROP|COPY|MOVE|ADD|WITH)\b", re.IGNORECASE)
_PROLOGUE = re.compile(r"^\s*(?:#[^\n]*|(?:PREFIX\s+\S*\s*<[^>]*>|BASE\s*<[^>]*>))", re.IGNORECASE)
_MOST_ROWS = 100_000


def main() -> None:
    document = json.loads(sys.stdin.buffer.readline())
    import rdflib
    from rdflib.plugins import sparql

    graph = rdflib.Graph(bind_namespaces="none")
    graph.parse(data=sys.stdin.buffer.read(), format="nt")
    for prefix, address in _prefixes():
        graph.bind(prefix, address)
    sparql.SPARQL_LOAD_GRAPHS = False
    _hold(document["memory"])
    _alarm(document["seconds"])
    sys.addaudithook(_watch)
    try:
        answer = _answered(graph, document["query"])
    except MemoryError:
        answer = {"late": True}
    except RecursionError:
        answer = {"wrong": "it is nested too deeply to be read. Make it flatter."}
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()


def _answered(graph: Any, text: str) -> dict[str, Any]:
    if _UPDATE.match(_without_prologue(text)):
        return {"wrong": "it changes statements, and queries here only read. To change an entry: paravent know change."}
    try:
        from rdflib.plugins.sparql import prepareQuery

        query = prepareQuery(text, initNs=dict(_prefixes()))
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        return {"wrong": _unread(error, text)}
    for name in _parts(query.algebra):
        if name in _FORBIDDEN:
            return {"wrong": _FORBIDDEN[name]}
    try:
        answer = _rows(graph.query(query))
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        return {"wrong": f"it cannot be answered ({type(error).__name__}). Check its functions and filters."}
    if "rows" in answer and "OrderBy" not in set(_parts(query.algebra)):
        answer["rows"].sort(key=str)
    return answer


def _rows(found: Any) -> dict[str, Any]:
    if found.type == "ASK":
        return {"columns": ["answer"], "rows": [[bool(found.askAnswer)]]}
    if found.type in ("CONSTRUCT", "DESCRIBE"):
        rows = sorted([_plain(term) for term in triple] for triple in found.graph)
        return {"columns": ["subject", "predicate", "object"], "rows": rows}
    columns = [str(name) for name in found.vars or ()]
    rows = []
    for row in found:
        rows.append([_plain(row[name]) for name in columns])
        if len(rows) > _MOST_ROWS:
            return {"wrong": f"it has more than {_MOST_ROWS:,} rows. Add a LIMIT, or join its patterns."}
    return {"columns": columns, "rows": rows}


def _plain(term: Any) -> Any:
    if term is None:
        return None
    for prefix in ("urn:paravent:knowledge:", "urn:paravent:opam:"):
        if str(term).startswith(prefix):
            return str(term).removeprefix(prefix)
    value = term.toPython() if hasattr(term, "toPython") else term
    return value if isinstance(value, bool | int | float) and abs(value) < 1e300 else str(term)


def _parts(node: Any) -> Any:
    """The names of all parts of a query, in whatever they lie."""
    name = getattr(node, "name", None)
    if isinstance(node, dict) and name is not None:
        yield name
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "datasetClause" and value:
                yield "DatasetClause"
            yield from _parts(value)
    elif isinstance(node, list | tuple | set):
        for value in node:
            yield from _parts(value)


def _unread(error: Exception, text: str) -> str:
    line = getattr(error, "lineno", None)
    if isinstance(line, int):
        near = text.splitlines()[line - 1].strip()[:60] if 0 < line <= len(text.splitlines()) else ""
        return f"line {line} is not valid SPARQL near {near!r}. Correct it, or begin with a file that works."
    return f"it is no SPARQL query ({str(error).splitlines()[0][:120] if str(error) else type(error).__name__})."


def _without_prologue(text: str) -> str:
    while (found := _PROLOGUE.match(text)) is not None:
        text = text[found.end() :]
    return text


def _prefixes() -> list[tuple[str, str]]:
    return [
        ("opam", "urn:paravent:opam:"),
        ("know", "urn:paravent:knowledge:"),
        ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
        ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
        ("skos", "http://www.w3.org/2004/02/skos/core#"),
        ("dcterms", "http://purl.org/dc/terms/"),
        ("owl", "http://www.w3.org/2002/07/owl#"),
        ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ]


def _hold(memory: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except (ImportError, ValueError, OSError):
        pass  # not on this system; the time is limited all the same


def _alarm(seconds: float) -> None:
    """End the process when the time is up, whatever it is doing: the default of the signal needs no Python code."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _watch(event: str, given: Any) -> None:
    """No network, no other program, no file that is written."""
    if event.startswith(("socket.", "subprocess.", "urllib.", "http.", "ftplib.", "os.system", "os.exec", "os.spawn")):
        raise PermissionError("a query reaches nothing but the knowledge")
    if event == "open":
        mode, flags = given[1], given[2]
        writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (
            isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        )
        if writes:
            raise PermissionError("a query writes nothing")


if __name__ == "__main__":
    main()

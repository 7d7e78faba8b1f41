"""Plan documents: every mistake is one sentence that names its entry."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.plan.file import dumps, loads
from tests import drawing

GOOD: dict[str, Any] = {
    "seed": 3,
    "suppression": 0.02,
    "suppressed": "mark",
    "missing": "own value",
    "method": {"name": "Mondrian", "labels": "set"},
    "protect": [{"model": "KAnonymity", "k": 5}, {"model": "LDiversity", "l": 3, "column": "disease"}],
    "columns": {
        "name": {"role": "identifier"},
        "age group": {"role": "quasi", "tree": {"intervals": [5, 10]}, "weight": 2},
        "job": {"role": "quasi", "tree": "trees/job.csv"},
        "disease": {"role": "sensitive"},
    },
}


def test_a_good_document() -> None:
    plan = pv.Plan.from_document(GOOD)
    assert plan.columns["age group"] == pv.Quasi(pv.intervals(5, 10), weight=2)
    assert plan.protect[1] == pv.LDiversity(3, "disease")
    assert plan.method == pv.methods.Mondrian(labels="set")


def changed(path: list, value: Any) -> dict:
    document = copy.deepcopy(GOOD)
    at: Any = document
    for step in path[:-1]:
        at = at[step]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["supression"], 0.1, "no entry 'supression'. Did you mean 'suppression'?"),
        (["columns", "age group", "wieght"], 2, "columns.'age group': there is no entry 'wieght'. Did you mean 'w"),
        (["columns", "job", "role"], "quasy", "columns.job.role: there is no role 'quasy'. Did you mean 'quasi'?"),
        (["columns", "job", "role"], ..., "columns.job: the entry 'role' is missing"),
        (["columns", "job"], "quasi", "columns.job"),
        (["columns", "job"], 7, "columns.job"),
        (["columns"], ..., "the entry 'columns' is missing"),
        (["columns"], [], "columns"),
        (["columns", "job", "weight"], "2", "columns.job.weight"),
        (["columns", "job", "weight"], 0, "columns.job: Quasi: weight must be a positive number"),
        (["columns", "job", "weight"], math.nan, "columns.job: Quasi: weight"),
        (["columns", "job", "weight"], True, "columns.job.weight"),
        (["columns", "job", "tree"], {"intervall": [5]}, "columns.job: tree"),
        (["columns", "job", "tree"], {"intervals": [-5]}, "columns.job"),
        (["columns", "job", "tree"], 5, "columns.job"),
        (["columns", "job", "missing"], "zero", "columns.job: Quasi: missing must be one of"),
        (["protect"], ..., "the entry 'protect' is missing"),
        (["protect", 0, "model"], "Kanonymity", "protect[0].model: there is no model 'Kanonymity'. Did you mean 'KA"),
        (["protect", 0, "k"], 0, "protect[0]: KAnonymity: k must be a whole number"),
        (["protect", 0, "k"], 2.5, "protect[0].k"),
        (["protect", 0, "k"], ..., "protect[0]: the entry 'k' is missing"),
        (["protect", 1, "colum"], "disease", "protect[1]: there is no entry 'colum'. Did you mean 'column'?"),
        (["protect", 1, "kind"], "entropie", "protect[1]: LDiversity: kind"),
        (["method", "name"], "Mondrain", "method.name: there is no method 'Mondrain'. Did you mean 'Mondrian'?"),
        (["method", "name"], ..., "method: the entry 'name' is missing"),
        (["method", "cuts"], "median", "method: there is no entry 'cuts'. Did you mean 'cut'?"),
        (["method", "labels"], "sets", "method"),
        (["suppression"], 2, "suppression: must be a share"),
        (["suppression"], "some", "suppression"),
        (["seed"], 1.5, "seed"),
        (["seed"], -4, "seed"),
        (["missing"], "zero", "missing: must be one of"),
    ],
)  # fmt: skip
def test_a_mistake_names_its_entry(path: list, value: Any, words: str) -> None:
    with pytest.raises(pv.PlanError) as raised:
        pv.Plan.from_document(changed(path, value))
    message = str(raised.value)
    assert words in message
    assert "\n" not in message
    assert "pydantic" not in message


@pytest.mark.parametrize("text", ["", "a", "= 3", "[columns", "a = 1\na = 2", "x = 1e999999", "\x00", "seed = 08"])
def test_no_toml_or_no_plan(text: str) -> None:
    with pytest.raises(pv.PlanError):
        loads(text)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\x00\x01", "§".encode("latin-1"), b""])
def test_files_that_are_no_plan(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(content)
    with pytest.raises(pv.PlanError, match=r"plan\.toml"):
        pv.Plan.load(path)
    with pytest.raises(pv.PlanError, match="cannot be read"):
        pv.Plan.load(tmp_path / "none.toml")
    with pytest.raises(pv.PlanError, match="cannot be read"):
        pv.Plan.load(tmp_path)


def test_windows_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xef\xbb\xbf" + tomli_w.dumps(GOOD).replace("\n", "\r\n").encode())
    assert pv.Plan.load(path) == pv.Plan.from_document(GOOD)


def test_the_schema_names_everything() -> None:
    schema = pv.Plan.schema()
    text = json.dumps(schema)
    assert set(schema["properties"]) >= {"columns", "protect", "method", "suppression", "missing", "seed"}
    for word in ("identifier", "quasi", "KAnonymity", "LDiversity", "Mondrian", "labels", "weight"):
        assert word in text
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["KAnonymity"]["properties"]["k"]["type"] == "integer"
    assert "type" not in schema["$defs"]["TCloseness"]["properties"]["tree"]  # a builder's call, a table, or a file


# Fuzz: documents and texts broken at random. A ParaventError or a Plan, nothing else.

SEEDS = [seed if drawing.SEED is None else drawing.SEED + 1_000 * seed for seed in drawing.runs(12, 200)]
ODD: list[Any] = [
    None, True, False, 0, -1, 5, 2**70, 0.5, -0.0, math.nan, math.inf, "", "*", "quasi", "KAnonymity", "\x00",
    "é" * 300,
    [], [1], [[]], {}, {"a": {}}, {"role": "quasi"}, {"model": "KAnonymity"}, {"name": "Mondrian"}, {"intervals": []},
    {"tree_file": 3}, {"prefixes": True}, {"groups": {"a": ["b", "b"]}}, {"dates": ["fortnight"]}, {"quantiles": [0]},
]  # fmt: skip


def places(at: Any, path: tuple = ()) -> list[tuple]:
    children = at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


def mutate(rng: random.Random) -> Any:
    document = copy.deepcopy(GOOD)
    for _ in range(rng.randint(1, 4)):
        path = rng.choice([place for place in places(document) if place] or [()])
        if not path:
            break
        at = document
        for step in path[:-1]:
            at = at[step]
        match rng.randrange(5):
            case 0:
                del at[path[-1]]
            case 1 | 2:
                at[path[-1]] = copy.deepcopy(rng.choice(ODD))
            case 3 if isinstance(at, dict):
                at[rng.choice(["x", "role", "rolle", "k", "", "é ü", "tree"])] = copy.deepcopy(rng.choice(ODD))
            case _ if isinstance(at, dict):
                at[str(path[-1])[::-1]] = at.pop(path[-1])
    return document


@pytest.mark.parametrize("seed", SEEDS)
def test_fuzzed_documents(seed: int) -> None:
    rng = random.Random(seed)
    refused: list[str] = []
    for _ in range(60):
        document = mutate(rng)
        try:
            plan = pv.Plan.from_document(document)
            assert pv.Plan.from_document(plan.to_document()) == plan
            assert eval(repr(plan), {"pv": pv, "nan": math.nan, "inf": math.inf}) == plan
        except pv.ParaventError as error:
            refused.append(str(error))
    assert len(refused) > 20
    assert not any("\n" in message for message in refused)


@pytest.mark.parametrize("seed", SEEDS)
def test_fuzzed_texts(seed: int) -> None:
    rng = random.Random(1000 + seed)
    good = dumps(pv.Plan.from_document(GOOD))
    for _ in range(60):
        text = list(good)
        for _ in range(rng.randint(1, 12)):
            at = rng.randrange(len(text) or 1)
            text = text or ["x"]
            match rng.randrange(12):
                case 0 | 4 | 5:
                    del text[at : at + rng.randint(1, 20)]
                case 1 | 6 | 7 | 8:
                    text[at] = rng.choice("\x00\n\r\"'[]{}=.,#é\ufeff\U0001f600 0e-_")
                case 2 | 9 | 10 | 11:
                    text[at:at] = text[at : at + rng.randint(1, 60)]
                case 3:
                    text = text[:at]
        with contextlib.suppress(pv.ParaventError):
            loads("".join(text))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from([*GOOD, "x"]), json_values, max_size=5))
def test_any_document(document: dict) -> None:
    with contextlib.suppress(pv.ParaventError):
        pv.Plan.from_document(document)


def test_deep_nesting_ends_in_a_sentence() -> None:
    with pytest.raises(pv.ParaventError):
        loads("x = " + "[" * 5000 + "]" * 5000)
    deep: Any = {}
    for _ in range(3000):
        deep = {"a": deep}
    with pytest.raises(pv.ParaventError):
        pv.Plan.from_document({**GOOD, "columns": {"x": {"role": "quasi", "tree": deep}}})


@pytest.mark.parametrize("document", [[], "a plan", None, 3])
def test_what_is_no_table_of_entries(document: Any) -> None:
    with pytest.raises(pv.PlanError, match="the plan is no table of entries"):
        pv.Plan.from_document(document)

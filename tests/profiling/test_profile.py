"""Profiles of seeded tables about people: roles come back, nothing of the table leaks, nothing breaks it."""

from __future__ import annotations

import datetime as dt
import json
import math
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.profiling.detect import Confidence
from paravent.profiling.distribution import Distribution
from paravent.profiling.lexicon import Role
from paravent.profiling.profile import Profile, profile
from paravent.profiling.rounded_range import rounded_range
from paravent.table.infer import infer_columns
from paravent.table.table import Origin, Table

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"

I, Q, S, N = Role.IDENTIFIER, Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE  # noqa: E741
Expected = dict[str, Role]


def as_table(frame: pl.DataFrame) -> Table:
    return Table(frame, infer_columns(frame), np.arange(frame.height), Origin("a test"))


def _dates(r: random.Random, first: int, last: int, rows: int) -> list[dt.date]:
    begin = dt.date(first, 1, 1)
    return [begin + dt.timedelta(days=r.randrange(365 * (last - first))) for _ in range(rows)]


def _sentence(r: random.Random) -> str:
    return " ".join(r.choices("patient complains about pain in the left knee since last week".split(), k=11))  # noqa: SIM905


def _name(r: random.Random, parts: int = 2) -> str:
    return " ".join("".join(r.choices("aeiourstlnm", k=6)).capitalize() for _ in range(parts))


def _ssn(r: random.Random) -> str:
    return f"{r.randint(1, 665):03}-{r.randint(1, 99):02}-{r.randint(1, 9999):04}"


def _nir(r: random.Random) -> str:
    body = f"{r.choice('12')}{r.randint(20, 99):02}{r.randint(1, 12):02}{r.randint(1, 95):02}{r.randint(1, 999999):06}"
    return f"{body}{97 - int(body) % 97:02}"


def _iban(r: random.Random) -> str:
    body = f"{r.randrange(10**18):018}"
    return f"DE{98 - int(body + '131400') % 97:02}{body}"


def hospital(rows: int = 400) -> tuple[pl.DataFrame, Expected]:
    r = random.Random(1)
    frame = pl.DataFrame(
        {
            "patient_id": [f"P{i:06}" for i in range(rows)],
            "name": [_name(r) for _ in range(rows)],
            "ssn": [_ssn(r) for _ in range(rows)],
            "date of birth": _dates(r, 1930, 2010, rows),
            "zip": [f"{r.randint(13000, 13100):05}" for _ in range(rows)],
            "sex": r.choices(["M", "F"], k=rows),
            "admission": _dates(r, 2019, 2021, rows),
            "diagnosis": r.choices(["I10.1", "E11.9", "C50.2", "J45.0"], k=rows),
            "blood pressure": [r.gauss(120, 15) for _ in range(rows)],
            "notes": [_sentence(r) for _ in range(rows)],
            "hospital": ["St Mary"] * rows,
        }
    )
    return frame, dict(zip(frame.columns, (I, I, I, Q, Q, Q, Q, S, S, I, N), strict=True))


def hopital(rows: int = 400) -> tuple[pl.DataFrame, Expected]:
    r = random.Random(2)
    frame = pl.DataFrame(
        {
            "Matricule": [r.randrange(10**7, 10**8) for _ in range(rows)],
            "Nom": [_name(r, 1) for _ in range(rows)],
            "Prénom": [_name(r, 1) for _ in range(rows)],
            "N° sécurité sociale": [_nir(r) for _ in range(rows)],
            "Né(e) le": _dates(r, 1930, 2010, rows),
            "Code postal": [r.choice((25000, 25200, 39100, 70000, 90000)) for _ in range(rows)],
            "Sexe": r.choices(["H", "F"], k=rows),
            "Situation familiale": r.choices(["célibataire", "marié(e)", "divorcé(e)", "veuf/veuve"], k=rows),
            "Pathologie": r.choices(["grippe", "cancer", "asthme"], k=rows),
            "Téléphone": ["06 " + " ".join(f"{r.randrange(100):02}" for _ in range(4)) for _ in range(rows)],
        }
    )
    return frame, dict(zip(frame.columns, (I, I, I, I, Q, Q, Q, Q, S, I), strict=True))


def employees(rows: int = 300) -> tuple[pl.DataFrame, Expected]:
    r = random.Random(3)
    frame = pl.DataFrame(
        {
            "EmployeeID": list(range(1, rows + 1)),
            "E-Mail": [f"{_name(r, 1).lower()}{i}@corp.example" for i in range(rows)],
            "Age": [r.randint(18, 66) for _ in range(rows)],
            "Gender": r.choices(["male", "female", "other"], (49, 49, 2), k=rows),
            "Nationality": r.choices(["French", "German", "Polish", "Indian"], k=rows),
            "Department": r.choices(["Sales", "IT", "Legal"], k=rows),
            "Education": r.choices(["PhD", "Master", "Bachelor"], k=rows),
            "Hire date": _dates(r, 2000, 2024, rows),
            "Salary": [r.gauss(52_000, 9_000) for _ in range(rows)],
            "Union member": r.choices([True, False], k=rows),
            "IBAN": [_iban(r) for _ in range(rows)],
            "mystery": [r.choice("uvwxyz") * 3 for _ in range(rows)],
        }
    )
    return frame, dict(zip(frame.columns, (I, I, Q, Q, Q, Q, Q, Q, S, S, I, Q), strict=True))


def employes(rows: int = 300) -> tuple[pl.DataFrame, Expected]:
    r = random.Random(4)
    frame = pl.DataFrame(
        {
            "identifiant": [f"{r.getrandbits(128):032x}" for _ in range(rows)],
            "nom_complet": [_name(r) for _ in range(rows)],
            "courriel": [f"{_name(r, 1).lower()}{i}@exemple.fr" for i in range(rows)],
            "âge": [r.randint(18, 66) for _ in range(rows)],
            "ville": r.choices(["Besançon", "Belfort", "Dole"], k=rows),
            "métier": r.choices(["comptable", "technicien", "cadre"], k=rows),
            "niveau d'étude": r.choices(["Bac", "Licence", "Master"], k=rows),
            "salaire_brut": [r.randint(1500, 9000) for _ in range(rows)],
            "syndicat": r.choices(["oui", "non"], k=rows),
            "commentaires": [_sentence(r) for _ in range(rows)],
        }
    )
    return frame, dict(zip(frame.columns, (I, I, I, Q, Q, Q, Q, S, S, I), strict=True))


def voters(rows: int = 500) -> tuple[pl.DataFrame, Expected]:
    r = random.Random(5)
    frame = pl.DataFrame(
        {
            "voter id": [f"{r.randrange(10**9):09}" for _ in range(rows)],
            "lastName": [_name(r, 1) for _ in range(rows)],
            "street address": [f"{r.randint(1, 200)} {_name(r, 1)} Street" for _ in range(rows)],
            "city": r.choices(["Cambridge", "Somerville"], k=rows),
            "ZIP": r.choices(["02138", "02139", "02140"], k=rows),
            "birth year": [r.randint(1930, 2006) for _ in range(rows)],
            "race": r.choices(["White", "Black", "Asian"], k=rows),
            "party": r.choices(["A", "B", "none"], k=rows),
            "religion": r.choices(["catholic", "jewish", "none"], k=rows),
        }
    )
    return frame, dict(zip(frame.columns, (I, I, I, Q, Q, Q, Q, S, S), strict=True))


def electeurs(rows: int = 500) -> tuple[pl.DataFrame, Expected]:
    r = random.Random(6)
    frame = pl.DataFrame(
        {
            "numéro d'électeur": [r.randrange(10**8, 10**9) for _ in range(rows)],
            "nom de naissance": [_name(r, 1) for _ in range(rows)],
            "adresse": [f"{r.randint(1, 200)} rue {_name(r, 1)}" for _ in range(rows)],
            "commune": r.choices(["Lyon", "Bron"], k=rows),
            "date de naissance": _dates(r, 1930, 2006, rows),
            "lieu de naissance": r.choices(["Lyon", "Paris", "Oran"], k=rows),
            "nationalité": r.choices(["française", "italienne", "belge"], k=rows),
            "opinion politique": r.choices(["gauche", "droite", "centre"], k=rows),
        }
    )
    return frame, dict(zip(frame.columns, (I, I, I, Q, Q, Q, Q, S), strict=True))


SEEDED = [hospital, hopital, employees, employes, voters, electeurs]


@pytest.mark.parametrize("made", SEEDED)
def test_roles_are_recovered(made: Any) -> None:
    frame, expected = made()
    found = profile(as_table(frame))
    assert {column.name: column.role for column in found} == expected
    assert all(column.tree is not None for column in found if column.role is Q)
    assert all(column.tree is None for column in found if column.role is not Q)


@pytest.mark.parametrize("made", SEEDED)
def test_values_without_headers_still_tell_the_identifiers(made: Any) -> None:
    """Nothing that names people may be published as it stands because its header is a number."""
    frame, expected = made()
    bare = frame.rename({name: f"c{i}" for i, name in enumerate(frame.columns)})
    found = profile(as_table(bare))
    for column, role in zip(found, expected.values(), strict=True):
        if role in (I, Q):
            assert column.role is not N, column


def _said(found: Profile) -> str:
    return str(found) + json.dumps(found.to_dict(), ensure_ascii=False) + repr(found)


@pytest.mark.parametrize("made", SEEDED)
def test_no_value_of_the_table_is_said(made: Any) -> None:
    frame, _ = made()
    said = _said(profile(as_table(frame)))
    for column in frame.select(pl.col(pl.String)).iter_columns():
        for value in column.unique():
            if len(value) > 6:
                assert value not in said
    for column in frame.select(pl.col(pl.Date)).iter_columns():
        assert str(column.min()) not in said
        assert str(column.max()) not in said


def test_numbers_and_prints() -> None:
    frame = pl.DataFrame(
        {"age": [20, 20, 30, 30, None, 40, 40, 50], "disease": ["flu", "flu", "flu", "flu", "hiv", "flu", "flu", "flu"]}
    )
    found = profile(as_table(frame))
    age, disease = found["age"], found["disease"]
    assert (age.rows, age.missing, age.distinct, age.alone) == (8, 1, 4, 1)
    assert age.entropy == pytest.approx(-(3 * 2 / 7 * math.log2(2 / 7) + 1 / 7 * math.log2(1 / 7)))
    assert age.normalised_entropy == pytest.approx(age.entropy / 2)
    assert age.most_frequent == 2 / 7
    assert (age.low, age.high, age.range) == (20, 50, "20 to 60")
    assert disease.most_frequent == 7 / 8
    assert any("missing" in w or "no value" in w for w in age.warnings)
    assert any("88%" in w for w in disease.warnings)
    assert any("GDPR" in w for w in disease.warnings)
    text = str(found)
    assert "quasi-identifier" in text
    assert "distinction" in text
    assert found.distribution is Distribution.UNIFORM
    with pytest.raises(KeyError):
        found["no"]


def test_the_twelve_patients() -> None:
    frame = pl.read_csv(ROOT / "tests" / "oracles" / "patients.csv")
    found = profile(as_table(frame))
    assert found.named(Q) == ("CP", "Age", "Genre", "Nationalité")
    assert found.named(S) == ("Pathologie",)
    best = found.quasi_identifiers()[0]
    assert (best.columns, best.singled_out) == (("Age", "Genre"), 12)
    assert found["CP"].proposal.confidence is Confidence.CERTAIN
    assert found["CP"].tree is not None
    assert found["CP"].tree.call == "prefixes"


@pytest.mark.skipif(not SHARED.exists(), reason="../shared/data is absent")
def test_adult() -> None:
    frame = pl.read_csv(SHARED / "adult" / "adult.csv", separator=";")
    found = profile(as_table(frame))
    assert found.named(Q) == tuple(frame.columns[:8])
    assert found.named(S) == ("salary-class",)
    assert len(found.subsets) == 255
    assert found.distribution is Distribution.DENSE
    assert found.quasi_identifiers()[0].singled_out == 14_021


def test_postcodes_are_cut_whatever_their_header() -> None:
    codes = ["SW1A 1AA", "SW1A 2AA", "M1 1AE", "LS2 9JT"] * 10
    found = profile(as_table(pl.DataFrame({"Postleitzahl": [10115, 10117, 80331, 80333] * 10, "c3": codes})))
    assert [column.tree.call for column in found if column.tree] == ["prefixes", "prefixes"]


def test_other_columns_can_be_asked_for() -> None:
    frame, _ = employees()
    found = profile(as_table(frame), columns=["Age", "Salary"], max_subset=1)
    assert [each.columns for each in found.subsets] == [("Age",), ("Salary",), ("Age", "Salary")]


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame(),
        pl.DataFrame({"a": []}),
        pl.DataFrame({"a": [None, None]}),
        pl.DataFrame({"a": [None, None]}, schema={"a": pl.Int64}),
        pl.DataFrame({"": ["x"], "a b-ç\n": [1]}),
        pl.DataFrame({"f": [math.nan, math.inf, -math.inf, 0.0, None]}),
        pl.DataFrame({"f": [1e308, -1e308, 5e-324]}),
        pl.DataFrame({"d": [Decimal("1.50"), Decimal("2.25")]}),
        pl.DataFrame({"t": [dt.time(1, 2), dt.time(3, 4)], "dt": [dt.datetime(2020, 1, 1), None]}),
        pl.DataFrame({"c": ["a", "b", "a"]}, schema={"c": pl.Categorical}),
        pl.DataFrame({"e": ["a", "b", "a"]}, schema={"e": pl.Enum(["b", "a"])}),
        pl.DataFrame({"b": [True, False, None]}),
        pl.DataFrame({"big": [2**63 - 1, -(2**63)]}),
    ],
    ids=lambda frame: str(frame.schema),
)
def test_odd_tables(frame: pl.DataFrame) -> None:
    found = profile(as_table(frame))
    assert len(found.columns) == frame.width
    assert all(line == line.rstrip() and line.isprintable() for line in str(found).splitlines())
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"] == frame.height


values = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-(2**40), 2**40)), min_size=6, max_size=6),
    st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), min_size=6, max_size=6),
    st.lists(st.one_of(st.none(), st.text(max_size=12)), min_size=6, max_size=6),
    st.lists(st.one_of(st.none(), st.dates()), min_size=6, max_size=6),
)


@given(st.dictionaries(st.text(max_size=10), values, min_size=1, max_size=4))
def test_random_tables(columns: dict[str, list[Any]]) -> None:
    frame = pl.DataFrame(columns)
    found = profile(as_table(frame))
    for column in found:
        held = [value for value in columns[column.name] if value is not None]
        assert column.missing == 6 - len(held)
        assert column.distinct == len({repr(v) for v in held} if not any(v == 0 for v in held) else set(held))
        assert 0 <= column.normalised_entropy <= 1
        assert column.entropy <= math.log2(max(column.distinct, 1)) + 1e-9
    json.dumps(found.to_dict(), allow_nan=False)
    str(found)


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9))
def test_the_range_shown_covers_the_values_and_is_round(low: float, span: float) -> None:
    shown = rounded_range(low, low + span)
    if shown is not None:
        first, last = map(float, shown.split(" to "))
        assert first <= low or math.isclose(first, low, rel_tol=1e-9, abs_tol=1e-12)
        assert last > low + span or math.isclose(last, low + span, rel_tol=1e-9, abs_tol=1e-12)


def test_values_that_look_alike_are_named() -> None:
    frame = pl.DataFrame({"age": [30, 40] * 20, "disease": ["flu", "Flu", "flu ", "cold"] * 10})
    found = profile(frame)["disease"]
    assert found.alike == (("Flu", "flu", "flu "),)
    [warning] = [text for text in found.warnings if "look like" in text]
    assert warning.startswith("3 values look like 1 (they differ in ")
    assert "capitals" in warning
    assert "blanks" in warning
    assert "clean --alike" in warning
    assert 'alike = "one"' in warning
    assert "flu" not in str(profile(frame)).lower()
    assert found.to_dict()["alike"] == 3
    few = pl.DataFrame({"age": [30, 31, 40], "disease": ["flu", "Flu", "cold"]})  # nearly every row has its own
    assert profile(few)["disease"].alike == (("Flu", "flu"),)


def test_a_column_that_follows_from_another_is_said() -> None:
    ages = [20 + i % 40 for i in range(400)]
    degrees = ["school", "college", "doctorate"]
    frame = pl.DataFrame(
        {
            "age": ages,
            "age group": [f"{age // 10 * 10}s" for age in ages],
            "education": [degrees[i * i % 3] for i in range(400)],
            "education-num": [i * i % 3 for i in range(400)],
        }
    )
    found = profile(frame)
    assert [(each.given, each.follows, each.mutual) for each in found.redundancies] == [
        ("age", "age group", False),
        ("education", "education-num", True),
    ]
    assert sum("Leave one of them out" in warning for warning in found.warnings) == 2
    assert found.to_dict()["redundancies"][0] == {"given": "age", "follows": "age group", "mutual": False}

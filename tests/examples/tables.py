# ruff: noqa: E501
"""The tables and trees of the sources, as they are printed there."""

from __future__ import annotations

from typing import Any

import polars as pl

import paravent as pv


def table(columns: str, *rows: tuple[Any, ...]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=columns.split(), orient="row")


def rows(columns: str, text: str) -> pl.DataFrame:
    """Rows of texts, separated by semicolons; cells by commas."""
    return table(columns, *(tuple(cell.strip() for cell in row.split(",")) for row in text.split(";")))


# Mauger, thesis, Amiens 2021
HEALTH = table(
    "name genre cp age disease",
    ("Ana", "F", "53713", 21, "stomach cancer"), ("Béa", "F", "53712", 29, "stomach cancer"),
    ("Carole", "F", "53713", 32, "gastritis"), ("Daphné", "F", "53712", 36, "stomach ulcer"),
    ("Éric", "M", "53701", 25, "heart disease"), ("Fred", "M", "53700", 39, "heart disease"),
    ("Gui", "M", "53701", 42, "viral infection"), ("Hervé", "M", "53700", 50, "gastritis"),
)  # fmt: skip
FIG_1_1B = HEALTH.select(
    genre=pl.Series(["F"] * 4 + ["*"] * 2 + ["M"] * 2),
    cp=pl.Series(["5371*"] * 4 + ["5370*"] * 4),
    age=pl.Series(["[20, 30]"] * 2 + ["[30, 40]"] * 2 + ["[20, 40]"] * 2 + ["[40, 50]"] * 2),
    disease="disease",
)
FIG_1_1C = HEALTH.select(
    genre=pl.Series(["F"] * 4 + ["*"] * 4),
    cp=pl.Series(["5371*"] * 4 + ["5370*"] * 4),
    age=pl.Series(["[20, 40]"] * 4 + ["[20, 50]"] * 4),
    disease="disease",
)
Q_TREE = pv.groups({"q123": [{"q12": ["q1", "q2"]}, "q3"]})
Q_WEIGHTS = {"q": {"q1": 1, "q2": 2, "q12": 3, "q3": 4}}
A_TREE, B_TREE = pv.groups({"a123": [{"a12": ["a1", "a2"]}, "a3"]}), pv.groups({"b12": ["b1", "b2"]})
AB_WEIGHTS = {"a": {"a1": 1, "a2": 2, "a12": 3, "a3": 4}, "b": {"b1": 5, "b2": 6}}

# Ben Fredj, thesis, Paris 2017
TABLE_1 = rows(
    "name age niveau maladie",
    "Umeko,19,Bac+2,HD;Jean,19,Bac+3,cancer;Alice,27,Bac+3,flu;David,30,Bac+3,flu;Bob,23,Bac,cancer;Dupont,23,Bac,cancer",
)


def by_class(*classes: tuple[str, str, str]) -> pl.DataFrame:
    """Classes of age and education, with the diseases of their rows."""
    cells = [(age, education, disease) for age, education, diseases in classes for disease in diseases.split()]
    return table("age education disease", *cells)


YOUNG, OLD = "[19, 23]", "[27, 30]"
TABLE_2 = by_class((YOUNG, "Sec", "HD Cancer"), (OLD, "Sec", "Flu Flu"), (YOUNG, "Sup", "Cancer Cancer Cancer"))
TABLE_3 = by_class(
    (YOUNG, "Sec", "HD Cancer"), (OLD, "Sec", "Flu Flu"), (YOUNG, "Sup", "Cancer Cancer"), (OLD, "Sup", "Cancer")
)
TABLE_4 = by_class((YOUNG, "Sec", "HD Cancer Flu Flu"), (OLD, "Sup", "Cancer Cancer HD Flu"))
TABLE_5 = by_class((YOUNG, "Sec", "HD Cancer Flu Flu"), (OLD, "Sup", "Cancer Cancer HD HD"))
TABLE_6 = table(
    "age education name",
    *[(YOUNG, "Sup", name) for name in ("Malik", "George", "Pierre", "Alice")],
    *[(OLD, "Sup", name) for name in ("Fred", "Jean", "Paul")],
)
TABLE_7 = rows(
    "id sexe ville profession statut age jh cholesterol temperature",
    "1,F,Paris,ingénieur,mariée,33,3,150,36.6;2,F,Pontoise,ingénieur,veuve,65,1,290,37.2;3,F,Paris,étudiant,célibataire,21,2,190,36.2;"
    "4,M,Nice,étudiant,célibataire,19,7,170,38.5;5,M,Paris,statisticien,marié,36,40,200,40.1;6,F,Cannes,étudiant,mariée,28,3,185,37.5;"
    "7,F,Pontoise,statisticien,divorcée,46,60,200,36.5;8,M,Pontoise,statisticien,divorcé,81,5,300,37.6;9,M,Cannes,statisticien,marié,58,10,260,36.9;"
    "10,F,Nice,professeur,veuve,63,7,290,38.2;11,M,Paris,étudiant,célibataire,19,5,190,39.3",
).with_columns(pl.col("id", "age", "jh", "cholesterol").cast(pl.Int64), pl.col("temperature").cast(pl.Float64))  # fmt: skip
TABLE_24 = rows(
    "sex zip education salary",
    "M,13050,5e,1200;F,13051,3e,1300;M,13050,Seconde,1200;M,13050,Seconde,1300;M,13051,C12,1500;F,13050,C12,1500;"
    "F,13061,C12,1600;F,13061,Master,2000;F,13060,Master,2100;M,13061,Doctorat,3000;M,13060,Doctorat,4000;M,13061,Doctorat,4500",
).with_columns(pl.col("salary").cast(pl.Int64))
TREES_24 = {
    "sex": pv.groups({"Tout_sexe": ["F", "M"]}),
    "zip": pv.groups({"130**": {"1305*": ["13050", "13051"], "1306*": ["13060", "13061"]}}),
    "education": pv.groups(
        {
            "Tout": {
                "Secondaire": {"Collège": ["5e", "3e"], "Lycée": ["Seconde", "Terminale"]},
                "Université": ["C12", {"3e cycle": ["Master", "Doctorat"]}],
            }
        }
    ),
}
MEDICAL = rows(
    "race dob sex zip marital problem",
    "asian,9/27/1964,F,94139,divorced,hypertension;asian,9/30/1964,F,94139,divorced,obesity;asian,4/18/1964,M,94139,married,chest pain;"
    "asian,4/15/1964,M,94139,married,obesity;black,3/13/1963,M,94138,married,hypertension;black,3/18/1963,M,94138,married,shortness of breath;"
    "black,9/13/1964,F,94141,married,shortness of breath;black,9/7/1964,F,94141,married,obesity;white,5/14/1961,M,94138,single,chest pain;"
    "white,5/8/1961,M,94138,single,obesity;white,9/15/1961,F,94142,widow,shortness of breath",
)
ANNEX_B = rows(
    "age education disease",
    "27,9,Diabetes;30,9,Cancer;27,10,Flu;23,11,Flu;30,11,Cancer;32,11,Cancer;19,12,Flu;35,12,Diabetes",
).with_columns(pl.col("age", "education").cast(pl.Int64))


def classified(text: str) -> pl.DataFrame:
    """Tables A1 and A2: combinations with how many rows of class Y and N they stand for."""
    found = []
    for entry in text.split("|"):
        cells, counts = entry.strip().rsplit(" ", 1)
        for part in counts.split("+"):
            found += [(*cells.split(","), part[-1])] * int(part[:-1])
    return table("sex zip education class", *found)


TABLE_A1 = classified(
    "M,13050,5e 2Y|F,13051,3e 3Y|M,13050,Seconde 2Y|F,13051,Seconde 3Y|F,13050,C12 4Y|F,13061,C12 1Y+1N|F,13060,Master 4N|M,13061,Master 1N|M,13060,Doctorat 2N"
)
TABLE_A2 = classified(
    "M,13050,3e 2Y|F,13051,5e 3Y|M,13050,Seconde 2Y|F,13051,C12 3Y|F,13050,C12 4Y|F,13061,C12 1Y|F,13061,Master 1N|F,13060,Master 4N|M,13061,Doctorat 1N|M,13060,Doctorat 2N"
)

# Couchot, slides, Université de Franche-Comté
PATIENTS = rows(
    "cp age genre nationality disease",
    "13053,28,H,russe,heart;13068,29,H,américaine,heart;13068,21,F,japonaise,viral;13053,23,H,américaine,viral;14853,49,H,indienne,cancer;"
    "14853,48,F,russe,heart;14850,47,H,américaine,viral;14850,49,F,américaine,viral;13053,31,H,américaine,cancer;13053,37,H,indienne,cancer;"
    "13068,36,F,japonaise,cancer;13068,35,F,américaine,cancer",
).with_columns(pl.col("age").cast(pl.Int64))
R1 = PATIENTS.select(
    cp=pl.Series(["{13053, 13068}"] * 4 + ["{14850, 14853}"] * 4 + ["{13053, 13068}"] * 4),
    age=pl.Series(["[21, 31["] * 4 + ["[41, 50["] * 4 + ["[31, 41["] * 4),
    genre=pl.lit("*"), nationality=pl.lit("*"), disease="disease",
)  # fmt: skip
R2 = R1.with_columns(
    cp=pl.Series(["130**"] * 4 + ["148**"] * 4 + ["130**"] * 4),
    age=pl.Series(["[21, 41["] * 4 + ["[41, 50["] * 4 + ["[21, 41["] * 4),
)
SALARIES = table(
    "cp age salary disease",
    *[("476**", "2*", s, d) for s, d in ((3000, "ulcer"), (4000, "gastritis"), (5000, "stomach cancer"))],
    *[("4790*", ">40", s, d) for s, d in ((6000, "gastritis"), (11000, "flu"), (8000, "bronchitis"))],
    *[("476**", "3*", s, d) for s, d in ((7000, "bronchitis"), (9000, "pneumonia"), (10000, "stomach cancer"))],
)

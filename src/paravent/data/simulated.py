"""Made-up data with published shapes: a voter register, and sensitive columns that follow a law.

Mauger 2021, §2.4.2 and §4.4.1. Nobody in them exists.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from paravent.errors import PlanError

if TYPE_CHECKING:
    from paravent.table.table import Table

Law = Literal["equivalent", "geometric", "normal"]

_GENDER = {"F": 0.54, "M": 0.46}
_RACE = {"5": 0.615, "4": 0.175, "3": 0.135, "9": 0.03, "2": 0.02, "6": 0.015, "7": 0.007, "1": 0.003}
_PARTY = {
    "DEM": 0.370, "REP": 0.355, "NPA": 0.2625, "INT": 0.008, "LPF": 0.0025, "GRE": 0.0008, "CPF": 0.0005,
    "REF": 0.0004, "PSL": 0.0003,
}  # fmt: skip
_LEANING = {  # how a race leans towards DEM, REP and NPA, in logits; and how much younger it is, a year of age
    "5": (-0.35, 0.35, 0.0, 0.0), "4": (0.1, -0.35, 0.3, 0.012), "3": (1.2, -1.9, -0.3, 0.012),
    "9": (0.1, -0.3, 0.3, 0.01), "2": (0.1, -0.2, 0.35, 0.01), "6": (0.1, -0.3, 0.4, 0.012),
    "7": (0.1, -0.2, 0.2, 0.012), "1": (0.1, 0.1, 0.1, 0.01),
}  # fmt: skip
_FIRST_YEAR, _LAST_YEAR, _NEVER = 1909, 2002, (1911, 1912)  # 92 years of birth in eleven decades
_ZIPS, _FOURS, _THREES = 941, 200, 22


def voters(rows: int = 30_162, *, seed: int = 1) -> Table:
    """A register with the published shape of a sample of Florida's voters: 941 ZIP codes whose prefixes make a tree of
    1167 nodes, 92 years of birth, two genders, eight races, nine parties, about 96 % of the classes with one row.

    Every value occurs where there are rows enough. ZIP codes are unequally large (log-normal), ages lie between 18 and
    111 and thin out towards the end. Columns hang together as in an electorate: races live apart (by ZIP code and by
    its first three digits), some are younger, and party goes by race, age, gender and place; their totals are kept.

    >>> table = voters(2_000)
    >>> table.names, table.frame["zip"].n_unique()
    (['zip', 'gender', 'race', 'birth-year', 'party'], 941)
    """
    import polars as pl

    from paravent.table.read import read

    if rows < 1:
        raise PlanError("voters: rows must be 1 or more.")
    rng = np.random.default_rng(seed)
    zips, years = _zip_codes(rng), [year for year in range(_FIRST_YEAR, _LAST_YEAR + 1) if year not in _NEVER]
    races, parties = list(_RACE), list(_PARTY)
    leaning = np.array([_LEANING[race] for race in races])
    age = 2020 - np.array(years)
    lived = (1 - np.exp(-(age - 14) / 6)) / (1 + np.exp((age - 74) / 7.5))  # few of the youngest, few of the oldest

    place = _all_occur(rng, rng.choice(len(zips), rows, p=_shares(rng.lognormal(0.0, 0.8, len(zips)))), len(zips))
    area = np.unique([code[:3] for code in zips], return_inverse=True)[1]
    apart = rng.normal(0, 0.5, (area.max() + 1, len(races)))[area] + rng.normal(0, 0.8, (len(zips), len(races)))
    race = _drawn(rng, apart[place], np.array(list(_RACE.values())))
    gender = _drawn(rng, np.zeros((rows, 2)), np.array(list(_GENDER.values())))
    ages = np.log(lived) - leaning[:, 3:] * (age - 50)
    year = _drawn(rng, ages[race], None)
    lean = leaning[race, :3]
    lean[:, 2] -= 0.015 * (age[year] - 50)
    local = (rng.normal(0, 0.2, area.max() + 1)[area] + rng.normal(0, 0.3, len(zips)))[place]
    woman = np.where(gender == 0, 1.0, -1.0)
    lean[:, 0] += local + 0.12 * woman
    lean[:, 1] -= local + 0.10 * woman
    votes = np.zeros((rows, len(parties)))
    votes[:, :3] = lean
    party = _drawn(rng, votes, np.array(list(_PARTY.values())))
    columns = {
        "zip": (zips, place),
        "gender": (list(_GENDER), gender),
        "race": (races, race),
        "birth-year": ([str(y) for y in years], year),
        "party": (parties, party),
    }
    return read(pl.DataFrame({name: [known[c] for c in codes.tolist()] for name, (known, codes) in columns.items()}))


def voter_trees() -> dict[str, Any]:
    """A tree for each column of `voters`: prefixes of ZIP codes, decades and centuries of birth, the others flat."""
    from paravent.hierarchy.builders import flat, prefixes

    return {
        "zip": prefixes(1, 2, 3),
        "gender": flat(),
        "race": flat(),
        "birth-year": prefixes(1, 2),
        "party": flat(),
    }


def sensitive_column(rows: int, *, values: int, law: Law = "equivalent", seed: int = 1) -> list[str]:
    """A sensitive column of `values` possible values `s0`, `s1`, ….

    equivalent: each value as often as the others, up to one row, in random order. geometric: the number of failures
    before a success of probability 1/2, all from the last value on counted as the last. normal: a standard normal
    number, in equally wide bins from −3 to 3, what lies outside in the outermost. The source leaves the two cuts open.

    >>> sorted(sensitive_column(6, values=3))
    ['s0', 's0', 's1', 's1', 's2', 's2']
    """
    if rows < 0 or values < 1:
        raise PlanError("sensitive_column: rows must be 0 or more, and values 1 or more.")
    rng = np.random.default_rng(seed)
    if law == "equivalent":
        codes = rng.permutation(np.arange(rows) % values)
    elif law == "geometric":
        codes = np.minimum(rng.geometric(0.5, rows) - 1, values - 1)
    elif law == "normal":
        codes = np.clip(np.floor((rng.standard_normal(rows) + 3) / 6 * values), 0, values - 1).astype(int)
    else:
        raise PlanError(f"sensitive_column: law must be one of {', '.join(get_args(Law))}, not {law!r}.")
    return [f"s{code}" for code in codes.tolist()]


def _shares(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _drawn(rng: np.random.Generator, logits: np.ndarray, totals: np.ndarray | None) -> np.ndarray:
    """One of the values for each row, each at least once where there is room for all: by `logits`, such that the values
    come in these total shares (raking: the shares are scaled until they add up)."""
    shares = _shares(np.exp(logits))
    if totals is not None:
        for _ in range(30):
            shares = _shares(shares * (_shares(totals) / shares.mean(axis=0)))
    codes = (np.cumsum(shares, axis=1) < rng.random((len(logits), 1))).sum(axis=1)
    values = shares.shape[1]
    return _all_occur(rng, np.minimum(codes, values - 1), values)


def _all_occur(rng: np.random.Generator, codes: np.ndarray, values: int) -> np.ndarray:
    """Every value at least once, where there is room for all: a missing one takes the place of a row at random."""
    missing = np.setdiff1d(np.arange(values), codes)
    if len(codes) >= values and len(missing):
        counts = np.bincount(codes, minlength=values)
        for value in missing.tolist():
            often = np.flatnonzero(counts[codes] > 1)
            row = int(rng.choice(often))
            counts[codes[row]] -= 1
            counts[value] += 1
            codes[row] = value
    return codes


def _zip_codes(rng: np.random.Generator) -> list[str]:
    """941 codes under 200 prefixes of four digits, 22 of three and three of two; every prefix has two or more."""
    threes = _spread(rng, ["32", "33", "34"], _THREES)
    fours = _spread(rng, threes, _FOURS)
    return sorted(_spread(rng, fours, _ZIPS))


def _spread(rng: np.random.Generator, prefixes: list[str], total: int) -> list[str]:
    """So many continuations by one digit, two or more for each prefix."""
    room = {prefix: rng.permutation(10).tolist() for prefix in prefixes}
    chosen = [prefix + str(room[prefix].pop()) for prefix in prefixes for _ in range(2)]
    rest = [prefix + str(digit) for prefix in prefixes for digit in room[prefix]]
    more = rng.choice(len(rest), total - len(chosen), replace=False)
    return sorted(chosen + [rest[i] for i in more.tolist()])


def effective_values(counts: np.ndarray) -> float:
    """The effective number of values of a distribution, exp of its entropy (Mauger 2021, Def. 4.1.7).

    >>> round(effective_values(np.array([2, 2, 1])), 3)
    2.872
    """
    shares = counts[counts > 0] / counts.sum()
    return math.exp(-float((shares * np.log(shares)).sum()))

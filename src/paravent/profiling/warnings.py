"""What a person should hear about a column or a table before releasing it, in plain words and without values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paravent.profiling.detect import NEAR_UNIQUE, Facts, Proposal
from paravent.profiling.lexicon import Role, concepts
from paravent.profiling.patterns import inside
from paravent.profiling.redundancy import Redundancy
from paravent.profiling.subsets import SubsetProfile
from paravent.table.alike import differ_in
from paravent.table.kinds import Kind

MANY_QUASI = 10
FEW_ROWS = 50
SKEWED = 0.8

_SPECIAL = {each.key: each.title for each in concepts() if each.special}


def column_warnings(
    facts: Facts,
    proposal: Proposal,
    alone: int,
    most_frequent: float,
    alike: Sequence[tuple[str, ...]] = (),
) -> tuple[str, ...]:
    """The warnings of one column."""
    warnings = []
    role = proposal.role
    if proposal.concept in _SPECIAL:
        warnings.append(f"{_SPECIAL[proposal.concept]} is specially protected by law (GDPR, Articles 9 and 10).")
    if facts.missing and facts.present and role in (Role.QUASI, Role.SENSITIVE):
        share = facts.missing / facts.rows
        warnings.append(f"{_people(facts.missing)} no value ({share:.1%}): the plan must say what that means.")
    if role is Role.QUASI and alone:
        warnings.append(f"{'1 value occurs' if alone == 1 else f'{alone:,} values occur'} in one row only.")
    if (
        role is Role.QUASI
        and facts.kind is Kind.NOMINAL
        and facts.distinct_share >= NEAR_UNIQUE
        and facts.distinct > 20
    ):
        warnings.append("nearly every row has a value of its own: without a tree of groups little of it will remain.")
    if role is Role.SENSITIVE and most_frequent >= SKEWED and facts.distinct > 1:
        warnings.append(f"{most_frequent:.0%} share one value: most people's can be guessed without any attack.")
    if proposal.concept in ("record id", "person number") and facts.distinct < facts.present:
        warnings.append("some records have several rows: k-anonymity counts rows, so one person may fill a class.")
    if alike:
        warnings.append(_look_alike(alike, role))
    if role is not Role.IDENTIFIER or proposal.concept == "free text":
        warnings += _direct_identifiers(facts)
    return tuple(warnings)


def _look_alike(alike: Sequence[tuple[str, ...]], role: Role) -> str:
    ways = dict.fromkeys(way for group in alike for way in differ_in(group).split(", "))
    counted = f"{sum(map(len, alike))} values look like {len(alike)}"
    remedy = "`paravent clean --alike` unifies them"
    if role is Role.SENSITIVE:
        remedy += ', alike = "one" in the plan counts them as one'
    return f"{counted} (they differ in {', '.join(ways)}), and each counts as a value of its own: {remedy}."


def _people(count: int) -> str:
    return "1 row has" if count == 1 else f"{count} rows have"


def _direct_identifiers(facts: Facts) -> list[str]:
    if facts.kind not in (Kind.NOMINAL, Kind.TEXT):
        return []
    return [f"{count} of {len(facts.sample)} values examined hold {title}." for title, count in inside(facts.sample)]


def table_warnings(
    rows: int, proposals: Mapping[str, Proposal], whole: SubsetProfile | None, follows: Sequence[Redundancy] = ()
) -> tuple[str, ...]:
    """The warnings of the whole table. `whole` is the set of all quasi-identifiers, `follows` are the columns that
    another one gives away."""
    warnings = []
    roles = [proposal.role for proposal in proposals.values()]
    if rows < FEW_ROWS:
        warnings.append(f"the table has {rows} rows: hiding people among so few costs much detail.")
    if roles and Role.QUASI not in roles:
        warnings.append("no quasi-identifier was recognised: check the roles before trusting any release.")
    if roles and Role.SENSITIVE not in roles:
        warnings.append("no sensitive column was recognised: name yours, or k-anonymity alone will protect it.")
    if roles.count(Role.QUASI) > MANY_QUASI:
        warnings.append(
            f"{roles.count(Role.QUASI)} columns are proposed as quasi-identifiers: the more there are, the more detail "
            "is lost. Keep those that somebody outside can know."
        )
    if whole is not None and whole.is_quasi_identifier:
        warnings.append(
            f"{whole.singled_out} of {rows} rows ({whole.singled_out_share:.0%}) are alone with their combination of "
            f"{len(whole.columns)} quasi-identifiers: whoever knows these finds the row."
        )
    warnings += [f"{found}. Leave one of them out, or treat both the same." for found in follows]
    return tuple(warnings)

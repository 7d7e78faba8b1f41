"""What a release promises and what it costs, in sentences that somebody without the vocabulary understands.

Releases differ in what can be said: of a generalized table, among how many rows somebody hides; of one whose cells may
be false, how many rows lead back to the original; of one in groups, that anybody is found and only a value is hidden.
"""

from __future__ import annotations

from paravent.measures import Measures, as_percent
from paravent.plan.plan import Plan
from paravent.privacy.verdict import Verdict
from paravent.report.words import counted, listed, number
from paravent.utility.subject import Subject


def verdict(plan: Plan, subject: Subject, measures: Measures, found: Verdict) -> list[str]:
    """What holds and what it costs."""
    if found.rows == 0:
        return ["Every row was suppressed: the release is empty, and nobody can be found in it."]
    if not plan.quasi:
        return ["No column is called a quasi-identifier: whether somebody could be found was not looked at."]
    if subject.derived is not None:
        return _in_groups(plan, subject, measures)
    if subject.astray:
        return _perturbed(plan, subject, measures)
    return _generalized(plan, subject, measures, found)


def _generalized(plan: Plan, subject: Subject, measures: Measures, found: Verdict) -> list[str]:
    smallest = int(measures["utility.class_size.min"])
    false = [axis.name for axis in subject.axes if axis.name in subject.perturbed]
    reads = f"Whoever knows a person's {listed(list(plan.quasi), most=5)}"
    promised = int(found.levels.get("privacy.k", smallest))
    then = ""
    if promised > smallest:
        reads += (
            f" finds at least {counted(promised, 'row')} that may be theirs, where a missing value may be anything; "
            f"at least {number(smallest)} when it is known what is missing."
        )
        then = " then"
    elif false:
        reads += (
            f" may be led to others by it, for cells of {listed(false)} may be false of their rows; at least "
            f"{counted(smallest, 'row')} look alike wherever they are led."
        )
    else:
        alone = "" if smallest > 1 else ": somebody stands alone"
        reads += (
            f" finds at least {counted(smallest, 'row')} that fit{'s' if smallest == 1 else ''} equally well{alone}."
        )
    return [
        f"{reads} The chance of picking the right one is{then} at most {as_percent(measures['risk.prosecutor.max'])}; "
        f"in the original it was {as_percent(measures['risk.before.prosecutor.max'])}, and "
        f"{as_percent(measures['risk.before.uniques'])} of the rows stood alone.",
        f"The price: {_price(subject, measures)}, and {_suppressed(measures)}.",
    ]


def _price(subject: Subject, measures: Measures) -> str:
    false = [axis.name for axis in subject.axes if axis.name in subject.perturbed]
    if false:
        return f"cells of {listed(false)} may be false of their rows"
    since = ", counted from what treatments left of them" if subject.treated & {a.name for a in subject.axes} else ""
    return f"{as_percent(measures['utility.gcp'])} of the detail in these columns is gone{since}"


def _perturbed(plan: Plan, subject: Subject, measures: Measures) -> list[str]:
    false = [axis.name for axis in subject.axes if axis.name in subject.perturbed]
    linked = ""
    if "risk.relinked.distance" in measures:
        rate = as_percent(measures["risk.relinked.distance"])
        linked = (
            f" Somebody who has the original {listed(list(plan.quasi), most=5)} of everybody and links each row to "
            f"the nearest finds the right one for {rate} of the {subject.counted}."
        )
    changed = as_percent(measures["utility.cells.changed"]) if "utility.cells.changed" in measures else "Some"
    return [
        f"Cells of {listed(false)} may be false of their rows: whoever looks for a person by what is true of them may "
        f"find another, or nobody.{linked} That was measured, by one attack; no number of rows that look alike "
        "protects anybody here.",
        f"The price: {changed} of the cells of the quasi-identifiers show another value than their own, and "
        f"{_suppressed(measures)}. What can be relied on is the column, not the row.",
    ]


def _in_groups(plan: Plan, subject: Subject, measures: Measures) -> list[str]:
    guarded = list(dict.fromkeys(name for model in plan.models for name in model.guards))
    false = [axis.name for axis in subject.axes if axis.name in subject.perturbed]
    if false:
        who = (
            f"Values of {listed(false)} changed places inside groups of rows: a row need be nobody's, and who is in "
            "the table may still be told from the values that it has."
        )
    else:
        alone = as_percent(measures["risk.uniques"]) if "risk.uniques" in measures else "some"
        who = (
            f"Whoever knows a person's {listed(list(plan.quasi), most=5)} finds their row: these columns are not "
            f"generalized, and {alone} of the rows stand alone by them, as in the original."
        )
    sure = [
        f"nobody can be surer of a person's {name} than {as_percent(measures[f'risk.attribute.belief.{name}'])}"
        for name in guarded
        if f"risk.attribute.belief.{name}" in measures
    ]
    hidden = f" Only which {listed(guarded)} is whose is hidden{': ' if sure else ''}{listed(sure)}." if guarded else ""
    return [
        f"{who}{hidden}",
        f"The price: how the values of a group belong together is lost, and {_suppressed(measures)}.",
    ]


def how_known(found: Verdict) -> str:
    """By what whoever reads the verdict can trust it."""
    if not found.guarantees:
        return "The plan says so itself: protect = [] asks for no promise, and none was checked."
    ways = found.by_knowledge
    said = [f"{listed([check.promise.describe() for check in checks])}: {way}" for way, checks in ways.items()]
    how = next(iter(ways)) if len(ways) == 1 else "; ".join(said)
    return f"{how[0].upper()}{how[1:]}. Checked by code that shares nothing with the method that made it."


def _suppressed(measures: Measures) -> str:
    rows = int(measures["rows.suppressed"])
    if rows == 0:
        return "no row was suppressed"
    of_all = f"of {number(measures['rows.original'])} ({as_percent(rows / measures['rows.original'])})"
    return f"{counted(rows, 'row')} {of_all} {'was' if rows == 1 else 'were'} suppressed"

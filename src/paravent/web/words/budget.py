"""Texts of the privacy budget."""

from __future__ import annotations

TEXTS = {
    "budget.title": ("Privacy budget of this table", "Budget de confidentialité de cette table"),
    "budget.none": (
        "Nothing was granted for this table yet: what is drawn from it is counted nowhere. Grant a budget, and every "
        "release is charged to it before it is drawn.",
        "Rien n’a encore été accordé pour cette table : ce qui en est tiré n’est compté nulle part. Accordez un "
        "budget, et chaque version publiée y est imputée avant d’être tirée.",
    ),
    "budget.granted": ("Granted in all", "Accordé en tout"),
    "budget.spent": ("Spent", "Dépensé"),
    "budget.entries": ("in {n} releases", "en {n} versions publiées"),
    "budget.entries.one": ("in 1 release", "en 1 version publiée"),
    "budget.left": ("Left: {left}.", "Reste : {left}."),
    "budget.epsilon": ("ε in all", "ε en tout"),
    "budget.delta": ("δ in all", "δ en tout"),
    "budget.grant": ("Grant the budget", "Accorder le budget"),
    "budget.raise": ("Raise the budget", "Augmenter le budget"),
    "budget.needs": ("Give an ε above 0.", "Donnez un ε supérieur à 0."),
    "budget.help": (
        "A grant can be raised, and not lowered; what is spent never comes back. Take a δ far below 1 divided by the "
        "number of people. The ledger stays when the table is deleted.",
        "Un budget peut être augmenté, jamais réduit ; ce qui est dépensé ne revient pas. Prenez un δ bien inférieur "
        "à 1 divisé par le nombre de personnes. Le registre demeure quand la table est supprimée.",
    ),
}

"""Texts of the page about one criterion."""

from __future__ import annotations

TEXTS = {
    "criterion.title": ("Criterion", "Critère"),
    "criterion.none": (
        "There is no criterion {name}. Choose one of these.",
        "Il n’y a pas de critère {name}. Choisissez-en un.",
    ),
    "criterion.lead": (
        "What candidates and releases are judged by.",
        "Ce sur quoi sont jugés les candidats et les versions.",
    ),
    "criterion.weight": ("Its weight in your preferences", "Son poids dans vos préférences"),
    "criterion.metrics": ("Measured by", "Mesuré par"),
    "criterion.better.lower": ("the lower the better", "plus c’est bas, mieux c’est"),
    "criterion.better.higher": ("the higher the better", "plus c’est haut, mieux c’est"),
    "criterion.stands": ("stands for the criterion", "représente le critère"),
    "criterion.thresholds": ("When a difference counts", "Quand une différence compte"),
    "criterion.thresholds.lead": (
        "Two candidates count as equal up to the first limit, and one as extremely better beyond the last.",
        "Deux candidats sont égaux jusqu’à la première limite, et l’un est extrêmement meilleur au-delà de la "
        "dernière.",
    ),
    "criterion.points": ("Difference in percentage points", "Écart en points de pourcentage"),
    "criterion.ratio": ("Difference in percent of the smaller", "Écart en pourcentage de la plus petite"),
    "criterion.intensity": ("Counts as", "Compte pour"),
    "criterion.upto": ("up to {limit}", "jusqu’à {limit}"),
    "criterion.beyond": ("beyond {limit}", "au-delà de {limit}"),
    "criterion.ours": ("our default", "notre choix par défaut"),
    "criterion.source": ("Source: {source}", "Source : {source}"),
}

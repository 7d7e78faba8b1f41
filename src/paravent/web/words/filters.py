"""Texts of the screen that says which methods suit."""

from __future__ import annotations

TEXTS = {
    "filters.title": ("Methods that suit", "Méthodes adaptées"),
    "filters.lead": (
        "What the table is and what it is for decide which methods come into question. Every other one is listed with "
        "the reason.",
        "La table et son usage décident des méthodes envisageables. Toutes les autres sont listées avec la raison.",
    ),
    "filters.criteria": ("What is asked", "Ce qui est demandé"),
    "filters.size": ("Size of the table", "Taille de la table"),
    "filters.size.measured": ("As counted: {rows} rows", "Comptée : {rows} lignes"),
    "filters.size.small": ("Small", "Petite"),
    "filters.size.large": ("Large", "Grande"),
    "filters.use": ("What the data are for", "Usage des données"),
    "filters.target": ("Target column", "Colonne cible"),
    "filters.output": ("Type of generalization", "Type de généralisation"),
    "filters.output.any": ("Any", "Indifférent"),
    "filters.output.full-domain": (
        "Full-domain: one level for a whole column",
        "Domaine entier : un niveau par colonne",
    ),
    "filters.output.subtree": (
        "Subtree: a value always becomes the same",
        "Sous-arbre : une valeur devient toujours la même",
    ),
    "filters.output.multidimensional": (
        "Multidimensional: as each group needs it",
        "Multidimensionnel : selon chaque groupe",
    ),
    "filters.interactive": ("Somebody takes part in every step", "Quelqu’un participe à chaque étape"),
    "filters.truthful": ("Only true values", "Seulement des valeurs vraies"),
    "filters.time": ("Seconds that a run may take", "Secondes qu’une exécution peut durer"),
    "filters.changed": ("Changed what is asked of methods", "Critères de filtrage modifiés"),
    "filters.needs_target": ("Name the column that is to be predicted.", "Nommez la colonne à prédire."),
    "filters.kept": ("{n} methods suit", "{n} méthodes adaptées"),
    "filters.kept.one": ("One method suits", "Une méthode adaptée"),
    "filters.dropped": ("{n} methods are dropped", "{n} méthodes écartées"),
    "filters.dropped.one": ("One method is dropped", "Une méthode écartée"),
    "filters.method": ("Method", "Méthode"),
    "filters.reason": ("Reason", "Raison"),
    "filters.rule": ("Rule", "Règle"),
    "filters.candidates": ("{n} candidates", "{n} candidats"),
    "filters.candidates.one": ("one candidate", "un candidat"),
    "filters.search": ("Find a method", "Chercher une méthode"),
}

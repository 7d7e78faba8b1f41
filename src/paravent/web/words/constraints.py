"""Texts of the screen on which limits are said, in plain words or in numbers."""

from __future__ import annotations

TEXTS = {
    "constraints.title": ("Constraints", "Contraintes"),
    "constraints.lead": (
        "Say in plain words who gets the data and what for. The limits follow from that, and you can change each of "
        "them.",
        "Dites en clair qui reçoit les données et pour quoi faire. Les limites s’en déduisent, et chacune peut être "
        "changée.",
    ),
    "constraints.words": ("In plain words", "En clair"),
    "constraints.answered": ("Answered: {question}", "Réponse : {question}"),
    "constraints.limits": ("The limits", "Les limites"),
    "constraints.limits.note": (
        "They follow from your answers. What you type here counts.",
        "Elles découlent de vos réponses. Ce que vous saisissez ici l’emporte.",
    ),
    "constraints.risk": ("Highest tolerated risk of being found, in %", "Risque maximal toléré d’être retrouvé, en %"),
    "constraints.suppression": ("Rows that may be left out, in %", "Lignes qui peuvent être omises, en %"),
    "constraints.belief": (
        "Highest share of one sensitive value in a group, in %",
        "Part maximale d’une valeur sensible dans un groupe, en %",
    ),
    "constraints.gain": (
        "Highest gain of belief in a sensitive value, in points",
        "Gain maximal de certitude sur une valeur sensible, en points",
    ),
    "constraints.none": ("No limit", "Pas de limite"),
    "constraints.changed": ("Changed a limit", "Limite modifiée"),
    "constraints.bad": (
        "{label}: give a number from {low} to {high}.",
        "{label} : donnez un nombre de {low} à {high}.",
    ),
    "constraints.sensitive": (
        "No column is sensitive, so these two limits have nothing to act on. Give one the role in the step “Roles”.",
        "Aucune colonne n’est sensible : ces deux limites n’ont pas d’objet. Donnez ce rôle à une colonne à l’étape « "
        "Rôles ».",
    ),
}

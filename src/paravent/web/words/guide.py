"""Texts that several screens of the guide share."""

from __future__ import annotations

TEXTS = {
    "guide.roles": (
        "The columns have no roles yet. Give them roles first: the guide protects the quasi-identifiers.",
        "Les colonnes n’ont pas encore de rôle. Donnez-leur un rôle : le guide protège les quasi-identifiants.",
    ),
    "guide.roles.go": ("Go to the roles", "Aller aux rôles"),
    "guide.constraints.go": ("Go to the constraints", "Aller aux contraintes"),
    "guide.looking": ("Looking for candidates", "Recherche des candidats"),
    "guide.number": ("Give a number from {low} to {high}.", "Donnez un nombre de {low} à {high}."),
    "guide.whole": ("Give a whole number from {low} to {high}.", "Donnez un nombre entier de {low} à {high}."),
    "guide.again": ("Try again", "Réessayer"),
    "guide.help": ("What does “{label}” mean?", "Que veut dire « {label} » ?"),
}

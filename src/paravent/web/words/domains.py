"""Texts of the form that says what columns can hold."""

from __future__ import annotations

TEXTS = {
    "domains.title": ("What columns can hold", "Ce que les colonnes peuvent contenir"),
    "domains.help": (
        "Say it from what you know of the matter, not from the table: what the table happens to hold must stay hidden. "
        "A column with a tree of its own needs nothing here.",
        "Dites-le d’après votre connaissance du sujet, pas d’après la table : ce qu’elle contient par hasard doit "
        "rester caché. Une colonne qui a son propre arbre n’a besoin de rien ici.",
    ),
    "domains.add": ("Say it of a column", "Le dire d’une colonne"),
    "domains.kind": ("How {column} is told", "Comment {column} est décrite"),
    "domains.bounds": ("Numbers between two bounds", "Nombres entre deux bornes"),
    "domains.values": ("A list of values", "Une liste de valeurs"),
    "domains.tree": ("The leaves of a tree file", "Les feuilles d’un fichier d’arbre"),
    "domains.remove": ("Say nothing of {column}", "Ne rien dire de {column}"),
    "domains.from": ("Lowest", "Minimum"),
    "domains.to": ("Highest", "Maximum"),
    "domains.step": ("Step (optional)", "Pas (facultatif)"),
    "domains.bounds.needs": (
        "Give the lowest and the highest number that {column} can hold.",
        "Donnez le plus petit et le plus grand nombre que {column} peut contenir.",
    ),
    "domains.values.field": ("Values of {column}, one in each line", "Valeurs de {column}, une par ligne"),
    "domains.values.needs": (
        "Write the values of {column}, one in each line.",
        "Écrivez les valeurs de {column}, une par ligne.",
    ),
    "domains.values.twice": (
        "The value “{value}” of {column} is there twice. Take one away.",
        "La valeur « {value} » de {column} y est deux fois. Retirez-en une.",
    ),
    "domains.tree.field": ("Tree file of {column} (CSV)", "Fichier d’arbre de {column} (CSV)"),
    "domains.tree.read": ("The tree was read; it has {n} values.", "L’arbre est lu ; il a {n} valeurs."),
    "domains.tree.there": (
        "A tree file is in use. Upload another to replace it.",
        "Un fichier d’arbre est utilisé. Envoyez-en un autre pour le remplacer.",
    ),
    "domains.tree.large": (
        "The file cannot be taken. A tree file is CSV of at most 16 MB.",
        "Le fichier est refusé. Un fichier d’arbre est un CSV d’au plus 16 Mo.",
    ),
}

"""Texts of what a table is like."""

from __future__ import annotations

TEXTS = {
    "descriptors.title": ("What the table is like", "À quoi ressemble la table"),
    "descriptors.lead": (
        "Predictions rest on these figures. They were measured; nothing needs to be answered.",
        "Les prédictions reposent sur ces chiffres. Ils sont mesurés ; il n’y a rien à répondre.",
    ),
    "descriptors.shape": ("Distribution", "Distribution"),
    "descriptors.shape.dense": ("dense", "dense"),
    "descriptors.shape.sparse": ("sparse", "éparse"),
    "descriptors.shape.correlated": ("correlated", "corrélée"),
    "descriptors.shape.skewed": ("skewed", "asymétrique"),
    "descriptors.shape.uniform": ("uniform", "uniforme"),
    "descriptors.shape.dense.why": (
        "There are three rows or more for each different one.",
        "Il y a trois lignes ou plus pour chaque ligne différente.",
    ),
    "descriptors.shape.sparse.why": ("Nearly every row stands alone.", "Presque chaque ligne est unique."),
    "descriptors.shape.correlated.why": (
        "One column tells much about another.",
        "Une colonne en dit long sur une autre.",
    ),
    "descriptors.shape.skewed.why": (
        "Some values are far more frequent than others.",
        "Certaines valeurs sont bien plus fréquentes.",
    ),
    "descriptors.shape.uniform.why": (
        "Values are about as frequent as one another.",
        "Les valeurs ont à peu près la même fréquence.",
    ),
    "descriptors.quasi": ("Quasi-identifiers", "Quasi-identifiants"),
    "descriptors.rows": ("Rows", "Lignes"),
    "descriptors.tuples": ("Different rows", "Lignes différentes"),
    "descriptors.uniqueness": ("Rows that stand alone", "Lignes uniques"),
    "descriptors.entropy": ("Evenness of values", "Régularité des valeurs"),
    "descriptors.entropy.note": ("1: all values are equally frequent", "1 : toutes les valeurs ont la même fréquence"),
    "descriptors.correlation": ("Association of columns", "Association des colonnes"),
    "descriptors.correlation.note": (
        "0: none, 1: one column tells the other",
        "0 : aucune, 1 : une colonne détermine l’autre",
    ),
    "descriptors.skew": ("Most frequent values stand out by", "Valeurs les plus fréquentes au-dessus de"),
    "descriptors.values": ("Values of a column, typically", "Valeurs d’une colonne, en général"),
    "descriptors.depth": ("Levels of a tree, on average", "Niveaux d’un arbre, en moyenne"),
    "descriptors.classes": ("Sensitive values", "Valeurs sensibles"),
    "descriptors.majority": ("Share of the most frequent", "Part de la plus fréquente"),
    "descriptors.columns": ("How values are spread", "Répartition des valeurs"),
    "descriptors.chart": (
        "{column}: {n} different values, the most frequent {top} ({share})",
        "{column} : {n} valeurs différentes, la plus fréquente {top} ({share})",
    ),
    "descriptors.sizes": ("How many rows look alike", "Combien de lignes se ressemblent"),
    "descriptors.sizes.words": (
        "Rows by how many share their quasi-identifiers: {told}",
        "Lignes selon combien partagent leurs quasi-identifiants : {told}",
    ),
    "descriptors.sizes.alone": ("alone", "seule"),
}

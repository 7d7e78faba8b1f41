"""Texts of the results: what was measured, the map of risk and usefulness, two releases side by side."""

from __future__ import annotations

TEXTS = {
    "results.title": ("Results", "Résultats"),
    "results.lead": (
        "What came out of the runs, measured on your table and ranked by what matters to you. Choose one to publish.",
        "Ce que les exécutions ont donné, mesuré sur votre table et classé selon ce qui vous importe. Choisissez-en "
        "un à publier.",
    ),
    "results.lead.plain": (
        "What came out of the runs, measured on your table. Choose one to publish.",
        "Ce que les exécutions ont donné, mesuré sur votre table. Choisissez-en un à publier.",
    ),
    "results.nothing": ("Nothing has been run yet.", "Rien n’a encore été exécuté."),
    "results.go": ("Go to the run", "Aller à l’exécution"),
    "results.table": ("Releases and what was measured of each", "Publications et mesures de chacune"),
    "results.chosen": ("chosen", "choisie"),
    "results.choose": ("Choose this release", "Choisir cette version"),
    "results.choose.this": ("Choose this release: {name}", "Choisir cette version : {name}"),
    "results.chose": ("Chose {name}", "Choix de {name}"),
    "results.best": ("Best by what was measured", "La meilleure d’après les mesures"),
    "results.map": ("Risk and usefulness", "Risque et utilité"),
    "results.map.axis": ("Upwards", "Vers le haut"),
    "results.map.risk": ("{metric}: less is safer", "{metric} : moins est plus sûr"),
    "results.map.up": ("{criterion}: {metric}", "{criterion} : {metric}"),
    "results.map.measured": ("measured", "mesuré"),
    "results.map.predicted": ("expected", "attendu"),
    "results.map.words": (
        "Map of {n} points by risk and {y}: {names}. The table holds the same figures.",
        "Carte de {n} points selon le risque et {y} : {names}. Le tableau contient les mêmes chiffres.",
    ),
    "results.map.help": (
        "Each point is a release; click one to look at it. The dashed line joins those that no other beats on both.",
        "Chaque point est une version ; cliquez pour la voir. La ligne relie celles qu’aucune autre ne bat sur "
        "les deux axes.",
    ),
    "results.side": ("Two releases side by side", "Deux versions côte à côte"),
    "results.first": ("Left", "À gauche"),
    "results.second": ("Right", "À droite"),
    "results.rows": ("First rows of {name}", "Premières lignes de {name}"),
    "results.classes": ("{n} classes, the smallest of {least} rows", "{n} classes, la plus petite de {least} lignes"),
    "results.left_out": ("{n} rows left out", "{n} lignes omises"),
    "results.left_out.one": ("One row left out", "Une ligne omise"),
    "results.all_in": ("No row is left out", "Aucune ligne omise"),
    "results.analyse": ("Look closer", "Analyser"),
    "results.export": ("Go to the export", "Aller à l’export"),
    "results.making": ("Preparing the chosen release", "Préparation de la version choisie"),
    "results.ready": (
        "{name} is chosen. Look at it closely, then export it.",
        "{name} est choisie. Examinez-la, puis exportez-la.",
    ),
    "results.expected": ("Expected {expected}, measured {measured}", "Attendu {expected}, mesuré {measured}"),
}

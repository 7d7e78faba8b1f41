"""Texts of the screen on which methods and their inputs are chosen by hand."""

from __future__ import annotations

TEXTS = {
    "choose.title": ("Methods and inputs", "Méthodes et paramètres"),
    "choose.lead": (
        "Choose one or several methods, and what they are given. Then run them and compare what comes out.",
        "Choisissez une ou plusieurs méthodes et leurs paramètres. Exécutez-les, puis comparez ce qui en sort.",
    ),
    "choose.methods": ("Methods", "Méthodes"),
    "choose.inputs": ("Inputs", "Paramètres"),
    "choose.k": ("k, rows that must look alike", "k, lignes qui doivent se ressembler"),
    "choose.max_sup": ("MaxSup, rows that may be left out", "MaxSup, lignes qui peuvent être omises"),
    "choose.target": ("Target column, for methods that need one", "Colonne cible, pour les méthodes qui en ont besoin"),
    "choose.no_target": ("None", "Aucune"),
    "choose.go": ("Run {n} methods", "Exécuter {n} méthodes"),
    "choose.go.one": ("Run one method", "Exécuter une méthode"),
    "choose.none": ("Tick at least one method.", "Cochez au moins une méthode."),
    "choose.changed": ("Chose methods and inputs", "Choix des méthodes et paramètres"),
    "choose.about": ("How the method works: {label}", "Comment marche la méthode : {label}"),
    "choose.refused": ("These cannot run as asked:", "Celles-ci ne peuvent pas s’exécuter ainsi :"),
}

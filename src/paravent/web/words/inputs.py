"""Texts of the inputs that are proposed."""

from __future__ import annotations

TEXTS = {
    "inputs.title": ("Proposed inputs", "Paramètres proposés"),
    "inputs.lead": (
        "What the methods are given, worked out from your constraints. Change any of them; the constraint follows.",
        "Ce que reçoivent les méthodes, calculé d’après vos contraintes. Modifiez-les ; la contrainte suit.",
    ),
    "inputs.k.why": (
        "One over the tolerated risk of {risk}, rounded up: everybody hides among at least {k} rows.",
        "Un sur le risque toléré de {risk}, arrondi vers le haut : chacun se cache parmi au moins {k} lignes.",
    ),
    "inputs.max_sup.why": ("{share} of {rows} rows, rounded down.", "{share} de {rows} lignes, arrondi vers le bas."),
    "inputs.l.why": (
        "No sensitive value may make up more than {belief} of a group: one over that, rounded up.",
        "Aucune valeur sensible ne doit dépasser {belief} d’un groupe : un sur cette part, arrondi vers le haut.",
    ),
    "inputs.t.why": (
        "The share of a sensitive value in a group may exceed that of the table by {gain} at most.",
        "La part d’une valeur sensible dans un groupe dépasse celle de la table d’au plus {gain}.",
    ),
    "inputs.attack.why": (
        "Not limited by you; an attack that must not work asks for the usual limit of {usual}.",
        "Non limité par vous ; une attaque à empêcher demande la limite usuelle de {usual}.",
    ),
    "inputs.off": ("Not asked for.", "Non demandé."),
    "inputs.more": (
        "Candidates are proposed with k = {k}, {two} and {three}, and with the whole and half of MaxSup where a "
        "method was published with such a limit. None promises less than your constraints.",
        "Les candidats sont proposés avec k = {k}, {two} et {three}, et avec MaxSup entier et divisé par deux là où "
        "une méthode a été publiée avec une telle limite. Aucun ne promet moins que vos contraintes.",
    ),
    "inputs.changed": ("Changed {name}", "Modification de {name}"),
    "inputs.bad": (
        "{name} must be a whole number from {low} to {high}.",
        "{name} doit être un nombre entier de {low} à {high}.",
    ),
}

"""What each kind of caution means, in general: the library says the particulars in English."""

from __future__ import annotations

TEXTS = {
    "cautions.english": (
        "The lines in small print are the library's own, with figures.",
        "Les lignes en petits caractères viennent de la bibliothèque, avec les chiffres ; elles sont en anglais.",
    ),
    "cautions.no-promise": (
        "Nothing is guaranteed: the plan asks for no promise.",
        "Rien n’est garanti : le plan ne demande aucune promesse. Demandez un modèle tel que le k-anonymat.",
    ),
    "cautions.false-cells": (
        "Some cells may be false of their rows.",
        "Certaines cellules peuvent être fausses pour leur ligne : ne lisez pas une ligne comme une personne, et "
        "dites-le à qui reçoit la table.",
    ),
    "cautions.identifying-column": (
        "A column can identify people by itself.",
        "Une colonne peut à elle seule identifier des personnes : presque chaque valeur y est différente. Retirez-la "
        "ou changez son rôle.",
    ),
    "cautions.singling-out": (
        "Columns that were called insensitive single people out.",
        "Des colonnes dites non sensibles sont publiées telles quelles : qui les connaît peut isoler des personnes. "
        "Faites-en des quasi-identifiants ou retirez-les.",
    ),
    "cautions.blank-column": (
        "A column says nothing any more.",
        "Une colonne ne dit plus rien : chaque ligne y montre l’étiquette la plus large. Retirez-la, ou donnez-lui un "
        "arbre plus fin.",
    ),
    "cautions.coarse-column": (
        "A column lost most of its detail.",
        "Une colonne a perdu presque tout son détail. Donnez-lui plus de poids si elle compte, ou retirez-la.",
    ),
    "cautions.high-loss": (
        "Most detail is gone.",
        "L’essentiel du détail a disparu : les conclusions seront grossières. Moins de quasi-identifiants, un k plus "
        "petit ou des arbres plus fins aideraient.",
    ),
    "cautions.suppressed-rows": (
        "Many rows are missing.",
        "Beaucoup de lignes manquent, celles des personnes peu communes : comptes et moyennes penchent vers les cas "
        "habituels. Autorisez moins de suppression, ou des étiquettes plus larges.",
    ),
    "cautions.known-seed": (
        "The noise is drawn from a known seed.",
        "Le bruit vient d’une graine connue : qui la connaît peut l’ôter. Cette version n’est pas confidentielle.",
    ),
    "cautions.adds-up": (
        "Releases of the same people add up.",
        "Les versions publiées sur les mêmes personnes s’additionnent. Les chiffres qui comparent à l’original sont "
        "pour le propriétaire seul.",
    ),
    "cautions.empty-release": (
        "The release is empty.",
        "La version est vide : toutes les lignes ont été supprimées. Autorisez des étiquettes plus larges.",
    ),
    "cautions.no-k": (
        "Nothing bounds who could be found.",
        "Aucun k n’est promis : rien ne borne qui pourrait être retrouvé. Demandez aussi le k-anonymat.",
    ),
    "cautions.low-k": (
        "k is low.",
        "k est faible. Des groupes de 5 ou plus sont d’usage entre personnes liées par contrat, de 10 ou plus pour une "
        "publication.",
    ),
    "cautions.given-away": (
        "A sensitive value is given away for some rows.",
        "Dans certains groupes, tous ont la même valeur sensible : savoir qu’une personne y est suffit pour "
        "l’apprendre. Demandez la l-diversité.",
    ),
    "cautions.sure-guess": (
        "A sensitive value can be guessed.",
        "Dans un groupe au moins, presque tous ont la même valeur sensible. Demandez une l-diversité plus forte ou la "
        "t-proximité.",
    ),
    "cautions.no-sensitive-column": (
        "No column is called sensitive.",
        "Aucune colonne n’est dite sensible : on n’a pas regardé ce que la version révèle sur les personnes. Nommez "
        "celles que nul ne doit apprendre.",
    ),
    "cautions.unguarded": (
        "No model guards a sensitive column.",
        "Aucun modèle ne protège une colonne sensible : une valeur peut dominer un groupe. Demandez la l-diversité ou "
        "la t-proximité.",
    ),
    "cautions.wildcards": (
        "Missing values are read as anything.",
        "Les valeurs manquantes sont lues comme n’importe quelle valeur : qui sait lesquelles manquent en sait plus "
        "que la promesse ne le prévoit.",
    ),
    "cautions.no-margin": (
        "Many groups have exactly k.",
        "Beaucoup de groupes comptent exactement k personnes : cela garde du détail, mais ne laisse aucune marge.",
    ),
    "cautions.one-quasi-identifier": (
        "Only one column is called a quasi-identifier.",
        "Une seule colonne est dite quasi-identifiante. Vérifiez ce qu’un tiers peut savoir d’autre.",
    ),
    "cautions.few-rows": (
        "The table has few rows.",
        "La table a peu de lignes : parts et moyennes disent peu, et chacun y est facile à deviner.",
    ),
    "cautions.redundant-column": (
        "A column repeats what was taken out of another.",
        "Une colonne répète ce qui a été retiré d’une autre. Retirez-la, ou faites-en aussi un quasi-identifiant.",
    ),
    "cautions.look-alikes": (
        "Values that look alike are spelled in several ways.",
        "Des valeurs semblables sont écrites de plusieurs façons. Unifiez-les sous Données, Nettoyage.",
    ),
    "cautions.verdict.holds": (
        "Every promise holds; this was checked anew on the finished table: {demands}.",
        "Chaque promesse tient ; cela a été vérifié à nouveau sur la table finie : {demands}.",
    ),
    "cautions.verdict.open": (
        "Not every promise holds: {demands}.",
        "Toutes les promesses ne tiennent pas : {demands}.",
    ),
    "cautions.verdict.none": ("Nothing was promised.", "Rien n’a été promis."),
}

"""Texts of the page about one method, and of its replay."""

from __future__ import annotations

TEXTS = {
    "method.title": ("Method", "Méthode"),
    "method.all": ("All methods", "Toutes les méthodes"),
    "method.lead": (
        "What each method does, how it works, and how it would go about your table.",
        "Ce que fait chaque méthode, comment elle marche, et comment elle traiterait votre table.",
    ),
    "method.none": (
        "There is no method {name}. Choose one of these.",
        "Il n’y a pas de méthode {name}. Choisissez-en une.",
    ),
    "method.how": ("How it works", "Comment elle marche"),
    "method.picture": ("Picture of the process: {words}", "Schéma du processus : {words}"),
    "method.words": ("The same in words", "La même chose en mots"),
    "method.traits": ("Characteristics", "Caractéristiques"),
    "method.source": ("Source", "Source"),
    "method.needs": ("Needs", "Nécessite"),
    "method.replay": ("Step by step on your own table", "Pas à pas sur votre table"),
    "method.replay.lead": (
        "The method is run on your table; some rows are shown as they stand after each step.",
        "La méthode est exécutée sur votre table ; quelques lignes sont montrées après chaque étape.",
    ),
    "method.replay.k": ("k", "k"),
    "method.replay.target": ("Target column", "Colonne cible"),
    "method.replay.rows": ("Rows shown", "Lignes montrées"),
    "method.replay.go": ("Replay", "Rejouer"),
    "method.replay.work": ("Running the method on your table", "Exécution de la méthode sur votre table"),
    "method.cannot": (
        "paravent does not run this method: it is known, and described.",
        "paravent n’exécute pas cette méthode : elle est connue et décrite.",
    ),
    "method.back": ("Step back", "Étape précédente"),
    "method.next": ("Next step", "Étape suivante"),
    "method.play": ("Play", "Lecture"),
    "method.pause": ("Pause", "Pause"),
    "method.steps": ("Step", "Étape"),
    "method.step": ("Step {step} of {count}: {words}", "Étape {step} sur {count} : {words}"),
    "method.before": (
        "Before the first step: the rows as they are.",
        "Avant la première étape : les lignes telles quelles.",
    ),
    "method.rows": ("Some rows after this step", "Quelques lignes après cette étape"),
    "method.left_out": ("left out", "omise"),
    "method.questions": ("Try yourself", "Testez-vous"),
}

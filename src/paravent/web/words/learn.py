"""Texts of the tutorial and the quiz."""

from __future__ import annotations

TEXTS = {
    "learn.title": ("Learn", "Apprendre"),
    "learn.lead": (
        "What anonymization is about, in a few pages, and a quiz to see what has stayed.",
        "L’essentiel de l’anonymisation en quelques pages, et un quiz pour voir ce qui est resté.",
    ),
    "learn.tutorial": ("Tutorial", "Tutoriel"),
    "learn.quiz": ("Quiz", "Quiz"),
    "learn.sections": ("Tutorial or quiz", "Tutoriel ou quiz"),
    "learn.quiz.lead": (
        "Is it so? Judge each statement; the reason follows at once.",
        "Vrai ou faux ? Jugez chaque phrase ; la raison suit aussitôt.",
    ),
    "learn.about": ("About", "Sujet"),
    "learn.about.all": ("Everything", "Tout"),
    "learn.true": ("True", "Vrai"),
    "learn.false": ("Not so", "Faux"),
    "learn.right": ("Right.", "Juste."),
    "learn.wrong": ("Not quite.", "Pas tout à fait."),
    "learn.answer": ("Your answer", "Votre réponse"),
    "learn.score": ("{right} of {count} right so far", "{right} sur {count} justes jusqu’ici"),
    "learn.left": ("{n} statements left", "Encore {n} phrases"),
    "learn.left.one": ("One statement left", "Encore une phrase"),
    "learn.again": ("Begin again", "Recommencer"),
    "learn.statement": ("Statement {number}", "Phrase {number}"),
    "learn.chapter": ("Chapter {number} of {count}", "Chapitre {number} sur {count}"),
    "learn.next": ("Next chapter", "Chapitre suivant"),
    "learn.back": ("Chapter before", "Chapitre précédent"),
    "learn.more": ("Read more: {label}", "En savoir plus : {label}"),
}

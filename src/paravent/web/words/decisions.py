"""Texts of the decision log."""

from __future__ import annotations

TEXTS = {
    "decisions.title": ("Decision log", "Journal des décisions"),
    "decisions.lead": (
        "A record of how you came to your choice, if you want one: for yourself, or for a study of guided choices.",
        "Une trace de la façon dont vous êtes arrivé à votre choix, si vous le voulez : pour vous, ou pour une étude.",
    ),
    "decisions.keep": ("Keep a log of my decisions", "Tenir un journal de mes décisions"),
    "decisions.kept": (
        "Kept are times, the names of candidates that you select, run and choose, and how many answers of the quiz "
        "were right: no row of the table (a name may hold the limit of a treatment). "
        "It stays in the folder of this project on the machine that serves this "
        "page, and is sent nowhere. Nothing is kept until you switch it on.",
        "Sont conservés les heures, les noms des candidats que vous sélectionnez, exécutez et choisissez, et le "
        "nombre de réponses justes au quiz : aucune ligne de la table (un nom peut dire la limite d’un traitement). "
        "Le journal reste dans le dossier de ce "
        "projet, sur la machine qui sert cette page, et n’est envoyé nulle part. Rien n’est conservé tant que vous ne "
        "l’activez pas.",
    ),
    "decisions.on": ("Switched the decision log on", "Journal des décisions activé"),
    "decisions.off": ("Switched the decision log off", "Journal des décisions désactivé"),
    "decisions.sessions": ("Sessions", "Sessions"),
    "decisions.steps": ("What was recorded", "Ce qui a été enregistré"),
    "decisions.none": ("Nothing was recorded.", "Rien n’a été enregistré."),
    "decisions.delete": ("Delete the log", "Supprimer le journal"),
    "decisions.deleted": ("The log is deleted.", "Le journal est supprimé."),
    "decisions.download": ("Download the log", "Télécharger le journal"),
    "decisions.satisfaction": ("How content are you with your choice, 0 to 10?", "Satisfaction de 0 à 10 ?"),
    "decisions.satisfaction.note": ("Write it down", "Noter"),
    "decisions.satisfaction.needs": ("Give a number from 0 to 10.", "Donnez un nombre de 0 à 10."),
    "decisions.mode": ("Guidance", "Accompagnement"),
    "decisions.begun": ("Begun", "Début"),
    "decisions.minutes": ("Minutes", "Minutes"),
    "decisions.effort": ("Steps", "Étapes"),
    "decisions.quality": ("Quality of the choice", "Qualité du choix"),
    "decisions.strict": ("From worst (0) to best (1)", "Du pire (0) au meilleur (1)"),
    "decisions.right": ("Right answers", "Réponses justes"),
    "decisions.satisfied": ("Content", "Satisfaction"),
    "decisions.when": ("When (UTC)", "Quand (UTC)"),
    "decisions.what": ("What", "Quoi"),
    "decisions.about": ("About", "Détail"),
    "decisions.event.begin": ("The log began", "Début du journal"),
    "decisions.event.context": ("Changed what is wanted", "Souhaits modifiés"),
    "decisions.event.select": ("Selected candidates", "Candidats sélectionnés"),
    "decisions.event.run": ("Ran candidates", "Candidats exécutés"),
    "decisions.event.choose": ("Chose a release", "Version choisie"),
    "decisions.event.export": ("Looked at the files to export", "Fichiers à exporter ouverts"),
    "decisions.event.quiz": ("Answered the quiz", "Quiz rempli"),
    "decisions.event.satisfaction": ("Said how content", "Satisfaction notée"),
}

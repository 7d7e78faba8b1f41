"""Texts of the candidates and of why they stand where they stand."""

from __future__ import annotations

TEXTS = {
    "signatures.lacks": (
        "No score: nothing is known yet of its {what}. Let it be tried on the table for some seconds.",
        "Sans score : rien n’est connu de {what} à ce jour. Laissez-le essayer sur la table quelques secondes.",
    ),
    "signatures.title": ("Candidates", "Candidats"),
    "signatures.lead": (
        "Methods with their inputs, ranked by what is expected of them and by what matters to you. Tick those to run.",
        "Des méthodes avec leurs paramètres, classées selon ce qu’on en attend et ce qui vous importe. Cochez celles "
        "à exécuter.",
    ),
    "signatures.table": ("Candidates and what is expected of each", "Candidats et ce qu’on attend de chacun"),
    "signatures.all": ("Show all {n}", "Tout afficher ({n})"),
    "signatures.run": ("Run", "Exécuter"),
    "signatures.run.this": ("Run {name}", "Exécuter {name}"),
    "signatures.rank": ("Rank", "Rang"),
    "signatures.candidate": ("Candidate", "Candidat"),
    "signatures.score": ("Score", "Score"),
    "signatures.between": ("{low} to {high}", "{low} à {high}"),
    "signatures.unknown": ("not known", "inconnu"),
    "signatures.first": ("Most suitable by what is known", "Le plus adapté d’après ce qu’on sait"),
    "signatures.why": ("Why?", "Pourquoi ?"),
    "signatures.page": ("How the method works", "Comment marche la méthode"),
    "signatures.rules": ("Why it is a candidate", "Pourquoi c’est un candidat"),
    "signatures.doubts": ("What is uncertain", "Ce qui est incertain"),
    "signatures.steady": ("How firm the order is", "Solidité du classement"),
    "signatures.steady.share": (
        "Of all changes of one comparison by one step, {share} leave {best} first.",
        "De tous les changements d’une comparaison d’un cran, {share} laissent {best} en tête.",
    ),
    "signatures.firm": (
        "No single comparison, however you answer it, puts another candidate first.",
        "Aucune comparaison, quelle que soit la réponse, ne met un autre candidat en tête.",
    ),
    "signatures.change": (
        "{first} against {second} at {instead} instead of {said} would put {winner} first.",
        "{first} contre {second} à {instead} au lieu de {said} mettrait {winner} en tête.",
    ),
    "signatures.try.this": ("Try it: {winner} first", "Essayer : {winner} en tête"),
    "signatures.try": ("Try it", "Essayer"),
    "signatures.place": (
        "Number {rank} of {count}, with a score of {score}.",
        "Numéro {rank} sur {count}, avec un score de {score}.",
    ),
    "signatures.contributions": ("What makes up the score", "Ce qui forme le score"),
    "signatures.criterion": ("Criterion", "Critère"),
    "signatures.value": ("Value", "Valeur"),
    "signatures.weight": ("Weight", "Poids"),
    "signatures.adds": ("Adds", "Apport"),
    "signatures.base": ("To begin with", "Au départ"),
    "signatures.sum": ("Score", "Score"),
    "signatures.evidence.cube": ("rests on {n} runs on other tables", "d’après {n} exécutions sur d’autres tables"),
    "signatures.evidence.landmark": ("rests on {n} short runs on your table", "d’après {n} essais sur votre table"),
    "signatures.evidence.cube-and-landmark": (
        "rests on runs on your table and on {n} others",
        "d’après des essais sur votre table et {n} autres",
    ),
    "signatures.evidence.published": ("published: {source}", "publié : {source}"),
    "signatures.evidence.none": ("nothing is known", "rien n’est connu"),
    "signatures.what_if": ("What if …", "Et si …"),
    "signatures.what_if.lead": (
        "Move a slider and see the order change. Nothing is saved until you keep it.",
        "Déplacez un curseur et voyez l’ordre changer. Rien n’est enregistré tant que vous ne le gardez pas.",
    ),
    "signatures.what_if.keep": ("Keep these preferences", "Garder ces préférences"),
    "signatures.what_if.drop": ("Back to yours", "Revenir aux vôtres"),
    "signatures.what_if.first": ("First now: {name}", "En tête maintenant : {name}"),
    "signatures.what_if.still": ("{name} stays first.", "{name} reste en tête."),
    "signatures.landmarks": ("Try candidates on your table first", "Essayer d’abord les candidats sur votre table"),
    "signatures.landmarks.help": (
        "For some seconds, candidates are run on a part of your table, so that predictions rest on it and not on "
        "other tables alone.",
        "Pendant quelques secondes, des candidats sont exécutés sur une partie de votre table : les prédictions ne "
        "reposent plus seulement sur d’autres tables.",
    ),
    "signatures.seconds": ("{n} seconds", "{n} secondes"),
    "signatures.seconds.0": ("No, other tables are enough", "Non, les autres tables suffisent"),
    "signatures.seconds.none": ("Not yet", "Pas encore"),
    "signatures.unknown_table": (
        "No candidate has a score: no table that was evaluated is enough like yours. Try the candidates on yours, or "
        "give fewer columns the role of quasi-identifier.",
        "Aucun candidat n’a de score : aucune table évaluée ne ressemble assez à la vôtre. Essayez les candidats sur "
        "la vôtre, ou donnez à moins de colonnes le rôle de quasi-identifiant.",
    ),
    "signatures.unknown_still": (
        "No candidate has a score: none ended in the time that it was given on your table. Give fewer columns the role "
        "of quasi-identifier, or tick candidates and run them.",
        "Aucun candidat n’a de score : aucun n’a fini à temps sur votre table. Donnez à moins de colonnes le rôle de "
        "quasi-identifiant, ou cochez des candidats et exécutez-les.",
    ),
    "signatures.try_for": ("Try them for {n} seconds", "Les essayer pendant {n} secondes"),
    "signatures.tried": ("Chose how long to try candidates", "Durée des essais choisie"),
    "signatures.selected": ("Chose candidates to run", "Candidats choisis"),
    "signatures.go": ("Run {n} candidates", "Exécuter {n} candidats"),
    "signatures.go.one": ("Run one candidate", "Exécuter un candidat"),
    "signatures.none": ("Tick at least one candidate.", "Cochez au moins un candidat."),
    "signatures.top": ("Tick the first three", "Cocher les trois premiers"),
    "signatures.map": ("Expected risk and usefulness", "Risque et utilité attendus"),
    "signatures.methods": ("About the methods", "À propos des méthodes"),
    "signatures.criteria": ("About the criteria", "À propos des critères"),
    "signatures.scores": ("Scores sum to 1 over all candidates.", "La somme des scores de tous les candidats est 1."),
    "signatures.unscored": (
        "{n} candidates have no score, because nothing is known about them on some criterion. Try them on your table.",
        "{n} candidats n’ont pas de score, faute de connaissances sur un critère. Essayez-les sur votre table.",
    ),
    "signatures.unscored.one": (
        "One candidate has no score, because nothing is known about it on some criterion. Try it on your table.",
        "Un candidat n’a pas de score, faute de connaissances sur un critère. Essayez-le sur votre table.",
    ),
    "signatures.contradict": (
        "Your preferences contradict one another (consistency ratio {ratio}, above 0.1). Have another look at them.",
        "Vos préférences se contredisent (ratio d’incohérence {ratio}, plus de 0,1). Revoyez-les.",
    ),
    "signatures.contradict.go": ("Look at the preferences", "Revoir les préférences"),
}

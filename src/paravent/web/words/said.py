"""Sentences of the library that somebody must read to be safe, and what they are in French: promises, what they leave
open, how they are known, refusals. The English is the library's own (a test compares them); what varies stands in
braces."""

from __future__ import annotations

TEXTS = {
    # what a promise protects from
    "said.alpha_k.protects": (
        "Somebody who finds a person's class of k rows cannot be surer of any sensitive value than alpha.",
        "Qui trouve la classe de k lignes d’une personne ne peut être plus sûr d’aucune valeur sensible que alpha.",
    ),
    "said.average.protects": (
        "Somebody who links everybody they know finds at most this share of the right rows.",
        "Qui relie tous ceux qu’il connaît trouve au plus cette part des bonnes lignes.",
    ),
    "said.beta.protects": (
        "Somebody who finds a person's class grows surer of no sensitive value by more than the share beta.",
        "Qui trouve la classe d’une personne n’est plus sûr d’aucune valeur sensible de plus de la part bêta.",
    ),
    "said.column.protects": (
        "Somebody who knows one quasi-identifier of a person cannot tell which of k rows is theirs.",
        "Qui connaît un seul quasi-identifiant d’une personne ne peut dire laquelle de k lignes est la sienne.",
    ),
    "said.delta_disclosure.protects": (
        "Somebody who finds a person's class learns little about any sensitive value, not even that it is ruled out.",
        "Qui trouve la classe d’une personne apprend peu sur chaque valeur sensible, pas même qu’elle est exclue.",
    ),
    "said.presence.protects": (
        "Somebody who knows a person's quasi-identifiers cannot be surer than this that the person is in the table.",
        "Qui connaît les quasi-identifiants d’une personne n’est pas plus sûr que cela de sa présence dans la table.",
    ),
    "said.differential.protects": (
        "Whoever sees the release learns hardly more about a person than if the person were not in the table, whatever "
        "else they know.",
        "Qui voit la version publiée n’apprend guère plus sur une personne que si elle n’était pas dans la table, quoi "
        "qu’il sache par ailleurs.",
    ),
    "said.hidden.protects": (
        "At most this share of the released rows can be recognised as a row of the original.",
        "Au plus cette part des lignes publiées peut être reconnue comme une ligne de l’original.",
    ),
    "said.interval.protects": (
        "At most this share of the numbers of any column is published close to what it was.",
        "Au plus cette part des nombres de chaque colonne est publiée proche de ce qu’elle était.",
    ),
    "said.k.protects": (
        "Somebody who knows a person's quasi-identifiers cannot tell which of k rows is theirs.",
        "Qui connaît les quasi-identifiants d’une personne ne peut dire laquelle de k lignes est la sienne.",
    ),
    "said.k_map.protects": (
        "Somebody who does not know who is in the table meets at least k people who could be behind a row.",
        "Qui ne sait pas qui est dans la table rencontre au moins k personnes possibles derrière chaque ligne.",
    ),
    "said.l.protects": (
        "Somebody who finds a person's class still meets at least l values that the person may have.",
        "Qui trouve la classe d’une personne y rencontre encore au moins l valeurs possibles pour elle.",
    ),
    "said.linkage.protects": (
        "Somebody who holds the original values of everybody links at most this share of the rows to the right people, "
        "beyond what a guess would.",
        "Qui détient les valeurs d’origine de tous relie au plus cette part des lignes aux bonnes personnes, au-delà "
        "du hasard.",
    ),
    "said.maximum.protects": (
        "Somebody who knows a person's quasi-identifiers finds their row with at most this chance.",
        "Qui connaît les quasi-identifiants d’une personne trouve sa ligne avec au plus cette probabilité.",
    ),
    "said.population.protects": (
        "At most this share of the population is estimated to be unique, and so certain to be found in the table.",
        "Au plus cette part de la population est estimée unique, donc retrouvée à coup sûr dans la table.",
    ),
    "said.sample.protects": (
        "At most this share of the people can be singled out by their quasi-identifiers.",
        "Au plus cette part des personnes peut être isolée par ses quasi-identifiants.",
    ),
    "said.t.protects": (
        "Somebody who finds a person's class learns at most t more about the sensitive value than the table tells.",
        "Qui trouve la classe d’une personne apprend sur la valeur sensible au plus t de plus que la table entière.",
    ),
    # what it leaves open
    "said.alpha_k.open": (
        "A value that is rare in the table may be common in a class, and values that mean the same count apart.",
        "Une valeur rare dans la table peut être fréquente dans une classe, et des valeurs synonymes comptent à part.",
    ),
    "said.average.open": (
        "Single people may be found for certain, as long as most are not.",
        "Certaines personnes peuvent être retrouvées à coup sûr, tant que la plupart ne le sont pas.",
    ),
    "said.beta.open": (
        "A value can still be ruled out, and several close values together can grow likelier.",
        "Une valeur peut encore être exclue, et plusieurs valeurs proches ensemble peuvent devenir plus probables.",
    ),
    "said.column.open": (
        "Somebody who knows several may find the row: this is no k-anonymity.",
        "Qui en connaît plusieurs peut trouver la ligne : ce n’est pas du k-anonymat.",
    ),
    "said.delta_disclosure.open": (
        "What is common in the whole table stays as likely as it is there.",
        "Ce qui est fréquent dans toute la table reste aussi probable.",
    ),
    "said.presence.open": (
        "It speaks of presence alone, and only towards those who know no more people than named.",
        "Il ne s’agit que de la présence, et seulement face à qui ne connaît pas plus de personnes qu’indiqué.",
    ),
    "said.differential.open": (
        "What holds of people in general is learnt about everybody; other releases of the same people add up, and "
        "measures against the original are for its owner.",
        "Ce qui vaut des gens en général s’apprend de chacun ; d’autres versions sur les mêmes personnes s’ajoutent, "
        "et les mesures face à l’original sont pour son propriétaire.",
    ),
    "said.hidden.open": (
        "A row that differs from its original in one cell may still be plain to see.",
        "Une ligne qui ne diffère de l’original que d’une cellule peut rester reconnaissable.",
    ),
    "said.interval.open": (
        "A number that is common may be guessed all the same, and rows may be linked by several columns together.",
        "Un nombre fréquent peut se deviner quand même, et plusieurs colonnes ensemble peuvent relier des lignes.",
    ),
    "said.k.open": (
        "If all k rows share the sensitive value, it is disclosed all the same.",
        "Si les k lignes partagent la valeur sensible, elle est révélée quand même.",
    ),
    "said.k_map.open": (
        "Somebody who knows that a person is in the table may find their row for certain.",
        "Qui sait qu’une personne est dans la table peut trouver sa ligne à coup sûr.",
    ),
    "said.l.open": (
        "The values may mean nearly the same, or be far likelier in the class than in the table.",
        "Les valeurs peuvent avoir presque le même sens, ou être bien plus probables dans la classe que dans la table.",
    ),
    "said.linkage.open": (
        "It is measured, by one attack: a cleverer one may link more, and single people may be found for certain.",
        "C’est mesuré par une seule attaque : une plus habile peut relier davantage, et certaines personnes peuvent "
        "être retrouvées à coup sûr.",
    ),
    "said.maximum.open": (
        "A sensitive value that everybody in a class shares is disclosed all the same.",
        "Une valeur sensible que toute une classe partage est révélée quand même.",
    ),
    "said.population.open": (
        "It is an estimate, and whoever knows that a person is in the table needs no population.",
        "C’est une estimation, et qui sait qu’une personne est dans la table n’a pas besoin de population.",
    ),
    "said.sample.open": (
        "Whoever does stand alone is found for certain, and pairs are found by one another.",
        "Qui est seul est retrouvé à coup sûr, et à deux, chacun retrouve l’autre.",
    ),
    "said.t.open": (
        "A rare value can become several times likelier within t, and who is in the table is not hidden.",
        "Une valeur rare peut devenir plusieurs fois plus probable dans la limite t, et la présence n’est pas cachée.",
    ),
    # how it is known
    "said.derived": ("derived from the finished tables", "déduit des tables achevées"),
    "said.measured": (
        "measured on the finished tables, beside the original",
        "mesuré sur les tables achevées, à côté de l’original",
    ),
    "said.constructed": (
        "by construction, from what the mechanism spent",
        "par construction, d’après ce que le mécanisme a dépensé",
    ),
    # refusals
    "said.refused.rows": (
        "{k}-anonymity cannot hold: the table has fewer rows. Ask for a smaller k.",
        "Le {k}-anonymat est impossible : la table a moins de lignes. Demandez un k plus petit.",
    ),
    "said.refused.k": (
        "{demand} cannot hold: the whole table has {count} rows. Ask for k of at most {most}.",
        "{demand} ne peut pas tenir : la table entière a {count} lignes. Demandez un k d’au plus {most}.",
    ),
    "said.refused.k.people": (
        "{demand} cannot hold: the whole table has {count} people. Ask for k of at most {most}.",
        "{demand} ne peut pas tenir : la table entière a {count} personnes. Demandez un k d’au plus {most}.",
    ),
    "said.refused.whole": (
        "The models do not hold for the table as a whole, so no cut of it can. Ask for less.",
        "Les modèles ne tiennent pas même pour la table entière ; aucun découpage ne le peut. Demandez moins.",
    ),
    "said.refused.missing": (
        "every row has a missing value that drops it. Give missing values another meaning.",
        "Chaque ligne est écartée par une valeur manquante. Donnez un autre sens aux valeurs manquantes.",
    ),
    "said.refused.budget": (
        "the budget does not hold {cost} for {what}: what is left is {left}. Ask for less, or grant more with {how}.",
        "Le budget ne suffit pas pour {cost} ({what}) : il reste {left}. Demandez moins, ou accordez davantage avec "
        "{how}.",
    ),
    "said.refused.cells": (
        "cell_suppression: {method} suppresses {share} of the quasi-identifier cells, and the plan allows {most}. "
        "Allow more cells or rows, ask for less, or choose another method.",
        "{method} supprime {share} des cellules des quasi-identifiants, et le plan n’en permet que {most}. Permettez "
        "plus de cellules ou de lignes, demandez moins, ou prenez une autre méthode.",
    ),
    "said.refused.noplan": (
        "nothing says what is wanted yet. Give the columns their roles first.",
        "Rien ne dit encore ce qui est voulu. Donnez d’abord leurs rôles aux colonnes.",
    ),
    "said.refused.memory": (
        "The memory that one job may take is not enough for this. Use fewer rows or columns, or a quicker method.",
        "La mémoire permise à un travail ne suffit pas. Prenez moins de lignes ou de colonnes, ou une autre méthode.",
    ),
    "said.refused.stopped": ("It was stopped.", "Le travail a été arrêté."),
}

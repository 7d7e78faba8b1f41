"""Texts of the data screen."""

from __future__ import annotations

TEXTS = {
    "data.title": ("Data", "Données"),
    "data.lead": (
        "Bring the table about people that you want to publish. It stays on this machine.",
        "Apportez la table sur des personnes que vous voulez publier. Elle reste sur cette machine.",
    ),
    "data.lead.there": (
        "Look at what you have, correct the role of each column, and clean what cannot be worked with.",
        "Regardez ce que vous avez, corrigez le rôle de chaque colonne, et nettoyez ce qui ne peut pas servir.",
    ),
    "data.drop": ("Drop a file here", "Déposez un fichier ici"),
    "data.drop.large": (
        "The file is larger than the {size} that may be uploaded. Upload fewer rows or columns, or use the command "
        "line.",
        "Le fichier dépasse les {size} que l’on peut déposer. Donnez moins de lignes ou de colonnes, ou passez par la "
        "ligne de commande.",
    ),
    "data.drop.one": ("Upload one file at a time.", "Déposez un seul fichier à la fois."),
    "data.drop.failed": (
        "The file did not arrive. It may have up to {size}; look whether the server is still there, and try again.",
        "Le fichier n’est pas arrivé. Il peut avoir jusqu’à {size} ; voyez si le serveur est toujours là, et "
        "réessayez.",
    ),
    "data.drop.or": ("or choose one", "ou choisissez-en un"),
    "data.drop.kinds": (
        "CSV or TSV, Excel, Parquet, Arrow, JSON lines, SPSS, Stata or SAS; up to {size}.",
        "CSV ou TSV, Excel, Parquet, Arrow, JSON lines, SPSS, Stata ou SAS ; jusqu’à {size}.",
    ),
    "data.uploading": ("Reading {name} …", "Lecture de {name} …"),
    "data.sample": ("Or a sample", "Ou un exemple"),
    "data.sample.text": (
        "Adult: 30 162 people of a census, 15 columns.",
        "Adult : 30 162 personnes d’un recensement, 15 colonnes.",
    ),
    "data.sample.open": ("Open Adult", "Ouvrir Adult"),
    "data.database": ("Or a database", "Ou une base de données"),
    "data.database.url": ("Address", "Adresse"),
    "data.database.url.hint": ("postgresql://user@host/name", "postgresql://user@host/name"),
    "data.database.query": ("Query", "Requête"),
    "data.database.query.hint": ("SELECT * FROM patients", "SELECT * FROM patients"),
    "data.database.open": ("Read it", "Lire"),
    "data.database.note": (
        "The password is used once and kept nowhere.",
        "Le mot de passe sert une fois et n’est gardé nulle part.",
    ),
    "data.replace": ("Use another table", "Utiliser une autre table"),
    "data.forget": ("Delete the table", "Supprimer la table"),
    "data.forget.title": ("Delete the table of this project?", "Supprimer la table de ce projet ?"),
    "data.forget.text": (
        "The table, every release made from it and the way back to them are erased from the disk.",
        "La table, toutes les versions qui en sont tirées et l’historique sont effacés du disque.",
    ),
    "data.size": ("{rows} rows, {columns} columns", "{rows} lignes, {columns} colonnes"),
    "data.tab.columns": ("Columns and roles", "Colonnes et rôles"),
    "data.tab.preview": ("Rows", "Lignes"),
    "data.tab.cleaning": ("Cleaning", "Nettoyage"),
    "data.tab.unique": ("Who stands out", "Qui se distingue"),
    "data.tab.reading": ("How it is read", "Comment c’est lu"),
    "data.role.identifier": ("Identifier", "Identifiant"),
    "data.role.quasi": ("Quasi-identifier", "Quasi-identifiant"),
    "data.role.sensitive": ("Sensitive", "Sensible"),
    "data.role.insensitive": ("Insensitive", "Non sensible"),
    "data.role.drop": ("Left out", "Retirée"),
    "data.role.identifier.what": (
        "names a person: taken out of the release",
        "désigne une personne : retiré de la version publiée",
    ),
    "data.role.quasi.what": (
        "others may know it of a person: made coarser",
        "connu d’autrui au sujet d’une personne : rendu plus grossier",
    ),
    "data.role.sensitive.what": (
        "what nobody shall learn of a person: kept, and guarded",
        "ce que nul ne doit apprendre d’une personne : conservé et protégé",
    ),
    "data.role.insensitive.what": (
        "neither: published as it is",
        "ni l’un ni l’autre : publié tel quel",
    ),
    "data.role.drop.what": ("not published", "non publié"),
    "data.role.of": ("Role of {column}", "Rôle de {column}"),
    "data.role.changed": ("Role of {column}: {role}", "Rôle de {column} : {role}"),
    "data.role.proposed": ("Proposed because {reason}", "Proposé parce que {reason}"),
    "data.role.yours": (
        "Your choice; proposed was: {role}, because {reason}",
        "Votre choix ; proposé : {role}, parce que {reason}",
    ),
    "data.role.certain": ("certain", "certain"),
    "data.role.likely": ("likely", "probable"),
    "data.role.guess": ("a guess: please check", "une supposition : à vérifier"),
    "data.roles.take": ("Took the proposed roles", "Rôles proposés repris"),
    "data.roles.reset": ("Back to the proposals", "Revenir aux propositions"),
    "data.roles.note": (
        "Only you can know what others know about these people. Check every role.",
        "Vous seul savez ce que d’autres savent de ces personnes. Vérifiez chaque rôle.",
    ),
    "data.role.need": (
        "No column is a quasi-identifier yet: nothing would be made coarser.",
        "Aucune colonne n’est un quasi-identifiant : rien ne serait rendu plus grossier.",
    ),
    "data.find": ("Find a column", "Chercher une colonne"),
    "data.more": ("Show {n} more columns", "Montrer {n} colonnes de plus"),
    "data.kind.integer": ("whole numbers", "nombres entiers"),
    "data.kind.float": ("numbers", "nombres"),
    "data.kind.date": ("dates", "dates"),
    "data.kind.nominal": ("names", "noms"),
    "data.kind.ordinal": ("ordered names", "noms ordonnés"),
    "data.kind.text": ("free text", "texte libre"),
    "data.values": ("{n} different values", "{n} valeurs différentes"),
    "data.values.one": ("{n} value", "{n} valeur"),
    "data.missing": ("{share} missing", "{share} manquantes"),
    "data.missing.none": ("none missing", "aucune manquante"),
    "data.range": ("{low} to {high}", "{low} à {high}"),
    "data.picture": (
        "Distribution of {column}: {kind}, {values}",
        "Distribution de {column} : {kind}, {values}",
    ),
    "data.most": ("most frequent: {value} ({share})", "le plus fréquent : {value} ({share})"),
    "data.preview.said": ("Rows {first} to {last} of {all}", "Lignes {first} à {last} sur {all}"),
    "data.preview.earlier": ("Earlier rows", "Lignes précédentes"),
    "data.preview.later": ("Later rows", "Lignes suivantes"),
    "data.preview.columns": (
        "The first {shown} of {all} columns are shown.",
        "Les {shown} premières colonnes sur {all} sont montrées.",
    ),
    "data.clean.lead": (
        "Nothing is cleaned that you do not ask for. Each step says what it takes out and why, and can be undone.",
        "Rien n’est nettoyé sans votre demande. Chaque étape dit ce qu’elle retire et pourquoi, et peut être annulée.",
    ),
    "data.clean.empty_columns": ("Leave out columns without any value", "Retirer les colonnes sans aucune valeur"),
    "data.clean.alike": ("Give values that look alike one spelling", "Uniformiser l’écriture des valeurs semblables"),
    "data.clean.missing_rows": ("Leave out rows with missing values", "Retirer les lignes aux valeurs manquantes"),
    "data.clean.impute": (
        "Fill missing values: the median, or the most frequent value",
        "Compléter les valeurs manquantes : médiane, ou valeur la plus fréquente",
    ),
    "data.clean.duplicates": ("Leave out rows that repeat an earlier one", "Retirer les lignes en double"),
    "data.clean.outliers": (
        "Leave out rows with numbers far outside (1.5 times the interquartile range)",
        "Retirer les lignes aux nombres aberrants (1,5 fois l’écart interquartile)",
    ),
    "data.clean.columns": (
        "In these columns (all, if none is named)",
        "Dans ces colonnes (toutes, si aucune n’est citée)",
    ),
    "data.clean.changed": ("Cleaning: {what}", "Nettoyage : {what}"),
    "data.clean.removed": ("No more cleaning: {what}", "Plus de nettoyage : {what}"),
    "data.clean.would": ("What goes, and why", "Ce qui part, et pourquoi"),
    "data.clean.nothing": ("Nothing is dropped or changed.", "Rien n’est retiré ni modifié."),
    "data.clean.from.to": (
        "{rows} rows and {columns} columns become {rows_after} rows and {columns_after} columns.",
        "{rows} lignes et {columns} colonnes deviennent {rows_after} lignes et {columns_after} colonnes.",
    ),
    "data.clean.step": ("Step", "Étape"),
    "data.clean.why": ("Why", "Pourquoi"),
    "data.clean.rows": ("First rows concerned", "Premières lignes concernées"),
    "data.unique.lead": (
        "Whoever knows these things about a person may find them. Choose what somebody outside could know, and see how "
        "many people stand alone with their combination.",
        "Qui sait ces choses sur une personne peut la retrouver. Choisissez ce que quelqu’un d’extérieur peut savoir, "
        "et voyez combien de personnes sont seules avec leur combinaison.",
    ),
    "data.unique.columns": ("What somebody may know", "Ce que quelqu’un peut savoir"),
    "data.unique.alone": ("stand alone", "sont seules"),
    "data.unique.rows": ("Rows alone", "Lignes seules"),
    "data.unique.share": ("Of all", "Du total"),
    "data.unique.sets": (
        "Which sets of columns single people out",
        "Quels ensembles de colonnes distinguent des personnes",
    ),
    "data.unique.set": ("Columns", "Colonnes"),
    "data.unique.look": (
        "Look at all sets of the quasi-identifiers",
        "Examiner tous les ensembles de quasi-identifiants",
    ),
    "data.unique.none": ("Choose one column at least.", "Choisissez au moins une colonne."),
    "data.unique.sentence": (
        "{n} of {all} people ({share}) are the only one with their combination of these {count} columns.",
        "{n} personnes sur {all} ({share}) sont seules avec leur combinaison de ces {count} colonnes.",
    ),
    "data.unique.sentence.one": (
        "{n} of {all} people ({share}) is the only one with their combination of these {count} columns.",
        "{n} personne sur {all} ({share}) est seule avec sa combinaison de ces {count} colonnes.",
    ),
    "data.reading.delimiter": ("Separator", "Séparateur"),
    "data.reading.encoding": ("Encoding", "Encodage"),
    "data.reading.na": ("Texts that mean: missing (one a line)", "Textes qui signifient : manquant (un par ligne)"),
    "data.reading.sheet": ("Sheet", "Feuille"),
    "data.reading.decimal": ("Decimal sign", "Signe décimal"),
    "data.reading.header": (
        "Add the place to column names that are missing or not unique",
        "Ajouter leur place aux noms de colonnes absents ou en double",
    ),
    "data.otherwise": ("{name} cannot be read as it is", "{name} est illisible tel quel"),
    "data.otherwise.text": (
        "Mend the file and upload it again, or say how it is to be read. Empty fields are guessed; the encoding may be "
        "mixed, where some lines are in UTF-8 and others in cp1252.",
        "Corrigez le fichier et importez-le à nouveau, ou dites comment le lire. Les champs vides sont devinés ; "
        "l’encodage peut être « mixed », si des lignes sont en UTF-8 et d’autres en cp1252.",
    ),
    "data.otherwise.apply": ("Read it this way", "Lire ainsi"),
    "data.otherwise.leave": ("Leave it", "Laisser"),
    "data.reading.apply": ("Read it again this way", "Relire ainsi"),
    "data.reading.changed": ("How the table is read", "Lecture de la table"),
    "data.reading.lead": (
        "These are guessed from the file. Change them where the preview looks wrong. The encoding may be mixed, where "
        "some lines are in UTF-8 and others in cp1252.",
        "Devinés d’après le fichier. Modifiez-les si l’aperçu semble faux. L’encodage peut être « mixed », si des "
        "lignes sont en UTF-8 et d’autres en cp1252.",
    ),
    "data.warnings": ("Take note", "À noter"),
    "data.person": ("Whose each row is", "À qui appartient chaque ligne"),
    "data.person.each": ("Every row is another person", "Chaque ligne est une autre personne"),
    "data.person.unsaid": ("Not said", "Non précisé"),
    "data.person.say": (
        "{column} names people and repeats, so somebody may have several rows. Say below whose each row is: people are "
        "counted by that column, or every row is another person.",
        "{column} nomme des personnes et se répète : quelqu’un peut donc avoir plusieurs lignes. Dites ci-dessous à "
        "qui appartient chaque ligne : les personnes se comptent par cette colonne, ou chaque ligne est une autre "
        "personne.",
    ),
    "data.person.changed": ("Whose each row is", "À qui appartient chaque ligne"),
}

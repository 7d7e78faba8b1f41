"""Texts of the screen of export."""

from __future__ import annotations

TEXTS = {
    "export.title": ("Export", "Exporter"),
    "export.lead": (
        "Before you hand it on: what you promise, what nobody promises, and what to look at once more.",
        "Avant de transmettre : ce que vous promettez, ce que nul ne promet, et ce qu’il faut revoir.",
    ),
    "export.promise": ("What you promise", "Ce que vous promettez"),
    "export.promise.none": (
        "Nothing is promised: the plan asks for nothing.",
        "Rien n’est promis : le plan ne demande rien.",
    ),
    "export.reached": ("reached: {level}", "atteint : {level}"),
    "export.open": ("What nobody promises", "Ce que nul ne promet"),
    "export.always": (
        "Nobody can promise what others know, or will know one day. Data that is combined with this release may tell "
        "more than it does alone.",
        "Nul ne peut promettre ce que d’autres savent ou sauront un jour. Combinée à d’autres données, cette version "
        "peut en dire plus.",
    ),
    "export.cautions": ("Before you hand it on", "Avant de transmettre"),
    "export.cautions.none": ("There is no caution.", "Il n’y a pas de mise en garde."),
    "export.serious": ("serious", "sérieux"),
    "export.note": ("note", "note"),
    "export.checked": ("Ticked the list before the export", "Liste d’avant l’export cochée"),
    "export.unchecked": ("Unticked the list before the export", "Liste d’avant l’export décochée"),
    "export.checklist": ("I have seen it", "Je l’ai vu"),
    "export.check.roles": (
        "I have checked the role of every column.",
        "J’ai vérifié le rôle de chaque colonne.",
    ),
    "export.check.promises": (
        "I know what is promised, and what is not.",
        "Je sais ce qui est promis, et ce qui ne l’est pas.",
    ),
    "export.check.cautions": ("I have read the cautions.", "J’ai lu les mises en garde."),
    "export.check.recipient": (
        "I know who gets it, and for what.",
        "Je sais qui la reçoit, et pour quoi faire.",
    ),
    "export.locked": (
        "Tick the list first; then the files are yours.",
        "Cochez d’abord la liste ; ensuite les fichiers sont à vous.",
    ),
    "export.files": ("Files", "Fichiers"),
    "export.format": ("Format of the table", "Format de la table"),
    "export.formulas": (
        "Texts that a spreadsheet would run get an apostrophe",
        "Une apostrophe devant les textes qu’un tableur exécuterait",
    ),
    "export.table": ("Download the release", "Télécharger la version"),
    "export.table.named": ("Download the table {name}", "Télécharger la table {name}"),
    "export.report": ("Download the report", "Télécharger le rapport"),
    "export.plan": ("Download the plan", "Télécharger le plan"),
    "export.process": ("Download the process", "Télécharger le processus"),
    "export.process.hint": (
        "What was asked, found and chosen, to be read later or by others.",
        "Ce qui a été demandé, trouvé et choisi, pour plus tard ou pour d’autres.",
    ),
    "export.persons": ("Download whose each row is", "Télécharger à qui est chaque ligne"),
    "export.verify.people": (
        "People are counted, so checking needs the file that says whose each row is: paravent verify release.csv "
        "--plan plan.toml --persons persons.csv. It holds numbers without meaning; but it "
        "says which rows are one person's: keep it to yourself.",
        "Les personnes sont comptées ; vérifier demande donc le fichier qui dit à qui est chaque ligne : paravent "
        "verify release.csv --plan plan.toml --persons persons.csv. Il contient des numéros sans signification ; mais "
        "il dit quelles lignes sont d’une même personne : gardez-le pour vous.",
    ),
    "export.verify": (
        "Whoever has the release and the plan can check it: paravent verify release.csv --plan plan.toml",
        "Qui a la version et le plan peut vérifier : paravent verify release.csv --plan plan.toml",
    ),
}

"""Texts of the screen on which criteria are compared."""

from __future__ import annotations

TEXTS = {
    "preferences.title": ("What matters more", "Ce qui importe le plus"),
    "preferences.lead": (
        "Compare criteria in pairs. The weights follow as you move a slider, and so does how far your answers agree.",
        "Comparez les critères deux à deux. Les poids suivent le curseur, ainsi que la cohérence de vos réponses.",
    ),
    "preferences.changed": ("Compared criteria", "Comparaison des critères"),
    "preferences.tree": ("Criteria", "Critères"),
    "preferences.pairs": ("Comparisons", "Comparaisons"),
    "preferences.parts": ("{count} parts", "{count} parties"),
    "preferences.compare": ("{node}: which part matters more?", "{node} : quelle partie importe le plus ?"),
    "preferences.how": (
        "Move a slider towards what matters more. In the middle both matter alike.",
        "Poussez le curseur vers ce qui importe le plus. Au milieu, les deux se valent.",
    ),
    "preferences.slider": ("{first} on the left or {second} on the right", "{first} à gauche ou {second} à droite"),
    "preferences.equal": ("{first} and {second} matter alike (1)", "{first} et {second} se valent (1)"),
    "preferences.more": (
        "{more} matters {how} more than {less} ({number})",
        "{more} importe {how} plus que {less} ({number})",
    ),
    "preferences.strength.2": ("a little", "un peu"),
    "preferences.strength.3": ("moderately", "modérément"),
    "preferences.strength.4": ("clearly", "nettement"),
    "preferences.strength.5": ("strongly", "fortement"),
    "preferences.strength.6": ("quite strongly", "assez fortement"),
    "preferences.strength.7": ("very strongly", "très fortement"),
    "preferences.strength.8": ("overwhelmingly", "très largement"),
    "preferences.strength.9": ("extremely", "extrêmement"),
    "preferences.two": ("Two parts cannot contradict each other.", "Deux parties ne peuvent pas se contredire."),
    "preferences.ratio": ("Consistency ratio", "Ratio d’incohérence"),
    "preferences.steady": ("up to {limit}: your answers agree.", "au plus {limit} : vos réponses s’accordent."),
    "preferences.contradict": (
        "above {limit}: your answers contradict one another.",
        "plus de {limit} : vos réponses se contredisent.",
    ),
    "preferences.doubt": (
        "Look at this one first: “{said}”. From the others it would follow: “{implied}”.",
        "À revoir d’abord : « {said} ». Des autres il suivrait : « {implied} ».",
    ),
    "preferences.take": ("Take what follows from the others", "Prendre ce qui suit des autres"),
    "preferences.cost": ("Time matters, too", "Le temps compte aussi"),
    "preferences.cost.help": (
        "How long a method takes says nothing about the release. Say so only if you repeat this often.",
        "La durée d’une méthode ne dit rien de la version. À cocher seulement si vous répétez souvent ce travail.",
    ),
    "preferences.decision": ("How scores are made", "Comment se font les scores"),
    "preferences.decision.help": (
        "The comparisons above are those of AHP. The other methods take the same weights and weigh values otherwise.",
        "Les comparaisons ci-dessus sont celles d’AHP. Les autres méthodes prennent les mêmes poids, mais pèsent "
        "autrement les valeurs.",
    ),
    "preferences.decision.ahp": ("AHP: values compared in pairs, too", "AHP : valeurs comparées aussi par paires"),
    "preferences.decision.weighted-sum": ("Weighted sum", "Somme pondérée"),
    "preferences.decision.topsis": ("TOPSIS: nearness to the ideal", "TOPSIS : proximité de l’idéal"),
    "preferences.decision.promethee": ("PROMETHEE II: net preference", "PROMETHEE II : préférence nette"),
    "preferences.decision.pareto": ("Pareto: how many each one beats", "Pareto : combien chacune en domine"),
    "preferences.decided": ("Chose how scores are made", "Choix de la méthode de décision"),
}

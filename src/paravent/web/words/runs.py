"""Texts of the screen on which candidates run."""

from __future__ import annotations

TEXTS = {
    "runs.title": ("Run", "Exécution"),
    "runs.lead": (
        "Each candidate becomes a release that is verified and measured. You may close this tab; the work goes on.",
        "Chaque candidat devient une version vérifiée et mesurée. Vous pouvez fermer cet onglet ; le travail continue.",
    ),
    "runs.nothing": ("Nothing is chosen to run yet.", "Rien n’est encore choisi pour l’exécution."),
    "runs.choose": ("Choose candidates", "Choisir des candidats"),
    "runs.start": ("Run {n} candidates", "Exécuter {n} candidats"),
    "runs.start.one": ("Run one candidate", "Exécuter un candidat"),
    "runs.more": ("Run the {n} that are left", "Exécuter les {n} restants"),
    "runs.more.one": ("Run the one that is left", "Exécuter celui qui reste"),
    "runs.stop": ("Stop", "Arrêter"),
    "runs.stopping": ("Stopping. What is finished is kept.", "Arrêt. Ce qui est fini est conservé."),
    "runs.progress": ("Progress", "Avancement"),
    "runs.done": ("{done} of {count} finished", "{done} sur {count} terminés"),
    "runs.left": ("about {seconds} s left", "encore {seconds} s environ"),
    "runs.waiting": ("waiting", "en attente"),
    "runs.running": ("running", "en cours"),
    "runs.finished": ("finished", "terminé"),
    "runs.stopped": ("stopped", "arrêté"),
    "runs.failed": ("gave nothing", "sans résultat"),
    "runs.seconds": ("{seconds} s", "{seconds} s"),
    "runs.budget": ("Seconds to spend at most", "Secondes à dépenser au plus"),
    "runs.budget.none": ("No limit", "Pas de limite"),
    "runs.results": ("See the results", "Voir les résultats"),
    "runs.interrupted": (
        "The work was interrupted. What was finished is kept; run the rest again.",
        "Le travail a été interrompu. Ce qui était fini est conservé ; exécutez le reste.",
    ),
}

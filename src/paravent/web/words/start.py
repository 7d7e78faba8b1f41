"""Texts of the list of projects."""

from __future__ import annotations

TEXTS = {
    "start.title": ("Your projects", "Vos projets"),
    "start.lead": (
        "A project takes one table about people to a version that can be published. Everything stays on this machine.",
        "Un projet mène une table sur des personnes jusqu’à une version publiable. Tout reste sur cette machine.",
    ),
    "start.new": ("New project", "Nouveau projet"),
    "start.new.name": ("What is it about?", "De quoi s’agit-il ?"),
    "start.new.hint": ("For example: patients of 2024", "Par exemple : patients de 2024"),
    "start.new.make": ("Create the project", "Créer le projet"),
    "start.new.needs": ("Give the project a name first.", "Donnez d’abord un nom au projet."),
    "start.sample": ("Try it with a sample", "Essayer avec un exemple"),
    "start.sample.text": (
        "Adult: 30 162 people of a census, 15 columns. Nothing can go wrong.",
        "Adult : 30 162 personnes d’un recensement, 15 colonnes. Rien ne peut mal tourner.",
    ),
    "start.sample.open": ("Open the sample", "Ouvrir l’exemple"),
    "start.sample.name": ("Adult census sample", "Exemple du recensement Adult"),
    "start.process": ("Go on with a process file", "Reprendre un fichier de processus"),
    "start.process.text": (
        "What was said and chosen, as it was downloaded under Export. You bring the table anew.",
        "Ce qui a été dit et choisi, tel que téléchargé sous Export. Vous apportez à nouveau la table.",
    ),
    "start.process.open": ("Open a process file", "Ouvrir un fichier de processus"),
    "start.process.wrong": (
        "This is no process file. Choose one that was downloaded under Export.",
        "Ce n’est pas un fichier de processus. Choisissez-en un téléchargé sous Export.",
    ),
    "start.list": ("Go on with", "Reprendre"),
    "start.none": ("There is no project yet.", "Il n’y a pas encore de projet."),
    "start.open": ("Open", "Ouvrir"),
    "start.table": ("Table: {name}", "Table : {name}"),
    "start.no.table": ("No table yet", "Pas encore de table"),
    "start.changed": ("Changed {when}", "Modifié {when}"),
    "start.delete": ("Delete", "Supprimer"),
    "start.delete.named": ("Delete {name}", "Supprimer {name}"),
    "start.delete.title": ("Delete “{name}”?", "Supprimer « {name} » ?"),
    "start.delete.text": (
        "The table, every result and the history of this project are erased from the disk. This cannot be undone.",
        "La table, tous les résultats et l’historique de ce projet sont effacés du disque. C’est irréversible.",
    ),
    "start.delete.yes": ("Erase everything", "Tout effacer"),
    "start.cancel": ("Cancel", "Annuler"),
    "start.deleted": ("The project is erased.", "Le projet est effacé."),
    "start.rename": ("Rename", "Renommer"),
    "when.now": ("just now", "à l’instant"),
    "when.minutes": ("{n} minutes ago", "il y a {n} minutes"),
    "when.minutes.one": ("{n} minute ago", "il y a {n} minute"),
    "when.hours": ("{n} hours ago", "il y a {n} heures"),
    "when.hours.one": ("{n} hour ago", "il y a {n} heure"),
    "when.days": ("{n} days ago", "il y a {n} jours"),
    "when.days.one": ("{n} day ago", "il y a {n} jour"),
}

"""What was promised, in one line."""

from __future__ import annotations

TEXTS = {
    "cautions.verdict.holds": (
        "Every promise holds; this was checked anew on the finished table: {demands}.",
        "Chaque promesse tient ; cela a été vérifié à nouveau sur la table finie : {demands}.",
    ),
    "cautions.verdict.open": (
        "Not every promise holds: {demands}.",
        "Toutes les promesses ne tiennent pas : {demands}.",
    ),
    "cautions.verdict.none": ("Nothing was promised.", "Rien n’a été promis."),
}

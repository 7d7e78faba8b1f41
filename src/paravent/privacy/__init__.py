"""Privacy: equivalence classes, the models that judge them, the verifier and the risk of a release."""

from __future__ import annotations

from collections.abc import Mapping

from paravent.registry import entries, lazily


def homes() -> Mapping[str, str]:
    """The module of each name."""
    return {**entries("model"), "Model": "paravent.privacy.model"}


__getattr__, __dir__ = lazily(__name__, homes)

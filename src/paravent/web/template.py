"""NiceGUI's page with a nonce at each of its scripts. What users wrote comes into it later, and gets none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from jinja2 import BaseLoader, Environment

from paravent.web.security.headers import NONCE

_SCRIPT = re.compile(r"<script\b")


class WithNonces(BaseLoader):
    """A loader that marks the scripts of a template before anything is filled in."""

    def __init__(self, inner: BaseLoader) -> None:
        self._inner = inner

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        source, name, fresh = self._inner.get_source(environment, template)
        return _SCRIPT.sub(f"<script nonce=\"{{{{ request.scope['{NONCE}'] }}}}\"", source), name, fresh


def with_nonces() -> None:
    """Mark the scripts of NiceGUI's template."""
    from nicegui import client

    environment: Any = client.templates.env
    if not isinstance(environment.loader, WithNonces):
        environment.loader = WithNonces(environment.loader)

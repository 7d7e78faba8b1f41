"""What a browser is told to refuse: scripts and connections from anywhere else, frames, guesses about types."""

from __future__ import annotations

import secrets

NONCE = "paravent.nonce"
"""Where the nonce of a request lies in its scope."""


def nonce() -> str:
    return secrets.token_urlsafe(16)


def policy(own: str) -> str:
    """The content security policy of a page of the workbench.

    NiceGUI compiles templates in the browser (Vue) and sends code to it, so `unsafe-eval` cannot be done without; it
    styles by attributes, so inline styles neither. Inline scripts run only with the nonce of this one response, which
    the page's own template carries and nothing that users wrote; inline event handlers never run.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'nonce-{own}' 'unsafe-eval'",
            "script-src-attr 'none'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "frame-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'self'",
            "object-src 'none'",
        )
    )


PLAIN = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The policy of pages without any script."""


def headers(csp: str, *, secure: bool) -> dict[str, str]:
    """No other site is told an address of ours. Forms of our own are: with `no-referrer` a browser sends them from
    `Origin: null`, and the guard would take the form to log in for another site's."""
    found = {
        "Content-Security-Policy": csp,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
    if secure:
        found["Strict-Transport-Security"] = "max-age=31536000"
    return found

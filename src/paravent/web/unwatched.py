"""Pages that nobody looks at: those whose browser has not come yet, or has gone and may come back.

A page takes about a megabyte. NiceGUI waits a minute for a browser that never connects, which is kind to slow lines;
but programs that load page after page, or people who leave many, must not fill the memory. So only the latest are
waited for that long. A browser that comes later loads its page anew, and everything it did is in the project.
"""

from __future__ import annotations

import time
from weakref import WeakKeyDictionary

from nicegui import Client

MOST = 32
"""Pages without a browser that are kept, whatever their age."""
SOON = 10.0
"""Seconds for which every page is kept: a browser needs them to load it, or to come back to it."""

_since: WeakKeyDictionary[Client, float] = WeakKeyDictionary()


def watch(client: Client) -> None:
    """Remember since when nobody looks at a page, and let go of the pages that have been alone for longest."""
    _since[client] = time.monotonic()
    client.on_disconnect(_alone)
    let_go()


def let_go() -> None:
    """Delete the pages that nobody looks at, but for the latest."""
    before = time.monotonic() - SOON
    alone = sorted((since, client.id) for client, since in _since.items() if not client.has_socket_connection)
    for since, name in alone[:-MOST]:
        client = Client.instances.get(name)
        if since <= before and client is not None:
            for document in list(client._delete_tasks):
                client._cancel_delete_task(document)  # NiceGUI would delete it a second time
            client.delete()


def _alone(client: Client) -> None:
    _since[client] = time.monotonic()

"""What a database answers is kept as a file; its address is shown without the password, which is kept nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import paravent as pv
from paravent.errors import TableError
from paravent.web.workspace.document import Source
from paravent.web.workspace.files import new_id, private_folder
from paravent.web.workspace.quota import Quota


def fetched(folder: Path, url: str, query: str, quota: Quota) -> Source:
    """Run a query, and keep its answer."""
    if "://" not in url:
        raise TableError("a database is named by its address, such as postgresql://user@host/name. Write it in full.")
    if not query.strip():
        raise TableError("say what to read: a query such as SELECT * FROM patients.")
    try:
        table = pv.read(url, query=query)
    except TableError as error:
        raise TableError(error.raw.replace(url, without_password(url))) from None
    quota.refuse_columns("the answer", len(table.names))
    own = f"{new_id()}.parquet"
    path = private_folder(folder) / own
    pv.write(table.frame, path)
    size = path.stat().st_size
    if size > quota.upload:
        path.unlink()
        quota.refuse_upload("the answer", size)
    return Source(kind="database", name=without_password(url), id=own, size=size)


def without_password(url: str) -> str:
    """
    >>> without_password("postgresql://ann:secret@host:5432/study?sslmode=require&password=x")
    'postgresql://ann@host:5432/study'
    """
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    return re.sub(r"//([^/@:]*)(:[^@]*)?@", r"//\1@", bare)

"""The web page: a workbench for somebody who publishes a table, and the same over REST. It holds no logic of its own.

`workspace/` keeps projects on disk, `jobs/` runs long work in processes of its own, `security/` says who may come in,
`api/` speaks REST, `screens/` draws. `app.py` puts them together and serves them.
"""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "app": "serve",
        "jobs.jobs": "Jobs",
        "security.users": "add_user",
        "settings": "Settings",
        "workspace.document": "Document",
        "workspace.project": "Project",
        "workspace.quota": "Quota bytes_of",
        "workspace.workspace": "Workspace",
    },
)

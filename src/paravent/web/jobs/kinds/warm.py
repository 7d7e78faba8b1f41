"""What every job needs, imported while the process waits for its first."""

from __future__ import annotations

import numpy  # noqa: F401
import polars  # noqa: F401

import paravent as pv
import paravent.plan.runner
import paravent.web.workspace.project

READY = (pv.anonymize, pv.profile, pv.Plan)

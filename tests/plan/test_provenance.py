"""The record of a run, where it is written without the rows that took part."""

from __future__ import annotations

import polars as pl

import paravent as pv
from paravent.plan.provenance import provenance


def test_no_row_is_sampled_out_where_no_treatment_sampled() -> None:
    table = pv.read(pl.DataFrame({"zip": ["1", "1", "2", "2"]}))
    plan = pv.Plan({"zip": pv.Quasi()}, protect=[pv.KAnonymity(2)], method=pv.methods.Mondrian())
    verdict = pv.anonymize(table, plan).verdict
    record = provenance(table, plan, verdict, missing={"dropped_rows": 0, "columns": {}}, timings={})
    assert "sampled_out" not in record["rows"]
    assert record["rows"]["released"] == 4

"""Rows as columns: a batch of Arrow in, a batch out. The Spark and Ray files are made of it."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Dict, List

import pyarrow as pa

from ._program import Option, arguments, find_program, run_filter
from ._run import _line

COLUMN = "epitome"
"""The name of the column that is added."""


def row_type() -> pa.DataType:
    """Returns the type of a row: a struct with the fields of ``epitome schema arrow``."""
    printed = subprocess.run(
        [find_program(), "schema", "arrow"], check=True, capture_output=True
    ).stdout
    return _struct(json.loads(printed)["fields"])


def compact_batch(batch: Any, column: str = "record", **options: Option) -> Any:
    """Adds a column `COLUMN` with the rows of the records in a column.

    Args:
        batch: A ``pyarrow.RecordBatch`` or ``pyarrow.Table``.
        column: The column of records: lines of JSON.
        **options: Options of ``epitome stream``.
    """
    records = batch.column(column).to_pylist()
    words = ["stream", "-q", *arguments(options)]
    lines = run_filter(words, map(_line, records))
    rows = [_row(json.loads(line)) for line in lines]
    if len(rows) != len(records):
        raise RuntimeError(f"{len(records)} records, but {len(rows)} rows")
    array = pa.array(rows, type=row_type())
    if isinstance(batch, pa.Table):
        return batch.append_column(COLUMN, array)
    return pa.RecordBatch.from_arrays([*batch.columns, array], [*batch.schema.names, COLUMN])


def _row(row: Dict[str, Any]) -> Dict[str, Any]:
    """Returns a row with the JSON of what has no type of its own."""
    row["record"] = _text(row.get("record"))
    row["report"] = None if row["report"] is None else json.dumps(row["report"])
    row["more_reports"] = [json.dumps(report) for report in row["more_reports"]]
    for removed in row.get("removed") or ():
        removed["text"] = _text(removed["text"])
    for undo in row.get("undo") or ():
        undo["bytes"] = _text(undo.get("bytes"))
    return row


def _text(stored: Any) -> Any:
    return json.dumps(stored) if isinstance(stored, dict) else stored


def _struct(fields: List[Dict[str, Any]]) -> pa.DataType:
    return pa.struct([pa.field(f["name"], _type(f), nullable=f["nullable"]) for f in fields])


def _type(field: Dict[str, Any]) -> pa.DataType:
    if field["type"] == "struct":
        return _struct(field["fields"])
    if field["type"] == "list":
        return pa.list_(_type(field["items"]))
    return {"int64": pa.int64(), "bool": pa.bool_(), "string": pa.string()}[field["type"]]

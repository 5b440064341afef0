"""Spark: a DataFrame in, a DataFrame out.

    from epitome.spark import compact

    rows = compact(spark.read.text("logs/"), column="value", trigger="tokens=4000")
    rows.where("epitome.status = 'failed'").count()
    rows.select("epitome.*").write.parquet("rows/")

Every executor needs the package (``pip install epitome``). Tasks may fail, run twice or side by side:
rows depend on their record and the options only. This file may be copied and changed.
"""

from __future__ import annotations

import subprocess
from typing import Any, Iterator

from ._program import Option, find_program
from .arrow import COLUMN, compact_batch


def row_schema() -> str:
    """Returns the columns of a row in Spark's language."""
    command = [find_program(), "schema", "spark"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def compact(frame: Any, column: str = "record", **options: Option) -> Any:
    """Adds a column ``epitome`` with the rows of the records in a column.

    Args:
        frame: A ``pyspark.sql.DataFrame``.
        column: The column of records: lines of JSON.
        **options: Options of ``epitome stream``, for example ``trigger="tokens=4000"``.
    """
    from pyspark.sql.types import StructType, _parse_datatype_string

    def partition(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield compact_batch(batch, column, **options)

    schema = StructType(list(frame.schema.fields)).add(COLUMN, _parse_datatype_string(row_schema()))
    return frame.mapInArrow(partition, schema)

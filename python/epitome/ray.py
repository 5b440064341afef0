"""Ray Data: a dataset in, a dataset out.

    from epitome.ray import compact

    rows = compact(ray.data.read_text("logs.jsonl"), column="text", trigger="tokens=4000")
    rows.write_parquet("rows/")

Every worker needs the package (``pip install epitome``). Tasks may fail or run twice: rows depend on
their record and the options only. This file may be copied and changed.
"""

from __future__ import annotations

from typing import Any

from ._program import Option
from .arrow import compact_batch


def compact(dataset: Any, column: str = "record", **options: Option) -> Any:
    """Adds a column ``epitome`` with the rows of the records in a column.

    Args:
        dataset: A ``ray.data.Dataset``.
        column: The column of records: lines of JSON.
        **options: Options of ``epitome stream``, for example ``trigger="tokens=4000"``.
    """
    return dataset.map_batches(
        compact_batch, batch_format="pyarrow", fn_kwargs={"column": column, **options}
    )

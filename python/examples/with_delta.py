"""Delta tables: a table of records in, a table of rows out. Spark reads and writes the same tables."""

import sys

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

from epitome.arrow import compact_batch

path = sys.argv[1] if len(sys.argv) > 1 else "fixtures/demo/sessions.jsonl"
with open(path, encoding="utf-8") as records:
    write_deltalake("records", pa.table({"record": records.read().splitlines()}))


def read(folder, query):
    """Runs SQL on the table `t` in `folder` and returns its batches."""
    # A scan by `to_pyarrow_dataset` can abort Python at its exit (apache/arrow#34314).
    return QueryBuilder().register("t", DeltaTable(folder)).execute(query)


for batch in read("records", "select * from t"):
    rows = compact_batch(pa.record_batch(batch), trigger="tokens=4000", keep="messages=4")
    write_deltalake("rows", pa.Table.from_batches([rows]), mode="append")

statuses = pa.table(read("rows", "select epitome['status'] as status from t"))["status"].to_pylist()
print(statuses)
sys.exit(1 if "failed" in statuses else 0)

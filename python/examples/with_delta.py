"""Delta tables: a table of records in, a table of rows out. Spark reads and writes the same tables."""

import sys

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from epitome.arrow import compact_batch

path = sys.argv[1] if len(sys.argv) > 1 else "fixtures/demo/sessions.jsonl"
with open(path, encoding="utf-8") as records:
    write_deltalake("records", pa.table({"record": records.read().splitlines()}))

for batch in DeltaTable("records").to_pyarrow_dataset().to_batches():
    rows = compact_batch(batch, trigger="tokens=4000", keep="messages=4")
    write_deltalake("rows", pa.Table.from_batches([rows]), mode="append")

rows = DeltaTable("rows").to_pyarrow_table().column("epitome").to_pylist()
print([row["status"] for row in rows])
sys.exit(1 if any(row["status"] == "failed" for row in rows) else 0)

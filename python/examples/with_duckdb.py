"""DuckDB: queries over the rows, which are JSON lines."""

import os
import subprocess
import sys
import tempfile

import duckdb

import epitome

path = sys.argv[1] if len(sys.argv) > 1 else "fixtures/demo/sessions.jsonl"
with tempfile.TemporaryDirectory() as folder:
    rows = os.path.join(folder, "rows.jsonl")
    with open(path, "rb") as records, open(rows, "wb") as out:
        command = [epitome.find_program(), "stream", "--trigger", "tokens=4000", "--keep", "messages=4"]
        subprocess.run(command, stdin=records, stdout=out, check=True)
    print(
        duckdb.sql(f"""
            select status, count(*) as records,
                   sum(report.tokens_before) as before, sum(report.tokens_after) as after
            from read_json('{rows}', format = 'newline_delimited')
            group by status order by status
        """)
    )

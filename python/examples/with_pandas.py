"""pandas: a table of what each transcript would save, and why the others stay."""

import sys

import pandas

import epitome

path = sys.argv[1] if len(sys.argv) > 1 else "fixtures/demo/sessions.jsonl"
rows = epitome.plan(path, trigger="tokens=4000", keep="messages=4")
table = pandas.DataFrame(
    {"thread": row.thread_id, "status": row.status, "before": row.tokens_before, "after": row.tokens_after}
    for row in rows
)
print(table)
print("saved:", int((table.before - table.after).sum()), "tokens")

"""Hugging Face datasets: compacts the samples that are too long, before training."""

import sys

import datasets

import epitome

path = sys.argv[1] if len(sys.argv) > 1 else "fixtures/demo/sessions.jsonl"
samples = datasets.load_dataset("json", data_files=path, split="train", streaming=True)
records = ({key: value for key, value in sample.items() if value is not None} for sample in samples)
rows = list(epitome.compact(records, trigger="tokens=4000", keep="messages=4"))
compacted = datasets.Dataset.from_list(
    [{"thread_id": row.thread_id, "messages": row.record.decode(), "tokens": row.tokens_after} for row in rows]
)
print(compacted)

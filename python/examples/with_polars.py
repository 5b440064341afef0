"""polars: tokens by model, for a column of records."""

import sys

import polars

import epitome

path = sys.argv[1] if len(sys.argv) > 1 else "fixtures/demo/sessions.jsonl"
frame = polars.DataFrame({"record": open(path, encoding="utf-8").read().splitlines()})
tokens = [counted.tokens for counted in epitome.count(frame["record"])]
print(frame.with_columns(polars.Series("tokens", tokens)).select("tokens").describe())

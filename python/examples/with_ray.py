"""Ray Data: rows of a dataset of records."""

import sys

import ray

from epitome.ray import compact

path = sys.argv[1] if len(sys.argv) > 1 else "fixtures/demo/sessions.jsonl"
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
rows = compact(ray.data.read_text(path), column="text", trigger="tokens=4000", keep="messages=4")
statuses = [row["epitome"]["status"] for row in rows.iter_rows()]
print(statuses)
sys.exit("failed" in statuses)

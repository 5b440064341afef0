"""The embedded summarizer as a compactor of compaction-conformance-kit (PyPI, MIT; no model is asked).

    pip install compaction-conformance-kit==0.8.0
    EPITOME=target/release/epitome compaction-kit benchmark --spec scripts/conformance_kit.py:Epitome --budgets 20%
    compaction-kit benchmark --budgets 20%          # the kit's own compactors, to compare

The kit caps the characters of what is left: system message, summary and the last two messages. From the second round on
it compacts what the round before left.
"""
import json
import os
import subprocess
import tempfile
from pathlib import Path

from compaction_kit.compacted import CompactedContext

POLICY = """counter = "approx"
[evict]
tokens = 0
[truncate]
trigger = []
[summarize]
trigger = [{ messages = 1 }]
keep = { messages = 2 }
frame = "plain"
[summarizer]
kind = "extract"
"""


class Epitome:
    name = "epitome extract"

    def compact(self, turns, round_num=1, budget_chars=None):
        if round_num == 1:
            self.messages = [{"role": turn.role, "content": turn.text} for turn in turns]
        tokens = (budget_chars or 8000) // 4
        while True:
            left = compacted(self.messages, tokens)
            text = "\n".join(f"[{message['role']}] {message['content']}" for message in left)
            if budget_chars is None or len(text) <= budget_chars or tokens < 16:
                break
            tokens -= max(1, (len(text) - budget_chars) // 4)
        self.messages = left
        return CompactedContext(text=text, compactor_name=self.name, round_num=round_num)


def compacted(messages, tokens):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "in.jsonl").write_text(json.dumps({"id": "session", "messages": messages}) + "\n")
        (place / "policy.toml").write_text(POLICY + f"budget = {tokens}\n")
        words = [os.environ.get("EPITOME", "epitome"), "compact", place / "in.jsonl", "-o", place / "out", "--config", place / "policy.toml", "--quiet"]
        subprocess.run(words, check=True)
        return json.loads((place / "out/in.jsonl").read_text())["messages"]

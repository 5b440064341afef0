#!/usr/bin/env python3
"""Checks the installed Python package: its functions, their errors, and the examples that can run.

    VENV/bin/python scripts/check-python.py fixtures/demo/sessions.jsonl
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

import epitome

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = {"trigger": "tokens=4000", "keep": "messages=4"}


def check_functions(path):
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    rows = list(epitome.compact(path, **OPTIONS))
    assert [row.line for row in rows] == list(range(1, len(lines) + 1)), rows
    assert any(row.status == "compacted" and row.removed and row.undo for row in rows)
    for row, line in zip(rows, lines):
        assert row.restore() == line
        assert row.json()["messages"] and row.tokens_after <= row.tokens_before
    # Dicts and lines are the same records; a row depends on its record only.
    assert [r.record for r in epitome.compact(lines[::-1], **OPTIONS)] == [r.record for r in rows][::-1]
    dicts = list(epitome.compact(map(json.loads, lines), **OPTIONS))
    assert [r.tokens_after for r in dicts] == [r.tokens_after for r in rows]
    planned = list(epitome.plan(path, **OPTIONS))
    assert [r.status for r in planned] == [r.status for r in rows] and planned[0].record is None
    counted = list(epitome.count(path))
    assert [c.tokens for c in counted] == [r.tokens_before for r in rows]
    assert all(c.messages and sum(c.roles.values()) + c.tools == c.tokens for c in counted), counted
    text = b"\n".join(lines).decode()
    (document,) = epitome.count([text], document=True)
    assert document.thread_id == rows[0].thread_id
    # A typed policy is the same as options, and what is printed of a row is short.
    summarize = epitome.Summarize(trigger=[{"tokens": 4000}], keep={"messages": 4})
    typed = epitome.compact(path, epitome.Policy(summarize=summarize))
    assert [r.record for r in typed] == [r.record for r in rows]
    assert all(len(repr(row)) < 200 for row in rows), rows[0]
    chats = list(epitome.convert(path, to="anthropic"))
    assert len(chats) == len(lines) and all(chat["messages"] for chat in chats)
    assert 0 < epitome.evaluate(path).share() <= 1


def check_files(path):
    with tempfile.TemporaryDirectory() as folder:
        samples, out, back = (os.path.join(folder, name) for name in ("samples", "out", "back"))
        report = epitome.dataset(path, samples, to="openai")
        assert report["totals"] and os.listdir(samples), report
        subprocess.run([epitome.find_program(), "compact", path, "-o", out, "-q"], check=True)
        epitome.restore(out, back)
        (restored,) = [os.path.join(at, name) for at, _, names in os.walk(back) for name in names]
        with open(restored, "rb") as restored, open(path, "rb") as original:
            assert restored.read() == original.read()


def check_errors(path):
    try:
        list(epitome.compact(path, trigger="nonsense"))
        raise AssertionError("a wrong option was accepted")
    except epitome.EpitomeError as error:
        assert error.status == 2 and "nonsense" in str(error)
    (failed,) = epitome.compact(["nonsense"])
    assert failed.status == "failed" and failed.error and failed.restore() == b"nonsense"

    def broken():
        yield {"messages": []}
        raise KeyError("of the caller")

    try:
        list(epitome.compact(broken()))
        raise AssertionError("an error of the iterable was lost")
    except KeyError:
        pass
    # A consumer that has enough ends the program.
    rows = epitome.compact({"messages": [{"role": "user", "content": "hi"}]} for _ in iter(int, 1))
    assert next(rows).status == "unchanged"
    del rows


def check_arrow(path):
    if importlib.util.find_spec("pyarrow") is None:
        print("skipped: pyarrow is not installed")
        return
    import pyarrow as pa

    from epitome.arrow import compact_batch

    with open(path, encoding="utf-8") as file:
        records = file.read().splitlines() + [None, "nonsense"]
    table = pa.table({"id": range(len(records)), "record": records})
    rows = compact_batch(table, **OPTIONS)
    statuses = [row["status"] for row in rows.column("epitome").to_pylist()]
    assert statuses[-2:] == ["unchanged", "failed"], statuses
    flat = epitome.to_arrow(epitome.compact(path, **OPTIONS))
    assert flat.column("status").to_pylist() == statuses[:-2], flat
    batch = compact_batch(table.to_batches()[0], **OPTIONS)
    assert batch.column("epitome").to_pylist() == rows.column("epitome").to_pylist()


def run_examples(path):
    needs = {"datasets": ["datasets"], "pandas": ["pandas"], "polars": ["polars"], "duckdb": ["duckdb"],
             "delta": ["deltalake", "pyarrow"],
             "spark": ["pyspark", "pyarrow", "pandas"], "ray": ["ray", "pyarrow", "pandas"]}
    for name, modules in needs.items():
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        if name == "spark" and shutil.which("java") is None:
            missing.append("java")
        if missing:
            print(f"skipped: the example {name} needs {', '.join(missing)}")
            continue
        example = os.path.join(HERE, "..", "python", "examples", f"with_{name}.py")
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, os.path.abspath(example), os.path.abspath(path)]
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"the example {name} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
        print(f"example {name}: passed")


def main():
    path = sys.argv[1]
    assert "site-packages" in epitome.__file__, f"not the installed package: {epitome.__file__}"
    check_functions(path)
    check_files(path)
    check_errors(path)
    check_arrow(path)
    module = subprocess.run([sys.executable, "-m", "epitome", "--version"], capture_output=True, text=True)
    assert module.stdout.startswith("epitome "), module
    print("functions: passed")
    run_examples(path)


if __name__ == "__main__":
    main()

"""Compacts logged LLM and agent transcripts.

This package is thin: it starts the program ``epitome``, which is installed beside it, and reads what
it prints. ``compact``, ``plan`` and ``count`` take records (dicts, or lines of JSON) or the path of a
file of JSON lines, and yield a `Row` for each, in order::

    import epitome

    for row in epitome.compact("logs.jsonl", trigger="tokens=4000", keep="messages=4"):
        print(row.thread_id, row.status, row.tokens_before, row.tokens_after)
        messages = row.json()["messages"]

Keyword arguments are options of the program: ``trigger="tokens=4000"`` is ``--trigger tokens=4000``,
``quiet=True`` is ``--quiet``, and a list repeats its option.
"""

from ._program import EpitomeError, find_program
from ._rows import Removed, Row, Undo
from ._run import Evaluation, compact, count, evaluate, plan

__all__ = [
    "EpitomeError",
    "Evaluation",
    "Removed",
    "Row",
    "Undo",
    "compact",
    "count",
    "evaluate",
    "find_program",
    "plan",
]

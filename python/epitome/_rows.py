"""Rows, as ``epitome stream`` prints them."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

Stored = Union[str, Dict[str, str], None]


def to_bytes(stored: Stored) -> bytes:
    """Returns the bytes of a text in a row, which is base64 where it is not UTF-8."""
    if isinstance(stored, dict):
        return base64.b64decode(stored["base64"])
    return (stored or "").encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Removed:
    """An archive file of what was removed."""

    name: str
    """The path below an archive directory."""
    content: bytes


@dataclass(frozen=True)
class Undo:
    """The inverse of an edit: put `content` in place of the `length` bytes at `at`."""

    at: int
    length: int
    content: Optional[bytes]
    """None with ``undo="reference"``."""


@dataclass(frozen=True)
class Count:
    """The tokens of a record."""

    thread_id: Optional[str]
    tokens: int
    """The tokens of a model call with all messages and tools; 0 of a record that can't be read."""
    tools: int
    """Those of the tools."""
    messages: int
    """The number of messages."""
    roles: Dict[str, int]
    """The tokens of the messages, by role."""
    error: Optional[str]
    line: int
    """The line in the stream, from 1."""

    @classmethod
    def from_row(cls, row: Row) -> Count:
        """Reads the counts of a row."""
        counts = (row.report or {}).get("counts") or {}
        return cls(
            thread_id=row.thread_id,
            tokens=counts.get("tokens", 0),
            tools=counts.get("tools", 0),
            messages=counts.get("messages", 0),
            roles=counts.get("roles", {}),
            error=row.error,
            line=row.line,
        )


@dataclass(frozen=True, repr=False)
class Row:
    """The result of a record."""

    status: str
    """``compacted``, ``unchanged`` or ``failed``."""
    thread_id: Optional[str]
    format: Optional[str]
    record: Optional[bytes]
    """The record as it leaves, byte for byte. None of a plan or a count."""
    removed: List[Removed]
    undo: List[Undo]
    report: Optional[Dict[str, Any]]
    """The figures and decisions, as an entry of ``report.json``. None for a blank line."""
    error: Optional[str]
    over_limit: bool
    line: int
    """The line in the stream, from 1."""

    @classmethod
    def from_json(cls, text: Union[str, bytes]) -> Row:
        """Reads a row of ``epitome stream``."""
        row = json.loads(text)
        if row.get("v") != 1:
            raise ValueError(f"a row of version {row.get('v')}, and this package reads version 1")
        return cls(
            status=row["status"],
            thread_id=row["thread_id"],
            format=row["format"],
            record=to_bytes(row["record"]) if "record" in row else None,
            removed=[Removed(r["name"], to_bytes(r["text"])) for r in row.get("removed", ())],
            undo=[
                Undo(u["at"], u["len"], to_bytes(u["bytes"]) if "bytes" in u else None)
                for u in row.get("undo", ())
            ],
            report=row["report"],
            error=row["error"],
            over_limit=row["over_limit"],
            line=row["line"],
        )

    def __repr__(self) -> str:
        """Names the result. Records and archives can be as long as a book."""
        tokens = f"{self.tokens_before} -> {self.tokens_after} tokens"
        error = "" if self.error is None else f", error={self.error!r}"
        return f"<Row {self.line} {self.thread_id}: {self.status}, {tokens}{error}>"

    def json(self) -> Any:
        """Returns the record as Python objects."""
        if self.record is None:
            raise ValueError("a plan or a count has no record")
        return json.loads(self.record)

    def restore(self) -> bytes:
        """Returns the record as it was before, byte for byte."""
        if self.record is None:
            raise ValueError("a plan or a count has no record")
        parts, at = [], 0
        for undo in self.undo:
            if undo.content is None:
                raise ValueError("the row refers to its input, which holds the bytes")
            parts += [self.record[at : undo.at], undo.content]
            at = undo.at + undo.length
        return b"".join([*parts, self.record[at:]])

    @property
    def tokens_before(self) -> int:
        """The tokens of a model call with the record as it was."""
        return int((self.report or {}).get("tokens_before", 0))

    @property
    def tokens_after(self) -> int:
        """The tokens of a model call with the record as it leaves; of a plan the most it can be."""
        report = self.report or {}
        return int(report.get("tokens_after", self.tokens_before))

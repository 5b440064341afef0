"""The functions of this package: each starts the program once."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Union

from ._program import Option, arguments, run_filter
from ._rows import Row

Record = Union[Mapping[str, Any], List[Any], str, bytes]
Source = Union[str, os.PathLike, Iterable[Record]]


@dataclass(frozen=True)
class Evaluation:
    """What a compaction would have kept of what came later."""

    rows: List[Dict[str, Any]]
    """The rows of ``epitome evaluate --json``: one for each policy."""

    def share(self, figure: str = "recall") -> Optional[float]:
        """Returns a figure of the first policy, from 0 to 1; None if it can't be measured."""
        share = self.rows[0]["figures"][figure]["share"] if self.rows else None
        return None if share is None else float(share)


def compact(source: Source, **options: Option) -> Iterator[Row]:
    """Compacts records. Yields a row for each, in order.

    Args:
        source: Records (dicts, or lines of JSON), or the path of a file of JSON lines.
        **options: Options of ``epitome stream``, for example ``trigger="tokens=4000"``. With
            ``document=True`` the source is texts of whole files, or the path of one.

    Raises:
        EpitomeError: An option is wrong, or the program can't do its work. A record that can't be
            read is a row with the status ``failed``.
    """
    return _stream("compact", source, options)


def plan(source: Source, **options: Option) -> Iterator[Row]:
    """Decides what would go from each record, and why. Takes the same as `compact`."""
    return _stream("plan", source, options)


def count(source: Source, **options: Option) -> Iterator[Row]:
    """Counts the tokens of each record. Takes the same as `compact`."""
    return _stream("count", source, options)


def evaluate(source: Source, **options: Option) -> Evaluation:
    """Measures how much of what came later a compaction would have kept.

    Args:
        source: As for `compact`.
        **options: Options of ``epitome evaluate``.
    """
    words = ["evaluate", "-", "--json", "-q", *arguments(options)]
    figures = json.loads(b"".join(run_filter(words, _lines(source))))
    return Evaluation(rows=figures["rows"])


def _stream(job: str, source: Source, options: Dict[str, Option]) -> Iterator[Row]:
    words = ["stream", f"--do={job}", "-q", *arguments(options)]
    lines = _documents(source) if options.get("document") else _lines(source)
    return map(Row.from_json, run_filter(words, lines))


def _documents(source: Source) -> Iterator[bytes]:
    """Yields a line for each file: its text as a JSON string."""
    if isinstance(source, (str, os.PathLike)):
        source = [b"".join(_lines(source))]
    for text in source:
        if not isinstance(text, (str, bytes, bytearray)):
            raise TypeError("document=True takes the texts of files")
        if not isinstance(text, str):
            text = bytes(text).decode("utf-8")
        yield json.dumps(text).encode("ascii") + b"\n"


def _lines(source: Source) -> Iterator[bytes]:
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            yield from file
        return
    for record in source:
        yield _line(record)


def _line(record: Optional[Record]) -> bytes:
    if record is None:
        return b"\n"
    if isinstance(record, str):
        line = record.encode("utf-8", "surrogatepass")
    elif isinstance(record, (bytes, bytearray)):
        line = bytes(record)
    else:
        line = json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
    line = line[:-1] if line.endswith(b"\n") else line
    if b"\n" in line:
        raise ValueError(
            "a record is a line; parse one that stands in several lines, or pass document=True"
        )
    return line + b"\n"

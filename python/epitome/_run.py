"""The functions of this package: each starts the program once."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Union, cast

from ._policy import Policy
from ._program import Option, arguments, run_filter, run_program
from ._rows import Count, Row

Record = Union[Mapping[str, Any], List[Any], str, bytes]
Path = Union[str, os.PathLike]
Paths = Union[Path, List[Path]]
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


def compact(
    source: Source, policy: Optional[Policy] = None, **options: Option
) -> Iterator[Row]:
    """Compacts records. Yields a row for each, in order.

    Args:
        source: Records (dicts, or lines of JSON), or the path of a file of JSON lines.
        policy: The policy, typed: ``Policy(summarize=Summarize(keep={"messages": 4}))``.
        **options: Options of ``epitome stream``, for example ``trigger="tokens=4000"``. With
            ``document=True`` the source is texts of whole files, or the path of one.

    Raises:
        EpitomeError: An option is wrong, or the program can't do its work. A record that can't be
            read is a row with the status ``failed``.
    """
    return _stream("compact", source, policy, options)


def plan(source: Source, policy: Optional[Policy] = None, **options: Option) -> Iterator[Row]:
    """Decides what would go from each record, and why. Takes the same as `compact`."""
    return _stream("plan", source, policy, options)


def count(source: Source, policy: Optional[Policy] = None, **options: Option) -> Iterator[Count]:
    """Counts the tokens of each record. Takes the same as `compact`."""
    return map(Count.from_row, _stream("count", source, policy, options))


def convert(source: Source, to: str, **options: Option) -> Iterator[Dict[str, Any]]:
    """Converts records to chat transcripts of another format. Yields each as a dict.

    Args:
        source: As for `compact`.
        to: ``openai``, ``anthropic``, ``sharegpt`` or ``langchain``.
        **options: Options of ``epitome convert``.
    """
    words = ["convert", "-", f"--to={to}", "-o", "-", "-q", *arguments(options)]
    return map(json.loads, run_filter(words, _lines(source)))


def dataset(
    inputs: Union[Paths, Iterable[Record]], output: Path, to: str, **options: Option
) -> Dict[str, Any]:
    """Writes samples for fine-tuning that a trainer takes. Returns the report of the run.

    Args:
        inputs: Files or directories, or records.
        output: The directory of the data set, which must be new or empty.
        to: The target, as ``trl`` (see ``epitome dataset --help``).
        **options: Options of ``epitome dataset``.
    """
    words = [f"--to={to}", "-o", os.fspath(output), "-q", *arguments(options)]
    if _are_paths(inputs):
        run_program(["dataset", *_paths(inputs), *words])
    else:
        run_program(["dataset", "-", *words], map(_line, cast(Iterable[Record], inputs)))
    with open(os.path.join(output, "report.json"), encoding="utf-8") as report:
        return json.load(report)


def restore(outputs: Paths, back: Path, **options: Option) -> None:
    """Restores the inputs of an earlier compact into the directory `back`, byte for byte.

    Args:
        outputs: The output directory of ``epitome compact``, or files of rows.
        back: The directory for the restored files.
        **options: Options of ``epitome restore``.
    """
    run_program(["restore", *_paths(outputs), "-o", os.fspath(back), "-q", *arguments(options)])


def to_arrow(rows: Iterable[Row]) -> Any:
    """Returns rows as a ``pyarrow.Table``: the result of each record, and the record itself.

    The record is a string, or null where it is not UTF-8 or the rows are those of a plan.
    """
    import pyarrow as pa

    columns: Dict[str, List[Any]] = {name: [] for name, _ in _arrow_columns(pa)}
    for row in rows:
        for name, values in columns.items():
            values.append(_text(row.record) if name == "record" else getattr(row, name))
    return pa.table(columns, schema=pa.schema(_arrow_columns(pa)))


def _arrow_columns(pa: Any) -> List[Any]:
    return [
        ("line", pa.int64()),
        ("thread_id", pa.string()),
        ("format", pa.string()),
        ("status", pa.string()),
        ("tokens_before", pa.int64()),
        ("tokens_after", pa.int64()),
        ("over_limit", pa.bool_()),
        ("error", pa.string()),
        ("record", pa.string()),
    ]


def _text(record: Optional[bytes]) -> Optional[str]:
    try:
        return None if record is None else record.decode("utf-8")
    except UnicodeDecodeError:
        return None


def evaluate(
    source: Source, policy: Optional[Policy] = None, **options: Option
) -> Evaluation:
    """Measures how much of what came later a compaction would have kept.

    Args:
        source: As for `compact`.
        policy: As for `compact`.
        **options: Options of ``epitome evaluate``.
    """
    words = ["evaluate", "-", "--json", "-q", *_set(policy), *arguments(options)]
    figures = json.loads(b"".join(run_filter(words, _lines(source))))
    return Evaluation(rows=figures["rows"])


def _set(policy: Optional[Policy]) -> List[str]:
    return [] if policy is None else policy.arguments()


def _are_paths(inputs: Any) -> bool:
    return isinstance(inputs, (str, os.PathLike)) or (
        isinstance(inputs, list)
        and all(isinstance(path, os.PathLike) or _is_path(path) for path in inputs)
    )


def _is_path(text: Any) -> bool:
    return isinstance(text, str) and not text.lstrip().startswith("{")


def _paths(paths: Any) -> List[str]:
    listed = paths if isinstance(paths, list) else [paths]
    return [os.fspath(path) for path in listed]


def _stream(
    job: str, source: Source, policy: Optional[Policy], options: Dict[str, Option]
) -> Iterator[Row]:
    words = ["stream", job, "-q", *_set(policy), *arguments(options)]
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
            "a record is one line; parse one that takes several lines, or pass document=True"
        )
    return line + b"\n"

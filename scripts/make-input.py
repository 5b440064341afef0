#!/usr/bin/env python3
"""Write a large JSONL input by repeating the conversations of small JSONL files.

    make-input.py --size 2G OUT FILE...                  every conversation in turn, over and over
    make-input.py --size 2G --changed 0.2 OUT FILE...    a fifth of the transcripts are long, the rest short
    make-input.py --size 50M --messages 400 OUT FILE...  transcripts of about 400 messages each
    make-input.py ... --chat 120 OUT FILE...             of what they say, told as plain turns of 120 characters

OUT may be `-` for stdout. A FILE holds one conversation a line: an object with a `messages` array.
The same arguments always give the same bytes. Each copy has a thread id of its own. Only the value of
`thread_id` is replaced (or the key added); all other bytes of a line stay as they are.
"""
from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Any, Iterator

BLOCK = 1 << 20  # bytes a write
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
SPACE = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder(strict=False)
ADDED_KEY = '"thread_id": "'


class BadRecord(ValueError):
    """A line that is not one conversation."""


def skip(text: str, at: int) -> int:
    return SPACE.match(text, at).end()  # type: ignore[union-attr]


def expect(text: str, at: int, char: str) -> int:
    """The place after `char`, which must stand at `at`."""
    if text[at : at + 1] != char:
        raise BadRecord(f"{char!r} expected at character {at}")
    return at + 1


def object_members(text: str) -> Iterator[tuple[str, Any, int, int]]:
    """(key, value, start, end) of each member of the object that `text` is."""
    at = skip(text, expect(text, skip(text, 0), "{"))
    while text[at : at + 1] != "}":
        key, at = DECODER.raw_decode(text, at)
        start = skip(text, expect(text, skip(text, at), ":"))
        value, end = DECODER.raw_decode(text, start)
        yield key, value, start, end
        at = skip(text, end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)


def array_spans(text: str, at: int) -> Iterator[tuple[int, int]]:
    """(start, end) of each element of the array that starts at `at`."""
    at = skip(text, at + 1)
    while text[at : at + 1] != "]":
        _, end = DECODER.raw_decode(text, at)
        yield at, end
        at = skip(text, end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)


class Conversation:
    """One source line, cut where the thread id goes and where its messages lie."""

    def __init__(self, text: str) -> None:
        self.messages: list[dict[str, Any]] = []
        self.raw: list[str] = []  # each message as it stands in the line
        ids: list[tuple[int, int]] = []
        array: tuple[int, int] | None = None
        for key, value, start, end in object_members(text):
            if key == "thread_id":
                ids.append((start, end))
            elif key == "messages" and isinstance(value, list):
                array, self.messages = (start, end), value
        if array is None or not all(isinstance(m, dict) for m in self.messages):
            raise BadRecord("no `messages` array of objects")
        self.raw = [text[a:b] for a, b in array_spans(text, array[0])]
        # A later key of the same name wins, so the last one is what readers see.
        if ids:
            start, end = ids[-1]
            value = text[start:end]
            self.name = value[1:-1] if value.startswith('"') else ""
            self.head, self.tail = text[:start] + '"', '"' + text[end:]
        else:
            brace = text.index("{") + 1
            more = "" if text[skip(text, brace)] == "}" else ", "
            self.name = ""
            self.head, self.tail = text[:brace] + ADDED_KEY, '"' + more + text[brace:]
        self.array = array
        self.text = text
        self.tokens = sum(map(message_tokens, self.messages))

    def line(self, number: int) -> bytes:
        """This conversation as its copy `number`."""
        return f"{self.head}{self.name or 'copy'}-{number:08d}{self.tail}\n".encode()

    def with_messages(self, raw: list[str]) -> Conversation:
        """The same record around other messages."""
        start, end = self.array
        return Conversation(f"{self.text[:start]}[{', '.join(raw)}]{self.text[end:]}")


def message_tokens(message: dict[str, Any]) -> int:
    """About four characters a token. Only used to tell long transcripts from short ones."""
    content = message.get("content") or ""
    chars = len(content) if isinstance(content, str) else sum(len(str(p.get("text", ""))) if isinstance(p, dict) else len(str(p)) for p in content)
    chars += sum(len(str(call)) for call in message.get("tool_calls") or [])
    return math.ceil(chars / 4) + 5


def is_result(message: dict[str, Any]) -> bool:
    return message.get("role") in ("tool", "function")


def calls(message: dict[str, Any]) -> bool:
    return bool(message.get("tool_calls") or message.get("function_call"))


def whole_prefix(messages: list[dict[str, Any]], limit: int) -> int:
    """The most messages, at most `limit`, that can be cut off without parting a call from its results. If none can: a few more."""
    limit = min(limit, len(messages))
    for end in [*range(limit, 0, -1), *range(limit + 1, len(messages))]:
        rest_is_whole = end == len(messages) or not is_result(messages[end])
        if rest_is_whole and not calls(messages[end - 1]):
            return end
    return len(messages)


def joined(sources: list[Conversation], first: int, *, messages: int | None = None, tokens: int | None = None) -> Conversation:
    """One transcript of the conversations from `first` on, in turn, until it has so many messages or tokens.

    System messages of all but the first conversation are left out. With `messages` the last one is cut to fit.
    """
    raw: list[str] = []
    total = round_start = 0
    for step in range(sys.maxsize):
        source = sources[(first + step) % len(sources)]
        kept = [i for i, m in enumerate(source.messages) if step == 0 or m.get("role") not in ("system", "developer")]
        if messages is not None:
            kept = kept[: whole_prefix([source.messages[i] for i in kept], messages - len(raw))]
        raw += [source.raw[i] for i in kept]
        total += sum(message_tokens(source.messages[i]) for i in kept)
        if (messages is not None and len(raw) >= messages) or (tokens is not None and total >= tokens):
            break
        if (step + 1) % len(sources) == 0:
            if len(raw) == round_start:
                raise BadRecord("the conversations hold no messages to join")
            round_start = len(raw)
    return sources[first % len(sources)].with_messages(raw)


def in_turn(sources: list[Conversation]) -> Iterator[Conversation]:
    while True:
        yield from sources


def mixed(sources: list[Conversation], share: float, limit: int) -> Iterator[Conversation]:
    """Conversations in turn, so that `share` of them, evenly spread, have at least `limit` tokens."""
    long = [s for s in sources if s.tokens >= limit]
    short = [s for s in sources if s.tokens < limit]
    if not long:  # nothing here is long: join what there is
        long = [joined(sources, i, tokens=limit) for i in range(min(len(sources), 50))]
    if not short and share < 1:
        raise BadRecord(f"every conversation has {limit} tokens or more, so a share of {share} cannot be made; raise --long")
    next_long, next_short = in_turn(long), in_turn(short)
    number = 0
    while True:
        number += 1
        yield next(next_long if math.floor(number * share) > math.floor((number - 1) * share) else next_short)


def of_length(sources: list[Conversation], messages: int) -> Iterator[Conversation]:
    """Transcripts of about `messages` messages that start at source conversations evenly spread, over and over."""
    made: list[Conversation] = []
    starts = min(len(sources), max(1, 20_000 // messages))  # enough variety, bounded memory
    for n in range(starts):
        made.append(joined(sources, n * len(sources) // starts, messages=messages))
        yield made[-1]
    yield from in_turn(made)


def chats(sources: list[Conversation], length: int) -> Iterator[Conversation]:
    """What the conversations say, as chats of 50 plain turns of `length` characters each: user and assistant, no calls."""
    said = "".join(m["content"] for s in sources for m in s.messages if isinstance(m.get("content"), str))
    texts = [said[at : at + length] for at in range(0, len(said) - length + 1, length)]
    if not texts:
        raise BadRecord(f"the conversations hold less than {length} characters of text")
    turns = [json.dumps({"role": ("user", "assistant")[n % 2], "content": text}, ensure_ascii=False) for n, text in enumerate(texts)]
    for at in range(0, len(turns), 50):
        yield Conversation('{"messages": [' + ", ".join(turns[at : at + 50]) + "]}")


def read(paths: list[Path]) -> list[Conversation]:
    found = []
    for path in paths:
        with open(path, encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    found.append(Conversation(line.rstrip("\r\n").removeprefix("\ufeff")))
                except (ValueError, RecursionError) as error:  # BadRecord and JSONDecodeError are ValueErrors
                    raise BadRecord(f"{path}:{number}: {error}") from None
    if not found:
        raise BadRecord("no conversations in the given files")
    return found


def size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)B?", text.upper())
    if not match or not float(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write 200M or 2G (powers of 1000)")
    return int(float(match[1]) * UNITS[match[2]])


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; write a number from 0 to 1")
    return value


def positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no positive whole number")
    return int(text)


def write(lines: Iterator[bytes], out: Any, limit: int | None, count: int | None) -> tuple[int, int]:
    """Lines up to the limit, in blocks. Returns lines and bytes written. The line that reaches the size is the last."""
    block = bytearray()
    written = number = 0
    for line in lines:
        block += line
        number += 1
        while len(block) >= BLOCK:
            out.write(block[:BLOCK])
            del block[:BLOCK]
            written += BLOCK
        if number == count or (limit is not None and written + len(block) >= limit):
            break
    out.write(block)
    out.flush()
    return number, written + len(block)


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--size", type=size, help="stop at the line that reaches so many bytes: 200M, 2G (powers of 1000)")
    ap.add_argument("--count", type=positive, metavar="N", help="stop after N transcripts")
    ap.add_argument("--changed", type=share, metavar="SHARE", help="share of the transcripts that are long, 0 to 1 (default: the conversations as they come)")
    ap.add_argument("--long", type=positive, metavar="TOKENS", default=8000, help="tokens from which a transcript is long, at 4 characters each (default: 8000)")
    ap.add_argument("--messages", type=positive, metavar="N", help="join conversations to transcripts of about N messages")
    ap.add_argument("--chat", type=positive, metavar="CHARACTERS", help="tell what the conversations say as plain turns of so many characters")
    ap.add_argument("out", metavar="OUT", help="file to write, or - for stdout")
    ap.add_argument("files", metavar="FILE", nargs="+", type=Path, help="JSONL file, one conversation a line")
    args = ap.parse_args()
    if args.size is None and args.count is None:
        ap.error("give --size or --count")
    if args.messages is not None and args.changed is not None:
        ap.error("--messages and --changed exclude each other")
    if args.out != "-" and any(os.path.exists(args.out) and os.path.samefile(args.out, f) for f in args.files if f.exists()):
        ap.error("OUT is one of the input files")
    try:
        sources = read(args.files)
        if args.chat is not None:
            sources = list(chats(sources, args.chat))
        if args.messages is not None:
            chosen = of_length(sources, args.messages)
        elif args.changed is not None:
            chosen = mixed(sources, args.changed, args.long)
        else:
            chosen = in_turn(sources)
        lines = (conversation.line(number) for number, conversation in enumerate(chosen))
        if args.out == "-":
            number, written = write(lines, sys.stdout.buffer, args.size, args.count)
        else:
            with open(args.out, "wb", buffering=0) as out:
                number, written = write(lines, out, args.size, args.count)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (BadRecord, OSError, UnicodeDecodeError) as error:
        print(f"make-input.py: {error}", file=sys.stderr)
        return 2
    print(f"make-input.py: {number} transcripts, {written / 1e6:.1f} MB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

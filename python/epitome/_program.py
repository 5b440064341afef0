"""The program ``epitome``: where it is, and how it is run as a filter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from typing import IO, Dict, Iterable, Iterator, List, Optional, Union

Option = Union[str, int, float, bool, os.PathLike, None, List[Union[str, int, float]]]


class EpitomeError(RuntimeError):
    """The program could not do its work. The message is what it printed on stderr."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def find_program() -> str:
    """Returns the path of the program: that of this installation, else the first on the path.

    Raises:
        FileNotFoundError: There is none.
    """
    name = "epitome.exe" if sys.platform == "win32" else "epitome"
    places = [sysconfig.get_path("scripts")]
    user = "nt_user" if os.name == "nt" else "posix_user"
    if user in sysconfig.get_scheme_names():
        places.append(sysconfig.get_path("scripts", user))
    for place in places:
        path = os.path.join(place, name)
        if os.path.isfile(path):
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the program {name} is neither in {places[0]} nor on the PATH")
    return found


def arguments(options: Dict[str, Option]) -> List[str]:
    """Returns the command-line arguments of keyword arguments: ``max_tokens=5`` is ``--max-tokens=5``."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        words.extend(f"{flag}={os.fspath(v) if isinstance(v, os.PathLike) else v}" for v in values)
    return words


def run_filter(words: Iterable[str], lines: Iterable[bytes]) -> Iterator[bytes]:
    """Runs the program with these words. Feeds it lines, and yields the lines that it prints.

    Raises:
        EpitomeError: It ended with another status than 0. Lines that it printed by then are not to be
            used.
    """
    command = [find_program(), *words]
    failures: List[BaseException] = []
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
        assert process.stdin is not None and process.stdout is not None
        feeder = threading.Thread(target=_feed, args=(process.stdin, lines, failures), daemon=True)
        feeder.start()
        try:
            yield from process.stdout
            feeder.join()
            status = process.wait()
        finally:
            # The consumer has enough, or failed.
            if process.poll() is None:
                process.kill()
                process.wait()
            process.stdout.close()
        if failures:
            raise failures[0]
        if status != 0:
            errors.seek(0)
            text = errors.read().decode("utf-8", "replace").strip()
            raise EpitomeError(text or f"epitome ended with status {status}", status)


def run_program(words: Iterable[str], lines: Iterable[bytes] = ()) -> None:
    """Runs the program with these words and lines on its stdin, for the files that it writes.

    Raises:
        EpitomeError: It ended with another status than 0.
    """
    for _ in run_filter(words, lines):
        pass


def _feed(stdin: IO[bytes], lines: Iterable[bytes], failures: List[BaseException]) -> None:
    try:
        for line in lines:
            stdin.write(line)
    except BrokenPipeError:
        pass  # its status says why
    except BaseException as error:  # of the caller's iterable: raised where the rows are read
        failures.append(error)
    finally:
        try:
            stdin.close()
        except OSError:
            pass


def version() -> Optional[str]:
    """Returns the version of the program."""
    printed = subprocess.run([find_program(), "--version"], capture_output=True, text=True)
    return printed.stdout.split()[-1] if printed.returncode == 0 else None

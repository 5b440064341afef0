#!/usr/bin/env python3
"""Records epitome at work on the demonstration file: an animated picture for the README.

    scripts/make-recording.py EPITOME            writes docs/recording.svg
    scripts/make-recording.py EPITOME --check    ends with status 1 if that file is not what it would write

The commands run in a terminal of 100 columns, so the picture shows what a person sees, with colours.
A viewer that shows no animation, or a reader who wants none, sees the last frame.
"""

import argparse
import fcntl
import html
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "recording.svg"
DEMO = "fixtures/demo/flight-change.jsonl"
COMMANDS = [
    f"epitome plan {DEMO} --trigger tokens=3000",
    f"epitome compact {DEMO} --trigger tokens=3000 -o out",
]
COLUMNS = 100

# Seconds: a key, the pause before the output of a command, the pause behind it.
KEY, BEFORE, AFTER = 0.04, 0.4, 1.6
# Pixels.
SIZE, ADVANCE, LINE, MARGIN, BAR = 13, 7.83, 18, 16, 34

BACKGROUND, FOREGROUND, PROMPT, FAINT = "#161b22", "#e6edf3", "#7ee787", "#8b949e"
COLOURS = {
    31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 37: "#e6edf3",
    90: "#8b949e", 91: "#ffa198", 92: "#56d364", 93: "#e3b341", 94: "#a5d6ff", 95: "#d2a8ff", 96: "#b3f0ff", 97: "#ffffff",
}


def run(command, folder):
    """Runs a command of the shell in a terminal. Returns what it printed."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
    environment = {
        "PATH": f"{folder}/bin:{os.environ['PATH']}",
        "HOME": str(folder),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "SOURCE_DATE_EPOCH": "1767225600",
    }
    child = subprocess.Popen(
        ["sh", "-euc", command], cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave, close_fds=True
    )
    os.close(slave)
    printed = b""
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        try:
            part = os.read(master, 65536) if ready else b""
        except OSError:
            part = b""
        if not part:
            break
        printed += part
    os.close(master)
    if child.wait() != 0:
        sys.exit(f"make-recording.py: {command} ended with status {child.returncode}:\n{printed.decode()}")
    # What a line showed before it was cleared was the progress.
    return re.sub(r"[^\n]*\x1b\[2K|\x1b\[\?25[hl]", "", printed.decode().replace("\r\n", "\n"))


def spans(line, style):
    """Splits a line at its colours. Returns the spans as (text, style), and the style behind the line."""
    result = []
    for text, codes in re.findall(r"([^\x1b]*)(?:\x1b\[([0-9;]*)m)?", line):
        if text:
            result.append((text, dict(style)))
        for code in codes.split(";") if codes or text != line else []:
            code = int(code or 0)
            if code == 0:
                style = {}
            elif code == 1:
                style["font-weight"] = "bold"
            elif code == 2:
                style["fill"] = FAINT
            elif code == 4:
                style["text-decoration"] = "underline"
            elif code == 39:
                style.pop("fill", None)
            elif code == 22:
                style.pop("font-weight", None)
            elif code in COLOURS:
                style["fill"] = COLOURS[code]
            else:
                sys.exit(f"make-recording.py: no colour is known for the code {code}")
    return result, style


def text_element(parts, row, start):
    """A line of text that appears at a time."""
    y = BAR + MARGIN + row * LINE
    inner = "".join(
        "<tspan{}>{}</tspan>".format("".join(f' {key}="{value}"' for key, value in style.items()), html.escape(text, quote=False))
        for text, style in parts
    )
    return f'<text x="{MARGIN}" y="{y}" style="animation-delay:{start:.2f}s">{inner}</text>'


def picture(recording):
    """The commands and what they printed, as SVG."""
    rows, clock, elements = 0, 0.5, []
    for command, printed in recording:
        typed = clock + KEY * len(command)
        elements.append(text_element([("$ ", {"fill": PROMPT}), (command, {"font-weight": "bold"})], rows, clock))
        rows += 1
        clock = typed + BEFORE
        style = {}
        for line in printed.rstrip("\n").split("\n"):
            parts, style = spans(line, style)
            elements.append(text_element(parts, rows, clock))
            rows += 1
        clock += AFTER
        rows += 0.5
    width = round(2 * MARGIN + COLUMNS * ADVANCE)
    height = round(BAR + 2 * MARGIN + (rows - 1) * LINE)
    label = "A terminal: " + "; ".join(command for command, _ in recording)
    dots = "".join(
        f'<circle cx="{18 + 18 * place}" cy="17" r="5.5" fill="{colour}"/>'
        for place, colour in enumerate(["#ff5f56", "#ffbd2e", "#27c93f"])
    )
    style = (
        f"text{{font:{SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:{FOREGROUND};"
        # Chromium heeds no xml:space on the root; without it runs of blanks collapse.
        "white-space:pre;"
        "animation:appear .15s both}"
        "@keyframes appear{from{opacity:0}to{opacity:1}}"
        "@media (prefers-reduced-motion:reduce){text{animation:none}}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{html.escape(label)}">',
            f"<style>{style}</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
            dots,
            *elements,
            "</svg>",
            "",
        ]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("epitome", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin" / "epitome").symlink_to(arguments.epitome.resolve())
        (folder / DEMO).parent.mkdir(parents=True)
        shutil.copy(ROOT / DEMO, folder / DEMO)
        made = picture([(command, run(command, folder)) for command in COMMANDS])
    if not arguments.check:
        PICTURE.write_text(made, encoding="utf-8")
    elif not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != made:
        sys.exit(f"{PICTURE.relative_to(ROOT)} is not what the program prints; scripts/make-recording.py EPITOME writes it anew")


if __name__ == "__main__":
    main()

"""``python -m epitome`` is the program ``epitome``."""

import subprocess
import sys

from ._program import find_program

if __name__ == "__main__":
    sys.exit(subprocess.call([find_program(), *sys.argv[1:]]))

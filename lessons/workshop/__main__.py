"""Write the folder: python -m lessons.workshop DIR [--lang zh] [--solutions]"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lessons.workshop import words
from lessons.workshop.folder import Refused, write


def main(arguments: list[str]) -> str | None:
    """What went wrong, as a sentence; None where nothing did."""
    parser = argparse.ArgumentParser(
        prog="python -m lessons.workshop", description="Build it yourself: write the folder."
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that does not exist yet, or is empty")
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="the language of its words")
    parser.add_argument("--solutions", action="store_true", help="with a folder of solutions")
    asked = parser.parse_args(arguments)
    try:
        n = write(asked.folder, asked.lang, asked.solutions)
    except Refused as refused:
        return str(refused)
    print(words.WRITTEN.of(asked.lang).format(n=n, folder=asked.folder))
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

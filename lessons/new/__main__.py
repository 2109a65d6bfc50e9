"""python -m lessons.new SLUG: writes the skeleton of a lesson and says what is left to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lessons.new.copying import Refused, checked, copied, left_to_do

ROOT = Path(__file__).parents[2]


def main(words: list[str], root: Path = ROOT) -> None:
    """Exits with a sentence where the slug cannot be used; nothing is written then."""
    try:
        slug = checked(words[0] if len(words) == 1 else "", root)
    except Refused as refused:
        sys.exit(str(refused))
    files = copied(slug, root)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    written = [str(root / path) for path in files]
    for job in (["check", "--select", "I", "--fix", "--quiet"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *job, *written], check=False, cwd=root)
    print(f"The lesson {slug} runs: make dev, then open /{slug}. Left to do:")
    print(*(f"  {task}" for task in left_to_do(files)), sep="\n")
    print(f"Its tests: .venv/bin/python -m pytest -q tests/lessons tests/engine/test_{slug}.py -k {slug}")


if __name__ == "__main__":
    main(sys.argv[1:])

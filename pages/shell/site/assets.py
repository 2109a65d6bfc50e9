"""The files the browser runs, read once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from lessons.kit import colours

ASSETS = Path(__file__).parents[3] / "assets"

_COMMENT = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n", re.M | re.S)
_IMPORT = re.compile(r'^import \{ \w+(?:, \w+)* \} from "\./(\w+\.js)";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) \w)", re.M)
_NAME = re.compile(r"^(?:async )?(?:function|class|const|let) (\w+)", re.M)
_DEFAULT = re.compile(r"^export default ", re.M)
_UNKNOWN = re.compile(r"^ *import\b.*|\bimport\(.*|^ *export (?!default ).*", re.M)


@cache
def asset(name: str) -> str:
    return (ASSETS / name).read_text("utf-8")


@cache
def script(entry: str) -> str:
    """The module `entry` with all that it imports."""
    return joined(entry, asset)


def joined(entry: str, read: Callable[[str], str]) -> str:
    """One module of several, since a component is given one: each once, after those that it imports, without the
    comments that hold its types. Raises ValueError where a file imports or exports in another way than by
    `import { name } from "./file.js"` and `export` before what it names, and where two things have one name."""
    seen: set[str] = set()

    def follow(name: str) -> Iterator[str]:
        if name not in seen:
            seen.add(name)
            text = read(name)
            for imported in _IMPORT.findall(text):
                yield from follow(imported)
            yield _EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", text)))

    whole = "".join(follow(entry))
    names = _NAME.findall(whole)
    if wrong := _UNKNOWN.search(whole):
        raise ValueError(f"{entry}: {wrong[0]}")
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"{entry}: named twice: {', '.join(sorted(twice))}")
    if len(_DEFAULT.findall(whole)) != 1:
        raise ValueError(f"{entry}: one default export, of {entry} itself")
    return whole


@cache
def figure_css() -> str:
    """The look of the figures: the course's colours, then what each role makes of them."""
    return colours.css() + asset("figure.css")

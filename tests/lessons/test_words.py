"""Words as they stand in the source: both languages have the same places, and no plural is made by hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.kit.told import Told

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("lessons", "pages") for path in (ROOT / folder).rglob("*.py"))
BY_HAND = re.compile(
    r"""['"](?:e?s|es)['"] ?\* ?\(|\* ?['"]e?s['"]|(?:==|!=|>) 1 else ['"](?:s|es|are|have|they|them)\b"""
)


def written(path: Path) -> Iterator[tuple[int, Told]]:
    """Every Told whose words stand in the source, made anew: that checks its places."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Name("Told"), args=[ast.Constant(str(en)), ast.Constant(str(zh))]):
                yield node.lineno, Told(en, zh)


def test_every_told_has_the_same_places_in_both_languages() -> None:
    assert sum(1 for path in FILES for _ in written(path)) > 500


@pytest.mark.parametrize(("en", "zh"), [("{n} rows", "行"), ("{n:row}", "{n:row}"), ("{n}", "{m}")])
def test_a_told_with_other_places_in_the_other_language_is_refused(en: str, zh: str) -> None:
    with pytest.raises(ValueError, match=r"^(places differ|Chinese has no plural)"):
        Told(en, zh)


def test_a_place_that_nothing_fills_is_an_error() -> None:
    with pytest.raises(LookupError, match="left"):
        Told("{left}", "{left}").on(1, n=2)


def test_no_plural_is_made_by_hand() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{n}: {line.strip()}"
        for path in FILES
        for n, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if BY_HAND.search(line)
    ] == []

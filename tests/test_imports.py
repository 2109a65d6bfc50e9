"""What import-linter cannot say: the engine's short list, and what the one file app.py may import."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = sorted((ROOT / "engine").rglob("*.py"))
GPU_MODULE = ROOT / "engine" / "measuring" / "gpu.py"
GPU_LIBRARIES = {"torch"}


def imported(nodes: list[ast.stmt] | Iterator[ast.AST]) -> set[str]:
    """The top-level names of all packages that these nodes import themselves."""
    names: set[str] = set()
    for node in nodes:
        match node:
            case ast.Import():
                names |= {alias.name.partition(".")[0] for alias in node.names}
            case ast.ImportFrom(module=str(module), level=0):
                names.add(module.partition(".")[0])
    return names


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.stem)
def test_the_engine_imports_the_standard_library_and_numpy_only(path: Path) -> None:
    allowed = sys.stdlib_module_names | {"numpy", "engine"}
    in_functions = GPU_LIBRARIES if path == GPU_MODULE else set()
    assert imported(tree(path).body) <= allowed
    assert imported(ast.walk(tree(path))) <= allowed | in_functions


def test_the_app_imports_streamlit_pages_and_lessons_only() -> None:
    allowed = sys.stdlib_module_names | {"streamlit", "pages", "lessons"}
    assert imported(ast.walk(tree(ROOT / "app.py"))) <= allowed

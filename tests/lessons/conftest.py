"""All tests of one lesson, preset and mistake run one after another, so that its pictures are drawn once and then let
go."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_case)


def _case(item: pytest.Item) -> str:
    """The case's name; every other test keeps its place before them."""
    case = getattr(item, "callspec", None)
    return "" if case is None or "case" not in case.params else str(case.params["case"].id)

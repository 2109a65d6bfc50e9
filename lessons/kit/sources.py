"""Where a claim comes from, and how far it has been checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lessons.kit.text import Text


@dataclass(frozen=True)
class Source:
    """A text or paper. `checked` is *computed* (the engine gives its figures), *read* (in the original) or
    *secondary*."""

    title: Text
    what: Text
    checked: Literal["computed", "read", "secondary"]


CHECKED = {
    "computed": Text("its figures are computed here, live", "其中的数字由本页实时算出"),
    "read": Text("read in the original", "已查阅原文"),
    "secondary": Text("known at second hand; shown as background only", "仅见于二手资料，只作背景"),
}

"""What a reader may edit, and how the fields become a Scenario."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.copy_on_write import NAMES
from engine.shared_blocks import MOST_TOKENS, MOST_WRITES, SIZES, Arrival, Scenario
from lessons.copy_on_write.mistakes import MISTAKES
from lessons.kit.controls import BadInput, Choice, Complaint, Line, Whole, about, ascii_number, shown
from lessons.kit.form import Form
from lessons.kit.text import Text


def _letters(line: Line, typed: str) -> tuple[str, ...]:
    letters = tuple(re.sub(r"[\s,，、;；]+", "", ascii_number(typed)).upper())
    if set(letters) <= set(NAMES) and len(letters) <= MOST_WRITES:
        return letters
    raise BadInput(
        about(
            line,
            f"takes up to {MOST_WRITES} letters, each A or B, e.g. `A, B`; it reads “{shown(typed)}”.",
            f"最多 {MOST_WRITES} 个字母，每个是 A 或 B，例如 `A, B`；现在是“{shown(typed)}”。",
        )
    )


ARRIVAL = Choice.among(
    "b",
    Text("How B starts", "B 的来源"),
    {
        Arrival.FORK: Text("a fork of A", "A 的分叉"),
        Arrival.SAME: Text("prefix cache: same identity", "前缀缓存：身份相同"),
        Arrival.ADAPTER: Text("prefix cache: another adapter", "前缀缓存：另一个适配器"),
        Arrival.MODEL: Text("prefix cache: another model", "前缀缓存：另一个模型"),
        Arrival.SALT: Text("prefix cache: another salt (tenant)", "前缀缓存：另一个盐（租户）"),
        Arrival.ADAPTER_AS_SALT: Text(
            "prefix cache: A’s adapter X, B’s salt X", "前缀缓存：A 的适配器叫 X，B 的盐也叫 X"
        ),
        Arrival.REPEAT: Text("prefix cache: B repeats A’s opening", "前缀缓存：B 重复 A 的开头"),
    },
    of="arrival",
)
TOKENS = Whole("tokens", Text("Tokens of A", "A 的 token 数"), 1, MOST_TOKENS, of="n_tokens")
BLOCK = Whole("block", Text("Block size", "块大小"), *SIZES, of="block_size")
WRITERS = Line(
    "writers",
    Text("Who writes, in order", "写入次序"),
    Text(
        f"up to {MOST_WRITES} letters A or B, e.g. A, B; empty: nobody writes",
        f"最多 {MOST_WRITES} 个字母 A 或 B，例如 A, B；留空则没有人写",
    ),
    40,
    parse=_letters,
    show=", ".join,
)
SHARED = Whole("common", Text("B’s tokens in common with A", "B 与 A 相同的 token 数"), 0, MOST_TOKENS, of="n_shared")
OWN = Whole("own", Text("B’s other tokens", "B 的其他 token 数"), 0, MOST_TOKENS, of="n_own")


def _common(values: Mapping[str, Any]) -> int:
    """A fork has no use for the field, so it never has to fit."""
    common: int = values["common"]
    return min(common, values["tokens"]) if values["b"] is Arrival.FORK else common


def _together(values: Mapping[str, Any]) -> Iterator[Complaint]:
    n, own, common = values["tokens"], values["own"], _common(values)
    if common > n:
        yield about(
            SHARED,
            f"may be at most {n}, the tokens of A; it reads {common}.",
            f"最多 {n}（A 的 token 数），现在是 {common}。",
        )
    elif not 1 <= common + own <= MOST_TOKENS:
        low, high = max(0, 1 - common), MOST_TOKENS - common
        yield about(
            OWN,
            f"must be {low} to {high} here, so that B has 1 to {MOST_TOKENS} tokens; it reads {own}.",
            f"这里应为 {low} 到 {high}，使 B 有 1 到 {MOST_TOKENS} 个 token；现在是 {own}。",
        )


def _scenario(v: Mapping[str, Any]) -> Scenario:
    return Scenario(v["b"], v["tokens"], v["block"], v["writers"], _common(v), v["own"], v["mistake"])


FORM: Form[Scenario] = Form(
    (ARRIVAL, TOKENS, BLOCK, WRITERS, SHARED, OWN, MISTAKES.choice), build=_scenario, together=_together
)

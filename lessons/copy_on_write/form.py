"""What a reader may edit, and how the fields become a Scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.copy_on_write import NAMES
from engine.shared_blocks import MOST_TOKENS, MOST_WRITES, SIZES, Arrival, Mistake, Scenario
from lessons.copy_on_write.naming import MISTAKES
from lessons.kit.controls import BadInput, Choice, Line, Whole, ascii_number, shown
from lessons.kit.form import Form
from lessons.kit.text import Text

ARRIVALS: dict[Arrival, Text] = {
    Arrival.FORK: Text("a fork of A", "A 的分叉"),
    Arrival.SAME: Text("prefix cache: same identity", "前缀缓存：身份相同"),
    Arrival.ADAPTER: Text("prefix cache: another adapter", "前缀缓存：另一个适配器"),
    Arrival.MODEL: Text("prefix cache: another model", "前缀缓存：另一个模型"),
    Arrival.SALT: Text("prefix cache: another salt (tenant)", "前缀缓存：另一个盐（租户）"),
    Arrival.ADAPTER_AS_SALT: Text("prefix cache: A’s adapter X, B’s salt X", "前缀缓存：A 的适配器叫 X，B 的盐也叫 X"),
    Arrival.REPEAT: Text("prefix cache: B repeats A’s opening", "前缀缓存：B 重复 A 的开头"),
}

ARRIVAL = Choice(
    "b", Text("How B starts", "B 的来源"), tuple((arrival.value, words) for arrival, words in ARRIVALS.items())
)
TOKENS = Whole("tokens", Text("Tokens of A", "A 的 token 数"), 1, MOST_TOKENS)
BLOCK = Whole("block", Text("Block size", "块大小"), *SIZES)
WRITERS = Line(
    "writers",
    Text("Who writes, in order", "写入次序"),
    Text(
        f"up to {MOST_WRITES} letters A or B, e.g. A, B; empty: nobody writes",
        f"最多 {MOST_WRITES} 个字母 A 或 B，例如 A, B；留空则没有人写",
    ),
    40,
)
SHARED = Whole("common", Text("B’s tokens in common with A", "B 与 A 相同的 token 数"), 0, MOST_TOKENS)
OWN = Whole("own", Text("B’s other tokens", "B 的其他 token 数"), 0, MOST_TOKENS)
MISTAKE = Choice(
    "mistake",
    Text("Compare with a mistake", "与一种错误比较"),
    tuple((mistake.value, words) for mistake, words in MISTAKES.items()),
    short=Text("Mistake", "错误"),
)


def _values(scenario: Scenario) -> dict[str, Any]:
    return {
        "b": scenario.arrival.value,
        "tokens": scenario.n_tokens,
        "block": scenario.block_size,
        "writers": ", ".join(scenario.writers),
        "common": scenario.n_shared,
        "own": scenario.n_own,
        "mistake": scenario.mistake.value,
    }


def _build(values: Mapping[str, Any]) -> Scenario:
    arrival = Arrival(values["b"])
    n, common, own = values["tokens"], values["common"], values["own"]
    complaints: list[Text] = []
    if common > n and arrival is Arrival.FORK:  # a fork has no use for it: no reason to complain
        common = n
    if common > n:
        complaints.append(
            Text(
                f"**{SHARED.label.en}** may be at most {n}, the tokens of A; it reads {common}.",
                f"**{SHARED.label.zh}**最多 {n}（A 的 token 数），现在是 {common}。",
            )
        )
    elif not 1 <= common + own <= MOST_TOKENS:
        low, high = max(0, 1 - common), MOST_TOKENS - common
        complaints.append(
            Text(
                f"**{OWN.label.en}** must be {low} to {high} here, so that B has 1 to {MOST_TOKENS} tokens; it reads "
                f"{own}.",
                f"**{OWN.label.zh}**这里应为 {low} 到 {high}，使 B 有 1 到 {MOST_TOKENS} 个 token；现在是 {own}。",
            )
        )
    try:
        writers = _writers(values["writers"])
    except BadInput as bad:
        complaints += bad.complaints
    if complaints:
        raise BadInput(*complaints)
    return Scenario(arrival, n, values["block"], writers, common, own, Mistake(values["mistake"]))


def _writers(typed: str) -> tuple[str, ...]:
    letters = tuple(re.sub(r"[\s,，、;；]+", "", ascii_number(typed)).upper())
    if set(letters) <= set(NAMES) and len(letters) <= MOST_WRITES:
        return letters
    raise BadInput(
        Text(
            f"**{WRITERS.label.en}** takes up to {MOST_WRITES} letters, each A or B, e.g. `A, B`; it reads "
            f"“{shown(typed)}”.",
            f"**{WRITERS.label.zh}**最多 {MOST_WRITES} 个字母，每个是 A 或 B，例如 `A, B`；现在是“{shown(typed)}”。",
        )
    )


FORM: Form[Scenario] = Form((ARRIVAL, TOKENS, BLOCK, WRITERS, SHARED, OWN, MISTAKE), _build, _values)

"""What a reader may edit: the prompt, the sizes, the three switches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.three_savings import CONFIG, Scenario, tokens
from lessons.kit.controls import BadInput, Choice, Complaint, Control, Line, Whole, about, ascii_number, shown
from lessons.kit.form import Form
from lessons.kit.text import Text
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import NAMES, OFF, ON, SHORT

MOST_PROMPT, MOST_NEW = 24, 6
LAST_TOKEN = CONFIG.vocab_size - 1


def _prompt(line: Line, typed: str) -> tuple[int, ...]:
    words = [ascii_number(word) for word in re.split(r"[\s,，、;；]+", typed) if word]
    numbers = [int(word) for word in words if len(word) < 4 and word.isascii() and word.isdecimal()]
    if len(numbers) != len(words) or not 2 <= len(numbers) <= MOST_PROMPT or max(numbers) > LAST_TOKEN:
        raise BadInput(
            about(
                line,
                f"must be 2 to {MOST_PROMPT} whole numbers from 0 to {LAST_TOKEN}; it reads “{shown(typed)}”.",
                f"应为 2 到 {MOST_PROMPT} 个 0 到 {LAST_TOKEN} 的整数，现在是“{shown(typed)}”。",
            )
        )
    return tuple(numbers)


PROMPT = Line(
    "prompt",
    Text("Prompt, as token numbers", "提示（token 编号）"),
    Text(
        f"2 to {MOST_PROMPT} numbers from 0 to {LAST_TOKEN}, e.g. 3, 10, 6",
        f"2 到 {MOST_PROMPT} 个 0 到 {LAST_TOKEN} 的数，例如 3, 10, 6",
    ),
    parse=_prompt,
    show=lambda prompt: ", ".join(map(str, prompt)),
)
NEW = Whole("new", Text("New tokens", "新 token 数"), 1, MOST_NEW, of="n_new")
TILE = Whole("tile", Text("Tile size (positions)", "分块大小（位置数）"), 2, 32, of="tile_size")
BLOCK = Whole("block", Text("Block size (positions)", "内存块大小（位置数）"), 1, 32, of="block_size")
RESERVE = Whole("reserve", Text("Set aside without paging (positions)", "不分页时预留（位置数）"), 2, 256, of="max_len")
SWITCHES = tuple(
    Choice(
        name,
        Text("Your choice: ", "你的选择：") + (NAMES[name] if name == "cache" else words),
        (("off", OFF), ("on", ON)),
        of=f"choice.{name}",
        values=(False, True),
    )
    for name, words in SHORT.items()
)


def _holds_all(values: Mapping[str, Any]) -> Iterator[Complaint]:
    needed, reserve = len(values["prompt"]) + values["new"] - 1, values["reserve"]
    if reserve < needed:
        yield about(
            RESERVE,
            f"must hold the prompt and all but the last new token, here {needed} positions; it reads “{reserve}”.",
            f"要放得下提示和除最后一个以外的新 token，这里是 {needed} 个位置；现在是“{reserve}”。",
        )


FORM: Form[Scenario] = Form((PROMPT, NEW, TILE, BLOCK, RESERVE, *SWITCHES, MISTAKES.choice), together=_holds_all)

N_PROMPT = Whole("n_prompt", Text("Prompt tokens", "提示的 token 数"), 2, MOST_PROMPT)


def counted(*controls: Control) -> Form[Scenario]:
    """A question's form, whose prompt is known by its length alone: the source's tokens. What it leaves out stays as
    it is."""
    return Form(
        controls,
        build=lambda values: FORM.made({**values, "prompt": tokens(values["n_prompt"])}, Scenario()),
        values=lambda s: FORM.taken_apart(s) | {"n_prompt": s.n_prompt},
    )

"""What a reader may edit: the prompt, the sizes, the three switches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.three_ledgers import Switches
from engine.three_savings import CONFIG, Mistake, Scenario, tokens
from lessons.kit.controls import BadInput, Choice, Control, Line, Whole, ascii_number, shown
from lessons.kit.form import Form
from lessons.kit.text import Text
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.ways import NAMES, OFF, ON, is_on

MOST_PROMPT, MOST_NEW = 24, 6
LAST_TOKEN = CONFIG.vocab_size - 1

PROMPT = Line(
    "prompt",
    Text("Prompt, as token numbers", "提示（token 编号）"),
    Text(
        f"2 to {MOST_PROMPT} numbers from 0 to {LAST_TOKEN}, e.g. 3, 10, 6",
        f"2 到 {MOST_PROMPT} 个 0 到 {LAST_TOKEN} 的数，例如 3, 10, 6",
    ),
)
N_PROMPT = Whole("n_prompt", Text("Prompt tokens", "提示的 token 数"), 2, MOST_PROMPT)
NEW = Whole("new", Text("New tokens", "新 token 数"), 1, MOST_NEW)
TILE = Whole("tile", Text("Tile size (positions)", "分块大小（位置数）"), 2, 32)
BLOCK = Whole("block", Text("Block size (positions)", "内存块大小（位置数）"), 1, 32)
RESERVE = Whole("reserve", Text("Set aside without paging (positions)", "不分页时预留（位置数）"), 2, 256)
SWITCHES = tuple(
    Choice(
        name,
        Text("Your choice: ", "你的选择：") + Text(title.en if name == "cache" else title.en.lower(), title.zh),
        (("off", OFF), ("on", ON)),
    )
    for name, title in NAMES.items()
)
MISTAKE = Choice(
    "mistake",
    Text("Compare with a misunderstanding", "与一种误解比较"),
    tuple((mistake.value, words) for mistake, words in MISTAKES.items()),
    short=Text("Mistake", "误解"),
)


def _values(scenario: Scenario) -> dict[str, Any]:
    return {
        "prompt": ", ".join(map(str, scenario.prompt)),
        "new": scenario.n_new,
        "tile": scenario.tile_size,
        "block": scenario.block_size,
        "reserve": scenario.max_len,
        **{name: "on" if is_on(scenario.choice, name) else "off" for name in NAMES},
        "mistake": scenario.mistake.value,
    }


def _build(values: Mapping[str, Any]) -> Scenario:
    prompt = _prompt(values["prompt"])
    needed = len(prompt) + values["new"] - 1
    if values["reserve"] < needed:
        raise BadInput(
            Text(
                f"**{RESERVE.label.en}** must hold the prompt and all but the last new token, here {needed} "
                "positions; it reads "
                f"“{values['reserve']}”.",
                f"**{RESERVE.label.zh}**要放得下提示和除最后一个以外的新 token，这里是 {needed} 个位置；现在是"
                f"“{values['reserve']}”。",
            )
        )
    return Scenario(
        prompt,
        values["new"],
        values["tile"],
        values["block"],
        values["reserve"],
        Switches(*(values[name] == "on" for name in NAMES)),
        Mistake(values["mistake"]),
    )


def _prompt(typed: str) -> tuple[int, ...]:
    words = [ascii_number(word) for word in re.split(r"[\s,，、;；]+", typed) if word]
    numbers = [int(word) for word in words if len(word) < 4 and word.isascii() and word.isdecimal()]
    if len(numbers) != len(words) or not 2 <= len(numbers) <= MOST_PROMPT or max(numbers) > LAST_TOKEN:
        raise BadInput(
            Text(
                f"**{PROMPT.label.en}** must be 2 to {MOST_PROMPT} whole numbers from 0 to {LAST_TOKEN}; it reads "
                f"“{shown(typed)}”.",
                f"**{PROMPT.label.zh}**应为 2 到 {MOST_PROMPT} 个 0 到 {LAST_TOKEN} 的整数，现在是“{shown(typed)}”。",
            )
        )
    return tuple(numbers)


def counted(*controls: Control) -> Form[Scenario]:
    """A form whose prompt is known by its length alone: the source's tokens. What it leaves out stays as it is."""

    def values(scenario: Scenario) -> dict[str, Any]:
        return _values(scenario) | {"n_prompt": len(scenario.prompt)}

    def build(given: Mapping[str, Any]) -> Scenario:
        return _build({**given, "prompt": ", ".join(map(str, tokens(given["n_prompt"])))})

    return Form(controls, build, values)


FORM = Form((PROMPT, NEW, TILE, BLOCK, RESERVE, *SWITCHES, MISTAKE), _build, _values)

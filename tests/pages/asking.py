"""A page with a worked solution in the player whose steps ask in each way there is: the app of test_predict_kinds."""

from __future__ import annotations

import streamlit as st

from lessons.kit.ask import Ask, Guess
from lessons.kit.lesson import Frame, Narration
from lessons.kit.roles import Role
from lessons.kit.scene import Scene
from lessons.kit.shapes import Cell, Label
from lessons.kit.text import Lang, Text, same
from pages.shell.lesson.player import player_of

LENGTHS = {"a": 3, "b": 4, "c": 5}
TOTAL, LONGEST = sum(LENGTHS.values()), max(LENGTHS, key=lambda key: LENGTHS[key])
BLOCK = 4
BLOCKS = -(-TOTAL // BLOCK)

SUM = Ask(
    Text("How many tokens are there in all?", "一共有多少个 token？"),
    float(TOTAL),
    (
        Guess(float(TOTAL - LENGTHS["c"]), Text("That leaves out the last request.", "这漏掉了最后一个请求。")),
        Guess(float(len(LENGTHS)), Text("That counts requests, not tokens.", "这数的是请求，不是 token。")),
    ),
    relative=0,
    absolute=0,
    shown=str(TOTAL),
)
FITS = Ask(
    Text(
        "Into how many blocks of $4$ do they go if each begins a block of its own?",
        "若每个请求都另起一块，每块 $4$ 个，需要几块？",
    ),
    3.0,
    (Guess(1.0, Text("That shares a block between requests.", "这让不同的请求共用了一块。")),),
    (same(str(BLOCKS)), same(str(BLOCKS + 2)), same(str(BLOCKS + 1))),
)
WHICH = Ask(
    Text("Which request needs a second block?", "哪个请求需要第二块？"),
    LONGEST,
    (Guess("b", Text("It fills its block to the last slot.", "它正好填满一块。")),),
    shown=Text(f"the last one, {LENGTHS[LONGEST]}", f"最后一个，{LENGTHS[LONGEST]}"),
)  # fmt: skip
ASKS = (None, SUM, FITS, WHICH)


def picture(step: int) -> Scene:
    cells = tuple(
        Cell(key, 30 + 140 * i, 40, str(n), roles=(Role.NEW,) if step == 3 and key == LONGEST else ())
        for i, (key, n) in enumerate(LENGTHS.items())
    )
    title = Label("title", 30, 20, Text(f"Lengths, step {step + 1}", f"长度，第 {step + 1} 步"))
    return Scene(460, 110, Text(f"Three lengths, step {step + 1}.", f"三个长度，第 {step + 1} 步。"), (title, *cells))


FRAMES = tuple(
    Frame(
        Narration(
            f"step-{i}",
            Text(f"Step {i + 1}", f"第 {i + 1} 步"),
            Text(f"What step {i + 1} shows", f"第 {i + 1} 步的内容"),
            Text(f"Why, at step {i + 1}.", f"第 {i + 1} 步的理由。"),
            ask=ask,
        ),
        picture(i),
    )
    for i, ask in enumerate(ASKS)
)
TITLE = Text("Worked solution", "解题过程")

if __name__ == "__main__":
    lang: Lang = "zh" if st.query_params.get("lang") == "zh" else "en"
    player_of(FRAMES, TITLE, lang, key="worked")

"""The prompt that most questions begin with: its numbers, and what is said of it in several."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.three_ledgers import CACHE, Switches
from engine.three_savings import Scenario, tokens
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.form import MOST_NEW, MOST_PROMPT

GIVEN = Told(
    "A causal decoder, a prompt of {n_prompt:token}, {n_new:new one}; the prompt’s own pass gives the first of them.",
    "因果解码器，提示 {n_prompt} 个 token，生成 {n_new} 个新 token；第一个由提示那一遍给出。",
)
ASKED = Text("Which claim is wrong, and what should it say?", "哪条说法是错的？应当怎么说？")
ONE_MORE = Text(
    "One pass too many. The last new token is read off the logits and never goes through the model.",
    "多算了一遍。最后一个新 token 直接从 logits 读出，不再进模型。",
)
NUMBERS = Text("Numbers, not bytes", "数成了个数")
THOSE_ARE_NUMBERS = Told("Those are numbers. Each has {itemsize} bytes.", "这是个数。每个数有 {itemsize} 字节。")
NOT_READ_BACK = Text("Forgot to read back", "忘了读回")


def invent(rng: random.Random) -> Scenario:
    p, m = rng.randint(5, MOST_PROMPT - 4), rng.randint(2, MOST_NEW)
    return Scenario(tokens(p), m, 4, rng.choice((2, 4, 8)), p + m + rng.randint(6, 60), CACHE)


def chosen(s: Scenario, switches: Switches) -> Scenario:
    return replace(s, choice=switches)

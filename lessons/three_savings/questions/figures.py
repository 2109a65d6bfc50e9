"""What the questions count: the ledgers of a scenario by formula, and the numbers that a wrong count would give."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.attention import score_table_bytes
from engine.three_ledgers import ITEM, Ledgers, Switches, from_shapes, row_bytes
from engine.three_savings import CONFIG, Mistake, Scenario, tokens
from lessons.kit.text import Text
from lessons.three_savings.form import MOST_NEW, MOST_PROMPT
from lessons.three_savings.ways import HEADS

CHAPTER = Scenario()
OFF, CACHE = Switches(), Switches(cache=True)
CACHE_PAGING = Switches(cache=True, paging=True)
ROW = row_bytes(CONFIG)


def cost(s: Scenario, switches: Switches) -> Ledgers:
    """What that way costs."""
    return from_shapes(
        len(s.prompt), s.n_new, switches, tile_size=s.tile_size, block_size=s.block_size, max_len=s.max_len
    )


def pairs(s: Scenario, switches: Switches) -> int:
    """In one head of one layer."""
    return cost(s, switches).pairs // HEADS


def invent(rng: random.Random) -> Scenario:
    p, m = rng.randint(5, MOST_PROMPT - 4), rng.randint(2, MOST_NEW)
    return Scenario(tokens(p), m, 4, rng.choice((2, 4, 8)), p + m + rng.randint(6, 60), CACHE)


def chosen(s: Scenario, switches: Switches, mistake: Mistake = Mistake.NONE) -> Scenario:
    return replace(s, choice=switches, mistake=mistake)


def n_prompt(s: Scenario) -> int:
    return len(s.prompt)


def longer(s: Scenario) -> Scenario:
    """One pass more, as if the last new token had to go in, too."""
    return replace(s, n_new=s.n_new + 1, max_len=s.max_len + 1)


def squares(s: Scenario, switches: Switches) -> int:
    """Pairs with the masked ones counted."""
    if switches.cache:
        return n_prompt(s) ** 2 + sum(range(n_prompt(s) + 1, s.n_kept + 1))
    return sum(t * t for t in range(n_prompt(s), s.n_kept + 1))


def given(s: Scenario) -> Text:
    return Text(
        f"A causal decoder, a prompt of {n_prompt(s)} tokens, {s.n_new} new ones; the prompt’s own pass gives the "
        "first of them.",
        f"因果解码器，提示 {n_prompt(s)} 个 token，生成 {s.n_new} 个新 token；第一个由提示那一遍给出。",
    )


ONE_MORE = Text(
    "One pass too many. The last new token is read off the logits and never goes through the model.",
    "多算了一遍。最后一个新 token 直接从 logits 读出，不再进模型。",
)
MASKED = Text(
    "That counts the masked pairs of a full table. A causal query meets only itself and what is before it.",
    "这把整张表里被屏蔽的配对也算进去了。因果查询只遇到自己和它之前的键。",
)
EXACT = 0.0005


def table(t: int) -> int:
    return score_table_bytes(t, t, itemsize=ITEM)

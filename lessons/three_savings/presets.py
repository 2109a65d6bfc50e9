"""The examples: the first prompt is the chapter's."""

from __future__ import annotations

from dataclasses import replace

from engine.three_ledgers import ALL_ON, CACHE, PAGING
from engine.three_savings import Scenario, tokens
from lessons.kit.lesson import Preset
from lessons.kit.text import Text

CHAPTER = Scenario()

PRESETS = (
    Preset("chapter", Text("10 + 5 tokens; yours: cache + tiles", "10 + 5 个 token；你的选择：缓存 + 分块"), CHAPTER),
    Preset("paging-alone", Text("yours: paging alone", "你的选择：只开分页"), replace(CHAPTER, choice=PAGING)),
    Preset(
        "short-reserve",
        Text("24 tokens, nothing set aside in vain; yours: cache", "24 个 token，预留刚好够；你的选择：缓存"),
        Scenario(tokens(24), 6, 8, 8, 29, CACHE),
    ),
    Preset(
        "one-new",
        Text(
            "one new token: the cache saves nothing yet; yours: all on", "只有一个新 token：缓存还没省；你的选择：全开"
        ),
        replace(CHAPTER, n_new=1, choice=ALL_ON),
    ),
)

"""The examples: the chapter's first."""

from __future__ import annotations

from dataclasses import replace

from engine.shared_blocks import Arrival, Scenario
from lessons.kit.lesson import Preset
from lessons.kit.text import Text

CHAPTER = Scenario()
_CACHE = Scenario(Arrival.SAME, writers=("A",))

PRESETS = (
    Preset("chapter", Text("fork: ten tokens, A writes first", "分叉：十个 token，A 先写"), CHAPTER),
    Preset("b-first", Text("fork: B writes first", "分叉：B 先写"), replace(CHAPTER, writers=("B", "A"))),
    Preset(
        "both-lose",
        Text("fork: A, B, B, A write", "分叉：依次 A、B、B、A 写"),
        replace(CHAPTER, writers=("A", "B", "B", "A")),
    ),
    Preset(
        "full-blocks", Text("fork: full blocks only, no copy", "分叉：全是满块，不复制"), replace(CHAPTER, n_tokens=12)
    ),
    Preset(
        "blocks-of-two",
        Text("fork: blocks of two", "分叉：每块两个"),
        replace(CHAPTER, n_tokens=5, block_size=2, n_shared=5),
    ),
    Preset("same-prefix", Text("prefix cache: same beginning", "前缀缓存：开头相同"), _CACHE),
    Preset(
        "whole-prompt",
        Text("prefix cache: the whole prompt known", "前缀缓存：整个提示都见过"),
        replace(_CACHE, n_own=0),
    ),
    Preset(
        "other-adapter",
        Text("prefix cache: another adapter", "前缀缓存：另一个适配器"),
        replace(_CACHE, arrival=Arrival.ADAPTER),
    ),
    Preset(
        "other-model",
        Text("prefix cache: another model", "前缀缓存：另一个模型"),
        replace(_CACHE, arrival=Arrival.MODEL),
    ),
    Preset(
        "other-tenant",
        Text("prefix cache: another tenant", "前缀缓存：另一个租户"),
        replace(_CACHE, arrival=Arrival.SALT),
    ),
    Preset(
        "tags",
        Text("prefix cache: adapter X, salt X", "前缀缓存：适配器 X，盐 X"),
        replace(_CACHE, arrival=Arrival.ADAPTER_AS_SALT),
    ),
    Preset(
        "repeated-block",
        Text("prefix cache: a block repeated", "前缀缓存：重复的一块"),
        replace(_CACHE, arrival=Arrival.REPEAT, n_shared=4, n_own=6),
    ),
)

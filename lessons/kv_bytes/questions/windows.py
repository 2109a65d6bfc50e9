"""Tick what layers with and without a window still hold."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.kv_size import Scenario
from engine.models import LayerGroup
from lessons.kit.controls import Choice, Control, Whole
from lessons.kit.form import Form
from lessons.kit.format import many
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Tick
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kv_bytes.questions.drawn import own

LAYERS = 4


@dataclass(frozen=True)
class Kept:
    """Layers of which some have a window of `window` tokens, after `tokens` tokens."""

    tokens: int
    window: int
    local: tuple[bool, ...]

    def holds(self, local: bool) -> int:
        """How many tokens a layer of that kind holds."""
        return LayerGroup(1, self.window if local else None).cached_tokens(self.tokens)

    def ticked(self, held: list[int], *, first: bool = False) -> Answer:
        """Ticks where layer i holds the last held[i] tokens; with `first`, the first ones."""
        t = self.tokens
        return tuple(float(p < n if first else p >= t - n) for n in held for p in range(t))

    @property
    def right(self) -> list[int]:
        return [self.holds(local) for local in self.local]

    @property
    def scenario(self) -> Scenario:
        n = sum(self.local)
        return Scenario(own(n_layers=LAYERS, n_local=n, window=self.window if n else None), self.tokens)


_KINDS = (("full", Text("keeps everything", "全部保存")), ("window", Text("has the window", "带窗口")))
_CONTROLS: tuple[Control, ...] = (
    Whole("tokens", Text("Tokens so far", "已有的 token 数"), 1, 9),
    Whole("window", Text("Window, in tokens", "窗口（token 数）"), 1, 9),
    *(Choice(f"layer_{i}", Text(f"Layer {i}", f"第 {i} 层"), _KINDS) for i in range(LAYERS)),
)


def _build(values: Mapping[str, Any]) -> Kept:
    return Kept(values["tokens"], values["window"], tuple(values[f"layer_{i}"] == "window" for i in range(LAYERS)))


def _values(k: Kept) -> dict[str, Any]:
    layers = {f"layer_{i}": "window" if local else "full" for i, local in enumerate(k.local)}
    return {"tokens": k.tokens, "window": k.window, **layers}


def _invent(rng: random.Random) -> Kept:
    tokens = rng.randint(5, 8)
    return Kept(tokens, rng.randint(2, tokens - 2), tuple(rng.random() < 0.6 for _ in range(LAYERS)))


def _named(k: Kept) -> tuple[Text, ...]:
    return tuple(
        Text(
            f"layer {i}: window of {k.window}" if local else f"layer {i}: no window",
            f"第 {i} 层：窗口 {k.window}" if local else f"第 {i} 层：无窗口",
        )
        for i, local in enumerate(k.local)
    )


def _off_by_one(k: Kept) -> list[int]:
    return [min(k.tokens, k.window + 1) if local else k.tokens for local in k.local]


def _row(k: Kept, words: Text, n: int) -> Row:
    what = Text(f"the last {n} of {k.tokens}", f"最后 {n} 个（共 {k.tokens} 个）")
    return Row(words, what, f"{k.tokens - n} … {k.tokens - 1}")


HELD: Question[Kept] = Question(
    slug="held",
    title=Text("Which rows are held?", "缓存里还有哪些行？"),
    prompt=lambda k: Text(
        f"A model of {LAYERS} layers has processed {k.tokens} token{'s' * (k.tokens != 1)}, positions 0 to "
        f"{k.tokens - 1}. A layer with a window keeps the last {k.window} token{'s' * (k.window != 1)}, the newest "
        "included. Which positions lie in each layer’s cache?",
        f"一个 {LAYERS} 层的模型处理了 {k.tokens} 个 token，位置 0 到 {k.tokens - 1}。带窗口的层保存最近 {k.window} "
        "个 token（含最新的）。每层的缓存里有哪些位置？",
    ),
    form=Form(_CONTROLS, _build, _values),
    inputs=Kept(7, 3, (True, False, True, True)),
    invent=_invent,
    formula=lambda k: k.ticked(k.right),
    slips=(
        Slip(
            "first-rows",
            Text("Kept the oldest", "保存了最旧的"),
            lambda k: k.ticked(k.right, first=True),
            Told(
                "A window slides: it drops the oldest rows and keeps the last {window}.",
                "窗口会滑动：丢掉最旧的行，保存最近 {window} 行。",
            ),
        ),
        Slip(
            "one-too-many",
            Text("One row too many", "多算了一行"),
            lambda k: k.ticked(_off_by_one(k)),
            Told(
                "The newest token counts: {window:row} in all, not {window} before it.",
                "最新的 token 也算在内：一共 {window} 行，不是它之前的 {window} 行。",
            ),
        ),
        Slip(
            "no-window",
            Text("Windows ignored", "忽略窗口"),
            lambda k: k.ticked([k.tokens] * LAYERS),
            lambda k: Text(
                f"{sum(k.local)} of the {LAYERS} layers {'has' if sum(k.local) == 1 else 'have'} a window.",
                f"有 {sum(k.local)} 层带窗口（共 {LAYERS} 层）。",
            ),
        ),
        Slip(
            "all-windows",
            Text("A window in every layer", "每层都算窗口"),
            lambda k: k.ticked([k.holds(True)] * LAYERS),
            lambda k: Text(
                f"{LAYERS - sum(k.local)} layer{'s have' if LAYERS - sum(k.local) != 1 else ' has'} no window and "
                f"keep{'s' * (LAYERS - sum(k.local) == 1)} all of {many(k.tokens, 'row')}.",
                f"有 {LAYERS - sum(k.local)} 层没有窗口，保存全部 {k.tokens} 行。",
            ),
        ),
        Slip(
            "swapped",
            Text("Swapped the two kinds", "两种层弄反了"),
            lambda k: k.ticked([k.holds(not local) for local in k.local]),
            Text("The layers with a window are those that forget.", "会丢掉旧行的是带窗口的层。"),
        ),
    ),
    working=lambda k: Text(
        f"Layers with a window hold the last {many(k.holds(True), 'row')}, the others every row there is: {k.tokens}.",
        f"带窗口的层保存最后 {k.holds(True)} 行，其余的层保存全部 {k.tokens} 行。",
    ),
    way=lambda k: k.scenario,
    reply=Tick(_named, lambda k: tuple(same(str(p)) for p in range(k.tokens))),
    rows=lambda k: tuple(_row(k, words, n) for words, n in zip(_named(k), k.right, strict=True)),
)

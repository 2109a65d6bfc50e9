"""Layers with a window: the bytes they keep, and which rows they still hold."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.kv_ladder import Mistake
from engine.kv_size import Scenario
from engine.models import MODELS, LayerGroup
from lessons.kit.controls import Choice, Control, Whole
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.question import Line, Question, Row, Slip, together
from lessons.kit.reply import Answer, Number, Tick
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kit.units import GIB
from lessons.kv_bytes.form import HEAD_DIM, KV_HEADS, LAYERS, LOCAL, TOKENS, WINDOW, plain, plain_form
from lessons.kv_bytes.presets import LONG
from lessons.kv_bytes.questions.drawn import GIVEN_HIDDEN, IN_GIB, ONE_SEQUENCE, gib_of, invented, itself, own, slip

# --- the bytes


def _windows(rng: random.Random) -> Scenario:
    layers = rng.choice((24, 36, 48, 60))
    local = layers * rng.choice((1, 2, 3, 5)) // 6
    model = replace(invented(rng).model, n_layers=layers, n_local=local, window=rng.choice((512, 1_024, 4_096)))
    return Scenario(model, 1_024 * rng.choice((16, 32, 64, 128)))


def _kinds_of_layers(s: Scenario, local: int, full: int) -> float:
    """GiB where so many layers have the window and so many have none."""
    if not local + full:
        return 0.0
    return gib_of(replace(s, model=replace(s.model, n_layers=local + full, n_local=local)))


def _rows(s: Scenario) -> tuple[str, int]:
    """The rows of all layers, as a sum and in number."""
    parts = [f"{group.n_layers} × {count(group.cached_tokens(s.seq_len))}" for group in s.model.groups]
    return " + ".join(parts), s.model.layer_tokens(s.seq_len)


def _group_row(s: Scenario, group: LayerGroup) -> Row:
    kept = group.cached_tokens(s.seq_len)
    if group.window:
        what = Told("Rows in the {n_layers:layer} with a window", "{n_layers} 个带窗口的层的行数")
    else:
        what = Told("Rows in the {n_layers:layer} without one", "{n_layers} 个不带窗口的层的行数")
    return Row(what.on(group), f"{group.n_layers} × {count(kept)}", count(group.n_layers * kept))


_ROW_LINES: tuple[Line[Scenario], ...] = (
    Line(
        Text("One row: K and V of all KV heads", "一行：所有 KV 头的 K 和 V"),
        "2 × {model.n_kv_heads} × {model.head_dim} × {format.itemsize:short}",
        "{layer_bytes:B}",
    ),
    Line(
        Text("All rows of all sequences", "全部序列的全部行"),
        lambda s: Told(*["{batch} × {rows} × {layer_bytes:B}"] * 2).on(s, rows=_rows(s)[1]).en,
        "{cache_bytes:B}",
    ),
    IN_GIB,
)

_NO_WINDOW, _NO_V = slip(Mistake.NO_WINDOW, gib_of), slip(Mistake.FORGOT_V, gib_of)

WINDOWS: Question[Scenario] = Question(
    slug="windows",
    title=Text("Layers with a window", "带窗口的层"),
    prompt=GIVEN_HIDDEN
    + Told(
        "{model.n_local} of the layers keep{model.n_local|s|} only the last {model.window:token}. How many GiB for ",
        "其中 {model.n_local} 层只保存最近 {model.window} 个 token。",
    )
    + ONE_SEQUENCE
    + Text("?", "，缓存占多少 GiB？"),
    form=plain_form(plain(LAYERS), plain(LOCAL), plain(WINDOW), plain(KV_HEADS), plain(HEAD_DIM), TOKENS),
    inputs=Scenario(MODELS["Gemma-3-27B"], LONG),
    invent=_windows,
    formula=gib_of,
    slips=(
        _NO_WINDOW,
        Slip(
            "all-local",
            Text("A window in every layer", "每层都算窗口"),
            lambda s: _kinds_of_layers(s, s.model.n_layers, 0),
            Told(
                "{model.n_full:layer} {model.n_full|has|have} no window and keep{model.n_full|s|} every token.",
                "有 {model.n_full} 层没有窗口，保存全部 token。",
            ),
        ),
        Slip(
            "only-full",
            Text("Left out the layers with a window", "把带窗口的层漏掉了"),
            lambda s: _kinds_of_layers(s, 0, s.model.n_full),
            Told(
                "The {model.n_local:layer} with a window keep{model.n_local|s|} something, too.",
                "{model.n_local} 个带窗口的层也存了一部分。",
            ),
        ),
        Slip(
            "swapped",
            Text("Swapped the two kinds", "两种层弄反了"),
            lambda s: _kinds_of_layers(s, s.model.n_full, s.model.n_local),
            Told(
                "{model.n_local:layer} {model.n_local|has|have} the window, not {model.n_full}.",
                "带窗口的是 {model.n_local} 层，不是 {model.n_full} 层。",
            ),
        ),
        _NO_V,
        together(
            _NO_V,
            _NO_WINDOW,
            lambda s: gib_of(replace(s, model=replace(s.model, n_local=0, window=None), mistake=Mistake.FORGOT_V)),
        ),
    ),
    working=lambda s: Told(
        "Rows: {rows} = {n}. Each takes {layer_bytes:B}: {cache_bytes:GiB} in all.",
        "行数：{rows} = {n}。每行 {layer_bytes:B}：共 {cache_bytes:GiB}。",
    ).on(s, rows=_rows(s)[0], n=_rows(s)[1]),
    way=itself,
    reply=Number(GIB),
    rows=lambda s: (*(_group_row(s, group) for group in s.model.groups), *(line.row(s) for line in _ROW_LINES)),
)


# --- the rows

N_LAYERS = 4


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
    def last(self) -> int:
        """The newest position."""
        return self.tokens - 1

    @property
    def layers(self) -> int:
        return len(self.local)

    @property
    def n_local(self) -> int:
        return sum(self.local)

    @property
    def n_full(self) -> int:
        return self.layers - self.n_local

    @property
    def in_window(self) -> int:
        """Rows that a layer with a window holds."""
        return self.holds(True)

    @property
    def scenario(self) -> Scenario:
        n, window = self.n_local, self.window if self.n_local else None
        return Scenario(own(n_layers=self.layers, n_local=n, window=window), self.tokens)


_KINDS = Choice(
    "",
    same(""),
    (("full", Text("keeps everything", "全部保存")), ("window", Text("has the window", "带窗口"))),
    values=(False, True),
)
_LAYERS = tuple(replace(_KINDS, name=f"layer_{i}", label=Text(f"Layer {i}", f"第 {i} 层")) for i in range(N_LAYERS))
_CONTROLS: tuple[Control, ...] = (
    Whole("tokens", Text("Tokens so far", "已有的 token 数"), 1, 9),
    Whole("window", Text("Window, in tokens", "窗口（token 数）"), 1, 9),
    *_LAYERS,
)


def _build(values: Mapping[str, Any]) -> Kept:
    return Kept(values["tokens"], values["window"], tuple(values[layer.name] for layer in _LAYERS))


def _values(k: Kept) -> dict[str, Any]:
    layers = {layer.name: local for layer, local in zip(_LAYERS, k.local, strict=True)}
    return {"tokens": k.tokens, "window": k.window, **layers}


def _invent(rng: random.Random) -> Kept:
    tokens = rng.randint(5, 8)
    return Kept(tokens, rng.randint(2, tokens - 2), tuple(rng.random() < 0.6 for _ in range(N_LAYERS)))


def _named(k: Kept) -> tuple[Text, ...]:
    window, none = Text(f": window of {k.window}", f"：窗口 {k.window}"), Text(": no window", "：无窗口")
    return tuple(Text(f"layer {i}", f"第 {i} 层") + (window if local else none) for i, local in enumerate(k.local))


def _off_by_one(k: Kept) -> list[int]:
    return [min(k.tokens, k.window + 1) if local else k.tokens for local in k.local]


def _held_row(k: Kept, words: Text, n: int) -> Row:
    what = Text(f"the last {n} of {k.tokens}", f"最后 {n} 个（共 {k.tokens} 个）")
    return Row(words, what, f"{k.tokens - n} … {k.last}")


HELD: Question[Kept] = Question(
    slug="held",
    title=Text("Which rows are held?", "缓存里还有哪些行？"),
    prompt=Told(
        "A model of {layers} layers has processed {tokens:token}, positions 0 to {last}. A layer with a window "
        "keeps the last {window:token}, the newest included. Which positions lie in each layer’s cache?",
        "一个 {layers} 层的模型处理了 {tokens} 个 token，位置 0 到 {last}。带窗口的层保存最近 {window} 个 token（含"
        "最新的）。每层的缓存里有哪些位置？",
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
            lambda k: k.ticked([k.tokens] * N_LAYERS),
            Told(
                "{n_local} of the {layers} layers {n_local|has|have} a window.",
                "有 {n_local} 层带窗口（共 {layers} 层）。",
            ),
        ),
        Slip(
            "all-windows",
            Text("A window in every layer", "每层都算窗口"),
            lambda k: k.ticked([k.in_window] * N_LAYERS),
            Told(
                "{n_full:layer} {n_full|has|have} no window and keep{n_full|s|} all of {tokens:row}.",
                "有 {n_full} 层没有窗口，保存全部 {tokens} 行。",
            ),
        ),
        Slip(
            "swapped",
            Text("Swapped the two kinds", "两种层弄反了"),
            lambda k: k.ticked([k.holds(not local) for local in k.local]),
            Text("The layers with a window are those that forget.", "会丢掉旧行的是带窗口的层。"),
        ),
    ),
    working=Told(
        "Layers with a window hold the last {in_window:row}, the others every row there is: {tokens}.",
        "带窗口的层保存最后 {in_window} 行，其余的层保存全部 {tokens} 行。",
    ),
    way=lambda k: k.scenario,
    reply=Tick(_named, lambda k: tuple(same(str(p)) for p in range(k.tokens))),
    rows=lambda k: tuple(_held_row(k, words, n) for words, n in zip(_named(k), k.right, strict=True)),
)

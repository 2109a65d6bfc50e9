"""What the questions share: invented models, a mistake as a slip, the numbers in a sentence, the way in lines."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from engine.kv_formats import Format
from engine.kv_ladder import Mistake
from engine.kv_size import GIB, Scenario
from engine.models import Model
from lessons.kit.format import count, in_bytes
from lessons.kit.question import Line, Slip, together
from lessons.kit.text import Text
from lessons.kit.told import Told, say
from lessons.kv_bytes.form import HEAD_DIM, HEADS, HIDDEN, KV_HEADS, LAYERS, plain
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.presets import CHAPTER

Q = TypeVar("Q")

GROUPED = tuple(plain(control) for control in (LAYERS, HEADS, KV_HEADS, HEAD_DIM))
SHAPE = (*GROUPED, plain(HIDDEN))


def with_(s: Scenario, mistake: Mistake) -> Scenario:
    return replace(s, mistake=mistake)


def of_kv_heads(s: Scenario, n: int) -> Scenario:
    return replace(s, model=replace(s.model, n_kv_heads=n))


def of_all_heads(s: Scenario) -> int:
    """Bytes of the cache with a KV head for every query head."""
    return of_kv_heads(s, s.model.n_heads).cache_bytes


def itself(s: Scenario) -> Scenario:
    """The way of a question whose inputs the player shows as they are."""
    return s


def gib_of(s: Scenario) -> float:
    return s.cache_bytes / GIB


# --- slips


def mistaken(
    mistake: Mistake,
    formula: Callable[[Q], float],
    way: Callable[[Q], Scenario],
    *,
    name: str | None = None,
    title: Text | None = None,
) -> Slip[Q]:
    """The slip that makes a mistake. What the mistake does is its sentence, about the answer given."""

    def said(inputs: Q) -> Text:
        s = with_(way(inputs), mistake)
        return Text("This way ", "这种算法") + say(MISTAKES.of(s).said, s)

    return MISTAKES.slip(mistake, formula, way, title=title, said=said, name=name or mistake.value.replace("_", "-"))


def slip(mistake: Mistake, measure: Callable[[Scenario], float]) -> Slip[Scenario]:
    """What `measure` gives when the mistake is made, with the mistake's own trace as its working."""
    return mistaken(mistake, lambda s: measure(with_(s, mistake)), itself)


def no_v_of_query_heads(measure: Callable[[Scenario], float]) -> Slip[Scenario]:
    """The two slips that go together most often."""
    return together(
        slip(Mistake.FORGOT_V, measure),
        slip(Mistake.QUERY_HEADS, measure),
        lambda s: measure(with_(of_kv_heads(s, s.model.n_heads), Mistake.FORGOT_V)),
    )


# --- numbers


def own(**numbers: int | None) -> Model:
    """A model of invented numbers; it goes by the name of the chapter's."""
    return replace(CHAPTER.model, **{"n_local": 0, "window": None, **numbers})  # type: ignore[arg-type]


def invented(rng: random.Random) -> Scenario:
    """Grouped heads whose size is not hidden ÷ heads, a power-of-two length, 16 or 8 bits."""
    kv = rng.choice((2, 4, 8))
    heads = kv * rng.choice((3, 4, 5, 6, 7))
    dim = rng.choice((64, 128, 256))
    guess = rng.choice([n for n in (48, 80, 96, 160, 192) if n != dim])
    layers = rng.choice((24, 28, 36, 40, 48, 60, 80))
    model = own(n_layers=layers, n_heads=heads, n_kv_heads=kv, head_dim=dim, hidden=guess * heads)
    tokens, batch, bits = 1_024 * rng.choice((4, 8, 16, 32, 64, 128)), rng.choice((1, 2, 4, 6)), rng.choice((16, 16, 8))
    return Scenario(model, tokens, batch, Format(Fraction(bits, 8)))


def without_hidden(s: Scenario) -> Scenario:
    """The same where the question does not give the hidden size."""
    return replace(s, model=replace(s.model, hidden=None))


def figures(s: Scenario) -> tuple[float, ...]:
    """The numbers that decide where options stand."""
    m = s.model
    return (m.n_layers, m.n_heads, m.n_kv_heads or 0, m.head_dim, s.seq_len, s.batch)


# --- in words

_LAYERS = Told("{model.n_layers:layer}, ", "{model.n_layers} 层，")
_HIDDEN = Told("hidden size {model.hidden}, ", "隐藏维度 {model.hidden}，")
_HEADS = Told(
    "{model.n_heads:query head}, {model.n_kv_heads:KV head} of size {model.head_dim}, numbers of "
    "{format.bits:short} bits. ",
    "{model.n_heads} 个查询头，{model.n_kv_heads} 个 KV 头，头维度 {model.head_dim}，每个数 {format.bits:short} 位。",
)

GIVEN = _LAYERS + _HEADS
GIVEN_HIDDEN = _LAYERS + _HIDDEN + _HEADS
ONE_SEQUENCE = Told("{batch:sequence} of {seq_len:token}", "{batch} 条 {seq_len} 个 token 的序列")


def sequences(s: Scenario) -> Text:
    """How many, and how long each is."""
    if s.batch == 1:
        return ONE_SEQUENCE.on(s)
    return Told("{batch:sequence} of {seq_len:token} each", "{batch} 条序列，每条 {seq_len} 个 token").on(s)


PRODUCT = "2 × {model.n_layers} × {batch} × {seq_len} × {model.n_kv_heads} × {model.head_dim} × {format.itemsize:short}"


# --- in lines

TOKEN: tuple[Line[Scenario], ...] = (
    Line(
        Text("One vector of one KV head", "一个 KV 头的一个向量"),
        "{model.head_dim} × {format.itemsize:short}",
        "{vector_bytes:B}",
    ),
    Line(
        Text("K and V of all KV heads: one layer", "所有 KV 头的 K 和 V：一层"),
        "2 × {model.n_kv_heads} × {vector_bytes:B}",
        "{layer_bytes:B}",
    ),
    Line(Text("All layers: one token", "所有层：一个 token"), "{model.n_layers} × {layer_bytes:B}", "{token_bytes:B}"),
)
"""The bytes of one token of a model with K and V of its KV heads and no window."""


def _all_tokens(s: Scenario) -> str:
    several = f"{s.batch} × " if s.batch > 1 else ""
    return f"{several}{count(s.seq_len)} × {in_bytes(s.token_bytes)}"


CACHE: tuple[Line[Scenario], ...] = (*TOKEN, Line(Text("All tokens", "全部 token"), _all_tokens, "{cache_bytes:B}"))
"""The bytes of the whole cache, from one vector on."""

IN_BYTES: Line[Scenario] = Line(
    Text("The cache in bytes", "缓存的字节数"), "{cache_bytes:GiB} × 2³⁰", "{cache_bytes:B}"
)
IN_GIB: Line[Scenario] = Line(Text("In GiB", "换成 GiB"), "{cache_bytes:B} ÷ 2³⁰", "{cache_bytes:GiB}")

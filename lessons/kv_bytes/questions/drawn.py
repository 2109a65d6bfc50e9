"""What the questions share: invented models, a mistake as a slip, the numbers in a sentence, the way in lines."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from engine.kv_formats import Format
from engine.kv_ladder import Mistake
from engine.kv_size import GIB, Scenario, cache_bytes, one_more
from engine.models import Model
from lessons.kit.format import count
from lessons.kit.question import Row, Slip, together
from lessons.kit.text import Text
from lessons.kv_bytes.form import HEAD_DIM, HEADS, HIDDEN, KV_HEADS, LAYERS, plain
from lessons.kv_bytes.mistakes import MISTAKES, said
from lessons.kv_bytes.presets import CHAPTER
from lessons.kv_bytes.quantities import bytes_, gib, plain_number

SHAPE = tuple(plain(control) for control in (LAYERS, HEADS, KV_HEADS, HEAD_DIM, HIDDEN))
GROUPED = tuple(plain(control) for control in (LAYERS, HEADS, KV_HEADS, HEAD_DIM))


def with_(scenario: Scenario, mistake: Mistake) -> Scenario:
    return replace(scenario, mistake=mistake)


def of_query_heads(scenario: Scenario) -> Scenario:
    """A K and V for every query head."""
    return replace(scenario, model=replace(scenario.model, n_kv_heads=scenario.model.n_heads))


def title(mistake: Mistake) -> Text:
    words = MISTAKES[mistake]
    return Text(words.en[:1].upper() + words.en[1:], words.zh)


def slip(mistake: Mistake, measure: Callable[[Scenario], float]) -> Slip[Scenario]:
    """The slip that `measure` gives when the mistake is made, with the mistake's own trace as its working."""
    return Slip(
        mistake.value.replace("_", "-"),
        title(mistake),
        lambda s: (measure(with_(s, mistake)),),
        lambda s: sentence(with_(s, mistake)),
        lambda s: with_(s, mistake),
    )


def no_v_of_query_heads(measure: Callable[[Scenario], float]) -> Slip[Scenario]:
    """The two slips that go together most often."""
    return together(
        slip(Mistake.FORGOT_V, measure),
        slip(Mistake.QUERY_HEADS, measure),
        lambda s: (measure(with_(of_query_heads(s), Mistake.FORGOT_V)),),
    )


def sentence(scenario: Scenario) -> Text:
    """What the mistake does, as a sentence about the answer given."""
    what = said(scenario)
    return Text(f"This way {what.en}", f"这种算法{what.zh}")


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


def figures(s: Scenario) -> tuple[float, ...]:
    """The numbers that decide where options stand."""
    m = s.model
    return (m.n_layers, m.n_heads, m.n_kv_heads or 0, m.head_dim, s.seq_len, s.batch)


# --- in words


def given(s: Scenario) -> Text:
    """The model's numbers in a sentence."""
    m, bits = s.model, plain_number(s.format.itemsize * 8)
    hidden = (
        Text(f"hidden size {count(m.hidden)}, ", f"隐藏维度 {count(m.hidden)}，")
        if m.hidden is not None
        else Text("", "")
    )
    return Text(
        f"{m.n_layers} layer{'s' * (m.n_layers != 1)}, {hidden.en}{m.n_heads} query head{'s' * (m.n_heads != 1)}, "
        f"{m.n_kv_heads} KV head{'s' * (m.n_kv_heads != 1)} of size {m.head_dim}, numbers of {bits} bits. ",
        f"{m.n_layers} 层，{hidden.zh}{m.n_heads} 个查询头，{m.n_kv_heads} 个 KV 头，头维度 {m.head_dim}，每个数 "
        f"{bits} 位。",
    )


def sequences(s: Scenario) -> Text:
    b, t = s.batch, count(s.seq_len)
    zh = f"{b} 条序列，每条 {t} 个 token" if b > 1 else f"{b} 条 {t} 个 token 的序列"
    return Text(f"{b} sequence{'s' * (b > 1)} of {t} token{'s' * (s.seq_len != 1)}{' each' * (b > 1)}", zh)


def product(s: Scenario) -> str:
    """The whole product, written out."""
    m = s.model
    return (
        f"2 × {m.n_layers} × {s.batch} × {count(s.seq_len)} × {m.n_kv_heads} × {m.head_dim} × "
        f"{plain_number(s.format.itemsize)}"
    )


# --- in lines


def token_rows(s: Scenario) -> tuple[Row, ...]:
    """The bytes of one token of a model with K and V of its KV heads and no window."""
    m, f = s.model, s.format
    vector, layer, token = f.vector_bytes(m.head_dim), f.token_layer_bytes(m), one_more(s)[0]
    return (
        Row(
            Text("One vector of one KV head", "一个 KV 头的一个向量"),
            f"{m.head_dim} × {plain_number(f.itemsize)}",
            bytes_(vector),
        ),
        Row(
            Text("K and V of all KV heads: one layer", "所有 KV 头的 K 和 V：一层"),
            f"2 × {m.n_kv_heads} × {bytes_(vector)}",
            bytes_(layer),
        ),
        Row(Text("All layers: one token", "所有层：一个 token"), f"{m.n_layers} × {bytes_(layer)}", bytes_(token)),
    )


def cache_rows(s: Scenario) -> tuple[Row, ...]:
    """The bytes of the whole cache, from one vector on."""
    total, token = cache_bytes(s), one_more(s)[0]
    times = f"{s.batch} × {count(s.seq_len)}" if s.batch > 1 else count(s.seq_len)
    return (*token_rows(s), Row(Text("All tokens", "全部 token"), f"{times} × {bytes_(token)}", bytes_(total)))


def in_gib(n_bytes: int) -> Row:
    return Row(Text("In GiB", "换成 GiB"), f"{bytes_(n_bytes)} ÷ 2³⁰", gib(n_bytes))


def gib_of(s: Scenario) -> float:
    return cache_bytes(s) / GIB

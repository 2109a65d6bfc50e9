"""Memory and bandwidth of a device: how many tokens fit, and the time just to read them."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from engine.kv_formats import BF16
from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Device, Scenario
from engine.models import MODELS
from lessons.kit.controls import Real, within
from lessons.kit.form import Form
from lessons.kit.format import count, fixed, in_bytes, short
from lessons.kit.question import Line, Question, Row, Slip, Tolerance, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import MS
from lessons.kit.units import TOKEN as IN_TOKENS
from lessons.kv_bytes.form import BANDWIDTH, BATCH, BILLIONS, BITS, MEMORY, TOKENS, plain_form, unfit
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.naming import billions_zh, decimal
from lessons.kv_bytes.questions.drawn import (
    CACHE,
    GIVEN,
    GIVEN_HIDDEN,
    GROUPED,
    SHAPE,
    TOKEN,
    gib_of,
    invented,
    itself,
    mistaken,
    of_kv_heads,
    sequences,
    slip,
    with_,
    without_hidden,
)

_WHOLE = Text("Whole tokens in it", "放得下的整数个 token")


# --- how many tokens fit


@dataclass(frozen=True)
class Room:
    """`free` GiB for the cache of one sequence of the scenario's model."""

    scenario: Scenario
    free: float

    @property
    def free_bytes(self) -> int:
        return int(self.free * GIB)

    @property
    def way(self) -> Scenario:
        """The longest sequence that fits, one token at the least."""
        return replace(self.scenario, seq_len=max(1, self.free_bytes // max(1, self.scenario.token_bytes)))


def _fit(room: Room, mistake: Mistake = Mistake.NONE, unit: int = GIB) -> float:
    return int(room.free * unit) // with_(room.scenario, mistake).token_bytes


def _room(rng: random.Random) -> Room:
    return Room(replace(invented(rng), batch=1, format=BF16), float(rng.choice((3, 6, 10, 12, 20, 30, 45))))


def _room_slip(mistake: Mistake) -> Slip[Room]:
    return mistaken(mistake, lambda r: _fit(r, mistake), lambda r: r.way)


_GIB_AS_GB: Slip[Room] = Slip(
    "gb",
    Text("Took GiB for GB", "把 GiB 当作 GB"),
    lambda r: _fit(r, unit=GB),
    Told(
        "{free:short} GiB hold {free_bytes:B}, more than {free:short} GB.",
        "{free:short} GiB 是 {free_bytes:B}，比 {free:short} GB 多。",
    ),
)

FITS: Question[Room] = Question(
    slug="fits",
    title=Text("How many tokens fit", "放得下多少 token"),
    prompt=lambda r: (
        GIVEN_HIDDEN
        + Told(
            "{free:short} GiB are free for the cache of one sequence. How many tokens fit?",
            "有 {free:short} GiB 可用于一条序列的缓存。放得下多少个 token？",
        )
    ).on(r, r.scenario),
    form=Form(
        (
            *(within("scenario", control) for control in SHAPE),
            within("scenario", BITS),
            Real("free", Text("Free memory in GiB", "可用显存（GiB）"), 0.25, 1_000.0),
        ),
        unfit=lambda r: unfit(r.scenario),
    ),
    inputs=Room(Scenario(MODELS["Qwen3-4B"], 32_768), 10.0),
    invent=_room,
    formula=_fit,
    slips=(
        _room_slip(Mistake.FORGOT_V),
        _room_slip(Mistake.QUERY_HEADS),
        _room_slip(Mistake.HIDDEN_OVER_HEADS),
        _room_slip(Mistake.ONE_LAYER),
        _GIB_AS_GB,
        together(
            _room_slip(Mistake.FORGOT_V),
            _room_slip(Mistake.QUERY_HEADS),
            lambda r: _fit(replace(r, scenario=of_kv_heads(r.scenario, r.scenario.model.n_heads)), Mistake.FORGOT_V),
        ),
        together(_room_slip(Mistake.FORGOT_V), _GIB_AS_GB, lambda r: _fit(r, Mistake.FORGOT_V, GB)),
    ),
    working=Told(
        "{free_bytes:B} ÷ {scenario.token_bytes:B} a token, rounded down. The steps show a cache of that length.",
        "{free_bytes:B} ÷ 每个 token {scenario.token_bytes:B}，向下取整。下面的步骤就是这么长的缓存。",
    ),
    way=lambda r: r.way,
    reply=Number(IN_TOKENS),
    rows=lambda r: (
        *(line.row(r.scenario) for line in TOKEN),
        Row(Text("Free, in bytes", "可用的字节数"), f"{short(r.free)} × 2³⁰", in_bytes(r.free_bytes)),
        Row(
            _WHOLE,
            f"{in_bytes(r.free_bytes)} ÷ {in_bytes(r.scenario.token_bytes)}",
            IN_TOKENS.after(count(int(_fit(r)))),
        ),
    ),
)


# --- beside the weights


def _beside(s: Scenario, memory: float, weights: float) -> float:
    """Whole tokens of one sequence in what the weights leave."""
    return max(0, int(memory) - int(weights)) // s.token_bytes


def _right(s: Scenario) -> float:
    return _beside(s, s.device.memory, s.device.weights)


def _device(rng: random.Random) -> Scenario:
    memory, billions = rng.choice(((16, 3), (24, 7), (24, 8), (40, 13), (48, 14), (48, 8), (80, 27), (80, 32), (80, 8)))
    device = Device(float(memory), billions=float(billions))
    return without_hidden(replace(invented(rng), batch=1, format=BF16, device=device))


def _fits(s: Scenario) -> Scenario:
    return replace(s, seq_len=int(max(1, _right(s))))


def _beside_slip(mistake: Mistake) -> Slip[Scenario]:
    return mistaken(mistake, lambda s: _right(with_(s, mistake)), _fits)


_NO_WEIGHTS: Slip[Scenario] = Slip(
    "no-weights",
    Text("Forgot the weights", "忘了权重"),
    lambda s: _beside(s, s.device.memory, 0),
    Told(
        "The weights are there first: {device.weights:GB} of the {device.memory:GB}.",
        "权重先占了 {device.memory:GB} 中的 {device.weights:GB}。",
    ),
)


def _asked_beside(s: Scenario) -> Text:
    given = GIVEN if s.model.hidden is None else GIVEN_HIDDEN
    n, bits = s.device.billions, s.device.weight_bits
    weights = Text(
        f"The weights are {short(n)} billion numbers of {bits} bits", f"权重有 {billions_zh(n)}参数，每个 {bits} 位"
    )
    ask = Told(
        "{weights}, the device has {device.memory:GB} (10⁹ bytes each). How many tokens of one sequence fit beside "
        "the weights, if nothing else needs room?",
        "{weights}；设备有 {device.memory:GB}（每 GB 10⁹ 字节）。若没有别的占用，权重之外放得下一条序列的多少个 "
        "token？",
    )
    return (given + ask).on(s, weights=weights)


BESIDE: Question[Scenario] = Question(
    slug="beside-weights",
    title=Text("Beside the weights", "权重之外还放得下多少"),
    prompt=_asked_beside,
    form=plain_form(*GROUPED, MEMORY, BILLIONS),
    inputs=Scenario(device=Device(40.0, billions=8.0)),
    invent=_device,
    formula=_right,
    slips=(
        _NO_WEIGHTS,
        Slip(
            "one-byte",
            Text("One byte a weight", "每个权重算一个字节"),
            lambda s: _beside(s, s.device.memory, s.device.weights * 8 / s.device.weight_bits),
            Told(
                "A weight of {device.weight_bits} bits takes {device.weight_bytes:byte}.",
                "{device.weight_bits} 位的权重占 {device.weight_bytes:short} 个字节。",
            ),
        ),
        Slip(
            "gib",
            Text("Took GB for GiB", "把 GB 当作 GiB"),
            lambda s: _beside(s, s.device.memory_gb * GIB, s.device.weights),
            Told(
                "{device.memory:GB} are {device.memory:GiB}, less than the figure suggests.",
                "{device.memory:GB} 只有 {device.memory:GiB}，比字面上少。",
            ),
        ),
        _beside_slip(Mistake.FORGOT_V),
        _beside_slip(Mistake.QUERY_HEADS),
        together(
            _beside_slip(Mistake.FORGOT_V),
            _NO_WEIGHTS,
            lambda s: _beside(with_(s, Mistake.FORGOT_V), s.device.memory, 0),
        ),
    ),
    working=Told(
        "({device.memory:B} − {device.weights:B}) ÷ {token_bytes:B} a token, rounded down.",
        "（{device.memory:B} − {device.weights:B}）÷ 每个 token {token_bytes:B}，向下取整。",
    ),
    way=_fits,
    reply=Number(IN_TOKENS),
    rows=(
        Line(Text("Weights", "权重"), "{device.billions:short} × 10⁹ × {device.weight_bits} ÷ 8", "{device.weights:B}"),
        Line(Text("Left for the cache", "留给缓存的"), "{device.memory:B} − {device.weights:B}", "{device.room:B}"),
        *TOKEN,
        Line(
            _WHOLE,
            lambda s: f"{in_bytes(max(0, s.device.room))} ÷ {in_bytes(s.token_bytes)}",
            lambda s: IN_TOKENS.after(count(int(_right(s)))),
        ),
    ),
)


# --- the time to read it


def _ms(s: Scenario) -> float:
    return s.device.read_seconds(s.cache_bytes) * 1e3


def _reading(rng: random.Random) -> Scenario:
    device = Device(bandwidth_tb=rng.choice((0.4, 1.0, 1.5, 2.0, 3.35, 4.8, 8.0)))
    return replace(invented(rng), format=BF16, device=device)


_GIB_OVER_TB: Slip[Scenario] = MISTAKES.slip(
    Mistake.GB_FOR_GIB,
    lambda s: gib_of(s) / s.device.bandwidth_tb,
    itself,
    name="gib",
    title=Text("GiB over TB/s", "用 GiB 除以 TB/s"),
    said=lambda s: Told(
        "TB/s are powers of ten: the cache of {cache_bytes:GiB} is {decimal}.",
        "TB/s 是十进制：{cache_bytes:GiB} 的缓存是 {decimal}。",
    ).on(s, decimal=decimal(s.cache_bytes)),
)
_HALF_READ = slip(Mistake.FORGOT_V, _ms)
_ASKED_MS = Told(
    "{sequences}. A decode step reads the whole cache once at {device.bandwidth_tb:short} TB/s (10¹² bytes each). "
    "How many ms at least?",
    "{sequences}。一个解码步以 {device.bandwidth_tb:short} TB/s（每 TB 10¹² 字节）把整个缓存读一遍，至少要多少 ms？",
)

READ: Question[Scenario] = Question(
    slug="read",
    title=Text("Just reading it, in ms", "光读一遍要多少毫秒"),
    prompt=lambda s: (GIVEN_HIDDEN + _ASKED_MS).on(s, sequences=sequences(s)),
    form=plain_form(*SHAPE, TOKENS, BATCH, BANDWIDTH),
    inputs=Scenario(MODELS["Qwen3-4B"], 32_768),
    invent=_reading,
    formula=_ms,
    slips=(
        _GIB_OVER_TB,
        Slip(
            "one-token",
            Text("Read one token only", "只读了一个 token"),
            lambda s: s.device.read_seconds(s.token_bytes) * 1e3,
            Text(
                "That is what one token adds. A new query reads the keys and values of all tokens.",
                "这是一个 token 增加的量。新的查询要读所有 token 的键和值。",
            ),
        ),
        _HALF_READ,
        slip(Mistake.QUERY_HEADS, _ms),
        slip(Mistake.HIDDEN_OVER_HEADS, _ms),
        together(_HALF_READ, _GIB_OVER_TB, lambda s: gib_of(with_(s, Mistake.FORGOT_V)) / s.device.bandwidth_tb),
    ),
    working=lambda s: Told(
        "{decimal} ÷ {device.bandwidth_tb:short} TB/s. A lower bound for the cache alone, not a measurement.",
        "{decimal} ÷ {device.bandwidth_tb:short} TB/s。这只是读缓存的下限，不是实测。",
    ).on(s, decimal=decimal(s.cache_bytes)),
    way=itself,
    reply=Number(MS),
    rows=(
        *CACHE,
        Line(
            Text("Read once", "读一遍"),
            "{cache_bytes:B} ÷ ({device.bandwidth_tb:short} × 10¹² B/s)",
            lambda s: MS.after(fixed(_ms(s))),
        ),
    ),
    tolerance=Tolerance(0.005, 0.0),
)

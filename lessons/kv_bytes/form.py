"""What a reader may edit: a published model or own numbers over it, the length, the format, the device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from engine.kv_size import Scenario
from engine.models import MODELS
from lessons.kit.controls import Choice, Complaint, Control, OptionalWhole, Real, Whole, about
from lessons.kit.form import Form
from lessons.kit.format import many
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kv_bytes.mistakes import MISTAKES

_own = partial(OptionalWhole, empty=Text("as in the model", "与模型相同"))
_BITS = {bits: Text(f"{bits} bits", f"{bits} 位") for bits in (32, 16, 8, 4, 2)}

MODEL = Choice.among("model", Text("Model", "模型"), {name: same(name) for name in MODELS})
TOKENS = Whole("tokens", Text("Tokens of a sequence", "每条序列的 token 数"), 1, 16_777_216, of="seq_len")
BATCH = Whole("batch", Text("Sequences (batch)", "序列数（batch）"), 1, 4_096)
BITS = Choice(
    "bits",
    Text("Bits a number", "每个数的位数"),
    tuple((str(bits), words) for bits, words in _BITS.items()),
    of="format.itemsize",
    values=tuple(Fraction(bits, 8) for bits in _BITS),
)
GROUP = OptionalWhole(
    "group",
    Text("Numbers that share a scale", "共用一个比例因子的数"),
    1,
    8_192,
    Text("no scales", "不计比例因子"),
    of="format.group",
)
SCALE = Whole("scale", Text("Bytes of a scale", "比例因子的字节数"), 1, 16, of="format.scale_bytes")
ROTATED = Choice(
    "rotated",
    Text("MLA’s rotated part", "MLA 的旋转部分"),
    (("same", Text("as the rest", "与其余相同")), ("16", Text("kept in 16 bits", "保持 16 位"))),
    of="format.rope_itemsize",
    values=(None, Fraction(2)),
)
LAYERS = _own("layers", Text("Layers", "层数"), 1, 256, of="model.n_layers")
HEADS = _own("heads", Text("Query heads", "查询头数"), 1, 256, of="model.n_heads")
KV_HEADS = _own("kv_heads", Text("KV heads", "KV 头数"), 1, 256, of="model.n_kv_heads")
HEAD_DIM = _own("head_dim", Text("Head size", "头维度"), 1, 1_024, of="model.head_dim")
HIDDEN = _own("hidden", Text("Hidden size", "隐藏维度"), 1, 262_144, of="model.hidden")
LOCAL = _own("local", Text("Layers with a window", "有窗口的层数"), 0, 256, of="model.n_local")
WINDOW = _own("window", Text("Window, in tokens", "窗口（token 数）"), 1, 16_777_216, of="model.window")
RANK = _own("rank", Text("MLA latent", "MLA 潜在维度"), 0, 8_192, of="model.mla_rank")
ROPE = _own("rope", Text("MLA rotated part, numbers", "MLA 旋转部分的个数"), 0, 1_024, of="model.rope_dim")
MEMORY = Real("memory", Text("Device memory in GB", "设备显存（GB）"), 0.001, 100_000.0, of="device.memory_gb")
BILLIONS = Real("params", Text("Parameters in billions", "参数量（十亿）"), 0.0, 10_000.0, of="device.billions")
WEIGHT_BITS = Choice.among(
    "weight_bits",
    Text("Bits a weight", "每个权重的位数"),
    {bits: words for bits, words in _BITS.items() if bits >= 4},
    of="device.weight_bits",
)
BANDWIDTH = Real("bandwidth", Text("Bandwidth in TB/s", "带宽（TB/s）"), 0.001, 1_000.0, of="device.bandwidth_tb")

_FORMAT = (BITS, GROUP, SCALE, ROTATED)
_SHAPE = (LAYERS, HEADS, KV_HEADS, HEAD_DIM, HIDDEN, LOCAL, WINDOW, RANK, ROPE)
_DEVICE = (MEMORY, BILLIONS, WEIGHT_BITS, BANDWIDTH)


def unfit(s: Scenario) -> Iterator[Complaint]:
    """What is wrong with a model's numbers that are right each by itself."""
    m = s.model
    if m.n_kv_heads and m.n_heads % m.n_kv_heads:
        yield about(
            HEADS,
            f"must be a multiple of the {m.n_kv_heads} KV heads; it is {m.n_heads}.",
            f"应是 KV 头数 {m.n_kv_heads} 的倍数，现在是 {m.n_heads}。",
        )
    if m.n_local > m.n_layers:
        yield about(
            LOCAL,
            f"must be at most the {many(m.n_layers, 'layer')}; it is {m.n_local}.",
            f"应不超过层数 {m.n_layers}，现在是 {m.n_local}。",
        )
    if m.n_local and m.window is None:
        said = Told(
            "must be given where {n_local:layer} {n_local|has|have} one.", "应填写，因为有 {n_local} 层带窗口。"
        ).on(m)
        yield about(WINDOW, said.en, said.zh)


_NUMBERS: Form[Scenario] = Form((TOKENS, BATCH, *_FORMAT, *_SHAPE, *_DEVICE, MISTAKES.choice))


def plain(control: OptionalWhole) -> Whole:
    """The same field with its number always in it, as questions show it."""
    return Whole(control.name, control.label, max(1, control.low), control.high, control.of)


def plain_form(*controls: Control) -> Form[Scenario]:
    """A question's form: what it leaves out stays as it is."""
    return Form(controls, unfit=unfit)


# --- in the player a field may be left empty, and says what it stands for


def _shape(s: Scenario) -> dict[str, Any]:
    """A model's numbers, by the names of their fields."""
    values = _NUMBERS.taken_apart(s)
    return {control.name: values[control.name] for control in _SHAPE}


def _published(name: str) -> dict[str, Any]:
    return _shape(Scenario(MODELS[name]))


def _taken_apart(s: Scenario) -> dict[str, Any]:
    published = _published(s.model.name)
    own = {name: None if n == published[name] else n for name, n in _shape(s).items()}
    scale = s.format.scale_bytes if s.format.group else 2
    return {**_NUMBERS.taken_apart(s), **own, "model": s.model.name, "scale": scale}


def _half_given(values: Mapping[str, Any]) -> Iterator[Complaint]:
    """What is wrong with the fields that were filled and those that were not."""
    kv_heads, rank = values["kv_heads"], values["rank"]
    if kv_heads is not None and rank:
        yield Complaint(
            f"**{KV_HEADS.label.en}** and **{RANK.label.en}** cannot both be given: MLA keeps one latent instead of "
            "heads. Empty one of them.",
            f"**{KV_HEADS.label.zh}**与**{RANK.label.zh}**不能同时填写：MLA 用一个潜在向量代替各个头。请清空其中之一。",
            RANK.name,
        )
    if kv_heads is None and rank == 0 and MODELS[values["model"]].is_mla:
        yield about(KV_HEADS, "must be given where the MLA latent is 0.", "应填写，因为 MLA 潜在维度为 0。")
    if values["window"] is not None and not _over_the_model(values)["local"]:
        yield about(LOCAL, "must be at least 1 where a window is given.", "应至少为 1，因为填了窗口。")


def _over_the_model(values: Mapping[str, Any]) -> dict[str, Any]:
    """All numbers of the model chosen, with the own ones put over them."""
    own = {control.name: values[control.name] for control in _SHAPE if values[control.name] is not None}
    base = MODELS[values["model"]]
    n = _published(base.name) | own
    if "kv_heads" in own:
        n |= {"rank": 0, "rope": 0}
    elif n["rank"]:
        n["kv_heads"] = None
    if "local" not in own and base.n_local == base.n_layers:
        n["local"] = n["layers"]
    return n


def _build(values: Mapping[str, Any]) -> Scenario:
    s = _NUMBERS.made({**values, **_over_the_model(values)}, Scenario(MODELS[values["model"]]))
    f = replace(
        s.format,
        scale_bytes=s.format.scale_bytes if s.format.group else 0,
        rope_itemsize=s.format.rope_itemsize if s.model.is_mla else None,
    )
    return replace(s, format=f)


FORM: Form[Scenario] = Form(
    (MODEL, *_NUMBERS.controls),
    _build,
    _taken_apart,
    groups=(
        (Text("How its numbers are stored", "数的存储格式"), tuple(c.name for c in _FORMAT)),
        (Text("Own numbers in place of the model’s", "用自己的数字代替模型的"), tuple(c.name for c in _SHAPE)),
        (Text("The device", "设备"), tuple(c.name for c in _DEVICE)),
    ),
    together=_half_given,
    unfit=unfit,
)

"""What a reader may edit: a published model or own numbers over it, the length, the format, the device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from engine.kv_formats import Format
from engine.kv_ladder import Mistake
from engine.kv_size import Device, Scenario
from engine.models import MODELS, Model
from lessons.kit.controls import BadInput, Choice, Control, OptionalWhole, Real, Whole
from lessons.kit.form import Form
from lessons.kit.format import many
from lessons.kit.text import Text, same
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.quantities import plain_number

_AS_MODEL = Text("as in the model", "与模型相同")


def _own(name: str, label: Text, low: int, high: int) -> OptionalWhole:
    return OptionalWhole(name, label, low, high, _AS_MODEL)


MODEL = Choice("model", Text("Model", "模型"), tuple((name, same(name)) for name in MODELS))
TOKENS = Whole("tokens", Text("Tokens of a sequence", "每条序列的 token 数"), 1, 16_777_216)
BATCH = Whole("batch", Text("Sequences (batch)", "序列数（batch）"), 1, 4_096)
BITS = Choice(
    "bits",
    Text("Bits a number", "每个数的位数"),
    tuple((str(b), Text(f"{b} bits", f"{b} 位")) for b in (32, 16, 8, 4, 2)),
)
GROUP = OptionalWhole(
    "group", Text("Numbers that share a scale", "共用一个比例因子的数"), 1, 8_192, Text("no scales", "不计比例因子")
)
SCALE = Whole("scale", Text("Bytes of a scale", "比例因子的字节数"), 1, 16)
ROTATED = Choice(
    "rotated",
    Text("MLA’s rotated part", "MLA 的旋转部分"),
    (("same", Text("as the rest", "与其余相同")), ("16", Text("kept in 16 bits", "保持 16 位"))),
)
LAYERS = _own("layers", Text("Layers", "层数"), 1, 256)
HEADS = _own("heads", Text("Query heads", "查询头数"), 1, 256)
KV_HEADS = _own("kv_heads", Text("KV heads", "KV 头数"), 1, 256)
HEAD_DIM = _own("head_dim", Text("Head size", "头维度"), 1, 1_024)
HIDDEN = _own("hidden", Text("Hidden size", "隐藏维度"), 1, 262_144)
LOCAL = _own("local", Text("Layers with a window", "有窗口的层数"), 0, 256)
WINDOW = _own("window", Text("Window, in tokens", "窗口（token 数）"), 1, 16_777_216)
RANK = _own("rank", Text("MLA latent", "MLA 潜在维度"), 0, 8_192)
ROPE = _own("rope", Text("MLA rotated part, numbers", "MLA 旋转部分的个数"), 0, 1_024)
MEMORY = Real("memory", Text("Device memory in GB", "设备显存（GB）"), 0.001, 100_000.0)
BILLIONS = Real("params", Text("Parameters in billions", "参数量（十亿）"), 0.0, 10_000.0)
WEIGHT_BITS = Choice(
    "weight_bits",
    Text("Bits a weight", "每个权重的位数"),
    tuple((str(b), Text(f"{b} bits", f"{b} 位")) for b in (32, 16, 8, 4)),
)
BANDWIDTH = Real("bandwidth", Text("Bandwidth in TB/s", "带宽（TB/s）"), 0.001, 1_000.0)
MISTAKE = Choice(
    "mistake",
    Text("Compare with a mistake", "与一种错误比较"),
    tuple((mistake.value, words) for mistake, words in MISTAKES.items()),
    short=Text("Mistake", "错误"),
)

_SHAPE = ("layers", "heads", "kv_heads", "head_dim", "hidden", "local", "window", "rank", "rope")


def shape(model: Model) -> dict[str, int | None]:
    """A model's numbers by the names of their fields."""
    return {
        "layers": model.n_layers,
        "heads": model.n_heads,
        "kv_heads": model.n_kv_heads,
        "head_dim": model.head_dim,
        "hidden": model.hidden,
        "local": model.n_local,
        "window": model.window,
        "rank": model.mla_rank,
        "rope": model.rope_dim,
    }


def _values(scenario: Scenario) -> dict[str, Any]:
    model, f, device = scenario.model, scenario.format, scenario.device
    published = shape(MODELS[model.name])
    own = {name: None if n == published[name] else n for name, n in shape(model).items()}
    return {
        "model": model.name,
        "tokens": scenario.seq_len,
        "batch": scenario.batch,
        "bits": plain_number(f.itemsize * 8),
        "group": f.group,
        "scale": f.scale_bytes if f.group else 2,
        "rotated": "same" if f.rope_itemsize is None else "16",
        **own,
        "memory": device.memory_gb,
        "params": device.billions,
        "weight_bits": str(device.weight_bits),
        "bandwidth": device.bandwidth_tb,
        "mistake": scenario.mistake.value,
    }


def _build(values: Mapping[str, Any]) -> Scenario:
    model = _model(values)
    group: int | None = values["group"]
    rotated = Fraction(2) if values["rotated"] == "16" and model.is_mla else None
    return Scenario(
        model,
        values["tokens"],
        values["batch"],
        Format(Fraction(int(values["bits"]), 8), group, values["scale"] if group else 0, rotated),
        Device(values["memory"], values["bandwidth"], values["params"], int(values["weight_bits"])),
        Mistake(values["mistake"]),
    )


def _model(values: Mapping[str, Any]) -> Model:
    """The model chosen, with the own numbers put over it."""
    base = MODELS[values["model"]]
    published = shape(base)
    typed = {name: values.get(name) for name in _SHAPE}
    n = {name: published[name] if x is None else x for name, x in typed.items()}
    if typed["kv_heads"] is not None:
        if typed["rank"]:
            raise BadInput(_not_both())
        n["rank"] = n["rope"] = 0
    elif n["rank"]:
        n["kv_heads"] = None
    elif n["kv_heads"] is None:
        raise BadInput(_must(KV_HEADS, Text("be given where the MLA latent is 0", "填写，因为 MLA 潜在维度为 0")))
    layers, heads, kv = n["layers"] or 1, n["heads"] or 1, n["kv_heads"]
    if typed["local"] is None and base.n_local == base.n_layers:
        n["local"] = layers
    local = n["local"] or 0
    if kv is not None and heads % kv:
        raise BadInput(
            _must(
                HEADS,
                Text(f"be a multiple of the {kv} KV heads; it is {heads}", f"是 KV 头数 {kv} 的倍数，现在是 {heads}"),
            )
        )
    if local > layers:
        raise BadInput(
            _must(
                LOCAL,
                Text(f"be at most the {many(layers, 'layer')}; it is {local}", f"不超过层数 {layers}，现在是 {local}"),
            )
        )
    if local and n["window"] is None:
        raise BadInput(
            _must(
                WINDOW,
                Text(
                    f"be given where {many(local, 'layer')} {'has' if local == 1 else 'have'} one",
                    f"填写，因为有 {local} 层带窗口",
                ),
            )
        )
    if typed["window"] is not None and not local:
        raise BadInput(_must(LOCAL, Text("be at least 1 where a window is given", "至少为 1，因为填了窗口")))
    return replace(
        base,
        n_layers=layers,
        n_heads=heads,
        n_kv_heads=kv,
        head_dim=n["head_dim"] or 1,
        hidden=n["hidden"],
        n_local=local,
        window=n["window"],
        mla_rank=n["rank"] or 0,
        rope_dim=n["rope"] or 0,
    )


def _must(control: OptionalWhole, what: Text) -> Text:
    return Text(f"**{control.label.en}** must {what.en}.", f"**{control.label.zh}**应{what.zh}。")


def _not_both() -> Text:
    return Text(
        f"**{KV_HEADS.label.en}** and **{RANK.label.en}** cannot both be given: MLA keeps one latent instead of "
        "heads. Empty one of them.",
        f"**{KV_HEADS.label.zh}**与**{RANK.label.zh}**不能同时填写：MLA 用一个潜在向量代替各个头。请清空其中之一。",
    )


FORM = Form(
    (
        MODEL,
        TOKENS,
        BATCH,
        BITS,
        GROUP,
        SCALE,
        ROTATED,
        LAYERS,
        HEADS,
        KV_HEADS,
        HEAD_DIM,
        HIDDEN,
        LOCAL,
        WINDOW,
        RANK,
        ROPE,
        MEMORY,
        BILLIONS,
        WEIGHT_BITS,
        BANDWIDTH,
        MISTAKE,
    ),
    _build,
    _values,
    groups=(
        (Text("How its numbers are stored", "数的存储格式"), ("bits", "group", "scale", "rotated")),
        (Text("Own numbers in place of the model’s", "用自己的数字代替模型的"), _SHAPE),
        (Text("The device", "设备"), ("memory", "params", "weight_bits", "bandwidth")),
    ),
)


# --- questions show the numbers themselves, none left empty


def plain(control: OptionalWhole) -> Whole:
    """The same field with its number always in it."""
    return Whole(control.name, control.label, max(1, control.low), control.high)


def plain_form(*controls: Control) -> Form[Scenario]:
    """A form of these controls with all numbers of the model written out; what it leaves out stays as it is."""

    def values(scenario: Scenario) -> dict[str, Any]:
        return _values(scenario) | shape(scenario.model)

    def build(values: Mapping[str, Any]) -> Scenario:
        mla = bool(values["rank"])
        scenario = _build(dict(values) | ({"kv_heads": None} if mla else {"rank": 0, "rope": 0}))
        if values["hidden"] is None:  # not asked for, and not the published one either
            return replace(scenario, model=replace(scenario.model, hidden=None))
        return scenario

    return Form(controls, build, values)

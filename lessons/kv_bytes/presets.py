"""The examples: the source's first, then models that each hold a trap."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from engine.kv_formats import FP8_DS_MLA, Format
from engine.kv_size import Device, Scenario
from engine.models import MODELS
from lessons.kit.format import count
from lessons.kit.lesson import Preset
from lessons.kit.text import Text
from lessons.kit.told import Told

CHAPTER = Scenario()
CHECK_24 = Scenario(
    replace(CHAPTER.model, n_layers=1, n_heads=1, n_kv_heads=1, head_dim=4, hidden=4),
    3,
    format=Format(Fraction(1)),
    device=Device(billions=0.0),
)
"""The chapter's check before reading on: one layer, three positions, four numbers a row; one byte each, so that bytes
are numbers."""

SCALED = Format(Fraction(1, 2), 32, 2)
MHA = replace(CHAPTER, model=replace(CHAPTER.model, n_kv_heads=CHAPTER.model.n_heads))
AT_ONCE = replace(CHAPTER, batch=8)
LONG = 131_072


def _devices(n: int, billions: float, weight_bits: int = 16) -> Device:
    """So many devices of the default kind together."""
    one = Device()
    return Device(n * one.memory_gb, round(n * one.bandwidth_tb, 6), billions, weight_bits)


def _model(name: str, seq_len: int, device: Device, f: Format = CHAPTER.format) -> Scenario:
    return Scenario(MODELS[name], seq_len, format=f, device=device)


PRESETS: tuple[Preset[Scenario], ...] = (
    Preset(
        "chapter",
        Told("the chapter: {model.n_kv_heads:KV head}", "本章：{model.n_kv_heads} 个 KV 头").on(CHAPTER),
        CHAPTER,
    ),
    Preset("mha", Told("the same with {model.n_kv_heads:KV head}", "同上，{model.n_kv_heads} 个 KV 头").on(MHA), MHA),
    Preset(
        "llama-3-70b",
        Text(f"Llama-3-70B, {count(LONG)} tokens", f"Llama-3-70B，{count(LONG)} 个 token"),
        _model("Llama-3-70B", LONG, _devices(4, 70.0)),
    ),
    Preset(
        "deepseek-v3",
        Text("DeepSeek-V3: a latent (MLA)", "DeepSeek-V3：潜在向量（MLA）"),
        _model("DeepSeek-V3", CHAPTER.seq_len, _devices(16, 671.0, 8)),
    ),
    Preset(
        "deepseek-v3-fp8",
        Told("DeepSeek-V3: latent in {bits:short} bits, scales", "DeepSeek-V3：潜在向量 {bits:short} 位带比例因子").on(
            FP8_DS_MLA
        ),
        _model("DeepSeek-V3", CHAPTER.seq_len, _devices(16, 671.0, 8), FP8_DS_MLA),
    ),
    Preset(
        "gemma-3-27b",
        Text("Gemma-3-27B: some layers with windows", "Gemma-3-27B：部分层带窗口"),
        _model("Gemma-3-27B", LONG, Device(billions=27.0)),
    ),
    Preset(
        "mistral-7b",
        Text("Mistral-7B-v0.1: all layers with windows", "Mistral-7B-v0.1：每层都带窗口"),
        _model("Mistral-7B-v0.1", CHAPTER.seq_len, Device(billions=7.0)),
    ),
    Preset(
        "qwen3-0-6b",
        Text("Qwen3-0.6B: the head size trap", "Qwen3-0.6B：头维度陷阱"),
        _model("Qwen3-0.6B", CHAPTER.seq_len, Device(billions=0.6)),
    ),
    Preset(
        "gpt-oss-120b",
        Text(f"gpt-oss-120b, {count(LONG)} tokens", f"gpt-oss-120b，{count(LONG)} 个 token"),
        _model("gpt-oss-120b", LONG, Device(billions=120.0, weight_bits=4)),
    ),
    Preset(
        "scales",
        Told("the chapter in {bits:short} bits with scales", "本章例子，{bits:short} 位带比例因子").on(SCALED),
        replace(CHAPTER, format=SCALED),
    ),
    Preset(
        "batch",
        Told("the chapter, {batch:sequence} at once", "本章例子，同时 {batch} 条序列").on(AT_ONCE),
        AT_ONCE,
    ),
    Preset(
        "numbers",
        Told(
            "count by hand: {seq_len:position} of {model.head_dim:number}",
            "亲手数：{seq_len} 个位置，每行 {model.head_dim} 个数",
        ).on(CHECK_24),
        CHECK_24,
    ),
)

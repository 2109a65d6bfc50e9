"""How a config.json says that weights are stored in fewer bits, and in how many.

Field names as transformers 5.24 has them (utils/quantization_config.py), and as published files do (read):
fp8 of DeepSeek-V3 and Qwen3-FP8, mxfp4 of gpt-oss, modelopt of NVIDIA's NVFP4 files.
"""

from __future__ import annotations

from fractions import Fraction

from engine.hf_fields import Fields

MXFP4 = Fraction(17, 4)  # 4 bits a number, 8 for every 32
NVFP4 = Fraction(9, 2)  # 4 bits a number, 8 for every 16
_DTYPES = {"float32": 32, "bfloat16": 16, "float16": 16, "float8_e4m3fn": 8}


def quantisation(*objects: Fields) -> tuple[Fraction | None, str | None]:
    """Bits of most weights, and the method's name; None for bits that the file does not tell.

    The objects are searched in order (the file, its text_config). Most weights: embeddings, norms and listed layers
    usually stay as they were. Scales are counted where the format fixes them (mxfp4, NVFP4).
    """
    for f in objects:
        given = f.raw("quantization_config")
        if given is not None:
            q = f.inner("quantization_config")
            return _bits(q)
    for f in objects:
        dtype = f.raw("dtype") or f.raw("torch_dtype")
        if dtype is not None:
            bits = _DTYPES.get(dtype) if isinstance(dtype, str) else None
            return (None if bits is None else Fraction(bits)), None
    return None, None


def _bits(q: Fields) -> tuple[Fraction | None, str | None]:
    method = q.maybe_text("quant_method")
    match method:
        case "fp8" | "fbgemm_fp8":
            return Fraction(8), method
        case "mxfp4":
            return MXFP4, method
        case "gptq" | "awq":
            return Fraction(q.whole("bits", 4)), method
        case "bitsandbytes":
            if q.flag("load_in_4bit", False):
                return Fraction(4), method
            return (Fraction(8), method) if q.flag("load_in_8bit", False) else (None, method)
        case "modelopt":
            algorithm = q.maybe_text("quant_algo")
            return {"FP8": Fraction(8), "NVFP4": NVFP4}.get(algorithm or ""), method
        case "compressed-tensors":
            return _compressed(q), method
        case None:
            return None, None
        case _:
            return None, method[:40]


def _compressed(q: Fields) -> Fraction | None:
    """The bits of weights, if every group has the same."""
    groups = q.inner("config_groups")
    bits = set()
    for name in groups.field_names():
        weights = groups.inner(name).inner("weights")
        bits.add(weights.maybe("num_bits"))
    [only] = bits if len(bits) == 1 else [None]
    return None if only is None else Fraction(only)

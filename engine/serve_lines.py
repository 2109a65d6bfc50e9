"""The command line of vLLM and the lines of Transformers that run a plan.

Names of options were read, not remembered: vLLM, vllm/config/cache.py and speculative.py, docs/features/
speculative_decoding/draft_model.md, quantization/quantized_kvcache.md and online.md, automatic_prefix_caching.md,
docs/configuration/conserving_memory.md; Transformers 5.24, modeling_utils.py (from_pretrained) and
generation/configuration_utils.py. Prefix caching is vLLM's default and needs no option.
"""

from __future__ import annotations

import json
import shlex
from fractions import Fraction

from engine.advice import attention_kernel
from engine.advisor import Deployment, Draft
from engine.speculative import exact

PLACEHOLDER, DRAFT_PLACEHOLDER = "MODEL", "DRAFT_MODEL"


def vllm(d: Deployment) -> str:
    r"""`vllm serve …`, each option with its value on a line of its own, ready to be pasted into a shell.

    >>> print(vllm(Deployment(n_devices=2, k_bits=8, v_bits=8)))
    vllm serve meta-llama/Llama-3.1-8B-Instruct \
      --tensor-parallel-size 2 \
      --max-model-len 8192 \
      --max-num-seqs 16 \
      --kv-cache-dtype fp8
    """
    lines = [f"vllm serve {shlex.quote(d.model.repo or PLACEHOLDER)}"]
    if d.n_devices > 1:
        lines.append(f"--tensor-parallel-size {d.n_devices}")
    lines += [f"--max-model-len {d.context}", f"--max-num-seqs {d.requests}"]
    cache = cache_dtype(d)
    if cache is not None:
        lines.append(f"--kv-cache-dtype {cache}")
    online = online_quantisation(d)
    if online is not None:
        lines.append(f"--quantization {online}")
    if d.draft is not None and d.draft.k:
        lines.append(f"--speculative-config {shlex.quote(json.dumps(_speculative(d.draft)))}")
    return " \\\n  ".join(lines)


def cache_dtype(d: Deployment) -> str | None:
    """--kv-cache-dtype: fp8 for 8 bits, None for the model's own; vLLM has no format of its own for others here."""
    return "fp8" if exact("k_bits", d.k_bits) == exact("v_bits", d.v_bits) == 8 else None


def online_quantisation(d: Deployment) -> str | None:
    """--quantization for a checkpoint in 16 bits that is to run in fewer; None where it is stored so already."""
    bits, stored = exact("weight_bits", d.weight_bits), d.model.weight_bits
    if stored is not None and stored <= bits:
        return None
    return {Fraction(8): "fp8_per_tensor", Fraction(17, 4): "mxfp4", Fraction(4): "mxfp4"}.get(bits)


def _speculative(draft: Draft) -> dict[str, str | int]:
    """A draft model, or a search in the prompt where a pass of the draft costs nothing."""
    if draft.model is None and exact("draft.cost", draft.cost) == 0:
        return {"method": "ngram", "num_speculative_tokens": draft.k, "prompt_lookup_max": 4}
    name = draft.model.repo if draft.model is not None else None
    return {"model": name or DRAFT_PLACEHOLDER, "num_speculative_tokens": draft.k, "method": "draft_model"}


def transformers(d: Deployment) -> str:
    """Python that loads the model and generates; one process, layers placed by device_map.

    >>> print(transformers(Deployment()))
    from transformers import AutoModelForCausalLM, AutoTokenizer
    <BLANKLINE>
    name = "meta-llama/Llama-3.1-8B-Instruct"
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(
        name, dtype="bfloat16", attn_implementation="flash_attention_3", device_map="auto"
    )
    inputs = tokenizer("…", return_tensors="pt").to(model.device)
    outputs = model.generate(**inputs, max_new_tokens=256)
    print(tokenizer.decode(outputs[0], skip_special_tokens=True))
    """
    name = json.dumps(d.model.repo or PLACEHOLDER)
    lines = [
        "from transformers import AutoModelForCausalLM, AutoTokenizer",
        "",
        f"name = {name}",
        "tokenizer = AutoTokenizer.from_pretrained(name)",
        "model = AutoModelForCausalLM.from_pretrained(",
        f'    name, dtype="bfloat16", attn_implementation="{attention_kernel(d)}", device_map="auto"',
        ")",
    ]
    options = ["**inputs", "max_new_tokens=256"]
    if d.draft is not None and d.draft.k:
        if d.draft.model is not None:
            draft = json.dumps(d.draft.model.repo or DRAFT_PLACEHOLDER)
            lines.append(f'draft = AutoModelForCausalLM.from_pretrained({draft}, dtype="bfloat16", device_map="auto")')
            options += ["assistant_model=draft", f"num_assistant_tokens={d.draft.k}"]
        elif exact("draft.cost", d.draft.cost) == 0:
            options.append(f"prompt_lookup_num_tokens={d.draft.k}")
    bits = {exact("k_bits", d.k_bits), exact("v_bits", d.v_bits)}
    if bits == {Fraction(8)}:
        options += ['cache_implementation="quantized"', 'cache_config={"backend": "fp8"}']
    elif bits == {Fraction(4)}:
        options += ['cache_implementation="quantized"', 'cache_config={"backend": "hqq", "nbits": 4}']
    return "\n".join(
        [
            *lines,
            'inputs = tokenizer("…", return_tensors="pt").to(model.device)',
            f"outputs = model.generate({', '.join(options)})",
            "print(tokenizer.decode(outputs[0], skip_special_tokens=True))",
        ]
    )

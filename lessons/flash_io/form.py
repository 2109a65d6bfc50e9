"""What a reader may edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.flash_io import Scenario
from engine.tile_memory import tile_bytes
from lessons.flash_io.mistakes import MISTAKES
from lessons.kit.controls import Choice, Complaint, OptionalWhole, Whole, about
from lessons.kit.form import Form
from lessons.kit.text import Text

MOST, MOST_ROWS, MOST_KEYS, MOST_D = 8, 3, 4, 3
MOST_VISITS = 12  # tiles that are computed: more would be a long walk

QUERIES = Whole("queries", Text("Queries", "查询的个数"), 1, MOST, of="n_q")
KEYS = Whole("keys", Text("Keys", "键的个数"), 1, MOST, of="n_k")
D = Whole("d", Text("Numbers per query, key and value (d)", "每个查询、键、值的维数 d"), 1, MOST_D)
TILE_Q = Whole("tile_q", Text("Queries per tile", "每个分块的查询数"), 1, MOST_ROWS)
TILE_K = Whole("tile_k", Text("Keys per tile", "每个分块的键数"), 1, MOST_KEYS)
MEMORY = OptionalWhole(
    "memory",
    Text("On-chip memory in bytes", "片上存储的字节数"),
    1,
    4_096,
    Text("empty: as much as a tile needs", "留空：分块需要多少就有多少"),
)
CAUSAL = Choice.among(
    "causal",
    Text("Mask", "掩码"),
    {True: Text("causal, bottom-right", "因果，右下对齐"), False: Text("none", "没有")},
)
LOOP = Choice.among(
    "keys_outside",
    Text("Outer loop", "外层循环"),
    {
        False: Text("queries (FlashAttention-2)", "查询（FlashAttention-2）"),
        True: Text("keys (FlashAttention-1)", "键（FlashAttention-1）"),
    },
)
PASS = Choice.among("backward", Text("Pass", "阶段"), {False: Text("forward", "前向"), True: Text("backward", "反向")})


def _together(values: Mapping[str, Any]) -> Iterator[Complaint]:
    for tile, size, things, n in (
        (TILE_Q, values["tile_q"], Text("queries", "查询"), values["queries"]),
        (TILE_K, values["tile_k"], Text("keys", "键"), values["keys"]),
    ):
        if size > n:
            yield about(
                tile,
                f"is {size}, larger than the whole matrix: there are only {n} {things.en}. At most {n} fits.",
                f"是 {size}，比整个矩阵还大：{things.zh}只有 {n} 个。最多填 {n}。",
            )
            return
    needed = tile_bytes(values["tile_q"], values["tile_k"], values["d"], itemsize=Scenario.itemsize)
    if values["memory"] is not None and values["memory"] < needed:
        yield about(
            MEMORY,
            f"is too small for one tile of {values['tile_q']} × {values['tile_k']}: it needs {needed} bytes and has "
            f"{values['memory']}. Make the tile smaller or the memory larger.",
            f"装不下一个 {values['tile_q']} × {values['tile_k']} 的分块：需要 {needed} 字节，只有 "
            f"{values['memory']} 字节。请缩小分块或加大存储。",
        )
    shape = (values["queries"], values["keys"], values["d"], values["tile_q"], values["tile_k"])
    visits = len(Scenario(*shape, causal=values["causal"]).visits)
    if visits > MOST_VISITS:
        yield about(
            TILE_K,
            f"makes too long a walk: with these numbers {visits} tiles are computed, and at most {MOST_VISITS} are "
            "shown. Take larger tiles or fewer queries and keys.",
            f"会让步骤太长：这样要算 {visits} 个分块，最多演示 {MOST_VISITS} 个。请放大分块，或减少查询和键。",
        )


FORM: Form[Scenario] = Form(
    (QUERIES, KEYS, D, TILE_Q, TILE_K, MEMORY, CAUSAL, LOOP, PASS, MISTAKES.choice), together=_together
)

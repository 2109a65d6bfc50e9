"""The cache as sheets: a row a layer, a column a token, K beside V; below, one token in one layer."""

from __future__ import annotations

from engine.kv_size import Multiply, OneMore, RungName, Scenario
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Cell, Label, Line, Shape
from lessons.kit.text import Text
from lessons.kv_bytes.quantities import bytes_, plain_number

TOP, H, ROWS, TOKEN_W = 66.0, 140.0, 10, 9.0
ORDER = list(RungName)


def sheets(scenario: Scenario, step: Multiply | OneMore, x: float, w: float) -> list[Shape]:
    """As much of the cache as the ladder has counted so far."""
    now = step.rung.name if isinstance(step, Multiply) else None
    at = ORDER.index(now) if now is not None else len(ORDER)
    mla = scenario.model.is_mla
    gap = 24.0
    sheet_w = w if mla else (w - gap) / 2
    title = (
        Text("One more column", "多出的一列")
        if now is None
        else Text("What is kept: a row a layer, a column a token", "保存的内容：一层一行，一个 token 一列")
    )
    shapes: list[Shape] = [Label("panel.title", x, 28, title, "body strong start")]
    grown = step.growing if isinstance(step, OneMore) else None
    shapes += _sheet(scenario, at, "k", x, sheet_w, (Role.LATENT,) if mla else (Role.K,), grown)
    if not mla and at >= ORDER.index(RungName.K_AND_V):
        shapes += _sheet(scenario, at, "v", x + sheet_w + gap, sheet_w, (Role.V,), grown)
    elif not mla:
        left = x + sheet_w + gap
        shapes += [
            Label("v.name", left, TOP - 12, Text("V", "V"), "body muted start"),
            Cell(
                "v.ahead", left, TOP - 2, Text("comes last", "最后才加"), sheet_w - TOKEN_W - 4, H, roles=(Role.AHEAD,)
            ),
        ]
    return shapes + _one_row(scenario, at, x, w)


def full_rows(n_local: int, n_full: int) -> list[bool]:
    """For each row drawn, whether its layers keep everything; at most ROWS, kinds spread as in the model."""
    layers = n_local + n_full
    rows = min(layers, ROWS)
    full = min(rows - (n_local > 0), max(1, round(rows * n_full / layers))) if n_full else 0
    return [(i + 1) * full // rows > i * full // rows for i in range(rows)]


def _sheet(
    scenario: Scenario, at: int, key: str, x: float, w: float, roles: tuple[Role, ...], grown: int | None
) -> list[Shape]:
    m, t = scenario.model, scenario.seq_len
    rows = full_rows(m.n_local, m.n_layers - m.n_local)
    pitch = H / len(rows)
    h = pitch - 3
    new = at in (ORDER.index(RungName.LAYERS), ORDER.index(RungName.TOKENS)) or (
        key == "v" and at == ORDER.index(RungName.K_AND_V)
    )
    tokens = at >= ORDER.index(RungName.TOKENS)
    room = w - TOKEN_W - 4  # the last column is the next token's
    shapes: list[Shape] = []
    for i, full in enumerate(rows):
        y = TOP + i * pitch
        kept = t if full else min(t, m.window or t)
        kept_w = max(TOKEN_W, room * kept / t) if tokens else TOKEN_W
        if tokens and kept_w < room - 4:
            shapes.append(Line(f"{key}.gone.{i}", x, y + h / 2, room - kept_w - 4, style="dots"))
        shapes.append(
            Box(f"{key}.{i}", x + room - kept_w, y, kept_w, h, "sheet", roles=(*roles, Role.NEW) if new else roles)
        )
        if grown and (full or t < (m.window or t)):
            shapes.append(Box(f"{key}.next.{i}", x + room + 4, y, TOKEN_W, h, "sheet", roles=(*roles, Role.NEW)))
    name = Text("latent", "潜在向量") if m.is_mla else Text(key.upper(), key.upper())
    shapes.append(Label(f"{key}.name", x, TOP - 12, name, "body strong start"))
    if tokens:
        many = f"{scenario.batch} × " if scenario.batch > 1 else ""
        word = Text(f"{many}{count(t)} token{'s' * (t != 1)}", f"{many}{count(t)} 个 token")
        shapes.append(Label(f"{key}.tokens", x + room, TOP - 12, word, "small muted end"))
    n = len(rows)
    layers = (
        Text(f"{m.n_layers} layers, {n} drawn", f"{m.n_layers} 层，画出 {n} 层")
        if n < m.n_layers
        else Text(f"{n} layer{'s' * (n > 1)}", f"{n} 层")
    )
    shapes.append(Label(f"{key}.layers", x, TOP + H + 18, layers, "small muted start"))
    if grown is None:
        shapes.append(Box(f"{key}.token", x + room - TOKEN_W - 1, TOP - 3, TOKEN_W + 3, H + 3, "frame"))
        shapes.append(
            Label(f"{key}.token.word", x + w, TOP + H + 18, Text("one token", "一个 token"), "small accent end")
        )
    return shapes


def _one_row(scenario: Scenario, at: int, x: float, w: float) -> list[Shape]:
    """One token in one layer: the vectors it keeps, and their bytes."""
    m = scenario.model
    mla, y = m.is_mla, TOP + H + 62
    tone = "strong" if at >= ORDER.index(RungName.HEADS) else "muted"
    shapes: list[Shape] = [
        Label("row.title", x, y, Text("One token in one layer", "一层里的一个 token"), f"body {tone} start")
    ]
    sides = [("k", Role.LATENT if mla else Role.K, RungName.HEADS), ("v", Role.V, RungName.K_AND_V)]
    for i, (key, role, since) in enumerate(sides[: 1 if mla else 2]):
        top = y + 14 + i * 50
        if at < ORDER.index(since):
            role = Role.AHEAD
        if not mla:
            tone = "muted" if role is Role.AHEAD else "strong"
            shapes.append(Label(f"row.{key}.name", x, top + 27, key.upper(), f"body {tone} start"))
        shapes += _vectors(scenario, at, key, role, x + (0 if mla else 24), top, w - (0 if mla else 24))
    if at < ORDER.index(RungName.HEADS):
        return shapes
    if at >= ORDER.index(RungName.ITEMSIZE):
        shapes.append(Label("row.bytes", x, y + 134, _row_bytes(scenario, at), "body start"))
    elif not mla and m.n_kv_heads is not None and m.n_kv_heads > 8:
        shapes.append(
            Label(
                "row.bytes",
                x,
                y + 134,
                Text(f"8 of {m.n_kv_heads} KV heads drawn", f"{m.n_kv_heads} 个 KV 头，画出 8 个"),
                "small muted start",
            )
        )
    return shapes


def _vectors(scenario: Scenario, at: int, key: str, role: Role, x: float, y: float, w: float) -> list[Shape]:
    m = scenario.model
    ahead = role is Role.AHEAD
    counted = at >= ORDER.index(RungName.WIDTH) and not ahead
    changed = (ORDER.index(RungName.HEADS), ORDER.index(RungName.WIDTH))
    new = at in changed if key == "k" else at == ORDER.index(RungName.K_AND_V)
    roles = (role, Role.NEW) if new and not ahead else (role,)
    if m.n_kv_heads is None:
        total = m.mla_rank + m.rope_dim
        first = min(max(90.0, (w - 6) * m.mla_rank / total), w - 96) if m.rope_dim else w
        parts = [(m.mla_rank, first, Text("latent", "潜在"))]
        if m.rope_dim:
            parts.append((m.rope_dim, w - 6 - first, Text("rotated key", "旋转的键")))
        shapes: list[Shape] = []
        left = x
        for i, (n, width, word) in enumerate(parts):
            shapes.append(
                Cell(
                    f"row.{key}.{i}",
                    left,
                    y,
                    count(n) if counted else "",
                    width,
                    42,
                    small="" if ahead else word,
                    roles=roles,
                )
            )
            left += width + 6
        return shapes
    n = min(m.n_kv_heads, 8)
    cell_w = min(96.0, (w - 6 * (n - 1)) / n)
    return [
        Cell(f"row.{key}.{i}", x + i * (cell_w + 6), y, count(m.head_dim) if counted else "", cell_w, 42, roles=roles)
        for i in range(n)
    ]


def _row_bytes(scenario: Scenario, at: int) -> Text:
    """Bytes of one row so far, and where they come from."""
    m, f = scenario.model, scenario.format
    whole = f.token_layer_bytes(m)
    if m.n_kv_heads is None:
        return Text(f"{bytes_(whole)} a row, read for K and for V", f"每行 {bytes_(whole)}，K 和 V 都读它")
    both = at >= ORDER.index(RungName.K_AND_V)
    n = whole if both else whole // 2
    bits = plain_number(f.itemsize * 8)
    sides = "2 × " if both else ""
    many = f"{sides}{m.n_kv_heads} × {m.head_dim} × {bits} bits"
    zh = f"{sides}{m.n_kv_heads} × {m.head_dim} × {bits} 位"
    scales = Text(" with scales", "，含比例因子") if f.group and at >= ORDER.index(RungName.SCALES) else Text("", "")
    if f.group and at < ORDER.index(RungName.SCALES):
        n = m.n_kv_heads * (n // m.n_kv_heads - -(-m.head_dim // f.group) * f.scale_bytes)
    return Text(f"{many}{scales.en} = {bytes_(n)} a row", f"{zh}{scales.zh} = 每行 {bytes_(n)}")

"""The cache as sheets: a row a layer, a column a token, K beside V; below, one token in one layer."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kv_formats import Format
from engine.kv_size import Multiply, OneMore, RungName, Scenario
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Cell, Label, Line, Shape
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kv_bytes.scene.layout import TITLE_Y

TOP, H, ROWS, HEADS = 66.0, 140.0, 10, 8  # of the sheets; most rows and KV heads drawn
TOKEN_W, SPACE = 9.0, 24.0
_ROW_Y = TOP + H + 62  # one token in one layer
_ORDER = list(RungName)


@dataclass(frozen=True)
class _Counted:
    """How far the ladder has come: the rung put in now, None once all are in."""

    now: RungName | None

    def has(self, name: RungName) -> bool:
        return self.now is None or _ORDER.index(self.now) >= _ORDER.index(name)


def sheets(s: Scenario, step: Multiply | OneMore, x: float, w: float) -> list[Shape]:
    """As much of the cache as the ladder has counted so far."""
    counted = _Counted(step.rung.name if isinstance(step, Multiply) else None)
    if isinstance(step, Multiply):
        grown, title = (
            None,
            Text("What is kept: a row a layer, a column a token", "保存的内容：一层一行，一个 token 一列"),
        )
    else:
        grown, title = step.growing, Text("One more column", "多出的一列")
    shapes: list[Shape] = [Label("panel.title", x, TITLE_Y, title, "body strong start")]
    if s.model.is_mla:
        return shapes + _sheet(s, counted, "k", x, w, Role.LATENT, grown) + _one_row(s, counted, x, w)
    half, v_x = (w - SPACE) / 2, x + (w + SPACE) / 2
    shapes += _sheet(s, counted, "k", x, half, Role.K, grown)
    if counted.has(RungName.K_AND_V):
        shapes += _sheet(s, counted, "v", v_x, half, Role.V, grown)
    else:
        last = Text("comes last", "最后才加")
        shapes += [
            Label("v.name", v_x, TOP - 12, same("V"), "body muted start"),
            Cell("v.ahead", v_x, TOP - 2, last, half - TOKEN_W - 4, H, roles=(Role.AHEAD,)),
        ]
    return shapes + _one_row(s, counted, x, w)


def full_rows(n_local: int, n_full: int) -> list[bool]:
    """For each row drawn, whether its layers keep everything; at most ROWS, kinds spread as in the model."""
    layers = n_local + n_full
    rows = min(layers, ROWS)
    full = min(rows - (n_local > 0), max(1, round(rows * n_full / layers))) if n_full else 0
    return [(i + 1) * full // rows > i * full // rows for i in range(rows)]


def _sheet(s: Scenario, counted: _Counted, key: str, x: float, w: float, role: Role, grown: int | None) -> list[Shape]:
    m, t = s.model, s.seq_len
    kept_by_local = min(t, m.window or t)
    rows = full_rows(m.n_local, m.n_full)
    pitch, room = H / len(rows), w - TOKEN_W - 4  # the last column is the next token's
    new = counted.now in (RungName.LAYERS, RungName.TOKENS) or (key == "v" and counted.now is RungName.K_AND_V)
    roles = (role, Role.NEW) if new else (role,)
    tokens = counted.has(RungName.TOKENS)
    shapes: list[Shape] = []
    for i, full in enumerate(rows):
        y, h = TOP + i * pitch, pitch - 3
        kept_w = max(TOKEN_W, room * (t if full else kept_by_local) / t) if tokens else TOKEN_W
        if tokens and kept_w < room - 4:
            shapes.append(Line(f"{key}.gone.{i}", x, y + h / 2, room - kept_w - 4, style="dots"))
        shapes.append(Box(f"{key}.{i}", x + room - kept_w, y, kept_w, h, "sheet", roles=roles))
        if grown and (full or t < (m.window or t)):
            shapes.append(Box(f"{key}.next.{i}", x + room + 4, y, TOKEN_W, h, "sheet", roles=(role, Role.NEW)))
    name = Text("latent", "潜在向量") if m.is_mla else same(key.upper())
    shapes.append(Label(f"{key}.name", x, TOP - 12, name, "body strong start"))
    if tokens:
        several = f"{s.batch} × " if s.batch > 1 else ""
        word = Told("{several}{seq_len:token}", "{several}{seq_len} 个 token").on(s, several=several)
        shapes.append(Label(f"{key}.tokens", x + room, TOP - 12, word, "small muted end"))
    if len(rows) < m.n_layers:
        layers = Told("{n_layers:layer}, {drawn} drawn", "{n_layers} 层，画出 {drawn} 层")
    else:
        layers = Told("{n_layers:layer}", "{n_layers} 层")
    shapes.append(Label(f"{key}.layers", x, TOP + H + 18, layers.on(m, drawn=len(rows)), "small muted start"))
    if grown is None:
        word = Text("one token", "一个 token")
        shapes += [
            Box(f"{key}.token", x + room - TOKEN_W - 1, TOP - 3, TOKEN_W + 3, H + 3, "frame"),
            Label(f"{key}.token.word", x + w, TOP + H + 18, word, "small accent end"),
        ]
    return shapes


# --- one token in one layer


def _one_row(s: Scenario, counted: _Counted, x: float, w: float) -> list[Shape]:
    """The vectors it keeps, and their bytes."""
    m, y = s.model, _ROW_Y
    tone = "strong" if counted.has(RungName.HEADS) else "muted"
    title = Text("One token in one layer", "一层里的一个 token")
    shapes: list[Shape] = [Label("row.title", x, y, title, f"body {tone} start")]
    if m.is_mla:
        shapes += _latent(s, counted, x, y + 14, w)
    else:
        shapes += _vectors(s, counted, "k", x, y + 14, w) + _vectors(s, counted, "v", x, y + 64, w)
    if counted.has(RungName.ITEMSIZE):
        shapes.append(Label("row.bytes", x, y + 134, _row_bytes(s, counted), "body start"))
    elif counted.has(RungName.HEADS) and (m.n_kv_heads or 0) > HEADS:
        word = Text(f"{HEADS} of {m.n_kv_heads} KV heads drawn", f"{m.n_kv_heads} 个 KV 头，画出 {HEADS} 个")
        shapes.append(Label("row.bytes", x, y + 134, word, "small muted start"))
    return shapes


def _latent(s: Scenario, counted: _Counted, x: float, y: float, w: float) -> list[Shape]:
    """One vector in two parts: the latent, and the rotated key beside it."""
    m = s.model
    ahead, full = not counted.has(RungName.HEADS), counted.has(RungName.WIDTH)
    first = min(max(90.0, (w - 6) * m.mla_rank / (m.mla_rank + m.rope_dim)), w - 96) if m.rope_dim else w
    parts = [(m.mla_rank, x, first, Text("latent", "潜在"))]
    if m.rope_dim:
        parts.append((m.rope_dim, x + first + 6, w - 6 - first, Text("rotated key", "旋转的键")))
    roles = _roles(counted, Role.LATENT, RungName.HEADS, (RungName.HEADS, RungName.WIDTH))
    return [
        Cell(f"row.k.{i}", left, y, count(n) if full else "", width, 42, small="" if ahead else word, roles=roles)
        for i, (n, left, width, word) in enumerate(parts)
    ]


def _vectors(s: Scenario, counted: _Counted, key: str, x: float, y: float, w: float) -> list[Shape]:
    """K or V: a vector of each KV head."""
    if key == "k":
        roles = _roles(counted, Role.K, RungName.HEADS, (RungName.HEADS, RungName.WIDTH))
    else:
        roles = _roles(counted, Role.V, RungName.K_AND_V, (RungName.K_AND_V,))
    ahead = Role.AHEAD in roles
    n = min(s.model.n_kv_heads or 0, HEADS)
    cell_w = min(96.0, (w - 24 - 6 * (n - 1)) / n)
    word = count(s.model.head_dim) if counted.has(RungName.WIDTH) and not ahead else ""
    return [
        Label(f"row.{key}.name", x, y + 27, key.upper(), f"body {'muted' if ahead else 'strong'} start"),
        *(Cell(f"row.{key}.{i}", x + 24 + i * (cell_w + 6), y, word, cell_w, 42, roles=roles) for i in range(n)),
    ]


def _roles(counted: _Counted, role: Role, since: RungName, changed: tuple[RungName, ...]) -> tuple[Role, ...]:
    """Ahead before the rung `since`, new where one of `changed` is put in."""
    if not counted.has(since):
        return (Role.AHEAD,)
    return (role, Role.NEW) if counted.now in changed else (role,)


def _row_bytes(s: Scenario, counted: _Counted) -> Text:
    """Bytes of one row so far, and where they come from."""
    if s.model.is_mla:
        return Told("{layer_bytes:B} a row, read for K and for V", "每行 {layer_bytes:B}，K 和 V 都读它").on(s)
    scaled = counted.has(RungName.SCALES)
    f = s.format if scaled else Format(s.format.itemsize)
    both = counted.has(RungName.K_AND_V)
    n_bytes = f.token_layer_bytes(s.model) // (1 if both else 2)
    scales = Text(" with scales", "，含比例因子") if s.format.group and scaled else Text("", "")
    return Told(
        "{sides}{n_kv_heads} × {head_dim} × {bits:short} bits{scales} = {n_bytes:B} a row",
        "{sides}{n_kv_heads} × {head_dim} × {bits:short} 位{scales} = 每行 {n_bytes:B}",
    ).on(s.model, f, sides="2 × " if both else "", scales=scales, n_bytes=n_bytes)

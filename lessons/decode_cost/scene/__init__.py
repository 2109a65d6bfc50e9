"""The picture of one step: the tokens, and below them two triangles of query·key pairs or what it comes to."""

from __future__ import annotations

from engine.counts import Work
from engine.decode_cost import Passes, Same, Scenario, Side, Start, Step
from engine.generation import MOST_RUN
from lessons.decode_cost.scene.layout import MOST_TOKENS, WIDTH, WRONG, Layout
from lessons.decode_cost.scene.summary import summary
from lessons.decode_cost.scene.triangle import triangle
from lessons.decode_cost.trace import trace
from lessons.kit.roles import Role
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Cell, Label, Shape
from lessons.kit.text import Text, same
from lessons.kit.told import Told

LEFT = 20.0, 588.0  # of the two decoders


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    lay = Layout(scenario)
    shapes = [*_strip(lay, step, wrong), *_panel(lay, step, lay.strip_h, "")]
    if wrong is not None:
        shapes += marked(_panel(lay, wrong, lay.strip_h + lay.panel_h, "wrong."), shapes, prefix="wrong.")
    return Scene(WIDTH, lay.height, same(""), tuple(shapes))


# --- the tokens


def _strip(lay: Layout, step: Step, wrong: Step | None) -> list[Shape]:
    """Prompt and new tokens from left to right; those of a decoder that forgets to append below them."""
    if lay.n_tokens > MOST_TOKENS:
        return [Label("tokens.title", 20, 40, _in_words(lay.scenario), "body start")]
    shapes: list[Shape] = [Label("tokens.title", 20, 44, Text("Tokens", "token"), "body strong start")]
    shapes += _tokens(lay, step, "token", 22, positions=True)
    if lay.two_strips and wrong is not None:
        shapes.append(Label("wrong.tokens.title", 20, 94, WRONG, "body strong bad start"))
        shapes += marked(_tokens(lay, wrong, "wrong.token", 72, positions=False), shapes, prefix="wrong.")
    return shapes


def _tokens(lay: Layout, step: Step, key: str, y: float, *, positions: bool) -> list[Shape]:
    p = lay.scenario.n_prompt
    chosen = _chosen_so_far(lay.scenario, step)
    fresh = len(chosen) - (step.last - step.first + 1) if isinstance(step, Passes) else len(chosen)
    pitch = min(64.0, 984.0 / lay.n_tokens)
    shapes: list[Shape] = []
    for i in range(lay.n_tokens):
        x = 136 + i * pitch
        token = lay.scenario.prompt[i] if i < p else chosen[i - p] if i - p < len(chosen) else None
        roles = (Role.PENDING,) if token is None else (Role.NEW,) if i >= p and i - p >= fresh else ()
        shapes.append(
            Cell(f"{key}.{i}", x, y, "" if token is None else str(token), pitch - 8, 34, value=token, roles=roles)
        )
        if positions:
            shapes.append(Label(f"{key}.{i}.at", x + (pitch - 8) / 2, y - 8, str(i), "small muted middle"))
    return shapes


def _chosen_so_far(scenario: Scenario, step: Step) -> tuple[int, ...]:
    """The new tokens that the cached decoder of this way has chosen when the step is done."""
    match step:
        case Start():
            return ()
        case Passes(tokens=tokens) | Same(tokens=tokens):
            return tokens or ()
        case _:
            return next((s.tokens for s in trace(scenario) if isinstance(s, Same)), ())


def _in_words(scenario: Scenario) -> Text:
    said = Told(
        "{n_prompt:prompt token}, {n_new} new. Pairs lie in cells of {grain} × {grain} positions.",
        "{n_prompt} 个提示 token，{n_new} 个新 token。图中每格是 {grain} × {grain} 个位置的配对。",
    ).on(scenario)
    if not scenario.is_run:
        said += Text(
            f" Above {MOST_RUN} positions every pass is counted without running the model.",
            f"超过 {MOST_RUN} 个位置时逐步计数，不运行模型。",
        )
    return said


# --- one way


def _panel(lay: Layout, step: Step, y: float, key: str) -> list[Shape]:
    match step:
        case Start():
            empty = tuple((0,) * lay.n_cells for _ in range(lay.n_cells))
            plain = cached = Side(Work(), Work(), empty[0], empty[0], empty, empty, 0)
        case Passes(plain=plain, cached=cached):
            pass
        case _:
            return summary(lay, step, y, key)
    shapes: list[Shape] = []
    if not key or lay.plain_too:
        shapes += triangle(lay, plain, cached.rows, LEFT[0], y, key)
    if not key or lay.cached_too:
        shapes += triangle(lay, cached, None, LEFT[1], y, key)
    return shapes

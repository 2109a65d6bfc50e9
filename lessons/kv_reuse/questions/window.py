"""Sliding windows: how far an edit reaches, what must be kept, and which rows change."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.kv_reuse import Scenario
from engine.prompt_edits import Experiment, Operation, Sight, last_reached
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.question import Line, Question, Row, Slip, together
from lessons.kit.reply import Answer, Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import ROW
from lessons.kv_reuse.questions.inputs import AT, FOUR_DIGITS, LAYERS, LENGTH, SHORTER, WINDOW, inside, prompt
from lessons.kv_reuse.questions.tables import KEYS_BY_LAYER, Bools, answer, changed


@dataclass(frozen=True)
class Field:
    """An edit in a model with a sliding window."""

    at: int
    layers: int
    window: int

    @property
    def step(self) -> int:
        """How far one layer carries a change."""
        return self.window - 1

    @property
    def carried(self) -> int:
        """How far all layers do."""
        return self.layers * self.step

    @property
    def reached(self) -> int:
        return last_reached(self.at, self.layers, self.window)


def _windowed(at: int, layers: int, window: int) -> Scenario:
    w, n_layers = min(window, 128), min(layers, 3)
    lab = Experiment(
        length=min(last_reached(min(at, 40), n_layers, min(w, 40)) + 4, 200),
        position=min(at, 40),
        n_layers=min(layers, 4),
    )
    return replace(prompt(8, min(at, 2), n_layers), sight=Sight.WINDOW, window=w, experiment=lab)


_ITSELF = Slip[Field](
    "self_not_counted",
    Text("Did not count the query itself", "没把查询自己算进窗口"),
    lambda q: q.at + q.layers * q.window,
    Text(
        "The query itself was not counted. The window includes it, so a layer carries a change one position less far "
        "than the window’s size.",
        "没有把查询自己算进窗口。窗口含查询自己，所以一层把变化带到的距离比窗口少一。",
    ),
)
_LAYER_SHORT = Slip[Field](
    "layer_short",
    Text("Stopped at the top layer’s k and v", "停在最顶层的 k、v"),
    lambda q: q.reached - q.step,
    Text(
        "It stops at the top layer’s k and v. That layer’s own attention carries the change once more.",
        "停在了最顶层的 k、v。最顶层自己的注意力还会把变化再带远一次。",
    ),
)

REACH: Question[Field] = Question(
    slug="reach",
    title=Text("How far an edit reaches", "编辑能影响到哪里"),
    prompt=Told(
        "A causal model has {layers:layer} and a sliding window of {window}, the query itself included. The token at "
        "position {at}, counted from 0, of a long prompt is replaced. Which is the last position whose output after "
        "the last layer changes?",
        "因果模型有 {layers} 层，滑动窗口为 {window}（含查询自己）。长提示中位置 {at}（从 0 数）的 token 被替换。最后"
        "一层的输出会变的最后一个位置是哪个？",
    ),
    form=Form((AT, LAYERS, WINDOW)),
    inputs=Field(3, 3, 4),
    invent=lambda rng: Field(rng.randint(0, 30), rng.randint(3, 8), rng.randint(3, 32)),
    formula=lambda q: q.reached,
    slips=(
        _ITSELF,
        Slip(
            "one_layer",
            Text("Counted one layer", "只算了一层"),
            lambda q: q.at + q.step,
            Text(
                "That is after a single layer. Each layer above carries the change on by as much again.",
                "这是一层之后。上面每一层都再带远同样的距离。",
            ),
        ),
        _LAYER_SHORT,
        together(_ITSELF, _LAYER_SHORT, lambda q: q.at + (q.layers - 1) * q.window),
        Slip(
            "window_alone",
            Text("Added the window once", "只加了一次窗口"),
            lambda q: q.at + q.window,
            Text("Layers add up, and the window counts the query itself.", "各层要累加，而且窗口含查询自己。"),
        ),
    ),
    working=Told("{at} + {layers} · ({window} − 1).", "{at} + {layers} · ({window} − 1)。") + SHORTER,
    way=lambda q: _windowed(q.at, q.layers, q.window),
    reply=Number(),
    rows=(
        Line(Text("one layer carries a change by", "一层把变化带远"), "{window} − 1", "{step}"),
        Line(
            Told("{layers:layer} {layers|carries|carry} it by", "{layers} 层把变化带远"),
            "{layers} × {step}",
            "{carried}",
        ),
        Line(Text("last position reached", "到达的最后一个位置"), "{at} + {carried}", "{reached}"),
    ),
    tolerance=FOUR_DIGITS,
)


# --- what a window has to keep


@dataclass(frozen=True)
class Kept:
    """A text read so far by a model with a sliding window."""

    length: int
    layers: int
    window: int

    @property
    def seen(self) -> int:
        """Rows of one layer that the next token sees, its own among them."""
        return min(self.window, self.length + 1)

    @property
    def past(self) -> int:
        """Of these, the old ones."""
        return self.seen - 1

    @property
    def kept(self) -> int:
        """Over all layers."""
        return self.layers * self.past


_SELF_TWICE = Slip[Kept](
    "self_twice",
    Text("Counted the query among the past", "把查询自己也算进过去"),
    lambda q: q.layers * min(q.length, q.window),
    Text(
        "The query was counted among the past. It brings its own row: of the past, one less than the window is seen.",
        "把查询自己也算进了过去。它自带一行：过去的比窗口少看一个。",
    ),
)
_ONE_LAYER = Slip[Kept](
    "one_layer",
    Text("Counted one layer", "只算了一层"),
    lambda q: q.past,
    Text("One layer was counted. Each keeps rows of its own.", "只算了一层。每一层各留各的行。"),
)

WINDOW_ROWS: Question[Kept] = Question(
    slug="window",
    title=Text("What a window has to keep", "滑动窗口要留多少"),
    prompt=Told(
        "{length:token} {length|has|have} been read. The model has {layers:layer}, each with a sliding window of "
        "{window}, the query itself included. How many rows of k, over all layers, must be kept for the next token?",
        "已读 {length} 个 token。模型有 {layers} 层，滑动窗口都是 {window}（含查询自己）。为下一个 token，所有层合计"
        "要保留多少行 k？",
    ),
    form=Form((LENGTH, LAYERS, WINDOW)),
    inputs=Kept(20, 3, 4),
    invent=lambda rng: Kept(rng.randint(100, 2000), rng.randint(2, 40), rng.randint(3, 64)),
    formula=lambda q: q.kept,
    slips=(
        _SELF_TWICE,
        Slip(
            "inclusive",
            Text("Added one instead", "反而加了一"),
            lambda q: q.layers * min(q.length, q.window + 1),
            Text(
                "The window includes the query itself, so of the past one less is seen, not one more.",
                "窗口含查询自己，所以过去的要少看一个，而不是多看一个。",
            ),
        ),
        _ONE_LAYER,
        together(_SELF_TWICE, _ONE_LAYER, lambda q: min(q.length, q.window)),
        Slip(
            "everything",
            Text("Kept everything", "全部都留了"),
            lambda q: q.layers * q.length,
            Text("Rows outside the window are never looked at again.", "窗口之外的行再也不会被看。"),
        ),
    ),
    working=Told(
        "{layers} · ({window} − 1), as long as so many have been read. The steps show a short text.",
        "{layers} · ({window} − 1)，前提是已读够这么多。下面的步骤是一段短文本。",
    ),
    way=lambda q: _windowed(1, q.layers, q.window),
    reply=Number(ROW),
    rows=(
        Line(
            Text("rows the next token sees in a layer", "下一个 token 在一层里看见的行"),
            Text("the window, as far as there is text", "窗口大小，以文本为限"),
            "{seen}",
        ),
        Line(Text("of these, old ones", "其中旧的"), Text("all but its own", "去掉它自己的"), "{past}"),
        Line(Text("kept over all layers", "所有层合计保留"), "{layers} × {past}", Told("{kept:row}", "{kept} 行")),
    ),
    tolerance=FOUR_DIGITS,
)


# --- which rows change


@dataclass(frozen=True)
class Windowed:
    """A short prompt in a model with a sliding window, and the position replaced."""

    length: int = 8
    at: int = 1
    window: int = 3
    layers: int = 3

    @property
    def last(self) -> int:
        return self.length - 1

    @property
    def step(self) -> int:
        """How far one layer carries a change."""
        return self.window - 1


def _reaching(q: Windowed, step: int) -> Answer:
    """The rows that change if each layer carried a change `step` further than the last."""
    cells: Bools = np.zeros((q.layers, q.length), bool)
    for layer in range(q.layers):
        cells[layer, q.at : q.at + layer * step + 1] = True
    return answer(cells)


def _one_layer_for_all(q: Windowed) -> Answer:
    cells: Bools = np.zeros((q.layers, q.length), bool)
    cells[0, q.at] = True
    cells[1:, q.at : q.at + q.window] = True
    return answer(cells)


def windowed_rows(q: Windowed) -> Bools:
    return changed(Operation.REPLACE, q.length, q.at, q.layers, Sight.WINDOW, q.window).k


def _way(q: Windowed) -> Scenario:
    lab = Experiment(length=q.length, position=q.at, n_layers=q.layers)
    return replace(prompt(8, min(q.at, 2), q.layers), sight=Sight.WINDOW, window=q.window, experiment=lab)


def _last_changed(q: Windowed, layer: int) -> Row:
    reached = last_reached(q.at, layer, q.window)
    how = f"{q.at} + {layer} × ({q.window} − 1)" if layer else f"{q.at}"
    beyond = f" > {q.last}" if reached > q.last else ""
    what = Text(f"layer {layer}, last position changed", f"第 {layer} 层，变到哪个位置")
    return Row(what, how + beyond, str(min(reached, q.last)))


WINDOWED = tuple(
    Windowed(n, at, w, layers) for layers in (3, 4) for n in range(6, 10) for w in (2, 3, 4) for at in range(n - w)
)

STALE_IN_WINDOW: Question[Windowed] = Question(
    slug="stale_window",
    title=Text("Which rows change in a window?", "滑动窗口里哪些行会变？"),
    prompt=Told(
        "A causal model of {layers:layer} has a sliding window of {window}, the query itself included. Of {length} "
        "cached tokens the one at position {at}, counted from 0, is replaced. Which rows of k no longer hold?",
        "{layers} 层的因果模型，滑动窗口为 {window}（含查询自己）。缓存的 {length} 个 token 中，位置 {at}（从 0 数）"
        "的 token 被替换。哪些 k 行失效？",
    ),
    form=Form(
        (
            Whole("length", LENGTH.label, 3, 9),
            AT,
            Whole("window", WINDOW.label, 2, 8),
            Whole("layers", LAYERS.label, 2, 4),
        ),
        together=inside,
    ),
    inputs=Windowed(),
    invent=lambda rng: rng.choice(WINDOWED),
    formula=lambda q: answer(windowed_rows(q)),
    slips=(
        Slip(
            "no_window",
            Text("Forgot the window", "忘了窗口"),
            lambda q: answer(changed(Operation.REPLACE, q.length, q.at, q.layers).k),
            Told(
                "Without a window everything behind would change. Here a query sees itself and the {step} before it.",
                "没有窗口时，后面的才会全变。这里一个查询只看见自己和前面 {step} 个。",
            ),
        ),
        Slip(
            "one_layer_for_all",
            Text("Equally far in every layer", "每层一样远"),
            _one_layer_for_all,
            Told(
                "Layers add up: layer 2’s input has already changed {step:position} further.",
                "各层要累加：第 2 层的输入已经又多变了 {step} 个位置。",
            ),
        ),
        Slip(
            "edited_alone",
            Text("Only the replaced position", "只有被替换的位置"),
            lambda q: _reaching(q, 0),
            Text(
                "From layer 1 on the inputs of the next positions have looked at the replaced token.",
                "从第 1 层起，后面几个位置的输入看过被替换的 token。",
            ),
        ),
        Slip(
            "self_not_counted",
            Text("Did not count the query itself", "没把查询自己算进窗口"),
            lambda q: _reaching(q, q.window),
            Told(
                "The window includes the query itself: a layer carries the change {step} further, not {window}.",
                "窗口含查询自己：一层把变化带远 {step}，不是 {window}。",
            ),
        ),
    ),
    working=Told(
        "Layer 0: position {at} alone. Each layer above reaches {step} further.",
        "第 0 层：只有位置 {at}。往上每层再远 {step}。",
    ),
    way=_way,
    reply=KEYS_BY_LAYER,
    rows=lambda q: tuple(_last_changed(q, layer) for layer in range(q.layers)),
)

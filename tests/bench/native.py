"""The same lesson as plain Streamlit: a fragment, two buttons, Markdown, a Plotly figure. Kept for the bench's
comparison only.

Its steps are made and drawn once; a step costs a fragment's rerun and the figure's way to the browser, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from lessons.kit.lesson import Frame
from lessons.kit.roles import Role
from lessons.kit.scene import Scene
from lessons.kit.shapes import Arrow, Bar, Box, Bracket, Cell, Label, Line, Pill, Shape, Table, Words
from lessons.online_softmax import LESSON

ANCHORS = {"start": "right", "middle": "center", "end": "left"}  # Plotly names the side on which the text stands


@dataclass(frozen=True)
class Said:
    """A word at (x, y)."""

    x: float
    y: float
    word: Words
    anchor: str = "middle"


def drawn(shape: Shape) -> tuple[list[dict[str, object]], list[Said]]:
    """A shape of the lesson's picture as Plotly's boxes and lines, and the words on it."""
    x, y = shape.x, shape.y
    match shape:
        case Cell(w=w, h=h, text=text, small=small):
            below = [Said(x + w / 2, y + h - 10, small)] if small else []
            return [_box(shape, x, y, w, h)], [Said(x + w / 2, y + h / 2, text), *below]
        case Pill(w=w, h=h, text=text):
            return [_box(shape, x, y - h / 2, w, h)], [Said(x + w / 2, y, text)]
        case Bar(w=w, h=h, text=text):
            return [_box(shape, x, y - h, w, h)], [Said(x + w / 2, y - h - 14, text)]
        case Box(w=w, h=h):
            return [_box(shape, x, y, w, h)], []
        case Label(text=text, style=style):
            return [], [Said(x, y, text, next((name for name in ANCHORS if name in style.split()), "start"))]
        case Arrow(dx=dx, dy=dy) | Line(dx=dx, dy=dy):
            return [_stroke(x, y, dx, dy)], []
        case Bracket(w=w, text=text):
            return [_stroke(x, y + 8, w, 0)], [Said(x + w / 2, y + 22, text)] if text else []
        case Table(rows=rows, widths=widths):
            return [], [
                Said(x + sum(widths[: j + 1]), y + 22 + 32 * i, word, "end")
                for i, row in enumerate(rows)
                for j, word in enumerate(row)
            ]
    return [], []


def _box(shape: Shape, x: float, y: float, w: float, h: float) -> dict[str, object]:
    new = Role.NEW in shape.roles or Role.NOW in shape.roles
    line = {"color": "#0072B2" if new else "#9AA5B1", "width": 2.5 if new else 1}
    return {"type": "rect", "x0": x, "y0": y, "x1": x + w, "y1": y + h, "line": line, "fillcolor": "#F4F6F8"}


def _stroke(x: float, y: float, dx: float, dy: float) -> dict[str, object]:
    return {"type": "line", "x0": x, "y0": y, "x1": x + dx, "y1": y + dy, "line": {"width": 1.5}}


def figure(scene: Scene, title: str) -> go.Figure:
    """The picture with its extent fixed, so that nothing jumps; all words in one trace."""
    parts = [drawn(shape) for shape in scene.shapes]
    words = [said for _, saids in parts for said in saids]
    fig = go.Figure(
        go.Scatter(
            x=[said.x for said in words],
            y=[said.y for said in words],
            text=[said.word if isinstance(said.word, str) else said.word.en for said in words],
            textposition=[f"middle {ANCHORS[said.anchor]}" for said in words],
            mode="text",
            hoverinfo="skip",
        )
    )
    fig.update_layout(
        title={"text": title},
        height=520,
        margin={"l": 0, "r": 0, "t": 40, "b": 0},
        shapes=[{**box, "layer": "below"} for boxes, _ in parts for box in boxes],
        xaxis={"range": [0, scene.width], "visible": False, "fixedrange": True},
        yaxis={"range": [scene.height, 0], "visible": False, "fixedrange": True},
    )
    return fig


@st.cache_resource
def lesson() -> tuple[tuple[Frame, go.Figure], ...]:
    """Each step with its figure, for all readers."""
    frames = LESSON.frames(LESSON.scenario)
    return tuple((frame, figure(frame.scene, f"{i + 1} {frame.narration.title.en}")) for i, frame in enumerate(frames))


def move(by: int) -> None:
    st.session_state["step"] = st.session_state.get("step", 0) + by


@st.fragment
def steps() -> None:
    """The step the reader is at, redrawn alone."""
    frames = lesson()
    i = st.session_state.get("step", 0)
    frame, picture = frames[i]
    with st.container(horizontal=True, key="buttons"):
        st.button("Previous", on_click=move, args=(-1,), disabled=i == 0)
        st.button("Next", on_click=move, args=(1,), disabled=i == len(frames) - 1)
    with st.container(key="counter"):
        st.markdown(f"{i + 1} / {len(frames)}")
    st.plotly_chart(picture, key="figure", config={"displayModeBar": False})
    st.markdown(f"### {frame.narration.headline.en}\n\n{frame.narration.text.en}")


def main() -> None:
    st.set_page_config(layout="wide")
    st.title(LESSON.title.en, anchor=False)
    st.markdown(LESSON.question.en)
    steps()


if (
    __name__ == "__main__"
):  # Streamlit runs its script by this name; pytest, looking for doctests, imports it by another
    main()

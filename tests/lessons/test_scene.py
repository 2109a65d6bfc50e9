"""Pictures as data: what is drawn is well-formed, keyed and labelled, and two ways are compared cell by cell."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.kit.roles import Role
from lessons.kit.rows import row
from lessons.kit.scene import Scene, legend, marked
from lessons.kit.shapes import Arrow, Bar, Box, Bracket, Cell, Label, Line, Pill, Shape, Strip, Table
from lessons.kit.text import Text
from tests.lessons.reading import CHINESE, LANGS, SVG, svg, written

WORD = Text("word", "词")


def one_of_each(word: Text | str) -> tuple[Shape, ...]:
    return (
        Cell("cell", 0, 0, word, small=word, value=1.0, roles=tuple(Role)),
        Pill("pill", 0, 0, word),
        Bar("bar", 0, 0, word, 20, 30, roles=(Role.MASK,)),
        Label("label", 0, 0, word, "big strong middle"),
        Arrow("arrow", 0, 0, 10, 20),
        Arrow("point", 0, 0, 0, 0),
        Line("line", 0, 0, 10, style="dash"),
        Bracket("bracket", 0, 0, 30, word),
        Box("box", 0, 0, 30, 30, "heat", 0.5),
        Table("table", 0, 0, ((word, word), (word, "1")), (50, 50), strong=1),
    )


def scene(*shapes: Shape, label: Text = WORD) -> Scene:
    return Scene(100, 50, label, shapes)


def test_a_scene_is_one_image_with_its_extent_and_its_words() -> None:
    for lang, word in zip(LANGS, ("word", "词"), strict=True):
        root = svg(scene(), lang)
        assert root.tag == f"{SVG}svg"
        assert root.attrib == {"viewBox": "0 0 100 50", "role": "img", "aria-label": word}


def test_every_shape_is_one_group_with_its_key_in_the_order_drawn() -> None:
    shapes = one_of_each(WORD)
    groups = list(svg(scene(*shapes), "en"))
    assert [g.get("data-key") for g in groups] == [shape.key for shape in shapes]
    assert {g.tag for g in groups} == {f"{SVG}g"}


@pytest.mark.parametrize("lang", LANGS)
def test_words_are_shown_in_the_language_asked_for(lang: str) -> None:
    shown = {text.text for text in svg(scene(*one_of_each(WORD)), "zh" if lang == "zh" else "en").iter(f"{SVG}text")}
    assert shown == {WORD.zh if lang == "zh" else WORD.en, "1", "✗", "≠", "⚓"}


@given(st.text(st.characters(exclude_categories=["C"]) | st.sampled_from("<>&\"'];:"), min_size=1, max_size=12))
def test_any_word_that_can_be_seen_is_shown_as_it_is_and_makes_no_element(word: str) -> None:
    plain = svg(scene(*one_of_each("neutral"), label=Text("neutral", "neutral")), "en")
    root = svg(scene(*one_of_each(word), label=Text(word, word)), "en")
    assert root.get("aria-label") == word
    assert [(e.tag, e.text) for e in root.iter()] == [
        (e.tag, word if e.text == "neutral" else e.text) for e in plain.iter()
    ]


@given(st.text(st.characters(exclude_categories=["C"]) | st.sampled_from("<>&\"'"), min_size=1, max_size=12))
def test_a_key_made_of_any_word_stays_one_attribute(word: str) -> None:
    (group,) = svg(scene(Label(word, 0, 0, "x")), "en")
    assert group.get("data-key") == word


def test_two_shapes_with_one_key_are_refused_by_that_key() -> None:
    with pytest.raises(ValueError, match=r"keys.*'a'"):
        scene(Label("a", 0, 0, "x"), Label("b", 0, 0, "x"), Label("a", 1, 1, "y"))


def test_a_role_is_a_class_of_the_group() -> None:
    (group,) = svg(scene(Cell("a", 0, 0, "1", roles=(Role.NEW, Role.MASK))), "en")
    assert set((group.get("class") or "").split()) == {"cell", "role-new", "role-mask"}


@pytest.mark.parametrize(
    ("role", "drawn"),
    [
        (Role.WRONG, "mark bad"),  # ✗ and a hatch, not only a colour
        (Role.WRONG, "hatch"),
        (Role.MASK, "strike"),
        (Role.SHARED, "outer"),
        (Role.REUSED, "mark"),
    ],
)
def test_colour_is_never_the_only_cue(role: Role, drawn: str) -> None:
    def classes(*roles: Role) -> set[str]:
        drawn = svg(scene(Cell("a", 0, 0, "1", roles=roles)), "en").iter()
        return {word for e in drawn for word in (e.get("class") or "").split()}

    assert set(drawn.split()) <= classes(role)
    assert not set(drawn.split()) <= classes()


@given(st.floats(1, 500), st.floats(1, 500))
def test_the_hatch_never_leaves_its_box(w: float, h: float) -> None:
    (hatch,) = (
        e for e in svg(scene(Cell("a", 0, 0, "1", w, h, roles=(Role.WRONG,))), "en").iter() if e.get("class") == "hatch"
    )
    corners = [float(number) for number in re.findall(r"[\d.e+-]+", hatch.get("d") or "")]
    assert len(corners) % 4 == 0
    assert all(-1e-3 <= x <= w * 1.001 for x in corners[::2])
    assert all(-1e-3 <= y <= h * 1.001 for y in corners[1::2])


FULL_CELLS = [
    Cell("a", 0, 0, "−0.63, −1.83, …", 122, 41, "|Δ| = 1.5653", roles=(Role.STALE,)),
    Cell("a", 0, 0, "A10", 44, 38, roles=(Role.WRONG,)),
    Cell("a", 0, 0, "10", 29, 38, roles=(Role.WRONG,)),
    Cell("a", 0, 0, "3.1647", 192, 36, roles=(Role.WRONG,)),
    Strip("a", 0, 0, "", 204, 30, roles=(Role.WRONG,), texts=("−0.140", "0.100", "−0.118", "0.921")),
]


@pytest.mark.parametrize("cell", FULL_CELLS, ids=lambda cell: str(cell.w))
def test_no_stroke_of_the_hatch_crosses_a_number_or_a_sign(cell: Cell) -> None:
    root = svg(scene(cell), "en")
    (hatch,) = (e for e in root.iter() if e.get("class") == "hatch")
    ends = [float(number) for number in re.findall(r"[\d.e+-]+", hatch.get("d") or "")]
    assert ends, "some of it is left"
    for x0, y0, x1, y1 in zip(*(ends[i::4] for i in range(4)), strict=True):
        for t in range(101):
            x, y = x0 + (x1 - x0) * t / 100, y0 + (y1 - y0) * t / 100
            for word in written(root):
                ink = word.bottom - 0.25 * (word.bottom - word.top) / 1.05  # digits and signs stand on the baseline
                assert not (word.left < x < word.right and word.top + 2 < y < ink), (word, x, y)


@pytest.mark.parametrize("role", [Role.WRONG, Role.REUSED, Role.STALE])
@pytest.mark.parametrize(("w", "h"), [(29.0, 26.0), (92.0, 40.0), (204.0, 30.0)])
def test_a_sign_stands_within_its_own_cell_above_the_number(role: Role, w: float, h: float) -> None:
    words = written(svg(scene(Cell("a", 0, 0, "1", w, h, roles=(role,))), "en"))
    (sign,) = (word for word in words if word.text in "✗⚓≠")
    baseline = sign.bottom - 0.25 * 14
    assert 0 <= sign.left < sign.right <= w
    assert 8 <= baseline <= h / 2 - 2  # as tall as a sign, and over before the middle


def test_cells_in_a_row_are_keyed_by_their_place() -> None:
    cells = row("r", 10, 20, [1.0, 2.0], ["a", "b"], w=30, h=20, gap=5)
    assert [(c.key, c.x, c.y, c.value, c.text) for c in cells] == [("r.0", 10, 20, 1.0, "a"), ("r.1", 45, 20, 2.0, "b")]
    with pytest.raises(ValueError, match="zip"):
        row("r", 0, 0, [1.0], ["a", "b"])


# Two ways beside each other


def both(right: list[float], wrong: list[float]) -> list[bool]:
    """Which cells of the wrong way are marked."""
    a = row("a", 0, 0, right, [str(x) for x in right])
    b = row("w.a", 0, 50, wrong, [str(x) for x in wrong])
    return [Role.WRONG in shape.roles for shape in marked(b, a, prefix="w.")]


def test_exactly_the_cells_that_differ_are_marked() -> None:
    assert both([1, 2, 3], [1, 2.0000001, 3]) == [False, True, False]
    assert both([0.0], [-0.0]) == [False]


def test_nan_differs_from_a_number_but_not_from_nan() -> None:
    assert both([math.nan, 1, math.nan, math.inf], [math.nan, math.nan, 1, math.inf]) == [False, True, True, False]


def test_a_cell_without_a_number_or_without_a_partner_is_never_marked() -> None:
    right = (Cell("a", 0, 0, "x", value=1.0), Label("l", 0, 0, "right"))
    wrong = (Cell("w.a", 0, 0, "y"), Cell("w.b", 0, 0, "y", value=2.0), Label("w.l", 0, 0, "wrong"))
    assert marked(wrong, right, prefix="w.") == wrong


def test_a_mark_keeps_the_other_roles_and_the_scene_says_that_the_ways_part() -> None:
    right, wrong = Cell("a", 0, 0, "1", value=1.0), Cell("w.a", 0, 50, "2", value=2.0, roles=(Role.NEW,))
    shapes = marked([wrong], [right], prefix="w.")
    assert shapes[0].roles == (Role.NEW, Role.WRONG)
    assert wrong.roles == (Role.NEW,)
    assert scene(right, *shapes).parts
    assert not scene(right, wrong).parts


# Names


def test_a_name_is_written_on_the_group_in_its_language_and_only_where_given() -> None:
    named = Cell("a", 0, 0, "", name=Text("slot 1 & <2>", "槽位 1 & <2>"))
    assert [svg(scene(named), lang)[0].get("data-name") for lang in ("en", "zh")] == ["slot 1 & <2>", "槽位 1 & <2>"]
    assert svg(scene(Cell("a", 0, 0, "")), "en")[0].get("data-name") is None


# The legend


@pytest.mark.parametrize(("kinds", "drawn"), [("b", "bar"), ("c", "cell"), ("bc", "cell")])
def test_a_role_that_only_bars_show_has_a_bar_for_its_swatch(kinds: str, drawn: str) -> None:
    shapes = {"b": Bar("b", 0, 40, "3", 20, 30, roles=(Role.HELD,)), "c": Cell("c", 0, 0, "1", roles=(Role.HELD,))}
    (entry,) = legend([scene(shapes[kind]) for kind in kinds], "en")
    (group,) = ET.fromstring(entry["svg"])
    assert group.get("class") == f"{drawn} role-held"
    assert not any(text.text for text in group.iter(f"{SVG}text"))


def test_the_legend_names_each_role_that_is_used_once_in_the_order_of_the_vocabulary() -> None:
    scenes = [
        scene(Cell("a", 0, 0, "1", roles=(Role.MASK, Role.NEW))),
        scene(Cell("b", 0, 0, "1", roles=(Role.NEW, Role.Q))),
    ]
    assert [entry["text"] for entry in legend(scenes, "en")] == [r.value.en for r in (Role.Q, Role.NEW, Role.MASK)]
    assert [entry["text"] for entry in legend(scenes, "zh")] == [r.value.zh for r in (Role.Q, Role.NEW, Role.MASK)]
    assert legend([scene()], "en") == []


@pytest.mark.parametrize("role", Role)
def test_a_swatch_is_a_small_picture_of_its_role_that_needs_no_reading_aloud(role: Role) -> None:
    (entry,) = legend([scene(Cell("a", 0, 0, "1", roles=(role,)))], "en")
    swatch = ET.fromstring(entry["svg"])
    assert swatch.get("aria-hidden") == "true"
    (group,) = swatch
    assert role.css in (group.get("class") or "").split()


def test_no_two_roles_share_a_word_or_a_class() -> None:
    assert len({role.css for role in Role}) == len({role.value.en for role in Role}) == len(Role)
    assert len({role.value.zh for role in Role}) == len(Role)
    assert all(CHINESE.search(role.value.zh) for role in Role)


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=12
    )
)
def test_a_shape_is_written_as_the_xml_library_would_write_it(word: str) -> None:
    for shape in one_of_each(word):
        g = ET.fromstring(shape.svg("en"))
        drawn = ET.Element(g.tag, g.attrib)
        shape.draw(drawn, "en")
        assert ET.canonicalize(shape.svg("en")) == ET.canonicalize(ET.tostring(drawn, encoding="unicode"))

"""The step player: all steps of a lesson in one message, stepped in the browser (assets/player.js)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import streamlit as st
from markupsafe import Markup

from lessons import LESSONS
from lessons.kit.ask import Ask
from lessons.kit.html import templates
from lessons.kit.lesson import Facts, Frame, Lesson
from lessons.kit.prose import bare, to_html
from lessons.kit.roles import Role
from lessons.kit.scene import legend
from lessons.kit.shapes import Shape
from lessons.kit.text import Lang, Text
from pages.shell.lesson.code import panel
from pages.shell.site import words
from pages.shell.site.assets import asset, figure_css, script
from pages.shell.site.language import html_lang
from pages.shell.site.prose import glossary

_PLAYER = st.components.v2.component(
    "player",
    js=script("player.js"),
    css=asset("common.css") + figure_css() + "".join(asset(f"{name}.css") for name in ("player", "stage", "present")),
)

OWN = "own"
_fill = templates(__file__)


def player(
    lesson: Lesson[Any, Any],
    scenario: Any,
    lang: Lang,
    *,
    key: str,
    on_choose: Callable[[str, str], None] | None = None,
) -> None:
    """Mount the page's own player: a stage. `on_choose(name, value)` is called when the reader picks from its lists;
    without it there are none, the player is a second one, and no step asks first."""

    def chosen() -> None:
        choice = st.session_state[key].get("choose")
        if on_choose is not None and isinstance(choice, dict):
            on_choose(str(choice.get("name")), str(choice.get("value")))

    _PLAYER(key=key, data=message(lesson.slug, scenario, lang, on_choose is not None), on_choose_change=chosen)


def player_of(frames: tuple[Frame, ...], title: Text, lang: Lang, *, key: str) -> None:
    """Mount the player on frames of no lesson's: a worked solution. `title` names it for those who cannot see it; at
    least one frame, all scenes of one size."""
    _PLAYER(key=key, data=_message_of(frames, title, lang))


@lru_cache(maxsize=128)
def message(slug: str, scenario: Any, lang: Lang, choices: bool) -> dict[str, Any]:
    """Everything the browser needs for a lesson's steps; a pure function of its arguments."""
    lesson = next(lesson for lesson in LESSONS if lesson.slug == slug)
    steps = _steps(lesson.slug, lesson.frames(scenario), lesson.title, lang, head=2 if choices else 3)
    if not choices:
        for step in steps["steps"]:
            step["ask"] = None
        return steps | {"question": lesson.question.of(lang)}
    return steps | {
        "stage": True,
        "question": lesson.question.of(lang),
        "source": lesson.place.of(lang),
        "ledger": _ledger(lesson, lang),
        "choices": _choices(lesson, scenario, lang),
        "onward": _onward(lesson, lang),
        "code": None if lesson.code is None else panel(lesson.code, scenario, lesson.pairs(scenario), lang),
    }


@lru_cache(maxsize=32)
def _message_of(frames: tuple[Frame, ...], title: Text, lang: Lang) -> dict[str, Any]:
    return _steps("", frames, title, lang, head=3)


def _steps(name: str, frames: tuple[Frame, ...], title: Text, lang: Lang, *, head: int) -> dict[str, Any]:
    """What every player needs. `name` tells it whether new steps are the old ones with other numbers; `head` is the
    level of the headlines."""
    groups: dict[Shape, int] = {}
    roles = [role for role in Role if any(role in frame.scene.roles for frame in frames)]
    steps = [
        _step(frame, lang, groups, head) | {"legend": [i for i, role in enumerate(roles) if role in frame.scene.roles]}
        for frame in frames
    ]
    parting = next((i for i, frame in enumerate(frames) if frame.scene.parts), None)
    if parting is not None:
        steps[parting]["parts"] = True
    scene = frames[0].scene
    return {
        "lesson": name,
        "stage": False,
        "lang": html_lang(lang),
        "title": title.of(lang),
        "question": "",
        "source": "",
        "ledger": [],
        "words": {name: text.of(lang) for name, text in words.PLAYER.items()}
        | {"key_list": [[keys, text.of(lang)] for keys, text in words.KEYS]},
        "choices": [],
        "onward": None,
        "width": scene.width,
        "height": scene.height,
        "groups": [shape.svg(lang) for shape in groups],
        "steps": steps,
        "legend": legend((frame.scene for frame in frames), lang),
        "glossary": glossary("".join(_told(step) for step in steps), lang),
    }


def _step(frame: Frame, lang: Lang, groups: dict[Shape, int], head: int) -> dict[str, Any]:
    """One step; its shapes go into `groups`, each distinct one once, and the step lists where."""
    words_ = frame.narration
    return {
        "id": words_.id,
        "title": words_.title.of(lang),
        "label": frame.scene.label.of(lang),
        "html": _said(
            head, words_.headline.of(lang), words_.why.of(lang), words_.wrong.of(lang) if words_.wrong else ""
        ),
        "table": _table(words_.facts, lang) if words_.facts else "",
        "ask": _ask(words_.ask, lang) if words_.ask else None,
        "groups": [groups.setdefault(shape, len(groups)) for shape in frame.scene.shapes],
    }


@lru_cache(maxsize=2048)
def _said(head: int, headline: str, why: str, wrong: str) -> Markup:
    return _fill("step.html", head=head, headline=headline, why=why, wrong=wrong)


def _told(step: dict[str, Any]) -> str:
    """All of a step's HTML that may name a term."""
    ask = step["ask"] or {"prompt": "", "shown": "", "options": [], "slips": []}
    return "".join(
        (step["html"], ask["prompt"], ask["shown"], *ask["options"], *(slip["said"] for slip in ask["slips"]))
    )


def _line(text: Text, lang: Lang) -> Markup:
    """One line of Markdown, without the paragraph around it."""
    return bare(to_html(text.of(lang)))


def _ask(ask: Ask, lang: Lang) -> dict[str, Any]:
    values = [ask.answer, *(slip.value for slip in ask.slips)]
    return {
        "kind": ask.kind,
        "prompt": _line(ask.prompt, lang),
        "answer": ask.answer,
        "shown": _line(ask.truth, lang),
        "options": [_line(option, lang) for option in ask.options],
        "slips": [{"value": slip.value, "said": _line(slip.said, lang)} for slip in ask.slips],
        "relative": ask.relative,
        "absolute": ask.absolute,
        "among": list(ask.among),
        "positive": all(isinstance(value, str) or value >= 0 for value in values),
    }


def _table(facts: Facts, lang: Lang) -> Markup:
    head, *lines = (
        [word if isinstance(word, str) else word.of(lang) for word in line] for line in (facts.head, *facts.rows)
    )
    rows = [
        (name, between, last, i in facts.changed, i in facts.wrong) for i, (name, *between, last) in enumerate(lines)
    ]
    return _fill("facts.html", head=head, rows=rows, nameless=words.ROW.of(lang))


def next_lesson(lesson: Lesson[Any, Any]) -> Lesson[Any, Any] | None:
    """The one after it on the reading path."""
    return next(iter(LESSONS[LESSONS.index(lesson) + 1 :]), None)


def _onward(lesson: Lesson[Any, Any], lang: Lang) -> dict[str, str] | None:
    """The next lesson; its address is relative to this lesson's."""
    after = next_lesson(lesson)
    return None if after is None else {"title": after.title.of(lang), "href": f"{after.slug}?lang={lang}"}


def _ledger(lesson: Lesson[Any, Any], lang: Lang) -> list[dict[str, Any]]:
    effects = {"work": lesson.ledger.work, "moved": lesson.ledger.moved, "resident": lesson.ledger.resident}
    return [
        {"name": words.LEDGER[name].of(lang), "effect": effect.of(lang), "on": lesson.ledger.saves in (name, "all")}
        for name, effect in effects.items()
    ]


def _choices(lesson: Lesson[Any, Any], scenario: Any, lang: Lang) -> list[dict[str, Any]]:
    preset = lesson.preset_of(scenario)
    options = [{"value": p.slug, "label": p.title.of(lang)} for p in lesson.presets]
    if preset is None:
        options.append({"value": OWN, "label": words.OWN.of(lang)})
    typed = lesson.form.write(scenario)
    return [
        {
            "name": "preset",
            "label": {"short": words.EXAMPLE.of(lang), "long": words.EXAMPLE.of(lang)},
            "value": preset.slug if preset else OWN,
            "options": options,
        },
        *(
            {
                "name": control.name,
                "label": {"short": (control.short or control.label).of(lang), "long": control.label.of(lang)},
                "value": typed[control.name],
                "options": [{"value": value, "label": text.of(lang)} for value, text in control.options],
            }
            for control in lesson.player_choices
        ),
    ]

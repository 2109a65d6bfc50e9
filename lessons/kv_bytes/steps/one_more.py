"""What one more token of one sequence adds, and in which layers."""

from __future__ import annotations

from engine.kv_size import OneMore, Scenario
from lessons.kit.format import whole
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.naming import short_size
from lessons.kv_bytes.steps.table import VALUE, Line, facts, row, unseen

_UNTIL_THE_END = Text(" until the sequence ends or something is thrown out.", "直到序列结束或丢弃一部分。")


def one_more(s: Scenario, step: OneMore, wrong: OneMore | None) -> Narration:
    if step.added == 0:
        headline = Told(
            "One more token adds nothing: every layer forgets its oldest", "再多一个 token 不再增加：每一层都丢掉最旧的"
        )
    elif step.growing < s.model.n_layers:
        headline = Told(
            "One more token adds {more}, in {growing} of {n_layers} layers",
            "再多一个 token 增加 {more}，只在 {growing} 层中（共 {n_layers} 层）",
        )
    else:
        headline = Told("One more token adds {more}", "再多一个 token 增加 {more}")
    own = wrong or step
    return Narration(
        id="one-more",
        title=Text("One more token", "再多一个 token"),
        headline=headline.on(step, s.model, more=short_size(step.added)),
        why=_why(s, step),
        facts=facts(VALUE, _lines(step), None if wrong is None else _lines(wrong)),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _spoilt(s, step, wrong)),
        row=row(own.added),
    )


def _why(s: Scenario, step: OneMore) -> Text:
    if step.added == 0:
        return Text(
            "All windows are full, so the cache has stopped growing. What it still costs is to read all of it at "
            "every step.",
            "所有窗口都已装满，缓存不再增长。但每一步仍要把它全部读一遍。",
        )
    if step.growing < s.model.n_layers:
        return _only_full_layers(s.model.n_layers, step)
    without = Text("B and T", "B 和 T") if s.batch > 1 else "T"
    leave = Told(
        "Leave {without} out of the product: {added:B} for one token of one sequence. ",
        "把乘积里的 {without} 去掉：一条序列多一个 token 就是 {added:B}。",
    ).on(step, without=without)
    if s.model.n_local:
        return leave + _until_windows_are_full(s, step)
    return leave + Text("Each token that is generated adds as much,", "每生成一个 token 都加这么多，") + _UNTIL_THE_END


def _only_full_layers(n_layers: int, step: OneMore) -> Text:
    """The windows are full: leaving T out of the product would count their layers, too."""
    local = n_layers - step.growing
    if local == 1:
        others = Text("The other layer drops its", "另一层")
    else:
        others = Told("The other {local} layers drop their", "其余 {local} 层").on(local=local)
    only = Told(
        "Only the {growing:layer} without a window grow{growing|s|}: {growing} × {each:B} = {added:B} for one "
        "token of one sequence. {others} oldest token for it, so the whole product without T, {n_layers} × "
        "{each:B} = {whole:B}, would be too much. From here on each token that is generated adds as much,",
        "只有不带窗口的 {growing} 层在增长：一条序列多一个 token 就是 {growing} × {each:B} = {added:B}。{others}为"
        "它丢掉最旧的一个，所以把整个乘积里的 T 去掉（{n_layers} × {each:B} = {whole:B}）就多算了。此后每生成一个 "
        "token 都加这么多，",
    )
    return only.on(step, others=others, n_layers=n_layers, whole=n_layers * step.each) + _UNTIL_THE_END


def _until_windows_are_full(s: Scenario, step: OneMore) -> Text:
    m = s.model
    until = Told(
        "Each token that is generated adds as much until the windows of {window:token} are full, after {room} "
        "more. From then on ",
        "{window} 个 token 的窗口还能再装 {room} 个，装满之前，每生成一个 token 都加这么多。装满之后，",
    )
    if m.n_full:
        then = Told(
            "only the {n_full:layer} without a window grow{n_full|s|}, by {after:B} a token.",
            "只有不带窗口的 {n_full} 层增长，每个 token {after:B}。",
        )
    else:
        then = Told(
            "every layer drops its oldest token for a new one, and the cache stops growing.",
            "每一层都为新 token 丢掉最旧的一个，缓存不再增长。",
        )
    return (until + then).on(m, room=(m.window or 0) - s.seq_len, after=step.each * m.n_full)


def _lines(step: OneMore) -> list[Line]:
    share = same(f"1 / {whole(round(step.total / step.added))}" if step.added else "0")
    return [
        (Text("added", "增加"), short_size(step.added)),
        (Text("layers that grow", "增长的层"), str(step.growing)),
        (Text("part of the cache", "占缓存的"), share),
    ]


def _spoilt(s: Scenario, step: OneMore, wrong: OneMore) -> Text:
    if step.added != wrong.added:
        return Told("adds {added} for one more token.", "再多一个 token 时增加 {added}。").on(
            added=short_size(wrong.added)
        )
    return unseen(s, step, wrong) or Text("adds as much for one more token.", "再多一个 token 时增加的一样多。")

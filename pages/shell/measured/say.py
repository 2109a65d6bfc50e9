"""Sentences made from timings. Names in a run that came from a file are shown, never obeyed."""

from __future__ import annotations

import re

from engine.measure import Case, Place, Plan, Planned, Progress, Run, Skipped, busy, drifted
from lessons.kit.format import count, many
from lessons.kit.text import Text, same, shown
from lessons.kit.told import Told
from pages.shell.measured import words

MOST = 60  # characters of a name from a file

# What engine/measuring/gpu.py says most often of what is missing; everything else is quoted as it came.
REASONS: tuple[tuple[str, Text], ...] = (
    (r"PyTorch cannot be imported: No module named 'torch'", Text("not installed", "没有安装")),
    (
        r"a GPU is reached through PyTorch, which is not here",
        Text("it is reached through PyTorch", "要通过 PyTorch 使用"),
    ),
    (
        r"PyTorch (\S+) was built without GPU support",
        Text("PyTorch {} was built without GPU support", "PyTorch {} 不带 GPU 支持"),
    ),
    (
        r"PyTorch (\S+) finds no GPU, or no driver for one",
        Text("PyTorch {} finds no GPU, or no driver for one", "PyTorch {} 没有找到 GPU 或其驱动"),
    ),
    (r"(?:NumPy|this PyTorch) has no (\w+)", Text("has no {}", "没有 {}")),
    (
        r"PyTorch (\S+) has no kernel of this name",
        Text("PyTorch {} has no kernel of this name", "PyTorch {} 没有这个核函数"),
    ),
)


def seconds(x: float) -> str:
    """
    >>> seconds(0.00123), seconds(2.5), seconds(200)
    ('1.23 ms', '2.5 s', '3 min 20 s')
    """
    if x >= 100:
        return f"{int(x) // 60} min {int(x) % 60} s"
    for unit, length in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if x >= length:
            return f"{x / length:.3g} {unit}"
    return f"{x / 1e-9:.3g} ns"


def memory(n: float) -> str:
    """
    >>> memory(2048), memory(180.3 * 2**20), memory(0)
    ('2 KiB', '180 MiB', '0 B')
    """
    for unit, length in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if n >= length:
            return f"{n / length:.3g} {unit}" if n < 1000 * length else f"{n / length:.0f} {unit}"
    return f"{n:.0f} B"


def times(ratio: float) -> str:
    """
    >>> times(0.4567), times(12.3), times(4690.4)
    ('0.46', '12.3', '4\\u202f690')
    """
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.3g}" if ratio < 1000 else count(round(ratio))


def factor(ratio: float) -> Text:
    """How many times as much, or which part of it.

    >>> factor(0.08).en, factor(6.7).en
    ('1/12.5', '6.70 times')
    """
    return same(f"1/{times(1 / ratio)}") if 0 < ratio < 0.5 else Text(f"{times(ratio)} times", f"{times(ratio)} 倍")


def name(names: dict[str, Text], word: str) -> Text:
    return names[word] if word in names else same(shown(word, MOST))


def place(backend: str, dtype: str) -> Text:
    where = name(words.BACKEND, backend)
    return Text(f"{where.en}, {shown(dtype, MOST)}", f"{where.zh}，{shown(dtype, MOST)}")


def case(one: Case) -> Text:
    """`Attention, our tiles, n = 1 024, NumPy, float32`."""
    operation, way, where = (
        name(words.OPERATION, one.operation),
        name(words.WAY, one.way),
        place(one.backend, one.dtype),
    )
    size = "".join(memory(n) if word == "bytes" else f"{shown(word, MOST)} = {count(n)}" for word, n in one.shape[:1])
    tile = Text(f", tile {one.tile}", f"，分块 {one.tile}") if one.tile else same("")
    same_words = operation == way or one.operation in ("copy", "product")
    what = operation if same_words else Text(f"{operation.en}, {way.en}", f"{operation.zh}，{way.zh}")
    return Text(f"{what.en}, {size}{tile.en}, {where.en}", f"{what.zh}，{size}{tile.zh}，{where.zh}")


def reason(why: str) -> Text:
    """Why something could not be measured, in the reader's language where the sentence is one of ours. Markdown.

    >>> reason("PyTorch cannot be imported: No module named 'torch'").zh
    '没有安装'
    """
    for pattern, said in REASONS:
        if found := re.fullmatch(pattern, why):
            parts = [shown(part, MOST) for part in found.groups()]
            return Text(said.en.format(*parts), said.zh.format(*parts))
    quoted = shown(why, 200)
    return same(f"“{quoted}”")


def device(one: Place) -> Text:
    """One line for a backend: its device, threads, versions; or why it was not used."""
    backend = name(words.BACKEND, one.backend)
    if one.reason:
        why = reason(one.reason)
        return Text(f"**{backend.en}**: not measured ({why.en})", f"**{backend.zh}**：没有测（{why.zh}）")
    versions = [f"{shown(what, MOST)} {shown(version, MOST)}" for what, version in one.versions]
    threads = many(one.threads, "thread")
    named = shown(one.device, MOST)
    return Text(
        f"**{backend.en}**: {', '.join((named, threads, *versions))}",
        f"**{backend.zh}**：{'，'.join((named, f'{one.threads} 个线程', *versions))}",
    )


def estimate(plan: Plan) -> Text:
    n = sum(not one.refused for one in plan.cases)
    return Told(
        "{n:timing} in at most about **{time}**, after a second or two to start; **{memory}** of memory at the largest "
        "moment.",
        "共 {n} 项计时，最多约 **{time}**，另需一两秒启动；最多时占用 **{memory}** 内存。",
    ).on(n=n, time=seconds(plan.seconds), memory=memory(plan.n_bytes))


def refusals(plan: Plan) -> list[Text]:
    """What will not be tried, a line each; what a place refuses as a whole, one line."""
    return list(dict.fromkeys(refusal(one, plan) for one in plan.cases if one.refused))


def refusal(one: Planned, plan: Plan) -> Text:
    limit = dict(plan.limits).get(one.case.backend)
    what = case(one.case)
    if limit is not None and one.n_bytes > limit:
        need, have = memory(one.n_bytes), memory(limit)
        return what + Text(
            f": does not fit; it needs {need}, and {have} may be used", f"：放不下，需要 {need}，可用 {have}"
        )
    return place(one.case.backend, one.case.dtype) + Text(": ", "：") + reason(one.refused)


def progress(one: Progress) -> Text:
    now = case(one.now) if one.now is not None else same("")
    left = seconds(max(1.0, round(one.left)))
    return Text(
        f"{one.done} of {one.total} done, about {left} left{': ' * bool(now.en)}{now.en}",
        f"已完成 {one.done} / {one.total}，约剩 {left}{'：' * bool(now.zh)}{now.zh}",
    )


def waiting(before: int, left: float) -> Text:
    """`before` others come first, in about so many seconds."""
    about = seconds(max(1.0, round(left)))
    if before <= 1:
        return Text(
            f"Somebody else is measuring on this server, for about {about} more. You are next; it starts by itself.",
            f"别人正在这台服务器上测量，大约还要 {about}。下一个就是你，到时会自动开始。",
        )
    return Text(
        f"{before} others come before you on this server and take about {about}. Your run starts by itself.",
        f"你前面还有 {before} 人要在这台服务器上测量，大约 {about}。到时会自动开始。",
    )


def cancelled(n: int) -> Text:
    return Told(
        "Cancelled after {n:timing}; the results so far are shown below.", "测了 {n} 项后已取消，已有的结果见下。"
    ).on(n=n)


def failed(message: str) -> Text:
    why = shown(message, 300)
    return Text(f"The run ended without a result: “{why}”.", f"测量没有得到结果：“{why}”。")


def unreadable(file: str, error: str) -> Text:
    file, why = shown(file, MOST), shown(error, 300)
    return Text(
        f"**{file}** is ignored: it is not a run saved here (“{why}”).",
        f"**{file}** 不是在这里保存的结果，已忽略（“{why}”）。",
    )


# Whose run it is


def own(run: Run, number: int) -> Text:
    ended = name(words.ENDED, run.ended)
    tail = same("") if run.ended == "done" else Text(f" ({ended.en})", f"（{ended.zh}）")
    return Text(f"Your run {number}, {_date(run)}", f"你的第 {number} 次，{_date(run)}") + tail


def recorded(run: Run) -> Text:
    return Text(f"Recorded on {_devices(run)}, {run.date[:10]}", f"录于 {_devices(run)}，{run.date[:10]}")


def from_file(run: Run, file: str) -> Text:
    return Text(f"File {file[:MOST]}: ", f"文件 {file[:MOST]}：") + recorded(run)


def about(run: Run, *, own: bool) -> Text:
    """When, how long, whether complete, and for a recorded run that it is one. Markdown."""
    when, took, ended = shown(_date(run), MOST), seconds(run.seconds), name(words.ENDED, run.ended)
    host = Text(
        ", ".join(f"{name(words.HOST, what).en} {shown(word, MOST)}" for what, word in run.host),
        "，".join(f"{name(words.HOST, what).zh} {shown(word, MOST)}" for what, word in run.host),
    )
    if own:
        return Text(
            f"**Your own run** on this server’s machine, {when}: {took}, {ended.en}; {host.en}.",
            f"在本服务器上**你自己的测量**，{when}：用时 {took}，{ended.zh}；{host.zh}。",
        )
    where = shown(_devices(run), MOST)
    return Text(
        f"**Recorded on {where}, {when}**, not measured by you here: {took}, {ended.en}; {host.en}.",
        f"**录于 {where}，{when}**，不是你在这里测的：用时 {took}，{ended.zh}；{host.zh}。",
    )


def drift(run: Run) -> Text:
    if not run.drift:
        return same("")
    factor = times(drifted(run))
    return Text(
        f"Between start and end the machine’s own matrix product changed by a factor of {factor}.",
        f"从开始到结束，这台机器自己的矩阵乘积快慢有变，前后之比为 {factor}。",
    )


def others(run: Run) -> Text:
    """A warning where the machine had other things to do when the run began."""
    if busy(run) < 0.5:
        return same("")
    load = times(busy(run))
    return Text(
        f"The machine was busy: in the minute before the start, {load} processes a core wanted to run. Others had a "
        "part in these timings.",
        f"机器当时很忙：开始前一分钟里，每个核心平均有 {load} 个进程要运行。这些计时受了它们的影响。",
    )


def skipped(one: Skipped) -> Text:
    return case(one.case) + Text(": ", "：") + reason(one.reason)


def _date(run: Run) -> str:
    """To the minute, in UTC, as the run has it."""
    return f"{run.date[:16].replace('T', ' ')} UTC"


def _devices(run: Run) -> str:
    """Plain text, not Markdown: it also stands in lists."""
    named = dict.fromkeys(place.device for place in run.places if place.device)
    return ", ".join(named)[:MOST] or "?"

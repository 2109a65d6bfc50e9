"""What one way is against the first of its group, in sentences: faster, slower because, no difference, or none that
this run can tell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from engine.measure import BASE, Comparison, Place, Reason, Run, Verdict, comparisons, overhead
from lessons.kit.format import count
from lessons.kit.text import Text, same
from pages.shell.measured import say, words

LOUD = 0.2  # noise in which a difference worth having could hide: that a run finds none says nothing then
_UNTOLD = Text("this run cannot tell whether there is a difference", "从这次运行看不出有没有差别")


def verdicts(run: Run) -> list[tuple[str, list[Text]]]:
    """By operation: a sentence for each way, at the largest size that was timed, and what it is at smaller ones."""
    places = {one.backend: one for one in run.places}
    found: list[tuple[str, list[Text]]] = []
    key = _series
    ordered = sorted(comparisons(run), key=lambda c: (_order(c), *key(c), c.way.case.shape[0][1], c.way.case.tile))
    for operation, of_operation in groupby(ordered, key=lambda c: c.way.case.operation):
        said = [_sentence(list(series), places) for _, series in groupby(of_operation, key=key)]
        found.append((operation, said))
    return found


def _order(one: Comparison) -> int:
    return list(BASE).index(one.way.case.operation)


def _series(one: Comparison) -> tuple[str, str, str]:
    return one.way.case.backend, one.way.case.dtype, one.way.case.way


def _sentence(series: list[Comparison], places: dict[str, Place]) -> Text:
    if series[0].way.case.operation == "tiles":
        return _tiles(series, places)
    last = series[-1]
    smaller = [one for one in series[:-1] if one.verdict is not last.verdict]
    text = _one(last, places)
    if smaller:
        en = ", ".join(f"n = {count(_n(one))}: {_brief(one).en}" for one in smaller)
        zh = "；".join(f"n = {count(_n(one))} 时{_brief(one).zh}" for one in smaller)
        text += Text(f" At smaller sizes: {en}.", f"较小的尺寸上：{zh}。")
    return text


def _tiles(series: list[Comparison], places: dict[str, Place]) -> Text:
    """The best tile against the plain formula, and the worst against the best."""
    best, worst = min(series, key=lambda c: c.time.ratio), max(series, key=lambda c: c.time.ratio)
    text = _one(best, places)
    if best is not worst:
        spread = say.times(worst.time.ratio / best.time.ratio)
        a, b = worst.way.case.tile, best.way.case.tile
        text += Text(
            f" The worst tile, {a}, takes {spread} times as long as the best, {b}.",
            f"最差的分块 {a} 用时是最好的分块 {b} 的 {spread} 倍。",
        )
    return text


def _one(one: Comparison, places: dict[str, Place]) -> Text:
    way, base, where = one.way.case, one.base.case, say.place(one.way.case.backend, one.way.case.dtype)
    a, b = say.name(words.WAY, way.way), say.name(words.WAY, base.way)
    tile = Text(f", tile {way.tile}", f"，分块 {way.tile}") if way.tile else same("")
    head = Text(
        f"**{a.en}** against {b.en} ({where.en}, n = {count(_n(one))}{tile.en}): ",
        f"**{a.zh}**对比{b.zh}（{where.zh}，n = {count(_n(one))}{tile.zh}）：",
    )
    fact = _fact(one)
    part = same("") if one.memory is None else say.factor(one.memory)
    kept = (
        Text(
            f" It takes {part.en} {'of ' * ('/' in part.en)}the other’s extra memory.",
            f"它的额外内存是对方的 {part.zh}。",
        )
        if part.en
        else same("")
    )
    unexplained = one.verdict is Verdict.FASTER or (one.verdict is Verdict.NONE and one.time.noise > LOUD)
    reasons = [] if unexplained else list(_reasons(one, places))
    if reasons:
        because = Text(", because ", "，因为")
        why = because + Text(", and ".join(r.en for r in reasons), "；".join(r.zh for r in reasons))
    elif one.verdict is Verdict.SLOWER:
        why = Text("; none of the usual reasons explains it", "；常见的原因都不能解释")
    else:
        why = same("")
    return head + fact + why + Text(".", "。") + kept


def _fact(one: Comparison) -> Text:
    ratio, noise = say.times(one.time.ratio), f"{100 * one.time.noise:.0f} %"
    match one.verdict:
        case Verdict.NONE if one.time.noise > LOUD:
            return _UNTOLD + Text(
                f"; {ratio} times as long, within the noise of {noise}",
                f"；用时是对方的 {ratio} 倍，在 {noise} 的噪声之内",
            )
        case Verdict.NONE:
            return Text(
                f"no difference; {ratio} times as long, within the noise of {noise}",
                f"没有差别；用时是对方的 {ratio} 倍，在 {noise} 的噪声之内",
            )
        case Verdict.FASTER:
            return Text(
                f"faster by a factor of {say.times(1 / one.time.ratio)}",
                f"更快，速度是对方的 {say.times(1 / one.time.ratio)} 倍",
            )
    return Text(f"slower by a factor of {ratio}", f"更慢，用时是对方的 {ratio} 倍")


def _brief(one: Comparison) -> Text:
    if one.verdict is not Verdict.NONE:
        return _fact(one)
    return _UNTOLD if one.time.noise > LOUD else Text("no difference", "没有差别")


def _reasons(one: Comparison, places: dict[str, Place]) -> Iterator[Text]:
    ours, theirs = one.way.count, one.base.count
    for reason in one.reasons:
        match reason:
            case Reason.OVERHEAD:
                share = f"{100 * overhead(one.way, places[one.way.case.backend]):.0f} %"
                yield Text(
                    f"handing out its {count(ours.issued)} array operations takes about {share} of its time, if "
                    "nothing overlaps",
                    f"若不与计算重叠，光是发出它的 {count(ours.issued)} 次数组操作就约占 {share} 的时间",
                )
            case Reason.MORE_MOVED:
                a, b = say.memory(ours.moves), say.memory(theirs.moves)
                yield Text(f"by count it moves {a}, the other {b}", f"按次数算，它搬运 {a}，另一种搬运 {b}")
            case Reason.FITS_CACHE:
                a, b = say.memory(theirs.workspace), say.memory(places[one.way.case.backend].cache_bytes)
                yield Text(
                    f"the {a} that it saves would fit this device’s cache of {b} anyway",
                    f"它省去的 {a} 本来就放得进这台设备 {b} 的缓存",
                )
            case Reason.PRODUCTS:
                yield Text(
                    "both do the same products, which alone take at least half of the other’s time",
                    "两者的矩阵乘积相同，而仅这些就至少占另一种一半的时间",
                )


def _n(one: Comparison) -> int:
    return one.way.case.size("n")

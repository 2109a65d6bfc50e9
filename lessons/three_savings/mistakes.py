"""The three misunderstandings: their names, what each claims, what came of making it true."""

from __future__ import annotations

from engine.three_savings import (
    KEEP,
    Ask,
    Baseline,
    Eight,
    Mistake,
    Outcome,
    Scenario,
    Step,
    Together,
    Turn,
    Yours,
)
from lessons.kit.format import count
from lessons.kit.text import Text
from lessons.three_savings.ways import is_on, same_output, written_error

MISTAKES: dict[Mistake, Text] = {
    Mistake.NONE: Text("none", "不比较"),
    Mistake.LINEAR: Text("the cache makes attention linear", "缓存让注意力变成线性"),
    Mistake.SKIP_LOW: Text("tiles skip low scores", "分块跳过低分"),
    Mistake.COMPRESS: Text("paging compresses", "分页会压缩"),
}
SWITCH = {Mistake.LINEAR: "cache", Mistake.SKIP_LOW: "tiles", Mistake.COMPRESS: "paging"}


def _claim(mistake: Mistake) -> Text:
    match mistake:
        case Mistake.LINEAR:
            return Text(
                "If every new token cost the same, it could look at a fixed number of keys only. Made true: the "
                f"newest {KEEP}.",
                f"若每个新 token 的代价都一样，它就只能看固定个数的键。照此实现：只看最新的 {KEEP} 个。",
            )
        case Mistake.SKIP_LOW:
            return Text(
                f"Made true: each query drops all but its {KEEP} highest scores. To know which are low it still has "
                "to score every "
                "pair, so nothing is saved either.",
                f"照此实现：每个查询只留最高的 {KEEP} 个分数。要知道哪些低，仍得给每一对打分，所以什么也没省。",
            )
        case _:
            return Text(
                "Made true: only every second position goes into the blocks. Less is resident because something is "
                "missing.",
                "照此实现：每两个位置只把一个放进内存块。驻留变少，是因为丢了东西。",
            )


def told(scenario: Scenario, step: Step, wrong: Step) -> Text:
    """A paragraph on the wrong way in this step."""
    mistake = scenario.mistake
    lead = Text(f"**✗ Wrong way** ({MISTAKES[mistake].en}): ", f"**✗ 错误做法**（{MISTAKES[mistake].zh}）：")
    match step, wrong:
        case Ask(), _:
            return lead + Text(
                "runs beside the right one wherever its switch is on.", "凡它的开关打开之处，都与正确做法并排计算。"
            )
        case (
            (Turn(now=right), Turn(now=other))
            | (Together(now=right), Together(now=other))
            | (
                Yours(now=right),
                Yours(now=other),
            )
        ):
            return lead + _one(scenario, right, other)
        case Baseline(), Baseline():
            return lead + Text("its switch is off here, so nothing differs.", "这里它的开关是关的，所以没有差别。")
        case Eight(), Eight(ways=ways):
            n = sum(not same_output(way) for way in ways)
            if n == 0:
                return (
                    lead
                    + Text("**the output does not show it here**, because ", "**在这组输入上，输出里看不出来**，因为")
                    + why_invisible(scenario)
                )
            return lead + Text(
                f"the output changes in {n} of {len(ways)} ways: a saving that changes the output is another model.",
                f"{len(ways)} 种做法中有 {n} 种的输出变了：会改变输出的“节约”等于换了模型。",
            )
        case _:
            return lead + _claim(mistake)


def _one(scenario: Scenario, right: Outcome, other: Outcome) -> Text:
    if not is_on(right.switches.effective, SWITCH[scenario.mistake]):
        return Text("its switch is off here, so nothing differs.", "这里它的开关是关的，所以没有差别。")
    claim = _claim(scenario.mistake)
    if same_output(other):
        return (
            claim
            + Text(" **The output does not show it here**, because ", "**在这组输入上，输出里看不出来**，因为")
            + why_invisible(scenario)
        )
    if other.picks == right.picks:
        chosen = Text("its tokens happen to be the same", "选出的 token 碰巧相同")
    else:
        chosen = Text(
            f"it picks {_picks(other)} where {_picks(right)} is right",
            f"它选出 {_picks(other)}，正确的是 {_picks(right)}",
        )
    led = other.ledgers
    verdict = Text(
        f" The logits are off by up to {written_error(other)}; {chosen.en}. It scores {count(led.pairs)} pairs, "
        f"moves {count(led.moved)} bytes and "
        f"has {count(led.resident.total)} resident.",
        f"logits 最多差 {written_error(other)}；{chosen.zh}。它算 {count(led.pairs)} 个配对，搬运 {count(led.moved)} "
        "字节，"
        f"驻留 {count(led.resident.total)} 字节。",
    )
    return claim + verdict


def _picks(way: Outcome) -> str:
    return " ".join(map(str, way.picks))


def why_invisible(scenario: Scenario) -> Text:
    """Why the chosen misunderstanding leaves the output as it is on these inputs."""
    if scenario.n_new == 1 and scenario.mistake is not Mistake.SKIP_LOW:
        return Text(
            "the prompt’s own pass gives the only new token, and no pass reads what was kept.",
            "唯一的新 token 由提示那一遍给出，没有哪一遍会去读保留下来的内容。",
        )
    if scenario.n_kept <= KEEP and scenario.mistake is not Mistake.COMPRESS:
        return Text(f"no query has more than {KEEP} keys to look at.", f"没有哪个查询有超过 {KEEP} 个键可看。")
    return Text(
        "what is left out weighs too little to see here.",
        "被漏掉的部分在这里权重太小，看不出来。",
    )

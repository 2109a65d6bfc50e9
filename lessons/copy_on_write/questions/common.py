"""Several requests that begin alike: what a prefix cache keeps once, and what it computes once."""

from __future__ import annotations

from dataclasses import dataclass

from engine.paged import blocks_for
from engine.prefix_cache import reusable_tokens
from engine.shared_blocks import Arrival, Scenario
from lessons.copy_on_write.naming import A_TOKEN, LAYERS, MODEL, kv_bytes
from lessons.copy_on_write.questions.fields import PREFIX, REQUESTS, SIZE, SMALLER, TAIL
from lessons.kit.form import Form
from lessons.kit.question import COUNTED, Line, Question, Slip, Tolerance, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BLOCK, MIB, TOKEN


@dataclass(frozen=True)
class Common:
    """`requests` with `prefix` tokens in common and `tail` each of their own; full blocks are shared."""

    requests: int
    prefix: int
    tail: int
    size: int
    model, a_token = MODEL, A_TOKEN

    @property
    def others(self) -> int:
        """All but the first."""
        return self.requests - 1

    @property
    def shared(self) -> int:
        """Full blocks of the prefix."""
        return self.prefix // self.size

    @property
    def rest(self) -> int:
        """Tokens of the prefix that fill no block."""
        return self.prefix % self.size

    @property
    def own(self) -> int:
        """Tokens that each request keeps itself."""
        return self.rest + self.tail

    @property
    def own_blocks(self) -> int:
        return blocks_for(self.own, self.size)

    @property
    def resident(self) -> int:
        """Blocks in use."""
        return self.shared + self.requests * self.own_blocks

    @property
    def prompt(self) -> int:
        return self.prefix + self.tail

    @property
    def found(self) -> int:
        """Tokens that each request but the first finds."""
        return reusable_tokens(self.prompt, self.prefix, self.size)

    @property
    def again(self) -> int:
        """Tokens that each request but the first computes."""
        return self.prompt - self.found

    @property
    def run(self) -> int:
        """Prompt tokens computed in all."""
        return self.prompt + self.others * self.again


FORM: Form[Common] = Form((REQUESTS, PREFIX, TAIL, SIZE))


def _way(_: Common) -> Scenario:
    return Scenario(Arrival.SAME, 12, 4, ("A",), 9, 3)


# --- blocks in use

COMMON: Question[Common] = Question(
    slug="common",
    title=Text("Blocks with a common prefix", "公共前缀下的块数"),
    prompt=Told(
        "{requests} requests begin with the same {prefix:token} and have {tail} each of their own. A prefix cache "
        "shares full blocks of {size}. How many blocks are in use?",
        "{requests} 个请求以相同的 {prefix} 个 token 开头，各自另有 {tail} 个。前缀缓存共享每块 {size} 个的满块。一"
        "共占用多少块？",
    ),
    form=FORM,
    inputs=Common(3, 35, 14, 16),
    invent=lambda rng: Common(rng.randint(3, 9), rng.randint(20, 200), rng.randint(3, 60), rng.choice((8, 16, 32))),
    formula=lambda x: x.resident,
    slips=(
        Slip(
            "no_sharing",
            Text("Nothing shared", "什么也没共享"),
            lambda x: x.requests * blocks_for(x.prompt, x.size),
            Text(
                "Each request for itself. The full blocks of the prefix lie in memory once.",
                "各算各的。前缀的满块在内存里只有一份。",
            ),
        ),
        Slip(
            "unfilled_too",
            Text("The unfilled block as well", "没装满的块也共享了"),
            lambda x: blocks_for(x.prefix, x.size) + x.requests * blocks_for(x.tail, x.size),
            Text(
                "That shares the prefix’s unfilled block, and lets each tail begin in a new one. It would need a "
                "copy first.",
                "这共享了前缀里没装满的块，又让各自的部分从新块开始。那样就要先复制。",
            ),
        ),
        Slip(
            "rest_lost",
            Text("Forgot the rest of the prefix", "忘了前缀的余数"),
            lambda x: x.shared + x.requests * blocks_for(x.tail, x.size),
            Told(
                "The rest of the prefix, {rest:token}, fills no block: each request keeps it itself, before its "
                "own tokens.",
                "前缀末尾的 {rest} 个 token 装不满一块：每个请求自己保存它们，放在自己的 token 前面。",
            ),
        ),
    ),
    working=Told(
        "Shared: ⌊{prefix} ÷ {size}⌋ = {shared}. Each of {requests}: ⌈({rest} + {tail}) ÷ {size}⌉ = {own_blocks}. "
        "Together {resident}.",
        "共享：⌊{prefix} ÷ {size}⌋ = {shared}。{requests} 个请求各自：⌈({rest} + {tail}) ÷ {size}⌉ = {own_blocks}。"
        "合计 {resident}。",
    )
    + SMALLER,
    way=_way,
    reply=Number(BLOCK),
    rows=(
        Line(Text("Shared blocks", "共享的块"), "⌊{prefix} ÷ {size}⌋", "{shared}"),
        Line(Text("Tokens each keeps itself", "各自保存的 token"), "{rest} + {tail}", "{own}"),
        Line(Text("Own blocks each", "各自的块"), "⌈{own} ÷ {size}⌉", "{own_blocks}"),
        Line(
            Text("Together", "合计"), "{shared} + {requests} × {own_blocks}", Told("{resident:block}", "{resident} 块")
        ),
    ),
    tolerance=COUNTED,
)


# --- tokens computed

_BY_TOKEN: Slip[Common] = Slip(
    "by_token",
    Text("Shared token by token", "按 token 共享了"),
    lambda x: x.prefix + x.requests * x.tail,
    Told(
        "Only full blocks are found: the last {rest:token} of the prefix must be computed again.",
        "只能找到满块：前缀末尾的 {rest} 个 token 要重算。",
    ),
)
_FIRST_TOO: Slip[Common] = Slip(
    "first_too",
    Text("Let the first find something", "让第一个请求也命中了"),
    lambda x: x.requests * x.again,
    Text(
        "The first request finds an empty cache and computes its whole prompt.",
        "第一个请求到来时缓存是空的，整个提示都要算。",
    ),
)

RUN: Question[Common] = Question(
    slug="run",
    title=Text("Prompt tokens computed", "要计算的提示 token"),
    prompt=Told(
        "{requests} requests come one after the other. All begin with the same {prefix:token}, then each has "
        "{tail} of its own. The prefix cache is empty at first and shares full blocks of {size}. How many prompt "
        "tokens are computed in all?",
        "{requests} 个请求先后到来，都以相同的 {prefix} 个 token 开头，各自另有 {tail} 个。前缀缓存起初是空的，共享"
        "每块 {size} 个的满块。一共要计算多少个提示 token？",
    ),
    form=FORM,
    inputs=Common(4, 100, 20, 16),
    invent=lambda rng: Common(rng.randint(3, 9), rng.randint(40, 400), rng.randint(3, 60), rng.choice((8, 16, 32))),
    formula=lambda x: x.run,
    slips=(
        Slip(
            "no_cache",
            Text("Nothing reused", "什么也没复用"),
            lambda x: x.requests * x.prompt,
            Text(
                "That computes the prefix each time. All but the first request find its full blocks.",
                "这每次都重算前缀。除第一个外，都能找到它的满块。",
            ),
        ),
        _BY_TOKEN,
        _FIRST_TOO,
        Slip(
            "reused",
            Text("The tokens reused", "算成了复用的"),
            lambda x: x.others * x.found,
            Text("Those are the tokens that are not computed.", "这是不用计算的 token。"),
        ),
        together(_BY_TOKEN, _FIRST_TOO, lambda x: x.requests * x.tail),
    ),
    working=Told(
        "The first computes {prompt}, each of the other {others} computes {again}: together {run}.",
        "第一个算 {prompt} 个，其余 {others} 个各算 {again} 个：合计 {run}。",
    )
    + SMALLER,
    way=_way,
    reply=Number(TOKEN),
    rows=(
        Line(Text("The first", "第一个"), "{prefix} + {tail}", "{prompt}"),
        Line(Text("Found by each other one", "其余每个找到的"), "⌊{prefix} ÷ {size}⌋ × {size}", "{found}"),
        Line(Text("Computed by each other one", "其余每个要算的"), "{prompt} − {found}", "{again}"),
        Line(Text("In all", "合计"), "{prompt} + {others} × {again}", lambda x: TOKEN.after(str(x.run))),
    ),
    tolerance=COUNTED,
)


# --- memory saved


def _mib(n_tokens: int) -> float:
    return kv_bytes(n_tokens) / MIB.scale.numerator


_WHOLE_PREFIX: Slip[Common] = Slip(
    "whole_prefix",
    Text("Shared the unfilled block", "把没满的块也共享了"),
    lambda x: _mib(x.others * x.prefix),
    Told(
        "The rest of the prefix, {rest:token}, fills no block, so each request has its own.",
        "前缀末尾的 {rest} 个 token 装不满一块，每个请求各存一份。",
    ),
)
_EACH: Slip[Common] = Slip(
    "each",
    Text("Saved it for all of them", "每个都算省了"),
    lambda x: _mib(x.requests * x.found),
    Text("One copy has to be there. The others are saved.", "总要留一份，省下的是其余几份。"),
)

SAVED: Question[Common] = Question(
    slug="saved",
    title=Text("Memory saved by sharing", "共享省下的内存"),
    prompt=Told(
        "{model}, {a_token} of K and V a token over all layers. {requests} requests run at once; their prompts "
        "begin with the same {prefix:plain} {prefix|token|tokens}. Full blocks of {size} are shared. By how many "
        "MiB is that less than without sharing?",
        "模型 {model}，每个 token 在所有层的 K、V 共 {a_token}。{requests} 个请求同时运行，提示以相同的 "
        "{prefix:plain} 个 token 开头，共享每块 {size} 个的满块。比不共享少占多少 MiB？",
    ),
    form=FORM,
    inputs=Common(8, 1000, 50, 16),
    invent=lambda rng: Common(
        rng.randint(3, 16), rng.randint(200, 3000), rng.randint(3, 60), rng.choice((16, 32, 64, 128))
    ),
    formula=lambda x: _mib(x.others * x.found),
    slips=(
        _WHOLE_PREFIX,
        _EACH,
        Slip(
            "resident",
            Text("What still lies in memory", "算成了仍要占的"),
            lambda x: _mib(x.found),
            Text("That is the one copy that stays.", "这是留下的那一份。"),
        ),
        Slip(
            "one_layer",
            Text("One layer", "只算一层"),
            lambda x: _mib(x.others * x.found) / LAYERS,
            Text(f"That is one of {LAYERS} layers.", f"这只是 {LAYERS} 层中的一层。"),
        ),
        together(_WHOLE_PREFIX, _EACH, lambda x: _mib(x.requests * x.prefix)),
    ),
    working=Told(
        "{found:plain} {found|token lies|tokens lie} in full blocks; {others:further copy} of them {others|is|are} "
        "not needed.",
        "满块里有 {found:plain} 个 token；不必再存另外 {others} 份。",
    )
    + SMALLER,
    way=_way,
    reply=Number(MIB),
    rows=(
        Line(
            Text("Tokens in shared blocks", "共享块里的 token"), "⌊{prefix:plain} ÷ {size}⌋ × {size}", "{found:plain}"
        ),
        Line(
            Text("One copy of them", "它们的一份"),
            "{found:plain} × {a_token}",
            lambda x: MIB.after(f"{_mib(x.found):.8g}"),
        ),
        Line(Text("Copies saved", "省下的份数"), "{requests} − 1", "{others}"),
        Line(
            Text("Saved", "省下"),
            lambda x: f"{x.others} × {_mib(x.found):.8g}",
            lambda x: MIB.after(f"{_mib(x.others * x.found):.8g}"),
        ),
    ),
    tolerance=Tolerance(0.001, 0.0005),
)

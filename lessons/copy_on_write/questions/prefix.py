"""A prefix cache: tokens that need no computing, and blocks that lie in memory once."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from engine.models import MODELS
from engine.prefix_cache import reusable_tokens
from engine.shared_blocks import Arrival, Scenario
from lessons.copy_on_write.naming import MODEL
from lessons.copy_on_write.questions.fields import (
    CACHED,
    INDEX,
    PREFIX,
    PROMPT,
    REQUESTS,
    SIZE,
    SMALLER,
    TAIL,
    ceil,
    form,
)
from lessons.kit.format import count, size
from lessons.kit.question import COUNTED, Question, Row, Slip, Tolerance, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BLOCK, MIB, TOKEN


@dataclass(frozen=True)
class Hit:
    """A prompt of which the first `cached` tokens are in a prefix cache."""

    prompt: int
    cached: int
    size: int


def _any_hit(rng: random.Random) -> Hit:
    size_ = rng.choice((8, 12, 16, 24, 32, 64))
    n = size_ * rng.randint(2, 12)
    return Hit(n, n, size_) if rng.random() < 0.7 else Hit(n + rng.randint(1, 20), n, size_)


def _cache_way(common: int, own: int, size_: int) -> Scenario:
    """Small enough to draw: `common` cached tokens, `own` others."""
    return Scenario(Arrival.SAME, max(common, 1), size_, ("A",), common, own)


def _hit_way(inputs: Hit) -> Scenario:
    return _cache_way(8, 0 if inputs.cached >= inputs.prompt else 3, 4)


REUSED: Question[Hit] = Question(
    slug="reused",
    title=Text("Tokens reused", "复用多少 token"),
    prompt=lambda x: Text(
        f"A prompt has {x.prompt} token{'s' * (x.prompt != 1)}; its first {min(x.cached, x.prompt)} are in the "
        f"prefix cache, in blocks of {x.size}. How many tokens need not be computed?",
        f"一个提示有 {x.prompt} 个 token；前 {min(x.cached, x.prompt)} 个在前缀缓存里，每块 {x.size} 个。有多少个 "
        "token 不用计算？",
    ),
    form=form(Hit, PROMPT, CACHED, SIZE),
    inputs=Hit(48, 48, 16),
    invent=_any_hit,
    formula=lambda x: reusable_tokens(x.prompt, x.cached, x.size),
    slips=(
        Slip(
            "everything",
            Text("All that is cached", "缓存了多少就算多少"),
            lambda x: min(x.cached, x.prompt),
            Text(
                "The last token must be run to know what follows it, and sharing goes by full blocks: the block that "
                "holds it is computed again.",
                "最后一个 token 必须运行，才知道下一个是什么；共享又以满块为单位，所以含有它的那块要重算。",
            ),
        ),
        Slip(
            "all_but_one",
            Text("All but the last token", "只除去最后一个"),
            lambda x: min(x.cached, x.prompt) - 1,
            Text(
                "Right to leave out the last token; but an unfilled block is not shared.",
                "去掉最后一个 token 是对的；但没满的块不共享。",
            ),
        ),
        Slip(
            "computed",
            Text("The tokens computed", "算成了要计算的"),
            lambda x: x.prompt - reusable_tokens(x.prompt, x.cached, x.size),
            Text("Those are the tokens that are computed.", "这是要计算的 token 数。"),
        ),
    ),
    working=lambda x: (
        Text(
            f"At most {min(x.cached, x.prompt - 1)} may be used; full blocks of {x.size} make "
            f"{reusable_tokens(x.prompt, x.cached, x.size)}.",
            f"最多可用 {min(x.cached, x.prompt - 1)} 个；按每块 {x.size} 个取满块，得 "
            f"{reusable_tokens(x.prompt, x.cached, x.size)} 个。",
        )
        + SMALLER
    ),
    way=_hit_way,
    reply=Number(TOKEN),
    rows=lambda x: (
        Row(
            Text("At most", "最多"), f"min({min(x.cached, x.prompt)}, {x.prompt} − 1)", str(min(x.cached, x.prompt - 1))
        ),
        Row(
            Text("Full blocks in these", "其中的满块"),
            f"⌊{min(x.cached, x.prompt - 1)} ÷ {x.size}⌋",
            str(min(x.cached, x.prompt - 1) // x.size),
        ),
        Row(
            Text("Tokens reused", "复用的 token"),
            f"{min(x.cached, x.prompt - 1) // x.size} × {x.size}",
            TOKEN.after(str(reusable_tokens(x.prompt, x.cached, x.size))),
        ),
    ),
    tolerance=COUNTED,
)


@dataclass(frozen=True)
class Edit:
    """A cached prompt comes again with one token changed."""

    prompt: int
    index: int
    size: int


def _edited(x: Edit) -> int:
    return reusable_tokens(x.prompt, min(x.index, x.prompt), x.size)


EDITED: Question[Edit] = Question(
    slug="edited",
    title=Text("After an edit", "修改之后"),
    prompt=lambda x: Text(
        f"A prompt of {x.prompt} token{'s' * (x.prompt != 1)} is cached in blocks of {x.size}. It comes again with "
        f"the token at position {min(x.index, x.prompt - 1)} (counted from 0) replaced. How many tokens can be "
        "reused?",
        f"一段 {x.prompt} 个 token 的提示已缓存，每块 {x.size} 个。它再次到来，但位置 "
        f"{min(x.index, x.prompt - 1)}（从 0 数起）的 token 换掉了。能复用多少个 token？",
    ),
    form=form(Edit, PROMPT, INDEX, SIZE),
    inputs=Edit(200, 100, 16),
    invent=lambda rng: Edit(rng.randint(150, 400), rng.randint(20, 140), rng.choice((8, 16, 32))),
    formula=lambda x: _edited(replace(x, index=min(x.index, x.prompt - 1))),
    slips=(
        Slip(
            "by_token",
            Text("Token by token", "按 token 算"),
            lambda x: min(x.index, x.prompt - 1),
            Text(
                "So many tokens stand before the edit, and their K and V are still right; but only full blocks are "
                "found.",
                "修改处之前确有这么多 token，它们的 K、V 也仍然正确；但只能找到满块。",
            ),
        ),
        Slip(
            "its_block_too",
            Text("Its own block as well", "把所在的块也算了"),
            lambda x: (min(x.index, x.prompt - 1) // x.size + 1) * x.size,
            Text(
                "That counts the block of the edit, whose name is another one now.",
                "这把修改所在的块也算了，而它的名字已经变了。",
            ),
        ),
        Slip(
            "only_its_block",
            Text("Replaced only one block", "只换一块"),
            lambda x: x.prompt - x.size,
            Text(
                "Every block behind the edit has the changed one among the blocks before it: none of them is found.",
                "修改处之后的每一块，前文里都有被改的块：一块也找不到。",
            ),
        ),
    ),
    working=lambda x: (
        Text(
            f"⌊{min(x.index, x.prompt - 1)} ÷ {x.size}⌋ × {x.size} = "
            f"{_edited(replace(x, index=min(x.index, x.prompt - 1)))}.",
            f"⌊{min(x.index, x.prompt - 1)} ÷ {x.size}⌋ × {x.size} = "
            f"{_edited(replace(x, index=min(x.index, x.prompt - 1)))}。",
        )
        + SMALLER
    ),
    way=lambda x: Scenario(Arrival.SAME, 12, 4, ("A",), 6, 6),
    reply=Number(TOKEN),
    rows=lambda x: (
        Row(
            Text("Tokens before the edit", "修改处之前的 token"),
            Text("positions from 0", "位置从 0 数起"),
            str(min(x.index, x.prompt - 1)),
        ),
        Row(
            Text("Full blocks of these", "其中的满块"),
            f"⌊{min(x.index, x.prompt - 1)} ÷ {x.size}⌋",
            str(min(x.index, x.prompt - 1) // x.size),
        ),
        Row(
            Text("Tokens reused", "复用的 token"),
            f"{min(x.index, x.prompt - 1) // x.size} × {x.size}",
            TOKEN.after(str(_edited(replace(x, index=min(x.index, x.prompt - 1))))),
        ),
    ),
    tolerance=COUNTED,
)


@dataclass(frozen=True)
class Common:
    """`requests` with `prefix` tokens in common and `tail` each of their own; full blocks are shared."""

    requests: int
    prefix: int
    tail: int
    size: int


def _resident(x: Common) -> int:
    return x.prefix // x.size + x.requests * ceil(x.prefix % x.size + x.tail, x.size)


COMMON: Question[Common] = Question(
    slug="common",
    title=Text("Blocks with a common prefix", "公共前缀下的块数"),
    prompt=Told(
        "{requests} requests begin with the same {prefix:token} and have {tail} each of their own. A prefix cache "
        "shares full blocks of {size}. How many blocks are in use?",
        "{requests} 个请求以相同的 {prefix} 个 token 开头，各自另有 {tail} 个。前缀缓存共享每块 {size} 个的满块。一共"
        "占用多少块？",
    ),
    form=form(Common, REQUESTS, PREFIX, TAIL, SIZE),
    inputs=Common(3, 35, 14, 16),
    invent=lambda rng: Common(rng.randint(3, 9), rng.randint(20, 200), rng.randint(3, 60), rng.choice((8, 16, 32))),
    formula=lambda x: _resident(x),
    slips=(
        Slip(
            "no_sharing",
            Text("Nothing shared", "什么也没共享"),
            lambda x: x.requests * ceil(x.prefix + x.tail, x.size),
            Text(
                "Each request for itself. The full blocks of the prefix lie in memory once.",
                "各算各的。前缀的满块在内存里只有一份。",
            ),
        ),
        Slip(
            "unfilled_too",
            Text("The unfilled block as well", "没装满的块也共享了"),
            lambda x: ceil(x.prefix, x.size) + x.requests * ceil(x.tail, x.size),
            Text(
                "That shares the prefix’s unfilled block, and lets each tail begin in a new one. It would need a "
                "copy first.",
                "这共享了前缀里没装满的块，又让各自的部分从新块开始。那样就要先复制。",
            ),
        ),
        Slip(
            "rest_lost",
            Text("Forgot the rest of the prefix", "忘了前缀的余数"),
            lambda x: x.prefix // x.size + x.requests * ceil(x.tail, x.size),
            lambda x: Text(
                f"The rest of the prefix, {x.prefix % x.size} token{'s' * (x.prefix % x.size != 1)}, fills no block: "
                "each request keeps it itself, before its own tokens.",
                f"前缀末尾的 {x.prefix % x.size} 个 token 装不满一块：每个请求自己保存它们，放在自己的 token 前面。",
            ),
        ),
    ),
    working=lambda x: (
        Text(
            f"Shared: ⌊{x.prefix} ÷ {x.size}⌋ = {x.prefix // x.size}. Each of {x.requests}: ⌈({x.prefix % x.size} + "
            f"{x.tail}) ÷ {x.size}⌉ = {ceil(x.prefix % x.size + x.tail, x.size)}. Together {_resident(x)}.",
            f"共享：⌊{x.prefix} ÷ {x.size}⌋ = {x.prefix // x.size}。{x.requests} 个请求各自：⌈({x.prefix % x.size} + "
            f"{x.tail}) ÷ {x.size}⌉ = {ceil(x.prefix % x.size + x.tail, x.size)}。合计 {_resident(x)}。",
        )
        + SMALLER
    ),
    way=lambda x: Scenario(Arrival.SAME, 12, 4, ("A",), 9, 3),
    reply=Number(BLOCK),
    rows=lambda x: (
        Row(Text("Shared blocks", "共享的块"), f"⌊{x.prefix} ÷ {x.size}⌋", str(x.prefix // x.size)),
        Row(
            Text("Tokens each keeps itself", "各自保存的 token"),
            f"{x.prefix % x.size} + {x.tail}",
            str(x.prefix % x.size + x.tail),
        ),
        Row(
            Text("Own blocks each", "各自的块"),
            f"⌈{x.prefix % x.size + x.tail} ÷ {x.size}⌉",
            str(ceil(x.prefix % x.size + x.tail, x.size)),
        ),
        Row(
            Text("Together", "合计"),
            f"{x.prefix // x.size} + {x.requests} × {ceil(x.prefix % x.size + x.tail, x.size)}",
            BLOCK.after(str(_resident(x))),
        ),
    ),
    tolerance=COUNTED,
)


# --- what it saves


def _again(x: Common) -> int:
    """Tokens that each request but the first computes."""
    n = x.prefix + x.tail
    return n - reusable_tokens(n, x.prefix, x.size)


def _run(x: Common) -> int:
    return x.prefix + x.tail + (x.requests - 1) * _again(x)


_BY_TOKEN: Slip[Common] = Slip(
    "by_token",
    Text("Shared token by token", "按 token 共享了"),
    lambda x: x.prefix + x.requests * x.tail,
    lambda x: Text(
        f"Only full blocks are found: the last {x.prefix % x.size} token{'s' * (x.prefix % x.size != 1)} of the "
        "prefix must be computed again.",
        f"只能找到满块：前缀末尾的 {x.prefix % x.size} 个 token 要重算。",
    ),
)
_FIRST_TOO: Slip[Common] = Slip(
    "first_too",
    Text("Let the first find something", "让第一个请求也命中了"),
    lambda x: x.requests * _again(x),
    Text(
        "The first request finds an empty cache and computes its whole prompt.",
        "第一个请求到来时缓存是空的，整个提示都要算。",
    ),
)

RUN: Question[Common] = Question(
    slug="run",
    title=Text("Prompt tokens computed", "要计算的提示 token"),
    prompt=Told(
        "{requests} requests come one after the other. All begin with the same {prefix:token}, then each has {tail} "
        "of its own. The prefix cache is empty at first and shares full blocks of {size}. How many prompt tokens are "
        "computed in all?",
        "{requests} 个请求先后到来，都以相同的 {prefix} 个 token 开头，各自另有 {tail} 个。前缀缓存起初是空的，共享每"
        "块 {size} 个的满块。一共要计算多少个提示 token？",
    ),
    form=form(Common, REQUESTS, PREFIX, TAIL, SIZE),
    inputs=Common(4, 100, 20, 16),
    invent=lambda rng: Common(rng.randint(3, 9), rng.randint(40, 400), rng.randint(3, 60), rng.choice((8, 16, 32))),
    formula=lambda x: _run(x),
    slips=(
        Slip(
            "no_cache",
            Text("Nothing reused", "什么也没复用"),
            lambda x: x.requests * (x.prefix + x.tail),
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
            lambda x: (x.requests - 1) * (x.prefix + x.tail - _again(x)),
            Text("Those are the tokens that are not computed.", "这是不用计算的 token。"),
        ),
        together(_BY_TOKEN, _FIRST_TOO, lambda x: x.requests * x.tail),
    ),
    working=lambda x: (
        Text(
            f"The first computes {x.prefix + x.tail}, each of the other {x.requests - 1} computes {_again(x)}: "
            f"together {count(_run(x))}.",
            f"第一个算 {x.prefix + x.tail} 个，其余 {x.requests - 1} 个各算 {_again(x)} 个：合计 {count(_run(x))}。",
        )
        + SMALLER
    ),
    way=lambda x: Scenario(Arrival.SAME, 12, 4, ("A",), 9, 3),
    reply=Number(TOKEN),
    rows=lambda x: (
        Row(Text("The first", "第一个"), f"{x.prefix} + {x.tail}", str(x.prefix + x.tail)),
        Row(
            Text("Found by each other one", "其余每个找到的"),
            f"⌊{x.prefix} ÷ {x.size}⌋ × {x.size}",
            str(x.prefix + x.tail - _again(x)),
        ),
        Row(
            Text("Computed by each other one", "其余每个要算的"),
            f"{x.prefix + x.tail} − {x.prefix + x.tail - _again(x)}",
            str(_again(x)),
        ),
        Row(Text("In all", "合计"), f"{x.prefix + x.tail} + {x.requests - 1} × {_again(x)}", TOKEN.after(str(_run(x)))),
    ),
    tolerance=COUNTED,
)


def _mib(n_tokens: float) -> float:
    return MODELS[MODEL].kv_bytes(1) * n_tokens / MIB.scale.numerator


def _full(x: Common) -> int:
    """Tokens of the prefix that lie in full blocks."""
    return x.prefix // x.size * x.size


_WHOLE_PREFIX: Slip[Common] = Slip(
    "whole_prefix",
    Text("Shared the unfilled block", "把没满的块也共享了"),
    lambda x: (_mib((x.requests - 1) * x.prefix),),
    lambda x: Text(
        f"The rest of the prefix, {x.prefix % x.size} token{'s' * (x.prefix % x.size != 1)}, fills no block, so each "
        "request has its own.",
        f"前缀末尾的 {x.prefix % x.size} 个 token 装不满一块，每个请求各存一份。",
    ),
)
_EACH: Slip[Common] = Slip(
    "each",
    Text("Saved it for all of them", "每个都算省了"),
    lambda x: (_mib(x.requests * _full(x)),),
    Text("One copy has to be there. The others are saved.", "总要留一份，省下的是其余几份。"),
)

SAVED: Question[Common] = Question(
    slug="saved",
    title=Text("Memory saved by sharing", "共享省下的内存"),
    prompt=lambda x: Text(
        f"{MODEL}, {size(MODELS[MODEL].kv_bytes(1))} of K and V a token over all layers. {x.requests} requests run "
        f"at once; their prompts begin with the same {x.prefix} token{'s' * (x.prefix != 1)}. Full blocks of "
        f"{x.size} are shared. By how many MiB is that less than without sharing?",
        f"模型 {MODEL}，每个 token 在所有层的 K、V 共 {size(MODELS[MODEL].kv_bytes(1))}。{x.requests} 个请求同时运"
        f"行，提示以相同的 {x.prefix} 个 token 开头，共享每块 {x.size} 个的满块。比不共享少占多少 MiB？",
    ),
    form=form(Common, REQUESTS, PREFIX, TAIL, SIZE),
    inputs=Common(8, 1000, 50, 16),
    invent=lambda rng: Common(
        rng.randint(3, 16), rng.randint(200, 3000), rng.randint(3, 60), rng.choice((16, 32, 64, 128))
    ),
    formula=lambda x: (_mib((x.requests - 1) * _full(x)),),
    slips=(
        _WHOLE_PREFIX,
        _EACH,
        Slip(
            "resident",
            Text("What still lies in memory", "算成了仍要占的"),
            lambda x: (_mib(_full(x)),),
            Text("That is the one copy that stays.", "这是留下的那一份。"),
        ),
        Slip(
            "one_layer",
            Text("One layer", "只算一层"),
            lambda x: (_mib((x.requests - 1) * _full(x)) / MODELS[MODEL].n_layers,),
            Text(f"That is one of {MODELS[MODEL].n_layers} layers.", f"这只是 {MODELS[MODEL].n_layers} 层中的一层。"),
        ),
        together(_WHOLE_PREFIX, _EACH, lambda x: (_mib(x.requests * x.prefix),)),
    ),
    working=lambda x: (
        Text(
            f"{_full(x)} tokens lie in full blocks; {x.requests - 1} further copies of them are not needed.",
            f"满块里有 {_full(x)} 个 token；不必再存另外 {x.requests - 1} 份。",
        )
        + SMALLER
    ),
    way=lambda x: Scenario(Arrival.SAME, 12, 4, ("A",), 9, 3),
    reply=Number(MIB),
    rows=lambda x: (
        Row(Text("Tokens in shared blocks", "共享块里的 token"), f"⌊{x.prefix} ÷ {x.size}⌋ × {x.size}", str(_full(x))),
        Row(
            Text("One copy of them", "它们的一份"),
            f"{_full(x)} × {size(MODELS[MODEL].kv_bytes(1))}",
            MIB.after(f"{_mib(_full(x)):.8g}"),
        ),
        Row(Text("Copies saved", "省下的份数"), f"{x.requests} − 1", str(x.requests - 1)),
        Row(
            Text("Saved", "省下"),
            f"{x.requests - 1} × {_mib(_full(x)):.8g}",
            MIB.after(f"{_mib((x.requests - 1) * _full(x)):.8g}"),
        ),
    ),
    tolerance=Tolerance(0.001, 0.0005),
)

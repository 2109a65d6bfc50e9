"""How many passes, and what they read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.decode_cost import Mistake, Scenario
from engine.kv_cache import kv_bytes
from lessons.decode_cost.form import FORM, NEW, PROMPT
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.questions.given import GIVEN, PASS, POSITION, TEN_FIVE, invent, itself, over_passes
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count, short
from lessons.kit.question import COUNTED, Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE, MIB

PASSES: Question[Scenario] = Question(
    slug="passes",
    title=Text("How many decode passes?", "要几步解码？"),
    prompt=GIVEN
    + Text(
        "How many decode passes follow the prompt’s, if the last new token is not run?",
        "若最后一个新 token 不送入，提示之后还要几步解码？",
    ),
    form=FORM.only(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((2, 40), (3, 20)),
    formula=lambda s: s.decode.rows,
    slips=(
        Slip(
            "m",
            Text("One for each new token", "每个新 token 一步"),
            lambda s: s.n_new,
            Text(
                "The first new token needs no pass of its own: the prompt’s last logits give it.",
                "第一个新 token 不需要单独一步：提示最后的 logits 已给出它。",
            ),
        ),
        Slip(
            "all_positions",
            Text("The prompt token by token", "提示逐个送入"),
            lambda s: s.n_positions,
            Text(
                "That is every position in a pass of its own. The prompt goes through in one.",
                "这是每个位置单独一步。提示一次前向就送完了。",
            ),
        ),
        Slip(
            "plus_one",
            Text("Added the prompt’s pass", "加上了提示的一步"),
            lambda s: s.n_new + 1,
            Text("The prompt’s pass is not a decode pass, and it saves one.", "提示的前向不算解码步，而且还省下一步。"),
        ),
    ),
    working=Told(
        "M − 1 = {decode.rows}: the prompt’s pass already gave one token.",
        "M − 1 = {decode.rows}：提示的前向已给出一个 token。",
    ),
    way=itself,
    reply=Number(PASS),
    rows=(
        Line(Text("new tokens wanted, M", "要几个新 token，M"), Text("given", "已知"), "{n_new}"),
        Line(
            Text("given by the prompt’s pass", "提示的前向已给出"),
            Text("its last row’s logits", "最后一行的 logits"),
            "1",
        ),
        Line(
            Text("decode passes left", "剩下的解码步"),
            "{n_new} − 1",
            Told("{decode.rows:pass}", "{decode.rows} 步"),
        ),
    ),
    tolerance=COUNTED,
)

READ_BACK: Question[Scenario] = Question(
    slug="read_back",
    title=Text("What is read back?", "读回多少？"),
    prompt=GIVEN
    + Text(
        "Each decode pass reads the K and V of all old positions. How many positions is that, over all decode passes?",
        "每个解码步都读一遍所有旧位置的 K、V。各解码步合计读了多少个位置？",
    ),
    form=FORM.only(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((4, 24), (4, 12)),
    formula=lambda s: s.read_back,
    slips=(
        Slip(
            "own_too",
            Text("Read the new one, too", "把新的也算成读回"),
            lambda s: s.decode.pairs,
            Text(
                "Those are the pairs. The newest K and V come from the pass itself, not from the cache.",
                "这是配对数。最新的 K、V 来自本步，不是从缓存读回的。",
            ),
        ),
        Slip(
            "once",
            Text("Each position once", "每个位置只读一次"),
            lambda s: s.n_positions,
            Text("That is what is resident. It is read again in every pass.", "这是驻留的数量。每一步都要再读一遍。"),
        ),
        MISTAKES.slip(
            Mistake.NO_APPEND,
            lambda s: s.decode.rows * s.n_prompt,
            itself,
            name="prompt_only",
            title=Text("Only the prompt", "只读提示"),
            said=Text(
                "The cache grows: the second decode pass reads P + 1 positions.",
                "缓存在变长：第二个解码步要读 P + 1 个位置。",
            ),
        ),
    ),
    working=Told("P + (P + 1) + … + (P + M − 2) = {read_back}.", "P + (P + 1) + … + (P + M − 2) = {read_back}。"),
    way=itself,
    reply=Number(POSITION),
    rows=(
        Line(Text("decode passes, M − 1", "解码步数，M − 1"), "{n_new} − 1", "{decode.rows}"),
        Line(
            Text("positions in the cache before the first, P", "第一步之前缓存里的位置，P"),
            Text("the prompt", "提示"),
            "{n_prompt}",
        ),
        Line(
            Text("all passes", "各步合计"),
            lambda s: over_passes(s.n_prompt, s.n_positions - 1),
            Told("{read_back:position}", "{read_back} 个位置"),
        ),
    ),
)


# --- the same in bytes


@dataclass(frozen=True)
class Served:
    """A generation in a model whose K and V have `itemsize` bytes a number."""

    n_prompt: int
    n_new: int
    layers: int
    kv_heads: int
    head_dim: int
    itemsize: ClassVar[int] = 2

    @property
    def each(self) -> int:
        """Bytes of one position."""
        return kv_bytes(
            n_layers=self.layers,
            batch=1,
            seq_len=1,
            n_kv_heads=self.kv_heads,
            head_dim=self.head_dim,
            itemsize=self.itemsize,
        )

    def mib(self, positions: int) -> float:
        return positions * self.each / MIB.scale.numerator

    @property
    def held(self) -> int:
        """Positions resident at the end."""
        return self.n_prompt + self.n_new - 1

    @property
    def back(self) -> int:
        """Positions read back in all decode passes."""
        return Scenario(self.n_prompt, self.n_new).read_back

    @property
    def bytes_back(self) -> int:
        return self.back * self.each


def _in_mib(q: Served) -> Text:
    mib = q.mib(q.back)
    return MIB.after(short(mib) if mib < 1e6 else count(round(mib)))


_ONCE: Slip[Served] = Slip(
    "resident",
    Text("What is resident", "算成了驻留"),
    lambda q: q.mib(q.held),
    Text(
        "Each position was counted once: that is what stays resident. Every pass reads all of it again.",
        "每个位置只算了一次：那是驻留的数量。每一步都要把它们全部再读一遍。",
    ),
)
_K_ONLY: Slip[Served] = Slip(
    "k_only",
    Text("Forgot V", "漏了 V"),
    lambda q: q.mib(q.back) / 2,
    Text("Only K was counted. V is read back as well.", "只算了 K。V 也要读回。"),
)

READ_BYTES: Question[Served] = Question(
    slug="read_bytes",
    title=Text("Bytes read back, in MiB", "读回多少 MiB"),
    prompt=Told(
        "A model has {layers:layer} and {kv_heads:KV head} of {head_dim:number}, {itemsize} bytes each. A prompt "
        "of {n_prompt:token}, {n_new} new ones; the prompt’s logits give the first, and the last is not run. How "
        "many MiB of K and V do all decode passes together read back from the cache?",
        "模型有 {layers} 层，{kv_heads} 个 KV 头，每头 {head_dim} 个数，每个数 {itemsize} 字节。提示 {n_prompt} 个 "
        "token，新 token {n_new} 个；第一个由提示的 logits 给出，最后一个不再送入。全部解码步合计从缓存读回多少 "
        "MiB 的 K 和 V？",
    ),
    form=Form(
        (
            PROMPT,
            NEW,
            Whole("layers", Text("Layers", "层数"), 1, 200),
            Whole("kv_heads", Text("KV heads", "KV 头数"), 1, 128),
            Whole("head_dim", Text("Numbers a head", "每头几个数"), 1, 512),
        )
    ),
    inputs=Served(1000, 100, 32, 8, 128),
    invent=lambda rng: Served(
        rng.randint(100, 1000),
        rng.randint(8, 200),
        rng.choice((24, 28, 32, 40, 80)),
        rng.choice((2, 4, 8)),
        rng.choice((64, 128)),
    ),
    formula=lambda q: q.mib(q.back),
    slips=(
        _ONCE,
        _K_ONLY,
        together(_ONCE, _K_ONLY, lambda q: q.mib(q.held) / 2),
        Slip(
            "one_layer",
            Text("One layer", "只算了一层"),
            lambda q: q.mib(q.back) / q.layers,
            Told(
                "That is one layer. The model has {layers}, and each reads rows of its own.",
                "这是一层的。{layers} 层各读各的行。",
            ),
        ),
        Slip(
            "no_growth",
            Text("The prompt in every pass", "每步只读提示"),
            lambda q: q.mib((q.n_new - 1) * q.n_prompt),
            Text(
                "That reads the prompt in every pass. The cache is one position longer each time.",
                "这是每步都只读提示。缓存每步都长一个位置。",
            ),
        ),
    ),
    working=Told(
        "{back} positions of {each} bytes. Resident at the end are {held}.",
        "{back} 个位置，每个 {each} 字节。结束时驻留 {held} 个。",
    ),
    reply=Number(MIB),
    rows=(
        Line(
            Text("bytes of one position", "一个位置的字节"),
            "2 × {layers} × {kv_heads} × {head_dim} × {itemsize}",
            lambda q: BYTE.after(count(q.each)),
        ),
        Line(Text("positions read in the first pass", "第一步读的位置"), Text("the prompt", "提示"), "{n_prompt}"),
        Line(
            Text("positions read in all passes", "各步合计读的位置"),
            lambda q: over_passes(q.n_prompt, q.held - 1),
            "{back}",
        ),
        Line(Text("bytes read back", "读回的字节"), "{back} × {each}", lambda q: BYTE.after(count(q.bytes_back))),
        Line(Text("in MiB", "合 MiB"), "÷ 2^20", _in_mib),
    ),
)

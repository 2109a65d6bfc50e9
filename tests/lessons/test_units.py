"""Quantities typed with their units: every sensible spelling means the same, and nothing else passes for it."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.kit.controls import BadInput
from lessons.kit.expression import MOST_TYPED, plain
from lessons.kit.format import count, size
from lessons.kit.text import Text
from lessons.kit.units import (
    BIT,
    BLOCK,
    BYTE,
    FLOP,
    GB,
    GFLOP,
    GIB,
    KB,
    KIB,
    MB,
    MIB,
    MS,
    NS,
    PAIR,
    PERCENT,
    PIB,
    PLAIN,
    ROW,
    SECOND,
    TB,
    TFLOP,
    TIB,
    TIMES,
    TOKEN,
    US,
    Unit,
    read_quantity,
)
from tests.lessons.hostile import HOSTILE, Watched
from tests.lessons.reading import HALF_WIDTH, differing

SLOT = Unit(Text("slots", "个槽位"), "slots")
NAMED = (
    BIT,
    BLOCK,
    BYTE,
    FLOP,
    GB,
    GFLOP,
    GIB,
    KB,
    KIB,
    MB,
    MIB,
    MS,
    NS,
    PAIR,
    PERCENT,
    ROW,
    SECOND,
    SLOT,
    TB,
    TFLOP,
    TIB,
    TIMES,
    TOKEN,
    US,
)
RATES = (
    GB / SECOND,
    TB / SECOND,
    GIB / SECOND,
    BYTE / SECOND,
    BYTE / TOKEN,
    KIB / TOKEN,
    FLOP / BYTE,
    TFLOP / SECOND,
    TOKEN / SECOND,
    PAIR / TOKEN,
    BYTE / SLOT,
)


def complaint(typed: str, asked: Unit) -> Text:
    with pytest.raises(BadInput) as raised:
        read_quantity(typed, asked)
    (said,) = raised.value.complaints
    assert said.en.startswith("**Your answer** ")
    assert said.zh.startswith("**你的答案**")
    assert differing(said) == {}
    assert not HALF_WIDTH.search(said.zh)
    return said


def outcome(typed: str, asked: Unit) -> tuple[tuple[float, ...], tuple[Text, ...]]:
    """What became of a text: values, or complaints."""
    try:
        return read_quantity(typed, asked), ()
    except BadInput as bad:
        return (), bad.complaints


# Bytes


@pytest.mark.parametrize(
    "typed",
    ["4 GiB", "4GiB", "4gib", "4 GIB", "4 Gib", "4.0 GiB", "４ ＧｉＢ", "４ＧｉＢ", "4\u202fGiB", "4\u00a0GiB",
    " 4  GiB ",


    "4 gibibytes", "4 GiByte", "4096 MiB", "0.00390625 TiB",
     "4294967296 B", "4,294,967,296 B", "4 294 967 296 B", "4\u202f294\u202f967\u202f296 B", "4294967296 bytes",
     "4294967296 byte", "4294967296 字节", "4294967296 个字节", "2^32 B", "2**32B", "2³² 字节",
     "42亿9496万7296字节", "34359738368 bit", "34359738368 位", "34359738368 比特", "4*1024 MiB", "2*2 GiB",
     "(1+3) GiB",


     "2^22 KiB", "33554432 Kibit", "4.294967296 GB", "4.294967296 吉字节", "4294967.296 kB",
     "4294967.296 KB", "4294967.296 千字节", "4294.967296 MB", "4294.967296 兆字节", "4294.967296 megabytes", "≈ 4 GiB",
     "= 4 GiB", "4,294,967,296", "4294967296", "2^32", "4", "４", "2*2", "8/2"],
)  # fmt: skip
def test_four_gibibytes_may_be_spelled_in_any_sensible_way(typed: str) -> None:
    assert any(x == pytest.approx(4, rel=1e-12) for x in read_quantity(typed, GIB))
    if not typed.strip().endswith(tuple("0123456789４")):
        assert len(read_quantity(typed, GIB)) == 1
        assert read_quantity(typed, BYTE) == pytest.approx((2**32,), rel=1e-12)


def test_a_bare_number_is_in_the_unit_asked_first_and_then_in_bytes() -> None:
    assert read_quantity("4294967296", GIB) == (4294967296.0, 4.0)
    assert read_quantity("131072", KIB) == (131072.0, 128.0)
    assert read_quantity("536,870,912", GIB) == (536870912.0, 0.5)


def test_a_bare_number_has_one_meaning_where_bytes_are_asked_or_far_too_few_or_none_at_all() -> None:
    assert read_quantity("4", GIB) == (4.0,)
    assert read_quantity("-4294967296", GIB) == (-4294967296.0,)
    assert read_quantity("4096", BYTE) == (4096.0,)
    for unit in (TOKEN, SECOND, PLAIN, TFLOP, GB / SECOND, KIB / TOKEN):
        assert read_quantity("4294967296", unit) == (4294967296.0,)


@pytest.mark.parametrize(
    ("typed", "n_bytes"),
    [("1 KB", 1000), ("1 kB", 1000), ("1 kb", 1000), ("1 Kb", 1000), ("1 KiB", 1024), ("1 kib", 1024), ("1 Kbit", 125),
    ("1 kbits", 125), ("1 Kibit", 128), ("8 b", 8), ("8 bit", 1),
     ("1 MB", 10**6), ("1 Mb", 10**6), ("1 MiB", 2**20), ("1 GB", 10**9), ("1 GiB", 2**30), ("1 TB", 10**12), ("1 TiB",
     2**40), ("1 PB", 10**15), ("1 PiB", 2**50), ("1 太字节", 10**12), ("1 拍字节", 10**15),
     ("2千兆字节", 2 * 10**9), ("2千字节", 2000), ("2 千 字节", 2000), ("3万字节", 30000), ("1.5 million bytes", 1.5e6),
     ("4㎇", 4 * 10**9)],
)  # fmt: skip
def test_only_an_i_makes_powers_of_1024_and_a_bit_is_spelled_out(typed: str, n_bytes: float) -> None:
    assert read_quantity(typed, BYTE) == (n_bytes,)


@given(st.integers(0, 2**60))
def test_the_sizes_that_the_app_writes_can_be_pasted(n: int) -> None:
    assert read_quantity(f"{count(n)} B", BYTE) == (float(n),)
    assert read_quantity(size(n), BYTE) == pytest.approx((n,), rel=1e-5)


# All other dimensions


@pytest.mark.parametrize(
    ("typed", "asked", "value"),
    [
        ("1024 tokens", TOKEN, 1024), ("1 token", TOKEN, 1), ("1024 个 token", TOKEN, 1024), ("1024个token", TOKEN,
        1024),


        ("1024 词元", TOKEN, 1024), ("1024 个词元", TOKEN, 1024), ("1024 个", TOKEN, 1024),
        ("1024个", TOKEN, 1024), ("1.2万词元", TOKEN, 12000), ("1.2 万个 token", TOKEN, 12000), ("13万1072 个 token",
        TOKEN,


        131072), ("1.5 million tokens", TOKEN, 1.5e6), ("4×256 Tokens", TOKEN, 1024),
        ("5 pairs", PAIR, 5), ("5对", PAIR, 5), ("5 行", ROW, 5), ("5 rows", ROW, 5), ("1 row", ROW, 1), ("5 块",
        BLOCK, 5),


        ("5 blocks", BLOCK, 5), ("5 个块", BLOCK, 5), ("5 个内存块", BLOCK, 5),
        ("5 slots", SLOT, 5), ("1 slot", SLOT, 1), ("5 个槽位", SLOT, 5), ("5 槽位", SLOT, 5), ("5", SLOT, 5),
        ("1.5 s", SECOND, 1.5), ("1500 ms", SECOND, 1.5), ("1500毫秒", SECOND, 1.5), ("1.5 秒", SECOND, 1.5),
        ("2 minutes",


        SECOND, 120), ("2 分钟", SECOND, 120), ("1 h", SECOND, 3600), ("1/2 s", MS, 500),
        ("3 µs", NS, 3000), ("3 μs", NS, 3000), ("3us", NS, 3000), ("3 微秒", NS, 3000), ("3000 ns", US, 3),
        ("3000纳秒", US,


        3), ("0.003 ms", US, 3), ("5 MS", MS, 5), ("5 seconds", SECOND, 5),
        ("2 GFLOP", FLOP, 2e9), ("2 GFLOPs", FLOP, 2e9), ("2gflops", FLOP, 2e9), ("2*10^9 FLOP", GFLOP, 2),
        ("1.5 TFLOP",


        GFLOP, 1500), ("20亿次", GFLOP, 2), ("20 亿次浮点运算", GFLOP, 2), ("7 operations", FLOP, 7),
        ("3.35 TB/s", TB / SECOND, 3.35), ("3350 GB/s", TB / SECOND, 3.35), ("3350 gb / S", TB / SECOND, 3.35),
        ("3350 GB/秒",


        TB / SECOND, 3.35), ("3.35 太字节每秒", TB / SECOND, 3.35), ("1 GiB/s", BYTE / SECOND, 2**30),
        ("8 bytes per second", BYTE / SECOND, 8), ("8 GB per ms", TB / SECOND, 8), ("989 TFLOPS", TFLOP / SECOND, 989),
        ("989 TFLOP/s", TFLOP / SECOND, 989), ("989 TFLOPs/s", TFLOP / SECOND, 989),
        ("128 KiB/token", BYTE / TOKEN, 131072), ("131072 bytes per token", KIB / TOKEN, 128), ("131072 字节/词元",
        KIB / TOKEN, 128), ("131072 字节每个 token", KIB / TOKEN, 128), ("131072 B/个 token", KIB / TOKEN, 128),
        ("2*4096 B/token", KIB / TOKEN, 8), ("2 FLOP/B", FLOP / BYTE, 2), ("2 operations per byte", FLOP / BYTE, 2),
        ("40 tokens/s", TOKEN / SECOND, 40), ("16 B/slot", BYTE / SLOT, 16),
        ("8", PLAIN, 8), ("1/3", PLAIN, 1 / 3), ("8×", PLAIN, 8), ("8 ×", TIMES, 8), ("8x", TIMES, 8), ("8 倍", TIMES,
        8),


        ("8 times", TIMES, 8), ("800%", TIMES, 8), ("2×4", TIMES, 8), ("2x4x", TIMES, 8), ("8 个", PLAIN, 8),
        ("50%", PLAIN, 0.5), ("50％", PLAIN, 0.5), ("50 %", PERCENT, 50), ("50", PERCENT, 50), ("0.5 倍", PERCENT, 50),
        ("百分之50", PERCENT, 50), ("百分之 12.5", PLAIN, 0.125), ("50 percent", PERCENT, 50), ("(1-1/4)%",
        PERCENT, 0.75),
        ("-50%", PLAIN, -0.5), ("0.5", PERCENT, 0.5), ("−3 ms", SECOND, -0.003), ("1e3 ms", SECOND, 1), ("1e3s",
        SECOND, 1000),


        ("1.5×10⁹ FLOP", GFLOP, 1.5),
    ],
)  # fmt: skip
def test_a_quantity_is_converted_to_the_unit_asked(typed: str, asked: Unit, value: float) -> None:
    assert read_quantity(typed, asked) == pytest.approx((value,), rel=1e-12)


@pytest.mark.parametrize("unit", [*NAMED, *RATES], ids=lambda unit: unit.name.en)
@pytest.mark.parametrize("number", ["1", "37"])
def test_what_the_app_writes_with_any_unit_reads_back(unit: Unit, number: str) -> None:
    written = unit.after(number)
    assert read_quantity(written.en, unit) == (float(number),)
    assert read_quantity(written.zh, unit) == (float(number),)
    assert differing(written) == {}


def test_the_bound_is_on_what_was_typed_not_on_what_it_becomes() -> None:
    typed = "+".join(["2⁹"] * 60)
    assert len(typed) < MOST_TYPED < len(plain(typed))
    assert read_quantity(f"{typed} B", KIB) == (30.0,)


def test_a_number_with_its_unit_reads_naturally() -> None:
    assert GIB.after("4") == Text("4 GiB", "4 GiB")
    assert TOKEN.after("5") == Text("5 tokens", "5 个 token")
    assert BLOCK.after("1") == Text("1 block", "1 块")
    assert Unit(Text("passes", "步"), "passes").after("1").en == "1 pass"
    assert [unit.after("8").en for unit in (PLAIN, TIMES, PERCENT)] == ["8", "8×", "8%"]
    assert (KIB / TOKEN).after("128") == Text("128 KiB/token", "128 KiB/token")
    assert (TOKEN / SECOND).after("40") == Text("40 tokens/s", "40 token/s")
    assert (BYTE / SLOT).after("16") == Text("16 B/slot", "16 B/槽位")


def test_units_of_one_dimension_convert_into_each_other_without_loss() -> None:
    rng = random.Random(0)
    groups = [
        (BIT, BYTE, KB, KIB, MB, MIB, GB, GIB, TB, TIB, PIB),
        (SECOND, MS, US, NS),
        (FLOP, GFLOP, TFLOP),
        (PERCENT, TIMES),
    ]
    for group in groups:
        for a in group:
            for b in group:
                n = rng.randint(1, 9999)
                assert read_quantity(f"{n} {a.name.en}", b) == (float(n * Fraction(a.scale, b.scale)),)


# What is not a quantity of the unit asked


@pytest.mark.parametrize("asked", NAMED, ids=lambda unit: unit.name.en)
def test_a_unit_of_another_dimension_is_named_and_the_right_ones_offered(asked: Unit) -> None:
    others = [
        unit for unit in (*NAMED, *RATES) if unit.dimension != asked.dimension and SLOT.dimension not in unit.dimension
    ]
    assert len(others) > 10
    for other in others:
        said = complaint(other.after("37").en, asked)
        assert f"its unit is {other.name.en}" in said.en
        assert f"must be in {asked.name.en}" in said.en
        assert f"`{asked.one.en}`" in said.en
        assert f"`{asked.one.zh}`" in said.zh
        assert "37" in said.zh


@pytest.mark.parametrize(
    ("typed", "asked", "en", "zh"),
    [
        ("4 tokens", GIB,
        "must be in GiB: a number alone, or with a unit such as `GiB` or `B`; it reads “4 tokens”, and its "
        "unit is tokens.",

        "应以 GiB 为单位：只写数，或带上单位，例如 `GiB` 或 `B`；现在是“4 tokens”，其单位是 token。"),
        ("4 块", TOKEN, "it reads “4 块”, and its unit is blocks.",
        "应以 token 为单位：只写数，或带上单位，例如 `token`；现在是“4 块”，其单位是块。"),
        ("4 GiB", PLAIN, "must be a number without a unit; it reads “4 GiB”, and its unit is GiB.",
        "应是不带单位的数；现在是“4 GiB”，其单位是 GiB。"),
        ("4 KiB", KIB / TOKEN, "must be in KiB/token", "应以 KiB/token 为单位"),
        ("4 KiB/token", KIB, "its unit is KiB/token", "其单位是 KiB/token"),
        ("4 foo", GIB, "“foo” is no unit known here", "这里不认识单位“foo”"),
        ("4 Foo", ROW, "“Foo” is no unit known here",
        "应以行为单位：只写数，或带上单位，例如 `行`；现在是“4 Foo”，这里不认识单位“Foo”"),
        ("4苹果块", BLOCK, "“苹果块” is no unit known here", "这里不认识单位“苹果块”"),
        ("4 mybytes", GIB, "“mybytes” is no unit known here", "这里不认识单位“mybytes”"),
        ("4苹果", GIB, "“苹果” is no unit known here", "这里不认识单位“苹果”"),
        ("128k", TOKEN, "“k” is no unit known here", "不认识单位“k”"),
        ("4 G", GIB, "“G” is no unit known here", "不认识单位“G”"),
        ("3 slots", TOKEN, "“slots” is no unit known here", "不认识单位“slots”"),
        ("128k tokens", TOKEN, "“k” cannot be read as part of arithmetic", "“k”不能作为算式的一部分"),
        ("4 GiB)", GIB, "“G” cannot be read", "“G”不能"),
        ("4, 5 GiB", GIB, "“\\,” cannot be read", "“\\,”不能"),
        ("GiB", GIB, "it reads “GiB”: there is no number in it", "现在是“GiB”：其中没有数"),
        ("hello", GIB, "“h” cannot be read", "“h”不能"),
        ("2* GiB", GIB, "it reads “2\\* GiB”: a number is missing at its end", "现在是“2\\* GiB”：末尾缺少数"),
        ("1/0 B", GIB, "divides by zero", "除数为零"),
        ("1e308 PiB", BYTE, "it reads “1e308 PiB”: it grows beyond", "计算中超出了"),
        ("1e999 B", GIB, "it grows beyond", "计算中超出了"),
        ("", GIB, "has no number yet", "还没有数"),
        ("个", TOKEN, "there is no number in it", "其中没有数"),
        ("<b>4</b> B", GIB, "“\\<” cannot be read", "“\\<”不能"),
        ("9" * 10_000 + " B", GIB, f"at most {MOST_TYPED} characters; it has 10002",
        f"最多 {MOST_TYPED} 个字符，现在有 10002 个"),
        ('__import__("os")', GIB, "“\\_” cannot be read", "“\\_”不能"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_was_read_and_what_would_be_right(typed: str, asked: Unit, en: str, zh: str) -> None:
    said = complaint(typed, asked)
    assert en in said.en
    assert zh in said.zh


@given(st.text("0123456789.,+-*/^() ebBkKiGsxtT万亿个块位%×µ每", max_size=40), st.sampled_from([*NAMED, *RATES, PLAIN]))
def test_no_text_of_such_signs_does_anything_but_give_finite_numbers_or_a_sentence(typed: str, asked: Unit) -> None:
    values, complaints = outcome(typed, asked)
    assert len(complaints) == (not values)
    assert all(map(math.isfinite, values))
    assert all(differing(said) == {} for said in complaints)


LONG = [
    "㌕" * 199 + "!",
    "1" + "㍿" * 199,
    "b" * 200,
    "1 " + "/" * 198,
    "1" + "per" * 66,
    "1 " + "个" * 198,
    "千字节" * 66,
    "1" + "%" * 199,
]


@pytest.mark.parametrize("typed", [*HOSTILE, *LONG], ids=lambda typed: ascii(typed[:20]))
def test_anything_at_all_gives_finite_numbers_or_a_sentence_and_little_work(typed: str) -> None:
    with Watched() as work:
        values, complaints = outcome(typed, KIB / TOKEN)
    assert work.calls < 35_000
    assert work.memory < 200_000
    assert len(complaints) == (not values)
    assert all(map(math.isfinite, values))
    assert all(differing(said) == {} for said in complaints)

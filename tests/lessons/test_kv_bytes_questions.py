"""The questions on KV bytes: spellings of an answer, and each answer again by another route than the template's."""

from __future__ import annotations

import pytest

from engine.kv_size import Scenario
from engine.models import MODELS
from lessons.kit.controls import BadInput
from lessons.kit.question import Question, Verdict
from lessons.kit.reply import Find
from lessons.kv_bytes.presets import CHAPTER, CHECK_24
from lessons.kv_bytes.questions.device import BESIDE, FITS
from lessons.kv_bytes.questions.heads import GROUPS, LAYER
from lessons.kv_bytes.questions.kinds import SCALES
from lessons.kv_bytes.questions.largest import LARGEST
from lessons.kv_bytes.questions.measures import SAVES
from lessons.kv_bytes.questions.sizes import BACK, BY_HAND, TOKEN, TOTAL
from lessons.kv_bytes.questions.units import FIT, HOLDS
from lessons.kv_bytes.questions.windows import HELD

SEEDS = range(60)
RIGHT = Verdict(True, ())


def plain(s: Scenario) -> int:
    """Bytes of K and V with no window, by the plain product."""
    m = s.model
    assert m.n_kv_heads is not None
    return int(2 * m.n_layers * s.batch * s.seq_len * m.n_kv_heads * m.head_dim * s.format.itemsize)


# Spellings


@pytest.mark.parametrize(
    "typed",
    ["4 GiB", "4GiB", "4", "4294967296 B", "4,294,967,296", "4 294 967 296 B", "2^32", "2**32 bytes", "４", "４ＧｉＢ",
    "４，２９４，９６７，２９６",
     "4096 MiB", "4.294967296 GB", "4294967296 字节", "42.94967296 亿字节", "42亿9496万7296字节",
     "2*32*32768*8*128*2 B",


     "34359738368 bit", "  4 gib "],
)  # fmt: skip
def test_4_gib_may_be_spelled_in_any_sensible_way(typed: str) -> None:
    assert TOTAL.answer(CHAPTER) == (4.0,)
    assert TOTAL.check(CHAPTER, typed) == RIGHT


@pytest.mark.parametrize(
    ("typed", "slip"),
    [("4 GB", None), ("2 GiB", "forgot-v"), ("2147483648", "forgot-v"), ("16 GiB", "query-heads"), ("4.295", "gb"),
    ("4.295 GiB", "gb"),
     ("8 GiB", "forgot-v+query-heads"), ("2.147 GiB", "forgot-v+gb"), ("17.18 GiB", "query-heads+gb"), ("32 GiB",
     "bits-for-bytes")],
)  # fmt: skip
def test_a_slip_is_recognised_in_whatever_unit_it_is_written_and_two_slips_together_too(
    typed: str, slip: str | None
) -> None:
    assert TOTAL.check(CHAPTER, typed) == Verdict(False, () if slip is None else (slip,))


@pytest.mark.parametrize(
    "typed", ["131072", "131072 B", "128", "128 KiB", "2^17", "0.125 MiB", "131.072 kB", "１２８ KiB", "13.1072万字节"]
)
def test_one_token_of_131072_bytes_is_128_kib(typed: str) -> None:
    assert TOKEN.check(CHAPTER, typed) == RIGHT


@pytest.mark.parametrize("typed", ["2*32*128", "2×32×128", "8192", "8,192", "2^13", "８１９２"])
def test_arithmetic_is_evaluated(typed: str) -> None:
    inputs = BY_HAND.form.read({"layers": "32", "tokens": "1", "head_dim": "128"}, CHECK_24)
    assert BY_HAND.check(inputs, typed) == RIGHT


@pytest.mark.parametrize("typed", ["4 tokens", "4 ms", "4 XiB"])
def test_a_size_in_another_kind_of_unit_is_refused(typed: str) -> None:
    with pytest.raises(BadInput, match="must be in GiB"):
        TOTAL.check(CHAPTER, typed)


# Oracles


def test_the_tokens_that_fit_beside_the_weights_fit_and_one_more_does_not() -> None:
    for seed in SEEDS:
        s = BESIDE.draw(seed).inputs
        (n,) = BESIDE.answer(s)
        weights = s.device.billions * 1e9 * s.device.weight_bits / 8
        each = plain(Scenario(s.model, 1))
        assert weights + n * each <= s.device.memory_gb * 1e9 < weights + (n + 1) * each


def test_the_tokens_that_fit_take_no_more_bytes_than_are_free() -> None:
    for seed in SEEDS:
        room = FITS.draw(seed).inputs
        (n,) = FITS.answer(room)
        each = plain(Scenario(room.scenario.model, 1, format=room.scenario.format))
        assert n * each <= room.free * 2**30 < (n + 1) * each


def test_the_kv_heads_found_are_those_the_cache_was_made_of() -> None:
    for seed in SEEDS:
        s = BACK.draw(seed).inputs
        assert BACK.answer(s) == (float(s.model.n_kv_heads or 0),)


def test_a_cache_fits_where_its_bytes_are_no_more_than_the_bytes_free() -> None:
    for seed in SEEDS:
        s = HOLDS.draw(seed).inputs
        chosen = HOLDS.reply.write(HOLDS.answer(s), s)
        assert (
            chosen.en.startswith("It fits") == chosen.zh.startswith("放得下") == (plain(s) <= s.device.memory_gb * 1e9)
        )
        assert f"takes {plain(s) / 1e9:.6g} GB" in chosen.en
    drawn = [HOLDS.draw(seed).inputs for seed in SEEDS]
    assert {plain(s) <= s.device.memory_gb * 1e9 for s in drawn} == {True, False}


def test_the_largest_of_four_caches_has_the_largest_product() -> None:
    for seed in SEEDS:
        c = LARGEST.draw(seed).inputs
        products = [layers * kv * dim for layers, _, kv, dim in c.models]
        assert LARGEST.answer(c) == (products.index(max(products)) + 1.0,)


def test_measures_stand_in_the_order_of_the_bytes_they_leave() -> None:
    for seed in SEEDS:
        x = SAVES.draw(seed).inputs
        m, t, f = x.base.model, x.base.seq_len, x.quantised
        assert m.n_kv_heads is not None
        number = float(f.itemsize) + f.scale_bytes / (f.group or 1)
        left = [
            number / 2,
            x.kv_heads / m.n_kv_heads,
            (x.n_local * min(x.window, t) + (m.n_layers - x.n_local) * t) / (m.n_layers * t),
            1.0,
        ]
        given = [left[x.offered[int(place) - 1]] for place in SAVES.answer(x)]
        assert given == sorted(left)
        assert len(set(left)) == 4


def test_a_layer_holds_what_it_would_hold_if_its_tokens_came_one_by_one() -> None:
    for seed in SEEDS:
        k = HELD.draw(seed).inputs
        ticks: list[float] = []
        for local in k.local:
            row: list[int] = []
            for position in range(k.tokens):
                row.append(position)
                if local and len(row) > k.window:
                    row.pop(0)
            ticks += [float(p in row) for p in range(k.tokens)]
        assert HELD.answer(k) == tuple(ticks)


def test_quantised_numbers_and_their_scales_are_counted_group_by_group() -> None:
    for seed in SEEDS:
        s = SCALES.draw(seed).inputs
        m, f = s.model, s.format
        assert m.n_kv_heads is not None
        assert f.group is not None
        groups = sum(1 for first in range(0, m.head_dim, f.group))
        vector = m.head_dim * float(f.itemsize) + groups * f.scale_bytes
        assert SCALES.answer(s) == (2 * m.n_kv_heads * m.n_layers * s.seq_len * vector / 2**30,)


@pytest.mark.parametrize("question", [LAYER, FIT, GROUPS], ids=lambda q: q.slug)
def test_the_wrong_claim_and_its_correction_are_found_by_the_plain_product(question: Question[Scenario]) -> None:
    """What is claimed of the bytes, in the unit in which it is written, against the product."""
    assert isinstance(question.reply, Find)
    for seed in SEEDS:
        s = question.draw(seed).inputs
        claims = question.reply.claims(s)
        place, correction = (int(x) for x in question.answer(s))
        m, total = s.model, plain(s)
        layer = 2 * (m.n_kv_heads or 0) * m.head_dim * 2
        figure = {
            "find-layer": f"One layer keeps {layer:,} B".replace(",", "\u202f"),
            "find-fit": f"lacks {(total - float(f'{total / 2**30:.6g}') * 1e9) / 1e9:.6g} GB",
            "find-groups": f"would be {total * m.n_heads / (m.n_kv_heads or 1) / 2**30:.6g} GiB",
        }[question.slug]
        right = [
            (i, j) for i, c in enumerate(claims, 1) for j, text in enumerate(c.corrections, 1) if figure in text.en
        ]
        assert right == [(place, correction)]
        assert not any(figure in c.said.en for c in claims)


def test_the_sources_wrong_figures_are_what_its_readers_are_asked_to_mend() -> None:
    mha = Scenario(MODELS["Llama-3-8B"])
    assert isinstance(LAYER.reply, Find)
    said = [claim.said.en for claim in LAYER.reply.claims(mha)]
    assert "One layer keeps 512 B of one token." in said  # audit 1.15
    seventy = FIT.inputs
    assert isinstance(FIT.reply, Find)
    assert "A device with 40 GB free just holds the cache." in [c.said.en for c in FIT.reply.claims(seventy)]  # 1.20


def test_converted_the_other_way_round_the_cache_seems_to_leave_room() -> None:
    assert isinstance(FIT.reply, Find)
    (held,) = (c for c in FIT.reply.claims(FIT.inputs) if "just holds" in c.said.en)
    spare = 40 - 40 * (10**9 / 2**30)  # a GiB taken for fewer bytes than a GB
    assert f"A device with 40 GB free holds it with {spare:.6g} GB to spare." in [t.en for t in held.corrections]

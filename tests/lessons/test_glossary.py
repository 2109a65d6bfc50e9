"""The glossary: it has every term of both source texts, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import lessons
from lessons import LESSONS
from lessons.kit.glossary import GLOSSARY
from lessons.kit.glossary.order import ordered
from lessons.kit.lesson import Lesson
from lessons.kit.prose import linked
from lessons.kit.text import Lang, Text
from pages.shell.site.prose import glossary
from pages.shell.site.terms import terms_of
from tests.lessons.reading import LANGS, rendered, texts

LONGEST = {"en": 200, "zh": 110}  # characters of a line

# The words of the two texts that a student may have to look up, each in both languages. First the second text's own
# list.
KEY_TERMS = [
    Text(*pair)
    for pair in (
        ("KV cache", "KV 缓存"), ("HBM", "HBM"), ("SRAM", "SRAM"), ("FlashAttention", "FlashAttention"),
        ("continuous batching", "连续批处理"), ("PagedAttention", "PagedAttention"), ("prefix cache", "前缀缓存"),
        ("speculative decoding", "推测解码"),
        # the model
        ("token", "token"), ("prompt", "提示"), ("context", "上下文"), ("position", "位置"), ("embedding", "嵌入"),
        ("position encoding", "位置编码"), ("decoder", "解码器"), ("autoregressive", "自回归"), ("layer", "层"),
        ("hidden state", "隐藏状态"),
        ("residual", "残差"), ("FFN", "FFN"), ("normalisation", "归一化"), ("projection", "投影"), ("Wq", "Wq"), ("Wk",
        "Wk"),


        ("Wv", "Wv"), ("Wo", "Wo"),
        ("model weights", "模型权重"), ("logits", "logits"), ("inference", "推理"), ("gradient", "梯度"),
        ("backward pass",


        "反向传播"),
        ("bidirectional", "双向模型"), ("recurrent state", "循环状态"), ("adapter", "适配器"), ("system prompt",
        "系统提示"),



        # attention
        ("attention", "注意力"), ("query", "查询"), ("key", "键"), ("value", "值"), ("score", "分数"),
        ("attention weight",


        "注意力权重"), ("score table", "分数表"),
        ("mask", "掩码"), ("causal", "因果"), ("attention head", "注意力头"), ("head size", "头维度"), ("KV head",
        "KV 头"),


        ("MHA", "MHA"), ("GQA", "GQA"),
        ("MLA", "MLA"), ("sliding window", "滑动窗口"), ("exact attention", "精确注意力"), ("approximate", "近似"),
        ("O notation", "复杂度"),
        ("semantic compression", "语义压缩"),
        # the softmax and its numbers
        ("softmax", "softmax"), ("online softmax", "在线 softmax"), ("running maximum", "最大值"), ("denominator",
        "分母"),


        ("accumulator", "累加器"),
        ("rescale factor", "缩放因子"), ("exp", "指数函数"), ("rounding", "舍入"), ("tolerance", "容差"), ("dtype",
        "dtype"),


        ("GiB", "GiB"),
        ("quantisation", "量化"),
        # the cache and its memory
        ("prefill", "预填充"), ("decode", "解码"), ("prefix", "前缀"), ("prompt cache", "提示缓存"), ("hit", "命中"),
        ("hash",


        "哈希"), ("block", "内存块"),
        ("logical block", "逻辑块"), ("physical block", "物理块"), ("offset", "偏移"), ("block table", "块表"),
        ("page table",


        "页表"), ("block pool", "内存块池"),
        ("free list", "空闲列表"), ("contiguous allocation", "连续分配"), ("fragmentation", "碎片"), ("reference count",
        "引用计数"),
        ("copy-on-write", "写时复制"), ("preemption", "抢占"), ("swapping out", "换出"), ("workspace", "工作区"),
        # the machine and the service
        ("GPU", "GPU"), ("SM", "SM"), ("tile", "分块"), ("kernel", "内核"), ("fusion", "融合"), ("bandwidth", "带宽"),
        ("FLOP",


        "FLOP"),
        ("arithmetic intensity", "计算强度"), ("memory-bound", "受内存限制"), ("compute-bound", "受算力限制"),
        ("tensor parallelism", "张量并行"),
        ("varlen", "varlen"), ("batch", "批"), ("concurrency", "并发"), ("throughput", "吞吐量"), ("latency", "延迟"),
        ("serving system", "服务系统"),
        ("draft model", "草稿模型"), ("lookahead decoding", "前瞻解码"),
    )
]  # fmt: skip

# Some names as they are spoken, by a dictionary.
SOUNDS = {
    "tenant": "zuhu", "residual": "cancha", "kernel": "neihe", "fork": "fencha", "layer": "ceng", "batch": "pi",
    "salt": "yan",
    "hash": "haxi", "offset": "pianyi", "mask": "yanma", "concurrency": "bingfa", "latency": "yanchi", "value": "zhi",
    "projection": "touying", "hidden-size": "yincangweidu",
}  # fmt: skip

LINKS = {slug: linked(term.meaning.en) for slug, term in GLOSSARY.items()}

each_term = pytest.mark.parametrize("slug", GLOSSARY)


@pytest.mark.parametrize("key", KEY_TERMS, ids=lambda key: key.en)
def test_a_key_term_of_the_source_texts_has_an_entry(key: Text) -> None:
    names = [term.name for term in GLOSSARY.values()]
    assert [name for name in names if key.en.lower() in name.en.lower() and key.zh in name.zh]


@each_term
def test_a_meaning_is_one_line_and_links_other_terms_alone(slug: str) -> None:
    term = GLOSSARY[slug]
    for lang in LANGS:
        words = rendered(term.meaning.of(lang))
        assert words.tags[0] == "p"
        assert words.tags.count("p") == 1
        assert len(words.text.strip()) <= LONGEST[lang]
    assert slug not in LINKS[slug]
    assert set(LINKS[slug]) <= GLOSSARY.keys()
    assert len(set(LINKS[slug])) == len(LINKS[slug])


def test_no_two_terms_have_the_same_name() -> None:
    for lang in LANGS:
        assert len({term.name.of(lang).lower() for term in GLOSSARY.values()}) == len(GLOSSARY)


def test_every_term_is_linked_from_a_lesson_or_another_term_and_every_link_of_a_lesson_names_one() -> None:
    by_lessons = {slug for terms in terms_of().values() for slug in terms}
    by_terms = {slug for links in LINKS.values() for slug in links}
    assert by_lessons <= GLOSSARY.keys() == by_lessons | by_terms


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_the_terms_of_a_lesson_are_all_those_that_its_files_link(lesson: Lesson[Any, Any]) -> None:
    files = Path(lessons.__file__).parent.joinpath(lesson.slug).rglob("*.py")
    written = {slug for file in files for slug in re.findall(r"\]\(term:([^)]*)\)", file.read_text("utf-8"))}
    assert terms_of()[lesson.slug] == written
    declared = {slug for _, text in texts(lesson) for slug in linked(text.zh)}
    assert declared <= written


@pytest.mark.parametrize("lang", LANGS)
def test_a_page_gets_the_terms_that_its_reader_can_come_to_and_no_others(lang: Lang) -> None:
    sent = glossary('<p>a <button class="term" data-term="lse">b</button></p>', lang)
    steps = {"lse"}  # the oracle: one round of links after the other, until none is new
    while (more := steps | {to for slug in steps for to in LINKS[slug]}) != steps:
        steps = more
    assert sent.keys() == steps < GLOSSARY.keys()
    assert all(f"<b>{GLOSSARY[slug].name.of(lang)}</b>" in html for slug, html in sent.items())
    assert glossary("<p>no term</p>", lang) == {}


def test_the_terms_are_listed_by_the_alphabet_and_in_chinese_by_sound() -> None:
    assert set(ordered("en")) == set(ordered("zh")) == GLOSSARY.keys()
    names = [GLOSSARY[slug].name.en.lower() for slug in ordered("en")]
    assert names == sorted(names)
    chinese = [GLOSSARY[slug].name.zh for slug in ordered("zh")]
    latin = [name for name in chinese if name[0].isascii()]
    letters = [re.split(r"[^ -~]", name.lower())[0] for name in latin]
    assert chinese[: len(latin)] == latin
    assert letters == sorted(letters)
    # GB 2312 lists its first level by sound, 0xB0A1 to 0xD7F9, and the rarer characters by strokes
    assert all(b"\xb0\xa1" <= name[0].encode("gb2312") <= b"\xd7\xf9" for name in chinese[len(latin) :])
    assert [slug for slug in ordered("zh") if slug in SOUNDS] == sorted(SOUNDS, key=lambda slug: SOUNDS[slug])

"""KV bytes (chapter 07, Q026): what a cache takes, one factor a step, and what the number does and does not say."""

from __future__ import annotations

from engine.kv_size import Scenario, Step
from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text
from lessons.kv_bytes import prose
from lessons.kv_bytes.charts import CHARTS
from lessons.kv_bytes.form import FORM
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.presets import CHAPTER, PRESETS
from lessons.kv_bytes.questions import QUESTIONS
from lessons.kv_bytes.scene import draw
from lessons.kv_bytes.steps import narrate
from lessons.kv_bytes.trace import trace

LESSON: Lesson[Scenario, Step] = Lesson(
    slug="kv_bytes",
    title=prose.TITLE,
    question=prose.QUESTION,
    place=Text("Chapter 07 · Q026", "第 07 章 · Q026"),
    minutes=15,
    ledger=Ledger(
        work=Text("saved by keeping", "因保存而省下"),
        moved=Text("all of it, each step", "每一步全部读一遍"),
        resident=Text("grows with each token", "随每个 token 增长"),
        saves="resident",
    ),
    form=FORM,
    scenario=CHAPTER,
    presets=PRESETS,
    trace=trace,
    narrate=narrate,
    draw=draw,
    mistakes=MISTAKES,
    questions=QUESTIONS,
    charts=CHARTS,
    why=prose.WHY,
    how=prose.HOW,
    limits=prose.LIMITS,
    check=prose.CHECK,
    follow_ups=prose.FOLLOW_UPS,
    sources=(
        Source(
            Text("Chapter 07, Q026", "第 07 章 Q026"),
            Text(
                "the formula, the example rung by rung, one more token, the comparison of head counts",
                "公式、逐步的例子、多一个 token、头数的对照",
            ),
            "computed",
        ),
        Source(
            Text(
                "Publishers’ own code, or the library that implements the model (Llama, Gemma 2, gpt-oss, "
                "DeepSeek-V3, Mistral)",
                "发布者的代码，或实现该模型的库（Llama、Gemma 2、gpt-oss、DeepSeek-V3、Mistral）",
            ),
            Text(
                "layers, heads, head sizes, windows and latents; each model’s place is named in its first step",
                "层数、头数、头维度、窗口与潜在维度；每个模型的出处写在第一步",
            ),
            "read",
        ),
        Source(
            Text("Copies of config.json (Qwen, Gemma 3, Llama 3.2)", "config.json 的副本（Qwen、Gemma 3、Llama 3.2）"),
            Text("the same numbers where the publisher’s own file was not read", "未读到发布者原文件的模型的同类数字"),
            "secondary",
        ),
        Source(
            Text("vLLM, the cache format fp8_ds_mla", "vLLM 的缓存格式 fp8_ds_mla"),
            Text(
                "a latent in fewer bits with scales, the rotated part kept as it was",
                "潜在向量降位并带比例因子，旋转部分保持原样",
            ),
            "secondary",
        ),
        Source(
            Text("Data sheets of accelerators", "加速器的规格表"),
            Text(
                "memory and bandwidth that the device fields start with; change them to yours",
                "设备栏里显存和带宽的初值；请改成你自己的",
            ),
            "secondary",
        ),
    ),
)

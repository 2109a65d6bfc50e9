"""The order in which the terms are listed."""

from __future__ import annotations

from lessons.kit.glossary import GLOSSARY
from lessons.kit.text import Lang


def ordered(lang: Lang) -> tuple[str, ...]:
    """The slugs of all terms by name: in English by the alphabet, in Chinese by sound (pinyin), Latin letters first.

    GB 2312 lists the common characters by sound, and GB 18030 keeps its numbers.

    >>> ordered("en")[:2], ordered("zh")[-1]
    (('accumulator', 'adapter'), 'tenant')
    """
    return tuple(sorted(GLOSSARY, key=lambda slug: GLOSSARY[slug].name.of(lang).lower().encode("gb18030")))

"""The answer key: for each question the answer, the slips with the answers that give them away, and the way in
lines."""

from __future__ import annotations

from html import escape

from lessons.kit.reply import Answer, Tick
from lessons.sheets import words as words
from lessons.sheets.marks import cells, leeway, mark, spelled
from lessons.sheets.markup import Languages, block, inline, plain
from lessons.sheets.sheet import framed, table, title_of
from lessons.sheets.variants import Item, Request, Variant


def answer_key(request: Request, variant: Variant) -> str:
    """One variant's answers."""
    title = f"{plain(words.KEY, request.languages)} · {title_of(request)}"
    return framed(variant, title, request.languages, [_answers(item, request.languages) for item in variant.items])


def _answers(item: Item, languages: Languages) -> str:
    name = (
        f"{escape(plain(item.question.title, languages))} <small>{escape(plain(item.chosen.group, languages))}</small>"
    )
    return (
        f'<div class="number">{item.place}</div><div class="question"><h2>{name}</h2>'
        f'<div class="right">{_given(item, item.answer, languages)}{_leeway(item, languages)}</div>'
        f"{_slips(item, languages)}{_way(item, languages)}</div>"
    )


def _given(item: Item, answer: Answer, languages: Languages) -> str:
    """An answer as it looks on the sheet, and in words where that is only letters."""
    if isinstance(item.question.reply, Tick):
        return table(item.question.reply, item, languages, answer)
    said = spelled(item, answer)
    return f"<b>{inline(mark(item, answer), languages)}</b>" + (block(said, languages) if said else "")


def _leeway(item: Item, languages: Languages) -> str:
    widths = leeway(item)
    return "" if widths is None else f" <small>{plain(words.within(widths), languages)}</small>"


def _slips(item: Item, languages: Languages) -> str:
    if not item.slips:
        return ""
    head = "".join(f'<th scope="col">{plain(word, languages)}</th>' for word in words.HEADS)
    lines = "".join(
        f"<tr><td>{_short(item, answer, languages)}</td><td>{inline(slip.title, languages)}</td><td>"
        f"{block(slip.told(item.inputs), languages)}</td></tr>"
        for slip, answer in item.slips
    )
    return f'<table class="slips"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'


def _short(item: Item, answer: Answer, languages: Languages) -> str:
    """A slip's answer, for a quick look: of cells only the pattern, a line for each row."""
    if not isinstance(item.question.reply, Tick):
        return inline(mark(item, answer), languages)
    width = len(item.question.reply.columns(item.inputs))
    signs = "".join("☑" if x else "☐" for x in answer)
    return f'<span class="pattern">{"<br>".join(signs[i : i + width] for i in range(0, len(signs), width))}</span>'


def way(item: Item, languages: Languages) -> str:
    """The solution in lines, or the sentence that says it where there are none."""
    if not item.rows:
        return block(item.question.worked(item.inputs), languages)
    lines = (f"<tr>{''.join(f'<td>{inline(part, languages)}</td>' for part in cells(row))}</tr>" for row in item.rows)
    return f"<table><tbody>{''.join(lines)}</tbody></table>"


def _way(item: Item, languages: Languages) -> str:
    return f'<div class="way">{way(item, languages)}</div>'

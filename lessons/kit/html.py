"""HTML from templates that stand beside the code. What goes in is escaped, except Markup: HTML that a renderer or
another template has made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lessons.kit.prose import bare, to_html

Filters = Mapping[str, Callable[..., object]]

_FILTERS: Filters = {"markdown": to_html, "bare": bare}


def templates(module: str, filters: Filters | None = None) -> Callable[..., Markup]:
    """What fills the templates in the folder `templates` beside a module, each read and compiled once:
    `fill = templates(__file__)`, then `fill("term.html", name="tile")`.

    `filters` are known to them besides `markdown` and `bare`. Filling raises UndefinedError where a template names
    what it is not given."""
    environment = Environment(
        loader=FileSystemLoader(Path(module).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals.clear()  # a template knows what it is given and nothing else
    environment.filters |= {**_FILTERS, **(filters or {})}
    compiled = cache(environment.get_template)

    def fill(template: str, /, **values: object) -> Markup:
        return Markup(compiled(template).render(values))

    return fill

"""Tables in Markdown, of layouts and of names of values."""

from collections.abc import Iterable, Sequence

from amaranth.lib import data, enum

from .texts import docs_of, fields_of, member_texts

__all__ = ["fields", "layouts", "section", "table", "values"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table, with an empty one after it; columns in which no row has anything are left out."""
    rows = [tuple(cell.replace("|", "\\|") for cell in row) for row in rows]
    used = [column for column in range(len(head)) if any(row[column] for row in rows)]
    lines = [head, ["---"] * len(head), *rows]
    return [*("| " + " | ".join(line[column] for column in used) + " |" for line in lines), ""]


def section(title: str, text: str = "", level: int = 2) -> list[str]:
    """A heading, and a paragraph below it."""
    return [f"{'#' * level} {title}", "", *([text, ""] if text else [])]


def fields(layout: type[data.Struct]) -> list[str]:
    """The bits of a layout. What has names of values is explained by the docstring of these, if it says nothing itself."""

    def meaning(field) -> str:
        kind = f"[{field.values.__name__}](#{field.values.__name__.lower()})" if field.values else ""
        text = field.text or (docs_of(field.values).rstrip(".") if field.values else "")
        return f"{text} ({kind})" if kind else text

    head = ("bits", "field", "guide", "meaning")
    return table(head, ((one.place, f"`{one.name}`", one.guide, meaning(one)) for one in fields_of(layout)))


def layouts(*kinds: type[data.Struct]) -> list[str]:
    """A section for each layout."""
    return [line for kind in kinds for line in (*section(kind.__name__, docs_of(kind), 3), *fields(kind))]


def values(*kinds: type[enum.Enum]) -> list[str]:
    """A section for each enumeration, without values that are reserved."""
    lines = []
    for kind in kinds:
        texts = member_texts(kind)
        lines += section(kind.__name__, docs_of(kind), 3)
        rows = ((f"{one.value}", f"`{one.name}`", texts[one.name]) for one in kind if "RESERVED" not in one.name)
        lines += table(("value", "name", "meaning"), rows)
    return lines

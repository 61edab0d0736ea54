"""The docstrings of this project as Sphinx understands them.

Lines like ``latency : clocks from a request to its first word``, which say what parameters or attributes are, become a
list of definitions; lines that are further to the right go on with the one before. Nothing but what stands between
backticks is markup. A type of Python itself is no reference, and a table is not shown again as the value of its name.
"""

import builtins
import enum
import re
from collections.abc import Iterator

import numpy.typing as npt
from amaranth.lib import data
from docutils import nodes
from sphinx.addnodes import desc_annotation, pending_xref
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

__all__ = ["setup", "translated"]

_DEFINITION = re.compile(r"`?(\w+(?:, \w+)*)`? : (\S.*)")
#: Values with more characters are tables.
_LONGEST_VALUE = 60
#: Code, which stays as it is, or a character that reStructuredText would take for markup.
_MARKUP = re.compile(r"(`+[^`]+`+)|(\||(?<=\w)_(?!\w)|\*)")
#: What signatures call types of NumPy that are unions of many others, by the text of these.
_UNIONS = {
    stringify_annotation(getattr(npt, name), "smart"): f"~numpy.typing.{name}" for name in ("ArrayLike", "DTypeLike")
}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("autodoc-process-docstring", _process)
    app.connect("autodoc-process-signature", _readable)
    app.connect("doctree-read", _tidy)
    return {"parallel_read_safe": True}


def _process(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    lines[:] = translated(lines)


def translated(lines: list[str]) -> Iterator[str]:
    """`lines` of a docstring as reStructuredText."""
    in_list = in_block = False
    for line in lines:
        in_block = in_block and (not line or line.startswith(" "))
        if in_block:
            yield line
            continue
        text = _MARKUP.sub(lambda found: found[1] or f"\\{found[2]}", line)
        if found := _DEFINITION.fullmatch(text):
            names = ", ".join(f"``{name}``" for name in found[1].replace("\\", "").split(", "))
            yield from ([] if in_list else [""])
            yield from (names, f"    {found[2]}")
            in_list = True
        else:
            in_list = in_list and (not line or line.startswith("    "))
            yield text
        in_block = line.endswith("::")


def _readable(
    app: Sphinx, what: str, name: str, thing: object, options: object, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Layouts and names of values are made by nobody; unions of NumPy have a name; and what a dataclass makes for each object has no value to show."""
    if isinstance(thing, type(data.Struct) | enum.EnumMeta):
        return "", None
    for union, its in _UNIONS.items():
        signature = signature and signature.replace(union, its)
    return signature and signature.replace("<factory>", "..."), result


def _tidy(app: Sphinx, doctree: nodes.document) -> None:
    """Take out what nobody wants to read."""
    for node in list(doctree.findall(pending_xref)):
        # `bytes` in a signature is that of Python, whatever else has this name.
        if node["refdomain"] == "py" and hasattr(builtins, node["reftarget"]):
            node.replace_self(nodes.Text(node["reftarget"]))
    for node in list(doctree.findall(desc_annotation)):
        if node.astext().startswith(" = ") and len(node.astext()) > _LONGEST_VALUE:
            node.parent.remove(node)

"""Cuts the one long function of a flat CXXRTL design into parts: the time to compile a function grows with its square."""

import re

__all__ = ["in_parts"]

#: Characters of a part, at least.
_PART = 30_000

_FUNCTION = re.compile(
    r"^bool p_top::eval\(performer \*performer\) \{\n\tbool converged = (\w+);\n(.*?)^\treturn converged;\n\}\n",
    re.M | re.S,
)
_DECLARED = "\tbool eval(performer *performer = nullptr) override;\n"
_EDGE = re.compile(r"^\tbool (posedge_\w+) = .*;\n", re.M)
_LOCAL = re.compile(r"^\tvalue<\d+> \w+;\n", re.M)
#: Each step of the function begins with a comment that names the cells or memories it stands for.
_STEP = re.compile(r"(?=^\t// (?:cells?|connection|memory) )", re.M)


def in_parts(source: str) -> str:
    """The C++ of a flat design whose top is `p_top`, its function `eval` cut into parts.

    The local variables and the edge of the clock become members, for all parts. No value of theirs lasts from one call
    of `eval` to the next.
    """
    function = _FUNCTION.search(source)
    if function is None:
        raise ValueError("the design has no function to cut")
    converged, body = function.groups()
    members = [*_LOCAL.findall(body), *(f"\tbool {name}_now;\n" for name in _EDGE.findall(body))]
    edges = "".join(f"\t{name}_now = this->{name}();\n" for name in _EDGE.findall(body))
    body = _LOCAL.sub("", _EDGE.sub("", body))
    body = re.sub(r"\b(posedge_\w+)\b(?!\()", r"\1_now", body)
    parts = _parts(body)
    declared = [f"\t__attribute__((noinline)) void eval_{at}(performer *performer);\n" for at in range(len(parts))]
    defined = [f"void p_top::eval_{at}(performer *performer) {{\n{part}}}\n\n" for at, part in enumerate(parts)]
    calls = "".join(f"\teval_{at}(performer);\n" for at in range(len(parts)))
    whole = f"bool p_top::eval(performer *performer) {{\n{edges}{calls}\treturn {converged};\n}}\n"
    start, end = function.span()
    head = source[:start].replace(_DECLARED, "".join([_DECLARED, *declared, *members]))
    return "".join([head, *defined, whole, source[end:]])


def _parts(body: str) -> list[str]:
    """The body in parts of whole steps."""
    parts = [""]
    for step in _STEP.split(body):
        if len(parts[-1]) >= _PART:
            parts.append("")
        parts[-1] += step
    return parts

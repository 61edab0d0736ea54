"""Cuts the function of CXXRTL that evaluates a design into many: compilers take time that grows with its square.

Its wires become members of a struct, but for those that only one piece uses.
"""

import re

__all__ = ["cut_eval"]

#: Statements of a piece: with 150 a compiler takes twice as long for a QPU, and what comes out is hardly faster.
_STATEMENTS = 40
_BEGIN, _END = "bool p_top::eval(performer *performer) {\n", "\treturn converged;\n}\n"
_DECLARED = "bool eval(performer *performer = nullptr) override;\n"
_WIRE = re.compile(r"\t(value<\d+>) (\w+);\n")
#: A line with one tab, and what belongs to it, as what looks at the place in a memory: comments are dropped.
_STATEMENT = re.compile(r"^\t(?![\t}/]|\w+\(tmp_).*\n(?:\t(?:[\t}]|\w+\(tmp_).*\n)*", re.MULTILINE)
_NAME = re.compile(r"\w+")


def cut_eval(source: str, header: str) -> tuple[str, str]:
    """Source and header of a flat design, its `eval` in pieces."""
    before, _, rest = source.partition(_BEGIN)
    body, _, behind = rest.partition(_END)
    wires = {name: shape for shape, name in _WIRE.findall(body)}
    converged, edge, *statements = _STATEMENT.findall(_WIRE.sub("", body))
    pieces = ["".join(statements[at : at + _STATEMENTS]) for at in range(0, len(statements), _STATEMENTS)]
    uses = [[name for name in dict.fromkeys(_NAME.findall(piece)) if name in wires] for piece in pieces]
    shared = {name for name in wires if sum(name in used for used in uses) > 1}
    text = "struct p_top::Wires {\n\tbool converged, posedge_p_clk;\n"
    text += "".join(f"\t{wires[name]} {name};\n" for name in sorted(shared)) + "};\n\n"
    for number, (piece, used) in enumerate(zip(pieces, uses, strict=True)):
        text += f"void p_top::eval_{number}(Wires &wires, performer *performer) {{\n"
        text += "\tbool &converged = wires.converged;\n\tconst bool posedge_p_clk = wires.posedge_p_clk;\n"
        text += "".join(
            f"\tauto &{name} = wires.{name};\n" if name in shared else f"\t{wires[name]} {name};\n" for name in used
        )
        text += piece + "}\n\n"
    text += f"{_BEGIN}{converged}{edge}"
    text += "\tWires wires;\n\twires.converged = converged;\n\twires.posedge_p_clk = posedge_p_clk;\n"
    text += "".join(f"\teval_{number}(wires, performer);\n" for number in range(len(pieces)))
    declared = "".join(f"\tvoid eval_{number}(Wires &, performer *);\n" for number in range(len(pieces)))
    text += "\treturn wires.converged;\n}\n"
    return before + text + behind, header.replace(_DECLARED, f"{_DECLARED}\tstruct Wires;\n{declared}")

"""The page of the registers which instructions read and write."""

from vc4.isa.registers import ACCUMULATOR_BASE, FILE_REGISTERS, READ, SERVICES, WRITE, Port

from .markdown import section, table
from .names import names_of, taken

__all__ = ["page"]

_INTRODUCTION = """\
# Registers of the QPU

An instruction reads and writes accumulators, two register files, and what lies at the addresses above these: uniforms, the VPM,
special functions, texture units, the tile buffer. [The instruction set](instructions.md) says how a word names them; `vc4 isa
t0s` prints what one of them does. This page is made from `rtl/vc4/isa/registers.py`.

A register holds sixteen elements of 32 bits.

## Accumulators

| name | read | written |
|---|---|---|
| `r0` to `r3` | by any operand; what is written is there for the next instruction | addresses 32 to 35 of either file |
| `r4` | by any operand | by special functions, and by signals that load from a texture unit or the tile buffer |
| `r5` | by any operand; its element 0 is the amount of a rotation | address 37; also by a read of `vary` |

## Register files

There are two files, A and B, of 32 registers each: `ra0` to `ra31`, `rb0` to `rb31`. An instruction reads one address of each
file and writes one address of each: with `ws` 0 the add ALU writes file A and the mul ALU file B, with 1 the other way round.
What is written is there for the next instruction but one (R1). A program that shares its QPU with another thread has registers
0 to 15 of each file.

A fragment shader finds W in `ra15` and Z in `rb15`. All else is what the program before has left.

"""

_READING = """\
A read of these addresses has effects, whether an operand takes the value or not. Names after the first one are others that the
assembler knows. An instruction waits for what the last column says."""

_WRITING = """\
A register that is not one of the QPU's own takes the whole vector, whatever the condition is, unless that is never (R23)."""


def _rows(port: Port, *, written: bool) -> list[tuple[str, ...]]:
    rows = []
    for address, pair in port.items():
        both = pair[0].name == pair[1].name
        for file in range(1 if both else 2):
            names = " ".join(f"`{name}`" for name in names_of(port, address, file))
            one = pair[file]
            row = (f"{address}", "both" if both else "AB"[file], names, one.doc)
            rows.append((*row, *([taken(one, address)] if written else []), SERVICES.get(one.unit, "")))
    return rows


def page() -> str:
    """The page, in Markdown."""
    assert (FILE_REGISTERS, ACCUMULATOR_BASE) == (32, 32)
    lines = [_INTRODUCTION.rstrip(), ""]
    lines += section("Reading", _READING)
    lines += table(("address", "file", "names", "what is read", "waits for"), _rows(READ, written=False))
    lines += section("Writing", _WRITING)
    head = ("address", "file", "names", "what is written", "elements", "waits for")
    lines += table(head, _rows(WRITE, written=True))
    return "\n".join(lines).rstrip() + "\n"

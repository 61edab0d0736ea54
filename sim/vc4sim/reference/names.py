"""What a name of the instruction set is, and a word that sets something up."""

from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.lib import data, enum

from vc4.isa.ops import AddOp, MulOp, Signal
from vc4.isa.registers import ELEMENTWISE_WRITES, FILE_REGISTERS, READ, TAKEN_ELEMENTS, WRITE, Port, Register
from vc4.records.stencil import StencilMasks, StencilSetUp
from vc4.records.tmu import ChildOffset, ChildSize, CubeStride, ParameterKind, TextureImage, TextureSampling
from vc4.records.vpm import setup_layout

from ..asm.names import BRANCH_CONDITIONS, CONDITIONS, PACKS, REGISTERS, SIGNALS, UNPACKS
from .texts import docs_of, fields_of, member_texts

__all__ = ["SETUPS", "Entry", "entries", "names_of", "said", "setup", "spelt", "taken"]

#: Registers whose words have a layout, and the config parameters of a lookup by their number.
SETUPS = ("vw_setup", "vr_setup", "stencil", "texture0", "texture1", "texture2", "texture3")
_PARAMETERS = {
    ParameterKind.CUBE_STRIDE: CubeStride,
    ParameterKind.CHILD_SIZE: ChildSize,
    ParameterKind.CHILD_OFFSET: ChildOffset,
}
#: Elements that a register takes, by their mask.
_TAKEN = {0xFFFF: "all", 0x1111: "the first of each quad", 0x0001: "element 0", 0x0000: "none"}


#: Statements that are no operation: what fills a word, and what the assembler makes one of.
_STATEMENTS = {
    "mov": "a move: a load immediate of a constant, of a register `or a, a` or `v8min a, a`, whichever ALU is free",
    "amov": "a move by the add ALU, `or a, a`",
    "mmov": "a move by the mul ALU, `v8min a, a`",
    "read": "reads a register of a file, or a constant, without an operation",
    "ldi": "load immediate: all elements get a word, or each its own of a list",
    "ldipes": "load immediate of a list of sixteen values from -2 to 1",
    "ldipeu": "load immediate of a list of sixteen values from 0 to 3",
    "brr": "branch: to a label, or by a distance in bytes from the address after the delay slots",
    "bra": "branch: to an address, of a register, or of both together",
    "sacq": "semaphore: waits until it is not 0, and counts it down",
    "srel": "semaphore: waits until it is not 15, and counts it up",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A meaning of a name: what kind of name it is, with its code, and the meaning."""

    name: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}: {self.text}"


def spelt(table: dict, value: object) -> list[str]:
    """The names that an assembler's table has for a value, the first one first."""
    return [name for name, one in table.items() if one is value]


def _of_codes(table: dict, kind: str) -> Iterator[Entry]:
    for name, value in table.items():
        text = member_texts(type(value)).get(value.name)
        if text:
            yield Entry(name, f"{kind} {value.value}", text)


def _of_operations() -> Iterator[Entry]:
    for kind, alu in ((AddOp, "add"), (MulOp, "mul")):
        for name, text in member_texts(kind).items():
            yield Entry(name.lower(), f"operation {kind[name].value} of the {alu} ALU", text)
    for name, text in _STATEMENTS.items():
        yield Entry(name, "statement", text)


def names_of(port: Port, address: int, file: int) -> list[str]:
    """All names of what an address of a file is, that of the table first."""
    first = port[address][file].name
    if first not in REGISTERS:
        return [first]
    return [first, *(name for name in spelt(REGISTERS, REGISTERS[first]) if name != first)]


def taken(register: Register, address: int) -> str:
    """Which elements of a vector a register takes."""
    which = _TAKEN[TAKEN_ELEMENTS.get(register.name, 0xFFFF)]
    return which + (", where the condition holds" if address in ELEMENTWISE_WRITES else "")


def _of_registers() -> Iterator[Entry]:
    for port, direction in ((READ, "read"), (WRITE, "write")):
        for address, pair in port.items():
            for file, one in enumerate(pair):
                alike = pair[0].name == pair[1].name
                if file and alike:
                    continue
                where = f"{direction} address {address}" + ("" if alike else f" of file {'AB'[file]}")
                for name in names_of(port, address, file):
                    yield Entry(name, where, one.doc)
    for file in range(2):
        for number in range(FILE_REGISTERS):
            where = f"register {number} of file {'AB'[file]}"
            yield Entry(READ.name(number, file), where, "the next instruction but one reads what is written")
    yield Entry("r4", "accumulator", "what the SFU, a TMU or the tile buffer delivers; not written by an operation")
    yield Entry("r5", "accumulator", "written by `r5quad`, `r5rep` and a read of `vary`; amount of a rotation")


def _of_suffixes(table: dict, attribute: str, kind: str) -> Iterator[Entry]:
    for name, suffix in table.items():
        value: enum.Enum = getattr(suffix, attribute)
        yield Entry(name, f"{kind} {value.value}", member_texts(type(value))[value.name])


def entries() -> Iterator[Entry]:
    """Every name with its meanings."""
    yield from _of_operations()
    yield from _of_registers()
    yield from _of_codes(SIGNALS, "signal")
    yield from _of_codes({one.name.lower(): one for one in Signal}, "signal")
    yield from _of_codes(CONDITIONS, "condition")
    yield from _of_codes(BRANCH_CONDITIONS, "condition of branches")
    yield from _of_suffixes(PACKS, "pack", "pack")
    yield from _of_suffixes(UNPACKS, "unpack", "unpack")


def setup(register: str, word: int) -> type[data.Struct] | None:
    """The layout of a word that is written to one of `SETUPS`; `None` if it is of no known kind."""
    match register:
        case "texture0":
            return TextureImage
        case "texture1":
            return TextureSampling
        case "texture2" | "texture3":
            return _PARAMETERS.get(ParameterKind(word >> 30))
        case "stencil":
            return StencilSetUp if word >> 30 else StencilMasks
    return setup_layout(register, word)


def said(register: str, word: int) -> list[str]:
    """What a word means that is written to one of `SETUPS`, a field a line."""
    layout = setup(register, word)
    if layout is None:
        return [f"{register} {word:#010x}: of no known kind"]
    lines = [f"{register} {word:#010x}: {layout.__name__}, {docs_of(layout)}"]
    for field in fields_of(layout):
        meaning = f"{field.guide}: {field.text}" if field.guide and field.text else field.guide or field.text
        lines.append(f"{field.place:>7}  {field.name:16} {field.said(word):>8}  {meaning}".rstrip())
    return lines

"""`vc4 regs`: the registers that the host sees."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from vc4.config import V3DConfig, preset
from vc4.regs.counters import SOURCES
from vc4.regs.register import Access, Field, Register
from vc4.regs.table import GROUPS, REGISTERS, registers_of

from ..problem import BadInput, ExitStatus
from .options import Commands, add_config, config_of

__all__ = ["header", "page", "register"]

_PREFIX = "V3D_"

#: The configuration of the guide's reset values, with everything that is optional.
_REFERENCE = replace(preset("bcm2835"), memory_windows=True)

_INTRODUCTION = """\
# Registers of the host

`vc4 regs` prints this map for a configuration, `vc4 regs SRQCS` a register with its fields, `vc4 regs --header v3d.h` writes it
for C. Hardware, header and this page are made from one table, `rtl/vc4/regs`, which follows section 10 of the guide and the
addendum.

Registers are words of 32 bits, at offsets in bytes; bits that are not listed read 0. Reset values with a star depend on the
configuration, and are those of `bcm2835`; so do fields with a bit for each QPU or slice, of which the bits that do not exist read
0. All registers are there in every configuration, but for the memory windows. Without lists, binner, pixels or early Z, as `qpu`
and `slice` are, what would be state of these blocks reads its reset value, writes that ask them for something do nothing, and
counters of what they do stay 0; without texture units, so do counters of these. Between the registers, reads give 0 and writes
do nothing. The reference model [has them, too](../developer/model.md#what-does-a-host-see).

## Access

| access | guide | meaning |
|---|---|---|
"""

_EXTENSION = """\
These are not on the chip. Errors of the bus are kept and interrupt the host if that is enabled; the memory windows are there if
the configuration has `memory_windows`, and closed after a reset.
"""


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "regs",
        help="print the registers",
        description="Print the registers that the host sees, or one of them with its fields.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a register, with or without V3D_ (default: all)")
    add_config(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print them as JSON, with all fields")
    form.add_argument("--header", metavar="FILE", type=Path, help="write a C header with all registers instead")
    form.add_argument("--docs", metavar="FILE", type=Path, help="write the page of the documentation instead")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    for file, make in ((options.header, header), (options.docs, page)):
        if file:
            if options.name:
                raise BadInput(f"{file} has all registers; leave out {options.name!r}")
            file.write_text(make(), encoding="utf-8")
            return ExitStatus.PASS
    config = config_of(options)
    registers = registers_of(config)
    if options.name:
        registers = (_find(options.name, registers),)
    if options.json:
        print(json.dumps([_data(one, config) for one in registers], indent=2))
    else:
        lines = _details(registers[0], config) if options.name else _map(registers, config)
        print("\n".join(lines))
    return ExitStatus.PASS


def _find(text: str, registers: tuple[Register, ...]) -> Register:
    """The register that the user means."""
    wanted = text.upper().removeprefix(_PREFIX)
    names = {one.name: one for one in registers}
    if wanted not in names:
        near = get_close_matches(wanted, names, cutoff=0.5)
        hint = f"the nearest are {', '.join(near)}" if near else "vc4 regs lists them"
        raise BadInput(f"no register is called {text!r}; {hint}")
    return names[wanted]


def _data(one: Register, config: V3DConfig) -> dict[str, object]:
    fields = [
        {
            "name": field.name,
            "low": field.low,
            "width": field.width,
            "bits": field.width_in(config),
            "access": field.access.name.lower(),
            "guide": field.access.guide,
            "reset": field.reset_in(config),
            "description": field.description,
        }
        for field in one.fields
    ]
    return {
        "name": one.name,
        "offset": one.offset,
        "description": one.description,
        "reset": one.reset_in(config),
        "extension": one.extension,
        "fields": fields,
    }


def _guide(one: Register) -> str:
    """What the guide would call the access to all of its fields."""
    letters = {letter for field in one.fields for letter in field.access.guide.split("/")}
    return "/".join(sorted(letters))


def _place(field: Field) -> str:
    return str(field.low) if field.width == 1 else f"{field.high}:{field.low}"


def _map(registers: tuple[Register, ...], config: V3DConfig) -> Iterator[str]:
    width = max(len(one.name) for one in registers)
    yield f"offset  {'name':{width}}  access  reset       "
    for one in registers:
        reset = one.reset_in(config)
        yield f"0x{one.offset:03x}   {one.name:{width}}  {_guide(one):6}  0x{reset:08x}  {one.description}"
    yield ""
    yield "source  of performance counters"
    width = max(len(source.name) for source in SOURCES)
    for source in SOURCES:
        yield f"{source.number:6}  {source.name:{width}}  {source.description}"


def _details(one: Register, config: V3DConfig) -> Iterator[str]:
    yield f"{one.name} at 0x{one.offset:03x}: {one.description}"
    yield f"reset 0x{one.reset_in(config):08x}" + ("; not on the chip" if one.extension else "")
    rows = [("bits", "field", "access", "reset", "")]
    rows += [
        (_place(field), field.name, field.access.name.lower(), f"{field.reset_in(config):#x}", field.description)
        for field in one.fields
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        yield "  ".join([*(f"{text:{width}}" for text, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
    for access in sorted({field.access for field in one.fields}, key=lambda access: access.name):
        yield f"{access.name.lower()}: {access.description}"


def header() -> str:
    """All registers for C: offsets, places of fields, numbers of the sources of performance counters."""
    lines = ["/* Registers of the VideoCore IV 3D, made by `vc4 regs --header`. */", "#ifndef V3D_REGISTERS_H"]
    lines += ["#define V3D_REGISTERS_H"]
    for one in REGISTERS:
        lines += ["", f"/* {one.description} */", f"#define {_PREFIX}{one.name} 0x{one.offset:03x}"]
        for field in one.fields:
            name = f"{_PREFIX}{one.name}_{field.name}"
            lines += [f"#define {name}_SHIFT {field.low}", f"#define {name}_MASK 0x{field.mask:08x}u"]
    lines += ["", "/* what PCTRSn selects */"]
    lines += [f"#define {_PREFIX}SOURCE_{source.name} {source.number}" for source in SOURCES]
    return "\n".join([*lines, "", "#endif", ""])


def page() -> str:
    """The page of the documentation, in Markdown."""
    lines = [_INTRODUCTION.rstrip()]
    lines += [f"| {access.name.lower()} | {access.guide} | {access.description} |" for access in Access]
    for title, group in GROUPS.items():
        lines += ["", f"## {title}", ""]
        if any(one.extension for one in group):
            lines += [_EXTENSION]
        lines += ["| offset | register | bits | field | access | reset | meaning |", "|---|---|---|---|---|---|---|"]
        lines += [row for one in sorted(group, key=lambda one: one.offset) for row in _rows(one)]
    lines += ["", "## Sources of performance counters", "", "| number | source | what is counted |", "|---|---|---|"]
    lines += [f"| {source.number} | {source.name} | {source.description} |" for source in SOURCES]
    return "\n".join([*lines, ""])


def _rows(one: Register) -> Iterator[str]:
    """A row for the register, and one for each field unless it is as good as the register."""
    star = "*" if any(callable(field.reset) for field in one.fields) else ""
    yield f"| 0x{one.offset:03x} | **{one.name}** | | | | 0x{one.reset_in(_REFERENCE):08x}{star} | {one.description} |"
    for field in one.fields:
        star = "*" if callable(field.reset) else ""
        cells = (_place(field), field.name, field.access.name.lower(), f"{field.reset_in(_REFERENCE):#x}{star}")
        yield f"| | | {' | '.join(cells)} | {field.description} |"

"""The registers as hardware sees them: signatures made from the table, so that blocks are wired by name.

Each has a member for a register, and that has one for a field; fields that a configuration does not have are left out.
"""

from collections.abc import Callable, Iterable, Iterator

from amaranth.hdl import unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES
from vc4.regs.register import Field, Reads, Register, Writes

__all__ = [
    "connect_registers",
    "events_layout",
    "fields_layout",
    "live_signature",
    "values_signature",
    "written_signature",
]


def _is_held(field: Field) -> bool:
    return field.access.writes is Writes.HELD


def _is_live(field: Field) -> bool:
    return field.access.reads is Reads.LIVE


def _is_told(field: Field) -> bool:
    return field.access.writes in (Writes.VALUE, Writes.ONES, Writes.LOWEST)


def values_signature(registers: Iterable[Register], config: V3DConfig) -> wiring.Signature:
    """What the fields hold that keep what is written."""
    return wiring.Signature(dict(_members(registers, config, _is_held)))


def live_signature(registers: Iterable[Register], config: V3DConfig) -> wiring.Signature:
    """What the fields read whose state is elsewhere; those that nobody drives read their reset value."""
    return wiring.Signature(dict(_members(registers, config, _is_live)))


def written_signature(registers: Iterable[Register], config: V3DConfig) -> wiring.Signature:
    """Writes to fields whose state is elsewhere, in the clock of the write.

    Of a register `stb` says that it is written. A field that takes a value has that of the write then. A field whose ones
    act has them then, and 0 in all other clocks; of a field whose lowest bit acts that is the only one.
    """
    members = {}
    for register, fields in _chosen(registers, config, _is_told):
        widths = {field.name: 1 if field.access.writes is Writes.LOWEST else field.width_in(config) for field in fields}
        members[register.name] = Out(data.StructLayout({"stb": 1, **widths}))
    return wiring.Signature(members)


def connect_registers(m, registers, block) -> None:
    """Connects those of a block, its `written` and `live`, to those of all."""
    for name in block.written.signature.members:
        m.d.comb += getattr(block.written, name).eq(getattr(registers.written, name))
    for name in block.live.signature.members:
        m.d.comb += getattr(registers.live, name).eq(getattr(block.live, name))


def fields_layout(register: Register, config: V3DConfig) -> data.StructLayout:
    """All fields of a register, without the gaps between them."""
    return data.StructLayout({field.name: unsigned(field.width_in(config)) for field in register.fields})


def events_layout(config: V3DConfig) -> data.StructLayout:
    """How many events of each source of the performance counters a clock has."""
    return data.StructLayout({source.name: range(source.most(config) + 1) for source in SOURCES})


def _members(registers, config, wanted) -> Iterator[tuple[str, wiring.Member]]:
    for register, fields in _chosen(registers, config, wanted):
        layout = data.StructLayout({field.name: unsigned(field.width_in(config)) for field in fields})
        yield register.name, Out(layout, init={field.name: field.reset_in(config) for field in fields})


def _chosen(
    registers: Iterable[Register], config: V3DConfig, wanted: Callable[[Field], bool]
) -> Iterator[tuple[Register, list[Field]]]:
    """The registers with fields that are wanted, and those fields."""
    for register in registers:
        fields = [field for field in register.fields if wanted(field) and field.width_in(config)]
        if fields:
            yield register, fields

"""What the table of registers says, as the host sees it (guide, section 10)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from vc4.config import V3DConfig
from vc4.regs.register import WORD_BITS, Field, Reads, Register, Writes
from vc4.regs.table import OFFSET_BITS, register, registers_of

__all__ = ["Block", "RegisterFile"]

_WORD = (1 << WORD_BITS) - 1
#: Offsets: their low bits do not count, and after the last register it begins anew.
_OFFSETS = (1 << OFFSET_BITS) - 4


class Block(Protocol):
    """What is behind registers.

    registers : names of those that it has
    """

    registers: Sequence[str]

    def live(self, name: str) -> Mapping[str, int]:
        """What the fields of a register read that are state of the block; those that are left out read their reset value."""
        ...

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """A register is written: all its fields that can be, of those whose lowest bit acts only that."""
        ...


class RegisterFile:
    """All registers of a configuration, with `blocks` behind them.

    It keeps the fields whose access is `READ_WRITE`; all other state is with the blocks, which are told of every write, and at
    first of what their registers hold after a reset.
    """

    def __init__(self, config: V3DConfig, blocks: Iterable[Block]):
        self._config = config
        self._registers = {one.offset: one for one in registers_of(config)}
        self._blocks = {name: block for block in blocks for name in block.registers}
        self._held: dict[tuple[str, str], int] = {}
        for one in self._registers.values():
            if all(field.access.writes is Writes.HELD for field in one.fields):
                self.write(one.offset, one.reset_in(config))

    def read(self, where: str | int) -> int:
        """A register, by name or offset, as the host reads it; 0 where there is none."""
        one = self._find(where)
        if one is None:
            return 0
        block = self._blocks.get(one.name)
        live = block.live(one.name) if block else {}
        return sum((self._value(one, field, live) & self._mask(field)) << field.low for field in one.fields)

    def write(self, where: str | int, word: int) -> None:
        """A register, by name or offset, as the host writes it; nothing happens where there is none."""
        one = self._find(where)
        if one is None:
            return
        fields = {}
        for field in one.fields:
            value = (word & _WORD) >> field.low & self._mask(field)
            if field.access.writes is Writes.HELD:
                self._held[one.name, field.name] = value
            if field.access.writes is not Writes.NOTHING and field.width_in(self._config):
                fields[field.name] = value & 1 if field.access.writes is Writes.LOWEST else value
        block = self._blocks.get(one.name)
        if block and fields:
            block.written(one.name, fields)

    def _find(self, where: str | int) -> Register | None:
        """A register that the configuration has. Raises `KeyError` for a name that none has."""
        return self._registers.get(register(where).offset if isinstance(where, str) else where & _OFFSETS)

    def _mask(self, field: Field) -> int:
        return (1 << field.width_in(self._config)) - 1

    def _value(self, one: Register, field: Field, live: Mapping[str, int]) -> int:
        """What a field reads."""
        match field.access.reads:
            case Reads.ZERO:
                return 0
            case Reads.HELD:
                return self._held[one.name, field.name]
            case Reads.LIVE if field.name in live:
                return live[field.name]
            case _:
                return field.reset_in(self._config)

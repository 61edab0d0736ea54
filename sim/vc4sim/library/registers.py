"""The registers of a GPU, as a host sees them."""

from collections.abc import Callable, Iterator, Mapping

from vc4.regs.register import WORD_BITS, Register
from vc4.regs.table import REGISTERS

from ..problem import BadInput

__all__ = ["Registers"]

_BY_NAME = {one.name: one for one in REGISTERS}
_WORDS = range(1 << WORD_BITS)


class Registers:
    """Registers by the names of the guide, without `V3D_`, and their fields: `registers["IDENT1"]` is a word of 32 bits,
    `registers["IDENT1", "NSLC"]` a field of it.

    Each run begins with a GPU that was reset, in front of the memory as it is. What is written here is what the host writes before the
    programs of the next runs, in the order in which it was written. What is read is what the registers held when the last run had
    ended, and before the first one, after a reset. Those with which programs are started and counted belong to the run.

    Raises `BadInput` for a register or field that does not exist, and for words that do not fit.
    """

    def __init__(self, after_reset: Callable[[], Mapping[str, int]]):
        self._after_reset = after_reset
        self._held: Mapping[str, int] | None = None
        self._writes: dict[str, int] = {}

    def __getitem__(self, name: str | tuple[str, str]) -> int:
        """A register, or one of its fields."""
        one, mask, low = _find(name)
        if self._held is None:
            self._held = self._after_reset()
        return (self._held[one.name] & mask) >> low

    def __setitem__(self, name: str | tuple[str, str], value: int) -> None:
        """Write a register, or one of its fields, whose others keep what was written before, or are 0."""
        one, mask, low = _find(name)
        if not isinstance(value, int) or value << low not in _WORDS or value << low & ~mask:
            raise BadInput(f"{value!r} does not fit {' '.join(name) if isinstance(name, tuple) else name}")
        before = self._writes.pop(one.name, 0)
        self._writes[one.name] = before & ~mask | value << low

    def __iter__(self) -> Iterator[str]:
        """Names of all registers."""
        return iter(_BY_NAME)

    def clear(self) -> None:
        """Nothing is written before the next runs."""
        self._writes.clear()

    @property
    def writes(self) -> tuple[tuple[str, int], ...]:
        """Names and words, in their order: what is written before the programs of the next runs."""
        return tuple(self._writes.items())

    def see(self, held: Mapping[str, int]) -> None:
        """What they hold at the end of a run."""
        self._held = held


def _find(name: str | tuple[str, str]) -> tuple[Register, int, int]:
    """The register, the bits that are meant, and the lowest of them."""
    register, field = name if isinstance(name, tuple) else (name, None)
    if register not in _BY_NAME:
        raise BadInput(f"there is no register {register!r}: `vc4 regs` lists all")
    one = _BY_NAME[register]
    if field is None:
        return one, _WORDS[-1], 0
    fields = {each.name: each for each in one.fields}
    if field not in fields:
        raise BadInput(f"{register} has no field {field!r}: it has {', '.join(fields)}")
    return one, fields[field].mask, fields[field].low

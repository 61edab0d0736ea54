"""What the top of a board has to know of its SDRAM, and of a controller that was generated for it."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["CORE", "FAST_CLOCKS", "SdramChips", "SdramCore", "StartStep"]

#: Name of the module of the controller.
CORE = "sdram_core"
#: Clocks of the chip in one of the controller.
FAST_CLOCKS = 2


@dataclass(frozen=True)
class SdramChips:
    """The SDR SDRAM of a board.

    resource : its pins, a resource of the platform; number 0
    names : the chips that boards of this kind may have; a controller keeps to the slowest of them in each respect, and uses as
        much memory as the smallest one has
    """

    resource: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class StartStep:
    """A command to the chip before it can be used, or none, and the clocks until the next one."""

    address: int
    bank: int
    ras: bool
    cas: bool
    we: bool
    clocks: int

    @property
    def is_command(self) -> bool:
        """The chip is selected."""
        return self.ras or self.cas or self.we


@dataclass(frozen=True)
class SdramCore:
    """A controller of an SDRAM as a module `CORE` of Verilog.

    verilog : the module
    size : bytes of memory
    word_bytes : bytes that a command of it reads or writes
    address_bits, bank_bits, data_bits : pins of the chip
    start : commands to the chip before it can be used
    resource : the pins of the chip, a resource of the platform; `None` if a model of the chip is in the controller
    """

    verilog: str
    size: int
    word_bytes: int
    address_bits: int
    bank_bits: int
    data_bits: int
    start: Sequence[StartStep]
    resource: str | None

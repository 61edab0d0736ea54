"""Random values, conditions and addresses."""

import random

from vc4.isa.ops import Condition, LoadMode, Signal
from vc4.isa.registers import ACCUMULATOR_BASE, FILE_REGISTERS, NOP, READ, read_address, write_address
from vc4.isa.sfu_tables import SfuFunction

__all__ = [
    "LOAD_MODES",
    "SEMAPHORE_MODES",
    "SIGNALS",
    "SWITCHES",
    "condition",
    "destination",
    "own_destination",
    "random_value",
    "source",
]

#: Values that reach corners of the arithmetic.
_CORNERS = (
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x3F800000,
    0xBF800000, 0x3F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x00800000, 0x007FFFFF, 0x80800000, 0x3C00,
    0xBC00, 0x7C00, 0x4B000000, 0x4F000000, 0xCF000000, 0x38800000, 0x477FE000, 0x437F0000, 0x3B808081,
)  # fmt: skip

#: Read addresses of each file that need nothing but the QPU, or the state of a store, which is the same on both sides.
_INPUTS = tuple(
    tuple(
        address
        for address in range(FILE_REGISTERS, 64)
        if address not in READ or READ[address][file].unit in ("qpu", "uniforms", "vdw", "vdr")
    )
    for file in range(2)
)
_SFU = tuple(write_address(function.name.lower()) for function in SfuFunction)
_PLAIN_WRITES = (NOP, *(write_address(name) for name in ("vpm", "vpm", "irq", "quad_x")), *_SFU)
_ACCUMULATORS = (*range(ACCUMULATOR_BASE, ACCUMULATOR_BASE + 4), write_address("r5quad"))
#: Signals that change nothing else; most often none.
SIGNALS = (*(Signal.NONE,) * 4, Signal.WAIT_SCOREBOARD, Signal.UNLOCK_SCOREBOARD, Signal.BREAKPOINT)
_UNIFORM = read_address("unif")
SWITCHES = (Signal.THREAD_SWITCH, Signal.LAST_THREAD_SWITCH)
LOAD_MODES = tuple(mode for mode in LoadMode if mode.value < LoadMode.SEMAPHORE.value)
SEMAPHORE_MODES = tuple(mode for mode in LoadMode if mode.value >= LoadMode.SEMAPHORE.value)


def random_value(random_: random.Random) -> int:
    """A word: a corner, a float around 1, a small number, or anything."""
    kind = random_.randrange(4)
    if kind == 0:
        return random_.choice(_CORNERS)
    if kind == 1:
        return random_.getrandbits(1) << 31 | random_.randrange(110, 145) << 23 | random_.getrandbits(23)
    return random_.randrange(-64, 64) & 0xFFFF_FFFF if kind == 2 else random_.getrandbits(32)


def condition(random_: random.Random) -> Condition:
    """Any condition; always a little more often."""
    return random_.choice((Condition.ALWAYS, *Condition))


def destination(random_: random.Random, registers: tuple[int, ...]) -> int:
    """A write address that needs no set-up; of the register files only those of `registers`."""
    kind = random_.randrange(10)
    if kind < 4:
        return random_.choice(registers)
    return random_.choice(_ACCUMULATORS if kind < 8 else _PLAIN_WRITES)


def own_destination(random_: random.Random, registers: tuple[int, ...]) -> int:
    """A write address that nothing outside of the QPU has to do with."""
    return random_.choice(random_.choice((registers, _ACCUMULATORS, (NOP,))))


def source(random_: random.Random, file: int) -> int:
    """A read address of a file; nothing and the uniforms are the most frequent of those that are no registers."""
    kind = random_.randrange(10)
    if kind < 6:
        return random_.randrange(FILE_REGISTERS)
    return random_.choice(_INPUTS[file]) if kind < 8 else random_.choice((NOP, _UNIFORM))

"""Halt, run and step of QPUs, and their interrupts (guide, tables 73 and 74; addendum, section 10).

Of some registers nothing is known but name and place: they read a constant.
"""

from .register import WORD_BITS, Access, Field, Register, each_qpu

__all__ = ["DEBUG"]

_MOST_QPUS = 16


def _undocumented(name: str, offset: int, reset: int = 0) -> Register:
    field = Field(name, 0, WORD_BITS, Access.CONSTANT, "unknown", reset=reset)
    return Register(name, offset, "debugging, undocumented", (field,))


def _qpus(name: str, offset: int, what: str, field: str, access: Access, description: str, **more) -> Register:
    """A register with one bit for each QPU."""
    bits = Field(field, 0, _MOST_QPUS, access, f"{description}; one bit a QPU", bits=each_qpu, **more)
    return Register(name, offset, what, (bits,))


DEBUG = (
    Register(
        "DBCFG",
        0xE00,
        "debugging of QPUs",
        (Field("ENABLE", 0, 1, Access.READ_WRITE, "halt, run and step work, and interrupts of QPUs arrive"),),
    ),
    _undocumented("DBSCS", 0xE04),
    _undocumented("DBSCFG", 0xE08, reset=0x3F),
    _undocumented("DBSSR", 0xE0C),
    *(_undocumented(f"DBSDR{number}", 0xE10 + 4 * number) for number in range(4)),
    _qpus(
        "DBQRUN",
        0xE20,
        "debugging of QPUs: run",
        "RUN_QPU",
        Access.WRITE_1_SETS,
        "is not halted; 1: go on",
        reset=lambda config: (1 << each_qpu(config)) - 1,
    ),
    _qpus("DBQHLT", 0xE24, "debugging of QPUs: halt", "HLT_QPU", Access.WRITE_1_SETS, "is halted; 1: halt"),
    _qpus("DBQSTP", 0xE28, "debugging of QPUs: step", "STP_QPU", Access.STROBE, "one instruction of a halted QPU"),
    _qpus("DBQITE", 0xE2C, "interrupts of QPUs: enable", "IE_QPU", Access.READ_WRITE, "enables"),
    _qpus("DBQITC", 0xE30, "interrupts of QPUs: which have come", "IC_QPU", Access.WRITE_1_CLEARS, "has come"),
    *(_undocumented(name, 0xE34 + 4 * place) for place, name in enumerate(("DBQGHC", "DBQGHG", "DBQGHH"))),
)

"""The way from the host to the registers."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.regs.register import WORD_BITS
from vc4.regs.table import OFFSET_BITS

__all__ = ["RegisterPort"]


class RegisterPort(wiring.Signature):
    """Host side of the registers: whole words, one read or write a clock, no waiting.

    A write takes effect with the next clock. `read_data` has the register one clock after `read_stb`, and keeps it until
    the next read. Where there is no register, reads give 0 and writes do nothing.

    Interface attributes
    --------------------
    address : offset of a register; its two low bits do not count
    read_stb, read_data : a read
    write_stb, write_data : a write
    """

    def __init__(self):
        super().__init__(
            {
                "address": Out(OFFSET_BITS),
                "read_stb": Out(1),
                "read_data": In(WORD_BITS),
                "write_stb": Out(1),
                "write_data": Out(WORD_BITS),
            }
        )

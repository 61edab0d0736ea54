"""The set-up words that a QPU writes to `vw_setup` and `vr_setup` (guide, tables 32 to 37). Low bits first.

Each name of a field is followed by the guide's name for it. A count of 0 stands for one more than the field can hold.
"""

from amaranth.hdl import Shape, unsigned
from amaranth.lib import data, enum

__all__ = [
    "SETUP_BITS",
    "DmaMode",
    "SetupId",
    "VdrBasicSetup",
    "VdrExtendedSetup",
    "VdwBasicSetup",
    "VdwStrideSetup",
    "VpmReadSetup",
    "VpmSize",
    "VpmWriteSetup",
    "setup_layout",
]

SETUP_BITS = 32


class SetupId(enum.Enum, shape=unsigned(2)):
    """What a word written to `vw_setup` sets up: its bits 31:30."""

    WRITE = 0  #: `VpmWriteSetup`
    RESERVED_1 = 1
    VDW_BASIC = 2  #: `VdwBasicSetup`
    VDW_STRIDE = 3  #: `VdwStrideSetup`


class VpmSize(enum.Enum, shape=unsigned(2)):
    """Width of an element of a vector in the VPM."""

    BYTE = 0  #: 8 bits
    HALF = 1  #: 16 bits
    WORD = 2  #: 32 bits
    RESERVED_3 = 3


class DmaMode(enum.Enum, shape=unsigned(3)):
    """Width of an element of a DMA block, and which part of a VPM word is the first."""

    WORD = 0  #: 32 bits
    EXTENDED = 1  #: in a VDR word: marks `VdrExtendedSetup`; unused in a VDW word
    HALF_0 = 2  #: 16 bits, the low half first
    HALF_1 = 3  #: 16 bits, the high half first
    BYTE_0 = 4  #: 8 bits, bits 7:0 first
    BYTE_1 = 5  #: 8 bits, bits 15:8 first
    BYTE_2 = 6  #: 8 bits, bits 23:16 first
    BYTE_3 = 7  #: 8 bits, bits 31:24 first


class VpmWriteSetup(data.Struct):
    """Vectors from the QPU into the VPM (table 32)."""

    address: unsigned(8)  #: ADDR: first vector; {Y} or {Y[5:4], X}, then the half or byte of a narrow one
    size: VpmSize  #: SIZE
    laned: unsigned(1)  #: LANED: a narrow vector takes one lane of each word; nothing if SIZE is WORD
    horizontal: unsigned(1)  #: HORIZ: 1: along a row, 0: down a column
    stride: unsigned(6)  #: STRIDE: added to the address after every vector; 0: 64
    unused: unsigned(12)
    id: SetupId  #: ID: WRITE


class VpmReadSetup(data.Struct):
    """Vectors from the VPM to the QPU (table 33)."""

    address: unsigned(8)  #: ADDR: as in `VpmWriteSetup`
    size: VpmSize  #: SIZE
    laned: unsigned(1)  #: LANED
    horizontal: unsigned(1)  #: HORIZ: 1: along a row, 0: down a column
    stride: unsigned(6)  #: STRIDE: added to the address after every vector; 0: 64
    unused: unsigned(2)
    count: unsigned(4)  #: NUM: vectors to read; 0: 16
    reserved: unsigned(6)
    id: unsigned(2)  #: ID: 0


class VdwBasicSetup(data.Struct):
    """The block that a DMA store moves (table 34)."""

    mode: DmaMode  #: MODEW
    column: unsigned(4)  #: VPMBASE X: column of the first word
    row: unsigned(7)  #: VPMBASE Y: row of the first word
    horizontal: unsigned(1)  #: HORIZ: 1: a unit runs along a row, 0: down a column
    laned: unsigned(1)  #: LANED: to be written as 0
    depth: unsigned(7)  #: DEPTH: elements of a unit; 0: 128
    units: unsigned(7)  #: UNITS: rows of the block in memory; 0: 128
    id: SetupId  #: ID: VDW_BASIC


class VdwStrideSetup(data.Struct):
    """The pitch of a DMA store (table 35; the width of STRIDE is the addendum's, the guide has 13 bits)."""

    stride: unsigned(16)  #: STRIDE: bytes from the end of a unit to the start of the next one in memory
    block_mode: unsigned(1)  #: BLOCKMODE: 1: units are packed in the VPM, 0: each starts a row or column
    unused: unsigned(13)
    id: SetupId  #: ID: VDW_STRIDE


class VdrBasicSetup(data.Struct):
    """The block that a DMA load moves (table 36)."""

    column: unsigned(4)  #: ADDRXY X: column of the first word
    row: unsigned(7)  #: ADDRXY Y: row of the first word
    vertical: unsigned(1)  #: VERT: 0: a row of memory goes along a row, 1: down a column
    row_pitch: unsigned(4)  #: VPITCH: added to Y, and to the half or byte, after every row; 0: 16
    rows: unsigned(4)  #: NROWS: rows of the block in memory; 0: 16
    row_length: unsigned(4)  #: ROWLEN: elements of a row; 0: 16
    memory_pitch: unsigned(4)  #: MPITCH: rows start 8 << MPITCH bytes apart; 0: take `VdrExtendedSetup.pitch`
    mode: DmaMode  #: MODEW; EXTENDED: the word is a `VdrExtendedSetup`
    id: unsigned(1)  #: ID: 1


class VdrExtendedSetup(data.Struct):
    """The pitch of a DMA load where it is no power of two (table 37)."""

    pitch: unsigned(13)  #: MPITCHB: bytes from the start of a row to the start of the next one in memory
    unused: unsigned(15)
    id: unsigned(4)  #: ID: 9


for _layout in (VpmWriteSetup, VpmReadSetup, VdwBasicSetup, VdwStrideSetup, VdrBasicSetup, VdrExtendedSetup):
    assert Shape.cast(_layout).width == SETUP_BITS


def setup_layout(register: str, word: int) -> type[data.Struct] | None:
    """What a `word` is that is written to `register`, `vw_setup` or `vr_setup`; `None`: nothing that is known."""
    kind = word >> 30
    if register == "vw_setup":
        return {0: VpmWriteSetup, 2: VdwBasicSetup, 3: VdwStrideSetup}.get(kind)
    if kind < 2:
        return None if kind else VpmReadSetup
    return VdrExtendedSetup if word >> 28 & 7 == DmaMode.EXTENDED.value else VdrBasicSetup

"""Random set-up words for the VPM and its DMA engines."""

import random

from vc4.records.vpm import (
    DmaMode,
    SetupId,
    VdrBasicSetup,
    VdrExtendedSetup,
    VdwBasicSetup,
    VdwStrideSetup,
    VpmReadSetup,
    VpmSize,
    VpmWriteSetup,
)

__all__ = [
    "LOAD_BYTES",
    "load_setup",
    "load_pitch",
    "read_setup",
    "row_setup",
    "store_setup",
    "store_stride",
    "write_setup",
]

#: Bytes of memory from its address on that a load reads, at the most.
LOAD_BYTES = 2048
_MOST_ROWS, _MOST_PITCH, _MOST_CODE = 8, 250, 4
assert (_MOST_ROWS - 1) * max(_MOST_PITCH, 8 << _MOST_CODE) + 64 <= LOAD_BYTES
_MOST_UNITS, _MOST_DEPTH = 8, 16


def _vectors(random_: random.Random) -> dict:
    """A mode, an address and a stride; one mode of sixteen is reserved."""
    size = VpmSize.RESERVED_3 if random_.random() < 1 / 16 else random_.choice(list(VpmSize)[:3])
    return {
        "address": random_.getrandbits(8),
        "size": size,
        "laned": random_.getrandbits(1),
        "horizontal": random_.getrandbits(1),
        "stride": random_.choice((0, 1, random_.getrandbits(6))),
    }


def write_setup(random_: random.Random) -> int:
    """Vectors to anywhere."""
    return VpmWriteSetup.const({**_vectors(random_), "id": SetupId.WRITE}).as_bits()


def read_setup(random_: random.Random, count: int) -> int:
    """`count` vectors from anywhere."""
    return VpmReadSetup.const({**_vectors(random_), "count": count % 16}).as_bits()


def row_setup(row: int, count: int = 0) -> int:
    """Vectors of words, all of them in one row: a set-up of writes, or of reads if there is a `count`."""
    return count % 16 << 20 | VpmWriteSetup.const({"address": row, "size": VpmSize.WORD, "horizontal": 1}).as_bits()


def _mode(random_: random.Random) -> DmaMode:
    return random_.choice((DmaMode.WORD, DmaMode.WORD, *DmaMode))


def store_setup(random_: random.Random) -> int:
    """A block of up to eight units of sixteen elements, from anywhere."""
    fields = {
        "mode": _mode(random_),
        "row": random_.randrange(random_.choice((48, 128))),
        "column": random_.choice((0, random_.randrange(16))),
        "horizontal": random_.random() < 0.7,
        "laned": random_.random() < 0.1,
        "depth": random_.randrange(1, _MOST_DEPTH + 1),
        "units": random_.randrange(1, _MOST_UNITS + 1),
        "id": SetupId.VDW_BASIC,
    }
    return VdwBasicSetup.const(fields).as_bits()


def store_stride(random_: random.Random) -> int:
    """Up to 127 bytes between units, which are seldom packed in the VPM."""
    stride = random_.choice((4 * random_.randrange(32), random_.randrange(128)))
    fields = {"stride": stride, "block_mode": random_.random() < 0.2, "id": SetupId.VDW_STRIDE}
    return VdwStrideSetup.const(fields).as_bits()


def load_setup(random_: random.Random, rows: range | None = None) -> int:
    """A block of up to eight rows, to anywhere; or one row of words, to one of `rows`."""
    if rows is not None:
        fields = {"rows": 1, "row_length": random_.getrandbits(4), "row": random_.choice(rows), "id": 1}
        return VdrBasicSetup.const(fields | {"memory_pitch": 3}).as_bits()
    fields = {
        "mode": random_.choice([mode for mode in DmaMode if mode is not DmaMode.EXTENDED]),
        "row": random_.randrange(random_.choice((48, 128))),
        "column": random_.choice((0, random_.randrange(16))),
        "vertical": random_.getrandbits(1),
        "row_pitch": random_.choice((1, random_.getrandbits(4))),
        "rows": random_.randrange(1, _MOST_ROWS + 1),
        "row_length": random_.getrandbits(4),
        "memory_pitch": random_.randrange(_MOST_CODE + 1),
        "id": 1,
    }
    return VdrBasicSetup.const(fields).as_bits()


def load_pitch(random_: random.Random) -> int:
    """Any pitch up to a few rows."""
    return VdrExtendedSetup.const({"pitch": random_.randrange(_MOST_PITCH), "id": 9}).as_bits()

"""Identification, scratch, control of the caches, interrupts of the pipeline (guide, tables 71, 72, 75 to 81)."""

from vc4.config import V3DConfig
from vc4.isa.sync import SEMAPHORES

from .register import WORD_BITS, Access, Field, Register, each_slice

__all__ = ["CACHES", "IDENTITY", "INTERRUPTS"]

_MOST_SLICES = 4
_CONSTANT = Access.CONSTANT


def _vpm_size(config: V3DConfig) -> int:
    """16 KiB read as 0: the field has four bits."""
    return config.vpm_kib % 16


IDENTITY = (
    Register(
        "IDENT0",
        0x000,
        "identification: what this is",
        (
            Field("IDSTR", 0, 24, _CONSTANT, '"V3D", the first letter lowest', reset=int.from_bytes(b"V3D", "little")),
            Field("TVER", 24, 8, _CONSTANT, "version of the technology", reset=2),
        ),
    ),
    Register(
        "IDENT1",
        0x004,
        "identification: configuration A",
        (
            Field("REV", 0, 4, _CONSTANT, "revision", reset=1),
            Field("NSLC", 4, 4, _CONSTANT, "slices", reset=lambda config: config.slices),
            Field("QUPS", 8, 4, _CONSTANT, "QPUs of a slice", reset=lambda config: config.qpus_per_slice),
            Field("TUPS", 12, 4, _CONSTANT, "TMUs of a slice", reset=lambda config: config.tmus_per_slice),
            Field("NSEM", 16, 8, _CONSTANT, "semaphores", reset=SEMAPHORES),
            Field("HDRT", 24, 4, _CONSTANT, "1: tile buffer of half floats", reset=1),
            Field("VPMSZ", 28, 4, _CONSTANT, "size of the VPM in KiB; 0: 16", reset=_vpm_size),
        ),
    ),
    Register(
        "IDENT2",
        0x008,
        "identification: configuration B",
        (
            Field("VRISZ", 0, 4, _CONSTANT, "memory of the VRI; 0: half, 1: full size", reset=1),
            Field("TLBSZ", 4, 4, _CONSTANT, "size of the tile buffer; 0: a quarter, 1: half, 2: full", reset=2),
            Field("TLBDB", 8, 4, _CONSTANT, "1: the tile buffer can be two of half the size", reset=1),
        ),
    ),
    Register(
        "IDENT3",
        0x00C,
        "identification, undocumented",
        (Field("IDENT3", 0, WORD_BITS, _CONSTANT, "unknown"),),
    ),
    Register(
        "SCRATCH",
        0x010,
        "for any use of the host",
        (Field("SCRATCH", 0, WORD_BITS, Access.READ_WRITE, "does nothing"),),
    ),
)


def _clears(name: str, low: int, cache: str) -> Field:
    return Field(name, low, _MOST_SLICES, Access.STROBE, f"clears the {cache}; one bit a slice", bits=each_slice)


CACHES = (
    Register(
        "L2CACTL",
        0x020,
        "control of the level 2 cache",
        (
            Field("L2CENA", 0, 1, Access.WRITE_1_SETS, "the cache is enabled; 1: enable it", reset=1),
            Field("L2CDIS", 1, 1, Access.STROBE, "disable the cache"),
            Field("L2CCLR", 2, 1, Access.STROBE, "clear the cache"),
        ),
    ),
    Register(
        "SLCACTL",
        0x024,
        "control of the caches of the slices",
        (
            _clears("ICCS", 0, "instruction cache"),
            _clears("UCCS", 8, "uniforms cache"),
            _clears("T0CCS", 16, "cache of TMU 0"),
            _clears("T1CCS", 24, "cache of TMU 1"),
        ),
    ),
)

_CAUSES = (
    ("FRDONE", "all tiles of a frame are in memory"),
    ("FLDONE", "binning is done, all tile lists are in memory"),
    ("OUTOMEM", "the binner needs more memory; comes again while it does"),
    ("SPILLUSE", "the binner has begun to use the overspill memory"),
)


def _causes(prefix: str, access: Access, doing: str) -> tuple[Field, ...]:
    """A bit for each interrupt of the pipeline."""
    return tuple(
        Field(f"{prefix}_{name}", bit, 1, access, f"{doing}{what}") for bit, (name, what) in enumerate(_CAUSES)
    )


INTERRUPTS = (
    Register(
        "INTCTL",
        0x030,
        "interrupts of the pipeline: which have come",
        _causes("INT", Access.WRITE_1_CLEARS, ""),
    ),
    Register(
        "INTENA",
        0x034,
        "interrupts of the pipeline: enables; reads which are enabled",
        _causes("EI", Access.WRITE_1_SETS, "enables: "),
    ),
    Register(
        "INTDIS",
        0x038,
        "interrupts of the pipeline: disables; reads which are enabled",
        _causes("DI", Access.WRITE_1_CLEARS, "disables: "),
    ),
)

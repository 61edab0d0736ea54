"""Configuration of the GPU: every size that a user may choose, checked, with named presets."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from vc4.errata import Erratum, errata_of

__all__ = ["BUILT_UNITS", "MAX_QPUS", "MOST_VPM_ROWS", "PRESETS", "V3DConfig", "preset"]

#: Services of `vc4.isa.registers` that the hardware has; an instruction that needs another one waits for ever.
BUILT_UNITS = frozenset(
    {
        "uniforms",
        "vpm_read",
        "vpm_write",
        "vdr",
        "vdw",
        "sfu",
        "mutex",
        "semaphore",
        "threads",
        "breakpoint",
        "tmu",
    }
)
#: Those of them that a configuration may lack.
_TMU_UNITS = frozenset({"tmu"})

#: Most slices, and most QPUs of a slice (guide, V3D_SLCACTL and V3D_SQRSV0).
_MAX_SLICES, _MAX_QPUS_PER_SLICE = 4, 4
MAX_QPUS = _MAX_SLICES * _MAX_QPUS_PER_SLICE
_VPM_KIB, _ROWS_PER_KIB = (4, 8, 12, 16), 16
#: Most rows of the vertex pipe memory.
MOST_VPM_ROWS = max(_VPM_KIB) * _ROWS_PER_KIB


@dataclass(frozen=True, kw_only=True)
class V3DConfig:
    """One GPU.

    slices : 1 to 4
    qpus_per_slice : 1 to 4
    tmus_per_slice : texture units of a slice, 0 to 2
    vpm_kib : size of the vertex pipe memory in KiB, 4 to 16
    lists : build what executes control lists; without it the host starts programs by themselves
    binner : build what writes tile lists; not without `lists`
    pixels : build what draws primitives of control lists; not without `lists`
    lanes : pixels of which the front end finds Z and W in a clock, 1 or 4
    early_z : build early Z; not without `pixels`
    memory_windows : build the windows outside of which the GPU cannot reach memory
    errata : faults of a chip that it has, too: the name of the chip, or some of `Erratum`, see `errata_of`; kept in their order
    trace : build the trace ports that tell every retired instruction, and the counters of stalls; simulation only

    Raises `ValueError` for a value out of range.
    """

    slices: int = 1
    qpus_per_slice: int = 1
    tmus_per_slice: int = 0
    vpm_kib: int = 4
    lists: bool = False
    binner: bool = False
    pixels: bool = False
    lanes: int = 1
    early_z: bool = False
    memory_windows: bool = False
    errata: str | Collection[Erratum] = ()
    trace: bool = False

    def __post_init__(self) -> None:
        for name, values in (
            ("slices", range(1, _MAX_SLICES + 1)),
            ("qpus_per_slice", range(1, _MAX_QPUS_PER_SLICE + 1)),
            ("tmus_per_slice", range(3)),
            ("vpm_kib", _VPM_KIB),
            ("lanes", (1, 4)),
        ):
            value = getattr(self, name)
            if value not in values:
                *most, last = values
                raise ValueError(f"{name} must be {', '.join(map(str, most))} or {last}, not {value!r}")
        for name in ("binner", "pixels"):
            if getattr(self, name) and not self.lists:
                raise ValueError(f"{name} needs lists")
        if self.early_z and not self.pixels:
            raise ValueError("early Z needs pixels")
        # The same ones are the same configuration, however they were given, also in its text.
        object.__setattr__(self, "errata", tuple(sorted(errata_of(self.errata), key=str)))

    @property
    def qpus(self) -> int:
        """QPUs of all slices."""
        return self.slices * self.qpus_per_slice

    @property
    def units(self) -> frozenset[str]:
        """The services of `BUILT_UNITS` that this GPU has."""
        return BUILT_UNITS if self.tmus_per_slice else BUILT_UNITS - _TMU_UNITS

    @property
    def faults(self) -> frozenset[Erratum]:
        """Those of `errata`, as a set."""
        return errata_of(self.errata)

    @property
    def drawing(self) -> "V3DConfig":
        """The same with all blocks of the 3D pipeline."""
        return replace(self, lists=True, binner=True, pixels=True)

    @property
    def front(self) -> "V3DConfig":
        """The same without what bins and draws: programs of users and vertices need none of it."""
        return replace(self, binner=False, pixels=False, early_z=False, lanes=1)

    @property
    def vpm_rows(self) -> int:
        """Rows of sixteen words."""
        return self.vpm_kib * _ROWS_PER_KIB


PRESETS = {
    "qpu": V3DConfig(),
    "slice": V3DConfig(qpus_per_slice=4, tmus_per_slice=1, vpm_kib=8),
    "gpu": V3DConfig(qpus_per_slice=2, tmus_per_slice=1, vpm_kib=8, lists=True, binner=True, pixels=True),
    "bcm2835": V3DConfig(
        slices=3,
        qpus_per_slice=4,
        tmus_per_slice=2,
        vpm_kib=12,
        lists=True,
        binner=True,
        pixels=True,
        early_z=True,
        lanes=4,
    ),
}


def preset(name: str) -> V3DConfig:
    """The preset `name`; `ValueError` if there is none."""
    if name not in PRESETS:
        raise ValueError(f"no preset is called {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]

"""Configuration of the GPU: every size that a user may choose, checked, with named presets."""

from dataclasses import dataclass

__all__ = ["BUILT_UNITS", "PRESETS", "V3DConfig", "preset"]

#: Services of `vc4.isa.registers` that the hardware has; an instruction that needs another one waits for ever.
BUILT_UNITS = frozenset({"uniforms", "vpm_write", "vdw", "threads", "breakpoint"})


@dataclass(frozen=True, kw_only=True)
class V3DConfig:
    """One GPU.

    vpm_kib : size of the vertex pipe memory in KiB, 4 to 16
    trace : build the trace port that tells every retired instruction, and the counters of stalls; simulation only

    Raises `ValueError` for a value out of range.
    """

    vpm_kib: int = 4
    trace: bool = False

    def __post_init__(self) -> None:
        if self.vpm_kib not in (4, 8, 12, 16):
            raise ValueError(f"vpm_kib must be 4, 8, 12 or 16, not {self.vpm_kib!r}")

    @property
    def vpm_rows(self) -> int:
        """Rows of sixteen words."""
        return self.vpm_kib * 16


PRESETS = {"qpu": V3DConfig()}


def preset(name: str) -> V3DConfig:
    """The preset `name`; `ValueError` if there is none."""
    if name not in PRESETS:
        raise ValueError(f"no preset is called {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]

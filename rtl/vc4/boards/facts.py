"""The configuration of a GPU as two numbers, by which a board tells a host what it has."""

from typing import NamedTuple

from vc4.config import V3DConfig
from vc4.errata import Erratum

__all__ = ["CONFIG_FIELDS", "ConfigField", "config_of", "config_words"]


class ConfigField(NamedTuple):
    """Bits of the fact CONFIG: a field of `V3DConfig`, the lowest bit, and how many there are."""

    name: str
    low: int
    width: int


CONFIG_FIELDS = tuple(
    ConfigField(*row)
    for row in (
        ("slices", 0, 4),
        ("qpus_per_slice", 4, 4),
        ("tmus_per_slice", 8, 4),
        ("lanes", 12, 4),
        ("vpm_kib", 16, 8),
        ("lists", 24, 1),
        ("binner", 25, 1),
        ("pixels", 26, 1),
        ("early_z", 27, 1),
        ("memory_windows", 28, 1),
    )
)


def config_words(config: V3DConfig) -> tuple[int, int]:
    """The facts CONFIG and ERRATA of a configuration; trace ports do not show."""
    sizes = sum(int(getattr(config, field.name)) << field.low for field in CONFIG_FIELDS)
    return sizes, sum(1 << bit for bit, erratum in enumerate(Erratum) if erratum in config.faults)


def config_of(sizes: int, errata: int) -> V3DConfig:
    """The other way round. Raises `ValueError` for what no configuration is."""
    values = {field.name: sizes >> field.low & (1 << field.width) - 1 for field in CONFIG_FIELDS}
    flags = {field.name: bool(values[field.name]) for field in CONFIG_FIELDS if field.width == 1}
    return V3DConfig(**(values | flags), errata=[one for bit, one in enumerate(Erratum) if errata >> bit & 1])

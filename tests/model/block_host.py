"""The host of a block that is alone."""

from functools import lru_cache

from vc4.config import preset
from vc4sim.model.host.register_file import Block, RegisterFile


@lru_cache(8)
def host_of(block: Block) -> RegisterFile:
    """Its registers, always the same ones."""
    return RegisterFile(preset("bcm2835"), [block])

"""Where a random program lies."""

from dataclasses import dataclass

from .textures import Texture

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program lies, its uniforms, and the memory into which it writes; byte addresses.

    textures : what it samples, if there are texture units
    beside : somebody writes to other memory meanwhile, so it looks up nothing there
    """

    base: int
    uniforms: int
    output: int
    textures: tuple[Texture, ...] = ()
    beside: bool = False

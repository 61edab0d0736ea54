"""How a texture is looked up."""

from dataclasses import dataclass

from vc4.records.tmu import MagnificationFilter, MinificationFilter, Wrap

__all__ = ["Sampling"]


@dataclass(frozen=True, slots=True)
class Sampling:
    """Filters and wrap modes; `border` is red, green, blue and alpha."""

    wrap_s: Wrap = Wrap.REPEAT
    wrap_t: Wrap = Wrap.REPEAT
    magnification: MagnificationFilter = MagnificationFilter.NEAREST
    minification: MinificationFilter = MinificationFilter.NEAREST
    border: tuple[int, int, int, int] = (0, 0, 0, 0)

"""Asks the model or the RTL."""

import struct

from vc4.config import preset

from ..backends.base import Launch
from ..clist import new_capture
from ..library.draw import draw
from ..library.execute import Setup, execute
from ..library.result import DidNotEnd
from ..model.memory import Memory
from ..model.v3d import V3D
from ..workload import Workload
from .image import Start
from .question import Answer, Question

__all__ = ["BASE", "ask", "identity"]

#: Where the memory of a question begins.
BASE = 0x1_0000
_ROW = 16
_CHIP = "bcm2835"


def identity() -> tuple[int, ...]:
    """What IDENT0 to IDENT2 read: the GPU of the chip, whatever configuration is asked."""
    chip = V3D(preset(_CHIP), Memory(0))
    return tuple(chip.read(name) for name in ("IDENT0", "IDENT1", "IDENT2"))


def ask(question: Question, setup: Setup = Setup(), base: int = BASE) -> Answer:
    """The answer of an engine, with the memory of the question at an address, a multiple of `image.PAGE`."""
    image = question.image
    if image.start is Start.LIST:
        return _drawn(question, setup, base)
    workload = Workload(
        name=question.name,
        image=image.at(base),
        base=base,
        launches=(Launch(base + image.first, base + image.second),),
        code=range(base + image.first, base + image.second),
    )
    try:
        memory = execute(workload, setup).memory
    except DidNotEnd:
        return None
    return struct.unpack_from(f"<{image.words}I", memory, image.answer.start)


def _drawn(question: Question, setup: Setup, base: int) -> Answer:
    """That of a rendering list. The answer is taken as a picture with a word a pixel."""
    image = question.image
    capture = new_capture(
        bytes(base) + image.at(base),
        {"CT1CA": base + image.first, "CT1EA": base + image.second},
        name=question.name,
        check={
            "addr": base + image.answer.start,
            "tiling": "raster",
            "format": "RGBA8888",
            "width": _ROW,
            "height": image.words // _ROW,
        },
    )
    return struct.unpack(f"<{image.words}I", draw(capture, setup).picture.tobytes())

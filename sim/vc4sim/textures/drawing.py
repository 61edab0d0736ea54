"""Draws a view of a texture by a program on all four QPUs of the RTL, beside the model."""

import struct
from dataclasses import dataclass
from importlib import resources

import numpy as np

from vc4.config import preset

from ..asm import assemble
from ..backends import native
from ..backends.base import Ending, Job
from ..launch import Launch
from ..lockstep import Lockstep
from .sampling import Sampling
from .textures import PAGE, Texture

__all__ = ["View", "code_of", "draw"]

_BASE = 0x1_0000
_CONFIG = preset("slice")
#: Pixels of a vector, and bytes.
_ACROSS, _DOWN, _VECTOR_BYTES = 8, 2, 64
#: Vectors of a row at most: each QPU has so many rows of the VPM.
_MOST_COLUMNS = 16
#: Horizontal words of the VPM, the next vector one row further; stores of whole vectors.
_WRITE_SETUP, _STORE_SETUP = 0x1A00, 0x8010_4000
_STORE_COUNT, _STORE_ROW = 23, 7
_UNIFORM_BYTES = 128
_MAX_CYCLES = 20_000_000


@dataclass(frozen=True, slots=True)
class View:
    """Which coordinates a picture shows, in pixels from its upper left corner.

    width, height : multiples of 8, at most 128 wide
    s, t, r : factors of x, of y and of 1 for each coordinate; of an image s / r and t / r are looked up
    """

    width: int
    height: int
    s: tuple[float, float, float]
    t: tuple[float, float, float]
    r: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        assert self.width in range(_ACROSS, _ACROSS * _MOST_COLUMNS + 1, _ACROSS), self.width
        assert self.height % (_DOWN * _CONFIG.qpus) == 0, self.height


def code_of(cube: bool) -> bytes:
    """The program for images, or for cubes."""
    source = (resources.files("vc4sim.textures") / "source.qasm").read_text("utf-8")
    return assemble(f".set cube, {int(cube)}\n{source}", "source.qasm").code


def draw(texture: Texture, view: View, sampling: Sampling) -> np.ndarray:
    """The picture, [row, column, channel], with the upper row first. Raises `Difference` where RTL and model differ."""
    job, output = _job(texture, view, sampling)
    outcome = Lockstep(job).run(native.run)
    if outcome.ending is not Ending.DONE:
        raise RuntimeError(f"the picture is not complete: {outcome.why or outcome.ending.value}")
    return _picture(outcome.memory[output:], view)


def _job(texture: Texture, view: View, sampling: Sampling) -> tuple[Job, int]:
    """What runs, and where the picture lies in its memory."""
    qpus = _CONFIG.qpus
    code = code_of(texture.cube)
    config = -(-len(code) // _UNIFORM_BYTES) * _UNIFORM_BYTES
    uniforms = config + _UNIFORM_BYTES
    texels = -(-(uniforms + qpus * _UNIFORM_BYTES) // PAGE) * PAGE
    stored, level_0, stride = texture.stored()
    output = texels + len(stored)
    image = bytearray(output + 4 * view.width * view.height)
    image[: len(code)] = code
    parameters = texture.parameters(sampling, _BASE + texels + level_0, stride)
    struct.pack_into("<3I", image, config, *parameters)
    image[texels:output] = stored
    launches = []
    for qpu in range(qpus):
        place = uniforms + qpu * _UNIFORM_BYTES
        words = _uniforms(view, qpu, _BASE + output, sampling, _BASE + config)
        image[place : place + len(words)] = words
        launches.append(Launch(_BASE, _BASE + place))
    job = Job(image=bytes(image), base=_BASE, launches=tuple(launches), config=_CONFIG, max_cycles=_MAX_CYCLES)
    return job, output


def _uniforms(view: View, qpu: int, output: int, sampling: Sampling, config: int) -> bytes:
    """Uniforms of a QPU, which draws every fourth row of vectors."""
    qpus = _CONFIG.qpus
    columns, rows = view.width // _ACROSS, view.height // _DOWN
    row_bytes, vpm = columns * _VECTOR_BYTES, qpu * _MOST_COLUMNS
    whole = struct.pack(
        "<6I",
        output + qpu * row_bytes,
        qpus * row_bytes,
        columns,
        rows // qpus,
        _WRITE_SETUP | vpm,
        _STORE_SETUP | columns << _STORE_COUNT | vpm << _STORE_ROW,
    )
    factors = (*view.s, *view.t, *view.r)
    floats = struct.pack("<11f", qpu * _DOWN, qpus * _DOWN, *factors)
    return whole + floats + bytes(sampling.border) + struct.pack("<I", config)


def _picture(data: bytes, view: View) -> np.ndarray:
    """Rows of pixels of rows of vectors, four quads each."""
    pixels = np.frombuffer(data, np.uint8, 4 * view.width * view.height)
    # [row of vectors, vector, quad, row, column, channel]
    quads = pixels.reshape(view.height // _DOWN, view.width // _ACROSS, 4, 2, 2, 4)
    return quads.transpose(0, 3, 1, 2, 4, 5).reshape(view.height, view.width, 4)

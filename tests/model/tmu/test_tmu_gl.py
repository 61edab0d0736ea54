"""Textures of captured frames, sampled as their rectangles want it, against the pictures of the same programs.

The frames show whole textures on rectangles that face the viewer, so that coordinates are straight lines across them. What
the fragment shader does with a texel is its channels in some order.
"""

import json
import lzma
import struct
from dataclasses import dataclass

import numpy as np
import pytest

from vc4.isa.registers import ELEMENTS, QUADS
from vc4sim.model.memory import Memory
from vc4sim.model.tmu.unit import TextureUnit

#: Four corners of position, depth, one and (s, t).
CORNERS = struct.Struct("<24f")
RED, GREEN, BLUE, ALPHA, ONE = range(5)


@dataclass(frozen=True)
class Frame:
    """Where a frame has its corners and its config parameters, one of each for every rectangle."""

    corners: tuple[int, ...]
    parameters: tuple[int, ...]
    channels: tuple[int, ...] = (RED, GREEN, BLUE, ALPHA)


OPAQUE = (RED, GREEN, BLUE, ONE)
FRAMES = {
    "tex_4444": Frame((0x92000,), (0x960A8,)),
    "tex_5551": Frame((0x8C000,), (0x900A8,)),
    "tex_565": Frame((0x8C000,), (0x900A8,), OPAQUE),
    "tex_a8": Frame((0x8B000,), (0x8F0A8,)),
    "tex_l8": Frame((0x8B000,), (0x8F0A8,), (ALPHA, ALPHA, ALPHA, ONE)),
    "tex_lt_small": Frame((0x8B000,), (0x8F0A8,)),
    "tex_rgb888": Frame((0x92000,), (0x960A8,), OPAQUE),
    "tex_rgba_linear": Frame((0xA6000,), (0xAA0A8,)),
    "tex_wrap": Frame((0xA3000, *range(0xA7000, 0xB7000, 0x2000)), tuple(0xB7388 + 40 * n for n in range(9))),
    "tex_mip": Frame((0xAC000, *range(0xB0000, 0xC3000, 0x1000)), tuple(0xC3720 + 40 * n for n in range(20))),
}


def memory_of(folder, case):
    """The memory of the first job."""
    job = case["jobs"][0]
    records = lzma.decompress((folder / "memory.bin.xz").read_bytes())[job["memory_offset"] :][: job["memory_length"]]
    memory, at = bytearray(case["mem_size"]), 0
    while at < len(records):
        address, length = struct.unpack_from("<II", records, at)
        memory[address : address + length] = records[at + 8 : at + 8 + length]
        at += 8 + length
    return bytes(memory)


def coordinates(pixels, corners, axis):
    """Coordinate of pixels along one axis, floats: the first and the last corner hold its ends."""
    low, high = corners[axis], corners[18 + axis]
    first, last = corners[4 + axis], corners[22 + axis]
    return (first + (pixels - low) / (high - low) * (last - first)).astype(np.float32)


def draw(picture, unit, corners, uniforms):
    """Sample the pixels whose centres lie within a rectangle, quad by quad."""
    height, width, _ = picture.shape
    x = np.arange(width * height // QUADS * QUADS)
    quad, inner = np.divmod(x, QUADS)
    x, y = quad % (width // 2) * 2 + inner % 2, quad // (width // 2) * 2 + inner // 2
    place = (x + 0.5) / width * 2 - 1, (y + 0.5) / height * 2 - 1
    covered = np.all([(corners[axis] <= place[axis]) & (place[axis] < corners[18 + axis]) for axis in (0, 1)], axis=0)
    s, t = (coordinates(place[axis], corners, axis).view(np.uint32) for axis in (0, 1))
    for first in range(0, len(x), ELEMENTS):
        part = slice(first, first + ELEMENTS)
        if covered[part].any():
            (words,) = unit.sample(uniforms, s[part], t[part])
            colours = words.astype("<u4").view(np.uint8).reshape(-1, 4)
            picture[y[part][covered[part]], x[part][covered[part]]] = colours[covered[part]]


@pytest.mark.parametrize("name", FRAMES)
def test_frames(recorded, name):
    folder, frame = recorded / "cases/gl" / name, FRAMES[name]
    case = json.loads((folder / "case.json").read_text())
    memory = memory_of(folder, case)
    unit = TextureUnit(Memory(len(memory), 0, memory))
    size = (case["height"], case["width"], 4)
    expected = np.frombuffer((folder / "expected.raw").read_bytes(), np.uint8).reshape(size).astype(int)
    picture = np.zeros(size, np.uint8)
    for corners, parameters in zip(frame.corners, frame.parameters, strict=True):
        draw(picture, unit, CORNERS.unpack_from(memory, corners), struct.unpack_from("<2I", memory, parameters))
    drawn = picture.any(axis=-1)
    assert drawn.mean() > 0.2
    picture = np.concatenate([picture, np.full((*size[:2], 1), 255, np.uint8)], axis=-1)[..., list(frame.channels)]
    wrong = drawn & (np.abs(picture - expected).max(axis=-1) > case["tolerance"]["per_channel"])
    assert wrong.mean() <= case["tolerance"]["max_bad_fraction"], np.argwhere(wrong)[:5]
    assert not unit.fault

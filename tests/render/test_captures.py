"""Frames that a driver asked for: within their tolerances, and exactly what the model drew before."""

import numpy as np
import pytest

from vc4sim.model.cle import Rest
from vc4sim.problem import BadInput
from vc4sim.render import compare, expected_picture

from .captures import PICTURES, draw, frozen

NAMES = sorted(path.stem for path in PICTURES.glob("*.png"))
#: Those that take longer than a second or two.
SLOW = {"loop", "mesh_depth", "multi_draw", "overflow"}
#: The Mandelbrot set. The driver's vertex shader multiplies with 1/W after a step of Newton's, which the QPU's truncation
#: leaves at 1 - 2^-24, so the corners of the picture are a sixteenth of a pixel inside of where they should be; after some
#: rounds that shows. The tolerance is that of arithmetic that rounds; this is what truncation makes of it.
TRUNCATED = {"loop": 184}


def cases(names):
    return [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in names]


@pytest.fixture
def drawn(shared, request):
    """A capture, its host, its picture."""
    folder = shared / "cases/gl" / request.param
    if not folder.is_dir():
        pytest.skip(f"needs the captured frame in {folder}")
    return draw(folder)


@pytest.mark.parametrize("drawn", cases(NAMES), indirect=True)
def test_pictures(drawn):
    capture, host, picture = drawn
    comparison = compare(capture, picture, expected_picture(capture))
    assert comparison.count <= TRUNCATED.get(capture.name, comparison.most)
    if capture.name in TRUNCATED:
        assert not comparison.passes
    assert np.array_equal(picture, frozen(capture.name))
    assert host.frame.run(10) is Rest.STOPPED


@pytest.mark.parametrize("drawn", cases(["tri_color", "load_tile", "msaa4_pbuf", "overflow"]), indirect=True)
def test_nothing_is_written_outside(drawn):
    """Surfaces, tile lists and their state: all that a frame may write, drawn once more to see every write."""
    capture, host, _ = drawn
    job = capture.jobs[-1]
    allowed = []
    for name in ("color_write", "zs_write", "msaa_color_write", "msaa_zs_write"):
        surface = part(job, name)
        if surface:
            start = surface.integer("bo_addr", 0, 1 << 32)
            allowed.append(range(start, start + surface.integer("bo_size", 0, 1 << 32)))
    tiles, block = part(job, "tile_memory"), part(job, "overflow")
    if tiles and block:
        start = tiles.integer("state_addr", 0, 1 << 32)
        end = tiles.integer("alloc_addr", 0, 1 << 32) + tiles.integer("alloc_bo_bytes", 0, 1 << 32)
        allowed.append(range(start, end))
        start = block.integer("BPOA", 0, 1 << 32)
        allowed.append(range(start, start + block.integer("BPOS", 0, 1 << 32)))
    job.load(host.memory)
    written = []
    host.memory.on_write = lambda address, data: written.append((address, len(data)))
    try:
        for _ in host.run(type(job)(job.name, job.registers, (), job.details)):
            pass
    finally:
        host.memory.on_write = None
    assert written
    for address, length in written:
        assert any(address in block and address + length - 1 in block for block in allowed), hex(address)


def part(job, name):
    """An object of a job, or `None`."""
    try:
        return job.details.object(name)
    except BadInput:
        return None

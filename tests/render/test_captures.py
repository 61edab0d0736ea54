"""Frames that a driver asked for: within their tolerances, and exactly what the model drew before."""

import numpy as np
import pytest

from vc4.config import preset
from vc4.records.control import Threads
from vc4sim.clist import load_capture, walk
from vc4sim.model.arith import float as fp
from vc4sim.model.arith.sfu import recip
from vc4sim.model.cle.cle import Rest
from vc4sim.model.cle.compressed import Item
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D
from vc4sim.problem import BadInput
from vc4sim.render import compare, expected_picture, picture_of

from .captures import PICTURES, draw, frozen

NAMES = sorted(path.stem for path in PICTURES.glob("*.png"))
#: Levels of those that take longer than a second or two.
LEVELS = {"genmip_filtering": "thorough"} | dict.fromkeys(("loop", "mesh_depth", "multi_draw", "overflow"), "slow")


def cases(names):
    return [pytest.param(name, marks=[getattr(pytest.mark, LEVELS[name])] if name in LEVELS else []) for name in names]


@pytest.fixture
def drawn(recorded, request):
    """A capture, its host, its picture."""
    folder = recorded / "cases/gl" / request.param
    return draw(folder)


@pytest.mark.parametrize("drawn", cases(NAMES), indirect=True)
def test_pictures(drawn):
    capture, host, picture = drawn
    assert compare(capture, picture, expected_picture(capture)).passes
    assert np.array_equal(picture, frozen(capture.name))
    assert host.gpu.advance(10) is Rest.STOPPED


@pytest.mark.parametrize("name", ["tri_clip", "lines", "tex_wrap", "stencil"])
def test_both_threads_at_once(recorded, name):
    """Rendering is started first, and waits for the semaphore; the host comes when there is nothing left to do."""
    folder = recorded / "cases/gl" / name
    capture = load_capture(folder)
    (job,) = capture.jobs
    memory = Memory(capture.memory_size)
    job.load(memory)
    frame = V3D(preset("bcm2835"), memory)
    for register in ("CT1CA", "CT1EA"):
        frame.write(register, job.registers[register])
    assert frame.advance(1000) is Rest.WAITING
    assert frame.cle.threads[1].waits == "the semaphore"
    for register in ("CT0CA", "CT0EA"):
        frame.write(register, job.registers[register])
    assert frame.advance(100_000) is Rest.STOPPED
    assert (frame.read("BFC"), frame.read("RFC"), frame.read("INTCTL")) == (1, 1, 0b0011)
    assert np.array_equal(picture_of(capture, memory), frozen(name))


@pytest.mark.parametrize("drawn", cases(["tri_clip", "lines", "points", "polyoffset_cull", "stencil"]), indirect=True)
def test_each_primitive_of_a_tile_list_is_counted(drawn):
    """Drawn or dropped: as many as the lists in memory have. The binner has counted what it cut."""
    capture, host, _ = drawn
    (job,) = capture.jobs
    begin, end = (job.registers[name] for name in ("CT1CA", "CT1EA"))
    found = [line for line in walk(host.memory, begin, end, Threads.RENDERING) if isinstance(line, Item)]
    events = host.gpu.events
    assert sum(bool(item.vertices) for item in found) == events["FEP_PRIMITIVES"] + events["PSE_PRIMITIVES_REVERSED"]
    assert events["PTB_PRIMITIVES_CLIPPED"] == {"tri_clip": 2}.get(capture.name, 0)
    assert (events["PSE_PRIMITIVES_REVERSED"] > 0) == (capture.name == "polyoffset_cull")


@pytest.mark.parametrize("drawn", cases(["loop"]), indirect=True)
def test_loop_is_the_mandelbrot_set(drawn):
    """In real numbers, over the whole frame: its corners are at whole pixels."""
    _, _, picture = drawn
    place = (np.arange(64) + 0.5) / 64
    point = (2.5 * place - 1.75) + 1j * (2.5 * place - 1.25)[:, None]
    value, rounds, alive = np.zeros_like(point), np.zeros(point.shape, int), np.ones(point.shape, bool)
    for _ in range(32):
        alive &= abs(value) ** 2 <= 4
        value = np.where(alive, value * value + point, value)
        rounds += alive
    assert np.array_equal(picture[..., 0], np.minimum(np.floor(255 * rounds / 32 + 0.5), 255))


@pytest.mark.parametrize(("first", "sixteenths"), [(None, 512), (0x3F7F_FC00, 511)])
def test_where_a_corner_of_the_frame_lies(first, sixteenths):
    """A driver's vertex shader, operation by operation, for X = W = 1 and half of 64 pixels.

    With what the table gives for 1/1 the corner is a sixteenth inside. Piglit's genmip-filtering then fails, which passes on
    a Raspberry Pi 3, and texwrap 2D passes, which fails there.
    """
    one, two, half = 0x3F80_0000, 0x4000_0000, 0x4400_0000
    first = recip(one) if first is None else first
    newton = fp.fmul(first, fp.fadd(two, fp.fmul(one, first) ^ fp.SIGN))
    assert fp.ftoi(fp.fmul(half, newton)) == sixteenths


def test_a_chip_truncated_products_as_far_from_exact():
    """The coordinate shader whose results were printed: 448 times 2/479 lies 3/4 of the way to the next float."""
    scale, minus_one = 0x3B88_D181, 0xBF80_0000
    product = fp.fmul(fp.itof(448), scale)
    assert fp.fadd(product, minus_one) == 0x3F5E_DD42  # what the chip printed
    assert fp.fadd(product + 1, minus_one) == 0x3F5E_DD44


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

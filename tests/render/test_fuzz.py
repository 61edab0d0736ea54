"""Lists, records, vertices and programs that are wrong: a picture or a defined error, and nothing written elsewhere."""

import random

import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode, VgPrimitiveType
from vc4.records.state import CoverageUpdate, DepthTest, Oversample
from vc4.records.tile_buffer import DecimateMode, MemoryFormat, TileBuffer
from vc4sim.model.cle.cle import Rest

from ..model.control_lists import words
from ..model.drawing import COLOUR, LIST, PICTURE, WITH_Z, Drawing
from .reach import reach

STEPS = 1500
#: What may be damaged: lists, records, code, uniforms, vertices.
PLACES = (LIST, 0x8000, 0xA000, 0xC000, 0x1_0000)
LOOK = COLOUR + "itof r1, x_coord\nmov t0t, r1\nmov t0s, r1\nnop; ldtmu0\nadd tlbc, r4, r0\n"
LOOP = COLOUR + "and r1, x_coord, 7\nagain:\nsub.setf r1, r1, 1\nbrr.anynn -, :again\nnop\nnop\nnop\nmov tlbc, r1\n"
STENCIL = COLOUR + "mov stencil, unif\nmov tlbz, rb15\nmov tlbc, r0\n"
COVERAGE = "nop\nnop\nnop; loadcv\nmov tlbc, r4\n"


def drawing_of(kind):
    """Frames that have everything between them."""
    multisample = kind == "samples"
    drawing = Drawing(
        80, 40, multisample_mode=int(multisample), decimate_mode=DecimateMode(int(multisample)), enable_vg_mask_buffer=1
    )
    drawing.clear(3)
    triangle = [((5, 5), (70, 8), (30, 38), 0.5, 7), ((0, 0), (40, 38), (20, 38), 0.2, 9)]
    oversample = Oversample.X4 if multisample else Oversample.NONE
    drawing.configure(depth=DepthTest.LESS, z=True, early_z_enable=1, enable_depth_offset=1, oversample=oversample)
    drawing.state(Code.DEPTH_OFFSET, depth_offset_factor=1.0, depth_offset_units=2.0)
    drawing.state(Code.Z_CLIPPING_PLANES, maximum_zw=1.0)
    drawing.state(Code.FLAT_SHADE_FLAGS, flat_shading_flags=1)
    drawing.triangles({"look": LOOK, "loop": LOOP, "stencil": STENCIL}.get(kind, WITH_Z), *triangle, uniforms=(1, 2, 3))
    if kind == "shapes":
        drawing.state(Code.LINE_WIDTH, line_width=3.0)
        drawing.shader(WITH_Z, [(4, 30, 0.5, 1.0, 0.0), (60, 5, 0.5, 1.0, 0.0), (20, 20, 0.1, 0.5, 3.0)])
        drawing.draw(3, PrimitiveMode.LINE_LOOP)
        drawing.state(Code.POINT_SIZE, point_size=6.0)
        drawing.draw(3, PrimitiveMode.POINTS)
    if kind == "coverage":
        drawing.configure(oversample=Oversample.X16, coverage=CoverageUpdate.NONZERO)
        drawing.shader(COVERAGE)
        drawing.state(Code.RHT_X_BOUNDARY, rht_primitive_x_boundary=20.0)
        for mode in (VgPrimitiveType.RHTS, VgPrimitiveType.TRIANGLES):
            drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=mode)
            corners = [(1, 1), (60, 30)] if mode is VgPrimitiveType.RHTS else [(1, 1), (60, 3), (9, 30)]
            ending = (1, 0xBFFF_0000) if mode is VgPrimitiveType.RHTS else (1, 1, 0xBFFF_0000)
            drawing.draws.raw(words(*(y << 20 | x << 4 for x, y in corners), *ending))
        drawing.configure()
        drawing.state(Code.VG_INLINE_PRIMITIVES, primitive_type=VgPrimitiveType.TRIANGLES)
        drawing.draws.raw(words(0, 80 << 4, 80 << 20, 1, 1, 0xBFFF_0000))
    keep = {"disable_color_buffer_clear": 1, "disable_z_stencil_buffer_clear": 1}
    place = {"frame_address": PICTURE + 0x4000}
    stores = [
        (Code.STORE_TILE_BUFFER_GENERAL, {"buffer_to_store": part, "format": MemoryFormat.T_FORMAT} | keep | place)
        for part in (TileBuffer.Z_STENCIL, TileBuffer.VG_MASK)
    ]
    stores.append((Code.STORE_FULL_RESOLUTION_TILE_BUFFER, {"tile_address": 0x4_0000, "disable_clear_on_write": 1}))
    loads = [(Code.LOAD_TILE_BUFFER_GENERAL, {"buffer_to_load": TileBuffer.COLOR, "frame_address": PICTURE})]
    return drawing.finish(before=loads, stores=stores)


KINDS = ("look", "loop", "stencil", "samples", "shapes", "coverage")


def damage(rng, memory):
    """Bits, bytes or words of anything that the frame is made of."""
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        place = rng.choice(PLACES)
        address = place + rng.randrange(600 if place == LIST else 300)
        match rng.randrange(3):
            case 0:
                value = bytes([memory.data[address] ^ 1 << rng.randrange(8)])
            case 1:
                value = bytes([rng.choice((0, 1, 255, rng.randrange(256)))])
            case _:
                value = rng.choice((0, 0xFFFF_FFFF, 0x7F80_0000, rng.getrandbits(32))).to_bytes(4, "little")
        memory.write(address, value)


def run(kind, seed):
    """One damaged frame; returns how it has ended."""
    rng = random.Random(f"{kind} {seed}")
    drawing = drawing_of(kind)
    drawing.frame.fragment_shader.limit = 200
    drawing.frame.renderer.screen.shading.limit = 200
    damage(rng, drawing.memory)
    thread, transfers = drawing.thread, drawing.frame.renderer.transfers
    allowed, store = range(0), transfers._store

    def watch(record):
        nonlocal allowed
        allowed = reach(transfers, record)
        store(record)
        allowed = range(0)

    def check(address, data):
        # Addresses have 32 bits, also after the last one.
        assert (address - allowed.start) % (1 << 32) + len(data) <= len(allowed)

    transfers._store = watch
    drawing.memory.on_write = check
    rest = drawing.run(STEPS)
    waits = thread.waits or drawing.frame.renderer.error
    if rest is Rest.WAITING:
        assert waits
    if thread.error is None and rest is Rest.STOPPED and drawing.frame.read("RFC"):
        drawing.picture()
    return "error" if thread.error else rest.name


@pytest.mark.parametrize("kind", [KINDS[0], *(pytest.param(kind, marks=pytest.mark.thorough) for kind in KINDS[1:])])
def test_damaged_frames(kind):
    endings = {run(kind, seed) for seed in range(25)}
    assert "STOPPED" in endings
    assert len(endings) > 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", range(8))
def test_many_damaged_frames(kind, part):
    for seed in range(1000 + part * 420, 1000 + (part + 1) * 420):
        run(kind, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_the_frames_are_right(kind):
    drawing = drawing_of(kind)
    assert drawing.run() is Rest.STOPPED, drawing.thread.waits
    assert drawing.thread.error is None
    assert len({word for row in drawing.picture() for word in row}) > 1

"""Every form of stores and loads, from control records: what comes back, what is cleared after it, and where dumps lie."""

from itertools import product

import numpy as np
import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.tile_buffer import DecimateMode, FrameColorFormat, MemoryFormat, PixelColorFormat, TileBuffer
from vc4sim.clist import ListBuilder
from vc4sim.model.cle.control_records import read_record
from vc4sim.model.elementwise import elementwise
from vc4sim.model.memory import Memory
from vc4sim.model.tlb import tlb
from vc4sim.model.tlb.colours import decoded, encoded, mean, spread
from vc4sim.model.tlb.tile_transfers import TileTransfers

SIZE = 1 << 20
ADDRESS = 0x1_0000
#: The frame in tiles, and the tile that is stored.
TILES, COLUMN, ROW = 3, 1, 2
CLEAR = {"clear_color_0": 0x1111_1111, "clear_color_1": 0x2222_2222, "clear_zs": 0x33_3333}
CLEAR |= {"clear_vg_mask": 0x44, "clear_stencil": 0x55}
MULTISAMPLE = [False, True]
WIDE = [False, True]
FLAGS = list(product((0, 1), repeat=3))
BUFFERS = ("colour", "zs", "mask")


def record(code, **fields):
    """A control record, as the executor reads it."""
    lists = ListBuilder(0)
    lists.add(code, **fields)
    return read_record(Memory(len(lists.data), 0, bytes(lists.data)), 0)


def transfers(memory, multisample=False, wide=False, colours=FrameColorFormat.RGBA8888, **fields):
    """Those of a frame, with nothing in its tile."""
    made = TileTransfers(memory, tlb.TileBuffer())
    width, height = (32, 32 >> wide) if multisample else (64, 64 >> wide)
    configuration = record(
        Code.TILE_RENDERING_MODE_CONFIGURATION,
        memory_address=ADDRESS,
        width=TILES * width,
        height=TILES * height,
        multisample_mode=int(multisample),
        tile_buffer_64_bit_color_depth=int(wide),
        frame_buffer_color_format=colours,
        **fields,
    )
    made.configure(configuration.fields)
    made.set_clear_values(record(Code.CLEAR_COLORS, **CLEAR).fields)
    made.begin(COLUMN, ROW)
    return made


def fill(tile):
    """Something everywhere; returns what there is."""
    rng = np.random.default_rng(3)
    for name, bits in zip(BUFFERS, (32, 32, 8), strict=True):
        buffer = getattr(tile, name)
        buffer[...] = rng.integers(0, 1 << bits, buffer.shape)
    return {name: getattr(tile, name).copy() for name in BUFFERS}


def come_back(tile, wanted, names, samples=slice(None)):
    """Whether these buffers have come back, as far as `samples` go, and the others have not."""
    for name in BUFFERS:
        held, old = getattr(tile, name), wanted[name]
        if name == "mask":
            assert np.array_equal(held, old) == (name in names), name
        else:
            assert np.array_equal(held[:, :, samples], old[:, :, samples]) == (name in names), name


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("multisample", MULTISAMPLE)
@pytest.mark.parametrize("wide", WIDE)
def test_full_dumps(multisample, wide, flags):
    """Records 28 and 29: each tile of the frame has its place, whatever else a dump holds."""
    memory = Memory(SIZE)
    made = transfers(memory, multisample, wide)
    wanted = fill(made.tile)
    names = ("color", "z_stencil", "vg_mask")
    disabled = {f"disable_{name}_buffer_dump": flag for name, flag in zip(names, flags, strict=True)}
    written = []
    memory.on_write = lambda address, data: written.append((address, len(data)))
    where = {"buffer_to_store": TileBuffer.FULL, "frame_address": ADDRESS}
    made.store(record(Code.STORE_TILE_BUFFER_GENERAL, **where, **disabled))
    memory.on_write = None
    pixels = wanted["mask"].size
    samples = 4 if multisample else 1
    sizes = (4 * samples * pixels << wide, 4 * samples * pixels, pixels)
    size = sum(part for part, flag in zip(sizes, flags, strict=True) if not flag)
    assert sum(length for _, length in written) == size
    if size:
        first = ADDRESS + (ROW * TILES + COLUMN) * size
        assert min(address for address, _ in written) == first
        assert max(address + length for address, length in written) == first + size
    other = transfers(memory, multisample, wide)
    disabled = {f"disable_{name}_buffer_load": flag for name, flag in zip(names, flags, strict=True)}
    where = {"buffer_to_load": TileBuffer.FULL, "frame_address": ADDRESS}
    other.arm(record(Code.LOAD_TILE_BUFFER_GENERAL, **where, **disabled))
    assert not other.tile.colour.any()  # it waits
    other.begin(COLUMN, ROW)
    groups = (("colour",), ("zs",), ("mask",))
    come_back(other.tile, wanted, sum((group for group, flag in zip(groups, flags, strict=True) if not flag), ()))


@pytest.mark.parametrize("flags", list(product((0, 1), repeat=2)))
@pytest.mark.parametrize("multisample", MULTISAMPLE)
def test_full_resolution(multisample, flags):
    """Records 26 and 27: the address is that of the tile."""
    memory = Memory(SIZE)
    made = transfers(memory, multisample)
    wanted = fill(made.tile)
    names = ("color", "z_stencil")
    disabled = {f"disable_{name}_buffer_write": flag for name, flag in zip(names, flags, strict=True)}
    written = []
    memory.on_write = lambda address, data: written.append(address)
    made.store(record(Code.STORE_FULL_RESOLUTION_TILE_BUFFER, tile_address=ADDRESS, **disabled))
    memory.on_write = None
    assert not written or min(written) == ADDRESS
    other = transfers(memory, multisample)
    disabled = {f"disable_{name}_buffer_read": flag for name, flag in zip(names, flags, strict=True)}
    other.arm(record(Code.RELOAD_FULL_RESOLUTION_TILE_BUFFER, tile_address=ADDRESS, **disabled))
    other.begin(0, 0)
    groups = (("colour",), ("zs",))
    come_back(other.tile, wanted, sum((group for group, flag in zip(groups, flags, strict=True) if not flag), ()))


#: What a general store is of, the buffers that a load of the same brings back.
PARTS = {TileBuffer.COLOR: ("colour",), TileBuffer.Z_STENCIL: ("zs",), TileBuffer.VG_MASK: ("mask",)}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("format_", MemoryFormat)
@pytest.mark.parametrize("multisample", MULTISAMPLE)
def test_parts(multisample, format_, part):
    """Records 28 and 29: the first sample of each pixel comes back, to all samples."""
    memory = Memory(SIZE)
    made = transfers(memory, multisample)
    wanted = fill(made.tile)
    where = {"format": format_, "frame_address": ADDRESS}
    made.store(record(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=part, **where))
    other = transfers(memory, multisample)
    other.arm(record(Code.LOAD_TILE_BUFFER_GENERAL, buffer_to_load=part, **where))
    other.begin(COLUMN, ROW)
    come_back(other.tile, wanted, PARTS[part], samples=slice(1))
    for name in set(PARTS[part]) - {"mask"}:
        held = getattr(other.tile, name)
        assert (held == held[:, :, :1]).all()


def test_z_only():
    """Is stored without the stencil value; and nothing can be loaded so."""
    memory = Memory(SIZE)
    made = transfers(memory)
    wanted = fill(made.tile)
    where = {"frame_address": ADDRESS}
    made.store(record(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=TileBuffer.Z_ONLY, **where))
    alone = wanted["zs"] & 0xFFFF_FF00
    for part, z in ((TileBuffer.Z_STENCIL, alone), (TileBuffer.Z_ONLY, 0), (TileBuffer.NONE, 0)):
        other = transfers(memory)
        other.arm(record(Code.LOAD_TILE_BUFFER_GENERAL, buffer_to_load=part, **where))
        other.begin(COLUMN, ROW)
        assert (other.tile.zs == z).all()


@pytest.mark.parametrize("pixels", PixelColorFormat)
def test_colour_formats_of_general_records(pixels):
    memory = Memory(SIZE)
    made = transfers(memory)
    colours = fill(made.tile)["colour"][..., 0, 0]
    where = {"pixel_color_format": pixels, "frame_address": ADDRESS}
    made.store(record(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=TileBuffer.COLOR, **where))
    other = transfers(memory)
    other.arm(record(Code.LOAD_TILE_BUFFER_GENERAL, buffer_to_load=TileBuffer.COLOR, **where))
    other.begin(COLUMN, ROW)
    y, x = np.mgrid[:64, :64]
    wanted = elementwise(decoded, elementwise(encoded, colours, pixels.value, x, y), pixels.value)
    assert np.array_equal(other.tile.colour[..., 0, 0], wanted)
    assert (pixels is PixelColorFormat.RGBA8888) == np.array_equal(wanted, colours)


@pytest.mark.parametrize("code", [
    Code.STORE_RESOLVED_TILE_COLOR_BUFFER, Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME,
])  # fmt: skip
@pytest.mark.parametrize("colours", FrameColorFormat)
@pytest.mark.parametrize("format_", MemoryFormat)
def test_resolved(format_, colours, code):
    """Records 24 and 25 store by the configuration of the frame: the mean of four samples here."""
    memory = Memory(SIZE)
    made = transfers(
        memory, multisample=True, colours=colours, memory_format=format_, decimate_mode=DecimateMode.DECIMATE_X4
    )
    samples = fill(made.tile)["colour"][..., 0]
    means = elementwise(mean, elementwise(spread, samples).sum(axis=-1), 4)
    made.store(record(code))
    pixels = {
        FrameColorFormat.BGR565_DITHERED: PixelColorFormat.BGR565_DITHERED,
        FrameColorFormat.RGBA8888: PixelColorFormat.RGBA8888,
        FrameColorFormat.BGR565: PixelColorFormat.BGR565,
    }[colours]
    other = transfers(memory, multisample=True)
    where = {"format": format_, "pixel_color_format": pixels, "frame_address": ADDRESS}
    other.arm(record(Code.LOAD_TILE_BUFFER_GENERAL, buffer_to_load=TileBuffer.COLOR, **where))
    other.begin(COLUMN, ROW)
    y, x = np.mgrid[:32, :32]
    wanted = elementwise(decoded, elementwise(encoded, means, pixels.value, x, y), pixels.value)
    assert np.array_equal(other.tile.colour[..., 0, 0], wanted)


def cleared(tile):
    """Which buffers hold the clear values, everywhere."""
    colours = tile.colour[..., 0]
    even, odd = (CLEAR[f"clear_color_{number}"] for number in (0, 1))
    return {
        "colour": bool((colours[:, ::2] == even).all() and (colours[:, 1::2] == odd).all()),
        "zs": bool((tile.zs == CLEAR["clear_zs"] << 8 | CLEAR["clear_stencil"]).all()),
        "mask": bool((tile.mask == CLEAR["clear_vg_mask"]).all()),
    }


@pytest.mark.parametrize("part", TileBuffer)
@pytest.mark.parametrize("flags", FLAGS)
def test_clears_of_general_stores(flags, part):
    made = transfers(Memory(SIZE))
    fill(made.tile)
    names = ("color", "z_stencil", "vg_mask")
    disabled = {f"disable_{name}_buffer_clear": flag for name, flag in zip(names, flags, strict=True)}
    made.store(record(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=part, frame_address=ADDRESS, **disabled))
    colour, zs, mask = (not flag for flag in flags)
    assert cleared(made.tile) == {"colour": colour, "zs": zs, "mask": mask}


@pytest.mark.parametrize(("code", "fields", "clears"), [
    (Code.STORE_RESOLVED_TILE_COLOR_BUFFER, {}, True),
    (Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME, {}, True),
    (Code.STORE_FULL_RESOLUTION_TILE_BUFFER, {"tile_address": ADDRESS}, True),
    (Code.STORE_FULL_RESOLUTION_TILE_BUFFER, {"tile_address": ADDRESS, "disable_clear_on_write": 1}, False),
])  # fmt: skip
def test_clears_of_other_stores(code, fields, clears):
    made = transfers(Memory(SIZE))
    fill(made.tile)
    made.store(record(code, **fields))
    assert cleared(made.tile) == dict.fromkeys(BUFFERS, clears)


def test_a_silent_tile_is_cleared_all_the_same():
    memory = Memory(SIZE)
    made = transfers(memory)
    fill(made.tile)
    made.silent = True
    made.store(record(Code.STORE_RESOLVED_TILE_COLOR_BUFFER))
    assert not any(memory.data)
    assert all(cleared(made.tile).values())

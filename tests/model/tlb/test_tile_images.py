"""Stores and loads: every form, every layout, the edges of frames."""

import random

import numpy as np
import pytest

from vc4.records.tile_buffer import DecimateMode, MemoryFormat, PixelColorFormat
from vc4.records.tile_buffer import TileBuffer as Part
from vc4sim.model.elementwise import elementwise
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.tlb.colours import channel, decoded, encoded, mean, spread
from vc4sim.model.tlb.surfaces import Rectangle, Surface
from vc4sim.model.tlb.tile_dumps import Dumped, dump_bytes, load_dump, store_dump
from vc4sim.model.tlb.tile_images import ColourForm, FrameSize, load_image, store_image
from vc4sim.model.tlb.tlb import TileBuffer, TileShape

from .t_format import T_FORMAT

SHAPES = [TileShape(), TileShape(multisample=True), TileShape(words=2), TileShape(multisample=True, words=2)]
FORMATS = list(MemoryFormat)
RGBA = ColourForm(PixelColorFormat.RGBA8888)
SIZE = 1 << 18


def channels_of(words):
    """The four channels of words, in the last axis."""
    return np.stack([elementwise(channel, words, number) for number in range(4)], axis=-1)


def filled(shape, seed=1, at=(0, 0)):
    """A tile with something everywhere."""
    rng = np.random.default_rng(seed)
    tile = TileBuffer(shape, at[0] * shape.width, at[1] * shape.height)
    tile.colour[...] = rng.integers(0, 1 << 32, tile.colour.shape)
    tile.zs[...] = rng.integers(0, 1 << 32, tile.zs.shape)
    tile.mask[...] = rng.integers(0, 256, tile.mask.shape)
    return tile


@pytest.mark.parametrize(("x", "y", "width", "pixel_bytes", "address"), T_FORMAT)
def test_t_format(x, y, width, pixel_bytes, address):
    surface = Surface(0x1000, MemoryFormat.T_FORMAT, pixel_bytes, width)
    assert surface.addresses(Rectangle(x, y, 1, 1)).tolist() == [0x1000 + address]


def test_raster_and_lt_format():
    raster = Surface(0, MemoryFormat.RASTER, 2, 13)  # rows of 26 bytes, 32 in memory
    assert raster.addresses(Rectangle(3, 2, 1, 1)).tolist() == [2 * 32 + 3 * 2]
    lt = Surface(0, MemoryFormat.LT_FORMAT, 4, 9)  # three microtiles in a row
    assert lt.addresses(Rectangle(9, 5, 1, 1)).tolist() == [64 * (3 + 2) + 16 + 4]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("format_", FORMATS)
def test_what_is_stored_can_be_loaded(shape, format_):
    """Colour, Z and stencil, mask of a tile in the middle of a frame; samples become the first one."""
    memory, frame = Memory(SIZE), FrameSize(shape.width * 2, shape.height * 2)
    tile, other = filled(shape, at=(1, 1)), TileBuffer(shape, shape.width, shape.height)
    store_image(memory, tile, Part.COLOR, frame, 0, format_, RGBA)
    load_image(memory, other, Part.COLOR, frame, 0, format_, RGBA.pixels)
    assert (other.colour == tile.colour[:, :, :1]).all()
    memory = Memory(SIZE)
    store_image(memory, tile, Part.Z_STENCIL, frame, 0, format_)
    load_image(memory, other, Part.Z_STENCIL, frame, 0, format_)
    assert (other.zs == tile.zs[..., :1]).all()
    store_image(memory, tile, Part.Z_ONLY, frame, 0, format_)
    load_image(memory, other, Part.Z_STENCIL, frame, 0, format_)
    assert (other.zs == tile.zs[..., :1] & 0xFFFF_FF00).all()
    store_image(memory, tile, Part.VG_MASK, frame, 0, format_)
    load_image(memory, other, Part.VG_MASK, frame, 0, format_)
    assert (other.mask == tile.mask).all()


@pytest.mark.parametrize("format_", FORMATS)
def test_edges_of_a_frame(format_):
    """Nothing is written for pixels outside, nor loaded from there."""
    rng = random.Random(3)
    for _ in range(5):
        frame = FrameSize(rng.randint(65, 127), rng.randint(65, 127))
        memory, tile = Memory(SIZE), filled(TileShape(), at=(1, 1))
        written = set()
        memory.on_write = lambda address, data, written=written: written.update(range(address, address + len(data)))
        store_image(memory, tile, Part.COLOR, frame, 256, format_, RGBA)
        rows, columns = frame.height - 64, frame.width - 64
        places = Surface(256, format_, 4, frame.width).addresses(Rectangle(64, 64, columns, rows))
        assert written == {int(place) + n for place in places for n in range(4)}
        other = TileBuffer(TileShape(), 64, 64)
        load_image(memory, other, Part.COLOR, frame, 256, format_, RGBA.pixels)
        assert (other.colour[:rows, :columns] == tile.colour[:rows, :columns]).all()
        assert not other.colour[rows:].any() | other.colour[:, columns:].any()


def test_tiles_beyond_the_frame_store_nothing():
    memory = Memory(16)
    for at in ((1, 0), (0, 1), (255, 255)):
        tile = filled(TileShape(), at=at)
        store_image(memory, tile, Part.COLOR, FrameSize(64, 64), 0, MemoryFormat.T_FORMAT, RGBA)
        load_image(memory, tile, Part.Z_STENCIL, FrameSize(64, 64), 0, MemoryFormat.T_FORMAT)


def test_stores_outside_of_memory_fault():
    with pytest.raises(MemoryFault):
        store_image(Memory(64), filled(TileShape()), Part.COLOR, FrameSize(64, 64), 0, MemoryFormat.RASTER, RGBA)
    with pytest.raises(MemoryFault):
        load_image(Memory(64), filled(TileShape()), Part.COLOR, FrameSize(64, 64), 0, MemoryFormat.RASTER, RGBA.pixels)


def test_resolve():
    """Means of samples, of pixels, of both; a half is rounded up."""
    assert mean(spread(0x0101) + spread(0x0001), 4) == 0x0001
    assert mean(spread(0x0200_0003) + spread(0x0300_0000), 4) == 0x0100_0001
    for shape, decimate, block in (
        (TileShape(multisample=True), DecimateMode.DECIMATE_X4, 1),
        (TileShape(multisample=True), DecimateMode.DECIMATE_X16, 2),
        (TileShape(), DecimateMode.DECIMATE_X4, 2),
        (TileShape(), DecimateMode.SAMPLE_0, 1),
    ):
        memory, tile = Memory(SIZE), filled(shape, at=(0, 1))
        columns, rows = shape.width // block, shape.height // block
        frame = FrameSize(columns, 2 * rows)
        store_image(memory, tile, Part.COLOR, frame, 0, MemoryFormat.RASTER, ColourForm(RGBA.pixels, decimate))
        found = np.frombuffer(memory.data, np.uint32, 2 * rows * columns).reshape(2 * rows, columns)[rows:]
        channels = channels_of(tile.colour[..., 0])
        for row, column in ((0, 0), (3, 5), (rows - 1, columns - 1)):
            part = channels[row * block : (row + 1) * block, column * block : (column + 1) * block]
            part = part.reshape(-1, 4) if decimate is not DecimateMode.SAMPLE_0 else part[:, :, 0].reshape(-1, 4)
            wanted = [int(value + 0.5) for value in part.mean(axis=0)]
            assert channels_of(found[row, column]).tolist() == wanted


def test_sixteen_bits():
    pixels = PixelColorFormat.BGR565.value
    for red, green, blue in ((255, 255, 255), (0, 0, 0), (0x87, 0x43, 0x2F)):
        value = encoded(red | green << 8 | blue << 16 | 0x7700_0000, pixels, 0, 0)
        assert value == red >> 3 << 11 | green >> 2 << 5 | blue >> 3
        again = decoded(value, pixels)
        assert again >> 24 == 255
        assert encoded(again, pixels, 0, 0) == value
    assert [decoded(value, pixels) for value in (0xFFFF, 0)] == [0xFFFF_FFFF, 0xFF00_0000]


def test_dither_keeps_the_mean():
    """Over four by four pixels, and what 16 bits have exactly stays."""
    y, x = np.mgrid[0:4, 0:4]
    pixels = PixelColorFormat.BGR565_DITHERED.value
    grey = np.arange(248)[:, None, None]
    found = elementwise(encoded, grey * 0x01_0101, pixels, x, y)
    for shift, width in ((11, 5), (5, 6), (0, 5)):
        step = 1 << 8 - width
        values = found >> shift & (1 << width) - 1
        assert ((values == grey // step) | (values == grey // step + 1)).all()
        assert (abs(values.mean(axis=(1, 2)) * step - grey[:, 0, 0]) <= step / 8).all()
        assert (values[::step] == grey[::step] // step).all()
    assert (elementwise(encoded, 0xFF_FFFF, pixels, x, y) == 0xFFFF).all()


def test_dumps_with_multisampling():
    """Where sample s of pixel x, y is (pipeline facts, 5.5 and 10.3)."""
    memory, tile = Memory(SIZE), filled(TileShape(multisample=True))
    store_dump(memory, tile, 0x100, Dumped())
    rng = random.Random(4)
    for x, y, sample in [(3, 5, 2)] + [(rng.randrange(32), rng.randrange(32), rng.randrange(4)) for _ in range(50)]:
        offset = (y >> 1) * 1024 + (x >> 1) * 64 + sample * 16 + (y & 1) * 8 + (x & 1) * 4
        assert memory.read_int(0x100 + offset, 4) == tile.colour[y, x, sample, 0]
        assert memory.read_int(0x100 + 16384 + offset, 4) == tile.zs[y, x, sample]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dumped", [Dumped(), Dumped(zs=False), Dumped(colour=False), Dumped(mask=True)])
def test_dumps_come_back(shape, dumped):
    memory, tile, other = Memory(SIZE), filled(shape), TileBuffer(shape)
    store_dump(memory, tile, 64, dumped)
    load_dump(memory, other, 64, dumped)
    assert (other.colour == tile.colour).all() == dumped.colour
    assert (other.zs == tile.zs).all() == dumped.zs
    assert (other.mask == tile.mask).all() == dumped.mask
    size = dump_bytes(tile, dumped)
    assert not any(memory.data[64 + size :])
    assert 16384 * (dumped.colour + dumped.zs // shape.words) <= size

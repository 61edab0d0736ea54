"""Stores and loads: every form, every layout, the edges of frames."""

import random

import numpy as np
import pytest

from vc4.records.tile_buffer import DecimateMode, MemoryFormat, PixelColorFormat
from vc4sim.model.memory import Memory, MemoryFault
from vc4sim.model.tlb import tile_images
from vc4sim.model.tlb.colours import channels_of, decoded, encoded, mean
from vc4sim.model.tlb.surfaces import Surface
from vc4sim.model.tlb.tile_dumps import Dumped, dump_bytes, load_dump, store_dump
from vc4sim.model.tlb.tile_images import ColourForm, FrameSize
from vc4sim.model.tlb.tlb import TileBuffer, TileShape

from .t_format import T_FORMAT

SHAPES = [TileShape(), TileShape(multisample=True), TileShape(words=2), TileShape(multisample=True, words=2)]
FORMATS = list(MemoryFormat)
RGBA = ColourForm(PixelColorFormat.RGBA8888)
SIZE = 1 << 18


def filled(shape, seed=1, at=(0, 0)):
    """A tile with something everywhere."""
    rng = np.random.default_rng(seed)
    tile = TileBuffer(shape, at[0] * shape.width, at[1] * shape.height)
    tile.colour[...] = rng.integers(0, 1 << 32, tile.colour.shape, np.uint32)
    tile.z[...] = rng.integers(0, 1 << 24, tile.z.shape)
    tile.stencil[...] = rng.integers(0, 256, tile.stencil.shape)
    tile.mask[...] = rng.integers(0, 256, tile.mask.shape)
    return tile


@pytest.mark.parametrize(("x", "y", "width", "pixel_bytes", "address"), T_FORMAT)
def test_t_format(x, y, width, pixel_bytes, address):
    surface = Surface(0x1000, MemoryFormat.T_FORMAT, pixel_bytes, width)
    assert surface.addresses(np.array([x]), np.array([y])).tolist() == [0x1000 + address]


def test_raster_and_lt_format():
    raster = Surface(0, MemoryFormat.RASTER, 2, 13)  # rows of 26 bytes, 32 in memory
    assert raster.addresses(np.array([3]), np.array([2])).tolist() == [2 * 32 + 3 * 2]
    lt = Surface(0, MemoryFormat.LT_FORMAT, 4, 9)  # three microtiles in a row
    assert lt.addresses(np.array([9]), np.array([5])).tolist() == [64 * (3 + 2) + 16 + 4]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("format_", FORMATS)
def test_what_is_stored_can_be_loaded(shape, format_):
    """Colour, Z and stencil, mask of a tile in the middle of a frame; samples become the first one."""
    memory, frame = Memory(SIZE), FrameSize(shape.width * 2, shape.height * 2)
    tile, other = filled(shape, at=(1, 1)), TileBuffer(shape, shape.width, shape.height)
    tile_images.store_colour(memory, tile, frame, 0, format_, RGBA)
    tile_images.load_colour(memory, other, frame, 0, format_, RGBA.pixels)
    assert (other.colour == tile.colour[:, :, :1]).all()
    memory = Memory(SIZE)
    tile_images.store_zs(memory, tile, frame, 0, format_, stencil=True)
    tile_images.load_zs(memory, other, frame, 0, format_)
    assert (other.z == tile.z[..., :1]).all()
    assert (other.stencil == tile.stencil[..., :1]).all()
    tile_images.store_zs(memory, tile, frame, 0, format_, stencil=False)
    tile_images.load_zs(memory, other, frame, 0, format_)
    assert (other.z == tile.z[..., :1]).all()
    assert not other.stencil.any()
    tile_images.store_mask(memory, tile, frame, 0, format_)
    tile_images.load_mask(memory, other, frame, 0, format_)
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
        tile_images.store_colour(memory, tile, frame, 256, format_, RGBA)
        y, x = np.mgrid[64 : frame.height, 64 : frame.width]
        places = Surface(256, format_, 4, frame.width).addresses(x, y)
        assert written == {int(place) + n for place in places.flat for n in range(4)}
        other = TileBuffer(TileShape(), 64, 64)
        tile_images.load_colour(memory, other, frame, 256, format_, RGBA.pixels)
        rows, columns = frame.height - 64, frame.width - 64
        assert (other.colour[:rows, :columns] == tile.colour[:rows, :columns]).all()
        assert not other.colour[rows:].any() | other.colour[:, columns:].any()


def test_tiles_beyond_the_frame_store_nothing():
    memory = Memory(16)
    for at in ((1, 0), (0, 1), (255, 255)):
        tile = filled(TileShape(), at=at)
        tile_images.store_colour(memory, tile, FrameSize(64, 64), 0, MemoryFormat.T_FORMAT, RGBA)
        tile_images.load_zs(memory, tile, FrameSize(64, 64), 0, MemoryFormat.T_FORMAT)


def test_stores_outside_of_memory_fault():
    with pytest.raises(MemoryFault):
        tile_images.store_colour(Memory(64), filled(TileShape()), FrameSize(64, 64), 0, MemoryFormat.RASTER, RGBA)
    with pytest.raises(MemoryFault):
        tile_images.load_colour(Memory(64), filled(TileShape()), FrameSize(64, 64), 0, MemoryFormat.RASTER, RGBA.pixels)


def test_resolve():
    """Means of samples, of pixels, of both; a half is rounded up."""
    assert mean(np.array([0, 0, 0x0101, 0x0001], np.uint32)) == 0x0001
    assert mean(np.array([0x0200_0003, 0x0300_0000, 0, 0], np.uint32)) == 0x0100_0001
    for shape, decimate, block in (
        (TileShape(multisample=True), DecimateMode.DECIMATE_X4, 1),
        (TileShape(multisample=True), DecimateMode.DECIMATE_X16, 2),
        (TileShape(), DecimateMode.DECIMATE_X4, 2),
        (TileShape(), DecimateMode.SAMPLE_0, 1),
    ):
        memory, tile = Memory(SIZE), filled(shape, at=(0, 1))
        columns, rows = shape.width // block, shape.height // block
        frame = FrameSize(columns, 2 * rows)
        tile_images.store_colour(memory, tile, frame, 0, MemoryFormat.RASTER, ColourForm(RGBA.pixels, decimate))
        found = np.frombuffer(memory.data, np.uint32, 2 * rows * columns).reshape(2 * rows, columns)[rows:]
        channels = channels_of(tile.colour[..., 0])
        for row, column in ((0, 0), (3, 5), (rows - 1, columns - 1)):
            part = channels[row * block : (row + 1) * block, column * block : (column + 1) * block]
            part = part.reshape(-1, 4) if decimate is not DecimateMode.SAMPLE_0 else part[:, :, 0].reshape(-1, 4)
            wanted = [int(value + 0.5) for value in part.mean(axis=0)]
            assert channels_of(found[row, column]).tolist() == wanted


def test_sixteen_bits():
    x, y = np.array([0]), np.array([0])
    for red, green, blue in ((255, 255, 255), (0, 0, 0), (0x87, 0x43, 0x2F)):
        words = np.array([red | green << 8 | blue << 16 | 0x7700_0000], np.uint32)
        value = int(encoded(words, PixelColorFormat.BGR565, x, y)[0])
        assert value == red >> 3 << 11 | green >> 2 << 5 | blue >> 3
        again = int(decoded(np.array([value]), PixelColorFormat.BGR565)[0])
        assert again >> 24 == 255
        assert int(encoded(np.array([again], np.uint32), PixelColorFormat.BGR565, x, y)[0]) == value
    assert decoded(np.array([0xFFFF, 0]), PixelColorFormat.BGR565).tolist() == [0xFFFF_FFFF, 0xFF00_0000]


def test_dither_keeps_the_mean():
    """Over four by four pixels, and what 16 bits have exactly stays."""
    y, x = np.mgrid[0:4, 0:4]
    for grey in range(0, 248):
        words = np.full((4, 4), grey * 0x01_0101, np.uint32)
        values = encoded(words, PixelColorFormat.BGR565_DITHERED, x, y).astype(np.int64)
        for shift, width in ((11, 5), (5, 6), (0, 5)):
            step = 1 << 8 - width
            channel = values >> shift & (1 << width) - 1
            assert set(channel.flat) <= {grey // step, grey // step + 1}
            assert abs(channel.mean() * step - grey) <= step / 8
            if grey % step == 0:
                assert (channel == grey // step).all()
    white = np.full((4, 4), 0xFF_FFFF, np.uint32)
    assert (encoded(white, PixelColorFormat.BGR565_DITHERED, x, y) == 0xFFFF).all()


def test_dumps_with_multisampling():
    """Where sample s of pixel x, y is (pipeline facts, 5.5 and 10.3)."""
    memory, tile = Memory(SIZE), filled(TileShape(multisample=True))
    store_dump(memory, tile, 0x100, Dumped())
    rng = random.Random(4)
    for x, y, sample in [(3, 5, 2)] + [(rng.randrange(32), rng.randrange(32), rng.randrange(4)) for _ in range(50)]:
        offset = (y >> 1) * 1024 + (x >> 1) * 64 + sample * 16 + (y & 1) * 8 + (x & 1) * 4
        assert memory.read_int(0x100 + offset, 4) == tile.colour[y, x, sample, 0]
        zs = int(tile.z[y, x, sample]) << 8 | int(tile.stencil[y, x, sample])
        assert memory.read_int(0x100 + 16384 + offset, 4) == zs


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dumped", [Dumped(), Dumped(zs=False), Dumped(colour=False), Dumped(mask=True)])
def test_dumps_come_back(shape, dumped):
    memory, tile, other = Memory(SIZE), filled(shape), TileBuffer(shape)
    store_dump(memory, tile, 64, dumped)
    load_dump(memory, other, 64, dumped)
    assert (other.colour == tile.colour).all() == dumped.colour
    assert (other.z == tile.z).all() == (other.stencil == tile.stencil).all() == dumped.zs
    assert (other.mask == tile.mask).all() == dumped.mask
    size = dump_bytes(tile, dumped)
    assert not any(memory.data[64 + size :])
    assert 16384 * (dumped.colour + dumped.zs // shape.words) <= size

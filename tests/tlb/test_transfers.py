"""Stores, loads and clears of tiles against the model: after some records, all of memory is the same."""

import itertools
import random

import pytest

from vc4.records.control import ControlCode
from vc4.records.tile_buffer import DecimateMode, FrameColorFormat, MemoryFormat, PixelColorFormat, TileBuffer

from .transfer_bench import Transfers, record

SIZE = 1 << 19
FORMS = list(itertools.product((0, 1), repeat=3))
#: Where images and dumps begin.
PLACES = 0x1_0000


def configuration(form=(0, 0, 0), width=64, height=64, **fields):
    multisample, wide, double = form
    return record(
        ControlCode.TILE_RENDERING_MODE_CONFIGURATION,
        width=width,
        height=height,
        multisample_mode=multisample,
        tile_buffer_64_bit_color_depth=wide,
        double_buffer_in_non_ms_mode=double,
        **fields,
    )


def tile(column=0, row=0):
    return record(ControlCode.TILE_COORDINATES, tile_column_number=column, tile_row_number=row)


def general(part, *, address=0x1000, load=False, **fields):
    code = ControlCode.LOAD_TILE_BUFFER_GENERAL if load else ControlCode.STORE_TILE_BUFFER_GENERAL
    name = "buffer_to_load" if load else "buffer_to_store"
    return record(code, **{name: part}, frame_address=address, **fields)


#: Nothing is cleared.
KEEP = {f"disable_{part}_buffer_clear": 1 for part in ("color", "z_stencil", "vg_mask")}


def filled(form, column=0, row=0, **fields):
    """Records that fill the tile with anything."""
    return [configuration(form, **fields), general(TileBuffer.FULL, load=True, address=0), tile(column, row)]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_dump(form):
    """What was loaded is stored as it was."""
    run = Transfers(random.Random(1), SIZE)
    run.run([*filled(form), general(TileBuffer.FULL, address=PLACES, **KEEP)])


@pytest.mark.parametrize("layout", list(MemoryFormat))
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_stores(form, layout):
    """Of every part, format and mode; the frame ends within the second tile."""
    rng = random.Random(str((form, layout)))
    run = Transfers(rng, SIZE, latency=rng.choice((0, 30)), gap=rng.choice((0, 0.2)))
    stores = [
        general(part, format=layout, mode=mode, pixel_color_format=pixels, address=PLACES, **KEEP)
        for part, modes, formats in (
            (TileBuffer.COLOR, DecimateMode, PixelColorFormat),
            (TileBuffer.Z_STENCIL, (0,), (0,)),
            (TileBuffer.Z_ONLY, (0,), (0,)),
            (TileBuffer.VG_MASK, (0,), (0,)),
            (TileBuffer.NONE, (0,), (0,)),
        )
        for mode in modes
        for pixels in formats
    ]
    for records in (
        filled(form, width=64, height=64),
        filled(form, 1, 1, width=64 + rng.randrange(40), height=64 + rng.randrange(40)),
    ):
        run.run(records)
        for store in stores:
            run.run([store])


@pytest.mark.parametrize("layout", list(MemoryFormat))
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_loads(form, layout):
    rng = random.Random(str((form, layout)))
    run = Transfers(rng, SIZE, latency=rng.choice((0, 30)), gap=rng.choice((0, 0.2)))
    for part, formats in (
        (TileBuffer.COLOR, PixelColorFormat),
        (TileBuffer.Z_STENCIL, (0,)),
        (TileBuffer.VG_MASK, (0,)),
    ):
        for pixels in formats:
            frame = {"width": 40 + rng.randrange(80), "height": 40 + rng.randrange(80)}
            column, row = rng.randrange(2), rng.randrange(2)
            load = general(part, load=True, format=layout, pixel_color_format=pixels, address=PLACES)
            dump = general(TileBuffer.FULL, address=0x100, **KEEP)
            run.run([*filled(form, column, row, **frame), load, tile(column, row), dump])


@pytest.mark.parametrize("mode", list(DecimateMode))
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_stores_of_frames(form, mode):
    """By records 24 and 25: what the configuration says, and then everything is cleared."""
    rng = random.Random(str((form, mode)))
    run = Transfers(rng, SIZE)
    clear = record(
        ControlCode.CLEAR_COLORS,
        **{f"clear_color_{n}": rng.getrandbits(32) for n in range(2)},
        clear_zs=rng.getrandbits(24),
        clear_vg_mask=rng.getrandbits(8),
        clear_stencil=rng.getrandbits(8),
    )
    for pixels, layout in itertools.product(FrameColorFormat, MemoryFormat):
        frame = {"frame_buffer_color_format": pixels, "memory_format": layout, "decimate_mode": mode}
        # Low bits of the address do not count.
        frame |= {"memory_address": PLACES + rng.randrange(16), "width": 100, "height": 90}
        run.run([*filled(form, rng.randrange(2), rng.randrange(2), **frame), clear])
        code = ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER
        run.run([record(rng.choice((code, ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME)))])
        run.run([general(TileBuffer.FULL, address=PLACES, **KEEP)])


FULL_STORE, FULL_LOAD = (
    ControlCode.STORE_FULL_RESOLUTION_TILE_BUFFER,
    ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER,
)


def some_record(rng):
    """Any but a configuration."""

    def bit():
        return rng.randrange(2)

    address = 16 * rng.randrange(SIZE // 4 // 16)
    match rng.randrange(8):
        case 0:
            return record(ControlCode.CLEAR_COLORS, clear_color_0=rng.getrandbits(32), clear_zs=rng.getrandbits(24))
        case 1 | 2:
            return tile(rng.randrange(3), rng.randrange(3))
        case 3:
            names = "disable_color_buffer_write", "disable_z_stencil_buffer_write", "disable_clear_on_write"
            last = {"last_tile_of_frame": bit()}
            return record(FULL_STORE, tile_address=address, **{name: bit() for name in names}, **last)
        case 4:
            names = "disable_color_buffer_read", "disable_z_stencil_buffer_read"
            return record(FULL_LOAD, tile_address=address, **{name: bit() for name in names})
    load = bit()
    verb = "load" if load else "dump"
    parts = "color", "z_stencil", "vg_mask"
    fields = {f"disable_{part}_buffer_{verb}": bit() for part in parts}
    fields |= {"format": rng.choice(list(MemoryFormat)), "pixel_color_format": rng.choice(list(PixelColorFormat))}
    if not load:
        fields |= {f"disable_{part}_buffer_clear": bit() for part in parts}
        fields |= {"mode": rng.choice(list(DecimateMode)), "last_tile_of_frame": bit()}
    return general(rng.choice(list(TileBuffer)), load=load, address=address, **fields)


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(n, marks=pytest.mark.thorough) for n in range(8, 100))])
def test_any_records(seed):
    """Frames one after the other, and loads that wait for their tile in their order."""
    print(f"seed {seed}")
    rng = random.Random(seed)
    run = Transfers(rng, SIZE, latency=rng.choice((0, 7, 60)), gap=rng.choice((0, 0.1, 0.5)))
    for _ in range(4):
        form = rng.choice(FORMS) if rng.random() < 0.7 else (0, 0, 0)
        size = {"width": rng.randrange(1, 150), "height": rng.randrange(1, 150)}
        run.run([configuration(form, **size, memory_address=16 * rng.randrange(SIZE // 64))])
        for _ in range(6):
            run.run([some_record(rng) for _ in range(4)])
        run.run([tile(), general(TileBuffer.FULL, address=PLACES, **KEEP)])


def test_most_loads():
    """Sixteen wait for a tile; others are lost."""
    run = Transfers(random.Random(1), SIZE)
    loads = [general(TileBuffer.VG_MASK, load=True, address=0x1000 * n) for n in range(18)]
    store = general(TileBuffer.VG_MASK, address=PLACES, **KEEP)
    run.run([configuration(), *loads, tile(), store])
    run.run([tile(), store])


@pytest.mark.parametrize("layout", list(MemoryFormat))
@pytest.mark.parametrize("part", [TileBuffer.COLOR, TileBuffer.VG_MASK])
def test_far_tiles(layout, part):
    """In the widest frames and in the highest ones."""
    run = Transfers(random.Random(1), 1 << 24)
    for column, row, width, height in (255, 0, 16384, 33), (130, 1, 65535, 65535), (0, 255, 40, 16384):
        if width == 65535 and part is TileBuffer.COLOR:
            width = 20001
        store = general(part, format=layout, address=PLACES, pixel_color_format=rng_pixels(part), **KEEP)
        load = general(part, format=layout, address=PLACES, load=True)
        run.run([*filled((0, 0, 0)), configuration(width=width, height=height), tile(column, row)])
        run.run([store, load, tile(column, row)])
        run.run([tile(), general(TileBuffer.FULL, address=PLACES, **KEEP)])


def rng_pixels(part):
    """Of 16 bits, so that it is not all of memory."""
    return PixelColorFormat.BGR565 if part is TileBuffer.COLOR else PixelColorFormat.RGBA8888


EDGES = [(load, layout, 50) for load in (False, True) for layout in MemoryFormat]
PARTS = {"color": TileBuffer.COLOR, "z": TileBuffer.Z_STENCIL}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(("load", "most"), [(False, 2600), (True, 2600)])
@pytest.mark.parametrize("layout", list(MemoryFormat))
def test_clocks(layout, load, most, part):
    """About a word of the bus a clock: 2048 of a tile."""
    run = Transfers(random.Random(1), SIZE)
    run.run(filled((0, 0, 0)))
    _, before = run.run([tile()])
    records = [general(PARTS[part], load=load, address=PLACES, format=layout, **({} if load else KEEP)), tile()]
    result, after = run.run(records)
    print(after[-1] - before[-1], result.requests, result.words)
    # A quad comes again two steps later, and waits until it is written.
    waits = 1024 if load and part == "z" and layout is not MemoryFormat.RASTER else 0
    assert after[-1] - before[-1] <= most + waits


@pytest.mark.parametrize(("load", "layout", "most"), EDGES)
def test_clocks_at_the_edge(layout, load, most):
    """Of a tile of which the frame has five columns and three rows: raster images take its pixels, others its microtiles."""
    run = Transfers(random.Random(1), SIZE)
    run.run(filled((0, 0, 0), 1, 1, width=69, height=67))
    _, before = run.run([tile(1, 1)])
    records = [general(TileBuffer.COLOR, load=load, address=PLACES, format=layout, **({} if load else KEEP))]
    result, after = run.run([*records, tile(1, 1)])
    print(after[-1] - before[-1], result.requests, result.words)
    assert after[-1] - before[-1] <= most

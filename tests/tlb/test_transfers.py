"""Stores, loads and clears of tiles against the model: after some records, all of memory is the same."""

import itertools
import random

import pytest

from vc4.records.control import ControlCode
from vc4.records.tile_buffer import DecimateMode, MemoryFormat, PixelColorFormat, TileBuffer

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
    run.run([*filled(form, width=64, height=64), *stores])
    run.run([*filled(form, 1, 1, width=64 + rng.randrange(40), height=64 + rng.randrange(40)), *stores])


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

"""Golden clocks of whole binning lists, from the first write of the host to the flush in memory."""

import dataclasses

import pytest

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode
from vc4sim.clist import ListBuilder, nv_shader_record
from vc4sim.damaged import compare_binning as compare
from vc4sim.frames.job import FrontJob
from vc4sim.model.memory import Memory

from ..model.binning import LISTS, RECORDS, SIZE, configure, nv_vertex

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
PIXEL, TILE = 16, 64 * 16
SIDE = 10

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]


def clocks(points, mode):
    """Of a list of vertices on ten by ten tiles, memory answering after 20 clocks."""
    memory, lists = Memory(SIZE), ListBuilder(LISTS)
    vertices = RECORDS + 0x100
    memory.write(vertices, b"".join(nv_vertex(x, y) for x, y in points))
    memory.write(RECORDS, nv_shader_record(shaded_vertex_data_stride=12, shaded_vertex_data_address=vertices))
    configure(lists, SIDE, SIDE)
    lists.add(Code.START_TILE_BINNING)
    lists.add(Code.NV_SHADER_STATE, shader_record_address=RECORDS)
    lists.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=len(points), index_of_first_vertex=0)
    lists.add(Code.FLUSH)
    lists.store(memory)
    registers = (("CT0CA", LISTS), ("CT0EA", lists.here))
    run, _ = compare(FrontJob(image=memory.read(0, SIZE), registers=registers, config=CONFIG, bins=True))
    return run.cycles


SMALL = [(100, 100), (200, 100), (100, 200)]
LARGE = [(0, 0), (2 * SIDE * TILE, 0), (0, 2 * SIDE * TILE)]
STRIP = [(16 * PIXEL + 3 * number, 10 * PIXEL * (1 + number % 2)) for number in range(300)]


@pytest.mark.parametrize(
    ("points", "mode", "wanted"),
    [
        ([], PrimitiveMode.TRIANGLES, 2_473),
        (100 * SMALL, PrimitiveMode.TRIANGLES, 4_113),
        (10 * LARGE, PrimitiveMode.TRIANGLES, 12_061),
        (STRIP, PrimitiveMode.TRIANGLE_STRIP, 5_485),
    ],
    ids=["nothing", "100_small_ones", "10_over_100_tiles", "strip_of_300"],
)
def test_clocks(points, mode, wanted):
    """An empty frame of 100 tiles is set up and flushed; then triangles in one tile, over all tiles, a strip in five tiles."""
    assert clocks(points, mode) == wanted

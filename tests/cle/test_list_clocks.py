"""Clocks for which the binning thread runs, by what it finds in its list; its pipeline takes everything at once."""

import pytest

from vc4.records.compressed import END
from vc4.records.control import ControlCode
from vc4.records.primitives import (
    IndexedPrimitiveList,
    IndexType,
    PrimitiveData,
    PrimitiveListFormat,
    PrimitiveMode,
    PrimitiveType,
    VertexArrayPrimitives,
)
from vc4sim.clist.builder import pack_fields
from vc4sim.model.cle.compressed import COORDINATE_BYTES, INDEX_BYTES, ListFormat, encode_primitive

from .list_bench import LINE_BYTES, execute
from .some_lists import SIZE

CODE = ControlCode
INDICES = SIZE // 2
COUNT = 999
CTERR = 1 << 3
#: What a list of either shader needs before it.
GL = bytes([CODE.TILE_BINNING_MODE_CONFIGURATION.value, *bytes(15), CODE.GL_SHADER_STATE.value, *bytes(4)])
VG = bytes([CODE.TILE_BINNING_MODE_CONFIGURATION.value, *bytes(15), CODE.VG_SHADER_STATE.value, *bytes(4)])


def indexed(mode, index_type):
    fields = {"primitive_mode": mode, "index_type": index_type, "length": COUNT, "indices_list_address": INDICES}
    list_ = pack_fields(IndexedPrimitiveList, {**fields, "maximum_index": 0xFFFF})
    return GL + bytes([CODE.INDEXED_PRIMITIVE_LIST.value]) + list_


def counted(mode):
    fields = {"primitive_mode": mode, "length": COUNT}
    return GL + bytes([CODE.VERTEX_ARRAY_PRIMITIVES.value]) + pack_fields(VertexArrayPrimitives, fields)


def compressed(form, primitives):
    """All of them in as few bytes as they can be."""
    kind = PrimitiveData.COORDINATES if form.coordinates else PrimitiveData.INDEX_16
    data = (VG if form.coordinates else GL) + bytes([CODE.PRIMITIVE_LIST_FORMAT.value])
    data += pack_fields(PrimitiveListFormat, {"primitive_type": form.type, "data_type": kind})
    data += bytes([CODE.COMPRESSED_PRIMITIVE_LIST.value])
    previous = form.origin
    for primitive in primitives:
        data += encode_primitive(form, primitive, previous)
        previous = primitive
    return data + bytes([END])


def steps(form, *corners):
    """A hundred triangles; each begins so much further."""
    far = 5000 if not form.coordinates else 5000 | 5000 << 16
    return [tuple(number * far % 50_000 + corner for corner in corners) for number in range(100)]


#: As a binner sees a strip.
STRIP = [(n + n % 2, n + 1 - n % 2, n + 2) for n in range(100)]
TRIANGLES, PLACED = (
    ListFormat(PrimitiveType.TRIANGLES, INDEX_BYTES),
    ListFormat(PrimitiveType.TRIANGLES, COORDINATE_BYTES),
)
#: Name, list, clocks with a latency of 1 and of 20.
LISTS = {
    "no operation": (bytes([CODE.NOP.value] * 1000), 1009, 1028),
    "marker": (bytes([CODE.MARKER.value] * 1000), 1009, 1028),
    "state of five bytes": (bytes([CODE.LINE_WIDTH.value, 0, 0, 0, 0] * 200), 210, 372),
    "state of nine bytes": (bytes([CODE.CLIP_WINDOW.value, *bytes(8)] * 200), 410, 685),
    "configuration of sixteen bytes": (bytes([CODE.TILE_BINNING_MODE_CONFIGURATION.value, *bytes(15)] * 200), 410, 837),
    "strip, 16 bits": (indexed(PrimitiveMode.TRIANGLE_STRIP, IndexType.BITS_16), 1024, 1062),
    "strip, 8 bits": (indexed(PrimitiveMode.TRIANGLE_STRIP, IndexType.BITS_8), 1024, 1062),
    "triangles, 16 bits": (indexed(PrimitiveMode.TRIANGLES, IndexType.BITS_16), 1024, 1062),
    "points, counted": (counted(PrimitiveMode.POINTS), 1017, 1036),
    "lines, counted": (counted(PrimitiveMode.LINES), 1016, 1035),
    "fan, counted": (counted(PrimitiveMode.TRIANGLE_FAN), 1017, 1036),
    "a hundred that share an edge": (compressed(TRIANGLES, STRIP), 220, 239),
    "a hundred that are near": (compressed(TRIANGLES, steps(TRIANGLES, 1, 20, 5)), 418, 437),
    "a hundred as they are": (compressed(TRIANGLES, steps(TRIANGLES, 1, 200, 5)), 418, 437),
    "a hundred with coordinates": (compressed(PLACED, steps(PLACED, 1, 20, 5)), 418, 437),
}


def executed(data, latency):
    image = data.ljust(INDICES, b"\0") + bytes(SIZE - INDICES)
    return execute(0, image, [(0, "CT0EA", len(data))], seed=1, latency=latency, pipeline_gap=0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", LISTS)
def test_clocks(name):
    """Those that a slower memory costs are clocks in which the thread starves."""
    data, *wanted = LISTS[name]
    runs = [executed(data, latency) for latency in (1, 20)]
    for run in runs:
        assert (run.registers["CT0CS"] & CTERR, run.registers["CT0CA"]) == (0, len(data))
    found = [run.clocks[0] for run in runs]
    print(f"{name}: {found[0]}, {found[1]}")
    assert found == wanted
    quick, slow = (run.starved for run in runs)
    assert (slow[0] - quick[0], quick[0] > 0) == (found[1] - found[0], True)
    assert slow[1] == quick[1] == 0


@pytest.mark.thorough
@pytest.mark.parametrize("last", [CODE.NOP, CODE.WAIT_ON_SEMAPHORE])
def test_who_wants_nothing_does_not_starve(last):
    """At the end, and who waits for others, though there are no more bytes: the next line is none of the list."""
    run = executed(bytes([CODE.NOP.value] * (LINE_BYTES - 1) + [last.value]), 20)
    assert run.starved == (25, 0)

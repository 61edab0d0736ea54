"""Compressed primitive lists against tables 39 to 43 of the guide, and there and back."""

import random
from collections import Counter

import pytest

from vc4.records.compressed import EDGES
from vc4.records.primitives import PrimitiveType
from vc4sim.clist import compress, decompress
from vc4sim.clist.primitives import compress_into
from vc4sim.model.cle.compressed import ListFormat, encode_branch, encode_primitive, read_item
from vc4sim.model.cle.control_records import ListError
from vc4sim.model.memory import Memory

POINTS, LINES, TRIANGLES, RHTS = PrimitiveType
FORMATS = [ListFormat(kind, width) for kind in PrimitiveType for width in (2, 3)]
FORMATS += [ListFormat(TRIANGLES, 4), ListFormat(RHTS, 4)]
ROUNDS = 2_000
BASE = 0x1000


def names(form):
    return f"{form.type.name.lower()}-{form.vertex_bytes * 8}"


def bits(*pieces):
    """Bytes of (value, width) pieces, lowest first; values may be negative."""
    number = place = 0
    for value, width in pieces:
        assert -(1 << width - 1) <= value < 1 << width
        number |= (value & (1 << width) - 1) << place
        place += width
    assert place % 8 == 0
    return number.to_bytes(place // 8, "little")


def xy(x, y):
    return (y & 0xFFFF) << 16 | x & 0xFFFF


OLD = (100, 200, 300)
CORNERS = (xy(100, 10), xy(200, 20), xy(300, 30))

#: By table and coding: format, the primitive before, bytes, the primitive.
TABLES = {
    "39.0, edge 0": (ListFormat(TRIANGLES), OLD, bits((0, 2), (-31, 6)), (300, 200, 269)),
    "39.0, edge 1": (ListFormat(TRIANGLES), OLD, bits((1, 2), (31, 6)), (100, 300, 331)),
    "39.0, edge 2": (ListFormat(TRIANGLES), OLD, bits((2, 2), (-1, 6)), (200, 100, 299)),
    "39.1": (ListFormat(TRIANGLES), OLD, bits((3, 2), (0, 2), (-8, 4), (7, 4), (-1, 4)), (92, 207, 299)),
    "39.1, other bits": (ListFormat(TRIANGLES), OLD, bits((3, 2), (2, 2), (1, 4), (0, 4), (0, 4)), (101, 200, 300)),
    "39.2": (ListFormat(TRIANGLES), OLD, bits((15, 4), (-32, 6), (31, 6), (5000, 16)), (5000, 4968, 5031)),
    "39.3": (ListFormat(TRIANGLES), OLD, bits((129, 8), (1, 16), (65535, 16), (3, 16)), (1, 65535, 3)),
    "39.2, 24 bits": (ListFormat(TRIANGLES, 3), OLD, bits((15, 4), (1, 6), (-1, 6), (0, 24)), (0, 1, 0xFFFFFF)),
    "39.3, 24 bits": (ListFormat(TRIANGLES, 3), OLD, bits((129, 8), (1, 24), (2, 24), (1 << 20, 24)), (1, 2, 1 << 20)),
    "39.0, around": (ListFormat(TRIANGLES), (0, 0, 0), bits((0, 2), (-1, 6)), (0, 0, 65535)),
    "40.0, edge 0": (ListFormat(LINES), OLD[:2], bits((0, 2), (5, 6)), (200, 205)),
    "40.0, edge 1": (ListFormat(LINES), OLD[:2], bits((1, 2), (-5, 6)), (100, 195)),
    "40.1": (ListFormat(LINES), OLD[:2], bits((3, 2), (1, 2), (-8, 4), (7, 4), (0, 4)), (92, 207)),
    "40.2": (ListFormat(RHTS), OLD[:2], bits((2, 2), (-31, 6), (50, 16)), (50, 19)),
    "40.3": (ListFormat(RHTS), OLD[:2], bits((129, 8), (7, 16), (9, 16)), (7, 9)),
    "40.3, 24 bits": (ListFormat(LINES, 3), OLD[:2], bits((129, 8), (1 << 23, 24), (9, 24)), (1 << 23, 9)),
    "41.0": (ListFormat(POINTS), OLD[:1], bits((0, 2), (-31, 6)), (69,)),
    "41.0, other bit": (ListFormat(POINTS), OLD[:1], bits((1, 2), (31, 6)), (131,)),
    "41.1": (ListFormat(POINTS), (9000,), bits((3, 2), (-8192, 14)), (808,)),
    "41.3": (ListFormat(POINTS), OLD[:1], bits((129, 8), (65535, 16)), (65535,)),
    # x has its lowest bit above the six others, in bit 8
    "42.0": (
        ListFormat(TRIANGLES, 4),
        CORNERS,
        bits((1, 2), (-31, 6), (0, 1), (-64, 7)),
        (CORNERS[0], CORNERS[2], xy(300 - 62, 30 - 64)),
    ),
    "42.0, odd": (
        ListFormat(TRIANGLES, 4),
        CORNERS,
        bits((0, 2), (31, 6), (1, 1), (63, 7)),
        (CORNERS[2], CORNERS[1], xy(363, 93)),
    ),
    "42.1": (
        ListFormat(TRIANGLES, 4),
        CORNERS,
        bits((3, 2), (2, 2), (-512, 10), (511, 10)),
        (CORNERS[1], CORNERS[0], xy(300 - 512, 541)),
    ),
    "42.2": (
        ListFormat(TRIANGLES, 4),
        CORNERS,
        bits((15, 4), (-64, 7), (63, 7), (1, 7), (-1, 7), (1000, 16), (2000, 16)),
        (xy(1000, 2000), xy(936, 2063), xy(1001, 1999)),
    ),
    "42.3": (
        ListFormat(TRIANGLES, 4),
        CORNERS,
        bits((129, 8), (1, 16), (-2, 16), (3, 16), (4, 16), (5, 16), (6, 16)),
        (xy(1, -2), xy(3, 4), xy(5, 6)),
    ),
    "43.0": (
        ListFormat(RHTS, 4),
        CORNERS[:2],
        bits((0, 2), (-31, 6), (1, 1), (1, 7)),
        (CORNERS[1], xy(200 - 61, 21)),
    ),
    "43.1, edge 1": (
        ListFormat(RHTS, 4),
        CORNERS[:2],
        bits((3, 2), (1, 2), (5, 10), (-5, 10)),
        (CORNERS[0], xy(205, 15)),
    ),
    "43.1, edge 2": (
        ListFormat(RHTS, 4),
        CORNERS[:2],
        bits((3, 2), (2, 2), (5, 10), (-5, 10)),
        (CORNERS[1], xy(205, 15)),
    ),
    "43.2": (
        ListFormat(RHTS, 4),
        CORNERS[:2],
        bits((2, 2), (4, 6), (1, 1), (-3, 7), (1000, 16), (2000, 16)),
        (xy(1000, 2000), xy(1009, 1997)),
    ),
    "43.3": (
        ListFormat(RHTS, 4),
        CORNERS[:2],
        bits((129, 8), (1, 16), (2, 16), (3, 16), (4, 16)),
        (xy(1, 2), xy(3, 4)),
    ),
}


@pytest.mark.parametrize("coding", TABLES)
def test_tables(coding):
    form, previous, data, vertices = TABLES[coding]
    item = read_item(Memory(len(data), BASE, data), BASE, form, previous)
    assert (item.vertices, item.end, item.last) == (vertices, BASE + len(data), False)
    assert len(encode_primitive(form, vertices, previous)) <= len(data)


@pytest.mark.parametrize(
    ("form", "first"),
    [(ListFormat(POINTS), 2), (ListFormat(POINTS), 0x86), (ListFormat(LINES), 15), (ListFormat(RHTS, 4), 0xFF)],
    ids=str,
)
def test_reserved_first_bytes(form, first):
    with pytest.raises(
        ListError, match=rf"^0x00001000: {first} begins no primitive of a compressed list of {form.type.name}"
    ):
        read_item(Memory(16, BASE, bytes([first])), BASE, form, form.origin)


@pytest.mark.parametrize("form", FORMATS, ids=names)
def test_every_first_byte_is_an_item_or_an_error(form):
    ends = Counter()
    for first in range(256):
        try:
            item = read_item(Memory(64, BASE, bytes([first]) + b"\x11" * 63), BASE, form, form.origin)
        except ListError:
            ends["reserved"] += 1
        else:
            ends["end" if item.last else "primitive" if item.vertices else "branch"] += 1
            assert item.end > BASE or not item.vertices
    assert ends["end"] == ends["branch"] == 1
    # points of coding 2 without the branch; coding 1 of two vertices with 3 in bits 3:2
    assert ends["reserved"] == {POINTS: 63, LINES: 16, TRIANGLES: 0, RHTS: 16}[form.type]


def vertex(rng, form, near):
    """A vertex, often not far from one of `near`."""
    old, reach = rng.choice(near), rng.choice((1, 10, 40, 100, 600, 1 << 24))
    if form.coordinates:
        return xy(old + rng.randint(-reach, reach), (old >> 16) + rng.randint(-reach, reach))
    return (old + rng.randint(-reach, reach)) % (1 << 8 * form.vertex_bytes)


def mesh(rng, form, count):
    """Primitives that often share an edge with the one before, or are near it."""
    previous = form.origin
    for _ in range(count):
        vertices = [vertex(rng, form, previous) for _ in previous]
        if form.vertices > 1 and rng.random() < 0.5:
            vertices[:-1] = [previous[index] for index in rng.choice(EDGES[form.vertices])]
            vertices[-1] = vertex(rng, form, previous[-1:])
        elif form.vertices > 1 and rng.random() < 0.4:
            vertices[1:] = [vertex(rng, form, vertices[:1]) for _ in vertices[1:]]
        elif rng.random() < 0.3:
            vertices = [vertex(rng, form, [old]) for old in previous]
        previous = tuple(vertices)
        yield previous


@pytest.mark.parametrize("form", FORMATS, ids=names)
def test_there_and_back(form):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    primitives = list(mesh(rng, form, ROUNDS))
    data = compress(form, primitives)
    items = list(decompress(Memory(len(data), BASE, data), BASE, form))
    assert [item.vertices for item in items[:-1]] == primitives
    assert items[-1].last
    assert items[-1].end == BASE + len(data)
    lengths = Counter(item.end - item.address for item in items[:-1])
    expected = {1 + form.vertices * form.vertex_bytes}
    expected |= {coding.length + coding.vertex_follows * form.vertex_bytes for coding in form.codings if coding.layout}
    assert set(lengths) == expected, "a coding was never used"


@pytest.mark.parametrize("form", FORMATS, ids=names)
@pytest.mark.parametrize("primitives", [20, pytest.param(100, marks=pytest.mark.thorough)])
def test_the_shortest_coding_is_taken(form, primitives):
    """No byte string that is shorter than what the encoder makes decodes to the same primitive."""
    rng = random.Random(form.vertex_bytes)
    for vertices in mesh(rng, form, primitives):
        previous = tuple(vertex(rng, form, vertices) for _ in vertices)
        length = len(encode_primitive(form, vertices, previous))
        if length < 3:
            continue
        for first in range(256):
            for second in range(256) if length == 3 and rng.random() < 0.01 else (rng.randrange(256),):
                data = bytes([first, second])
                try:
                    item = read_item(Memory(2, 0, data), 0, form, previous)
                except ListError:
                    continue
                assert item.vertices != vertices, data.hex()


@pytest.mark.parametrize("form", FORMATS, ids=names)
def test_lists_in_several_blocks(form):
    rng = random.Random(form.vertex_bytes)
    primitives = list(mesh(rng, form, 100))
    memory = Memory(1 << 16, 0x8000)
    blocks = [range(start, start + 32) for start in range(0x8000, 0x18000, 64)]
    rng.shuffle(blocks)
    compress_into(memory, form, primitives, blocks)
    items = list(decompress(memory, blocks[0].start, form))
    assert [item.vertices for item in items if item.vertices] == primitives
    branches = [item for item in items if not item.vertices and not item.last]
    assert [item.end for item in branches] == [block.start for block in blocks[1 : len(branches) + 1]]
    assert len(branches) > 2
    with pytest.raises(ValueError, match="no blocks left"):
        compress_into(memory, form, primitives, blocks[:2])


def test_branches():
    memory = Memory(1 << 20)
    for address, target in ((0x1234, 0x1220), (0x123F, 0x1240), (0x8_0000, 0), (0x1220, 0x2000)):
        data = encode_branch(address, target)
        memory.write(address, data)
        item = read_item(memory, address, ListFormat(POINTS), (0,))
        assert (item.end, item.vertices, item.last) == (target, (), False)
    assert encode_branch(0x1234, 0x1220) == bytes([130, 0, 0])
    assert encode_branch(0x1234, 0x1200) == bytes([130, 0xFF, 0xFF])
    for address, target in ((0, 33), (0, 1 << 20), ((1 << 20) + 32, 0)):
        with pytest.raises(ValueError, match="does not reach"):
            encode_branch(address, target)


def test_a_circle_is_found():
    memory = Memory(64, 0, b"\x00\x04" + encode_branch(2, 0))
    with pytest.raises(ListError, match=r"^0x00000000: .* circle$"):
        list(decompress(memory, 0, ListFormat(POINTS)))


@pytest.mark.parametrize("data", [b"", b"\x82\x00", b"\x81\x00\x01", b"\x0f\x00\x00"], ids=bytes.hex)
def test_lists_that_leave_memory(data):
    with pytest.raises(ListError, match=r"^0x00001000: compressed list at .* is outside of memory$"):
        list(decompress(Memory(len(data), BASE, data), BASE, ListFormat(TRIANGLES)))

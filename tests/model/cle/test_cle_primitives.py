"""Primitives that the control list executor makes from its lists: OpenGL's modes, and VG's with their terminators."""

import random

import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import VG_END, VG_PAD, IndexType, PrimitiveMode, PrimitiveType, VgPrimitiveType
from vc4sim.clist import ListBuilder
from vc4sim.model.cle.control_records import ListError, read_record
from vc4sim.model.cle.primitives import count_of, format_of, primitives_of
from vc4sim.model.memory import Memory, MemoryFault

from ..control_lists import words

BASE, DATA = 0x100, 0x200

#: What OpenGL ES makes of six vertices.
MODES = {
    PrimitiveMode.POINTS: [(0,), (1,), (2,), (3,), (4,), (5,)],
    PrimitiveMode.LINES: [(0, 1), (2, 3), (4, 5)],
    PrimitiveMode.LINE_LOOP: [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)],
    PrimitiveMode.LINE_STRIP: [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    PrimitiveMode.TRIANGLES: [(0, 1, 2), (3, 4, 5)],
    PrimitiveMode.TRIANGLE_STRIP: [(0, 1, 2), (2, 1, 3), (2, 3, 4), (4, 3, 5)],
    PrimitiveMode.TRIANGLE_FAN: [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)],
}
#: Fewest vertices that make a primitive, and how many more make the next one.
FIRST = {0: (1, 1), 1: (2, 2), 2: (2, 1), 3: (2, 1), 4: (3, 3), 5: (3, 1), 6: (3, 1)}


def primitives(memory, code, fan=None, data=b"", **fields):
    """The primitives of one list; where the control list goes on, if the list says so."""
    builder = ListBuilder(BASE)
    builder.add(code, **fields)
    builder.raw(data)
    builder.store(memory)
    record = read_record(memory, BASE)
    found = list(primitives_of(record, memory, format_of(record), [] if fan is None else fan))
    drawn = [primitive for primitive, _ in found if primitive]
    assert all(primitive.type is format_of(record).type for primitive in drawn)
    assert all(primitive.coordinates == format_of(record).coordinates for primitive in drawn)
    return [primitive.vertices for primitive in drawn], found[-1][1] if found else None, count_of(record)


@pytest.fixture
def memory():
    return Memory(0x1000)


@pytest.mark.parametrize("mode", PrimitiveMode)
class TestOpenGL:
    def test_indices(self, memory, mode):
        indices = [9, 3, 200, 0, 3, 7]
        expected = [tuple(indices[place] for place in places) for places in MODES[mode]]
        for kind, width in ((IndexType.BITS_8, 1), (IndexType.BITS_16, 2)):
            memory.write(DATA + 1, b"".join(index.to_bytes(width, "little") for index in indices))
            found = primitives(
                memory,
                Code.INDEXED_PRIMITIVE_LIST,
                primitive_mode=mode,
                index_type=kind,
                length=6,
                indices_list_address=DATA + 1,
                maximum_index=200,
            )
            assert found == (expected, None, len(expected))

    def test_arrays(self, memory, mode):
        expected = [tuple(place + 40 for place in places) for places in MODES[mode]]
        found = primitives(
            memory, Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=6, index_of_first_vertex=40
        )
        assert found == (expected, None, len(expected))

    def test_any_length(self, memory, mode):
        first, more = FIRST[mode.value]
        for length in range(20):
            drawn, _, count = primitives(memory, Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=length)
            loop = mode is PrimitiveMode.LINE_LOOP and length >= first
            assert len(drawn) == count == max((length - first + more) // more, 0) + loop

    def test_triangles_of_a_strip_turn_the_same_way(self, memory, mode):
        if mode is not PrimitiveMode.TRIANGLE_STRIP:
            return
        drawn, _, _ = primitives(memory, Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode, length=50)
        for a, b, c in drawn:
            ax, ay, bx, by, cx, cy = a, a % 2, b, b % 2, c, c % 2  # vertices of a zigzag
            assert (bx - ax) * (cy - ay) - (cx - ax) * (by - ay) < 0

    def test_an_index_above_the_maximum(self, memory, mode):
        memory.write(DATA, bytes([0, 1, 2, 3, 4, 5]))
        fields = {"primitive_mode": mode, "length": 6, "indices_list_address": DATA}
        assert primitives(memory, Code.INDEXED_PRIMITIVE_LIST, **fields, maximum_index=5)[2]
        with pytest.raises(ListError, match=r"^0x00000100: index 5 is above the maximum index, 4$"):
            primitives(memory, Code.INDEXED_PRIMITIVE_LIST, **fields, maximum_index=4)

    def test_an_index_that_needs_more_than_16_bits(self, memory, mode):
        fields = {"primitive_mode": mode, "length": 6}
        primitives(memory, Code.VERTEX_ARRAY_PRIMITIVES, **fields, index_of_first_vertex=0xFFFA)
        with pytest.raises(ListError, match="index 65536 is above 65535"):
            primitives(memory, Code.VERTEX_ARRAY_PRIMITIVES, **fields, index_of_first_vertex=0xFFFB)


VG = {
    VgPrimitiveType.RHTS: PrimitiveMode.LINES,
    VgPrimitiveType.RHT_STRIP: PrimitiveMode.LINE_STRIP,
    VgPrimitiveType.TRIANGLES: PrimitiveMode.TRIANGLES,
    VgPrimitiveType.TRIANGLE_STRIP: PrimitiveMode.TRIANGLE_STRIP,
    VgPrimitiveType.TRIANGLE_FAN: PrimitiveMode.TRIANGLE_FAN,
}


@pytest.mark.parametrize("kind", VG)
class TestVg:
    def test_coordinates_in_memory(self, memory, kind):
        corners = [random.randrange(1 << 31) for _ in range(6)]
        memory.write(DATA, words(*corners, VG_END))
        for length in range(7):
            drawn, _, count = primitives(
                memory,
                Code.VG_COORDINATE_ARRAY_PRIMITIVES,
                primitive_type=kind,
                length=length,
                coordinate_array_address=DATA,
            )
            places = [places for places in MODES[VG[kind]] if max(places) < length]
            assert drawn == [tuple(corners[place] for place in row) for row in places]
            assert count == len(places)

    def test_coordinates_in_the_list(self, memory, kind):
        """The end stands where the last vertex of a primitive would be."""
        pending = {VgPrimitiveType.RHTS: [7], VgPrimitiveType.TRIANGLES: [7, 8]}.get(kind, [])
        data = words(0, 1, 2, 3, 4, 5, *pending, VG_END)
        drawn, end, count = primitives(memory, Code.VG_INLINE_PRIMITIVES, data=data, primitive_type=kind)
        assert drawn == MODES[VG[kind]]
        assert (end, count) == (BASE + 2 + len(data), 0)

    def test_nothing_but_an_end(self, memory, kind):
        pending = [7] if VG[kind] in (PrimitiveMode.LINES, PrimitiveMode.LINE_STRIP) else [7, 8]
        data = words(*pending, VG_END)
        assert primitives(memory, Code.VG_INLINE_PRIMITIVES, data=data, primitive_type=kind) == (
            [],
            BASE + 2 + len(data),
            0,
        )

    def test_an_end_in_memory_ends_the_list_early(self, memory, kind):
        memory.write(DATA, words(0, 1, 2, 3, 4, VG_END, 6, 7, 8, 9, 10, 11))
        drawn, _, _ = primitives(
            memory,
            Code.VG_COORDINATE_ARRAY_PRIMITIVES,
            primitive_type=kind,
            length=12,
            coordinate_array_address=DATA,
        )
        assert drawn == [places for places in MODES[VG[kind]] if 5 not in places]

    def test_padding(self, memory, kind):
        """A primitive with the mark is left out; the vertices in front of it stay those of the next one of a strip."""
        rows = {
            VgPrimitiveType.RHTS: ([0, VG_PAD, 2, 3, 4, VG_END], [(2, 3)]),
            VgPrimitiveType.RHT_STRIP: ([0, 1, VG_PAD, 2, VG_END], [(0, 1), (1, 2)]),
            VgPrimitiveType.TRIANGLES: ([0, 1, VG_PAD, 3, 4, 5, 6, 7, VG_END], [(3, 4, 5)]),
            VgPrimitiveType.TRIANGLE_STRIP: ([0, 1, 2, VG_PAD, 3, VG_END], [(0, 1, 2), (2, 1, 3)]),
            VgPrimitiveType.TRIANGLE_FAN: ([0, 1, VG_PAD, 2, 3, VG_END], [(0, 1, 2), (0, 2, 3)]),
        }
        data, expected = rows[kind]
        assert primitives(memory, Code.VG_INLINE_PRIMITIVES, data=words(*data), primitive_type=kind)[0] == expected

    def test_a_list_without_an_end(self, memory, kind):
        builder = ListBuilder(BASE)
        builder.add(Code.VG_INLINE_PRIMITIVES, primitive_type=kind)
        builder.store(memory)
        record = read_record(memory, BASE)
        found = primitives_of(record, memory, format_of(record), [])
        with pytest.raises(MemoryFault, match="coordinates at 0x0000.* is outside of memory"):
            list(found)


class TestFans:
    def fan(self, memory, state, *data, continued):
        found = primitives(
            memory,
            Code.VG_INLINE_PRIMITIVES,
            state,
            words(*data),
            primitive_type=VgPrimitiveType.TRIANGLE_FAN,
            continuation_list=int(continued),
        )
        return found[0]

    def test_goes_on(self, memory):
        state = []
        assert self.fan(memory, state, 0, 1, 2, 3, VG_END, continued=False) == [(0, 1, 2), (0, 2, 3)]
        # the first two vertices are those of the triangle that the end stood in for
        assert self.fan(memory, state, 90, 91, 4, 5, VG_END, continued=True) == [(0, 3, 4), (0, 4, 5)]
        assert self.fan(memory, state, 90, 91, 6, VG_END, continued=True) == [(0, 5, 6)]

    def test_goes_on_behind_an_end_in_the_second_vertex(self, memory):
        state = []
        assert self.fan(memory, state, 0, VG_END, 99, continued=False) == []
        assert self.fan(memory, state, 90, 1, 2, 3, VG_END, continued=True) == [(0, 1, 2), (0, 2, 3)]

    def test_begins_anew(self, memory):
        state = []
        self.fan(memory, state, 0, 1, 2, VG_END, continued=False)
        assert self.fan(memory, state, 10, 11, 12, VG_END, continued=False) == [(10, 11, 12)]

    def test_another_list_in_between_ends_it(self, memory):
        state = []
        self.fan(memory, state, 0, 1, 2, VG_END, continued=False)
        fields = {"primitive_type": VgPrimitiveType.RHTS}
        primitives(memory, Code.VG_INLINE_PRIMITIVES, state, words(5, VG_END), **fields)
        assert self.fan(memory, state, 10, 11, 12, VG_END, continued=True) == [(10, 11, 12)]

    def test_a_list_of_known_length_goes_on_as_well(self, memory):
        state = []
        memory.write(DATA, words(0, 1, 2, 3))
        fields = {"primitive_type": VgPrimitiveType.TRIANGLE_FAN, "length": 4, "coordinate_array_address": DATA}
        primitives(memory, Code.VG_COORDINATE_ARRAY_PRIMITIVES, state, **fields)
        assert self.fan(memory, state, 90, 91, 4, VG_END, continued=True) == [(0, 3, 4)]


def test_formats_for_compressed_lists(memory):
    for mode in PrimitiveMode:
        builder = ListBuilder(BASE)
        builder.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=mode)
        builder.store(memory)
        form = format_of(read_record(memory, BASE))
        assert (
            form.type is (PrimitiveType.POINTS, PrimitiveType.LINES, PrimitiveType.TRIANGLES)[len(MODES[mode][0]) - 1]
        )

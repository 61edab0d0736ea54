"""VPM and DMA of the model with literal expectations; `test_vpm_properties.py` has the random set-ups."""

import numpy as np
import pytest

from vc4.config import V3DConfig
from vc4sim.asm import assemble
from vc4sim.launch import Launch
from vc4sim.model.memory import Memory
from vc4sim.model.qps.user_programs import Deadlock
from vc4sim.model.unbuilt import Waiting
from vc4sim.model.v3d import V3D
from vc4sim.model.vpm.blocks import load_block, store_block
from vc4sim.model.vpm.unit import VpmUnit

BASE, SIZE = 0x4000, 0x1_0000
#: SIZE of a vector, and MODEW of a DMA.
BYTES, HALVES, WORDS = range(3)
HALF, BYTE = 2, 4


def vectors(address, size=WORDS, *, horizontal=1, laned=0, stride=1, count=0):
    """A set-up of reads or writes (tables 32 and 33)."""
    return count % 16 << 20 | stride % 64 << 12 | horizontal << 11 | laned << 10 | size << 8 | address


def store_setup(units, depth, row=0, column=0, mode=0, *, horizontal=1, laned=0):
    """Table 34."""
    block = (units % 128) << 23 | (depth % 128) << 16 | laned << 15 | horizontal << 14
    return 2 << 30 | block | row << 7 | column << 3 | mode


def stride_setup(stride, block_mode=0):
    """Table 35."""
    return 3 << 30 | block_mode << 16 | stride


def load_setup(rows, length, row=0, column=0, mode=0, *, pitch=0, row_pitch=1, vertical=0):
    """Table 36."""
    block = pitch << 24 | length % 16 << 20 | rows % 16 << 16 | row_pitch % 16 << 12 | vertical << 11
    return 1 << 31 | mode << 28 | block | row << 4 | column


def pitch_setup(pitch):
    """Table 37."""
    return 9 << 28 | pitch


@pytest.fixture
def port():
    """A port of a VPM of 64 rows whose word (row, column) is 0x01000000 + 256 row + column, with memory full of 0xee."""
    vpm = VpmUnit(64, Memory(SIZE, BASE, b"\xee" * SIZE))
    vpm.words[:] = 0x0100_0000 + 256 * np.arange(64)[:, None] + np.arange(16)
    return vpm.ports[0]


def word(row, column):
    return 0x0100_0000 + 256 * row + column


def stored(port, size, at=0):
    """Bytes of memory, `at` from its start on."""
    return bytes(port.vpm.memory.data[at : at + size])


def words_of(data):
    return np.frombuffer(data, "<u4").tolist()


def numbered(port):
    """Memory gets the bytes 0, 1, 2 and so on, modulo 251."""
    port.vpm.memory.data[:] = bytes(index % 251 for index in range(SIZE))


def bytes_at(first, count):
    return bytes(index % 251 for index in range(first, first + count))


#: Elements 0 to 15 of the vectors that are written.
VECTOR = [0xAABB_CC00 + element for element in range(16)]
#: Figures 8 and 9: set-up, then the words that the vector fills, as (row, column): value; the others stay 0.
FIGURES = {
    "8a": (vectors(2, BYTES), {(0, 8 + i): 0x03020100 + 0x04040404 * i for i in range(4)}),
    "8b": (vectors(1 << 2 | 1, BYTES, laned=1), {(1, i): i << 8 for i in range(16)}),
    "8c": (vectors(2 << 1, HALVES, laned=1), {(2, i): 0xCC00 + i for i in range(16)}),
    "8d": (vectors(3 << 1 | 1, HALVES), {(3, 8 + i): 0xCC01_CC00 + 0x0002_0002 * i for i in range(8)}),
    "8e": (vectors(63), {(63, i): VECTOR[i] for i in range(16)}),
    "9a": (vectors(1, BYTES, horizontal=0), {(4 + i, 0): 0x03020100 + 0x04040404 * i for i in range(4)}),
    "9b": (vectors(1 << 2 | 2, BYTES, horizontal=0, laned=1), {(i, 1): i << 16 for i in range(16)}),
    "9c": (vectors(2 << 1, HALVES, horizontal=0, laned=1), {(i, 2): 0xCC00 + i for i in range(16)}),
    "9d": (
        vectors(15 << 1 | 1, HALVES, horizontal=0),
        {(8 + i, 15): 0xCC01_CC00 + 0x0002_0002 * i for i in range(8)},
    ),
    "9e": (vectors(1 << 4 | 1, horizontal=0), {(16 + i, 1): VECTOR[i] for i in range(16)}),
}


class TestVectors:
    @pytest.mark.parametrize("figure", FIGURES)
    def test_figures(self, port, figure):
        setup, words = FIGURES[figure]
        port.vpm.words[:] = 0
        port.write_setup(setup)
        port.write(np.array(VECTOR, np.uint32))
        found = {
            (row, column): port.vpm.words[row, column] for row, column in zip(*np.nonzero(port.vpm.words), strict=True)
        }
        assert found == {place: value for place, value in words.items() if value}
        port.read_setup(setup)
        mask = {BYTES: 0xFF, HALVES: 0xFFFF, WORDS: 0xFFFF_FFFF}[setup >> 8 & 3]
        assert port.read().tolist() == [value & mask for value in VECTOR], "narrow reads are zero-extended"

    def test_narrow_writes_leave_the_rest_of_the_word(self, port):
        port.write_setup(vectors(9 << 2 | 2, BYTES, laned=1))
        port.write(np.array(VECTOR, np.uint32))
        assert port.vpm.words[9].tolist() == [word(9, i) & 0xFF00_FFFF | i << 16 for i in range(16)]

    @pytest.mark.parametrize(
        ("setup", "rows"),
        [
            (vectors(62, stride=1), [62, 63, 0, 1]),
            (vectors(0, stride=0), [0, 0, 0, 0]),
            (vectors(5, stride=40), [5, 45, 21, 61]),
            (vectors(62 << 1, HALVES, stride=2), [62, 63, 0, 1]),
            (vectors(62 << 2, BYTES, stride=4), [62, 63, 0, 1]),
            (vectors(3 << 2, BYTES, stride=0), [3, 19, 35, 51]),
            # ADDR keeps its eight bits after the six of words.
            (vectors(0xFE), [62, 63, 0, 1]),
        ],
    )
    def test_strides(self, port, setup, rows):
        port.write_setup(setup)
        before = port.vpm.words.copy()
        changed = []
        for number in range(4):
            port.vpm.words[:] = before
            port.write(np.full(16, number, np.uint32))
            changed += np.nonzero((port.vpm.words != before).any(axis=1))[0].tolist()
        assert changed == rows

    def test_a_stride_over_columns_carries_into_the_next_rows(self, port):
        port.read_setup(vectors(15, horizontal=0, count=2))
        assert port.read().tolist() == [word(row, 15) for row in range(16)]
        assert port.read().tolist() == [word(16 + row, 0) for row in range(16)]

    def test_the_reserved_size(self, port):
        before = port.vpm.words.copy()
        port.write_setup(vectors(0, 3))
        port.write(np.full(16, 5, np.uint32))
        assert (port.vpm.words == before).all()
        assert port.vpm.errors == {"VPMEWR"}
        port.read_setup(vectors(0, 3, count=1))
        assert port.read().tolist() == [0] * 16
        assert port.vpm.errors == {"VPMEWR", "VPMERR"}

    def test_words_of_an_unknown_kind(self, port):
        port.write_setup(vectors(5))
        port.write_setup(1 << 30)
        port.write(np.full(16, 5, np.uint32))
        assert port.vpm.words[5].tolist() == [5] * 16
        assert port.vpm.errors == {"VPMEWR"}
        port.read_setup(1 << 30)
        assert port.vpm.errors == {"VPMEWR", "VPMERR"}
        with pytest.raises(Waiting):
            port.wait()

    def test_ports_have_set_ups_of_their_own(self, port):
        other = port.vpm.ports[1]
        port.write_setup(vectors(5))
        other.write_setup(vectors(9))
        other.read_setup(vectors(7, count=1))
        for value, one in enumerate((port, other, port)):
            one.write(np.full(16, value, np.uint32))
        assert [port.vpm.words[row, 0] for row in (5, 6, 9)] == [0, 2, 1]
        assert other.read()[0] == word(7, 0)
        with pytest.raises(Waiting):
            port.wait()


class TestReads:
    """What is fetched when: the first word of each vector tells."""

    def reads(self, port, count):
        return [int(port.read()[0]) for _ in range(count)]

    def overwrite(self, port):
        """All rows, with their number."""
        port.vpm.words[:] = np.arange(64)[:, None]

    @pytest.mark.parametrize(("num", "count"), [(1, 1), (15, 15), (0, 16)])
    def test_counts(self, port, num, count):
        port.read_setup(vectors(0, count=num))
        assert self.reads(port, count) == [word(row, 0) for row in range(count)]
        with pytest.raises(Waiting, match="^vpm, and no read is set up$"):
            port.wait()

    def test_eight_vectors_are_fetched_ahead(self, port):
        port.read_setup(vectors(0, count=12))
        self.overwrite(port)
        assert self.reads(port, 12) == [word(row, 0) for row in range(8)] + [8, 9, 10, 11]

    def test_one_is_fetched_for_each_that_is_read(self, port):
        port.read_setup(vectors(0, count=12))
        old = self.reads(port, 3)
        self.overwrite(port)
        assert old + self.reads(port, 9) == [word(row, 0) for row in range(11)] + [11]

    def test_two_set_ups_share_the_room(self, port):
        port.read_setup(vectors(0, count=6))
        port.read_setup(vectors(20, count=6))
        self.overwrite(port)
        assert self.reads(port, 12) == [word(row, 0) for row in (*range(6), 20, 21)] + [22, 23, 24, 25]

    def test_a_third_set_up_is_ignored(self, port):
        port.read_setup(vectors(0, count=2))
        port.read_setup(vectors(10, count=2))
        assert self.reads(port, 1) == [word(0, 0)]
        port.read_setup(vectors(20, count=2))
        assert self.reads(port, 1) == [word(1, 0)]
        port.read_setup(vectors(30, count=1))
        assert self.reads(port, 3) == [word(row, 0) for row in (10, 11, 30)]
        with pytest.raises(Waiting):
            port.wait()

    def test_the_end_of_a_program_forgets_all_reads(self, port):
        port.read_setup(vectors(0, count=12))
        port.read_setup(vectors(0, count=12))
        port.cancel()
        with pytest.raises(Waiting):
            port.wait()
        port.read_setup(vectors(20, count=1))
        port.read_setup(vectors(30, count=1))
        assert self.reads(port, 2) == [word(20, 0), word(30, 0)]

    def test_set_ups_of_loads_are_no_reads(self, port):
        for setup in (load_setup(1, 1), pitch_setup(64)):
            port.read_setup(setup)
        with pytest.raises(Waiting):
            port.wait()


class TestLoads:
    @pytest.fixture(autouse=True)
    def _numbered(self, port):
        numbered(port)
        port.vpm.words[:] = 0

    def rows(self, port):
        """Bytes of all rows that are not 0."""
        return {row: bytes(words.tobytes()) for row, words in enumerate(port.vpm.words) if words.any()}

    def test_counts_of_zero_are_sixteen(self, port):
        port.read_setup(pitch_setup(100))
        port.read_setup(load_setup(0, 0, row_pitch=2))
        port.load(BASE + 1)
        assert self.rows(port) == {2 * row: bytes_at(1 + 100 * row, 64) for row in range(16)}

    def test_a_vpm_pitch_of_zero_is_sixteen(self, port):
        port.read_setup(load_setup(3, 0, row=5, pitch=3, row_pitch=0))
        port.load(BASE)
        assert self.rows(port) == {5 + 16 * row: bytes_at(64 * row, 64) for row in range(3)}

    @pytest.mark.parametrize("pitch", range(1, 11))
    def test_pitches_of_powers(self, port, pitch):
        port.read_setup(pitch_setup(77))
        port.read_setup(load_setup(2, 0, pitch=pitch))
        port.load(BASE + 3)
        assert self.rows(port) == {row: bytes_at(3 + (8 << pitch) * row, 64) for row in range(2)}

    def test_a_pitch_of_nothing_reads_a_row_again(self, port):
        port.read_setup(load_setup(4, 0))
        port.load(BASE + 7)
        assert self.rows(port) == dict.fromkeys(range(4), bytes_at(7, 64))

    def test_a_row_goes_on_behind_the_last_column(self, port):
        port.read_setup(load_setup(1, 0, row=9, column=13))
        port.load(BASE)
        assert self.rows(port) == {9: bytes(52) + bytes_at(0, 12), 10: bytes_at(12, 52) + bytes(12)}

    def test_narrow_rows_are_packed_and_their_pitch_carries_into_the_row(self, port):
        """Y = 3, B = 2: five bytes further on with every row, that is rows 3, 4 and 6."""
        port.read_setup(pitch_setup(10))
        port.read_setup(load_setup(3, 5, row=3, column=15, mode=BYTE | 2, row_pitch=5))
        port.load(BASE + 1)
        words = np.zeros((64, 16), "<u4")
        flat = words.view(np.uint8).reshape(-1)
        for row, (y, b) in enumerate([(3, 2), (4, 3), (6, 0)]):
            flat[64 * y + 60 + b :][:5] = list(bytes_at(1 + 10 * row, 5))
        assert (port.vpm.words == words).all()

    def test_narrow_elements_run_down_a_column(self, port):
        port.read_setup(load_setup(1, 5, row=62, column=3, mode=HALF | 1, vertical=1))
        port.load(BASE + 1)
        expected = {(62, 3): 0x0201_0000, (63, 3): 0x0605_0403}
        found = {
            (row, column): port.vpm.words[row, column] for row, column in zip(*np.nonzero(port.vpm.words), strict=True)
        }
        assert found == expected
        assert port.vpm.errors == {"VPMEWR"}, "row 64 does not exist"

    def test_row_0_is_behind_row_127(self, port):
        port.read_setup(load_setup(2, 0, row=127, pitch=3))
        port.load(BASE)
        assert self.rows(port) == {0: bytes_at(64, 64)}

    def test_a_load_outside_of_memory(self, port):
        port.read_setup(load_setup(3, 0, pitch=3))
        port.load(BASE + SIZE - 127)
        assert self.rows(port) == {0: bytes_at(SIZE - 127, 64), 1: bytes_at(SIZE - 63, 63) + b"\0"}
        assert str(port.vpm.fault) == f"DMA load at {BASE + SIZE:#010x} is outside of memory"
        assert port.vpm.errors == {"VCDE"}


class TestStores:
    def store(self, port, setup, address=0, **pitch):
        port.write_setup(setup)
        port.write_setup(stride_setup(**({"stride": 0} | pitch)))
        port.store(BASE + address)

    def test_counts_of_zero_are_128(self, port):
        lengths = []
        port.vpm.memory.on_write = lambda _, data: lengths.append(len(data))
        self.store(port, store_setup(0, 1), stride=1)
        assert lengths == [4] * 128
        self.store(port, store_setup(1, 0))
        self.store(port, store_setup(1, 0, mode=HALF))
        self.store(port, store_setup(1, 0, mode=BYTE))
        assert lengths[128:] == [512, 256, 128]

    @pytest.mark.parametrize("address", range(5))
    def test_any_address_and_not_a_byte_more(self, port, address):
        self.store(port, store_setup(2, 3, 5, 2), address, stride=7)
        row = [np.array([word(5 + unit, 2 + i) for i in range(3)], "<u4").tobytes() for unit in range(2)]
        expected = b"\xee" * address + row[0] + b"\xee" * 7 + row[1] + b"\xee" * 7
        assert stored(port, len(expected)) == expected

    def test_a_stride_of_sixteen_bits(self, port):
        self.store(port, store_setup(2, 1), stride=0xFFF0)
        assert stored(port, 4, 0xFFF4) == word(1, 0).to_bytes(4, "little")

    def test_a_unit_goes_on_behind_the_last_column(self, port):
        self.store(port, store_setup(1, 4, 7, 14))
        assert words_of(stored(port, 16)) == [word(7, 14), word(7, 15), word(8, 0), word(8, 1)]

    def test_columns(self, port):
        self.store(port, store_setup(2, 40, 20, 15, horizontal=0))
        expected = [word(20 + row, column) for column in (15, 0) for row in range(40)]
        assert words_of(stored(port, 320)) == expected, "column 0 is after column 15"

    def test_packed_narrow_units(self, port):
        port.vpm.words.view(np.uint8)[:] = np.arange(64)
        self.store(port, store_setup(2, 5, 1, 2, BYTE | 3))
        assert stored(port, 11) == bytes([11, 12, 13, 14, 15]) * 2 + b"\xee"

    def test_laned_units_take_one_part_of_each_word(self, port):
        port.vpm.words.view(np.uint8)[:] = np.arange(64)
        self.store(port, store_setup(1, 18, 1, 0, BYTE | 1, laned=1))
        assert stored(port, 18) == bytes([*range(1, 64, 4), 1, 5])
        self.store(port, store_setup(1, 3, 1, 2, HALF | 1, horizontal=0, laned=1))
        assert stored(port, 6) == bytes([10, 11] * 3)

    def test_block_mode_packs_units(self, port):
        self.store(port, store_setup(3, 6, 4, 2), block_mode=1, stride=8)
        run = [word(4 + (2 + i) // 16, (2 + i) % 16) for i in range(18)]
        for unit in range(3):
            assert words_of(stored(port, 24, 32 * unit)) == run[6 * unit : 6 * unit + 6]
        port.vpm.words.view(np.uint8)[:] = np.arange(64)
        self.store(port, store_setup(2, 3, 4, 2, BYTE | 1, horizontal=0), block_mode=1)
        assert stored(port, 6) == bytes([9, 10, 11, 8, 9, 10])
        self.store(port, store_setup(5, 1, 4, 2, BYTE | 1), block_mode=1)
        assert stored(port, 5) == bytes([9, 10, 11, 12, 13])

    def test_block_mode_of_one_word_takes_a_row_each(self, port):
        self.store(port, store_setup(4, 1, 4, 2), block_mode=1, stride=12)
        assert [words_of(stored(port, 4, 16 * unit)) for unit in range(4)] == [[word(4 + unit, 2)] for unit in range(4)]
        self.store(port, store_setup(4, 1, 4, 2, horizontal=0), block_mode=1)
        assert words_of(stored(port, 16)) == [word(4, 2 + unit) for unit in range(4)]

    def test_the_reserved_mode(self, port):
        self.store(port, store_setup(1, 1, mode=1))
        assert stored(port, SIZE) == b"\xee" * SIZE
        assert port.vpm.errors == {"VDWE"}

    def test_a_store_outside_of_memory(self, port):
        self.store(port, store_setup(3, 1), SIZE - 6, stride=0xFFFC - SIZE % 0x1_0000)
        assert stored(port, 4, SIZE - 6) == word(0, 0).to_bytes(4, "little")
        assert str(port.vpm.fault) == f"DMA store at {BASE + SIZE - 6 + 0x1_0000:#010x} is outside of memory"
        assert port.vpm.errors == {"VDWE"}


class TestRows:
    """Which rows a block touches."""

    @pytest.mark.parametrize(
        ("setup", "block_mode", "rows"),
        [
            (store_setup(3, 17, 126), False, {126, 127, 0, 1}),
            (store_setup(3, 17, 10, horizontal=0), False, set(range(10, 27))),
            (store_setup(3, 17, 10), True, {10, 11, 12, 13}),
        ],
    )
    def test_of_stores(self, setup, block_mode, rows):
        assert store_block(setup, block_mode << 16, 0).rows == rows

    @pytest.mark.parametrize(
        ("setup", "rows"),
        [
            (load_setup(3, 16, 10, 1, HALF, row_pitch=6), {10, 13, 16}),
            (load_setup(2, 16, 10, 1, row_pitch=0, vertical=1), set(range(10, 42))),
        ],
    )
    def test_of_loads(self, setup, rows):
        assert load_block(setup, 0, 0).rows == rows


class TestReservation:
    def test_at_first_all_rows_that_the_host_can_reserve(self):
        assert [VpmUnit(rows, Memory(0)).user_rows for rows in (64, 128, 192, 256)] == [64, 124, 124, 124]

    @pytest.mark.parametrize(
        ("blocks", "row", "errors"),
        [(16, 63, set()), (3, 11, set()), (3, 12, {"VPMEWNA", "VPMERNA"}), (0, 0, {"VPMEWNA", "VPMERNA"})],
    )
    def test_vectors(self, port, blocks, row, errors):
        port.vpm.reserve(blocks)
        port.write_setup(vectors(row))
        port.write(np.full(16, 5, np.uint32))
        port.read_setup(vectors(row, count=1))
        assert port.read().tolist() == [0 if errors else 5] * 16
        assert port.vpm.words[row, 0] == (word(row, 0) if errors else 5)
        assert port.vpm.errors == errors

    def test_elements_of_a_column(self, port):
        port.vpm.reserve(1)
        port.read_setup(vectors(3, horizontal=0, count=1))
        assert port.read().tolist() == [word(row, 3) for row in range(4)] + [0] * 12

    def test_blocks(self, port):
        port.vpm.reserve(2)
        port.write_setup(store_setup(2, 16, 7))
        port.store(BASE)
        assert words_of(stored(port, 128)) == [word(7, column) for column in range(16)] + [0] * 16
        assert port.vpm.errors == {"VPMERNA"}
        port.read_setup(load_setup(2, 16, 7))
        port.load(BASE)
        assert port.vpm.words[8, 0] == word(8, 0)
        assert port.vpm.errors == {"VPMERNA", "VPMEWNA"}

    def test_rows_that_do_not_exist(self, port):
        port.write_setup(store_setup(1, 16, 64))
        port.store(BASE)
        assert stored(port, 64) == bytes(64)
        assert port.vpm.errors == {"VPMERR"}


class TestPrograms:
    """What instructions do with it."""

    @pytest.fixture
    def model(self):
        """`model(source)`: the GPU behind the programs, one after the other on one QPU."""

        def run(*sources, observed=None):
            codes = [assemble(source + "\nthrend\nnop\nnop\n").code for source in sources]
            image = b"".join(code.ljust(0x400, b"\0") for code in codes) + bytes(0x1000)
            model = V3D(V3DConfig(), Memory(len(image), BASE, image))
            model.vpm.words[:] = np.arange(64)[:, None]
            self.model = model
            self.events = list(model.run([Launch(BASE + 0x400 * number, BASE) for number in range(len(codes))]))
            return model

        return run

    def accumulators(self, model):
        return [int(values[0]) for values in model.qpus[0].accumulators]

    def test_a_read_through_both_ports_is_one(self, model):
        done = model(f"ldi vr_setup, {vectors(5, count=2)}\nadd r0, vpm, vpm\nmov r1, vpm")
        assert self.accumulators(done)[:2] == [10, 6]

    def test_an_instruction_reads_and_fetches_before_it_writes(self, model):
        """Rows 5 to 12 are fetched at once, row 13 by the first read, and row 14 by the second, which also writes it."""
        done = model(
            f"""
            ldi vw_setup, {vectors(14)}
            ldi vr_setup, {vectors(5, count=10)}
            ldi r0, 100
            mov r1, vpm
            mov r2, vpm; mov vpm, r0
            """
            + "read vpm\n" * 7
            + "mov r3, vpm"
        )
        assert self.accumulators(done)[1:4] == [5, 6, 14]
        assert done.vpm.words[14, 0] == 100

    def test_reads_end_with_the_program(self, model):
        with pytest.raises(Deadlock, match=r"^QPU 0 at 0x00004408 waits for vpm, and no read is set up$"):
            model(f"ldi vr_setup, {vectors(5, count=4)}\nmov r0, vpm", "mov r1, elem_num\nmov r0, vpm")

    def test_a_read_that_nothing_was_set_up_for(self, model):
        with pytest.raises(Deadlock, match=r"^QPU 0 at 0x00004010 waits for vpm, and no read is set up$"):
            model(f"ldi vr_setup, {vectors(5, count=1)}\nmov r0, vpm\nmov r0, vpm")

    def test_a_wait_leaves_the_mutex_alone(self, model):
        with pytest.raises(Deadlock):
            model("or r0, vpm, mutex")
        assert not self.model.machine.sync.mutex[0]

    def test_loads_and_stores(self, model):
        done = model(
            f"""
            ldi vr_setup, {load_setup(1, 16)}
            ldi vr_addr, {BASE}
            read vr_wait
            ldi vw_setup, {store_setup(1, 16)}
            ldi vw_addr, {BASE + 0x800}
            read vw_wait
            """
        )
        assert done.memory.data[0x800:0x840] == done.memory.data[:0x40] != bytes(64)

    def test_busy_registers_show_what_was_observed(self, model):
        done = model("or r0, vr_busy, vw_busy\nnop")
        assert [event.reads for event in self.events if getattr(event, "reads", ())] == [
            (("vr_busy", 0), ("vw_busy", 0))
        ]
        qpu = done.qpus[0]
        qpu.start(Launch(BASE, BASE))
        assert qpu.step({"vr_busy": 1, "vw_busy": 0}).reads == (("vr_busy", 1), ("vw_busy", 0))
        assert qpu.accumulators[0].tolist() == [1] * 16

    def test_both_set_ups_in_one_instruction(self, model):
        """Both set-ups are at address 49, of two files: two registers in the guide's table 14, and both are written."""
        done = model(
            f"""
            ldi r0, {vectors(9)}
            ldi r1, {vectors(5, count=1)}
            mov vw_setup, r0; v8min vr_setup, r1, r1
            mov r2, vpm
            mov vpm, r2
            """
        )
        assert self.accumulators(done)[2] == 5
        assert done.vpm.words[9, 0] == 5

"""`Vdr` against the model's blocks, all fields of the set-ups, on native code."""

import random

import pytest

from vc4.records.vpm import DmaMode

from .dma_bench import (
    BASE,
    BUSES,
    SIZE,
    SOME_MODES,
    Engines,
    load,
    on_its_bus,
    random_load,
    random_store,
    run_random,
    store,
)

pytestmark = pytest.mark.usefixtures("compiler")
COUNT, MANY = 350, 5000


@BUSES
def test_random_loads(word_bytes):
    run_random(word_bytes, word_bytes, COUNT, lambda rng: (random_load(rng), None))


@BUSES
def test_random_loads_beside_stores(word_bytes):
    run_random(word_bytes, 100 + word_bytes, COUNT // 5, lambda rng: (random_load(rng), random_store(rng)))


@pytest.mark.slow
@BUSES
def test_many_random_loads_beside_stores(word_bytes):
    run_random(word_bytes, 200 + word_bytes, MANY, lambda rng: (random_load(rng), random_store(rng)))


@pytest.mark.parametrize("mode", SOME_MODES)
@pytest.mark.parametrize("vertical", [0, 1])
def test_every_value_of_every_field(mode, vertical):
    engines = Engines(8, random.Random(1))
    fields = {"column": 16, "row": 128, "row_pitch": 16, "rows": 16, "row_length": 16, "memory_pitch": 16}
    for name, values in fields.items():
        for value in range(values):
            engines.run(load(BASE + value, mode=mode, vertical=vertical, **{name: value}))


#: Clocks from the one that takes a load to `done`, on top of one for each word of the bus.
OVERHEAD = 5


@pytest.mark.parametrize(
    ("word_bytes", "address", "fields", "words", "more"),
    [
        on_its_bus(4, 0, {}, 256, 0),
        (8, 0, {}, 128, 0),
        on_its_bus(16, 0, {}, 64, 0),
        (8, 4, {}, 144, 0),  # each row ends in the middle of a ninth word
        (8, 3, {}, 144, 0),
        on_its_bus(16, 13, {}, 80, 0),
        (8, 4096 - 32, {}, 128, 0),  # the first row crosses 4 KiB
        (8, 0, {"vertical": 1, "row_pitch": 0, "column": 5}, 128, 0),
        (8, 0, {"vertical": 1}, 128, 4),  # one row in four ends two quads, and the next one has to wait
        on_its_bus(16, 4, {"vertical": 1, "row": 3}, 80, 0),
        (8, 0, {"row_length": 1}, 16, 0),  # a request, a word and a quad every clock
        (8, 2, {"row_length": 8, "column": 7}, 80, 0),
        (8, 0, {"mode": DmaMode.BYTE_0, "row_pitch": 4}, 32, 0),
        (8, 1, {"mode": DmaMode.BYTE_3, "row_pitch": 4, "row_length": 13}, 32, 0),
        on_its_bus(16, 0, {"row_length": 8, "column": 1}, 32, 16),  # three quads for two words
    ],
)
def test_clocks_of_a_load(word_bytes, address, fields, words, more):
    result = Engines(word_bytes, random.Random(1)).run(load(BASE + address, **fields))
    assert result.read_words == words
    assert result.load_clocks == words + more + OVERHEAD


@pytest.mark.parametrize("latency", [1, 20, 100])
def test_all_rows_are_asked_for_at_once(latency):
    """The latency of memory counts once."""
    result = Engines(8, random.Random(2), latency=latency).run(load())
    assert result.load_clocks == 128 + latency + OVERHEAD


@BUSES
def test_a_reserved_code_ends_at_once(word_bytes):
    engines = Engines(word_bytes, random.Random(3))
    memory, vpm = engines.memory.copy(), engines.vpm.copy()
    result = engines.start(load(mode=DmaMode.EXTENDED))
    assert not result.problem
    assert result.load_clocks == 2
    assert result.load_bad == 1
    assert (engines.memory == memory).all()
    assert (engines.vpm == vpm).all()
    engines.run(load())


@BUSES
@pytest.mark.parametrize("address", [0, BASE - 128, BASE + SIZE - 64, BASE + SIZE - 3, 0xFFFF_FFFF])
def test_what_memory_refuses_is_not_written(word_bytes, address):
    engines = Engines(word_bytes, random.Random(4))
    engines.run(load())
    engines.run(load(address))
    assert engines.load_error
    engines.run(load())


def test_rows_that_are_announced():
    """The range is no wider than it has to be, where that is easy to say."""
    engines = Engines(8, random.Random(5))
    for one, rows in (
        (load(row=3), (3, 16)),
        (load(row=120, row_pitch=2, rows=4), (120, 7)),
        (load(row=5, vertical=1, rows=1, row_length=7), (5, 7)),
        (load(row=100, row_pitch=0), (100, 128)),
        (load(row=9, mode=DmaMode.BYTE_0, row_pitch=4, rows=5), (9, 5)),
    ):
        assert tuple(engines.run(one).load_rows) == rows


@pytest.mark.parametrize(("load_clock", "store_clock"), [(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (1, 40), (40, 1)])
@pytest.mark.parametrize("rows", [(0, 0), (0, 15), (15, 0), (127, 5)])
def test_rows_in_common_keep_the_order(rows, load_clock, store_clock):
    """The later one waits until the earlier one is done with its rows; in the same clock that is the load."""
    engines = Engines(8, random.Random(7), latency=5)
    first, second = load(row=rows[0]), store(BASE + 0x2000, row=rows[1])
    result = engines.run(first, second, load_clock=load_clock, store_clock=store_clock)
    assert result.clocks > 256


def test_a_load_and_a_store_do_not_hold_up_each_other():
    result = Engines(8, random.Random(6)).run(load(row=0), store(BASE + 0x2000, row=64))
    assert result.load_clocks == 128 + OVERHEAD
    assert result.clocks < 128 + 20

"""`Vdw` against the model's blocks, all fields of the set-ups, on native code."""

import random

import pytest

from vc4.records.vpm import DmaMode

from .dma_bench import BASE, BUSES, MODES, SIZE, SOME_MODES, Engines, on_its_bus, random_store, run_random, store

pytestmark = pytest.mark.usefixtures("compiler")
COUNT, MANY = 350, 5000


@BUSES
def test_random_stores(word_bytes):
    run_random(word_bytes, word_bytes, COUNT, lambda rng: (None, random_store(rng)))


@pytest.mark.slow
@BUSES
def test_many_random_stores(word_bytes):
    run_random(word_bytes, 200 + word_bytes, MANY, lambda rng: (None, random_store(rng)))


@pytest.mark.parametrize("mode", SOME_MODES)
@pytest.mark.parametrize("horizontal", [0, 1])
@pytest.mark.parametrize("laned", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_every_value_of_every_field(mode, horizontal, laned):
    engines = Engines(8, random.Random(1))
    for name, values in {"column": 16, "row": 128, "depth": 128, "units": 128}.items():
        for value in range(values):
            fields = {"units": 3, "depth": 5, name: value}
            engines.run(store=store(BASE + value, mode=mode, horizontal=horizontal, laned=laned, **fields))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("horizontal", [0, 1])
def test_block_mode(mode, horizontal):
    engines = Engines(8, random.Random(2))
    for depth in (1, 2, 3, 16, 37, 0):
        for laned in (0, 1):
            fields = {"mode": mode, "horizontal": horizontal, "laned": laned, "units": 7, "depth": depth, "column": 9}
            engines.run(store=store(BASE + 1, block_mode=1, **fields))


def test_units_of_a_word_take_a_row_each_in_block_mode():
    engines = Engines(8, random.Random(3))
    engines.run(store=store(block_mode=1, depth=1, stride=4, row=5, column=2))
    words = engines.vpm.view("<u4").reshape(-1, 16)
    assert (engines.memory.view("<u4")[:32:2] == words[5:21, 2]).all()


#: Clocks from the one that takes a store to `done`, on top of one for each word of the bus.
OVERHEAD = 9


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
        (8, 0, {"units": 64}, 512, 0),
        (8, 0, {"horizontal": 0}, 128, 0),
        (8, 0, {"depth": 2, "units": 0}, 128, 0),  # a request, a word and a quad every clock
        on_its_bus(16, 0, {"depth": 4, "units": 0}, 128, 0),
        (8, 4, {"depth": 1, "column": 3, "stride": 60}, 16, 0),
        (8, 0, {"depth": 8, "column": 1}, 64, 0),
        (8, 0, {"depth": 8, "column": 3}, 64, 16),  # as `VdwPacker` says
        on_its_bus(16, 0, {"depth": 8, "column": 1}, 32, 16),
        (8, 0, {"mode": DmaMode.BYTE_0, "depth": 64}, 128, 0),
        (8, 1, {"mode": DmaMode.HALF_1, "depth": 31}, 140, 0),
    ],
)
def test_clocks_of_a_store(word_bytes, address, fields, words, more):
    result = Engines(word_bytes, random.Random(1)).run(store=store(BASE + address, **fields))
    assert result.write_words == words
    assert result.store_clocks == words + more + OVERHEAD


@pytest.mark.parametrize(("latency", "clocks"), [(4, 0), (20, 16), (32, 28)])
def test_latency_counts_once(latency, clocks):
    """Less the clocks from the first request to its first word."""
    result = Engines(8, random.Random(2), latency=latency).run(store=store())
    assert result.store_clocks == 128 + clocks + OVERHEAD


@BUSES
def test_the_reserved_code_ends_at_once(word_bytes):
    engines = Engines(word_bytes, random.Random(3))
    memory, vpm = engines.memory.copy(), engines.vpm.copy()
    result = engines.start(store=store(mode=DmaMode.EXTENDED))
    assert not result.problem
    assert result.store_clocks == 2
    assert result.store_bad == 1
    assert (engines.memory == memory).all()
    assert (engines.vpm == vpm).all()
    engines.run(store=store())


@BUSES
@pytest.mark.parametrize("address", [0, BASE - 128, BASE + SIZE - 64, BASE + SIZE - 3, 0xFFFF_FFFF])
def test_what_memory_refuses_is_lost(word_bytes, address):
    engines = Engines(word_bytes, random.Random(4))
    engines.run(store=store())
    engines.run(store=store(address))
    assert engines.store_error
    engines.run(store=store())


def test_rows_that_are_announced():
    """The range is no wider than it has to be, where that is easy to say."""
    engines = Engines(8, random.Random(5))
    for one, rows in (
        (store(row=3), (3, 16)),
        (store(row=120, units=2, depth=33), (120, 4)),
        (store(row=5, horizontal=0, units=3, depth=7), (5, 7)),
        (store(row=9, mode=DmaMode.BYTE_1, units=5, depth=16), (9, 5)),
        (store(row=9, mode=DmaMode.HALF_0, laned=1, units=5, depth=16, column=1), (9, 6)),
        (store(row=9, block_mode=1, units=5, depth=4), (9, 5)),
        (store(row=9, block_mode=1, units=5, depth=17), (9, 128)),
    ):
        assert tuple(engines.run(store=one).store_rows) == rows

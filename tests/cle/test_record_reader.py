"""`RecordReader` after a `ListFetch`: the records of the model, and the same faults at the same addresses."""

import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import connect

from vc4.cle.list_fetch import ListFetch
from vc4.cle.record_reader import RecordReader
from vc4.cle.structs import ListFault
from vc4.records.control import RECORDS
from vc4sim.bench.memory import BenchMemory
from vc4sim.model.cle.control_records import ListError, read_record
from vc4sim.model.memory import Memory

SIZE = 0x1000
PATIENCE = 1000


def some_list(rng, count):
    """Records one after the other; some of their fields have reserved values."""
    data = bytearray()
    for _ in range(count):
        record = RECORDS[rng.choice(list(RECORDS))]
        payload = rng.randbytes(record.length - 1) if rng.random() < 0.1 else bytes(record.length - 1)
        data += bytes([record.code.value]) + payload
    return bytes(data)


def expected(memory, address):
    """Records from an address on, up to the first that is wrong: code, payload, address, fault."""
    while True:
        try:
            record = read_record(memory, address)
        except ListError as error:
            what = str(error)
            fault = (
                ListFault.VALUE
                if "reserved" in what
                else ListFault.CODE
                if "no control record" in what
                else ListFault.MEMORY
            )
            yield None, None, error.address, fault
            return
        payload = memory.read(address + 1, record.kind.length - 1) if record.kind.length > 1 else b""
        yield record.code, payload, address, ListFault.NONE
        address = record.end


@pytest.fixture
def run(simulate):
    """`run(contents, addresses, seed=, latency=, gap=, pause=)`: reads a list from each address; returns the clocks of each."""

    def start(contents, addresses, *, seed=1, latency=1, gap=0.0, pause=0.0, most=10_000):
        print(f"seed {seed}")
        rng = random.Random(seed)
        model = Memory(SIZE)
        model.write(0, contents)
        m = Module()
        m.submodules.fetch = fetch = ListFetch()
        m.submodules.dut = dut = RecordReader()
        m.submodules.memory = memory = BenchMemory(
            SIZE, base=0, init=contents.ljust(SIZE, b"\0"), latency=latency, gap=gap, seed=seed
        )
        connect(m, fetch.port, memory.bus)
        address = Signal(32)
        m.d.comb += [
            fetch.restart.eq(dut.restart),
            fetch.address.eq(address),
        ]
        connect(m, fetch.window, dut.window)
        clocks = []

        async def bench(ctx):
            for start in addresses:
                ctx.set(address, start)
                ctx.set(dut.restart, 1)
                ctx.set(dut.o.ready, 0)
                await ctx.tick()
                ctx.set(dut.restart, 0)
                clock, waited = 0, 0
                records = expected(model, start)
                wanted = next(records)
                for _ in range(most):
                    ready = rng.random() >= pause
                    ctx.set(dut.o.ready, ready)
                    valid, record = ctx.get(dut.o.valid), ctx.get(dut.o.payload)
                    length = ctx.get(dut.length)
                    await ctx.tick()
                    clock += 1
                    waited = 0 if valid else waited + 1
                    assert waited < PATIENCE, f"nothing comes after {wanted[2]:#x}"
                    if not (valid and ready):
                        continue
                    code, payload, place, fault = wanted
                    assert record.fault == fault, f"at {place:#x}"
                    if fault is not ListFault.NONE:
                        break
                    assert record.code is code
                    assert record.payload & (1 << 8 * len(payload)) - 1 == int.from_bytes(payload, "little")
                    assert length == 1 + len(payload)
                    wanted = next(records)
                    if RECORDS[record.code.value].role.is_list:
                        ctx.set(address, wanted[2])
                        ctx.set(dut.restart, 1)
                        await ctx.tick()
                        ctx.set(dut.restart, 0)
                clocks.append(clock)

        simulate(m, bench)
        return clocks

    return start


@pytest.mark.parametrize(("latency", "gap"), [(1, 0.0), (20, 0.3)])
def test_any_records(run, latency, gap):
    for seed in range(6):
        rng = random.Random(seed)
        contents = some_list(rng, 60) + bytes([9])
        run(contents, [0, 0, 0], seed=seed, latency=latency, gap=gap, pause=rng.choice((0, 0.5)))


def test_any_bytes(run):
    """Most lists of random bytes are wrong, each at the same place as in the model."""
    rng = random.Random(7)
    contents = bytes(rng.choice((0, 1, 2, 6, 32, 56, 96, 102, 112, 114, rng.randrange(256))) for _ in range(SIZE))
    run(contents, [rng.randrange(SIZE) for _ in range(100)], latency=3)


def test_at_the_end_of_memory(run):
    """A record whose last byte is not in memory, one that is after it, and one that ends with it."""
    for code in (112, 105, 1):
        length = RECORDS[code].length
        for missing in {0, 1, length // 2, length}:
            contents = bytearray(SIZE)
            at = SIZE - length + missing
            contents[at:] = (bytes([code]) + bytes(length))[: SIZE - at]
            run(bytes(contents), [at - 3])


@pytest.mark.parametrize(("code", "count", "clocks"), [(1, 200, 205), (99, 100, 105), (105, 100, 205), (112, 50, 105)])
def test_clocks(run, code, count, clocks):
    """As many of a record: without payload, of 5 bytes, of 9, of 16. The last one, which is wrong, is counted too."""
    contents = (bytes([code]) + bytes(RECORDS[code].length - 1)) * count + bytes([9])
    assert run(contents, [0]) == [clocks]

"""Hardware wired at random, and what Amaranth's simulator makes of it."""

import random

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from vc4.common.ram import LutRam

__all__ = ["IN_BITS", "OUT_BITS", "Random", "in_amaranths_simulator"]

IN_BITS, OUT_BITS = 40, 150


class Inner(data.Struct):
    """A struct within a struct."""

    flag: unsigned(1)
    value: unsigned(32)


class Outer(data.Struct):
    """More bits than a word, at odd places."""

    head: unsigned(5)
    inner: data.ArrayLayout(Inner, 2)
    rest: unsigned(IN_BITS)
    tail: unsigned(OUT_BITS - 5 - 2 * 33 - IN_BITS)


class Random(wiring.Component):
    """Registers, multiplexers and a memory of wide structs, wired at random; fields depend on fields of the same signal."""

    i: In(IN_BITS)
    o: Out(Outer)

    def __init__(self, seed):
        self._random = random.Random(seed)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        rng = self._random
        held = [Signal(Outer, name=f"held_{number}", init={"head": rng.getrandbits(5)}) for number in range(3)]
        mixed = Signal(Outer)
        m.submodules.ram = ram = LutRam(OUT_BITS, 4)

        def any_of(*signals):
            """Some bits of one of them."""
            signal = Value.cast(rng.choice(signals))
            low = rng.randrange(len(signal))
            return signal[low : low + rng.choice([1, 3, 17, 32, 50])]

        sources = [*held, self.i, ram.read_data]
        m.d.comb += [
            mixed.head.eq(any_of(*sources)),
            mixed.inner[0].value.eq(mixed.head + any_of(*sources)),
            mixed.inner[0].flag.eq(mixed.inner[0].value.any()),
            mixed.inner[1].eq(Mux(mixed.inner[0].flag, any_of(*sources), Cat(any_of(*sources), any_of(*sources)))),
            mixed.rest.eq(any_of(*sources) ^ any_of(*sources, mixed.inner[1])),
            mixed.tail.eq(~Cat(mixed.rest, mixed.inner[1].flag)),
            ram.write_address.eq(any_of(self.i)),
            ram.read_address.eq(any_of(held[0])),
            ram.write_data.eq(mixed),
            ram.write_enable.eq(any_of(*sources)),
            self.o.eq(Mux(any_of(self.i)[0], mixed, held[1])),
        ]
        for number, register in enumerate(held):
            with m.If(any_of(*sources)):
                m.d.sync += register.eq(rng.choice([mixed, held[number - 1], Cat(self.i, any_of(mixed))]))
            with m.Elif(any_of(*sources)[0]):
                m.d.sync += register.rest.eq(any_of(*sources))
        return m


def in_amaranths_simulator(device, inputs, resets=lambda value: False):
    """What `o` is with each of the values of `i`, one a clock; `resets` says of a value whether all is reset in its clock."""
    seen, reset = [], Signal()

    async def bench(ctx):
        for value in inputs:
            ctx.set(device.i, value)
            ctx.set(reset, resets(value))
            seen.append(ctx.get(Value.cast(device.o)))
            await ctx.tick()

    simulator = Simulator(ResetInserter(reset)(device))
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen

"""The frame around a part that is measured."""

import random

from amaranth.hdl import Assert, Cat, Module, unsigned
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4sim.synth.frame import Frame

BYTE = unsigned(8)


class Part(wiring.Component):
    """Nested ports of both directions, 18 inputs and 17 outputs; a check that always fails."""

    a: In(9)
    items: In(stream.Signature(BYTE))
    total: Out(10)
    narrow: Out(stream.Signature(unsigned(5)))

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.total.eq(self.a + self.items.payload),
            self.items.ready.eq(self.a[0] & self.items.valid),
            self.narrow.valid.eq(self.items.payload[7]),
            self.narrow.payload.eq(self.a[4:]),
        ]
        m.d.sync += Assert(0, "a check that is left in")
        return m


def outputs_of(bits):
    """The parity of the outputs of `Part`, from its inputs in the order of its ports."""
    a, payload, valid = bits & 0x1FF, bits >> 9 & 0xFF, bits >> 17 & 1
    outputs = (a + payload, a & valid & 1, payload >> 7, a >> 4)
    return sum(value.bit_count() for value in outputs) % 2


def test_every_input_is_fed_and_every_output_is_folded(simulate):
    rng = random.Random(1)
    part = Part()
    frame = Frame(part)
    expected = []

    async def bench(ctx):
        for clock in range(400):
            ctx.set(frame.scan_in, rng.randrange(2))
            await ctx.tick()
            inputs = ctx.get(Cat(part.a, part.items.payload, part.items.valid))
            expected.append(outputs_of(inputs))
            if clock > frame.levels:
                assert ctx.get(frame.scan_out) == expected[clock - frame.levels - 1], clock

    simulate(frame, bench)
    assert 0.3 < sum(expected) / len(expected) < 0.7
    assert frame.levels == 3  # 17 outputs, 5, 2, 1


def test_a_bit_goes_through_all_inputs(simulate):
    part = Part()
    frame = Frame(part)
    inputs = Cat(part.a, part.items.payload, part.items.valid, part.narrow.ready)

    async def bench(ctx):
        ctx.set(frame.scan_in, 1)
        seen = []
        for _ in range(len(inputs)):
            await ctx.tick()
            ctx.set(frame.scan_in, 0)
            seen.append(ctx.get(inputs))
        assert sorted(seen) == [1 << bit for bit in range(len(inputs))]
        await ctx.tick()
        assert ctx.get(inputs) == 0

    simulate(frame, bench)

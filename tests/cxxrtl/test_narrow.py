"""Designs in pieces do what the whole ones do: random hardware, compared clock by clock."""

import ctypes
import random

import pytest
from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from vc4.common.ram import LutRam
from vc4sim.cxxrtl.build import Kind, build
from vc4sim.cxxrtl.cuts import WORD
from vc4sim.cxxrtl.narrow import narrow
from vc4sim.cxxrtl.rtlil import Chunk, const, read, sliced

CLOCKS = 200
IN_BITS, OUT_BITS = 40, 150
#: A driver that gives each clock its input words and takes its output words.
DRIVER = """
extern "C" void run(const uint32_t *inputs, uint32_t *outputs, uint32_t clocks) {
    cxxrtl_design::p_top top;
    for (; clocks; clocks--) {
        ports::i(top, {inputs[0], inputs[1]});
        inputs += 2;
        ports::clk(top, {1});
        top.eval();
        for (uint32_t word : ports::o(top))
            *outputs++ = word;
        top.commit();
        ports::clk(top, {0});
        top.prev_p_clk = top.p_clk;
    }
}
"""


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


def in_amaranths_simulator(seed, inputs):
    device, seen = Random(seed), []

    async def bench(ctx):
        for value in inputs:
            ctx.set(device.i, value)
            seen.append(ctx.get(device.o.as_value()))
            await ctx.tick()

    simulator = Simulator(device)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def compiled(seed, inputs, folder):
    words = [word for value in inputs for word in (value & 0xFFFF_FFFF, value >> 32)]
    room = -(-OUT_BITS // WORD)
    outputs = (ctypes.c_uint32 * (room * len(inputs)))()
    library = build(rtlil.convert(Random(seed), emit_src=False), DRIVER, folder, kind=Kind.FAST)
    library.run((ctypes.c_uint32 * len(words))(*words), outputs, ctypes.c_uint32(len(inputs)))
    return [sum(outputs[clock * room + word] << 32 * word for word in range(room)) for clock in range(len(inputs))]


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("seed", range(5))
def test_random_hardware(seed, tmp_path):
    rng = random.Random(seed)
    inputs = [rng.getrandbits(IN_BITS) for _ in range(CLOCKS)]
    assert compiled(seed, inputs, tmp_path) == in_amaranths_simulator(seed, inputs)


EXAMPLE = r"""
module \top
  attribute \init 40'0000000000000000000000000000000000000101
  wire width 40 \q
  wire width 40 \d
  wire width 8 input 0 \i
  wire width 33 output 1 \o
  wire input 2 \clk
  cell $dff $1
    parameter \CLK_POLARITY 1
    parameter \WIDTH 40
    connect \CLK \clk
    connect \D \d
    connect \Q \q
  end
  connect \d { \q [31:0] \i }
  connect \o \q [32:0]
end
"""


def test_what_is_read_is_written():
    module = read(EXAMPLE)
    assert read(module.write()) == module
    assert module.wires["\\q"].init == "101".ljust(40, "0")
    assert module.connections[0][1] == [Chunk(8, "\\i"), Chunk(32, "\\q")]


def test_no_piece_is_wider_than_a_word_and_all_bits_are_there():
    narrowed, ports = narrow(read(EXAMPLE))
    assert all(wire.width <= WORD for wire in narrowed.wires.values())
    assert sum(width for _, _, width in ports["\\o"]) == 33
    assert sum(wire.width for name, wire in narrowed.wires.items() if name.startswith("\\q")) == 40
    registers = [cell for cell in narrowed.cells if cell.kind == "$dff"]
    assert sum(int(cell.parameters["\\WIDTH"]) for cell in registers) == 40


def test_slices_of_signals():
    spec = [Chunk(4, "\\a", 2), const("0110"), Chunk(8, "\\b")]
    assert sliced(spec, 3, 6) == [Chunk(1, "\\a", 5), const("0110"), Chunk(1, "\\b")]


LOOP = r"""
module \top
  wire width 2 \a
  wire width 2 \b
  cell $add $1
    parameter \A_SIGNED 0
    parameter \A_WIDTH 2
    parameter \B_SIGNED 0
    parameter \B_WIDTH 2
    parameter \Y_WIDTH 2
    connect \A \a
    connect \B 2'01
    connect \Y \b
  end
  connect \a \b
end
"""


def test_a_loop_is_refused():
    with pytest.raises(ValueError, match="depend on themselves"):
        narrow(read(LOOP))

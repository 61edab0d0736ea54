"""A design joined to what was taken out of it does what it did before, also while parts of it are asleep."""

import ctypes
import random

import pytest
from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4sim.cxxrtl.build import Part
from vc4sim.cxxrtl.sockets import declaration, take_out, unplug
from vc4sim.native.build import compile_joined, link_joined

from ..cxxrtl.random_hardware import IN_BITS, OUT_BITS, Random, in_amaranths_simulator

CLOCKS = 400
#: Gives the whole its input words in each clock, takes its output words, and counts the clocks in which each kind is asleep.
DRIVER = """
extern "C" void run(const uint32_t *inputs, uint32_t *outputs, uint32_t *asleep, uint32_t clocks) {
    v3d::Design whole;
    joints::Kinds kinds;
    for (; clocks; clocks--, inputs += 2) {
        v3d_ports::i(whole, {inputs[0], inputs[1]});
        for (int phase = 0; phase < joints::PHASES; phase++) {
            whole.settle(phase);
            std::apply([&](auto &...kind) { (kind.settle(whole, phase), ...); }, kinds);
        }
        for (uint32_t word : v3d_ports::o({whole}))
            *outputs++ = word;
        whole.commit();
        size_t number = 0;
        auto commit = [&](auto &design) {
            asleep[number++] += design.asleep();
            design.commit();
        };
        std::apply([&](auto &...kind) { (commit(kind.design), ...); }, kinds);
    }
}
"""
pytestmark = pytest.mark.usefixtures("compiler")


class Quiet(wiring.Component):
    """Changes for some clocks after its input has changed: registers, and a memory that is read long after a write."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def elaborate(self, platform):
        m = Module()
        m.submodules.ram = ram = BlockRam(IN_BITS, 8)
        before = Signal(IN_BITS)
        count = Signal(4)
        m.d.sync += before.eq(self.i)
        with m.If(before != self.i):
            m.d.sync += count.eq(0)
        with m.Elif(count != 9):
            m.d.sync += count.eq(count + 1)
        m.d.comb += [
            *(ram.write_address.eq(before), ram.write_data.eq(self.i), ram.write_enable.eq(before != self.i)),
            *(ram.read_address.eq(count), ram.read_enable.eq(count[0])),
            self.o.eq(Cat(ram.read_data, count, before ^ self.i)),
        ]
        return m


class Whole(wiring.Component):
    """Three random components and two quiet ones: each sees the input, and what some of the others had or have to say."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def __init__(self, seed):
        self.randoms = [Random(seed) for _ in range(3)]
        self.quiets = [Quiet() for _ in range(2)]
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        held = Signal(OUT_BITS)
        mixed = C(0, OUT_BITS)
        for number, one in enumerate(self.quiets):
            m.submodules[f"quiet_{number}"] = one
            m.d.comb += one.i.eq(self.i >> 7 * number)
            mixed = mixed ^ one.o
        for number, one in enumerate(self.randoms):
            m.submodules[f"random_{number}"] = one
            other = self.quiets[number % 2].o
            m.d.comb += one.i.eq(Mux(self.i[number], held, other.rotate_left(11 * number)))
            mixed = mixed.rotate_left(13) ^ Value.cast(one.o)
        m.d.sync += held.eq(mixed)
        m.d.comb += self.o.eq(mixed)
        return m


def compiled(seed, inputs, folder):
    """The outputs in all clocks, and in how many the random and the quiet ones were asleep."""
    whole = Whole(seed)
    kinds = {"wired": whole.randoms, "quiet": whole.quiets}
    parts = {name: (Part(rtlil.convert(ones[0], emit_src=False)), len(ones)) for name, ones in kinds.items()}
    for name, ones in kinds.items():
        for one in ones:
            take_out(one, name)

    def change(flat):
        for name, ones in kinds.items():
            unplug(flat, ones[0], name)

    sockets = "".join(declaration(ones[0], name) for name, ones in kinds.items())
    text = rtlil.convert(whole, emit_src=False) + sockets
    words = [word for value in inputs for word in (value & 0xFFFF_FFFF, value >> 32)]
    room = -(-OUT_BITS // 32)
    outputs = (ctypes.c_uint32 * (room * len(inputs)))()
    asleep = (ctypes.c_uint32 * len(kinds))()
    library = link_joined(compile_joined(Part(text, change), parts, "", folder), DRIVER, folder)
    library.run((ctypes.c_uint32 * len(words))(*words), outputs, asleep, ctypes.c_uint32(len(inputs)))
    values = [sum(outputs[at + word] << 32 * word for word in range(room)) for at in range(0, len(outputs), room)]
    return values, list(asleep)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_a_whole_and_its_parts(seed, tmp_path):
    rng = random.Random(seed)
    inputs = []
    while len(inputs) < CLOCKS:
        inputs += [rng.getrandbits(IN_BITS)] * rng.choice([1, 2, 5, 30])
    outputs, asleep = compiled(seed, inputs, tmp_path)
    assert outputs == in_amaranths_simulator(Whole(seed), inputs)
    assert CLOCKS / 8 < asleep[1] < CLOCKS

"""Designs in pieces do what the whole ones do: random hardware, compared clock by clock."""

import ctypes
import random

import pytest
from amaranth.back import rtlil

from vc4sim.cxxrtl.build import Kind, Part, build_parts
from vc4sim.cxxrtl.cuts import WORD
from vc4sim.cxxrtl.narrow import narrow
from vc4sim.cxxrtl.rtlil import Chunk, const, read, sliced

from .random_hardware import IN_BITS, OUT_BITS, Random, in_amaranths_simulator

CLOCKS = 200
#: A driver that gives each clock its input words and takes its output words.
DRIVER = """
extern "C" void run(const uint32_t *inputs, uint32_t *outputs, uint32_t clocks) {
    design::p_top top;
    for (; clocks; clocks--) {
        design_ports::i(top, {inputs[0], inputs[1]});
        inputs += 2;
        design_ports::clk(top, {1});
        top.eval();
        for (uint32_t word : design_ports::o(top))
            *outputs++ = word;
        top.commit();
        design_ports::clk(top, {0});
        top.prev_p_clk = top.p_clk;
    }
}
"""


def compiled(seed, inputs, folder):
    words = [word for value in inputs for word in (value & 0xFFFF_FFFF, value >> 32)]
    room = -(-OUT_BITS // WORD)
    outputs = (ctypes.c_uint32 * (room * len(inputs)))()
    part = Part(rtlil.convert(Random(seed), emit_src=False))
    library = build_parts({"design": part}, DRIVER, folder, kind=Kind.FAST)
    library.run((ctypes.c_uint32 * len(words))(*words), outputs, ctypes.c_uint32(len(inputs)))
    return [sum(outputs[clock * room + word] << 32 * word for word in range(room)) for clock in range(len(inputs))]


@pytest.mark.usefixtures("compiler")
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(5))
def test_random_hardware(seed, tmp_path):
    rng = random.Random(seed)
    inputs = [rng.getrandbits(IN_BITS) for _ in range(CLOCKS)]
    assert compiled(seed, inputs, tmp_path) == in_amaranths_simulator(Random(seed), inputs)


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


MIXED = r"""
module \top
  wire width 4 \q
  wire width 2 input 0 \i
  wire width 4 output 1 \o
  wire input 2 \clk
  cell $dff $1
    parameter \CLK_POLARITY 1
    parameter \WIDTH 2
    connect \CLK \clk
    connect \D \i
    connect \Q \q [1:0]
  end
  connect \q [3:2] \i
  connect \o \q
end
"""


def test_what_registers_drive_is_cut_from_what_follows_within_the_clock():
    """Or CXXRTL would want another evaluation."""
    narrowed, _ = narrow(read(MIXED))
    assert sorted(wire.width for name, wire in narrowed.wires.items() if name.startswith("\\q")) == [2, 2]

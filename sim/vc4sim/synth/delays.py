"""Delays of an ECP5 of speed grade 6, ways included, for what maps to LUTs.

Yosys counts a LUT and a carry chain without the way to them, takes what goes into a block RAM for what goes into a register, and
does not know that a word which goes into several registers has a longer way to them.
"""

from .models import known_models

__all__ = ["CELLS_FILE", "FAR_REGISTERS", "LUTS_FILE", "cell_delays", "lut_delays"]

#: Files for Yosys: a table, and cells in Verilog.
LUTS_FILE, CELLS_FILE = "luts.txt", "delays.v"

#: Picoseconds. The way is what nextpnr finds in the mean.
_WAY = 950
_LUT = _WAY + 240
#: In a carry chain: from an input to the carry, from carry to carry through two bits, and from the carry to a sum.
_ENTRY, _STEP, _EXIT = _WAY + 450, 70, 400
#: By so much a block RAM is farther away than a register, as there are few places for it.
_BLOCK_RAM = 1500
#: Flip-flops of signals with the attribute `vc4.common.select.FAR`, by its value, and how much farther away they are.
FAR_REGISTERS, _FAR = {1: "TRELLIS_FF_FAR", 2: "TRELLIS_FF_FARTHEST"}, 1200


def lut_delays() -> str:
    """The table of ABC: inputs, area and delay."""
    return "".join(f"{inputs} 1 {_LUT}\n" for inputs in range(1, 5))


def cell_delays() -> str:
    """Two bits of a carry chain, with what they do, as Yosys looks into them; block RAM and far registers, without an inside.

    Raises `BadInput` if the Yosys from PyPI is not installed.
    """
    return _carry() + _block_ram() + "".join(map(_far_register, FAR_REGISTERS))


def _carry() -> str:
    delays = [("CIN", "S0", _EXIT), ("CIN", "S1", _EXIT), ("CIN", "COUT", _STEP)]
    for pin in "ABCD":
        delays += [(f"{pin}{bit}", f"S{bit}", _LUT) for bit in range(2)]
        delays += [(f"{pin}{bit}", "COUT", _ENTRY) for bit in range(2)] + [(f"{pin}0", "S1", _ENTRY + _EXIT)]
    return f"""
(* abc9_box, lib_whitebox *)
module CCU2C (
  (* abc9_carry *) input CIN, input A0, B0, C0, D0, A1, B1, C1, D1, output S0, S1, (* abc9_carry *) output COUT
);
  parameter [15:0] INIT0 = 0, INIT1 = 0;
  parameter INJECT1_0 = "YES", INJECT1_1 = "YES";
  wire [15:0] table_0 = INIT0, table_1 = INIT1;
  // A bit that injects takes no carry.
  wire passes_0 = INJECT1_0 != "YES", passes_1 = INJECT1_1 != "YES";
  wire propagate_0 = table_0[{{D0, C0, B0, A0}}], propagate_1 = table_1[{{D1, C1, B1, A1}}];
  wire generate_0 = passes_0 & table_0[{{2'b00, B0, A0}}], generate_1 = passes_1 & table_1[{{2'b00, B1, A1}}];
  wire between = propagate_0 ? CIN : generate_0;
  assign S0 = propagate_0 ^ (passes_0 & CIN);
  assign S1 = propagate_1 ^ (passes_1 & between);
  assign COUT = propagate_1 ? between : generate_1;
  specify
    {" ".join(f"({pin} => {out}) = {delay};" for pin, out, delay in delays)}
  endspecify
endmodule
"""


def _block_ram() -> str:
    """With the time that its inputs must be there before the clock."""
    pins = [("DI", 18), ("AD", 14)]
    late = [(f"{name}{port}{bit}", port) for port in "AB" for name, width in pins for bit in range(width)]
    late += [(f"{name}{port}", port) for port in "AB" for name in ("CE", "WE", "RST")]
    delays = [f"$setup({name}, posedge CLK{port}, {_BLOCK_RAM});" for name, port in late]
    interface, *_ = known_models()["DP16KD"].partition("localparam")
    return "\n".join(["(* blackbox *)", interface, "specify", *delays, "endspecify", "endmodule", ""])


def _far_register(ways: int) -> str:
    interface, _, _ = known_models()["TRELLIS_FF"].partition("localparam")
    interface = interface.replace("TRELLIS_FF", FAR_REGISTERS[ways]).replace("output reg", "output")
    return f"(* blackbox *)\n{interface}specify $setup(DI, posedge CLK, {ways * _FAR}); endspecify\nendmodule\n"

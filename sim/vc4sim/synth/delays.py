"""What an ECP5 of speed grade 6 takes for a cell and for the way to it, for the one that maps to LUTs.

Yosys counts a LUT and a carry chain without the way to them, and takes what goes into a block RAM, or comes out of it, for a
register. nextpnr takes 0.24 ns for a LUT and 0.95 for the way to it, in the mean; the other numbers are its own, too.
"""

__all__ = ["BLOCK_RAM_FILE", "LUTS_FILE", "SLOW_CHAINS", "block_ram_delays", "lut_delays"]

#: Files for Yosys.
LUTS_FILE, BLOCK_RAM_FILE = "luts.txt", "block_ram.v"

#: Picoseconds of a LUT, and of a carry chain from one of its inputs on.
_LUT, _CHAIN = 1190, 1400
#: Of a word out of a block RAM, less those of a register; and those that a word into one is on its way for longer, as there are
#: few places for block RAMs.
_READ, _WRITE = 5200, 1500

#: A line of a script: all inputs of a carry chain but the carry take so long.
SLOW_CHAINS = (
    f"setparam -set T_RISE_MAX {_CHAIN} -set T_FALL_MAX {_CHAIN} =CCU2C/t:$specify2 =CCU2C/w:CIN %co1:+[SRC] %d"
)

_STRINGS = {
    "NOREG": ("REGMODE_A", "REGMODE_B"),
    "NORMAL": ("WRITEMODE_A", "WRITEMODE_B"),
    "SYNC": ("RESETMODE", "ASYNC_RESET_RELEASE"),
    "0b000": ("CSDECODE_A", "CSDECODE_B"),
    "CLKA": ("CLKAMUX",),
    "CLKB": ("CLKBMUX",),
    "ENABLED": ("GSR",),
    "STATIC": ("INIT_DATA",),
    "": ("WID",),
}


def lut_delays() -> str:
    """The table of ABC: inputs, area and delay."""
    return "".join(f"{inputs} 1 {_LUT}\n" for inputs in range(1, 5))


def block_ram_delays() -> str:
    """The block RAM in Verilog, without an inside but with its delays."""
    inputs, outputs, delays = [], [], []
    for port in "AB":
        clock = f"CLK{port}"
        written = [f"DI{port}{bit}" for bit in range(18)] + [f"AD{port}{bit}" for bit in range(14)]
        written += [f"{name}{port}" for name in ("CE", "WE", "RST")]
        inputs += [clock, f"OCE{port}", *(f"CS{port}{bit}" for bit in range(3)), *written]
        outputs += [f"DO{port}{bit}" for bit in range(18)]
        delays += [f"$setup({name}, posedge {clock}, {_WRITE});" for name in written]
        delays += [f"(posedge {clock} => (DO{port}{bit} : 1'bx)) = {_READ};" for bit in range(18)]
    parameters = ["DATA_WIDTH_A = 18", "DATA_WIDTH_B = 18", *(f"INITVAL_{row:02X} = 320'd0" for row in range(64))]
    parameters += [f'{name} = "{value}"' for value, names in _STRINGS.items() for name in names]
    lines = [f"parameter {one};" for one in parameters] + ["specify", *delays, "endspecify"]
    ports = f"input {', '.join(inputs)}, output {', '.join(outputs)}"
    return "\n".join(["(* blackbox *)", f"module DP16KD ({ports});", *lines, "endmodule", ""])

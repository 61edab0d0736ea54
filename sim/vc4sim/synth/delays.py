"""Delays of an ECP5 of speed grade 6, ways included, for what maps to LUTs.

Yosys counts a LUT without the way to it, and takes what goes into a block RAM for what goes into a register.
"""

__all__ = ["BLOCK_RAM_FILE", "LUTS_FILE", "block_ram_delays", "lut_delays"]

#: Files for Yosys.
LUTS_FILE, BLOCK_RAM_FILE = "luts.txt", "block_ram.v"

#: Picoseconds. Of a LUT, 950 are the way to it, as nextpnr finds it in the mean.
_LUT = 1190
#: By so much a block RAM is farther away than a register, as there are few places for it.
_BLOCK_RAM = 1500

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
    """The block RAM in Verilog, without an inside, but with the time that its inputs must be there before the clock."""
    inputs, outputs, delays = [], [], []
    for port in "AB":
        late = [f"DI{port}{bit}" for bit in range(18)] + [f"AD{port}{bit}" for bit in range(14)]
        late += [f"{name}{port}" for name in ("CE", "WE", "RST")]
        inputs += [f"CLK{port}", f"OCE{port}", *(f"CS{port}{bit}" for bit in range(3)), *late]
        outputs += [f"DO{port}{bit}" for bit in range(18)]
        delays += [f"$setup({name}, posedge CLK{port}, {_BLOCK_RAM});" for name in late]
    parameters = ["DATA_WIDTH_A = 18", "DATA_WIDTH_B = 18", *(f"INITVAL_{row:02X} = 320'd0" for row in range(64))]
    parameters += [f'{name} = "{value}"' for value, names in _STRINGS.items() for name in names]
    lines = [f"parameter {one};" for one in parameters] + ["specify", *delays, "endspecify"]
    ports = f"input {', '.join(inputs)}, output {', '.join(outputs)}"
    return "\n".join(["(* blackbox *)", f"module DP16KD ({ports});", *lines, "endmodule", ""])

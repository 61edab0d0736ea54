"""Comparisons as Yosys makes them of a carry chain alone.

`a < b` and `a >= b` are what leaves the chain of `a - b`. Of `a > b` and `a <= b` Yosys makes more: the same chain, all bits of both
words compared, and LUTs after the chain that join them.
"""

__all__ = ["COMPARISONS_FILE", "comparisons"]

#: File for Yosys: cells in Verilog.
COMPARISONS_FILE = "comparisons.v"


def comparisons() -> str:
    """What `techmap` makes of `a > b` and `a <= b`: the same with both words exchanged.

    A constant is the second word then, or stays it: with the first one constant, LUTs that `-cmp2softlogic` makes take `<` for `<=`.
    """
    first, second = "&_TECHMAP_CONSTMSK_A_", "&_TECHMAP_CONSTMSK_B_"
    pairs = [("gt", "lt", second), ("le", "ge", second)]
    pairs += [(other, cell, f"{second} || !({first})") for cell, other, _ in pairs]
    return "".join(_exchanged(*pair) for pair in pairs)


def _exchanged(cell: str, other: str, stays: str) -> str:
    parameters = {f"{one}_{what}": f"{with_}_{what}" for one, with_ in ("AB", "BA") for what in ("SIGNED", "WIDTH")}
    return f"""
module \\${cell} (A, B, Y);
  parameter Y_WIDTH = 1, {", ".join(f"{name} = 1" for name in parameters)};
  parameter _TECHMAP_CONSTMSK_A_ = 0, _TECHMAP_CONSTMSK_B_ = 0;
  wire _TECHMAP_FAIL_ = {stays};
  (* force_downto *) input [A_WIDTH-1:0] A;
  (* force_downto *) input [B_WIDTH-1:0] B;
  (* force_downto *) output [Y_WIDTH-1:0] Y;
  \\${other} #(.Y_WIDTH(Y_WIDTH), {", ".join(f".{name}({value})" for name, value in parameters.items())})
    _TECHMAP_REPLACE_ (.A(B), .B(A), .Y(Y));
endmodule
"""

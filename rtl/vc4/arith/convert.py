"""Between floats of 32 and 16 bits, bytes and significands; combinational."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from .bits import leading_zeros, rotate_left

__all__ = ["byte_to_float", "float_to_half", "half_to_float", "significand"]


def significand(value: Value):
    """24 bits: the mantissa of the float `value` below its hidden one. Right for all but zero and denormals."""
    return Cat(value[:23], Const(1, 1))


def half_to_float(value: Value):
    """The float of 16 bits `value` in 32 bits (fact sheet, 3.1).

    Exact; a denormal becomes the denormal pattern with the same mantissa, infinities and their patterns stay such.
    """
    mantissa, exponent, negative = value[:10], value[10:15], value[15]
    # From a bias of 15 to one of 127: 112 more.
    middle = Mux(exponent.all() | ~exponent.any(), exponent[4], ~exponent[4])
    return Cat(Const(0, 13), mantissa, exponent[:4], middle.replicate(3), exponent[4], negative)


def byte_to_float(m: Module, value: Value, name: str):
    """`value` / 255 as a float, truncated to 24 bits (fact sheet, 3.1).

    The fraction repeats the byte without end, so the mantissa repeats the byte without its leading zeros; 255 is 1.0.
    """
    zeros = leading_zeros(m, value, f"{name}_zeros")
    period = rotate_left(m, value, zeros[:3], f"{name}_period") & ~value.all().replicate(8)
    exponent = Signal(8, name=f"{name}_exponent")
    with m.Switch(zeros):
        for count in range(8):
            with m.Case(count):
                m.d.comb += exponent.eq(126 - count)
    with m.If(value.all()):
        m.d.comb += exponent.eq(127)
    return Cat(period, period, period[:7], exponent)


def float_to_half(m: Module, value: Value, name: str) -> Value:
    """The float `value` in 16 bits, rounded away from zero (fact sheet, 3.3).

    Infinities and their patterns, and what is too large, become infinite; what would be denormal after rounding, +0.
    """
    rounded = Signal(19, name=f"{name}_rounded")
    half = Signal(16, name=f"{name}_half")
    mantissa, low, high = rounded[:10], rounded[10:14], rounded[14:18]
    m.d.comb += rounded.eq(value[13:31] + value[:13].any())
    # A bias of 127 becomes one of 15: the exponents 113..142 are 1..30.
    with m.If(value[23:31].all() | rounded[18] | (high > 8) | ((high == 8) & low.all())):
        m.d.comb += half.eq(Cat(Const(0x7C00, 15), value[31]))
    with m.Elif((high == 8) | ((high == 7) & low.any())):
        m.d.comb += half.eq(Cat(mantissa, low, high[3], value[31]))
    return half

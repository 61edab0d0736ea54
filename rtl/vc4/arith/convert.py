"""Between floats of 32 and 16 bits, bytes and significands; combinational."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from .bits import leading_zeros, rotate_left

__all__ = ["byte_to_float", "float_to_half", "half_to_float", "integer_to_float", "magnitude_to_float", "significand"]

_MANTISSA_BITS, _BIAS = 23, 127
_WORD_BITS = 32


def significand(value: Value):
    """24 bits: the mantissa of the float `value` below its hidden one. Right for all but zero and denormals."""
    return Cat(value[:23], Const(1, 1))


def half_to_float(value: Value):
    """The float of 16 bits `value` in 32 bits (QPU facts, 3.1).

    Exact; a denormal becomes the denormal pattern with the same mantissa, infinities and their patterns stay such.
    """
    mantissa, exponent, negative = value[:10], value[10:15], value[15]
    # From a bias of 15 to one of 127: 112 more.
    middle = Mux(exponent.all() | ~exponent.any(), exponent[4], ~exponent[4])
    return Cat(Const(0, 13), mantissa, exponent[:4], middle.replicate(3), exponent[4], negative)


def byte_to_float(m: Module, value: Value, name: str):
    """`value` / 255 as a float, truncated to 24 bits (QPU facts, 3.1): keys and words. The float is the word whose key is 1, or 0.

    The fraction repeats the byte without end, so the mantissa repeats the byte without its leading zeros; 255 is 1.0. What it is
    if its upper half is not zero, and what it is otherwise, is found before that is known.
    """
    low, high = value[:4], value[4:]
    every = value.all()
    keys = [high.any() & ~every, ~high.any() & low.any(), every]
    words = [Const(127 << _MANTISSA_BITS, _WORD_BITS)]
    for place, half, period in ((4, low, Cat(Const(0, 4), low)), (0, high, value)):
        for step in (2, 1):
            moved = Signal(8, name=f"{name}_{place}_{step}")
            m.d.comb += moved.eq(Mux(period[-step:].any(), period, period.rotate_left(step)))
            period = moved
        zeros = Cat(~half[3] & (half[2] | ~half[1]), ~half[2:].any())
        exponent = Cat((_BIAS - 1 - place - zeros)[:4], Const(_BIAS >> 4, 4))
        words.insert(0, Cat(period, period, period[:7], exponent))
    return zip(keys, words, strict=True)


def float_to_half(m: Module, value: Value, name: str):
    """The float `value` in 16 bits, rounded away from zero (QPU facts, 3.3): 15 bits without the sign, and two flags.

    The first flag says that the half is infinite instead: infinities and their patterns, and what is too large. The second
    one says that it is +0: what would be denormal after rounding. Both come beside the carry chain, not after it.
    """
    rounded = Signal(18, name=f"{name}_rounded")
    carries = Signal(name=f"{name}_carries")
    infinite = Signal(name=f"{name}_infinite")
    zero = Signal(name=f"{name}_zero")
    discards = value[:13].any()
    low, high, top = value[23:27], value[27:30], value[30]
    # A bias of 127 becomes one of 15: the exponents 113..142 are 1..30. The mantissa may carry into the exponent.
    m.d.comb += [
        rounded.eq(value[13:31] + discards),
        carries.eq(value[13:23].all() & discards),
        infinite.eq(top & (high.any() | low.all() | ((low == 14) & carries))),
        zero.eq(~top & ~(high.all() & (low.any() | carries))),
    ]
    return Cat(rounded[:14], rounded[17]), infinite, zero


def integer_to_float(m: Module, number: Value, name: str):
    """The float of an integer with sign, which is exact up to 24 bits."""
    return magnitude_to_float(m, Mux(number < 0, -number, number), number < 0, name)


def magnitude_to_float(m: Module, value: Value, negative: Value, name: str):
    """The same of an integer whose sign is apart; 0 is +0."""
    magnitude = Signal(_WORD_BITS, name=f"{name}_magnitude")
    m.d.comb += magnitude.eq(value)
    zeros = leading_zeros(m, magnitude, f"{name}_zeros")
    shifted = rotate_left(m, magnitude, zeros[:5], f"{name}_shifted")
    exponent = (_BIAS + _WORD_BITS - 1 - zeros)[:8]
    return Mux(zeros[-1], 0, Cat(shifted[-_MANTISSA_BITS - 1 : -1], exponent, negative))

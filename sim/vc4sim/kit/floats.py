"""Questions about floats: their last place, what is too large and too small, half floats, colours."""

from fractions import Fraction
from math import ceil, floor

from vc4.isa.sfu_tables import SfuFunction

from ..model.arith.float import EXPONENT_MAX, INFINITY, SIGN, exponent
from ..model.arith.sfu import special
from .numbers import LARGEST, float_of, half_of, integer_of, number_of
from .program import cases

__all__ = ["QUESTIONS"]

_PAGE, _FUNCTIONS = "choices.md#arithmetic", "choices.md#special-functions-and-r4"
_ONE = 127 << 23


def _product(more: Fraction = Fraction(0), **kept: bool):
    return lambda a, b: float_of(number_of(a) * number_of(b), more=more, **kept)


_LAST_PLACE = cases(
    "fmul_last_place",
    "fmul, before its product is cut off, adds",
    "rendering.md#frames-of-a-driver",
    "fmul vpm, r1, r2\n",
    # 1 - 2^-28, which today's driver of the chip has where 1/W is 1; and products between two floats.
    [(0x3F7FFC00, 0x3F800200)]
    + [
        (0x3F800001, _ONE | part)
        for part in (0x7F0000, 0x780000, 0x77FFFF, 0x740000, 0x700000, 0x6FFFFF, 0x680000, 0x67FFFF, 0x600000, 0x400000)
    ],
    {
        "nothing": _product(),
        "a sixteenth of the last place": _product(Fraction(1, 16)),
        "a thirty-second of the last place": _product(Fraction(1, 32)),
        "an eighth of the last place": _product(Fraction(1, 8)),
        "three sixteenths of the last place": _product(Fraction(3, 16)),
    },
)


def _reciprocal(exact):
    """Of a power of two: exact where `exact` says so, else 2^-14 of it less, as the table has it."""
    return lambda a: float_of((1 / number_of(a)) * (1 if exact(a) else 1 - Fraction(1, 1 << 14)))


_RECIPROCAL = cases(
    "recip_of_powers",
    "recip is exact for",
    "rendering.md#frames-of-a-driver",
    "mov recip, r1\nnop\nnop\nmov vpm, r4\n",
    [_ONE, SIGN | _ONE, 0x40000000, 0x3F000000, 0xC0800000, 0x3E800000, 0x71800000, 0x0D800000],
    {
        "1 and -1": _reciprocal(lambda a: a & ~SIGN == _ONE),
        "no number": _reciprocal(lambda a: False),
        "all powers of two": _reciprocal(lambda a: True),
        "1, not -1": _reciprocal(lambda a: a == _ONE),
    },
)


def _nearly(word: int) -> int:
    """The integer of a float, where one last place is enough to reach it."""
    return integer_of(word + 1 if number_of(word + 1).denominator == 1 else word)


def _nearest(word: int) -> int:
    number = number_of(word)
    return (floor(abs(number) + Fraction(1, 2)) * (-1 if number < 0 else 1)) & 0xFFFF_FFFF


_INTEGER_LAST_PLACE = cases(
    "ftoi_last_place",
    "ftoi takes",
    "rendering.md#frames-of-a-driver",
    "ftoi vpm, r1\n",
    [0x43FFFFFF, 0x43FFFFFE, 0xC3FFFFFF, 0x3F7FFFFF, 0x3F7FFFFE, 0x40FFFFFF, 0x461FFFFF, 0x40A00001, 0x40B00000],
    {
        "the integer toward zero": integer_of,
        "a value one last place below an integer for that integer": _nearly,
        "the nearest integer": _nearest,
    },
)


def _sum(**rules):
    return lambda a, b: float_of(number_of(a) + number_of(b), **rules)


_TOO_LARGE = cases(
    "fadd_overflow",
    "fadd makes of a sum that is too large",
    _PAGE,
    "fadd vpm, r1, r2\n",
    [
        (LARGEST, LARGEST),
        (SIGN | LARGEST, SIGN | LARGEST),
        (0x7F000000, 0x7F000000),
        (LARGEST, 0x73800000),
        (LARGEST, _ONE),
    ],
    {"infinity": _sum(), "the largest float": _sum(overflow=LARGEST), "a NaN pattern": _sum(overflow=0x7FFFFFFF)},
)


def _denormal(a: int, b: int) -> int:
    """A sum that may be denormal."""
    number = number_of(a) + number_of(b)
    if abs(number) >= Fraction(2) ** -126 or number == 0:
        return float_of(number)
    return (SIGN if number < 0 else 0) | int(abs(number) * Fraction(2) ** 149)


_TOO_SMALL = cases(
    "fadd_underflow",
    "fadd makes of a sum that is too small",
    _PAGE,
    "fadd vpm, r1, r2\n",
    [(0x00C00000, 0x80800000), (0x80C00000, 0x00800000), (0x00800001, 0x80800000), (0x80800001, 0x00800000)],
    {"+0": _sum(), "0 with its sign": _sum(signed_zero=True), "a denormal": _denormal},
)
_PRODUCT_TOO_SMALL = cases(
    "fmul_underflow",
    "fmul makes of a product that is too small",
    _PAGE,
    "fmul vpm, r1, r2\n",
    [(0x10000000, 0x10000000), (0x90000000, 0x10000000), (0x10000000, 0x90000000), (0x80800000, 0x3F000000)],
    {"+0": _product(), "0 with its sign": _product(signed_zero=True)},
)
_INTEGER_RANGE = cases(
    "ftoi_range",
    "ftoi, from 2^31 on, gives the significand, shifted",
    _PAGE,
    "ftoi vpm, r1\n",
    [0x4F000000, 0xCF000000, 0x4F7FFFFF, 0xCF7FFFFF, 0x4F800000, 0x4F800001, 0x50123457, 0x52FFFFFF, 0x56FFFFFF]
    + [0x5AFFFFFF, 0x5B7FFFFF, 0x60FFFFFF, 0x70ABCDEF, LARGEST, SIGN | LARGEST, INFINITY],
    {
        "by at most 31": integer_of,
        "as far as it belongs, which leaves 0 from 2^55 on": lambda a: integer_of(a, shift=lambda distance: distance),
        "up to 2^32, and from there on 0": lambda a: integer_of(
            a, shift=lambda distance: distance if distance < 9 else None
        ),
        "by the low five bits of the distance": lambda a: integer_of(a, shift=lambda distance: distance % 32),
    },
)


def _ties_away(places: Fraction) -> int:
    return floor(places + Fraction(1, 2))


_HALF = "mov ra1, 0\nnop\nfmul ra1.16a, r1, 1.0\nnop\nmov vpm, ra1\n"
_HALF_ROUNDING = cases(
    "half_rounding",
    "half floats are rounded",
    _PAGE,
    _HALF,
    [0x3F800001, 0x3F800FFF, 0x3F801000, 0x3F801001, 0x3F802FFF, 0x3F803000, 0xBF803001, 0x477FE001, 0x477FEFFF]
    + [0x477FF000, 0xC77FE001, 0x3F802000],
    {
        "away from zero": lambda a: half_of(a, ceil),
        "to the nearest, to even where two are as near": lambda a: half_of(a, round),
        "to the nearest, away from zero where two are as near": lambda a: half_of(a, _ties_away),
    },
)
_HALF_BOUNDARY = cases(
    "half_boundary",
    "a float becomes 0 as a half float if it is denormal",
    _PAGE,
    _HALF,
    [0x387FE000, 0x387FE001, 0x387FFFFF, 0x387FC001, 0x387FC000, 0x38800000, 0x38000000, 0xB87FE001, 0xB87FE000],
    {
        "after it was rounded to eleven bits, away from zero": lambda a: half_of(a, ceil),
        "before it is rounded": lambda a: half_of(a, ceil, flush="before"),
        "after it was rounded to the last denormal place, away from zero": lambda a: half_of(a, ceil, flush="denormal"),
        "after it was rounded to eleven bits, to even": lambda a: half_of(a, round),
        "after it was rounded to the last denormal place, to even": lambda a: half_of(a, round, flush="denormal"),
    },
)


def _coloured(rounded):
    """Four bytes of a colour: what is below 0 is 0, what is above 1 is 255."""
    return lambda a: max(0, min(255, rounded(number_of(a)))) * 0x0101_0101


_COLOUR = cases(
    "colour_rounding",
    "the byte of a colour f is",
    _PAGE,
    "mov r2, 0\nfmul r2.8abcd, r1, 1.0\nmov vpm, r2\n",
    [0x3F000000, 0x3EFFFFFF, 0x3F000001, 0x3E800000, 0x3F400000, 0x3F7F0000, 0x3F7FFFFF, 0x3B000000, 0x3B008081]
    + [0x3B80F000, 0x3E000000, 0x3DC00000, 0xBF800000, 0x40000000, 0x3F123456, 0x3EABCDEF],
    {
        "floor(255 f + 1/2)": _coloured(lambda f: floor(255 * f + Fraction(1, 2))),
        "ceil(255 f - 1/2)": _coloured(lambda f: ceil(255 * f - Fraction(1, 2))),
        "floor(255 f)": _coloured(lambda f: floor(255 * f)),
        "floor(256 f)": _coloured(lambda f: floor(256 * f)),
    },
)
_COLOUR_OF_INTEGER = cases(
    "colour_of_integer",
    "the colour of an integer operation is made",
    _PAGE,
    "mov r2, 0\nv8min r2.8abcd, r1, r1\nmov vpm, r2\n",
    [0x3F000000, 0x3F800000, 0x3E812345, 0x12345678],
    {
        "of its bits as a float": _coloured(lambda f: floor(255 * f + Fraction(1, 2))),
        "of its lowest byte": lambda a: (a & 255) * 0x0101_0101,
        "of nothing: the bits are written as they are": lambda a: a,
    },
)


def _function(function: SfuFunction, **others: int):
    """A rule of the special function unit that gives something else for some operands."""
    return lambda a: others.get(f"x{a:08x}", special(function.value, a))


def _asked(name: str, asks: str, function: SfuFunction, operands, rules):
    body = f"mov {function.name.lower()}, r1\nnop\nnop\nmov vpm, r4\n"
    return cases(name, asks, _FUNCTIONS, body, operands, rules)


_RECIP_OF_ZERO = _asked(
    "recip_of_minus_zero",
    "recip of -0 is",
    SfuFunction.RECIP,
    [SIGN, 0, 0x80000001],
    {
        "minus infinity": _function(SfuFunction.RECIP),
        "infinity": _function(SfuFunction.RECIP, x80000000=INFINITY, x80000001=INFINITY),
    },
)
_EXP_OF_ZERO = _asked(
    "exp_of_zero",
    "exp of 0 is",
    SfuFunction.EXP,
    [0, SIGN, 1],
    {"what the table has, 3f800100": _function(SfuFunction.EXP), "1": lambda a: _ONE},
)
_LOG_OF_ZERO = _asked(
    "log_of_zero",
    "log of 0 is",
    SfuFunction.LOG,
    [0, SIGN, 1],
    {"minus infinity": _function(SfuFunction.LOG), "-127": lambda a: 0xC2FE0000, "0": lambda a: 0},
)


def _nan(word: int) -> int:
    """The reciprocal where a NaN pattern stays one."""
    is_nan = exponent(word) == EXPONENT_MAX and word & 0x7FFFFF
    return word if is_nan else special(SfuFunction.RECIP.value, word)


_RECIP_OF_NAN = _asked(
    "recip_of_nan",
    "recip takes a NaN pattern for",
    SfuFunction.RECIP,
    [0x7FC00000, 0xFFC00000, 0x7F800001, INFINITY, SIGN | INFINITY],
    {
        "infinity with its sign": _function(SfuFunction.RECIP),
        "a NaN pattern, and gives it": _nan,
        "infinity, and gives +0": lambda a: 0,
    },
)
QUESTIONS = (
    _LAST_PLACE,
    _INTEGER_LAST_PLACE,
    _RECIPROCAL,
    _TOO_LARGE,
    _TOO_SMALL,
    _PRODUCT_TOO_SMALL,
    _INTEGER_RANGE,
    _HALF_ROUNDING,
    _HALF_BOUNDARY,
    _COLOUR,
    _COLOUR_OF_INTEGER,
    _RECIP_OF_ZERO,
    _EXP_OF_ZERO,
    _LOG_OF_ZERO,
    _RECIP_OF_NAN,
)

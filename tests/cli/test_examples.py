"""The built-in examples: what they are expected to compute, worked out here in plain Python, without the model."""

from fractions import Fraction

import pytest

from vc4sim.asm import assemble
from vc4sim.cli import main
from vc4sim.workload import example_names, load_example
from vc4sim.workload.example import example_folder, frame_names
from vc4sim.workload.hexfile import hex_of_bytes

LANES = range(16)


def truncated(value: Fraction) -> Fraction:
    """`value` cut to 24 significant bits, as the QPU rounds every sum and product."""
    if not value:
        return value
    unit = Fraction(1)
    while abs(value) >= unit * 2**24:
        unit *= 2
    while abs(value) < unit * 2**23:
        unit /= 2
    return int(value / unit) * unit


def steps(real: Fraction, imaginary: Fraction, limit: int) -> int:
    """How often z = z * z + c stays within 2."""
    x = y = Fraction(0)
    for done in range(limit):
        xx, yy, xy = truncated(x * x), truncated(y * y), truncated(x * y)
        if truncated(4 - truncated(xx + yy)) < 0:
            return done
        x = truncated(truncated(xx - yy) + real)
        y = truncated(truncated(xy + xy) + imaginary)
    return limit


def mandelbrot() -> list[int]:
    """Twelve rows of step counts; all coordinates are multiples of 3/16."""
    pitch = Fraction(3, 16)
    return [steps(-2 + pitch * lane, Fraction(-9, 8) + pitch * row, 15) for row in range(12) for lane in LANES]


def prefix_sum() -> list[int]:
    """Squares, and their running sums."""
    squares = [(lane + 1) ** 2 for lane in LANES]
    return squares + [sum(squares[: lane + 1]) for lane in LANES]


def byte(value: Fraction) -> int:
    """The byte of a colour: 255 times `value`, to the nearest, upwards in the middle."""
    return int(value * 255 + Fraction(1, 2))


def gradient() -> list[int]:
    """Four rows of pixels."""
    return [
        0xFF000000 | byte(1 - Fraction(lane, 16)) << 16 | byte(Fraction(row, 4)) << 8 | byte(Fraction(lane, 16))
        for row in range(4)
        for lane in LANES
    ]


def coordinate_shader() -> list[int]:
    """Seven rows; the two factors, about 2/639 and 2/479, are immediates of the program."""
    x, y = 32, 448
    clip = [truncated(truncated(pixel * float_of(factor)) - 1) for pixel, factor in ((x, 0x3B4D1ED9), (y, 0x3B88D181))]
    one = 0x3F800000
    rows = [bits_of(clip[0]), bits_of(clip[1]), 0, one, y << 20 | x << 4, one, one]
    return [word for word in rows for _ in LANES]


def float_of(bits: int) -> Fraction:
    """The value of a positive float."""
    return (bits & 0x7FFFFF | 0x800000) * Fraction(2) ** ((bits >> 23) - 150)


def bits_of(value: Fraction) -> int:
    """The float that `value` is exactly."""
    significand, exponent = abs(value), 150
    while significand < 2**23:
        significand, exponent = significand * 2, exponent - 1
    assert significand.denominator == 1
    return (value < 0) << 31 | exponent << 23 | int(significand) & 0x7FFFFF


EXPECTED = {
    "coordinate_shader": coordinate_shader,
    "gradient": gradient,
    "mandelbrot": mandelbrot,
    "prefix_sum": prefix_sum,
}


def test_every_example_has_an_independent_expectation():
    assert example_names() == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_expected_rows_are_right(name):
    (check,) = load_example(name).checks
    assert check.expected == b"".join(word.to_bytes(4, "little") for word in EXPECTED[name]())


@pytest.mark.parametrize("name", EXPECTED)
def test_example_passes_on_the_model(name, capsys):
    assert main(["run", name]) == 0
    assert f"PASS {name} (" in capsys.readouterr().out


def test_source_of_the_coordinate_shader_gives_its_words():
    folder = example_folder("coordinate_shader")
    words = hex_of_bytes(assemble((folder / "source.qasm").read_text("utf-8"), "source.qasm").code)
    assert words == (folder / "program.hex").read_text("utf-8")


def test_words_of_the_coordinate_shader_are_those_that_a_chip_ran(recorded):
    words = (recorded / "documents/coordinate_shader.hex").read_text("utf-8")
    assert words == (example_folder("coordinate_shader") / "program.hex").read_text("utf-8")
    assert len(words.split()) == 29


def test_list_names_the_command_of_each(capsys):
    assert main(["examples"]) == 0
    listed = [line.split()[1:3] for line in capsys.readouterr().out.splitlines()]
    assert listed == [*(["run", name] for name in example_names()), *(["render", name] for name in frame_names())]

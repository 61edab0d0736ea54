"""Where a quad lies in the memories of the tile buffer."""

from amaranth.hdl import Cat, Const, Mux, Value, ValueLike
from amaranth.utils import ceil_log2

from .structs import QUARTERS, WORDS, QuadPlace, TileForm

__all__ = ["quarters_of", "two_buffers", "word_address", "word_of"]

_BITS = ceil_log2(WORDS)


def word_address(form: TileForm, place: QuadPlace, sample: ValueLike = 0, word: ValueLike = 0) -> Value:
    """The word of a sample of the four pixels of a quad (docs/reference/rendering.md, tiles); arguments are views.

    A word has one sample of four pixels, not four samples of a pixel: each of the four lanes that work on it then has a pixel
    of its own with and without multisampling, so nothing is moved between them, and one sample is written or loaded in a
    clock. All samples take as many clocks either way. It is the order of full dumps, too (pipeline facts, 5.5): their
    addresses count up as these do.

    What halves the tile leaves the highest bit free: that is the buffer, or the word of a wide colour; with both, that is the
    next one.
    """
    samples = Cat(Value.cast(sample)[:2], place.x[:-1], place.y[:-1])
    double = two_buffers(form)
    second = Value.cast(word)[0] & form.wide
    halves = Cat(Const(0, _BITS - 2), second & double, Mux(double, place.buffer, second))
    return Mux(form.multisample, samples, Cat(place.x, place.y)) | halves


def quarters_of(form: TileForm, buffer: Value) -> Value:
    """A bit for each quarter of a memory that a tile buffer has."""
    two = two_buffers(form)
    return Value.cast(Cat(~two | (buffer == number // (QUARTERS // 2)) for number in range(QUARTERS)))


def word_of(form: TileForm, quarter: Value) -> Value:
    """Which word of wide colours lies in a quarter."""
    return Mux(two_buffers(form), quarter[0], quarter[1])


def two_buffers(form: TileForm) -> Value:
    """Whether there are two tile buffers."""
    return form.double & ~form.multisample

"""What a screen makes of the bits on its wires, in plain Python from the DVI specification, 1.0; it knows nothing of the hardware."""

from itertools import count, groupby, pairwise
from typing import NamedTuple

__all__ = ["Frame", "TmdsModel", "control_of", "decode", "frames_of", "words_of"]

#: Section 3.2.2: words for the control bits C1, C0, the first bit on the wire rightmost.
_CONTROL = {0b1101010100: 0, 0b0010101011: 1, 0b0101010100: 2, 0b1010101011: 3}
_BITS = 10


class TmdsModel:
    """The encoder of section 3.2.2, figure 3-5, with its names."""

    def __init__(self):
        self.cnt = 0

    def control(self, c: int) -> int:
        """The word of the control bits."""
        self.cnt = 0
        return next(word for word, bits in _CONTROL.items() if bits == c)

    def byte(self, d: int) -> int:
        """The word of a byte."""
        bits = [d >> place & 1 for place in range(8)]
        q_m = [bits[0]]
        xnor = sum(bits) > 4 or (sum(bits) == 4 and bits[0] == 0)
        for place in range(1, 8):
            q_m.append(1 - (q_m[-1] ^ bits[place]) if xnor else q_m[-1] ^ bits[place])
        q_m.append(0 if xnor else 1)
        ones = sum(q_m[:8])
        zeros = 8 - ones
        if self.cnt == 0 or ones == zeros:
            invert = not q_m[8]
            self.cnt += ones - zeros if q_m[8] else zeros - ones
        elif (self.cnt > 0 and ones > zeros) or (self.cnt < 0 and zeros > ones):
            invert = True
            self.cnt += 2 * q_m[8] + (zeros - ones)
        else:
            invert = False
            self.cnt += -2 * (1 - q_m[8]) + (ones - zeros)
        low = [bit ^ invert for bit in q_m[:8]]
        return sum(bit << place for place, bit in enumerate([*low, q_m[8], int(invert)]))


def control_of(word: int) -> int | None:
    """The control bits of a word, `None` if it is a byte."""
    return _CONTROL.get(word)


def decode(word: int) -> int:
    """The byte of a word (section 3.3.3)."""
    bits = [word >> place & 1 for place in range(_BITS)]
    if bits[9]:
        bits[:8] = [1 - bit for bit in bits[:8]]
    found = bits[:1]
    for place in range(1, 8):
        change = bits[place] ^ bits[place - 1]
        found.append(change if bits[8] else 1 - change)
    return sum(bit << place for place, bit in enumerate(found))


def words_of(wires: list[list[int]]) -> list[tuple[int, ...]]:
    """Words of the three wires of colours, from the bits of these and of the clock, which rises where a word begins."""
    clock = wires[-1]
    first = next(place for place in range(1, len(clock)) if clock[place] and not clock[place - 1])
    whole = range(first, len(clock) - _BITS + 1, _BITS)
    for place in whole:
        assert clock[place : place + _BITS] == [1, 1, 1, 1, 1, 0, 0, 0, 0, 0], "the clock is not even"
    return [
        tuple(sum(bit << number for number, bit in enumerate(wire[place : place + _BITS])) for wire in wires[:-1])
        for place in whole
    ]


class Frame(NamedTuple):
    """What came between two vertical pulses.

    rows : of pixels: red, green, blue
    lines, pulses : clocks from one horizontal pulse to the next, and of each
    clocks, vertical_pulse : of the frame and of the vertical pulse in front of it
    """

    rows: list[list[tuple[int, int, int]]]
    lines: list[int]
    pulses: list[int]
    clocks: int
    vertical_pulse: int


def frames_of(words: list[tuple[int, ...]], pulse_level: int) -> list[Frame]:
    """The frames that are whole. The wire of blue has the signals of synchronisation, horizontal lowest; the others have none."""
    places, levels = [], [(False, False)]
    for blue, green, red in words:
        control = control_of(blue)
        assert (control is None) == (control_of(green) is None) == (control_of(red) is None)
        places.append(None if control is not None else (decode(red), decode(green), decode(blue)))
        if control is None:
            levels.append(levels[-1])
        else:
            assert control_of(green) == control_of(red) == 0
            levels.append(((control & 1) == pulse_level, (control >> 1) == pulse_level))
    starts = [
        [place for place in range(len(words)) if levels[place + 1][axis] and not levels[place][axis]] for axis in (0, 1)
    ]
    return [_frame(places, levels[1:], starts[0], *whole) for whole in pairwise(starts[1])]


def _frame(places, levels, line_starts, first: int, end: int) -> Frame:
    rows = [
        [pixel for _, pixel in group]
        for is_row, group in groupby(enumerate(places[first:end]), lambda place: place[1] is not None)
        if is_row
    ]
    starts = [start for start in line_starts if first <= start < end]
    lines = [after - before for before, after in pairwise(starts)]
    pulses = [next(clock for clock in count(start) if not levels[clock][0]) - start for start in starts]
    vertical = next(clock for clock in count(first) if not levels[clock][1]) - first
    return Frame(rows, lines, pulses, end - first, vertical)

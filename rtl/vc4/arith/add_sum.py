"""Clock A1 of the add ALU: the one adder, the count of leading zeros, and the rotation by whole bytes."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .add_records import AddTerms, AddTotal
from .bits import byte_terms, leading_zeros, rotate_left, words

__all__ = ["AddSum"]

#: The largest exponent of a finite float.
_LARGEST = 254


class AddSum(wiring.Component):
    """Adds the two terms, as words or as bytes, and says how the sum becomes a result; combinational.

    The carry goes in as one more bit below the guard, and through the spacers between the bytes, or not: see
    `byte_terms`. A byte of v8adds that carries becomes ff, one of v8subs that borrows is cleared.

    A float is rotated by whole bytes here, until its highest one is in bits 23:16. If only the guard is left of it, it is the
    hidden one, and the mantissa is cleared.

    Interface attributes
    --------------------
    i : from A0
    o : to A2
    """

    i: In(AddTerms)
    o: Out(AddTotal)

    def elaborate(self, platform):
        m = Module()
        i, o, control = self.i, self.o, self.i.control
        saturate = control.bytes_apart & ~control.subtract
        # Part of the carry chain here; in A0 it would be a LUT a bit.
        moved = i.moved ^ i.invert.replicate(32)
        total = Signal(38)
        word = Signal(32)
        carries = Signal(4)
        halves = Signal()
        infinite = Signal()
        parts = words(total[2:], 9)
        m.d.comb += [
            total.eq(
                Cat(1, i.guard, byte_terms(moved, ~saturate))
                + Cat(i.carry_in, 0, byte_terms(i.still, control.bytes_apart & control.subtract))
            ),
            word.eq(Cat(part[:8] for part in parts)),
            carries.eq(Cat(part[8] for part in parts)),
            halves.eq(total[1] & control.align),
        ]

        filled = [byte.any() for byte in words(word, 8)]
        by_8 = filled[3] | (~filled[2] & filled[1])
        by_16 = filled[3] | ~(filled[2] | filled[1])
        turn = Cat(C(0, 3), by_8, by_16) & control.normalise.replicate(5)
        guarded = word | (halves << 31)
        # A2 chooses the half that has the highest one.
        zeros = [leading_zeros(m, half, f"zeros_{number}") for number, half in enumerate(words(word, 16))]
        empty = [count[4] for count in zeros]
        none = empty[0] & empty[1]
        m.d.comb += [
            o.sum.eq(rotate_left(m, guarded, turn, "turned")),
            o.zeros.eq(Mux(control.normalise | control.count, Cat(count[:4] for count in zeros), 0)),
            *(o.lower.eq(empty[1] & ~empty[0]), o.none.eq(none), o.zero.eq(none & ~halves)),
            infinite.eq(control.infinite | (control.align & word[24] & (i.exponent == _LARGEST))),
            o.infinite.eq(infinite),
            o.exponent.eq(i.exponent + 8),
            o.clear.eq((control.bytes_apart & control.subtract).replicate(4) & ~carries),
            o.carry.eq(i.carry | (control.carry_out & (carries[3] ^ control.subtract))),
            o.overflow.eq(control.carry_out & (moved[31] == i.still[31]) & (word[31] ^ i.still[31])),
            *(o.count.eq(control.count), o.normalise.eq(control.normalise), o.negative.eq(i.negative)),
        ]
        with m.If(control.count | infinite | (control.normalise & none)):
            m.d.comb += o.clear.eq(0xF)
        for byte, carry in zip(words(o.sum, 8), carries, strict=True):
            with m.If(saturate & carry):
                m.d.comb += byte.eq(0xFF)
        return m

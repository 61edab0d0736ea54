"""Clock A0 of the add ALU: the one rotator of alignment and shifts."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .add_records import AddOperands, AddTerms, Move, Moved, Still
from .bits import below, rotate_left

__all__ = ["AddAlign"]


class AddAlign(wiring.Component):
    """Moves one operand and leaves the other one alone; combinational.

    The moved operand is rotated to the left and masked. Of a significand, the bit that leaves at the bottom last has
    come round to bit 31, the guard; those before it are or-ed to the sticky bit, which the reversed mask selects. A
    subtraction truncates by them: with the guard as one more bit and the sticky bit as a borrow. An addition needs
    neither. A negative operand of asr comes inverted and leaves inverted, so that the mask fills with ones.

    Interface attributes
    --------------------
    i : from RR
    o : to A1
    """

    i: In(AddOperands)
    o: Out(AddTerms)

    def elaborate(self, platform):
        m = Module()
        i, o = self.i, self.o
        move = Signal(Move)
        moved = Signal(32)
        keep = Signal(32)
        lost = Signal(24)
        m.d.comb += move.eq(Mux(i.swap, i.swapped, i.straight))
        with m.Switch(move.route.moved):
            with m.Case(Moved.A):
                m.d.comb += moved.eq(i.a)
            with m.Case(Moved.B):
                m.d.comb += moved.eq(i.b)
            with m.Case(Moved.NOT_A):
                m.d.comb += moved.eq(~i.a)
            with m.Case(Moved.BOTH):
                m.d.comb += moved.eq(i.a & i.b)
        with m.Switch(move.route.still):
            with m.Case(Still.A):
                m.d.comb += o.still.eq(i.a)
            with m.Case(Still.B):
                m.d.comb += o.still.eq(i.b)
            with m.Case(Still.EITHER):
                m.d.comb += o.still.eq(i.a ^ i.b)

        rotated = rotate_left(m, moved, move.rotation.amount, "rotated")
        m.d.comb += [
            keep.eq((below(move.rotation.amount) ^ move.rotation.not_below.replicate(32)) | i.keep_all.replicate(32)),
            # Of the bits of a significand, 30 - amount and lower ones leave before the guard.
            lost.eq(moved[:24] & ~Cat(keep[30 - bit] for bit in range(24))),
            o.moved.eq(rotated & keep),
            o.invert.eq(i.invert),
            o.guard.eq((rotated[31] & i.control.align) ^ i.invert),
            o.carry_in.eq(i.negate & ~(lost.any() & i.control.align)),
            o.carry.eq((i.compare & i.swap) | (i.out_left & rotated[0]) | (i.out_right & (rotated[31] ^ i.invert))),
            *(o.negative.eq(move.negative), o.exponent.eq(move.exponent), o.control.eq(i.control)),
        ]
        return m

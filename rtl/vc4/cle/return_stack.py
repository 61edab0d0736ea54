"""Where lists go on after their sub-lists."""

from itertools import pairwise

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.records.control import RETURN_LEVELS

__all__ = ["ReturnStack"]


class ReturnStack(wiring.Component):
    """The return addresses of a thread (guide, section 8), as many as sub-lists can be in each other.

    Behaviour: what is pushed is on top in the next clock. Nobody pushes onto a full stack, or pops an empty one.

    Interface attributes
    --------------------
    push, address : strobe: a sub-list begins, and this is after the branch to it
    pop : strobe: it returns
    clear : strobe: forget all of them, which is stronger
    top : the last one, 0 if there is none
    depth : how many there are
    """

    push: In(1)
    address: In(32)
    pop: In(1)
    clear: In(1)
    top: Out(32)
    depth: Out(range(RETURN_LEVELS + 1))

    def elaborate(self, platform):
        m = Module()
        addresses = [Signal(32, name=f"address_{level}") for level in range(RETURN_LEVELS)]
        m.d.comb += self.top.eq(Mux(self.depth.any(), addresses[0], 0))
        m.d.sync += self.depth.eq(Mux(self.clear, 0, self.depth + self.push - self.pop))
        with m.If(self.push):
            m.d.sync += [deeper.eq(address) for address, deeper in pairwise((self.address, *addresses))]
        with m.If(self.pop):
            m.d.sync += [address.eq(deeper) for address, deeper in pairwise(addresses)]
        return m

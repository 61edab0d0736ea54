"""The choice between requesters."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LeastRecent", "RoundRobin"]


class RoundRobin(wiring.Component):
    """A fair choice of one requester among `count`.

    Behaviour: the grant is combinational, and goes to the first requester after the one that was granted last. The turn
    moves on in a clock with `advance`; so whoever keeps asking waits for at most `count` - 1 grants to others.

    Parameters
    ----------
    count : number of requesters

    Interface attributes
    --------------------
    requests : who asks, one bit each
    advance : the grant of this clock is used
    grant_onehot : who gets it, one bit each; none if nobody asks
    grant : the number of the one who gets it; 0 if nobody asks
    """

    def __init__(self, count: int):
        self._count = count
        super().__init__(
            {
                "requests": In(count),
                "advance": In(1),
                "grant_onehot": Out(count),
                "grant": Out(range(count)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        after_last = Signal(self._count)  # the requesters after the one that was granted last
        early = Signal(self._count)
        chosen_from = Signal(self._count)

        m.d.comb += [
            early.eq(self.requests & after_last),
            chosen_from.eq(Mux(early.any(), early, self.requests)),
            self.grant_onehot.eq(chosen_from & -chosen_from),
        ]
        for number in range(self._count):
            with m.If(self.grant_onehot[number]):
                m.d.comb += self.grant.eq(number)
        with m.If(self.advance & self.requests.any()):
            m.d.sync += after_last.eq(~(self.grant_onehot | (self.grant_onehot - 1)))

        m.d.sync += [
            Assert((self.grant_onehot & (self.grant_onehot - 1)) == 0, "two requesters are granted at once"),
            Assert((self.grant_onehot & ~self.requests) == 0, "a grant goes to one who did not ask"),
            Assert(self.grant_onehot.any() == self.requests.any(), "nobody is granted although somebody asks"),
        ]
        return m


class LeastRecent(wiring.Component):
    """A strictly fair choice of one requester among `count`: the one whose last grant is the longest time ago.

    Behaviour: the grant is combinational. The order changes in a clock with `advance`. While somebody asks, each of the
    others is granted at most once before, even if he could not ask all the time.

    Parameters
    ----------
    count : number of requesters

    Interface attributes
    --------------------
    requests : who asks, one bit each
    advance : the grant of this clock is used
    grant_onehot : who gets it, one bit each; none if nobody asks
    """

    def __init__(self, count: int):
        self._count = count
        super().__init__({"requests": In(count), "advance": In(1), "grant_onehot": Out(count)})

    def elaborate(self, platform):
        m = Module()
        pairs = [(first, second) for first in range(self._count) for second in range(first)]
        # For a pair: the first one comes before the second one. At the start the lower numbers come first.
        before = {pair: Signal(name=f"before_{pair[0]}_{pair[1]}") for pair in pairs}
        for number in range(self._count):
            others = [other for other in range(self._count) if other != number]
            beaten = Cat(
                self.requests[other] & (before[other, number] if other > number else ~before[number, other])
                for other in others
            ).any()
            m.d.comb += self.grant_onehot[number].eq(self.requests[number] & ~beaten)
        for (first, second), order in before.items():
            with m.If(self.advance & self.grant_onehot[first]):
                m.d.sync += order.eq(0)
            with m.If(self.advance & self.grant_onehot[second]):
                m.d.sync += order.eq(1)
        m.d.sync += [
            Assert((self.grant_onehot & (self.grant_onehot - 1)) == 0, "two requesters are granted at once"),
            Assert((self.grant_onehot & ~self.requests) == 0, "a grant goes to one who did not ask"),
            Assert(self.grant_onehot.any() == self.requests.any(), "nobody is granted although somebody asks"),
        ]
        return m

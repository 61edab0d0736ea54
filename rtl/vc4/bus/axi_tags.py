"""What is on its way to memory."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.common.ram import LutRam

from .axi import ADDRESS_BITS

__all__ = ["AxiTags"]


class AxiTags(wiring.Component):
    """Keeps for each tag how many requests are under way, and their addresses.

    AXI keeps the order of the reads of an id and that of its writes, but none between the two; so a tag has either reads or
    writes under way.

    Parameters
    ----------
    tag_bits : width of a tag
    in_flight : requests of a tag that can be under way, a power of two

    Interface attributes
    --------------------
    tag, write : of a request
    free : it can go
    start, address : it goes now, to this address
    done : the oldest request of `done_tag` ends now
    done_tag, done_address : a tag, and the address of its oldest request
    """

    def __init__(self, tag_bits: int, in_flight: int):
        self._tags = 1 << tag_bits
        self._place_bits = exact_log2(in_flight)
        super().__init__(
            {
                "tag": In(tag_bits),
                "write": In(1),
                "free": Out(1),
                "start": In(1),
                "address": In(ADDRESS_BITS),
                "done": In(1),
                "done_tag": In(tag_bits),
                "done_address": Out(ADDRESS_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.addresses = addresses = LutRam(ADDRESS_BITS, self._tags << self._place_bits)
        m.d.comb += [
            addresses.write_data.eq(self.address),
            addresses.write_enable.eq(self.start),
            self.done_address.eq(addresses.read_data),
        ]
        for tag in range(self._tags):
            # One bit more than a place has: they differ by the number that is under way.
            started = Signal(self._place_bits + 1, name=f"started_{tag}")
            ended = Signal(self._place_bits + 1, name=f"ended_{tag}")
            writes = Signal(name=f"writes_{tag}")
            idle = Signal(name=f"idle_{tag}")
            room = Signal(name=f"room_{tag}")
            m.d.comb += [idle.eq(started == ended), room.eq((started ^ ended) != 1 << self._place_bits)]
            with m.If(self.tag == tag):
                m.d.comb += [
                    self.free.eq(idle | (room & (self.write == writes))),
                    addresses.write_address.eq(Cat(started[: self._place_bits], C(tag, len(self.tag)))),
                ]
                with m.If(self.start):
                    m.d.sync += [started.eq(started + 1), writes.eq(self.write)]
                    m.d.sync += Assert(idle | room, "more is under way than there is room for")
            with m.If(self.done_tag == tag):
                m.d.comb += addresses.read_address.eq(Cat(ended[: self._place_bits], C(tag, len(self.tag))))
                with m.If(self.done):
                    m.d.sync += ended.eq(ended + 1)
                    m.d.sync += Assert(~idle, "a response that nobody waits for")
        return m

"""The way to memory, as AXI4."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.common.queue import Queue

from .axi import ADDRESS_BITS, AxiPort
from .axi_tags import AxiTags
from .port import MemoryPort

__all__ = ["AxiMaster"]

_BURST_INCR = 1
_CACHE_NORMAL = 0b0011  # may be buffered and joined with others; no cache keeps it
_PROTECTION_DATA = 0b000
#: Two places pass an address every clock and keep the ready of the two sides apart.
_DEPTH = 2


class AxiMaster(wiring.Component):
    """Asks an AXI4 slave for what comes through a `MemoryPort`.

    Behaviour: a request becomes one INCR burst, with the tag as its id, and shows on the bus one clock later; words and
    responses pass at once. Each channel moves one item a clock. Responses of different tags may come in any order, and
    the words of reads between each other.

    A tag has either reads or writes under way, `in_flight` at the most: a request for which this does not hold waits, and
    all after it. The words of a write are offered once its address is, whether that is taken or not.

    A response that is an error (SLVERR or DECERR) is passed on as one, and ends its request as any other.

    Parameters
    ----------
    word_bytes : width of the bus in bytes, a power of two
    tag_bits : width of a tag
    in_flight : requests of a tag under way, a power of two

    Interface attributes
    --------------------
    memory : the requests
    m_axi : the slave
    error_stb, error_address : a response that is taken now is an error, and the address of its request
    """

    def __init__(self, *, word_bytes: int, tag_bits: int, in_flight: int = 4):
        self._most_writes = in_flight << tag_bits
        self._tags = AxiTags(tag_bits, in_flight)
        super().__init__(
            {
                "memory": In(MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)),
                "m_axi": Out(AxiPort(word_bytes=word_bytes, id_bits=tag_bits)),
                "error_stb": Out(1),
                "error_address": Out(ADDRESS_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.tags = self._tags
        reads = self._addresses(m, "read_addresses", "ar")
        writes = self._addresses(m, "write_addresses", "aw")
        self._requests(m, reads, writes)
        self._words(m, writes)
        self._responses(m)
        return m

    def _addresses(self, m, name, prefix):
        """A queue for addresses, with the channel `prefix` after it; returns its input."""
        axi = self.m_axi
        request = self.memory.signature.request_layout
        layout = data.StructLayout({field: request[field].shape for field in ("address", "beats", "tag")})
        m.submodules[name] = queue = Queue(layout, _DEPTH)
        values = {
            "id": queue.o.payload.tag,
            "addr": queue.o.payload.address,
            "len": queue.o.payload.beats,
            "size": exact_log2(axi.signature.word_bytes),
            "burst": _BURST_INCR,
            "cache": _CACHE_NORMAL,
            "prot": _PROTECTION_DATA,
            "valid": queue.o.valid,
        }
        m.d.comb += [getattr(axi, f"{prefix}{field}").eq(value) for field, value in values.items()]
        m.d.comb += queue.o.ready.eq(getattr(axi, f"{prefix}ready"))
        return queue.i

    def _requests(self, m, reads, writes):
        """Each goes where it belongs, once its tag is free."""
        requests, tags = self.memory.requests, self._tags
        goes = Signal()
        m.d.comb += [
            tags.tag.eq(requests.payload.tag),
            tags.write.eq(requests.payload.write),
            tags.address.eq(requests.payload.address),
            tags.start.eq(goes),
            requests.ready.eq(tags.free & Mux(requests.payload.write, writes.ready, reads.ready)),
            goes.eq(requests.valid & requests.ready),
            reads.valid.eq(requests.valid & tags.free & ~requests.payload.write),
            writes.valid.eq(requests.valid & tags.free & requests.payload.write),
        ]
        for channel in (reads, writes):
            m.d.comb += [
                channel.payload.address.eq(requests.payload.address),
                channel.payload.beats.eq(requests.payload.beats),
                channel.payload.tag.eq(requests.payload.tag),
            ]

    def _words(self, m, writes):
        """Words pass for writes whose address is at least on its way."""
        axi, words = self.m_axi, self.memory.writes
        owed = Signal(range(self._most_writes + 1))
        due = Signal()
        ends = Signal()
        m.d.comb += [
            due.eq(owed != 0),
            axi.wvalid.eq(words.valid & due),
            words.ready.eq(axi.wready & due),
            axi.wdata.eq(words.payload.data),
            axi.wstrb.eq(words.payload.strobes),
            axi.wlast.eq(words.payload.last),
            ends.eq(axi.wvalid & axi.wready & axi.wlast),
        ]
        m.d.sync += owed.eq(owed + (writes.valid & writes.ready) - ends)

    def _responses(self, m):
        """Those of writes go first, but do not take back a word that is offered."""
        axi, responses, tags = self.m_axi, self.memory.responses, self._tags
        word_waits = Signal()
        is_write = Signal()
        moves = Signal()
        m.d.comb += [
            is_write.eq(axi.bvalid & ~word_waits),
            responses.valid.eq(axi.bvalid | axi.rvalid),
            axi.bready.eq(responses.ready & ~word_waits),
            axi.rready.eq(responses.ready & ~is_write),
            moves.eq(responses.valid & responses.ready),
            tags.done_tag.eq(Mux(is_write, axi.bid, axi.rid)),
            tags.done.eq(moves & (is_write | axi.rlast)),
            self.error_address.eq(tags.done_address),
            self.error_stb.eq(moves & Mux(is_write, Value.cast(axi.bresp)[1], Value.cast(axi.rresp)[1])),
            responses.payload.tag.eq(tags.done_tag),
            responses.payload.data.eq(Mux(is_write, 0, axi.rdata)),
            responses.payload.last.eq(is_write | axi.rlast),
            responses.payload.error.eq(Mux(is_write, Value.cast(axi.bresp)[1], Value.cast(axi.rresp)[1])),
        ]
        m.d.sync += word_waits.eq(axi.rvalid & ~is_write & ~responses.ready)

"""Which lines of the cache a request needs, and which of them are still to be fetched."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.common.cache_tags import CacheTags
from vc4.common.queue import Queue

from .structs import LINE_BYTES, LINE_TAG_BITS, READS, SETS, WAYS, CacheRead, CacheRequest, LineFetch

__all__ = ["CacheLookups"]

_BYTE_BITS, _SET_BITS = exact_log2(LINE_BYTES), exact_log2(SETS)
#: Keeps the ready of both sides apart.
_DEPTH = 2


class CacheLookups(wiring.Component):
    """Turns addresses into places of the cache, and fetches lines that are not there.

    Behaviour: a request whose lines are all there leaves two clocks after it came, and one a clock follows. Each line that
    is missing takes two clocks more. Its place is given away at once, so what follows finds the line there, though its words
    may come much later: who reads has to let the lines in when it comes to the request that they were fetched for. Ways
    are replaced first in, first out; a request of four lines in one set finds room for all, as each fetch takes another way.

    A clear begins when the request is through of which lines are being fetched, and takes a clock for each set and one more.
    What left before reads what it would have read.

    Parameters
    ----------
    note : shape of what a request carries along

    Interface attributes
    --------------------
    i : requests
    o : the same with places
    fetches : lines, in the order in which they are needed
    clear : forget every line
    """

    def __init__(self, note):
        self._request = CacheRequest(note)
        super().__init__(
            {
                "i": In(stream.Signature(self._request)),
                "o": Out(stream.Signature(CacheRead(note))),
                "fetches": Out(stream.Signature(LineFetch)),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.tags = tags = CacheTags(SETS, WAYS, LINE_TAG_BITS, ports=READS)
        m.submodules.requests = requests = Queue(self._request, _DEPTH)
        connect(m, flipped(self.i), requests.i)
        request, valid = requests.o.payload, requests.o.valid
        fetching = Signal()
        clears = Signal()
        lines = Signal(4)
        found = Signal(READS)
        missing = Signal(READS)  # a clock later
        victims = [Signal(range(WAYS), name=f"victim_{number}") for number in range(READS)]
        for number, lookup in enumerate(tags.lookups):
            line = request.addresses[number][_BYTE_BITS:]
            place = self.o.payload.places[number]
            m.d.comb += [
                lookup.enable.eq(valid & request.wanted[number]),
                lookup.set.eq(line),
                lookup.tag.eq(line[_SET_BITS:]),
                found[number].eq(lookup.hit | ~request.wanted[number]),
                place.set.eq(line),
                place.way.eq(lookup.way),
                self.o.payload.bytes[number].eq(request.addresses[number]),
            ]
            with m.If(~fetching):
                m.d.sync += victims[number].eq(lookup.victim)
        m.d.comb += [
            # Between two requests: one that had to begin anew again and again would fill all places for lines itself.
            tags.clear.eq(clears & ~fetching & (lines == 0)),
            self.o.valid.eq(valid & ~fetching & found.all()),
            self.o.payload.lines.eq(lines),
            self.o.payload.note.eq(request.note),
            requests.o.ready.eq(self.o.valid & self.o.ready),
        ]
        with m.If(~fetching):
            m.d.sync += missing.eq(~found)
        with m.If(fetching):
            # A clear meanwhile drops the write of the tags: the line is looked for again.
            m.d.sync += fetching.eq(~self.fetches.ready)
            with m.If(self.fetches.ready):
                m.d.sync += lines.eq(lines + 1)
        with m.Elif(requests.o.ready):
            m.d.sync += lines.eq(0)
        with m.Elif(valid & ~found.all() & ~tags.clearing):
            m.d.sync += fetching.eq(1)
        m.d.sync += clears.eq(self.clear | (clears & ~tags.clear))
        m.d.sync += Assert(~(lines == 15), "a request fetches its lines again and again")
        self._fetch(m, tags, request, fetching, missing, victims)
        return m

    def _fetch(self, m, tags, request, fetching, missing, victims):
        """The first line that is missing is fetched, and takes the oldest place of its set."""
        fetch = self.fetches.payload
        for number in reversed(range(READS)):
            line = request.addresses[number][_BYTE_BITS:]
            with m.If(missing[number]):
                m.d.comb += [
                    tags.write_set.eq(line),
                    tags.write_tag.eq(line[_SET_BITS:]),
                    tags.write_way.eq(victims[number]),
                    fetch.place.set.eq(line),
                    fetch.place.way.eq(victims[number]),
                    fetch.tag.eq(line[_SET_BITS:]),
                ]
        m.d.comb += [
            tags.write_valid.eq(1),
            tags.write_enable.eq(fetching & self.fetches.ready),
            self.fetches.valid.eq(fetching),
        ]

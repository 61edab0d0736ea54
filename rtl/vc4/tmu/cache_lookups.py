"""Which lines of the cache a request needs, and which of them are still to be fetched."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import exact_log2

from vc4.common.cache_tags import CacheTags
from vc4.common.compare import equal
from vc4.common.queue import Queue
from vc4.common.ram import LutRam
from vc4.records.tmu import LINE_BYTES

from .structs import LINE_TAG_BITS, READS, SETS, WAYS, CachePlace, CacheRead, CacheRequest, LineFetch

__all__ = ["CacheLookups"]

_BYTE_BITS, _SET_BITS = exact_log2(LINE_BYTES), exact_log2(SETS)
#: Keeps the ready of both sides apart.
_DEPTH = 2


class CacheLookups(wiring.Component):
    """Turns addresses into places of the cache, and fetches lines that are not there.

    Behaviour: a request whose lines are all there leaves two clocks after it came, and one a clock follows. Each line that
    is missing takes a clock more. Its place is given away at once, so what follows finds the line there, though its words
    may come much later. Ways are replaced first in, first out.

    Each way has two sides: a line takes the one that the line before it has not, so that its words may come while requests
    in front of it still read that. A line waits until the request has been answered that the line before it was fetched for.

    A clear begins between two requests, and takes a clock for each set and one more. What left before reads what it would
    have read.

    Parameters
    ----------
    note : shape of what a request carries along

    Interface attributes
    --------------------
    i : requests
    o : the same with places
    fetches : lines, in the order in which they are needed
    answered : a request has been answered, for which so many lines were fetched
    clear : forget every line
    """

    def __init__(self, note):
        self._request = CacheRequest(note)
        super().__init__(
            {
                "i": In(stream.Signature(self._request)),
                "o": Out(stream.Signature(CacheRead(note))),
                "fetches": Out(stream.Signature(LineFetch)),
                "answered": In(range(READS + 1)),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.tags = tags = CacheTags(SETS, WAYS, LINE_TAG_BITS, ports=READS)
        m.submodules.sides = sides = LutRam(WAYS, SETS, reads=READS)
        m.submodules.requests = requests = Queue(self._request, _DEPTH)
        connect(m, flipped(self.i), requests.i)
        request, valid = requests.o.payload, requests.o.valid
        self._lines = [request.addresses[number][_BYTE_BITS:] for number in range(READS)]
        fetching = Signal()
        clears = Signal()
        count = Signal(range(READS))  # lines that have been fetched for the request
        found = Signal(READS)
        missing = Signal(READS)  # from the second clock on
        kept = [Signal(CachePlace, name=f"kept_{number}") for number in range(READS)]
        fetched = Signal(CachePlace)
        same = Signal(READS)  # those that miss the line that is fetched
        fetches = Signal()
        ends = Signal()
        m.d.comb += ends.eq((missing & ~same) == 0)
        for number, lookup in enumerate(tags.lookups):
            line = self._lines[number]
            place = Signal(CachePlace, name=f"place_{number}")
            m.d.comb += [
                lookup.enable.eq(valid & request.wanted[number]),
                lookup.set.eq(line),
                lookup.tag.eq(line[_SET_BITS:]),
                found[number].eq(lookup.hit | ~request.wanted[number]),
                sides.read_address[number].eq(line),
                *(place.set.eq(line), place.way.eq(lookup.way)),
                place.side.eq(sides.read_data[number].bit_select(lookup.way, 1)),
                self.o.payload.places[number].eq(Mux(fetching, Mux(same[number], fetched, kept[number]), place)),
                self.o.payload.bytes[number].eq(request.addresses[number]),
            ]
            with m.If(~fetching):
                m.d.sync += kept[number].eq(place)
            with m.Elif(same[number]):
                m.d.sync += kept[number].eq(fetched)
        m.d.comb += [
            tags.clear.eq(clears & (~valid | requests.o.ready)),
            self.o.valid.eq(Mux(fetching, ends & fetches, valid & found.all())),
            self.o.payload.lines.eq(Mux(fetching, count + 1, 0)),
            *(self.o.payload.turns.eq(request.turns), self.o.payload.note.eq(request.note)),
            requests.o.ready.eq(self.o.valid & self.o.ready),
        ]
        with m.If(~fetching):
            m.d.sync += [missing.eq(~found), count.eq(0), fetching.eq(valid & ~found.all() & ~tags.clearing)]
        with m.Elif(fetches):
            m.d.sync += [missing.eq(missing & ~same), count.eq(count + 1), fetching.eq(~ends)]
        m.d.sync += clears.eq(self.clear | (clears & ~tags.clear))
        self._fetch(m, tags, sides, fetching, missing, same, ends, fetched, fetches)
        return m

    def _fetch(self, m, tags, sides, fetching, missing, same, ends, fetched, fetches):
        """The first line that is missing is fetched, and takes the oldest place of its set."""
        fetch = self.fetches.payload
        lines = self._lines
        sets = [line[:_SET_BITS] for line in lines]
        beside = Signal(READS)  # those of the same set
        equals = [
            [None] * number
            + [
                equal(m, lines[number], line, f"equal_{number}_{other}")
                for other, line in enumerate(lines)
                if other >= number
            ]
            for number in range(READS)
        ]
        for number in reversed(range(READS)):
            # What is known of the set in the first clock; the way after a victim is the next one.
            victim = Signal(range(WAYS), name=f"victim_{number}")
            turned = Signal(WAYS, name=f"turned_{number}")
            same_lines = Signal(READS, name=f"same_lines_{number}")
            same_sets = Signal(READS, name=f"same_sets_{number}")
            m.d.sync += [
                same_lines.eq(Cat(equals[min(number, other)][max(number, other)] for other in range(READS))),
                same_sets.eq(Cat(set_ == sets[number] for set_ in sets)),
            ]
            with m.If(~fetching):
                m.d.sync += [victim.eq(tags.lookups[number].victim), turned.eq(~sides.read_data[number])]
            with m.Elif(fetches & beside[number]):
                m.d.sync += [victim.eq(victim + 1), turned.eq(turned ^ (1 << fetched.way))]
            with m.If(missing[number]):
                m.d.comb += [
                    *(fetched.set.eq(sets[number]), fetched.way.eq(victim)),
                    *(fetched.side.eq(turned.bit_select(victim, 1)), sides.write_data.eq(~turned ^ (1 << victim))),
                    fetch.tag.eq(lines[number][_SET_BITS:]),
                    *(same.eq(same_lines & missing), beside.eq(same_sets)),
                ]
        waits = self._waits(m, fetched, fetches)
        m.d.comb += [
            *(fetch.place.eq(fetched), self.fetches.valid.eq(fetching & ~waits & (~ends | self.o.ready))),
            fetches.eq(self.fetches.valid & self.fetches.ready),
            *(tags.write_valid.eq(1), tags.write_enable.eq(fetches)),
            *(tags.write_set.eq(fetched.set), tags.write_way.eq(fetched.way), tags.write_tag.eq(fetch.tag)),
            # All sides of the set are written: an FPGA has no memory for single bits.
            *(sides.write_address.eq(fetched.set), sides.write_enable.eq(fetches)),
        ]

    def _waits(self, m, fetched, fetches):
        """Whether the way has a line for which a request waits, so that the side before may still be read.

        Two memories have a bit for each way, that turns round when a line is fetched, and when its request has been answered: while
        they differ the request waits.
        """
        m.submodules.places = places = Queue(CachePlace, SETS * WAYS)
        m.submodules.begun = begun = LutRam(WAYS, SETS)
        m.submodules.ended = ended = LutRam(WAYS, SETS, reads=2)
        left = Signal(range(SETS * WAYS + 1))  # lines whose requests have been answered
        pops = left != 0
        ending = Signal(CachePlace)
        ends = Signal(name="line_ends")
        # A reset leaves memories as they are: the clocks that the tags take then are enough for these, too.
        sweep = Signal(range(SETS + 1), reset_less=True)
        sweeps = Signal()
        with m.If(ResetSignal("sync", allow_reset_less=True)):
            m.d.sync += sweep.eq(SETS)
        with m.Elif(sweeps):
            m.d.sync += sweep.eq(sweep - 1)
        m.d.comb += [
            sweeps.eq(sweep != 0),
            *(places.i.payload.eq(fetched), places.i.valid.eq(fetches), places.o.ready.eq(pops)),
        ]
        m.d.sync += [
            *(left.eq(left + self.answered - pops), ending.eq(places.o.payload), ends.eq(pops)),
            Assert(~fetches | places.i.ready, "a way gets a third line"),
            Assert(~pops | places.o.valid, "a line is read that was not fetched"),
        ]
        m.d.comb += [
            begun.read_address.eq(fetched.set),
            ended.read_address[0].eq(fetched.set),
            ended.read_address[1].eq(ending.set),
        ]
        for memory, word, place, turns in (
            (begun, begun.read_data, fetched, fetches),
            (ended, ended.read_data[1], ending, ends),
        ):
            m.d.comb += [
                memory.write_enable.eq(turns | sweeps),
                memory.write_address.eq(Mux(sweeps, sweep, place.set)),
                memory.write_data.eq(Mux(sweeps, 0, word ^ (1 << place.way))),
            ]
        return (begun.read_data ^ ended.read_data[0]).bit_select(fetched.way, 1)

"""A stream of the words of consecutive addresses, out of a cache."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES
from vc4.common.queue import Queue
from vc4.qpu.structs import FetchedWord, Redirect

from .line_cache import LINE_BYTES, CachePort
from .line_fills import WORD_ADDRESS_BITS

__all__ = ["Fetch"]

#: Words that wait for their reader. One place is kept for the first word of a redirection; the words in the others are
#: dropped, one a clock, while that one is looked up.
_DEPTH = 4
_WORD_BITS = 32 - WORD_ADDRESS_BITS
_LINE_BITS = (LINE_BYTES // BUS_BYTES).bit_length() - 1


class Fetch(wiring.Component):
    """Streams words of consecutive addresses, each with its address, and goes on elsewhere when told.

    Behaviour: looks up a word in each turn, as long as there is room for it, so a word comes every four clocks. A jump
    takes effect after the word before its boundary, or at once if that has been found already; the reader drops the
    words after the boundary, three at the most. After a restart no word of the time before comes.

    The first word of a redirection is looked up in the first turn after the clock of `redirect_stb`, and is offered three
    clocks later if it is in the cache: four clocks after the redirection if the turn is in the clock after it, and seven
    at the most.

    Parameters
    ----------
    depth : words in the queue

    Interface attributes
    --------------------
    redirect, redirect_stb : where the stream goes on
    limited, last : no word after `last` is looked up, and no line after its line is fetched
    holds : nothing is looked up
    o : the words
    cache : the way to the cache
    """

    redirect: In(Redirect)
    redirect_stb: In(1)
    limited: In(1)
    last: In(WORD_ADDRESS_BITS)
    holds: In(1)
    o: Out(stream.Signature(FetchedWord))
    cache: Out(CachePort())

    def __init__(self, depth: int = _DEPTH):
        self._depth = depth
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        item = data.StructLayout({"address": WORD_ADDRESS_BITS, "word": 8 * BUS_BYTES, "error": 1})
        m.submodules.words = words = Queue(item, self._depth)
        restarts = Signal()
        finds = Signal()
        found = Signal()  # a clock later
        found_address = Signal(WORD_ADDRESS_BITS)
        stale = Signal(range(self._depth + 1))  # words in the queue from before a restart
        drops = Signal()
        m.d.comb += [
            restarts.eq(self.redirect_stb & self.redirect.restart),
            drops.eq(stale != 0),
            words.i.valid.eq(found),
            words.i.payload.address.eq(found_address),
            words.i.payload.word.eq(self.cache.word),
            words.i.payload.error.eq(self.cache.error),
            self.o.valid.eq(words.o.valid & ~drops),
            self.o.payload.pc.eq(words.o.payload.address << _WORD_BITS),
            self.o.payload.word.eq(words.o.payload.word),
            self.o.payload.error.eq(words.o.payload.error),
            words.o.ready.eq(self.o.ready | drops),
        ]
        m.d.sync += found.eq(finds & ~restarts)
        with m.If(restarts):
            m.d.sync += stale.eq(words.level + found - (words.o.valid & words.o.ready))
        with m.Elif(drops):
            m.d.sync += stale.eq(stale - 1)
        address = self._address(m, restarts, finds, words.level)
        m.d.sync += found_address.eq(address)
        m.d.sync += Assert(~found | words.i.ready, "a word is found that there is no room for")
        return m

    def _address(self, m, restarts, finds, level):
        """Which word is looked up, and when. Returns its address."""
        cache = self.cache
        address = Signal(WORD_ADDRESS_BITS)
        following = Signal(WORD_ADDRESS_BITS)
        boundary = Signal(WORD_ADDRESS_BITS)
        target = Signal(WORD_ADDRESS_BITS)
        started = Signal()
        ended = Signal()  # the last word has been found
        jumps = Signal()  # a jump waits for its boundary
        asked = Signal()  # the word at `address` is being looked up
        moves = Signal()  # a redirection takes effect at once
        first = Signal()  # since then no word has been found
        room = Signal()
        m.d.comb += [
            room.eq((level < self._depth - 1) | (first & (level != self._depth))),
            cache.lookup.eq(started & ~ended & ~self.holds & room),
            cache.address.eq(address),
            cache.ahead.eq(~self.limited | (address[_LINE_BITS:] != self.last[_LINE_BITS:])),
            finds.eq(asked & cache.found),
            following.eq(address + 1),
        ]
        new_boundary, new_target = self.redirect.boundary[_WORD_BITS:], self.redirect.target[_WORD_BITS:]
        # Words from `following` up to the boundary; below 0 when the word before it has been found already. Whether it is
        # found now comes from the tags, too late in the clock for a subtraction.
        to_go = Signal(signed(WORD_ADDRESS_BITS))
        m.d.comb += [
            to_go.eq(new_boundary - following),
            moves.eq(self.redirect_stb & (self.redirect.restart | (to_go < 0) | (finds & (new_boundary == following)))),
        ]
        with m.If(finds):
            m.d.sync += [address.eq(following), first.eq(0), ended.eq(self.limited & (address == self.last))]
            with m.If(jumps & (following == boundary)):
                m.d.sync += [address.eq(target), jumps.eq(0), ended.eq(0)]
        with m.If(self.redirect_stb):
            m.d.sync += [boundary.eq(new_boundary), target.eq(new_target), jumps.eq(~moves)]
        with m.If(moves):
            m.d.sync += [address.eq(new_target), first.eq(1), ended.eq(0)]
        with m.If(restarts):
            m.d.sync += started.eq(1)
        m.d.sync += asked.eq(cache.turn & cache.lookup & ~moves)
        return address

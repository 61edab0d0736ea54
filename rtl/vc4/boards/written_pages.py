"""Which pages of memory have been written."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam

from .protocol import PAGE_BITS

__all__ = ["PAGES_OF_A_WORD", "WrittenPages"]

#: Pages that are told at a time.
PAGES_OF_A_WORD = 64


class WrittenPages(wiring.Component):
    """Remembers which pages of 2**PAGE_BITS bytes requests to write went to, so that a host need not read the others.

    Behaviour: `clear` takes a clock for each page, `start` one for each of 64; the request of one clock is remembered in the
    next one. No request comes while it clears, and each other operation begins when the one before is done.

    Parameters
    ----------
    size, base : bytes of memory, and the address of the first one, a multiple of the size of a page

    Interface attributes
    --------------------
    written_stb, address : a request to write, and where; one outside of memory is ignored
    clear : no page is written
    start, first : tell the pages from number `first` on, a multiple of `PAGES_OF_A_WORD`
    word : then they are in here, a bit each, the lowest first
    done : the last clock of `clear` or `start`; `word` is there from the next one on
    """

    def __init__(self, size: int, base: int):
        page = 1 << PAGE_BITS
        if base % page:
            raise ValueError(f"memory begins at a multiple of {page}, not at {base:#x}")
        self._pages = -(-size // (page * PAGES_OF_A_WORD)) * PAGES_OF_A_WORD
        self._base_page = base >> PAGE_BITS
        super().__init__(
            {
                "written_stb": In(1),
                "address": In(32),
                "clear": In(1),
                "start": In(1),
                "first": In(32 - PAGE_BITS),
                "word": Out(PAGES_OF_A_WORD),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.written = written = BlockRam(1, self._pages)
        clears = Signal()
        reads = Signal()
        comes = Signal()
        place = Signal(range(self._pages + 1))  # the next page to clear or to read
        left = Signal(range(PAGES_OF_A_WORD + 1))
        page = Signal(32 - PAGE_BITS)  # of the request before
        writes = Signal()
        m.d.sync += [
            page.eq(self.address[PAGE_BITS:] - self._base_page),
            writes.eq(self.written_stb),
            comes.eq(reads & (left != 0)),
        ]
        m.d.comb += [
            written.write_address.eq(Mux(clears, place, page)),
            written.write_data.eq(~clears),
            written.write_enable.eq(clears | (writes & (page < self._pages))),
            written.read_address.eq(place),
            written.read_enable.eq(reads),
            self.done.eq(Mux(clears, place == self._pages - 1, reads & (left == 0))),
        ]
        with m.If(clears | reads):
            m.d.sync += [place.eq(place + 1), left.eq(left - 1)]
        with m.If(comes):
            m.d.sync += self.word.eq(Cat(self.word[1:], written.read_data))
        with m.If(self.done):
            m.d.sync += [clears.eq(0), reads.eq(0)]
        with m.If(self.clear):
            m.d.sync += [clears.eq(1), place.eq(0)]
        with m.If(self.start):
            m.d.sync += [reads.eq(1), place.eq(self.first), left.eq(PAGES_OF_A_WORD)]
        return m

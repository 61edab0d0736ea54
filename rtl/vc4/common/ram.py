"""Memories: the only place that knows how an FPGA builds them."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BlockRam", "LutRam"]


class BlockRam(wiring.Component):
    """A memory with one write port and read ports with a register after each, for each of which an FPGA has a copy of it.

    Behaviour: `read_data` has the word of `read_address` one clock later, and keeps it while `read_enable` is low. A
    read of a word in the clock that writes it gives the old word. Block RAMs of FPGAs do not do that by themselves, so
    it costs registers and multiplexers; a user who does not need it says so with `exclusive` or `discards`.

    Parameters
    ----------
    width : bits of a word
    depth : number of words
    granularity : bits that one bit of `write_enable` covers; `None`: the whole word
    init : the first words at power-up; the others are 0
    reads : number of read ports
    exclusive : no word is read in the clock that writes it; an assertion fails otherwise
    discards : bits that are read in the clock that writes them are not looked at
    read_domain : of the read ports; what they read of a word that is written about then is unknown, if this is not `sync`

    Interface attributes
    --------------------
    write_address, write_data, write_enable : the write port, one enable bit for each `granularity` bits
    read_address, read_enable, read_data : the read port; if there are several, arrays of them
    """

    def __init__(
        self, width, depth, *, granularity=None, init=(), reads=1, exclusive=False, discards=False, read_domain="sync"
    ):
        self._width = width
        self._depth = depth
        self._granularity = granularity
        parts = 1 if granularity is None else width // granularity
        self._init = init
        self._reads = reads
        self._exclusive = exclusive
        self._discards = discards
        self._read_domain = read_domain
        ports = () if reads == 1 else (reads,)
        super().__init__(
            {
                "write_address": In(range(depth)),
                "write_data": In(width),
                "write_enable": In(parts),
                "read_address": In(range(depth)).array(*ports),
                "read_enable": In(1).array(*ports),
                "read_data": Out(width).array(*ports),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # Not LUTs, however few words there are; and Yosys need not build what happens when both ports meet, if nobody sees it.
        attributes = {"ram_style": "block"} | ({"no_rw_check": 1} if self._exclusive or self._discards else {})
        m.submodules.memory = store = memory.Memory(
            shape=unsigned(self._width), depth=self._depth, init=self._init, attrs=attributes
        )
        write = store.write_port(granularity=self._granularity)
        m.d.comb += [
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
            write.en.eq(self.write_enable),
        ]
        ports = (self.read_address, self.read_enable, self.read_data)
        for address, enable, word in [ports] if self._reads == 1 else zip(*ports, strict=True):
            read = store.read_port(domain=self._read_domain)
            m.d.comb += [read.addr.eq(address), read.en.eq(enable), word.eq(read.data)]
            if self._exclusive:
                meet = enable & self.write_enable.any() & (address == self.write_address)
                what = f"a word of {self._depth} by {self._width} bits is read in the clock that writes it"
                m.d.sync += Assert(~meet, what)
        return m


class LutRam(wiring.Component):
    """A small memory with one write port and asynchronous read ports, for each of which an FPGA has a copy of it.

    Behaviour: `read_data` is the word of `read_address` in the same clock; a write shows from the next clock on.

    Parameters
    ----------
    width : bits of a word
    depth : number of words
    granularity : bits that one bit of `write_enable` covers; `None`: the whole word
    init : the first words at power-up; the others are 0
    reads : number of read ports

    Interface attributes
    --------------------
    write_address, write_data, write_enable : the write port, one enable bit for each `granularity` bits
    read_address, read_data : the read port; if there are several, arrays of them
    """

    def __init__(self, width, depth, *, granularity=None, init=(), reads=1):
        self._width = width
        self._depth = depth
        self._granularity = granularity
        parts = 1 if granularity is None else width // granularity
        self._init = init
        self._reads = reads
        ports = () if reads == 1 else (reads,)
        super().__init__(
            {
                "write_address": In(range(depth)),
                "write_data": In(width),
                "write_enable": In(parts),
                "read_address": In(range(depth)).array(*ports),
                "read_data": Out(width).array(*ports),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = store = memory.Memory(shape=unsigned(self._width), depth=self._depth, init=self._init)
        write = store.write_port(granularity=self._granularity)
        single = self._reads == 1
        addresses = [self.read_address] if single else self.read_address
        words = [self.read_data] if single else self.read_data
        m.d.comb += [
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
            write.en.eq(self.write_enable),
        ]
        for address, word in zip(addresses, words, strict=True):
            read = store.read_port(domain="comb")
            m.d.comb += [read.addr.eq(address), word.eq(read.data)]
        return m

"""The way of a QPU into the VPM and back."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.records.vpm import SetupId, VdrBasicSetup, VpmSize

from .dma_port import DmaPort
from .port import VpmCommand, VpmPort
from .read_port import ReadPort
from .result_rows import ResultRows
from .structs import RowRange, VdrLoad, VdwStore, Words
from .vectors import VectorRead, VectorWrite
from .window import ShaderWindow, is_inside, moved
from .write_port import WritePort

__all__ = ["PortErrors", "QpuPort"]


class PortErrors(data.Struct):
    """What a program asked for in vain, in a clock."""

    write: unsigned(1)  # a vector of the reserved size, or a word of the reserved kind in `vw_setup`
    read: unsigned(1)  # the same of `vr_setup`
    write_outside: unsigned(1)  # a quad of a vector of rows that are not reserved for user programs
    read_outside: unsigned(1)


class QpuPort(wiring.Component):
    """Carries out what one QPU says to the VPM, in its order: vectors, set-ups, and starts of DMA.

    Behaviour: a beat passes without delay unless it has to wait, and one moves every clock. `WritePort`, `ReadPort` and
    `DmaPort` say what waits for what; after a beat that waits everything else does, but for vectors that are already to be
    fetched. A `CANCEL` waits until all of them are forgotten. Set-up words of a reserved kind are ignored. Outside of the
    window vectors read 0 and are written nowhere. A shader of vertices that starts DMA waits for ever; what it does not write
    becomes 0, see `ResultRows`.

    Interface attributes
    --------------------
    qpu : the port of the QPU
    window : the rows that it reaches
    restarts : strobe: the set-up of writes is forgotten
    filled : all rows of results of a shader have been written
    writes : vectors to the VPM
    reads, words : requests for vectors, and what the one of two clocks ago asked for
    stores, loads : to the DMA engines
    store_done, load_done : strobes: the store or load that the engine had is done
    unread, unwritten : rows that a DMA store has yet to read, and that a DMA load has yet to write
    errors : of this clock
    """

    qpu: In(VpmPort())
    window: In(ShaderWindow)
    restarts: In(1)
    filled: Out(1)
    writes: Out(stream.Signature(VectorWrite))
    reads: Out(stream.Signature(VectorRead))
    words: In(Words)
    stores: Out(stream.Signature(VdwStore))
    loads: Out(stream.Signature(VdrLoad))
    store_done: In(1)
    load_done: In(1)
    unread: In(RowRange)
    unwritten: In(RowRange)
    errors: Out(PortErrors)

    def elaborate(self, platform):
        m = Module()
        m.submodules.write_port = write = WritePort()
        m.submodules.read_port = read = ReadPort()
        m.submodules.dma_port = dma = DmaPort()
        m.submodules.result_rows = results = ResultRows()
        connect(m, write.quads, results.i)
        connect(m, read.reads, flipped(self.qpu.reads))
        connect(m, dma.stores, flipped(self.stores))
        connect(m, dma.loads, flipped(self.loads))
        m.d.comb += [
            write.unread.eq(self.unread),
            write.unwritten.eq(self.unwritten),
            write.fetching.eq(read.fetching),
            read.unwritten.eq(self.unwritten),
            read.words.eq(self.words),
            dma.store_done.eq(self.store_done),
            dma.load_done.eq(self.load_done),
            dma.fetching.eq(read.fetching.any),
            self.qpu.store_busy.eq(dma.store_busy),
            self.qpu.load_busy.eq(dma.load_busy),
            self.qpu.fetching.eq(read.busy),
            self.qpu.readable.eq(read.readable),
        ]
        m.d.comb += [
            write.restarts.eq(self.restarts),
            results.window.eq(self.window),
            self.filled.eq(results.filled),
        ]
        for quads, out, space, outside in (
            (results.o, self.writes, self.window.results, self.errors.write_outside),
            (read.requests, self.reads, self.window.attributes, self.errors.read_outside),
        ):
            self._place(m, quads, out, space, outside)
        self._commands(m, write, read, dma)
        return m

    def _place(self, m, quads, out, space, outside):
        """Rows count from the beginning of the window. A quad outside of it has the reserved size."""
        address = quads.payload.address
        m.d.comb += [
            out.payload.eq(quads.payload),
            out.payload.address.row.eq(moved(space, address)),
            out.valid.eq(quads.valid),
            quads.ready.eq(out.ready),
        ]
        with m.If(~is_inside(space, address)):
            m.d.comb += [
                out.payload.form.size.eq(VpmSize.RESERVED_3),
                outside.eq(quads.valid & quads.ready & ~self.window.shades),
            ]

    def _commands(self, m, write, read, dma):
        """Each beat goes to the part that it is for; of set-ups and addresses, only the first one counts."""
        commands, beat = self.qpu.writes, self.qpu.writes.payload
        word, first = beat.data[0], commands.valid & (beat.quad == 0)
        wrong_write = Signal()
        wrong_read = Signal()
        m.d.comb += [
            write.vectors.payload.eq(beat),
            *(setup.eq(word) for setup in (write.setup, read.setup, dma.setup)),
            *(addresses.payload.eq(word) for addresses in (dma.store_addresses, dma.load_addresses)),
            read.read_stb.eq(commands.valid & commands.ready & beat.fetch),
        ]
        with m.Switch(beat.command):
            with m.Case(VpmCommand.DATA):
                m.d.comb += [write.vectors.valid.eq(commands.valid), commands.ready.eq(write.vectors.ready)]
            with m.Case(VpmCommand.WRITE_SETUP):
                kind = SetupId(word[30:])
                m.d.comb += [
                    commands.ready.eq(1),
                    write.setup_stb.eq(first & (kind == SetupId.WRITE)),
                    wrong_write.eq(first & (kind == SetupId.RESERVED_1)),
                    dma.store_setup_stb.eq(first & word[31]),
                ]
            with m.Case(VpmCommand.READ_SETUP):
                setup = VdrBasicSetup(word)
                m.d.comb += [
                    commands.ready.eq(1),
                    read.setup_stb.eq(first & ~setup.id & ~word[30]),
                    wrong_read.eq(first & ~setup.id & word[30]),
                    dma.load_setup_stb.eq(first & setup.id),
                ]
            with m.Case(VpmCommand.STORE_ADDRESS):
                m.d.comb += [
                    dma.store_addresses.valid.eq(first & ~self.window.shades),
                    commands.ready.eq((dma.store_addresses.ready & ~self.window.shades) | (beat.quad != 0)),
                ]
            with m.Case(VpmCommand.LOAD_ADDRESS):
                m.d.comb += [
                    dma.load_addresses.valid.eq(first & ~self.window.shades),
                    commands.ready.eq((dma.load_addresses.ready & ~self.window.shades) | (beat.quad != 0)),
                ]
            with m.Case(VpmCommand.CANCEL):
                m.d.comb += [read.cancel.eq(commands.valid), commands.ready.eq(read.cancelled)]
            with m.Default():
                m.d.comb += commands.ready.eq(1)
        m.d.comb += [
            self.errors.write.eq(write.error_stb | wrong_write),
            self.errors.read.eq(
                wrong_read | (read.requests.valid & (read.requests.payload.form.size == VpmSize.RESERVED_3))
            ),
        ]

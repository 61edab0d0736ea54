"""The vertex pipe memory."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import MemoryPort
from vc4.common.merge import Merge

from .gather import Gather
from .port import VpmPort
from .qpu_port import QpuPort
from .scatter import Scatter
from .store import VpmStore
from .structs import QuadAddress, QuadWrite, VdrLoad, VdwStore, Words
from .vdr import Vdr
from .vdw import Vdw
from .vectors import QuadForm, VectorRead, VectorWrite
from .window import ShaderWindow

__all__ = ["VERTEX_READERS", "Vpm", "VpmErrors"]

#: Blocks that read vertices: binner and primitive set-up.
VERTEX_READERS = 2


class VpmErrors(data.Struct):
    """What programs have asked for in vain."""

    write_range: unsigned(1)  # a write of rows that are not there, or of a reserved kind
    read_range: unsigned(1)
    write_unallocated: unsigned(1)  # a write of rows that are not reserved for user programs
    read_unallocated: unsigned(1)
    store: unsigned(1)  # a DMA store of the reserved mode, or to where there is no memory
    load: unsigned(1)  # the same of a DMA load


class Vpm(wiring.Component):
    """A memory of rows of sixteen words, which QPUs write and read by vectors, and DMA engines by blocks.

    Behaviour: one quad a clock is written and one is read, and each DMA engine moves one word of its bus a clock; see
    `QpuPort`, `Vdr` and `Vdw` for what waits for what. Each QPU has set-ups of its own. The QPUs that have vectors to
    write take turns with every quad, and so do those that have vectors to read, and those that start stores or loads, see
    `Merge`; each DMA engine takes turns with all QPUs together. The commands of one QPU happen in their order; of those of
    several, a store reads what was written before it was taken, and rows that an engine has to do with stay as they are. A
    read waits a clock for a write to the same sixteen words.

    User programs and DMA reach the rows for user programs, shaders of vertices those of their batch. Others read 0, and what
    is written to them is lost.

    Implements section 7 of the guide.

    Parameters
    ----------
    rows : rows of sixteen words: 64 in 4 KiB
    qpus : number of QPUs
    vertices : there are batches of vertices
    word_bytes : width of the bus in bytes: 4, 8 or 16
    tag_bits : width of a tag

    Interface attributes
    --------------------
    qpus : the port of each QPU
    user_rows : rows for user programs, from row 0 on; a multiple of four
    windows, restarts : what each QPU reaches that shades vertices, and the clock in which it begins; with `vertices`, like
        what follows
    fills : stream of `QuadWrite`: attributes on their way into the VPM; always taken some day
    vertex_reads, vertex_words : streams of quads that are wanted, and what the one of the clock before asked for
    store_bus, load_bus : the ports to memory
    errors : of a clock
    error : memory has answered a store or load with an error; sticky
    store_stalled, load_stalled : a quad of the engine waits for the turn of others
    loading : a DMA load is under way
    """

    def __init__(self, rows: int = 64, *, qpus: int = 1, vertices: bool = False, word_bytes: int, tag_bits: int = 1):
        if rows not in (64, 128, 192, 256):
            raise ValueError(f"rows must be 64, 128, 192 or 256, not {rows!r}")
        if word_bytes not in (4, 8, 16):
            raise ValueError(f"word_bytes must be 4, 8 or 16, not {word_bytes!r}")
        self._rows = rows
        self._count = qpus
        self._vertices = vertices
        self._vdw = Vdw(word_bytes=word_bytes, tag_bits=tag_bits)
        self._vdr = Vdr(word_bytes=word_bytes, tag_bits=tag_bits)
        bus = MemoryPort(word_bytes=word_bytes, tag_bits=tag_bits)
        super().__init__(
            {
                "qpus": In(VpmPort()).array(qpus),
                "user_rows": In(8),
                "store_bus": Out(bus),
                "load_bus": Out(bus),
                "errors": Out(VpmErrors),
                "error": Out(1),
                "store_stalled": Out(1),
                "load_stalled": Out(1),
                "loading": Out(1),
                **(
                    {
                        "windows": In(ShaderWindow).array(qpus),
                        "restarts": In(qpus),
                        "filled": Out(qpus),
                        "fills": In(stream.Signature(QuadWrite)),
                        "vertex_reads": In(stream.Signature(QuadAddress)).array(VERTEX_READERS),
                        "vertex_words": Out(Words),
                    }
                    if vertices
                    else {}
                ),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = VpmStore(self._rows)
        m.submodules.vdw = vdw = self._vdw
        m.submodules.vdr = vdr = self._vdr
        m.submodules.vectors_in = vectors_in = Merge(VectorWrite, self._count)
        m.submodules.vectors_out = vectors_out = Merge(VectorRead, self._count)
        m.submodules.stores = stores = Merge(VdwStore, self._count)
        m.submodules.loads = loads = Merge(VdrLoad, self._count)
        connect(m, vdw.bus, flipped(self.store_bus))
        connect(m, vdr.bus, flipped(self.load_bus))
        limit = Signal(range(self._rows + 1))
        m.d.sync += limit.eq(Mux(self.user_rows > self._rows, self._rows, self.user_rows))
        write = self._write(m, vectors_in, vdr, store, limit)
        words = self._read(m, vectors_out, vdw, store, write, limit)
        ports = self._ports(m, vectors_in, vectors_out, stores, loads, words, limit)
        self._start(m, stores, loads)
        self._errors(m, ports, limit)
        return m

    def _ports(self, m, vectors_in, vectors_out, stores, loads, words, limit):
        """The ways of the QPUs."""
        ports = []
        user = Signal(ShaderWindow)
        m.d.comb += [user.attributes.count.eq(limit[2:]), user.results.count.eq(limit[2:])]
        for number, qpu in enumerate(self.qpus):
            m.submodules[f"qpu_port{number}"] = port = QpuPort()
            ports.append(port)
            connect(m, flipped(qpu), port.qpu)
            connect(m, port.writes, vectors_in.i[number])
            connect(m, port.reads, vectors_out.i[number])
            connect(m, port.stores, stores.i[number])
            connect(m, port.loads, loads.i[number])
            m.d.comb += [
                port.words.eq(words),
                port.unread.eq(self._vdw.unread),
                port.unwritten.eq(self._vdr.unwritten),
                port.store_done.eq(self._vdw.done),
                port.load_done.eq(self._vdr.done),
                port.window.eq(user),
            ]
            if self._vertices:
                m.d.comb += [port.restarts.eq(self.restarts[number]), self.filled[number].eq(port.filled)]
                with m.If(self.windows[number].shades):
                    m.d.comb += port.window.eq(self.windows[number])
        return ports

    def _write(self, m, vectors, vdr, store, limit):
        """Vectors, loads and attributes share the way in; returns the quad on its last clock, as (valid, quad)."""
        m.submodules.writes = writes = Merge(QuadWrite, 3 if self._vertices else 2)
        m.submodules.scatter = scatter = Scatter()
        valid, quad = Signal(name="write_valid"), Signal(QuadWrite, name="write")
        m.d.comb += [
            scatter.vector.eq(vectors.o.payload),
            writes.i[0].payload.eq(scatter.quad),
            writes.i[0].valid.eq(vectors.o.valid),
            vectors.o.ready.eq(writes.i[0].ready),
            writes.o.ready.eq(1),
            store.writes.valid.eq(valid),
            store.writes.payload.eq(quad),
            self.load_stalled.eq(vdr.stalled),
        ]
        connect(m, vdr.writes, writes.i[1])
        with m.If(vdr.writes.payload.address.row >= limit):
            m.d.comb += writes.i[1].payload.enable.eq(0)
        if self._vertices:
            connect(m, flipped(self.fills), writes.i[2])
        m.d.sync += [valid.eq(writes.o.valid), quad.eq(writes.o.payload)]
        with m.If(writes.o.payload.zeros):
            m.d.sync += [quad.data.eq(0), quad.zeros.eq(0)]
        return valid, quad

    def _read(self, m, vectors, vdw, store, write, limit):
        """Vectors, stores and vertices share the way out; returns the elements that came, two clocks after they were asked
        for.
        """
        readers = self.vertex_reads if self._vertices else ()
        m.submodules.reads = reads = Merge(QuadAddress, 2 + len(readers))
        m.submodules.gather = gather = Gather()
        connect(m, vdw.reads, reads.i[1])
        for number, reader in enumerate(readers):
            connect(m, flipped(reader), reads.i[2 + number])
        if readers:
            m.d.comb += self.vertex_words.eq(store.read_data)
        stored = Signal()  # a DMA store reads what is there
        meets = Signal()  # a write to the same group of words comes first
        quad = reads.o.payload
        forms = [Signal(QuadForm, name=f"form_{age}") for age in (1, 2)]
        write_valid, written = write
        m.d.comb += [
            reads.i[0].payload.eq(vectors.o.payload.address),
            reads.i[0].valid.eq(vectors.o.valid),
            vectors.o.ready.eq(reads.i[0].ready),
            meets.eq(
                write_valid
                & (written.address.row[2:] == quad.row[2:])
                & (written.address.column[2:] == quad.column[2:])
            ),
            reads.o.ready.eq(~meets),
            store.read.eq(quad),
            store.read_enable.eq(reads.o.valid & ~meets),
            vdw.read_data.eq(Mux(stored, store.read_data, 0)),
            gather.form.eq(forms[1]),
            self.store_stalled.eq(vdw.stalled),
        ]
        m.d.sync += [
            stored.eq(vdw.reads.payload.row < limit),
            forms[0].eq(vectors.o.payload.form),
            forms[1].eq(forms[0]),
            gather.words.eq(store.read_data),
        ]
        return gather.elements

    def _start(self, m, stores, loads):
        """The engines keep the order of blocks that have rows in common."""
        connect(m, stores.o, self._vdw.stores)
        connect(m, loads.o, self._vdr.loads)
        m.d.comb += [
            self._vdw.unwritten.eq(self._vdr.unwritten),
            self._vdr.unread.eq(self._vdw.unread),
            self.loading.eq(Cat(port.load_busy for port in self.qpus).any()),
        ]

    def _errors(self, m, ports, limit):
        """What goes wrong."""
        loaded, stored = self._vdr.writes, self._vdw.reads
        for quads, row, name in ((loaded, loaded.payload.address.row, "write"), (stored, stored.payload.row, "read")):
            moves = quads.valid & quads.ready
            lacks = row >= self._rows
            outside = Cat(port.errors[f"{name}_outside"] for port in ports).any()
            m.d.comb += [
                self.errors[f"{name}_range"].eq((moves & lacks) | Cat(port.errors[name] for port in ports).any()),
                self.errors[f"{name}_unallocated"].eq((moves & ~lacks & (row >= limit)) | outside),
            ]
        m.d.comb += [
            self.errors.store.eq(self._vdw.error | self._vdw.bad_setup),
            self.errors.load.eq(self._vdr.error | self._vdr.bad_setup),
            self.error.eq(self._vdw.error | self._vdr.error),
        ]

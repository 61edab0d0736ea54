"""Vectors go to QPUs."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.queue import Queue
from vc4.isa.registers import QUADS
from vc4.qpu.structs import SERIES_BITS, THREADS, ProgramStart
from vc4.records.quads import QUAD_PIXELS
from vc4.tlb.structs import fragment_quad

from .debug_structs import PARTS
from .structs import PIXEL_BITS, FragmentModes, FragmentQuad
from .vector_structs import HELD_QUADS, SLOT_NUMBER_BITS, Vector, VectorQuad

__all__ = ["VectorDispatch"]

#: Quads on their way to the scoreboard: those of two vectors, and of one that may come.
_SCOREBOARD_QUADS = 16
_MOST_WAITING = 8


class VectorDispatch(wiring.Component):
    """Gives the program of each vector to the scheduler, and its quads to the QPU that takes it and to the scoreboard.

    Behaviour: a program is on offer when W of its quads and all planes of them are there, and stays so. The quads come in four
    successive clocks, the first one two clocks after the program; programs are at least four clocks apart. Quads that the
    scoreboard does not take at once wait in a queue, and the next program with them.

    Parameters
    ----------
    qpus : number of QPUs

    Interface attributes
    --------------------
    vectors : stream of `Vector`
    completed : strobe: W of the next quad is there
    complete : number of the first slot that has not all of its planes
    address, reads, frees, word, w : the quads, see `VectorAssembly`
    tile_x, tile_y, buffer : where they are
    programs : stream of `ProgramStart`
    starts, places : in the clock in which it moves: which QPU gets it, and of each the thread
    goes, thread : strobe: the vector goes to a thread, a bit each
    quad, quad_stb : strobes: `FragmentQuad` for a QPU
    scoreboard : stream of `fragment_quad`
    done : strobes: a thread has no fragments any more; before it gets another vector
    there : threads that have some
    debug : see `DebugStatus`
    """

    def __init__(self, qpus: int):
        self._qpus = qpus
        self._threads = THREADS * qpus
        super().__init__(
            {
                "vectors": In(stream.Signature(Vector)),
                "completed": In(1),
                "complete": In(SLOT_NUMBER_BITS),
                "address": Out(range(HELD_QUADS)),
                "reads": Out(1),
                "frees": Out(1),
                "word": In(VectorQuad),
                "w": In(data.ArrayLayout(32, QUAD_PIXELS)),
                "tile_x": In(PIXEL_BITS),
                "tile_y": In(PIXEL_BITS),
                "buffer": In(1),
                "programs": Out(stream.Signature(ProgramStart)),
                "starts": In(qpus),
                "places": In(qpus),
                "goes": Out(1),
                "thread": Out(self._threads),
                "quad": Out(FragmentQuad),
                "quad_stb": Out(qpus),
                "scoreboard": Out(stream.Signature(fragment_quad(self._threads))),
                "done": In(self._threads),
                "there": Out(self._threads),
                "debug": Out(PARTS["vector_dispatch"]),
            }
        )

    def elaborate(self, platform):
        m = Module()
        vector, program = self.vectors.payload, self.programs.payload
        offers = Signal()
        series = Signal(SERIES_BITS)
        before = Signal(32)  # the program of the vector before
        sends = Signal()
        step = Signal(range(QUADS))
        waits = Signal()  # the scoreboard is behind
        available = Signal(range(HELD_QUADS + 1))  # quads with W that have not gone
        used = Signal(range(QUADS + 1))
        has_planes = Signal()
        m.d.comb += [
            self.programs.valid.eq(offers),
            *(program[name].eq(vector.program[name]) for name in ("pc", "uniforms", "threaded")),
            *(program.fragments.eq(1), program.series.eq(series)),
            self.goes.eq(offers & self.programs.ready),
            self.vectors.ready.eq(self.goes),
            self.thread.eq(
                Cat(
                    start & (place == thread)
                    for start, place in zip(self.starts, self.places, strict=True)
                    for thread in range(THREADS)
                )
            ),
            used.eq(Mux(self.goes, vector.last + 1, 0)),
            # Numbers go around, but no two slots are half of them apart.
            has_planes.eq(~(self.complete - vector.newest - 1)[SLOT_NUMBER_BITS - 1]),
        ]
        ready = self.vectors.valid & has_planes & (available > vector.last) & ~waits & (~sends | step[1])
        with m.If(ready & ~offers):
            m.d.sync += [series.eq(series + (vector.program.pc != before)), before.eq(vector.program.pc)]
        m.d.sync += [
            offers.eq((offers | ready) & ~self.goes),
            available.eq(available + self.completed - used),
            sends.eq(self.goes | (sends & (step != QUADS - 1))),
            step.eq(Mux(sends, step + 1, 0)),
            self.there.eq((self.there & ~self.done) | Mux(self.goes, self.thread, 0)),
            Assert(
                ~self.goes | ((self.thread & self.there & ~self.done) == 0),
                "a thread gets a vector before its last one is done",
            ),
        ]
        self._send(m, vector, sends, step, waits)
        return m

    def _send(self, m, vector, sends, step, waits):
        """Reads quads, and sends what was read in the clock before."""
        m.submodules.to_scoreboard = queue = Queue(fragment_quad(self._threads), _SCOREBOARD_QUADS)
        connect(m, queue.o, flipped(self.scoreboard))
        last = Signal(range(QUADS))
        qpus = Signal(self._qpus)
        thread = Signal(range(self._threads))
        modes = Signal(FragmentModes)
        address = Signal(range(HELD_QUADS))
        is_real = Signal()
        is_last = Signal()
        moves = Signal()
        sent = Signal(range(self._threads))
        with m.If(self.goes):
            m.d.sync += [last.eq(vector.last), qpus.eq(self.starts), modes.eq(vector.modes)]
            m.d.sync += thread.eq(_number_of(self.thread))
        m.d.comb += [
            # The last quad of a short vector is read again.
            moves.eq(sends & ((step < last) | (step == QUADS - 1))),
            *(self.reads.eq(sends), self.address.eq(address), self.frees.eq(moves)),
            waits.eq(queue.level > _MOST_WAITING),
            *(self.debug.XYFO_FIFO_READY.eq(~waits), self.debug.XYFO_FIFO_OP_READY.eq(self.scoreboard.ready)),
        ]
        with m.If(moves):
            m.d.sync += address.eq(address + 1)
        out, word = self.quad, self.word
        m.d.sync += [
            self.quad_stb.eq(Mux(sends, qpus, 0)),
            *(out.quad.eq(step), out.modes.eq(modes), out.thread.eq(thread[0]), sent.eq(thread)),
            *(is_real.eq(step <= last), is_last.eq(step == last)),
        ]
        m.d.comb += [
            # The first pixel of a tile has zeros where pixels in it are counted.
            *(out.x.eq(self.tile_x | (word.x << 1)), out.y.eq(self.tile_y | (word.y << 1))),
            *(out.place.x.eq(word.x), out.place.y.eq(word.y), out.place.buffer.eq(self.buffer)),
            *(out.real.eq(is_real), out.reverse.eq(word.reverse), out.slot.eq(word.slot)),
            *(out.z.eq(word.z), out.w.eq(self.w)),
            out.flags.as_value().eq(Mux(is_real, word.flags.as_value(), 0)),
            queue.i.valid.eq(self.quad_stb.any() & is_real),
            *(queue.i.payload.thread.eq(sent), queue.i.payload.place.eq(out.place)),
            *(queue.i.payload.first.eq(out.quad == 0), queue.i.payload.last.eq(is_last)),
        ]


def _number_of(bits):
    """The number of the bit that is set."""
    width = (len(bits) - 1).bit_length()
    return Cat(Cat(bits[number] for number in range(len(bits)) if number >> bit & 1).any() for bit in range(width))

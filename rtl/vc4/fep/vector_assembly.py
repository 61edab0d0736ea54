"""Quads become vectors."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.common.queue import Queue
from vc4.common.ram import BlockRam
from vc4.isa.registers import QUADS
from vc4.pse.structs import PlaneCoefficients
from vc4.records.quads import QUAD_PIXELS
from vc4.records.state import Oversample
from vc4.tlb.structs import SAMPLES

from .debug_structs import PARTS
from .quad_perspective import QuadPerspective
from .structs import PLANE_SLOTS, DepthQuad
from .vector_structs import (
    HELD_QUADS,
    OPEN_QUADS,
    PLACE_BITS,
    SLOT_NUMBER_BITS,
    DrawState,
    PieceState,
    Vector,
    VectorQuad,
)

__all__ = ["VectorAssembly"]

#: As many as come while W of the first one is found.
_VECTORS = 8
#: Samples of sixteen that stand for one of four.
_QUARTERS = ((0, 1, 4, 5), (2, 3, 6, 7), (8, 9, 12, 13), (10, 11, 14, 15))


class VectorAssembly(wiring.Component):
    """Holds quads with W until a QPU gets them, and says which of them are a vector: four that follow each other; it ends early
    if the next quad is in it already, or if nothing more is to come in (docs/reference/rendering.md).

    Behaviour: a quad a clock, or with one lane every four clocks, as long as there is room for it and for a vector.

    Parameters
    ----------
    lanes : pixels of which W is found in a clock: 1 or 4

    Interface attributes
    --------------------
    i : stream of `DepthQuad`, with samples
    places, same : of the quads of the open vector; those that are the place of the quad that comes
    piece, state, slot : what comes with it: what its piece has, what records have said, the number of its slot
    plane, uses_plane : of 1/W, see `QuadPerspective`
    multisample : the tile buffer has four samples a pixel
    closes : without a quad: the open vector is a vector
    is_open : there is one
    vectors : stream of `Vector`; W of its quads may be missing
    completed : strobe: W of the next quad is there
    address, reads : strobe: of the quad that is read
    frees : strobe: so is the oldest one, and never again
    quad, words : a clock later, with W of its pixels
    debug : see `DebugStatus`
    """

    def __init__(self, lanes: int = QUAD_PIXELS):
        self._lanes = lanes
        super().__init__(
            {
                "i": In(stream.Signature(DepthQuad)),
                "places": Out(data.ArrayLayout(PLACE_BITS, OPEN_QUADS)),
                "same": In(OPEN_QUADS),
                "piece": In(PieceState),
                "state": In(DrawState),
                "slot": In(SLOT_NUMBER_BITS),
                "plane": In(PlaneCoefficients),
                "uses_plane": Out(1),
                "multisample": In(1),
                "closes": In(1),
                "is_open": Out(1),
                "vectors": Out(stream.Signature(Vector)),
                "completed": Out(1),
                "address": In(range(HELD_QUADS)),
                "reads": In(1),
                "frees": In(1),
                "quad": Out(VectorQuad),
                "words": Out(data.ArrayLayout(32, QUAD_PIXELS)),
                "debug": Out(PARTS["vector_assembly"]),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.vectors = vectors = Queue(Vector, _VECTORS)
        m.submodules.perspective = perspective = QuadPerspective(self._lanes)
        m.submodules.quads = quads = BlockRam(Shape.cast(VectorQuad).width, HELD_QUADS, exclusive=True)
        connect(m, vectors.o, flipped(self.vectors))
        level = Signal(range(HELD_QUADS + 1))
        next_level = Signal.like(level)
        room = Signal(init=1)
        place = Signal(range(HELD_QUADS))
        takes = Signal()
        written = Signal(VectorQuad)
        quad, piece = self.i.payload, self.piece
        m.d.comb += [
            self.i.ready.eq(room & vectors.i.ready & perspective.i.ready),
            takes.eq(self.i.valid & self.i.ready),
            next_level.eq(level + takes - self.frees),
            *(perspective.i.valid.eq(takes), perspective.plane.eq(self.plane)),
            *(perspective.i.payload.x.eq(quad.x), perspective.i.payload.y.eq(quad.y)),
            *(perspective.dx.eq(piece.dx), perspective.dy.eq(piece.dy)),
            self.uses_plane.eq(perspective.uses_plane),
            *(written.x.eq(quad.x), written.y.eq(quad.y), written.z.eq(quad.z), written.reverse.eq(piece.reverse)),
            written.slot.eq(self.slot[: len(written.slot)]),
            *(
                flags.eq(_flags_of(covered, piece.oversample, self.multisample))
                for flags, covered in zip(written.flags, quad.covered, strict=True)
            ),
            *(quads.write_address.eq(place), quads.write_data.eq(written), quads.write_enable.eq(takes)),
            *(quads.read_address.eq(self.address), quads.read_enable.eq(self.reads)),
            self.quad.as_value().eq(quads.read_data),
        ]
        finds_w = perspective.i.ready  # no step of it waits
        m.d.comb += [
            *(self.debug.ZO_FIFO_READY.eq(room), self.debug.ZO_FIFO_IP_STALL.eq(self.i.valid & ~room)),
            self.debug.XYRELO_FIFO_READY.eq(vectors.i.ready),
            *(self.debug[name].eq(finds_w) for name in ("XYRELW_FIFO_READY", "INTERPRW_READY", "RECIPW_READY")),
            self.debug.INTERPW_IP_STALL.eq(self.i.valid & ~finds_w),
        ]
        m.d.sync += [level.eq(next_level), room.eq(next_level != HELD_QUADS), place.eq(place + takes)]
        self._keep_words(m, perspective)
        self._assemble(m, takes, vectors.i)
        return m

    def _keep_words(self, m, perspective):
        """W, in the order of the quads."""
        width = 32 * QUAD_PIXELS
        m.submodules.words = words = BlockRam(
            width, HELD_QUADS, granularity=32 if self._lanes == 1 else None, exclusive=True
        )
        place = Signal(range(HELD_QUADS))
        enables = perspective.stb
        is_last = Const(1)
        if self._lanes == 1:
            enables = Mux(perspective.stb, 1 << perspective.pixel, 0)
            is_last = perspective.pixel == QUAD_PIXELS - 1
        m.d.comb += [
            *(words.write_address.eq(place), words.write_enable.eq(enables)),
            words.write_data.eq(perspective.words.as_value().replicate(QUAD_PIXELS // self._lanes)),
            *(words.read_address.eq(self.address), words.read_enable.eq(self.reads)),
            self.words.as_value().eq(words.read_data),
            self.completed.eq(perspective.stb & is_last),
        ]
        m.d.sync += place.eq(place + self.completed)

    def _assemble(self, m, takes, vectors):
        """The open vector."""
        quad, vector = self.i.payload, vectors.payload
        count = Signal(range(QUADS))  # its quads
        slots = Signal(PLANE_SLOTS)
        newest = Signal(SLOT_NUMBER_BITS)
        own = Signal(PLANE_SLOTS)
        again = Signal()  # the quad is in it already
        fills = Signal()
        place = Cat(quad.x, quad.y)
        m.d.comb += [
            self.is_open.eq(count != 0),
            again.eq(Cat((count > number) & same for number, same in enumerate(self.same)).any()),
            fills.eq((count == QUADS - 1) & takes & ~again),
            own.eq(1 << self.slot[: PLANE_SLOTS.bit_length() - 1]),
            vectors.valid.eq((takes & again) | fills | (self.closes & self.is_open)),
            vector.last.eq(count - 1 + fills),
            vector.slots.eq(slots | Mux(fills, own, 0)),
            vector.newest.eq(Mux(fills, self.slot, newest)),
            *(vector.program.eq(self.state.program), vector.modes.eq(self.state.modes)),
        ]
        with m.If(takes):
            begins = again | ~self.is_open
            m.d.sync += [
                count.eq(Mux(begins, 1, count + 1)),  # four are none
                slots.eq(Mux(begins, 0, slots) | own),
                newest.eq(self.slot),
            ]
            for number, one in enumerate(self.places):
                with m.If(Mux(begins, number == 0, count == number)):
                    m.d.sync += one.eq(place)
        with m.Elif(self.closes & vectors.ready):
            m.d.sync += count.eq(0)


def _flags_of(covered, oversample, multisample):
    """The flags of a pixel."""
    one = covered.any().replicate(SAMPLES)
    quarters = Cat(Cat(covered[sample] for sample in quarter).any() for quarter in _QUARTERS)
    some = Mux(oversample == Oversample.X4, covered[:SAMPLES], quarters)
    return Mux(multisample & (oversample != Oversample.NONE), some, one)

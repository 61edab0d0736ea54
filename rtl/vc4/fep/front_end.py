"""The whole front end."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.cle.structs import PipelineRecord
from vc4.errata import Erratum
from vc4.pse.structs import DrawItem, PlaneCoefficients, SetUpPrimitive
from vc4.qpu.structs import THREADS, ProgramStart
from vc4.records.quads import QUAD_PIXELS
from vc4.tlb.structs import CoverageQuad, FarthestDepth, TileForm, fragment_quad

from .debug_status import DebugStatus
from .debug_structs import DEBUG_REGISTERS, PARTS
from .draw_order import DrawOrder
from .early_depth import EarlyDepth
from .fep import Fep
from .fragment_order import FragmentOrder
from .plane_slots import PlaneSlots
from .plane_writer import PlaneWriter
from .quad_match import QuadMatch
from .structs import PLANE_SLOTS, FragmentQuad, PlaneSlot, PlaneWrite
from .vector_assembly import VectorAssembly
from .vector_dispatch import VectorDispatch
from .vector_structs import FrontEndEvents

__all__ = ["FrontEnd"]

#: Quads on their way from the planes of Z to where hidden ones go no further, and some more.
_MOST_OWED = 15


class FrontEnd(wiring.Component):
    """From primitives and records to vectors of fragments for QPUs, coverage, and records for the tile buffer (guide, sections 1
    and 6; docs/reference/rendering.md).

    Behaviour: a quad a clock, or with one lane every four; a vector every four clocks at the most. Records of state close the
    open vector; those of the tile buffer are on offer when everything before is done.

    Parameters
    ----------
    qpus : number of QPUs
    lanes : pixels of which Z and W are found in a clock: 1 or 4
    early : there is early Z
    errata : see `Erratum`

    Interface attributes
    --------------------
    items : stream of `DrawItem`
    primitives : stream of `SetUpPrimitive`, up to a `last` one for each primitive of `items`
    planes : stream of `PlaneCoefficients`: those of each primitive that is drawn, 1/W first
    programs, starts, places : stream of `ProgramStart` to the scheduler; which QPU gets it in the clock in which it moves, and of
        each QPU the thread
    quad, quad_stb : strobes, one for each QPU: the four quads of the vector in successive clocks, from two clocks after the program on
    scoreboard : stream of `fragment_quad`: those of them that are real
    done : strobes: a thread has no fragments any more; no later than its next program starts
    there : a QPU has fragments, or they are on their way
    slot, slot_write, slot_write_stb : strobe: what slices know of a primitive
    plane_write, plane_write_stb : strobe: a plane of a varying
    coverage : stream of `CoverageQuad`, when all fragments before are done
    tiles : stream of `PipelineRecord` for the tile buffer, when all fragments and coverage before are done; nothing
        after a record goes before it is taken
    farthest, farthest_stb : strobe: what a Z write has left in the tile buffer; unused without early Z, as the next one
    rested : the tile buffer has nothing of vectors under way, nor something to tell
    form, buffer : how the tile buffer is divided, and which one of two is drawn into
    events : what is counted
    busy : something that was taken is under way
    status : debug registers, see `DebugStatus`
    """

    def __init__(
        self,
        qpus: int,
        lanes: int = QUAD_PIXELS,
        *,
        early: bool = False,
        errata: frozenset[Erratum] = frozenset(),
    ):
        self._qpus, self._lanes, self._early = qpus, lanes, early
        self.order = FragmentOrder(errata)
        threads = THREADS * qpus
        super().__init__(
            {
                "items": In(stream.Signature(DrawItem)),
                "primitives": In(stream.Signature(SetUpPrimitive)),
                "planes": In(stream.Signature(PlaneCoefficients)),
                "programs": Out(stream.Signature(ProgramStart)),
                "starts": In(qpus),
                "places": In(qpus),
                "quad": Out(FragmentQuad),
                "quad_stb": Out(qpus),
                "scoreboard": Out(stream.Signature(fragment_quad(threads))),
                "done": In(threads),
                "there": Out(1),
                "slot": Out(range(PLANE_SLOTS)),
                "slot_write": Out(PlaneSlot),
                "slot_write_stb": Out(1),
                "plane_write": Out(PlaneWrite),
                "plane_write_stb": Out(1),
                "coverage": Out(stream.Signature(CoverageQuad)),
                "tiles": Out(stream.Signature(PipelineRecord)),
                "farthest": In(FarthestDepth),
                "farthest_stb": In(1),
                "rested": In(1),
                "form": In(TileForm),
                "buffer": In(1),
                "events": Out(FrontEndEvents),
                "busy": Out(1),
                "status": Out(DEBUG_REGISTERS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.draw_order = draws = DrawOrder()
        m.submodules.fep = fep = Fep(self._lanes)
        # With one lane a quad comes every four clocks.
        m.submodules.quad_match = match = QuadMatch(full_rate=self._lanes != 1)
        m.submodules.fragment_order = order = self.order
        m.submodules.plane_writer = writer = PlaneWriter()
        m.submodules.plane_slots = slots = PlaneSlots(THREADS * self._qpus)
        m.submodules.vector_assembly = assembly = VectorAssembly(self._lanes)
        m.submodules.vector_dispatch = dispatch = VectorDispatch(self._qpus)
        for one, other in (
            (flipped(self.items), draws.items),
            (flipped(self.primitives), draws.primitives),
            (flipped(self.planes), writer.planes),
            (draws.raster, fep.i),
            (draws.o, order.i),
            (match.o, order.quads),
            (order.jobs, writer.jobs),
            (order.o, assembly.i),
            (assembly.vectors, dispatch.vectors),
            (order.tiles, flipped(self.tiles)),
            (dispatch.programs, flipped(self.programs)),
            (dispatch.scoreboard, flipped(self.scoreboard)),
        ):
            connect(m, one, other)
        is_done = Signal()  # no vector waits for a QPU, nor is one open
        m.d.comb += [
            *(fep.window.eq(draws.window), fep.limits.eq(draws.limits), draws.outside.eq(fep.outside)),
            *(order.is_open.eq(assembly.is_open), assembly.closes.eq(order.closes)),
            *(order.stands.eq(assembly.uses_plane), match.places.eq(assembly.places), assembly.same.eq(match.same)),
            is_done.eq(~assembly.is_open & ~dispatch.vectors.valid),
            order.rests.eq(is_done & ~dispatch.there.any()),
            self.there.eq(dispatch.there.any() | self.scoreboard.valid),
            *(assembly.piece.eq(order.piece), assembly.state.eq(order.state), assembly.slot.eq(slots.current)),
            *(assembly.plane.eq(writer.plane), assembly.multisample.eq(self.form.multisample)),
            *(assembly.address.eq(dispatch.address), assembly.reads.eq(dispatch.reads)),
            *(assembly.frees.eq(dispatch.frees), dispatch.word.eq(assembly.quad), dispatch.w.eq(assembly.words)),
            *(dispatch.tile_x.eq(order.piece.tile_x), dispatch.tile_y.eq(order.piece.tile_y)),
            *(dispatch.completed.eq(assembly.completed), dispatch.buffer.eq(self.buffer)),
            *(dispatch.starts.eq(self.starts), dispatch.places.eq(self.places), dispatch.done.eq(self.done)),
            *(self.quad.eq(dispatch.quad), self.quad_stb.eq(dispatch.quad_stb)),
            self.coverage.valid.eq(order.coverage.valid),
            self.coverage.payload.eq(order.coverage.payload),
            self.coverage.payload.place.buffer.eq(self.buffer),
            order.coverage.ready.eq(self.coverage.ready),
            self.busy.eq(draws.busy | order.busy | writer.busy | ~is_done | self.there),
        ]
        self._test_early(m, fep, match, order)
        self._debug(m)
        clipped = Signal()
        owed = Signal(range(_MOST_OWED + 1))  # hidden quads that are not counted
        self._slots(m, slots, writer, dispatch, is_done & order.idle, assembly.uses_plane)
        m.d.comb += [
            *(self.events.primitives.eq(order.primitive), self.events.primitives_empty.eq(order.primitive_empty)),
            *(self.events.quads.eq(fep.between), self.events.quads_clipped.eq(clipped | owed.any())),
        ]
        m.d.sync += [clipped.eq(fep.clipped), owed.eq(owed + order.hides - (owed.any() & ~clipped))]
        return m

    def _test_early(self, m, fep, match, order):
        """What is behind the tile buffer's Z goes no further."""
        if not self._early:
            connect(m, fep.o, match.i)
            return
        m.submodules.early_depth = early = EarlyDepth()
        connect(m, fep.o, early.i)
        connect(m, early.o, match.i)
        quad = order.quads.payload
        m.d.comb += [
            *(match.hides.eq(early.hidden), match.voids.eq(early.voids), order.hidden.eq(match.hidden)),
            *(early.raises.eq(order.raises), early.covers.eq(order.state.to_coverage)),
            *(early.place.eq(Cat(quad.x, quad.y)), early.rests.eq(order.rests & self.rested)),
            *(early.record.eq(self.tiles.payload), early.record_stb.eq(self.tiles.valid & self.tiles.ready)),
            *(early.written.eq(self.farthest), early.written_stb.eq(self.farthest_stb)),
        ]

    def _debug(self, m):
        """What the host sees of each part that is there."""
        m.submodules.debug_status = status = DebugStatus()
        m.d.comb += self.status.eq(status.status)
        for part, layout in PARTS.items():
            if part != "early_depth" or self._early:
                debug = getattr(m.submodules, part).debug
                m.d.comb += [status.found[name].eq(debug[name]) for name in layout.members]

    def _slots(self, m, slots, writer, dispatch, is_done, stands):
        """Coefficients."""
        m.d.comb += [
            *(writer.free.eq(slots.free), writer.room.eq(slots.room), writer.stands.eq(stands)),
            *(slots.takes.eq(writer.keeps), slots.count.eq(writer.count), slots.wrote.eq(writer.write_stb)),
            *(slots.completes.eq(writer.completes), slots.all_given.eq(is_done)),
            *(slots.given.eq(dispatch.goes), slots.threads.eq(dispatch.thread), slots.done.eq(self.done)),
            *(slots.slots.eq(dispatch.vectors.payload.slots), slots.newest.eq(dispatch.vectors.payload.newest)),
            dispatch.complete.eq(slots.complete),
            *(self.slot.eq(slots.following), self.slot_write.eq(writer.slot), self.slot_write_stb.eq(writer.slot_stb)),
            *(self.plane_write.eq(writer.write), self.plane_write_stb.eq(writer.write_stb)),
        ]

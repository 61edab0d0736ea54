"""Early Z."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import PipelineRecord, fields_of
from vc4.common.ram import BlockRam
from vc4.records.control import ControlCode
from vc4.records.quads import DEPTH_BITS
from vc4.records.tile_buffer import ClearColors, TileRenderingModeConfiguration
from vc4.tlb.structs import FarthestDepth
from vc4.tlb.transfer_plan import cleared_by

from .debug_structs import PARTS
from .structs import DepthQuad
from .vector_structs import PLACE_BITS

__all__ = ["EarlyDepth"]

_FARTHEST = (1 << DEPTH_BITS) - 1
#: Enough that a word of a tile long gone is swept before its number comes again.
_TILE_BITS = PLACE_BITS + 2
_ZS = 1  # which part of `cleared_by`


class _Bound(data.Struct):
    """What no Z of a quad in the tile buffer is behind, in the tile of this number."""

    z: unsigned(DEPTH_BITS)
    tile: unsigned(_TILE_BITS)


class EarlyDepth(wiring.Component):
    """Knows of each quad of the tile a Z that none in the tile buffer is behind, and so which quads are hidden (guide, section 1;
    docs/reference/rendering.md, coverage of samples).

    The bound of a quad is what the tile was cleared to, until the tile buffer tells what a write has left there. Where fragments may
    move Z away there is none, from the clock in which their quad is handed out, and as long as such fragments are under way
    what the tile buffer tells counts nothing; as long as coverage is in the tile, too. A bound has the number of its tile, so that
    a new tile makes all of them void at once; each tile renews a word, so that numbers may come again.

    Behaviour: a quad a clock, at the output two clocks after it was taken. A quad that is looked for while a bound is given up
    counts as not hidden. No quad that is tested may be handed out in the two clocks after one that raises: a record is between them.

    Interface attributes
    --------------------
    i, o : streams of `DepthQuad`
    hidden : no sample of the quad on offer passes the tests less, and less or equal
    voids : strobe: what was said of quads that are not handed out counts no more
    raises, place : strobe: a quad is handed out whose fragments may move Z away
    covers : so does coverage
    rests : no fragments are under way, and all that they wrote has been told
    record, record_stb : strobe: one for the tile buffer has been carried out
    written, written_stb : strobe: what is in the tile buffer
    debug : see `DebugStatus`
    """

    i: In(stream.Signature(DepthQuad))
    o: Out(stream.Signature(DepthQuad))
    hidden: Out(1)
    voids: Out(1)
    raises: In(1)
    place: In(PLACE_BITS)
    covers: In(1)
    rests: In(1)
    record: In(PipelineRecord)
    record_stb: In(1)
    written: In(FarthestDepth)
    written_stb: In(1)
    debug: Out(PARTS["early_depth"])

    def elaborate(self, platform):
        m = Module()
        m.submodules.bounds = bounds = BlockRam(Shape.cast(_Bound).width, 1 << PLACE_BITS, exclusive=True)
        # A tile number goes on over a reset, as the bounds do.
        tile = Signal(_TILE_BITS, init=1, reset_less=True)
        base = Signal(DEPTH_BITS, init=_FARTHEST)  # of quads without a bound
        enabled = Signal()
        begins = Signal()  # a tile
        moves = Signal()
        taken = Signal(DepthQuad)
        valid = Signal()  # it is there
        nearest = Signal(DEPTH_BITS)  # of its pixels with samples
        void = Signal()  # its bound
        bound = Signal(_Bound)
        raises = Signal()
        raised = Signal(PLACE_BITS)
        # Of the quad on offer: it is behind its bound, behind that of the tile, has a bound.
        behind_own, behind_base, has_own = Signal(name="behind_own"), Signal(name="behind_base"), Signal(name="has_own")
        m.d.comb += [
            *(self.voids.eq(raises | begins), moves.eq(~self.o.valid | self.o.ready), self.i.ready.eq(moves)),
            bounds.read_address.eq(Cat(self.i.payload.x, self.i.payload.y)),
            bounds.read_enable.eq(moves & self.i.valid & ~self.voids),
            bound.as_value().eq(bounds.read_data),
            self.hidden.eq(Mux(has_own, behind_own, behind_base)),
        ]
        with m.If(moves):
            m.d.sync += [valid.eq(self.i.valid), taken.eq(self.i.payload), nearest.eq(_nearest(self.i.payload))]
            m.d.sync += [self.o.valid.eq(valid), self.o.payload.eq(taken), void.eq(self.voids)]
            counts = enabled & ~void & ~self.voids
            m.d.sync += [behind_own.eq((nearest > bound.z) & counts), behind_base.eq((nearest > base) & counts)]
            m.d.sync += has_own.eq(bound.tile == tile)
        with m.Elif(self.voids):
            m.d.sync += [void.eq(1), behind_own.eq(0), behind_base.eq(0)]
        m.d.sync += [raises.eq(self.raises), raised.eq(self.place)]
        self._follow(m, tile, base, enabled, begins)
        self._write(m, bounds, tile, base, begins, raises, raised)
        debug = self.debug
        m.d.comb += [
            *(debug.EZREQ_FIFO_READY.eq(moves), debug.EZREQ_FIFO_OP_VALID.eq(valid)),
            *(debug.EZ_XY_READY.eq(moves & ~self.voids), debug.EZ_DATA_READY.eq(~self.voids)),
            *(debug.EZTEST_IP_QSTALL.eq(self.i.valid & ~moves), debug.EZTEST_STALL.eq(self.o.valid & ~self.o.ready)),
            *(debug.EZTEST_QREADY.eq(self.o.ready), debug.EZTEST_ANYQVALID.eq(valid | self.o.valid)),
            debug.EZTEST_ANYQF.eq(self.o.valid & ~self.o.payload.is_empty),
            debug.EZTEST_VLF_OKNOVALID.eq(self.o.valid & ~has_own),
        ]
        return m

    def _follow(self, m, tile, base, enabled, begins):
        """What records do to all Z."""
        record = self.record
        cleared = Signal(DEPTH_BITS, init=_FARTHEST)  # what the next clear clears to
        loads = Signal()  # the next tile is loaded
        m.d.sync += [begins.eq(0), tile.eq(tile + begins)]
        with m.If(self.record_stb), m.Switch(record.code):
            with m.Case(ControlCode.TILE_RENDERING_MODE_CONFIGURATION):
                form = fields_of(record, TileRenderingModeConfiguration)
                # Bounds are those of one buffer with a sample a pixel, in the direction of all drivers.
                off = (
                    form.early_z_disable
                    | form.early_z_update_direction
                    | form.multisample_mode
                    | form.double_buffer_in_non_ms_mode
                )
                m.d.sync += [enabled.eq(~off), loads.eq(0), begins.eq(1), base.eq(_FARTHEST)]
            with m.Case(ControlCode.CLEAR_COLORS):
                m.d.sync += cleared.eq(fields_of(record, ClearColors).clear_zs)
            with m.Case(ControlCode.RELOAD_FULL_RESOLUTION_TILE_BUFFER, ControlCode.LOAD_TILE_BUFFER_GENERAL):
                m.d.sync += loads.eq(1)
            with m.Case(ControlCode.TILE_COORDINATES):
                with m.If(loads):
                    m.d.sync += [loads.eq(0), begins.eq(1), base.eq(_FARTHEST)]
            with m.Default():
                with m.If(cleared_by(record)[_ZS]):
                    m.d.sync += [begins.eq(1), base.eq(cleared)]

    def _write(self, m, bounds, tile, base, begins, raises, raised):
        """A tile begins, Z may move away, or the tile buffer tells what there is."""
        away = Signal()  # fragments that may move it are under way
        covered = Signal()  # coverage is in place of Z
        bound = Signal(_Bound)
        place = Cat(self.written.place.x, self.written.place.y)
        meets = bounds.read_enable & (place == bounds.read_address)
        m.d.sync += [
            away.eq((self.raises | raises | (away & ~self.rests)) & ~begins),
            covered.eq(((self.raises & self.covers) | covered) & ~begins),
        ]
        m.d.comb += [bounds.write_data.eq(bound), bound.tile.eq(tile)]
        m.d.comb += self.debug.EZVAL_FIFO_READY.eq(~away & ~covered)
        with m.If(begins):
            m.d.comb += [bound.z.eq(base), bound.tile.eq(tile + 1)]
            m.d.comb += [bounds.write_address.eq(tile[:PLACE_BITS]), bounds.write_enable.eq(1)]
        with m.Elif(raises):
            m.d.comb += [bound.z.eq(_FARTHEST), bounds.write_address.eq(raised), bounds.write_enable.eq(1)]
        with m.Else():
            # A bound may stay as it was: what was told is only nearer.
            m.d.comb += [bound.z.eq(self.written.z), bounds.write_address.eq(place)]
            m.d.comb += bounds.write_enable.eq(self.written_stb & ~away & ~covered & ~meets)


def _nearest(quad):
    """The nearest Z of the pixels that have samples."""
    zs = [z | ~covered.any().replicate(DEPTH_BITS) for z, covered in zip(quad.z, quad.covered, strict=True)]
    while len(zs) > 1:
        zs = [Mux(one < other, one, other) for one, other in zip(zs[::2], zs[1::2], strict=True)]
    return zs[0]

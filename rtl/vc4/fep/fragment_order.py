"""The order of quads and records."""

from amaranth import *
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.cle.structs import PipelineRecord, fields_of
from vc4.common.slack import Slack
from vc4.errata import Erratum
from vc4.pse.structs import MOST_PLANES
from vc4.records.control import ControlCode
from vc4.records.samples import CENTRE, PIXEL
from vc4.records.state import ConfigurationBits, DepthTest, VgInlineShaderRecord
from vc4.tlb.structs import CoverageQuad

from .debug_structs import PARTS
from .structs import DepthQuad
from .vector_structs import DrawState, OrderItem, OrderKind, PieceState, PlaneJob

__all__ = ["FragmentOrder"]

_PIXEL_SHIFT = PIXEL.bit_length() - 1
_ADDRESS_BITS = 32


class _State(enum.Enum, shape=unsigned(3)):
    """What is done."""

    NEXT = 0  # the next item
    OPEN = 1  # the first quad of a piece
    DRAW = 2  # its quads become fragments
    COVER = 3  # or coverage
    DROP = 4  # nobody wants its planes
    TILE = 5  # the tile buffer gets a record


#: Quads are of a piece that is not under way yet.
_BEFORE_QUADS = (_State.NEXT, _State.DROP, _State.TILE)


class FragmentOrder(wiring.Component):
    """Hands quads to vectors or to coverage, and records to the tile buffer when all quads before are done.

    Behaviour: a quad a clock; a piece takes two clocks more, a record one, or as long as it has to wait. Everything but a piece
    closes the open vector, and a piece with other numbers of planes.

    Parameters
    ----------
    errata : see `Erratum`

    Interface attributes
    --------------------
    i : stream of `OrderItem`
    quads : stream of `DepthQuad`, of all pieces that are not outside
    jobs : stream of `PlaneJob`, one for each piece; one that `keeps` is taken before the piece's quads go
    o : stream of `DepthQuad`, those that become fragments; they have samples
    piece : what they share; it stays while `stands`
    stands : quads of the piece before still need it
    state : what records have said of them
    closes : the open vector gets no more quads
    is_open : there is one
    rests : no fragments are under way, nor in the open vector
    coverage : stream of `CoverageQuad`, but for the buffer
    tiles : stream of `PipelineRecord`
    hidden : early Z says of the quad that comes that it is behind what is in the tile buffer, by the tests less and less or equal
    raises : strobe: a quad goes whose fragments may move Z away, or coverage
    hides : strobe: a hidden quad goes no further
    primitive, primitive_empty : strobes: a piece has come; it has no quad
    idle : nothing is done
    busy : something is, or is to be done
    debug : see `DebugStatus`
    """

    i: In(stream.Signature(OrderItem))
    quads: In(stream.Signature(DepthQuad))
    jobs: Out(stream.Signature(PlaneJob))
    o: Out(stream.Signature(DepthQuad))
    piece: Out(PieceState)
    stands: In(1)
    state: Out(DrawState, init={"modes": {"clears": 1}})
    closes: Out(1)
    is_open: In(1)
    rests: In(1)
    coverage: Out(stream.Signature(CoverageQuad))
    tiles: Out(stream.Signature(PipelineRecord))
    hidden: In(1)
    raises: Out(1)
    hides: Out(1)
    primitive: Out(1)
    primitive_empty: Out(1)
    idle: Out(1)
    busy: Out(1)
    debug: Out(PARTS["fragment_order"])

    def __init__(self, errata: frozenset[Erratum] = frozenset()):
        self._errata = errata
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        step = Signal(_State)
        # An item is in a register, with what it does to the open vector. Neither a piece nor a record that has work to do goes every
        # clock.
        m.submodules.next_item = next_item = Slack(OrderItem, full_rate=False)
        connect(m, flipped(self.i), next_item.i)
        quad, item, job = self.quads.payload, next_item.o.payload, self.jobs.payload
        tests = Signal()  # Z early
        away = Signal()  # fragments may move it
        covered = Signal()
        any_covered = Signal()  # of its piece that came before
        kind = Signal(range(MOST_PLANES + 1))  # planes of the piece before
        closes = Signal()
        with m.If(self.i.ready):
            # What it depends on changes no more once the item before has gone.
            goes_on = self.state.to_coverage | (self.i.payload.body.piece.planes == kind)
            m.d.sync += closes.eq((self.i.payload.kind != OrderKind.PIECE) | ~goes_on)
        m.d.comb += [
            covered.eq(~quad.is_empty & ~(self.hidden & tests)),
            self.hides.eq(self.quads.valid & self.quads.ready & ~quad.is_empty & ~covered),
            self.raises.eq(self.quads.valid & self.quads.ready & covered & away),
            self.idle.eq(step == _State.NEXT),
            self.debug.EZTEST_IP_PRSTALL.eq(self.quads.valid & Cat(step == one for one in _BEFORE_QUADS).any()),
            self.busy.eq(~self.idle | next_item.o.valid),
            self.o.payload.eq(quad),
            self.tiles.payload.eq(item.body.record),
        ]
        self._cover(m, quad)
        covers = self._covers(m, kind)
        with m.Switch(step):
            with m.Case(_State.NEXT):
                self._next(m, step, next_item, closes, kind)
                m.d.sync += any_covered.eq(0)
                with m.If(next_item.o.valid):
                    self._depth(m, item, tests, away)
            with m.Case(_State.OPEN):
                self._open(m, step, covered, any_covered)
            with m.Case(_State.DRAW):
                m.d.comb += [self.o.valid.eq(self.quads.valid & covered), self.quads.ready.eq(self.o.ready | ~covered)]
            with m.Case(_State.COVER):
                m.d.comb += [
                    self.coverage.valid.eq(self.quads.valid & covered & covers),
                    self.quads.ready.eq(self.coverage.valid & self.coverage.ready | ~covered),
                ]
            with m.Case(_State.DROP):
                m.d.comb += self.jobs.valid.eq(1)
                with m.If(self.jobs.ready):
                    m.d.sync += step.eq(_State.NEXT)
            with m.Case(_State.TILE):
                m.d.comb += [self.tiles.valid.eq(self.rests), next_item.o.ready.eq(self.rests & self.tiles.ready)]
                with m.If(next_item.o.ready):
                    m.d.sync += step.eq(_State.NEXT)
        with m.If((step == _State.DRAW) | (step == _State.COVER)):
            with m.If(self.quads.valid & self.quads.ready & quad.ends):
                m.d.sync += step.eq(_State.NEXT)
        m.d.comb += job.keeps.eq((step == _State.OPEN) & ~self.state.to_coverage)
        return m

    def _covers(self, m, kind):
        """Whether quads may become coverage."""
        if Erratum.HW_2885 not in self._errata:
            return self.rests
        had_varyings = Signal()  # the last fragment; then coverage waits for ever
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += had_varyings.eq(kind > 1)  # 1/W has a plane, too
        return self.rests & ~had_varyings

    def _open(self, m, step, covered, any_covered):
        """Quads of a piece up to the first one that is drawn."""
        quad = self.quads.payload
        with m.If(self.quads.valid & covered):
            m.d.comb += self.jobs.valid.eq(1)
            with m.If(self.jobs.ready):
                m.d.sync += step.eq(Mux(self.state.to_coverage, _State.COVER, _State.DRAW))
        with m.Elif(self.quads.valid):
            m.d.comb += self.quads.ready.eq(1)
            m.d.sync += any_covered.eq(~quad.is_empty | any_covered)
            with m.If(quad.ends):
                m.d.comb += self.primitive_empty.eq(quad.is_empty & ~any_covered)
                m.d.sync += step.eq(_State.DROP)

    def _next(self, m, step, next_item, closes, kind):
        """The next item: what closes the open vector does so first."""
        item, state, job = next_item.o.payload, self.state, self.jobs.payload
        piece = item.body.piece
        m.d.comb += self.closes.eq(next_item.o.valid & closes)
        waits = (self.closes & self.is_open) | ((item.kind == OrderKind.PIECE) & self.stands)
        with m.If(next_item.o.valid & ~waits):
            m.d.comb += next_item.o.ready.eq(1)
            with m.Switch(item.kind):
                with m.Case(OrderKind.PIECE):
                    m.d.comb += [self.primitive.eq(1), self.primitive_empty.eq(piece.outside)]
                    m.d.sync += step.eq(Mux(piece.outside, _State.DROP, _State.OPEN))
                    m.d.sync += [job[name].eq(piece[name]) for name in ("planes", "x", "y")]
                    self._piece(m, piece)
                    with m.If(~state.to_coverage):
                        m.d.sync += kind.eq(piece.planes)
                with m.Case(OrderKind.SHADER):
                    shader = item.body.shader
                    # All kinds of shader records have this bit in the same place.
                    self._program(m, shader.flags[0], shader.pc, shader.uniforms)
                with m.Case(OrderKind.RECORD):
                    self._record(m, item.body.record)
                with m.Case(OrderKind.TILE):
                    m.d.comb += next_item.o.ready.eq(0)
                    m.d.sync += step.eq(_State.TILE)

    def _piece(self, m, piece):
        """What its quads share."""
        m.d.sync += [
            *(self.piece[name].eq(piece[name]) for name in ("oversample", "reverse", "clockwise", "tile_x", "tile_y")),
            self.piece.dx.eq((piece.tile_x << _PIXEL_SHIFT) + CENTRE[0] - piece.x.as_signed()),
            self.piece.dy.eq((piece.tile_y << _PIXEL_SHIFT) + CENTRE[1] - piece.y.as_signed()),
        ]

    def _record(self, m, record):
        """State."""
        with m.If(record.code == ControlCode.CONFIGURATION_BITS):
            bits = fields_of(record, ConfigurationBits)
            m.d.sync += [
                self.state.modes.test.eq(bits.depth_test_function),
                self.state.modes.updates.eq(bits.z_updates_enable),
                self.state.modes.clears.eq(~bits.coverage_read_mode),
                self.state.modes.as_mask.eq(bits.coverage_read_type),
                self.state.to_coverage.eq(bits.coverage_pipe_select),
                self.state.update.eq(bits.coverage_update_mode),
            ]
        with m.If(record.code == ControlCode.VG_INLINE_SHADER_RECORD):
            shader = fields_of(record, VgInlineShaderRecord)
            code = shader.fragment_shader_code_address
            pc = Cat(Const(0, _ADDRESS_BITS - len(code)), code)
            self._program(m, shader.single_threaded, pc, shader.fragment_shader_uniforms_address)

    def _depth(self, m, item, tests, away):
        """What configuration bits say of early Z; coverage is written in place of Z."""
        record = item.body.record
        bits = fields_of(record, ConfigurationBits)
        test = bits.depth_test_function
        with m.If((item.kind == OrderKind.RECORD) & (record.code == ControlCode.CONFIGURATION_BITS)):
            nearer = (test == DepthTest.LESS) | (test == DepthTest.LESS_EQUAL)
            stays = nearer | (test == DepthTest.EQUAL) | (test == DepthTest.NEVER)
            m.d.sync += [
                tests.eq(bits.early_z_enable & nearer & ~bits.coverage_pipe_select),
                away.eq(bits.coverage_pipe_select | (bits.z_updates_enable & ~stays)),
            ]

    def _program(self, m, single, pc, uniforms):
        program = self.state.program
        m.d.sync += [program.threaded.eq(~single), program.pc.eq(pc), program.uniforms.eq(uniforms)]

    def _cover(self, m, quad):
        """A quad as coverage has it."""
        out = self.coverage.payload
        m.d.comb += [
            *(out.place.x.eq(quad.x), out.place.y.eq(quad.y), out.covered.eq(quad.covered)),
            *(out.oversample.eq(self.piece.oversample), out.update.eq(self.state.update)),
            out.falls.eq(self.piece.clockwise),
        ]

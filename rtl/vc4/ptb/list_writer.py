"""Writes to the list of a tile."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.cle.structs import ListFormat
from vc4.records.compressed import BRANCH_BYTES
from vc4.records.shaders import CLIPPED_VERTEX_BYTES, TILE_POINTER_BITS
from vc4.records.state import BlockSize

from .list_memory import BlockPort
from .list_state import ListState
from .list_structs import PIECE_BITS, ListChunk, ListTask, Piece, RecordChunk
from .next_block import NextBlock
from .owned_ranges import RangePort
from .piece_writer import PieceWriter
from .primitive_coding import PrimitiveCoding
from .state_port import StatePort
from .structs import TilePrimitive

__all__ = ["ListWriter"]

_BRANCH_BYTES = 5
#: What every block keeps free: the end of a compressed list, and a branch.
_RESERVE = 1 + _BRANCH_BYTES
#: More than what is ever written for a primitive in front of a branch.
_NEAR = 128
_SMALLEST_BLOCK = 32


class ListWriter(wiring.Component):
    """Writes what a tile gets with a primitive, or at the end of a frame (pipeline facts, 2.4 and 2.5; docs/reference/rendering.md,
    tile lists; `TileLists` of the model).

    Behaviour: see `TileLists`.

    Interface attributes
    --------------------
    task, start : strobe: what is to be done, with all tiles whose states are loaded from the same clock on; the same task need not
        come again
    busy : something is done, but for loading
    frees : what is done needs no primitive any more
    primitive : the newest one
    form, has_form : what the binning list says last
    counter : changes of state
    window : bits of an address that a pointer lacks
    further : size of blocks
    states : of `TileStates`
    scan, newer_than, everything, shader, scanning, records : of `StateCache`: what the list does not have
    memory, ranges : of `ListMemory` and `OwnedRanges`
    words : stream of vertices that clipping has made
    o : stream of `ListChunk`
    failed : something would be written elsewhere; stays
    """

    task: In(ListTask)
    start: In(1)
    busy: Out(1)
    frees: Out(1)
    primitive: In(TilePrimitive)
    form: In(ListFormat)
    has_form: In(1)
    counter: In(32)
    window: In(32 - TILE_POINTER_BITS)
    further: In(BlockSize)
    states: Out(StatePort())
    scan: Out(1)
    newer_than: Out(32)
    everything: Out(1)
    shader: Out(1)
    scanning: In(1)
    records: In(stream.Signature(RecordChunk))
    memory: Out(BlockPort())
    ranges: Out(RangePort())
    words: In(stream.Signature(32))
    o: Out(stream.Signature(ListChunk))
    failed: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.primitive_coding = self._coding = PrimitiveCoding()
        m.submodules.list_state = self._state = ListState()
        m.submodules.next_block = self._next = NextBlock()
        m.submodules.piece_writer = self._pieces = PieceWriter()
        self._task, self._is_add = Signal(ListTask, name="task"), Signal(name="is_add")
        self._form = Signal(ListFormat)  # that the list shall have
        self._changes = Signal()  # it does not have it yet
        self._rest = Signal()  # vertices are not stored yet
        self._trusted = Signal()  # all that is near may be written
        self._piece, self._length = Signal(Piece, name="piece"), Signal(PIECE_BITS, name="length")
        self._in_items, self._branching = Signal(name="in_items"), Signal(name="branching")
        self._clipped = Signal()
        self._chooses = Signal()  # a state has come
        m.d.comb += [
            *(self.busy.eq(1), self.states.busy.eq(self.busy)),
            self._is_add.eq(self._task == ListTask.ADD),
            self._form.eq(self.form),
            self.everything.eq(self._task == ListTask.CLOSE_ALL),
        ]
        with m.If(self._is_add):
            m.d.comb += [self._form.type.eq(self.primitive.type), self._form.coordinates.eq(self.primitive.coordinates)]
        self._connect(m)
        m.d.sync += self._rest.eq(self._chooses & self._is_add)
        with m.If(self._rest):
            m.d.comb += [self.states.store.eq(0b11), self.states.store_number.eq(2)]
        with m.FSM():
            with m.State("IDLE"):
                self._begin(m)
            with m.State("STORE_STAMP"):
                m.d.comb += [self.states.store.eq(0b01), self.states.store_number.eq(1)]
                m.next = "STORE"
            with m.State("STORE"):
                m.d.comb += self.states.store.eq(0b11)
                self._begin(m)
            self._choose_first(m)
            self._choose(m)
            self._make_room(m)
            self._write(m)
            self._keep(m)
        return m

    def _begin(self, m):
        """The next task can come."""
        m.d.comb += self.busy.eq(0)
        m.d.sync += [self._trusted.eq(0), self._branching.eq(0)]
        m.next = "IDLE"
        with m.If(self.states.place):
            m.next = "CHOOSE"
        with m.If(self.start):
            m.d.sync += self._task.eq(self.task)
            with m.If(self.task == ListTask.KEEP):
                m.next = "KEEP"

    def _connect(self, m):
        coding, state, pieces, primitive = self._coding, self._state, self._pieces, self.primitive
        states, ranges, memory, following = self.states, self.ranges, self.memory, self._next
        connect(m, flipped(self.records), pieces.records)
        connect(m, flipped(self.words), pieces.words)
        connect(m, pieces.o, flipped(self.o))
        m.d.comb += [
            *(getattr(coding, name).eq(getattr(primitive, name)) for name in ("type", "coordinates", "vertices")),
            *(coding.previous[0].eq(states.word[:32]), coding.previous[1].eq(states.word[32:])),
            *(coding.first.eq(states.stamp), coding.others.eq(states.vertices), coding.choose.eq(states.place)),
            *(state.word.eq(states.word), state.place.eq(states.place), state.stamp.eq(states.stamp)),
            *(state.window.eq(self.window), state.wanted.eq(self._form), state.counter.eq(self.counter)),
            state.has_wanted.eq(self._is_add | self.has_form),
            *(state.count.eq(pieces.o.payload.count), state.moves.eq(pieces.moves)),
            *(state.target.eq(memory.taken), state.block.eq(_SMALLEST_BLOCK << self.further.as_value())),
            state.vertices.eq(primitive.vertices),
            *(state.number.eq(states.store_number), states.store_data.eq(state.stored)),
            *(following.address.eq(state.address), following.memory_busy.eq(memory.busy)),
            *(following.taken.eq(memory.taken), memory.take.eq(following.take), memory.size.eq(state.block)),
            *(pieces.target.eq(memory.taken), pieces.blocks.eq(following.blocks)),
            *(self.newer_than.eq(state.stamped), pieces.length.eq(self._length)),
            pieces.piece.eq(Mux(self._chooses, Piece.CODED, self._piece)),
            pieces.trusted.eq(Mux(self._chooses, ranges.covered, self._trusted)),
            *(pieces.primitive.eq(primitive), pieces.coding.eq(coding.o), pieces.form.eq(self._form)),
            *(pieces.address.eq(state.address), pieces.ranges_busy.eq(ranges.busy), pieces.found.eq(ranges.found)),
            *(ranges.near.eq(~pieces.check), ranges.check.eq(pieces.check | states.place)),
            ranges.address.eq(Mux(pieces.check, state.address, state.start)),
            ranges.length.eq(Mux(pieces.check, self._length, _NEAR)),
            self.failed.eq(pieces.failed),
        ]

    def _choose_first(self, m):
        """The state of the tile is there: the primitive follows, or something else."""
        coding, state = self._coding, self._state
        changes = Mux(self._is_add, state.differs, self.everything & self.has_form)
        with m.State("CHOOSE"):
            m.d.comb += [
                self._chooses.eq(1),
                self.states.store.eq(self._is_add.replicate(2)),
                self.states.store_number.eq(1),
            ]
            m.d.sync += [
                *(self._trusted.eq(self.ranges.covered), self._changes.eq(changes), self._in_items.eq(0)),
                *(self.shader.eq(changes & self._is_add), self._piece.eq(Piece.CODED)),
                self._length.eq(coding.o.length),
            ]
            m.next = "LAST"
            with m.If(self.everything | (self._is_add & (changes | state.stale))):
                m.d.comb += self.scan.eq(1)
                m.d.sync += self._in_items.eq(1)
                m.next = "ITEMS"
            with m.Elif(self._is_add & state.opened & ~self._clipped):
                self._room(m, coding.o.length)

    def _choose(self, m):
        """What comes next: state, then a primitive or the end."""
        state, coding = self._state, self._coding
        begin = Signal(PIECE_BITS)
        m.d.comb += [
            *(self._clipped.eq(self.primitive.made.any()), begin.eq(Mux(self._clipped, 5, 1))),
        ]
        with m.State("ITEMS"):
            m.d.sync += self._piece.eq(Mux(self._changes, Piece.FORMAT, Piece.STATE))
            m.d.sync += self._length.eq(Mux(self._changes, 2, self.records.payload.length))
            with m.If(self._changes | self.records.valid):
                m.next = "ROOM"
                with m.If(state.opened):
                    self._put(m, Piece.END, 1)
            with m.Elif(~self.scanning):
                m.d.comb += state.formats.eq(1)
                m.d.sync += self._in_items.eq(0)
                m.next = "LAST"
        with m.State("LAST"):
            with m.If(state.opened & (self._clipped | ~self._is_add)):
                self._put(m, Piece.END, 1)
            with m.Elif(~self._is_add):
                self._put(m, Piece.RETURN, 1)
            with m.Else():
                m.d.sync += self._piece.eq(Mux(state.opened, Piece.CODED, Piece.WHOLE))
                m.d.sync += self._length.eq(Mux(state.opened, coding.o.length, coding.bare + begin))
                m.next = "ROOM"

    def _put(self, m, piece, length):
        """A piece for which there is room."""
        m.d.sync += [self._piece.eq(piece), self._length.eq(length)]
        m.next = "PUT"

    def _room(self, m, needed):
        """The list goes on in another block if this one has no room."""
        m.next = "NEXT"
        with m.If(self._state.room >= needed + _RESERVE):
            m.d.comb += self._pieces.start.eq(1)
            m.next = "WRITE"
        with m.Else():
            m.d.comb += self._next.start.eq(1)

    def _make_room(self, m):
        """The next block, and a branch to it."""
        state, following = self._state, self._next
        with m.State("ROOM"):
            self._room(m, self._length)
        with m.State("NEXT"):
            m.d.sync += self._branching.eq(1)
            with m.If(following.done):
                m.next = "BRANCH"
        with m.State("BRANCH"):
            with m.If(~state.opened):
                self._put(m, Piece.BRANCH, _BRANCH_BYTES)
            with m.Elif(following.reaches):
                self._put(m, Piece.SHORT_BRANCH, BRANCH_BYTES)
            with m.Else():
                self._put(m, Piece.END, 1)

    def _write(self, m):
        """A piece goes, and what follows it."""
        state, pieces = self._state, self._pieces
        with m.State("PUT"):
            m.d.comb += pieces.start.eq(1)
            m.next = "WRITE"
        with m.State("WRITE"):
            coding = self._coding.o
            m.d.comb += self.frees.eq((self._piece == Piece.CODED) & ~coding.whole & ~coding.follows)
            with m.If(pieces.done):
                m.next = "LAST"
                with m.If(self._in_items):
                    m.next = "ITEMS"
                with m.Switch(self._piece):
                    with m.Case(Piece.END):
                        m.d.comb += state.closes.eq(1)
                        with m.If(self._branching):
                            m.next = "BRANCH"
                    with m.Case(Piece.FORMAT):
                        m.d.sync += self._changes.eq(0)
                    with m.Case(Piece.BRANCH, Piece.SHORT_BRANCH):
                        m.d.comb += state.jumps.eq(1)
                        m.d.sync += [self._branching.eq(0), self._trusted.eq(0)]
                    with m.Case(Piece.VERTICES):
                        m.next = "IDLE"
                    with m.Case(Piece.RETURN, Piece.CODED, Piece.WHOLE):
                        m.d.comb += state.opens.eq(self._is_add)
                        m.next = "STORE"
                        with m.If(self.everything):
                            m.next = "STORE_STAMP"

    def _keep(self, m):
        """Vertices that clipping has made."""
        state, made = self._state, self.primitive.made
        size = Signal(PIECE_BITS)
        m.d.comb += size.eq(sum(made) * CLIPPED_VERTEX_BYTES)
        with m.State("KEEP"):
            m.d.comb += [self.memory.take.eq(1), self.memory.vertices.eq(1), self.memory.size.eq(size)]
            m.d.sync += self._length.eq(size)
            m.next = "KEPT"
        with m.State("KEPT"):
            m.d.sync += self._piece.eq(Piece.VERTICES)
            m.d.comb += state.jumps.eq(1)
            with m.If(~self.memory.busy):
                m.next = "PUT"

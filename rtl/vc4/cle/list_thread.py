"""A thread of the control list executor."""

from itertools import pairwise

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.records.compressed import CODINGS, COORDINATE_CODINGS
from vc4.records.control import RECORDS, RETURN_LEVELS, SEMAPHORE_MAX, Branch, ControlCode, Role, Threads
from vc4.records.primitives import PrimitiveData, PrimitiveListFormat

from .list_fetch import ListFetch
from .record_reader import RecordReader
from .structs import ListFault, ListRecord, ThreadState, ThreadWrites

__all__ = ["ListThread"]

_VG_SHADERS = (ControlCode.VG_SHADER_STATE, ControlCode.VG_INLINE_SHADER_RECORD)
_FLUSHES = (ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE)


class _Kind(data.Struct):
    """What a record is to a thread.

    out_of_place : lists of the thread do not have it
    configured : it needs a configuration before it
    taken : the pipeline takes it
    ends : the pipeline says when it is done, and the thread waits for that
    """

    out_of_place: 1
    configured: 1
    taken: 1
    ends: 1
    is_list: 1
    is_compressed: 1
    coordinates: 1
    is_configuration: 1
    is_shader: 1
    is_vg: 1
    is_format: 1
    is_flush: 1


class ListThread(wiring.Component):
    """Executes the control lists of one pipeline (guide, section 8; pipeline facts, 1.3).

    Behaviour: a record that the executor carries out itself takes a clock, one for the pipeline a clock as soon as the
    one before has left; a branch, and a start, take as long as memory takes for the first word of the new place. With its
    last record the thread stops, when the pipeline is no longer busy. It waits after a flush, and after the last store of
    a frame, until the pipeline has `finished`.

    Parameters
    ----------
    threads : which of both it is

    Interface attributes
    --------------------
    writes : of registers
    state : what registers show
    counts : the other thread has incremented the semaphore
    o : stream of `ListRecord`, the records for the pipeline in their order; none has a fault
    busy : the pipeline has something to do
    finished : strobe: what the thread waits for is done
    done, increments : strobe: the same, for the interrupt; and whether the other thread's semaphore counts
    port : the way into memory, which is only read
    """

    writes: In(ThreadWrites)
    state: Out(ThreadState)
    counts: In(1)
    o: Out(stream.Signature(ListRecord))
    busy: In(1)
    finished: In(1)
    done: Out(1)
    increments: Out(1)
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def __init__(self, threads: Threads):
        self._threads = threads
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.fetch = fetch = ListFetch()
        m.submodules.reader = reader = RecordReader()
        connect(m, fetch.port, flipped(self.port))
        state, record = self.state, reader.o.payload
        moves = Signal()  # the next record is elsewhere
        m.d.comb += [
            fetch.restart.eq(moves),
            fetch.address.eq(state.current),
            fetch.limited.eq(state.depth == 0),
            fetch.end.eq(state.end),
            reader.restart.eq(moves),
            reader.address.eq(state.current),
            reader.window.eq(fetch.window),
            reader.available.eq(fetch.available),
            reader.error.eq(fetch.error),
            fetch.take.eq(reader.take),
        ]
        kind = Signal(_Kind)
        self._look_up(m, record, kind)
        self._execute(m, reader, kind, moves)
        return m

    def _look_up(self, m, record, kind):
        """A row of the table of records."""
        with m.Switch(record.code):
            for value, row in RECORDS.items():
                code, role = row.code, row.role
                last = Const(0)
                if row.layout and "last_tile_of_frame" in dict(data.Layout.cast(row.layout)):
                    last = data.View(row.layout, record.payload[: Shape.cast(row.layout).width]).last_tile_of_frame
                elif code is ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME:
                    last = Const(1)
                with m.Case(value):
                    m.d.comb += [
                        kind.out_of_place.eq(self._threads not in row.threads),
                        kind.configured.eq(role.needs_configuration),
                        kind.taken.eq(role is not Role.CONTROL),
                        kind.ends.eq(Const(1) if code in _FLUSHES else last),
                        kind.is_list.eq(role.is_list),
                        kind.is_compressed.eq(role is Role.COMPRESSED_LIST),
                        kind.coordinates.eq(role is Role.COORDINATE_LIST),
                        kind.is_configuration.eq(role is Role.CONFIGURATION),
                        kind.is_shader.eq(role is Role.SHADER),
                        kind.is_vg.eq(code in _VG_SHADERS),
                        kind.is_format.eq(role is Role.FORMAT),
                        kind.is_flush.eq(code in _FLUSHES),
                    ]

    def _execute(self, m, reader, kind, moves):
        """A record a clock, and what is written to registers."""
        state, record = self.state, reader.o.payload
        halted, stalled, waits, increments = Signal(), Signal(), Signal(), Signal()
        at_end, ends = Signal(), Signal()
        executes, wrong = Signal(), Signal()
        returns = [Signal(32, name=f"return_{level}") for level in range(RETURN_LEVELS)]
        m.d.comb += [
            state.return_address.eq(Mux(state.depth.any(), returns[0], 0)),
            at_end.eq(state.current == state.end),
            ends.eq(state.running & at_end & ~stalled & ~state.active),
            executes.eq(
                state.running & ~stalled & ~waits & ~moves & ~at_end & reader.o.valid & (~self.o.valid | self.o.ready)
            ),
            reader.o.ready.eq(executes),
            state.suspended.eq(Mux(state.running, stalled, halted)),
            state.active.eq(waits | self.busy | self.o.valid),
            self.done.eq(waits & self.finished),
            self.increments.eq(increments),
        ]
        m.d.sync += moves.eq(0)
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.done):
            m.d.sync += [waits.eq(0), increments.eq(0)]
        with m.If(ends):
            m.d.sync += state.running.eq(0)
        self._wait(m, stalled)
        self._place(m, record, kind, executes, wrong)
        with m.If(executes & wrong):
            m.d.sync += [state.running.eq(0), halted.eq(1), state.error.eq(1), state.current.eq(record.address)]
        with m.Elif(executes):
            m.d.sync += state.current.eq(reader.next)
            with m.If(kind.taken):
                m.d.sync += [self.o.payload.eq(record), self.o.valid.eq(1), waits.eq(kind.ends)]
                m.d.sync += state.flushes.eq(state.flushes + kind.is_flush)
            self._control(m, reader, returns, moves, halted, stalled, increments)
        self._write(m, ends, moves, halted, stalled, waits, increments)

    def _wait(self, m, stalled):
        """The semaphore, which counts up to its maximum."""
        semaphore, uses = self.state.semaphore, Signal()
        m.d.comb += uses.eq(stalled & semaphore.any())
        with m.If(uses):
            m.d.sync += stalled.eq(0)
        with m.If(uses & ~self.counts):
            m.d.sync += semaphore.eq(semaphore - 1)
        with m.Elif(self.counts & ~uses & (semaphore != SEMAPHORE_MAX)):
            m.d.sync += semaphore.eq(semaphore + 1)

    def _place(self, m, record, kind, executes, wrong):
        """Whether a record is wrong where it is; and what it changes for those after it."""
        configured, shaded, vg = Signal(), Signal(), Signal()
        has_format, has_coordinates = Signal(), Signal()
        layout = data.View(PrimitiveListFormat, record.payload[: Shape.cast(PrimitiveListFormat).width])
        coordinates, deep = Signal(), Signal()
        m.d.comb += [
            coordinates.eq(Mux(kind.is_compressed, has_coordinates, kind.coordinates)),
            deep.eq((record.code == ControlCode.BRANCH_TO_SUB_LIST) & (self.state.depth == RETURN_LEVELS)),
            wrong.eq(
                (record.fault != ListFault.NONE)
                | kind.out_of_place
                | (kind.configured & ~configured)
                | (kind.is_list & (~shaded | (kind.is_compressed & ~has_format) | (coordinates != vg)))
                | (kind.is_format & _has_no_codings(layout))
                | deep
            ),
        ]
        with m.If(executes & ~wrong):
            with m.If(kind.is_configuration):
                m.d.sync += [configured.eq(1), self.state.prefixing.eq(self._threads is Threads.BINNING)]
            with m.If(record.code == ControlCode.START_TILE_BINNING):
                m.d.sync += self.state.prefixing.eq(0)
            with m.If(kind.is_shader):
                m.d.sync += [shaded.eq(1), vg.eq(kind.is_vg)]
            with m.If(kind.is_format):
                m.d.sync += [has_format.eq(1), has_coordinates.eq(layout.data_type == PrimitiveData.COORDINATES)]
            with m.If(kind.is_list & ~kind.is_compressed):
                m.d.sync += [has_format.eq(1), has_coordinates.eq(kind.coordinates)]

    def _control(self, m, reader, returns, moves, halted, stalled, increments):
        """What the executor carries out itself."""
        state, record = self.state, reader.o.payload
        target = data.View(Branch, record.payload[: Shape.cast(Branch).width]).absolute_branch_address
        with m.Switch(record.code):
            with m.Case(ControlCode.HALT):
                m.d.sync += [state.running.eq(0), halted.eq(1)]
            with m.Case(ControlCode.INCREMENT_SEMAPHORE):
                m.d.sync += increments.eq(1)
            with m.Case(ControlCode.WAIT_ON_SEMAPHORE):
                m.d.sync += stalled.eq(1)
            with m.Case(ControlCode.BRANCH):
                m.d.sync += [state.current.eq(target), moves.eq(1)]
            with m.Case(ControlCode.BRANCH_TO_SUB_LIST):
                m.d.sync += [state.current.eq(target), moves.eq(1), state.depth.eq(state.depth + 1)]
                m.d.sync += [deeper.eq(address) for address, deeper in pairwise((reader.next, *returns))]
            with m.Case(ControlCode.RETURN_FROM_SUB_LIST):
                m.d.sync += state.returned.eq(state.returned + 1)
                with m.If(state.depth.any()):
                    m.d.sync += [state.current.eq(returns[0]), moves.eq(1), state.depth.eq(state.depth - 1)]
                    m.d.sync += [address.eq(deeper) for address, deeper in pairwise(returns)]

    def _write(self, m, ends, moves, halted, stalled, waits, increments):
        """The registers; what is written is stronger than what the list does in the same clock."""
        state, writes = self.state, self.writes
        begins, goes_on = Signal(), Signal()
        m.d.comb += [
            goes_on.eq(state.running & ~ends),
            begins.eq(
                (writes.end & ~halted & (state.current != writes.value))
                | (writes.proceeds & ~writes.resets & ~writes.stops & (state.current != state.end))
            ),
        ]
        with m.If(writes.clears_returned):
            m.d.sync += state.returned.eq(0)
        with m.If(writes.clears_flushes):
            m.d.sync += state.flushes.eq(0)
        with m.If(writes.current & ~state.running):
            m.d.sync += [state.current.eq(writes.value), halted.eq(0), state.depth.eq(0)]
        with m.If(writes.end):
            m.d.sync += state.end.eq(writes.value)
        with m.If(writes.proceeds):
            m.d.sync += halted.eq(0)
        # What has been read may be older than what the host has written since.
        with m.If(begins | (writes.end & state.running)):
            m.d.sync += moves.eq(1)
        with m.If(begins & ~goes_on):
            m.d.sync += [state.running.eq(1), state.error.eq(0)]
        with m.If(writes.stops | (writes.resets_pipeline & state.active)):
            m.d.sync += [state.running.eq(0), stalled.eq(0), halted.eq(1)]
        with m.If(writes.resets):
            m.d.sync += [
                *(one.eq(0) for one in (state.running, halted, stalled, state.prefixing, state.error)),
                *(one.eq(0) for one in (state.depth, state.semaphore, increments)),
            ]
        with m.If(writes.resets_pipeline):
            m.d.sync += [waits.eq(0), self.o.valid.eq(0)]


def _has_no_codings(layout):
    """There are no compressed lists of some types with coordinates."""
    return Cat(
        (layout.data_type == kind) & ~Cat(layout.primitive_type == one for one in codings).any()
        for kind, codings in ((PrimitiveData.INDEX_16, CODINGS), (PrimitiveData.COORDINATES, COORDINATE_CODINGS))
    ).any()

"""A thread of the control list executor."""

from itertools import pairwise

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.records.compressed import BRANCH_UNIT
from vc4.records.control import RETURN_LEVELS, SEMAPHORE_MAX, Branch, ControlCode, Threads
from vc4.records.primitives import IndexedPrimitiveList, IndexType

from .list_fetch import ListFetch
from .primitive_assembly import PrimitiveAssembly
from .record_reader import RecordReader
from .record_rules import RecordRules
from .structs import ItemKind, ListItem, ThreadState, ThreadWrites

__all__ = ["ListThread"]

_BRANCH_BITS = BRANCH_UNIT.bit_length() - 1


class _Bytes(data.Struct):
    """Where the next bytes come from, and who takes them.

    rereads : strobe: the next record is at the current address
    jumps : strobe: so are the next bytes
    indexes : strobe: the next bytes are where the record of a list says
    within : they are those of a list
    elsewhere : which is no part of the control list
    stale : the control list goes on elsewhere, or may have changed, after this list
    """

    rereads: 1
    jumps: 1
    indexes: 1
    within: 1
    elsewhere: 1
    stale: 1


class ListThread(wiring.Component):
    """Executes the control lists of one pipeline (guide, section 8; pipeline facts, 1.3).

    Behaviour: a record that the executor carries out itself takes a clock, one for the pipeline a clock as soon as the
    one before has left; a branch, a start, and a list whose vertices are elsewhere in memory, before and after it, take as
    long as memory takes for the first word of the new place. With its last record the thread stops, when the pipeline is no
    longer busy. It waits after a flush, and after the last store of a frame, until the pipeline has `finished`.

    Parameters
    ----------
    threads : which of both it is

    Interface attributes
    --------------------
    writes : of registers
    state : what registers show
    counts : the other thread has incremented the semaphore
    o : stream of `ListItem`
    busy : the pipeline has something to do
    finished : strobe: what the thread waits for is done
    done, increments : strobe: the same, for the interrupt; and whether the other thread's semaphore counts
    port : the way into memory, which is only read
    """

    writes: In(ThreadWrites)
    state: Out(ThreadState)
    counts: In(1)
    o: Out(stream.Signature(ListItem))
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
        m.submodules.rules = rules = RecordRules(self._threads)
        m.submodules.assembly = assembly = PrimitiveAssembly()
        connect(m, fetch.port, flipped(self.port))
        state, record = self.state, reader.o.payload
        at_end = Signal()
        source = Signal(_Bytes)
        m.d.comb += [
            at_end.eq(state.current == state.end),
            fetch.restart.eq(source.jumps | source.indexes),
            fetch.address.eq(Mux(source.indexes, _address_of(record), state.current)),
            fetch.limited.eq((state.depth == 0) & ~source.elsewhere),
            fetch.end.eq(state.end),
            fetch.starves.eq(Mux(source.within, assembly.starves, reader.starves & state.running & ~at_end)),
            fetch.enough.eq(source.elsewhere & (assembly.ends | _is_enough(record, assembly.left, fetch.ahead))),
            fetch.take.eq(Mux(source.within, assembly.take, reader.take)),
            reader.restart.eq(source.rereads),
            rules.record.eq(record),
            rules.deep.eq(state.depth == RETURN_LEVELS),
            assembly.format.eq(rules.format),
            assembly.record.code.eq(record.code),
            assembly.record.payload.eq(record.payload),
            state.primitives.eq(assembly.primitives),
        ]
        for taker in (reader, assembly):
            m.d.comb += [
                taker.window.eq(fetch.window),
                taker.available.eq(Mux(fetch.restart, 0, fetch.available)),
                taker.error.eq(fetch.error & ~fetch.restart),
            ]
        self._execute(m, reader, rules, assembly, at_end, source)
        return m

    def _execute(self, m, reader, rules, assembly, at_end, source):
        """A record a clock, and what is written to registers."""
        state, record, kind = self.state, reader.o.payload, rules.kind
        halted, stalled, waits, increments = Signal(), Signal(), Signal(), Signal()
        ends, executes, done, room, moves = Signal(), Signal(), Signal(), Signal(), Signal()
        returns = [Signal(32, name=f"return_{level}") for level in range(RETURN_LEVELS)]
        m.d.comb += [
            state.return_address.eq(Mux(state.depth.any(), returns[0], 0)),
            ends.eq(state.running & at_end & ~stalled & ~state.active),
            room.eq(~self.o.valid | self.o.ready),
            executes.eq(
                state.running & ~(stalled | waits | at_end | source.rereads | source.within) & reader.o.valid & room
            ),
            rules.executes.eq(executes),
            done.eq(executes & ~rules.wrong),
            reader.o.ready.eq(executes & ~kind.is_list),
            assembly.begins.eq(done & kind.is_list),
            state.suspended.eq(Mux(state.running, stalled, halted)),
            state.active.eq(waits | self.busy | self.o.valid | source.within),
            self.done.eq(waits & self.finished),
            self.increments.eq(increments),
        ]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.done):
            m.d.sync += [waits.eq(0), increments.eq(0)]
        with m.If(ends):
            m.d.sync += state.running.eq(0)
        self._wait(m, stalled)
        following = self._advance(m, reader, assembly, source, done)
        with m.If(done):
            with m.If(kind.taken):
                item = self.o.payload
                m.d.sync += [item.kind.eq(ItemKind.RECORD), item.body.record.code.eq(record.code)]
                m.d.sync += [item.body.record.payload.eq(record.payload), self.o.valid.eq(1), waits.eq(kind.ends)]
                m.d.sync += state.flushes.eq(state.flushes + kind.is_flush)
            with m.If(kind.is_configuration):
                m.d.sync += state.prefixing.eq(self._threads is Threads.BINNING)
            self._control(m, record, following, returns, moves, halted, stalled, increments)
        self._list(m, assembly, kind, source, room, moves)
        with m.If((executes & rules.wrong) | assembly.fault):
            m.d.sync += [state.running.eq(0), halted.eq(1), stalled.eq(0), state.error.eq(1)]
        self._write(m, assembly, source, ends, moves, halted, stalled, waits, increments)

    def _advance(self, m, reader, assembly, source, done):
        """The current address: behind records, items of lists in the control list, and to where these branch; back to the
        record of a list if there is something wrong with its vertices. Returns the next one.
        """
        current = self.state.current
        begin, bytes_, following, first = Signal(32), Signal(signed(32)), Signal(32), Signal(32)
        m.d.comb += [
            begin.eq(Cat(Mux(assembly.branches, 0, current[:_BRANCH_BITS]), current[_BRANCH_BITS:])),
            bytes_.eq(Mux(source.within, assembly.advance, reader.length)),
            following.eq(begin + bytes_),
        ]
        with m.If(assembly.branches):
            m.d.comb += bytes_.eq(assembly.blocks << _BRANCH_BITS)
        with m.If(assembly.begins):
            m.d.sync += first.eq(current)
        with m.If(assembly.fault & ~assembly.is_item):
            m.d.sync += current.eq(first)
        with m.Elif(done | (source.within & ~source.elsewhere)):
            m.d.sync += current.eq(following)
        return following

    def _list(self, m, assembly, kind, source, room, moves):
        """The primitives of a list, and where the bytes come from."""
        found = assembly.o
        over = Signal()
        m.d.comb += [
            found.ready.eq(source.within & room),
            over.eq(source.within & assembly.ends & room),
        ]
        m.d.sync += [source.rereads.eq(0), source.jumps.eq(0), source.indexes.eq(0)]
        with m.If(found.valid & found.ready):
            m.d.sync += [self.o.payload.kind.eq(ItemKind.PRIMITIVE), self.o.payload.body.primitive.eq(found.payload)]
            m.d.sync += self.o.valid.eq(1)
        with m.If(over):
            m.d.sync += [self.o.payload.kind.eq(ItemKind.END), self.o.valid.eq(1)]
        with m.If(assembly.begins):
            m.d.sync += [
                source.within.eq(1),
                source.elsewhere.eq(kind.is_elsewhere),
                source.indexes.eq(kind.is_elsewhere),
            ]
        with m.If(assembly.branches):
            m.d.sync += source.jumps.eq(1)
        with m.If(over):
            m.d.sync += [source.within.eq(0), source.elsewhere.eq(0), source.stale.eq(0)]
            m.d.sync += [source.rereads.eq(1), source.jumps.eq(source.elsewhere | source.stale | moves)]
        with m.Elif(moves & source.within):
            m.d.sync += source.stale.eq(1)
        with m.Elif(moves):
            m.d.sync += [source.rereads.eq(1), source.jumps.eq(1)]

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

    def _control(self, m, record, following, returns, moves, halted, stalled, increments):
        """What the executor carries out itself."""
        state = self.state
        target = data.View(Branch, record.payload[: Shape.cast(Branch).width]).absolute_branch_address
        with m.Switch(record.code):
            with m.Case(ControlCode.START_TILE_BINNING):
                m.d.sync += state.prefixing.eq(0)
            with m.Case(ControlCode.HALT):
                m.d.sync += [state.running.eq(0), halted.eq(1)]
            with m.Case(ControlCode.INCREMENT_SEMAPHORE):
                m.d.sync += increments.eq(1)
            with m.Case(ControlCode.WAIT_ON_SEMAPHORE):
                m.d.sync += stalled.eq(1)
            with m.Case(ControlCode.BRANCH):
                m.d.sync += state.current.eq(target)
                m.d.comb += moves.eq(1)
            with m.Case(ControlCode.BRANCH_TO_SUB_LIST):
                m.d.sync += [state.current.eq(target), state.depth.eq(state.depth + 1)]
                m.d.comb += moves.eq(1)
                m.d.sync += [deeper.eq(address) for address, deeper in pairwise((following, *returns))]
            with m.Case(ControlCode.RETURN_FROM_SUB_LIST):
                m.d.sync += state.returned.eq(state.returned + 1)
                with m.If(state.depth.any()):
                    m.d.comb += moves.eq(1)
                    m.d.sync += [state.current.eq(returns[0]), state.depth.eq(state.depth - 1)]
                    m.d.sync += [address.eq(deeper) for address, deeper in pairwise(returns)]

    def _write(self, m, assembly, source, ends, moves, halted, stalled, waits, increments):
        """The registers; what is written is stronger than what the list does in the same clock."""
        state, writes = self.state, self.writes
        begins, goes_on, anew = Signal(), Signal(), Signal()
        m.d.comb += [
            goes_on.eq(state.running & ~ends),
            begins.eq(
                (writes.end & ~halted & (state.current != writes.value))
                | (writes.proceeds & ~writes.resets & ~writes.stops & (state.current != state.end))
            ),
            anew.eq(writes.current & ~state.running),
            assembly.leaves.eq(writes.resets | writes.resets_pipeline | anew),
        ]
        with m.If(writes.clears_returned):
            m.d.sync += state.returned.eq(0)
        with m.If(writes.clears_flushes):
            m.d.sync += state.flushes.eq(0)
        with m.If(anew):
            m.d.sync += [state.current.eq(writes.value), halted.eq(0), state.depth.eq(0)]
        with m.If(writes.end):
            m.d.sync += state.end.eq(writes.value)
        with m.If(writes.proceeds):
            m.d.sync += halted.eq(0)
        # What has been read may be older than what the host has written since.
        with m.If(begins | (writes.end & state.running)):
            m.d.comb += moves.eq(1)
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
            m.d.sync += [source.eq(0), source.rereads.eq(1), source.jumps.eq(1)]


def _address_of(record):
    """Where the vertices of a list are; both records have it in the same bits."""
    return data.View(
        IndexedPrimitiveList, record.payload[: Shape.cast(IndexedPrimitiveList).width]
    ).indices_list_address


def _is_enough(record, left, ahead):
    """Whether the words ahead hold all vertices that are left: those of a step more, wherever they begin."""
    wide = data.View(IndexedPrimitiveList, record.payload[: Shape.cast(IndexedPrimitiveList).width]).index_type
    indices = record.code == ControlCode.INDEXED_PRIMITIVE_LIST
    words = Mux(indices, Mux(wide == IndexType.BITS_16, left >> 2, left >> 3), left >> 1)
    return words + 3 <= ahead

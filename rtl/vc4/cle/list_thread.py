"""A thread of the control list executor."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.records.compressed import BRANCH_UNIT
from vc4.records.control import RETURN_LEVELS, SEMAPHORE_MAX, Branch, ControlCode, Threads

from .list_fetch import ListFetch, show_to
from .primitive_assembly import PrimitiveAssembly
from .record_reader import RecordReader
from .record_rules import RecordRules
from .return_stack import ReturnStack
from .structs import ByteSource, ItemKind, ListItem, ThreadFlags, ThreadState, ThreadWrites, fields_of

__all__ = ["ListThread"]

_BRANCH_BITS = BRANCH_UNIT.bit_length() - 1


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
    starves : the thread would go on, if memory had answered
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
    starves: Out(1)
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
        source = Signal(ByteSource)
        m.d.comb += [
            at_end.eq(state.current == state.end),
            fetch.restart.eq(source.jumps | source.indexes),
            fetch.address.eq(Mux(source.indexes, assembly.address, state.current)),
            fetch.limited.eq((state.depth == 0) & ~source.elsewhere),
            fetch.end.eq(state.end),
            fetch.starves.eq(Mux(source.within, assembly.starves, reader.starves & state.running & ~at_end)),
            fetch.enough.eq(source.elsewhere & assembly.enough),
            reader.restart.eq(source.rereads),
            rules.record.eq(record),
            rules.deep.eq(state.depth == RETURN_LEVELS),
            assembly.format.eq(rules.format),
            assembly.ahead.eq(fetch.ahead),
            assembly.record.code.eq(record.code),
            assembly.record.payload.eq(record.payload),
            state.primitives.eq(assembly.primitives),
        ]
        show_to(m, fetch.window, reader.window, assembly.window)
        self._execute(m, reader, rules, assembly, at_end, source)
        return m

    def _execute(self, m, reader, rules, assembly, at_end, source):
        """A record a clock, and what is written to registers."""
        state, record, kind = self.state, reader.o.payload, rules.kind
        flags = Signal(ThreadFlags)
        ends = Signal()
        goes = Signal()
        executes = Signal()
        # A clock late, so the reader may lose a record after the end; what follows another end is read again.
        was_at_end = Signal()
        lacked = Signal()  # bytes of the record that would be offered now
        done = Signal()
        room = Signal()
        moves = Signal()
        following = self._advance(m, reader, assembly, source, done)
        m.submodules.returns = returns = ReturnStack()
        m.d.comb += [
            state.return_address.eq(returns.top),
            state.depth.eq(returns.depth),
            returns.address.eq(following),
            ends.eq(state.running & at_end & ~flags.stalled & ~state.active),
            room.eq(~self.o.valid | self.o.ready),
            goes.eq(
                state.running & ~(flags.stalled | flags.waits | was_at_end | source.rereads | source.within) & room
            ),
            executes.eq(goes & reader.o.valid & ~at_end),
            rules.executes.eq(executes),
            done.eq(executes & ~rules.wrong),
            reader.o.ready.eq(goes),
            assembly.begins.eq(done & kind.is_list),
            state.suspended.eq(Mux(state.running, flags.stalled, flags.halted)),
            state.active.eq(flags.waits | self.busy | self.o.valid | source.within),
            self.done.eq(flags.waits & self.finished),
            self.increments.eq(flags.increments),
            self.starves.eq(Mux(source.within, room & assembly.starves, goes & lacked & ~(reader.o.valid | at_end))),
        ]
        m.d.sync += [was_at_end.eq(at_end), lacked.eq(reader.starves)]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.done):
            m.d.sync += [flags.waits.eq(0), flags.increments.eq(0)]
        with m.If(ends):
            m.d.sync += state.running.eq(0)
        self._wait(m, flags)
        with m.If(done):
            with m.If(kind.taken):
                item = self.o.payload
                m.d.sync += [item.kind.eq(ItemKind.RECORD), item.body.record.code.eq(record.code)]
                m.d.sync += [item.body.record.payload.eq(record.payload), self.o.valid.eq(1), flags.waits.eq(kind.ends)]
                m.d.sync += state.flushes.eq(state.flushes + kind.is_flush)
            with m.If(kind.is_configuration):
                m.d.sync += state.prefixing.eq(self._threads is Threads.BINNING)
            self._control(m, record, returns, moves, flags)
        self._list(m, assembly, kind, source, room, moves)
        with m.If((executes & rules.wrong) | assembly.fault):
            m.d.sync += [state.running.eq(0), flags.halted.eq(1), flags.stalled.eq(0), state.error.eq(1)]
        self._write(m, assembly, returns, source, ends, moves, flags)

    def _advance(self, m, reader, assembly, source, done):
        """The current address: after records, items of lists in the control list, and to where these branch; back to the
        record of a list if there is something wrong with its vertices. Returns the next one.
        """
        current = self.state.current
        begin = Signal(32)
        bytes_ = Signal(signed(32))
        following = Signal(32)
        first = Signal(32)
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
        with m.Elif(moves & (source.within | assembly.begins)):
            m.d.sync += source.stale.eq(1)
        with m.Elif(moves):
            m.d.sync += [source.rereads.eq(1), source.jumps.eq(1)]

    def _wait(self, m, flags):
        """The semaphore, which counts up to its maximum."""
        semaphore = self.state.semaphore
        uses = Signal()
        m.d.comb += uses.eq(flags.stalled & semaphore.any())
        with m.If(uses):
            m.d.sync += flags.stalled.eq(0)
        with m.If(uses & ~self.counts):
            m.d.sync += semaphore.eq(semaphore - 1)
        with m.Elif(self.counts & ~uses & (semaphore != SEMAPHORE_MAX)):
            m.d.sync += semaphore.eq(semaphore + 1)

    def _control(self, m, record, returns, moves, flags):
        """What the executor carries out itself."""
        state = self.state
        target = fields_of(record, Branch).absolute_branch_address
        with m.Switch(record.code):
            with m.Case(ControlCode.START_TILE_BINNING):
                m.d.sync += state.prefixing.eq(0)
            with m.Case(ControlCode.HALT):
                m.d.sync += [state.running.eq(0), flags.halted.eq(1)]
            with m.Case(ControlCode.INCREMENT_SEMAPHORE):
                m.d.sync += flags.increments.eq(1)
            with m.Case(ControlCode.WAIT_ON_SEMAPHORE):
                m.d.sync += flags.stalled.eq(1)
            with m.Case(ControlCode.BRANCH):
                m.d.sync += state.current.eq(target)
                m.d.comb += moves.eq(1)
            with m.Case(ControlCode.BRANCH_TO_SUB_LIST):
                m.d.sync += state.current.eq(target)
                m.d.comb += [moves.eq(1), returns.push.eq(1)]
            with m.Case(ControlCode.RETURN_FROM_SUB_LIST):
                m.d.sync += state.returned.eq(state.returned + 1)
                with m.If(state.depth.any()):
                    m.d.comb += [moves.eq(1), returns.pop.eq(1)]
                    m.d.sync += state.current.eq(returns.top)

    def _write(self, m, assembly, returns, source, ends, moves, flags):
        """The registers; what is written is stronger than what the list does in the same clock."""
        state, writes = self.state, self.writes
        begins = Signal()
        goes_on = Signal()
        anew = Signal()
        m.d.comb += [
            goes_on.eq(state.running & ~ends),
            begins.eq(
                (writes.end & ~flags.halted & (state.current != writes.new_end))
                | (writes.proceeds & ~writes.resets & ~writes.stops & (state.current != state.end))
            ),
            anew.eq(writes.current & ~state.running),
            assembly.leaves.eq(writes.resets | writes.resets_pipeline | anew),
            returns.clear.eq(writes.resets | anew),
        ]
        with m.If(writes.clears_returned):
            m.d.sync += state.returned.eq(0)
        with m.If(writes.clears_flushes):
            m.d.sync += state.flushes.eq(0)
        with m.If(anew):
            m.d.sync += [state.current.eq(writes.new_current), flags.halted.eq(0)]
        with m.If(writes.end):
            m.d.sync += state.end.eq(writes.new_end)
        with m.If(writes.proceeds):
            m.d.sync += flags.halted.eq(0)
        # What has been read may be older than what the host has written since.
        with m.If(begins | (writes.end & state.running)):
            m.d.comb += moves.eq(1)
        with m.If(begins & ~goes_on):
            m.d.sync += [state.running.eq(1), state.error.eq(0)]
        with m.If(writes.stops | (writes.resets_pipeline & state.active)):
            m.d.sync += [state.running.eq(0), flags.stalled.eq(0), flags.halted.eq(1)]
        with m.If(writes.resets):
            m.d.sync += [
                *(one.eq(0) for one in (state.running, flags.halted, flags.stalled, state.prefixing, state.error)),
                *(one.eq(0) for one in (state.semaphore, flags.increments)),
            ]
        with m.If(writes.resets_pipeline):
            m.d.sync += [flags.waits.eq(0), self.o.valid.eq(0)]
            m.d.sync += [source.eq(0), source.rereads.eq(1), source.jumps.eq(1)]

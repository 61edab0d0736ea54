"""The way of a QPU to the VPM and back."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.block_queue import BlockQueue
from vc4.isa.registers import QUADS
from vc4.vpm.port import VpmBeat, VpmCommand, VpmPort

from .pipeline import StageState
from .structs import LaneWords, VpmState

__all__ = ["VpmQueue"]

#: It is full for SP when there is just room for what may still be said: by the instruction that goes, by the two in front of it
#: in the pipeline, a vector and a fetch each, and by the end of a program. The rest hides how long the VPM lets writes wait
#: after the vectors that a set-up of reads fetches ahead, so that a program that reads and writes in every instruction
#: never waits for a VPM that takes a quad a clock.
_BEATS = 64
_FULL = 48
assert 3 * (QUADS + 1) + 1 <= _BEATS - _FULL


class VpmQueue(wiring.Component):
    """Puts everything that instructions say to the VPM into one queue, in the order of the program, and passes on the vectors
    that come from there.

    An instruction that reads a vector says so before it writes one, which is a clock before its first quad is in IO: in the
    last quad of a vector that the instruction in front of it writes, or else in a beat of its own. The queue never overflows,
    as instructions that use it enter the pipeline only while it is not `full`.

    Interface attributes
    --------------------
    vectors : stream of quads that are written, which are taken at once
    ra, a2, io : what is in these stages
    ra_vector : the quad of a vector that an instruction in RA takes
    vpm : the VPM
    state : for SP
    cancelled : strobe: the VPM has forgotten the vectors that a program has not read
    """

    vectors: In(stream.Signature(VpmBeat))
    ra: In(StageState)
    a2: In(StageState)
    io: In(StageState)
    ra_vector: Out(LaneWords)
    vpm: Out(VpmPort())
    state: Out(VpmState)
    cancelled: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.beats = queue = BlockQueue(VpmBeat, _BEATS)
        written, beat, said = self.vectors, queue.i.payload, queue.o.payload
        moves = Signal()
        fetches = Signal()
        cancels = Signal()
        takes = Signal()
        m.d.comb += [
            takes.eq(self.ra.live & self.ra.issued.control.needs.vpm_read),
            fetches.eq(self.a2.live & (self.a2.quad == 0) & self.a2.issued.control.needs.vpm_read),
            cancels.eq(self.io.live & (self.io.quad == 0) & self.io.issued.cancels),
            beat.eq(written.payload),
            beat.fetch.eq(fetches),
            queue.i.valid.eq(written.valid | fetches | cancels),
            written.ready.eq(1),
            self.vpm.writes.valid.eq(queue.o.valid),
            self.vpm.writes.payload.eq(said),
            queue.o.ready.eq(self.vpm.writes.ready),
            moves.eq(queue.o.valid & queue.o.ready),
            self.cancelled.eq(moves & (said.command == VpmCommand.CANCEL)),
            self.ra_vector.eq(self.vpm.reads.payload),
            self.vpm.reads.ready.eq(takes),
        ]
        with m.If(~written.valid):
            m.d.comb += beat.command.eq(Mux(cancels, VpmCommand.CANCEL, VpmCommand.FETCH))
        m.d.comb += [
            self.state.full.eq(queue.level >= _FULL),
            self.state.empty.eq(queue.level == 0),
            self.state.storing.eq(self._waits(m, moves, VpmCommand.STORE_ADDRESS) | self.vpm.store_busy),
            self.state.loading.eq(self._waits(m, moves, VpmCommand.LOAD_ADDRESS) | self.vpm.load_busy),
            self.state.fetching.eq(self.vpm.fetching),
            self.state.readable.eq(self.vpm.readable),
        ]
        m.d.sync += [
            Assert(~queue.i.valid | queue.i.ready, "the queue to the VPM has no room for a beat"),
            Assert(~(written.valid & fetches) | (written.payload.quad == QUADS - 1), "a fetch comes too early"),
            Assert(~(cancels & (written.valid | fetches)), "a program that has ended says something"),
            Assert(~takes | self.vpm.reads.valid, "a vector is read that is not there"),
        ]
        return m

    def _waits(self, m, moves, command):
        """Whether a `command` is in the queue, or has gone with the last clock: what goes comes out of a block RAM, and is counted
        from a register.
        """
        written, said = self.vectors, self.vpm.writes.payload
        count = Signal(range(_BEATS // QUADS + 1), name=f"{command.name.lower()}_count")
        comes = written.valid & (written.payload.quad == 0) & (written.payload.command == command)
        gone = Signal(name=f"{command.name.lower()}_gone")
        m.d.sync += [
            gone.eq(moves & (said.quad == 0) & (said.command == command)),
            count.eq(count + comes - gone),
        ]
        return count != 0
